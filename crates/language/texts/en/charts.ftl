# Charts and tables: titles, axes, legends, heads, notes.

## What all charts share

chart-label-lines = Line chart: { $title }. Shown: { $names }. The tables under the chart hold its
    numbers.
chart-label-dots = Chart of samples as dots and their means as lines: { $title }. Shown: { $names }. The
    tables under the chart hold its numbers.
chart-failed = This chart could not be drawn ({ $error }). Its numbers are in the tables.
chart-save = Save as a picture (PNG)
chart-one-sample = { $name }, one sample
chart-mean = { $name }, mean
chart-zoom = Zoom
chart-pan = Pan
chart-zoom-in = Zoom in
chart-zoom-out = Zoom out
chart-reset = Reset axes
axis-temperature = Temperature, °C
axis-iops = IOPS
axis-mb-per-s = MB/s (MB = 10⁶ bytes)
axis-time-s = Time, s
axis-time-min = Time, min
axis-time-h = Time, h
axis-time = Time
axis-rest = Rest
axis-round = Round
axis-gb = GB (10⁹ bytes)
axis-written = Data written, GB (GB = 10⁹ bytes)
axis-written-log = Data written, GB (GB = 10⁹ bytes, logarithmic axis)
axis-position = Position, GB from the beginning (GB = 10⁹ bytes)
axis-written-tb = Written, TB (10¹² bytes)
axis-latency = Latency (logarithmic axis)
axis-latency-in = Latency, { $unit }
axis-mean-latency-in = Mean latency, { $unit }
axis-requests-faster = Faster requests
axis-share-faster = Share of requests that are faster
axis-reads-writes = Reads : writes, % of the requests

## Words in legends and heads

word-mean = mean
word-max = max
word-median = median
word-slowest = slowest
word-all = all
word-reads = reads
word-writes = writes
word-flushes = flushes
head-load = Load
head-curve = Curve
head-requests = Requests
head-response = Response
head-figure = Figure
head-cpu = CPU time
head-cpu-note = a request, fio's threads
head-read = Read
head-written = Written
head-time = Time
head-speed = Speed
head-mean = Mean
head-start = Start
head-end = End

## Key figures

table-caption-best = { $caption }; bold: the best of the drives
key-caption = More is better throughout. MB and GB are decimal
key-caption-rivals = Beside a rival's figure, how the reviewed drive stands to it. More is better throughout. MB and GB are decimal

## Latency

latency-caption-percentile = Completion latency by percentile, less is better: { $drive }
latency-caption-rivals = Completion latency by percentile, less is better: the rivals
latency-caption-curve = Completion latency over the whole curve, less is better
latency-caption-sync = Latency by percentile, less is better: { $drive }
latency-title = Latency: { $load }
latency-title-depth = { $op ->
    [read] Read latency against queue depth: { $drive }
    [write] Write latency against queue depth: { $drive }
   *[mixed] Mixed latency against queue depth: { $drive }
}
private-load-of-block = { $pattern } { $block } { $op }
latency-title-curve = Latency of { private-load-of-block } over the whole curve
latency-title-time = Latency of { private-load-of-block } against time
latency-note-windows = By { $window }: the middle of the medians and of the 99{"\u00A0"}% of each
    { $interval }, and the slowest request of all.

## Points

points-caption-iops = Requests a second (IOPS); smaller: MB/s, MB = 10⁶ bytes
points-caption-bandwidth = MB/s, MB = 10⁶ bytes; smaller: requests a second (IOPS)
points-title = { $pattern ->
    [any] { $block ->
        [none] { $ops }
       *[other] { $block } { $ops }
    }
   *[other] { $block ->
        [none] { $pattern } { $ops }
       *[other] { $pattern } { $block } { $ops }
    }
}
points-title-against = { points-title }{ $constant } against { $dimension ->
    [block] block size
    [depth] queue depth
    [share] share of reads
    [the-share] the share of reads
   *[threads] number of threads
}
points-constant-depth = , queue depth { $depth },
points-constant-threads = , { $threads } threads,
points-reads-of = reads of { $drive }
points-writes-of = writes of { $drive }
points-share-note = Thick lines: all requests. Thin lines: the reads and the writes among them, of the
    reviewed drive.
points-share-head = Reads : writes, %
points-part = { $op ->
    [read] ↳ reads at { $share } % reads
   *[write] ↳ writes at { $share } % reads
}

