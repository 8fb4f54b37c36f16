# Pages of the lab that are shown in every language: the list of reviews, a review, a comparison.

lab-skip = Skip to the content
lab-laboratory = Laboratory
lab-reviews = Reviews
lab-under-way = Under way
lab-jobs = Jobs
lab-drives = Drives
lab-studies = Studies
lab-what-if = What if
lab-queue = Queue

## Lists and their search

lab-text = Text
lab-drive = Drive
lab-interface = Interface
lab-flash = Flash
lab-drive-released = Drive released
lab-edition = Edition
lab-kind = Real or simulated
lab-real = real
lab-simulated = simulated
lab-any = any
lab-search = Search
lab-all = all
lab-rows = { $from } to { $to }
lab-later = later ones
lab-earlier = earlier ones
lab-beyond = The list ends before this page.
lab-show-all = Show all

## Reviews

lab-live = { $count } under way now
lab-empty = The lab is empty.
lab-empty-file = It is the file { $path }, in which every review is kept. The first one takes a few
    minutes and no hardware:
lab-empty-live = It appears here while it runs.
lab-empty-what-if = Look at what a drive would be with other figures
lab-empty-models = Look at the models of drives
lab-hint = drive, label, controller, serial number, edition …
lab-began-run = Run began
lab-no-run = No run is like this.
lab-runs = { $count ->
    [one] 1 run
   *[other] { $count } runs
}
lab-list = Runs
lab-compare = Compare
lab-tests = Tests
lab-began = Began
lab-run = Run
lab-unfinished = unfinished
lab-failed = { $count } failed
lab-breaks = { $count ->
    [one] 1 break
   *[other] { $count } breaks
}
lab-scaled = every measurement × { $scale }
lab-compare-run = Compare run { $run }, { $drive }

## The choice for a comparison

lab-elsewhere = Chosen on other pages
lab-run-of = run { $run }, { $drive }
lab-choose = Compare the chosen
lab-few = Compare: choose 2 to { $most }
lab-some = Compare the { $chosen } chosen
lab-many = At most { $most } runs can be compared, and { $chosen } are chosen: remove some to compare the
    others.

## A run, and a comparison

lab-title-run = Run { $run }: { $drive }
lab-about-run = edition { $edition }, { $began }
lab-title-against = { $first } against { $others }
lab-about-sides = { $count } runs side by side
lab-side = run { $run }
lab-reference = Reference
lab-with-it = Compare with it
lab-report = Report: { $title }
lab-report-alone = the report alone
lab-its-reviews = its reviews
lab-its-jobs = its jobs
lab-smart = SMART data over time
lab-the-model = the model
lab-model-of = the model from which it comes
lab-what-if-link = what if …

## Label and note

lab-mark = Give it a label or a note
lab-mark-again = Change label or note
lab-unchanged = Nothing was changed.
lab-label = Label
lab-note = Note
lab-keep = Keep
lab-marks-note = An empty field removes the text. By its label, <code>stend compare</code> finds a run.
