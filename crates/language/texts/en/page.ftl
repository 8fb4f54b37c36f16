# The frame of the page: head, banners, summary, menu, sections.

page-title = { $title } – review
kicker-review = Drive review
kicker-comparison = Comparison
skip-to-summary = Skip to the summary
review-label = Label
review-note = Note
read-only-head = READ-ONLY: nothing was written.
read-only-note = Tests and points that write are left out, and the states of the edition were not
    prepared: the drive's state is what it was.
incomplete-head = INCOMPLETE: not every requested test has finished.
incomplete-note = The run was stopped; the tests below are those that had finished.
no-script = The charts with curves need JavaScript. Bars and tables have the numbers without it.
shortened-run = SHORTENED RUN: every measurement × { $scale }
lengthened-run = LENGTHENED RUN: every measurement × { $scale }
scaled-note = These are not the edition's figures: caches, garbage collection and steady states had
    another time.
contents = Contents
summary = Summary
too-few-figures = There are too few figures for a verdict.
strengths = Strengths
weaknesses = Weaknesses
unlike-head = Not measured under the same conditions.
unlike-note = Differences may be those of the conditions below, and not the drives'.
all-conditions-same = All known conditions were the same.
conditions-that-differ = Conditions that differ
condition = Condition
models-that-differ = Figures of the models that differ
model-figure = Figure
not-known = not known
standing-title-rivals = Against its rivals
standing-title = Against { $rival }
standing-note = Bars: { $drive } as a multiple of { $rival }, logarithmic; to the right is better.
standing-note-best = Bars: { $drive } as a multiple of the best rival in each figure, logarithmic; to
    the right is better.
standing-marks = Marks:
interval-of-mean = 95{"\u00A0"}% interval of the mean
warning = Warning.
load-has-two-figures = The same load has two figures.
no-figures = This test has no figures.
exact-jobs = The exact jobs ({ $count })
all-key-figures = All key figures
energy-title = Energy
energy-chart = Power under load
energy-axis = Mean power of the drive: under the fastest load of each test and direction, and over
    whole curves. To the left is better
energy-load = { $test }: { $load }
energy-per-gb = { $joules } J per GB
others-title = Among the drives of this lab
others-speed = Relative performance
others-speed-axis = Speed relative to { $drive }, which is 100 %: geometric mean of all measured points
    and curves of a test, then of the tests; { $edition }. To the right is better
others-tests = in { $shared } of { $all } tests
others-value = Performance for the price
others-value-axis = Relative performance divided by the price of a GB, relative to { $drive }, which is
    100 %. To the right is better
others-per-gb = { $per } { $currency } per GB
published-findings = Published findings
published-note = What a published review found of this drive by this edition, as data, and whether
    it holds for the figures here. All of it with all rivals: <code>stend claims</code>.
conditions = Conditions
reviewed-drive = The reviewed drive
smart-title = SMART data of the drive
alarm = Alarm.
smart-not-known = Not known: { $what }
method = Method
environment = Environment
how-to-reproduce = How to reproduce
reproduce-note = Seed { $seed }, target <code>{ $target }</code>. The same command makes this
    review again:
reproduce-note-simulated = Seed { $seed }, target <code>{ $target }</code>. The same command makes
    this review again, with the very same figures:
rules-note = All figures, every sample included, are in <code>review.json</code> beside this page.
    Sentences follow from figures by fixed rules; “level” means within 2&nbsp;%, “fast” above the
    geometric mean of where a curve starts and where the fresh one ends.
against = { $first } against { $others }

## How a drive was measured

kind-simulated = simulated
kind-file = real, a file on a file system, by fio
kind-directory = real, a directory on a file system
kind-block-device = real, a block device, by fio
kind-note-simulated = A model of the drive was measured in virtual time. No hardware took part: the
    figures say what the model does.
kind-note-file = A file was measured by fio, through the file system and the drive under it.
kind-note-directory = A directory was measured, through its file system and the drive under it: by
    fio on a file in it, and by work on files.
kind-note-block-device = The drive itself was measured by fio, as a block device.

## Facts at the top

capacity-under-test = Capacity under test
fact-interface = Interface
fact-controller = Controller
fact-flash = Flash
fact-dram = DRAM
fact-slc-cache = SLC cache
fact-over-provisioning = Over-provisioning
fact-rated-life = Rated life
fact-release-year = Year
fact-price = Price
price-name = price
price-per-gb = { $price } { $currency }, { $per } { $currency } per GB (10⁹ bytes)
currency = { $code }
fact-model = Model
fact-firmware = Firmware
fact-serial-number = Serial number
interface-sata = SATA { $speed } Gbit/s

## Sentences of a test that are not its finding

noiseless-all = Every request of a load took the same time: nothing in the model scatters here,
    while a drive that is measured does.
noiseless = Every request took the same time in { $loads }: nothing in the model scatters here,
    while a drive that is measured does.
steady-start = Steady state before the test (state “{ $state }”): { $how }.

## The table of drives

drives-caption = Drives; the reviewed one first. GB = 10⁹ bytes, GiB = 2³⁰ bytes
drives-drive = Drive
drives-name = Name
drives-measured = Measured

## Lists in a sentence

list-last = { $first } and { $last }