## Curves

curve-title = { private-load-of-block }, queue depth { $depth }, against { $view ->
    [time] time
    [written] data written
    [position] position
   *[written-log] data written, logarithmic
}
curve-note-log = The same, with the beginning drawn wide: where the dots show more than the means.
curve-note-lines = Lines: the mean over { $window }.
curve-note-steps = Dashed vertical lines: where the steps were found, see “Levels found”.
curve-note-dots = Dots: every sample, each the mean over { $interval }.
curve-note-dots-reviewed = Dots: every sample of the reviewed drive, each the mean over { $interval }.
curve-note-axes = Axes as in the charts of the reviewed drive.
curve-temperature = { $name }: temperature
curve-start-note = median of { $samples } samples
curve-end-note = mean of the last { $time }
curve-spread = Spread
curve-spread-note = 90{"\u00A0"}% of the samples of the last { $time }
curve-spread-to = to { $speed }
curve-lowest = Lowest
curve-highest = Highest
curve-window-note = mean over { $window }
curve-samples = Samples
curve-no-sample = no sample
curve-fast-writes = Fast writes
curve-fast-note = down to √(start × { $name } end)
curve-fast-nothing = nothing restored
curve-fast-down-to = down to { $speed }
curve-fast-never-below = never below { $speed }
curve-caption = The curves in figures; GB = 10⁹ bytes, MB = 10⁶ bytes
curve-levels-caption = Levels found: stretches of one speed, or of a steady rise or fall, by time
curve-levels-caption-written = Levels found: stretches of one speed, or of a steady rise or fall, by
    data written and time
curve-level = Level
curve-from = From
curve-to = To
curve-scatter = Scatter
curve-scatter-note = half of the middle 68{"\u00A0"}%
curve-level-falling = { $number }, falling
curve-level-rising = { $number }, rising
curve-range = { $from } to { $to }
curve-scatter-little = below{"\u00A0"}±{"\u00A0"}0.1{"\u00A0"}%
curve-until = Until
curve-written-by-then = written by then
curve-means-caption = Every mean over { $window } (the single samples are in review.json)

## Recovery ladders

ladder-restored-title = Fast writes restored by a rest, against its length
ladder-speed-title = Speed after a rest, first five samples, against its length
ladder-with-trim = { $drive }, with TRIM
ladder-without-trim = { $drive }, without TRIM
ladder-yes = yes
ladder-no = no
ladder-not-fallen = at least: it did not fall
ladder-caption = What each rest restored; GB = 10⁹ bytes: { $drive }
ladder-head-rest = Rest
ladder-head-trim = TRIM before it
ladder-head-speed = Speed after it
ladder-head-speed-note = first five samples

## Work on files

files-title = Speed of { $op } by set of files
files-axis = MB/s, MB = 10⁶ bytes: bytes of the set over the time
files-requests = { $count ->
   *[other] { $requests } requests
}
files-caption = The files, and the requests to the drive; GB = 10⁹ bytes: { $drive }
files-head-set = Set
files-head-size = Size
files-head-files = Files
files-head-directories = Directories
files-head-time-note = until durable
files-head-flushes = Flushes

## Durable writes

sync-axis = Writes a second; beside it, how many times a second data becomes durable
sync-title = Writes a second by how they become durable
sync-not-synced = not synced
sync-commits-bar = { $commits } commits
sync-reads-bar = { $reads } reads
sync-commits-tail = { $drive }, commits, 99.9{"\u00A0"}%
sync-commits-slowest = { $drive }, commits, slowest
sync-reads-tail = { $drive }, reads, 99.9{"\u00A0"}%
sync-reads-slowest = { $drive }, reads, slowest
sync-time-title = Latency over time: { $load }
sync-beside-row = ↳ beside it { $stream }

## Benchmarks

benchmark-mix-head = Mix, { $share } % reads
benchmark-title = { $test }: the fastest pass
benchmark-note = A file of { $size }; the fastest of { $passes } passes of { $time }.
benchmark-axis = MB/s, MB = 10⁶ bytes
benchmark-speed-caption = MB/s of the fastest pass, MB = 10⁶ bytes; below in requests a second (IOPS)
benchmark-latency-caption = Lowest mean completion latency of the passes, less is better
benchmark-head-row = Row
benchmark-head-pass = Pass { $number }
benchmark-passes-caption = Every pass in MB/s, MB = 10⁶ bytes; below its mean latency: { $drive }

