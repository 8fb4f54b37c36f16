# The page of an identification: frame and pictures.

## Frame

inside-title = { $target } – identification
inside-subject = { $target } (identification)
inside-skip = Skip to what is known
inside-kicker = What is inside, as seen from outside
inside-incomplete = INCOMPLETE: left out for want of time.
inside-no-script = The charts need JavaScript. What is told, and the tables, are there without it.
inside-known = What is known
inside-nothing-known = Nothing could be told.
inside-units = In brackets: 90&nbsp;% intervals. MB = 10⁶ bytes, GB = 10⁹ bytes, KiB = 1,024 bytes.
inside-shown-in = Shown in:
inside-unknown = What cannot be told
inside-all-known = Every property could be told.
inside-pictures = { $group }: pictures
inside-document = What is told is in <code>identification.json</code> beside this page;
    <code>--observed FILE.json</code> keeps all that was seen.
inside-badge-simulated = simulated drive
inside-badge-real = probed by fio
inside-badge-review = read from a review
inside-note-simulated = A model of the drive was probed in virtual time, as a black box: none of the
    model's figures was looked at. No hardware took part.
inside-note-real = All of it follows from requests and the time that they took.
inside-note-review = Nothing was probed: all of it follows from what a review measured, which is
    less than what probes see.

## On the terminal

inside-untold = Cannot be told
inside-left-out = left out for want of time: { $what }
inside-brackets = In brackets: 90 % intervals. { $units }.

## All pictures

inside-interval = 90{"\u00A0"}% interval
inside-numbers = The numbers
inside-some-numbers = Some of the numbers
inside-axis-written = Data written, GB (10⁹ bytes)
inside-mark = { $name }: { $value }
inside-no-rest = no rest
inside-rest = { $time } of rest
inside-at-once = at once
inside-after-a-rest = after a rest
inside-after-the-rest = after the rest
inside-level = { $name }: { $time }
inside-new-data = new data
inside-old-data = old data
inside-trace-reads = reads
inside-trace-writes = writes
inside-trace-random-writes = random writes
inside-trace-ascending-writes = ascending writes
inside-trace-flush = flush
inside-trace-write = write
inside-trace-pair = pair

## Writes

inside-cache = cache
inside-spare = spare
inside-cache-end = The mark is the inferred end of the SLC cache.
inside-fill-title = Writes to the empty drive
inside-fill-note = Long requests in ascending order.
inside-full-title = Writes to the full drive after { $rest }
inside-full-mark = The mark is what the SLC cache takes of them.
inside-emptied-title = Writes after rests, on the empty drive
inside-emptied-note = Before each of the rests a part of the drive was written.
inside-emptied-cache = What is written fast is what the rest has emptied of the SLC cache.
inside-burst-title = The first writes after a rest
inside-burst-note = A write buffer takes the first of them faster than the flash does.
inside-random-title = Random writes over the full drive
inside-fresh-title = Random writes over the empty drive
inside-spare-note = The mark of spare space is its inferred end, behind what a static SLC cache
    takes. Garbage collection begins before it: the shaded interval covers that.
inside-dirty-title = Random writes after rests
inside-dirty-note = The drive was written at random until it was slow. What is written fast after a
    rest is what garbage collection has freed in it.
inside-recovered-title = What rests give back after random writes
inside-recovered-note = Data that is written fast after a rest, as the review measured it.
inside-without-trim = without TRIM
inside-with-trim = with TRIM
inside-axis-rest = Rest, s
inside-axis-fast = Written fast, GB (10⁹ bytes)
inside-trimmed-title = Writes before TRIM and after
inside-trimmed-note = Long requests in ascending order to a drive that was written at random until
    it was slow, before TRIM of all of it and after; beside them the empty drive.
inside-before-trim = before TRIM
inside-after-trim = after TRIM
inside-empty-drive = empty drive

## Reads

inside-axis-place = Place, GB (10⁹ bytes)
inside-axis-read = Read of a page, µs
inside-place-note = The shortest of the reads of each part (1{"\u00A0"}%), and the same of new and
    of old data.
inside-place-cache = What is read like new data lies in the SLC cache.
inside-map-title = Reads by place: new data on the empty drive
inside-full-map-title = Reads by place: new data on the full drive
inside-settled-title = Reads by place: the full drive after { $time } of rest
inside-kinds-title = Reads of a page by what is read
inside-kinds-axis = Median, one read at a time; shorter is faster
inside-kinds-mean = mean { $time }
inside-kind-unwritten = Space without data
inside-kind-ascending = Ascending order
inside-kind-new = New data
inside-kind-latest = Last of a fill, at once
inside-kind-old = Old data
inside-depths-title = Random reads of a page over queue depth
inside-depths-note = More outstanding requests keep more dies at work, up to a limit.
inside-axis-depth = Queue depth
inside-unit-outstanding = outstanding
inside-spans-title = Read time over the span that is read
inside-spans-note = Random reads of a page within a span. Beyond what the map cache covers, some
    have to read the map first. The vertical axis does not begin at zero.
inside-spans-mark = The mark is what it was inferred to cover.
inside-map-cache = map cache
inside-axis-span = Span
inside-axis-mean-read = Mean read of a page, µs
inside-pairs-title = Pairs of pages by their distance
inside-pairs-note = Pages in one die wait for each other, and both are read the slower.
inside-axis-distance-kib = Distance, KiB (1,024 bytes)
inside-axis-distance-gb = Distance, GB (10⁹ bytes)
inside-axis-both = Reads of both, IOPS
inside-period-note = After the inferred period the first die comes again.
inside-periods = period, and multiples of it
inside-period = period: { $kib }{"\u00A0"}KiB
inside-far-title = Pairs of pages that lie anywhere
inside-far-note = The share of pairs that wait for each other tells how many dies there are.
inside-long-title = Ascending reads for minutes
inside-long-note = A drive that throttles becomes slower as it becomes warmer.

## Durability

inside-flushes-title = Flushes after so many writes of a page
inside-flushes-note = A flush that is quicker than a program of flash has waited for none.
inside-axis-between = Writes between two flushes
inside-unit-writes = writes
inside-axis-mean-time = Mean time, µs
inside-mixed-title = Reads and writes at once
inside-mixed-axis = Ascending requests, MB/s (MB = 10⁶ bytes); longer is faster
inside-mixed-note = A half-duplex drive reaches less with both at once than in turns
inside-mixed-reads = Reads alone
inside-mixed-writes = Writes alone
inside-mixed-turns = In turns (computed)
inside-mixed-both = Both at once
inside-short-title = Writes of less than a page
inside-short-axis = Random writes a second; longer is faster
inside-short-note = A drive that has to read the rest of a page first is slower with less than a
    page
inside-short-part = 512 bytes
inside-short-page = A page (4 KiB)