## Traces

traces-note = Synthesised desktop traces: at most their totals are published (see the table); no PCMark
    score.
traces-title = { $test }: bytes over busy time
traces-axis = MB/s of the time in which a request was outstanding, MB = 10⁶ bytes; beside it in requests
    a second (IOPS)
traces-origin-published = synthesised, totals published
traces-origin-assumed = synthesised, totals assumed
traces-origin-captured = captured
traces-timing-original = original times
traces-timing-busy = without idle time
traces-timing-fast = at once, depth { $depth }
traces-caption = The traces in figures; MB = 10⁶ bytes: { $drive }
traces-head-trace = Trace
traces-head-busy = Busy
traces-head-busy-note = how it was replayed
traces-head-elapsed = Elapsed
traces-head-reads = Reads
traces-head-writes = Writes
traces-head-latency-note = mean latency
traces-head-amplification = Write amplification
traces-head-amplification-note = during the replay
traces-head-moved = Moved
traces-head-moved-note = requests, to fit the target
traces-limits-all = all of them
traces-limits-caption = Limits of the figures: { $drive }
traces-limits-head = Limit
traces-limits-traces = Traces

## Rounds

rounds-share = { $share ->
    [100] read
    [0] write
   *[other] { $share }{"\u00A0"}% reads
}
rounds-title = { $pattern } { $block } { rounds-share }, queue depth { $depth } by round
rounds-each = each round
rounds-window-mean = mean of the window
rounds-above = 10{"\u00A0"}% above it
rounds-below = 10{"\u00A0"}% below it
rounds-line-fitted = least-squares line
rounds-note = A load is measured for { $time } in each round. The window is of { $window } rounds.
rounds-achieved = achieved
rounds-not-achieved = not achieved
rounds-unsought-met = not sought; the last rounds meet it
rounds-unsought-not-met = not sought; the last rounds do not meet it
rounds-head-state = Steady state
rounds-head-rounds = Rounds
rounds-head-window = Window
rounds-from-to = rounds { $from } to { $to }
rounds-head-mean = Mean of the window
rounds-head-spread = Greatest less least
rounds-head-drift = Rise of the line
rounds-at-most = of the mean; at most { $share }
rounds-caption = Steady state by SNIA's definition: { $drive }
rounds-cell-slowest = slowest { $latency }
rounds-head-size = Size
rounds-means-steady = Means over rounds { $from } to { $to }, in steady state; MB = 10⁶ bytes: { $drive }
rounds-means-not-steady = Means over rounds { $from } to { $to }, NOT in steady state; MB = 10⁶ bytes:
    { $drive }
rounds-every-caption = The tracked load in every round: { $drive }
rounds-head-round = Round
rounds-head-tracked = Tracked figure
rounds-head-slowest = Slowest request

## Reads while a file is deleted

response-deletion = deletion
response-normal = normal { $name }
response-axis-time = Time from the deletion on, s
response-title = Random { $block } reads, queue depth { $depth } around a deletion of { $deleted }:
    { $drive }
response-note = Lines: the mean over { $interval }. Dashed vertical lines: the deletion, and from where on
    reads are back to normal.
response-dots-all = Dots: every request. Lines: median, 99{"\u00A0"}% and slowest of each { $interval }.
response-dots-some = Dots: the slowest { $kept } of { $all } requests; the lines show all of them. Lines:
    median, 99{"\u00A0"}% and slowest of each { $interval }.
response-latency-title = Latency around a deletion, { $name }: { $drive }
response-slowest-requests = slowest requests
response-before-row = { $name }: before
response-after-row = ↳ from the deletion on
response-never = not while measured
response-at-once = at once
response-commands = { $count ->
   *[other] { $commands } commands of { $block }
}
response-no-trim = none
response-caption = The deletion in figures; GB = 10⁹ bytes: { $drive }
response-head-before = Before
response-head-before-note = mean
response-head-slowest = Slowest second
response-head-slowest-note = after the deletion
response-head-normal = Back to normal
response-head-normal-note = 90{"\u00A0"}% of before, for 10 s
response-head-read = Slowest read
response-head-trim-note = time of all commands
response-head-deleted = Deleted
response-head-region = Read in
response-head-region-note = from the beginning
response-intervals-caption = Every interval, by its end, s: { $drive }
response-head-until = Until, s
response-head-median = Median
response-head-slowest-request = Slowest

## Endurance

endurance-mark-rated = rated life, { $tb } TB
endurance-band = not simulated
endurance-note = { $pattern ->
    [random] Random write, { $block }, queue depth { $depth }. A round writes { $bytes }.
   *[sequential] Sequential write, { $block }, queue depth { $depth }. A round writes { $bytes }.
}
endurance-note-repeated = Of { $rounds } rounds { $repeated } were not simulated, but taken to be like the
    one before (shaded in all charts); every point is a round that was.
endurance-note-rated = Its rated life would end at { $tb } TB, beyond these charts.
endurance-speed-title = Speed of each round, against what was written
endurance-axis-speed = MB/s
endurance-trace-speed = speed
endurance-latency-title = Latency of each round
endurance-trace-tail = 99.9 % of the writes
endurance-trace-slowest = slowest write
endurance-amplification-title = Write amplification of each round
endurance-axis-amplification = Bytes in flash for each of the host's
endurance-trace-amplification = write amplification
endurance-life-title = Life of the drive, as it reports it
endurance-axis-percent = Percent
endurance-trace-used = rated life used
endurance-trace-spare = spare blocks left
endurance-trace-threshold = spare blocks, threshold
endurance-cycles-title = Erase cycles of the blocks
endurance-axis-cycles = Erase cycles
endurance-unit-cycles = cycles
endurance-trace-most = most
endurance-trace-fewest = fewest
endurance-temperature-note = In rounds that were not simulated no time passes: a drive warms up in the
    others.
endurance-temperature-title = Temperature at the end of each round
endurance-trace-temperature = temperature
endurance-fails-note = Whether it was a program or an erase is known of rounds that were simulated alone.
endurance-fails-title = Blocks that failed, in the drive's life
endurance-axis-fails = Blocks; programs and erases
endurance-trace-retired = blocks out of use
endurance-trace-programs = failed programs
endurance-trace-erases = failed erases
endurance-errors-title = Errors of the flash in each round
endurance-axis-errors = Times in a round
endurance-trace-retries = read retries
endurance-trace-rebuilt = pages rebuilt from parity
endurance-trace-unreadable = could not be read
endurance-refused = the drive refused a write
endurance-budget-over = the budget was used up; NOT worn out
endurance-unfinished = not at its end yet
endurance-head-capacity = Of the capacity
endurance-head-rated = Of the rated life
endurance-rated-of = { $written } of { $rated }{"\u00A0"}TB
endurance-head-budget = Write budget
endurance-head-one-more = One more write
endurance-one-more-refused = refused
endurance-one-more-taken = taken
endurance-head-afterwards = Read afterwards
endurance-afterwards-note = of { $asked }, { $count ->
    [1] one read
   *[other] { $failed } reads
} failed; what was read is not compared
endurance-end-caption = How it ended; GB = 10⁹ bytes: { $drive }
endurance-column-round = Round
endurance-column-repeated = { $count ->
   *[other] { $repeats } not simulated
}
endurance-column-written = Written so far
endurance-column-tail = 99.9 % of the writes
endurance-column-slowest = Slowest write
endurance-column-amplification = Write amplification
endurance-column-used = Life used, %
endurance-column-spare = Spare left, %
endurance-column-cycles = Erase cycles, mean
endurance-column-most = Erase cycles, most
endurance-column-retired = Blocks out of use
endurance-column-programs = Failed programs
endurance-column-erases = Failed erases
endurance-column-retries = Read retries
endurance-column-rebuilt = Rebuilt pages
endurance-column-unreadable = Could not be read
endurance-column-temperature = Temperature, °C
endurance-rounds-caption = The rounds; GB = 10⁹ bytes: { $drive }
endurance-rounds-caption-some = The rounds, one in { $every } of { $count }, and the last; GB = 10⁹ bytes:
    { $drive }

## Published findings

published-holds = holds
published-fails = does not hold
published-caption = { $article }: findings that the drives of this review answer
published-head-expected = Expected
published-head-got = Got
published-head-holds = Holds
published-open-caption = { $article }: findings that stay open here, and what they need
published-head-finding = Finding
published-head-needs = Needs
