# What is inside a drive: properties, what they were told from, and why they cannot be told.

## Groups of properties

identify-group-cache = SLC cache and write buffer
identify-group-spare = Spare space, garbage collection and TRIM
identify-group-reads = Reads, dies and map
identify-group-durability = Durability, and both directions at once

## Names of properties

identify-name-slc-cache = SLC cache
identify-name-slc-cache-bytes = SLC cache: size on the empty drive
identify-name-slc-cache-bytes-full = SLC cache: size on the full drive
identify-name-slc-cache-kind = SLC cache: kind
identify-name-slc-write-bytes-per-s = SLC cache: write speed
identify-name-after-cache-write-bytes-per-s = Write speed behind the SLC cache
identify-name-slc-when-full = SLC cache: writes when it is full
identify-name-slc-idle-emptying = SLC cache: emptied while idle
identify-name-slc-emptying-bytes-per-s = SLC cache: speed of emptying
identify-name-write-buffer-bytes = Write buffer: size
identify-name-over-provisioning-percent = Spare space (over-provisioning)
identify-name-idle-gc = Garbage collection while idle
identify-name-trim-restores = TRIM: how much speed it restores
identify-name-trim-ns-per-gib = TRIM: time of a GiB
identify-name-read-latency-ns = Random read of a page: mean time
identify-name-flash-read-ns = Flash: time of a read
identify-name-read-ahead = Read-ahead
identify-name-parallel-dies = Dies that work in parallel
identify-name-stripe-bytes = Data in sequence in one die
identify-name-map-cache = Map (L2P) cache
identify-name-map-cache-bytes = Map (L2P) cache: data that it covers
identify-name-thermal-throttling = Thermal throttling
identify-name-flush-latency-ns = Flush after a write: mean time
identify-name-program-ns = Flash: time of a program
identify-name-power-loss-protection = Power-loss protection
identify-name-flush-ignored = Flushes are ignored
identify-name-half-duplex = Half-duplex: both directions in turns
identify-name-sub-page-write-penalty = Writes below a page are slower

## Values

identify-units = KiB = 1,024 bytes, MB = 10^6 bytes, GB = 10^9 bytes
identify-yes = yes
identify-no = no
identify-kind-static = static
identify-kind-dynamic = dynamic
identify-kind-both = both
identify-kind-whole-array = whole-array
identify-kind-fold-first = fold-first
identify-kind-direct = direct
identify-kind-fully = fully
identify-kind-partly = partly
identify-kind-nothing = nothing
identify-interval = { $low } to { $high }
identify-dies = { $number } { $count ->
    [one] die
   *[other] dies
}
identify-at-least = at least { $least }
identify-dies-range = { $ends } dies
identify-of-capacity = { $number } % of the capacity

## The SLC cache

identify-step = an empty drive takes { $bytes } at { $fast }, then { $slow }
identify-no-cache = the drive has no SLC cache
identify-cache-unknown = it is not known whether there is an SLC cache
identify-cache-end-unseen = neither the speed of writes nor the time of reads shows where the cache
    ends
identify-full-missing = writes to the full drive were not looked at
identify-full-no-step = writes to the full drive show no step
identify-cache-size-unknown = the size of the cache is not known
identify-not-emptied = the cache does not empty while the drive rests
identify-full-takes = the full drive, after a rest, takes { $bytes } fast
identify-full-unseen = the full drive does not show how large it is then
identify-share = { $percent } % of the capacity
identify-share-stays = { $percent } % of the capacity; { $stays } % of it is full of new data after
    much of the full drive was written again
identify-newest-new = when { $written } of the empty drive were written, what was written last was read like new
    data, and what was written first no more
identify-oldest-new = when { $written } of the empty drive were written, what was written first was read like
    new data, and what was written last was not
identify-no-step = writes show no step
identify-reads-missing = reads were not looked at
identify-latest-missing = what was written last was not read
identify-busy-after-fill = the drive was too busy after the fill for its reads to tell
identify-latest = what a whole fill wrote last is read in { $latest }, new data in { $new }, old
    data in { $old }
identify-taken = with the cache full, { $none } are taken fast at once, { $some } after { $rest } s
identify-mapped-rest = { $before } are read as fast as new data at once, { $after } after a rest
identify-free-unseen = neither the speed of writes nor the time of reads shows how much is free
identify-free-no-speed = the speed of writes does not show how much of the cache is free
identify-emptied-within = the cache was empty within { $rest } s: it is faster than that
identify-more-after = { $bytes } more after { $rest } s
identify-new-and-old = of pages that have just been written the quickest are read in { $new }, of
    those written long ago in { $old }
identify-new-and-old-noisy = of pages that have just been written the quickest are read in { $new },
    of those written long ago in { $old }, and the same reads vary by { $noise } %
identify-new-and-old-alike = of pages that have just been written the quickest are read in { $new },
    of those written long ago in { $old }: both lie in the same kind of flash
identify-step-unseen = writes show no step, and a cache that is as fast as what is behind it shows
    none; reads were not looked at
identify-mapped = of { $written } that were written, { $bytes } are read as fast as new data
identify-mapped-least = of { $written } that were written, { $bytes } are read as fast as new data;
    what was written first has left the cache, which may be larger: no more was written
identify-mapped-all = all of { $all } that were written is read as fast as new data; of
    { $written } that were written, { $bytes } are read as fast as new data

## Spare space, garbage collection, TRIM, the write buffer

identify-random-missing = the drive was not written at random
identify-no-fall = random writes show no fall: garbage collection costs less than something else, or
    spare space did not end
identify-fall-elsewhere = random writes become slow at a place that spare space does not explain
identify-fall = random writes fall from { $fast } to { $slow } after { $bytes } were written over
    data, of which a cache took { $cached }
identify-fall-range = random writes fall from { $fast } to { $slow } after { $bytes } were written over
    data, of which a cache took between { $least } and { $cached }
identify-after-rests = after random writes, { $once } are taken fast at once, { $short } after
    { $short_rest } s of rest, { $long } after { $long_rest } s
identify-rest-cools = after a long rest all writes are fast, also where the drive was read meanwhile: it
    may have cooled down
identify-random-not-slow = random writes do not become slow: they go on at { $speed }
identify-rests-missing = rests after random writes were not looked at
identify-after-rest = after random writes and a rest, { $bytes } are taken fast
identify-trim-reviewed = the empty drive began with { $fresh } random writes a second, after TRIM
    with { $after }
identify-trim-missing = TRIM of the dirty drive was not looked at
identify-trim = the first { $bytes } are written at { $fresh } to the empty drive, { $before } to
    the dirty one, { $after } after TRIM
identify-trim-nothing = the first { $bytes } are written at { $fresh } to the empty drive,
    { $before } to the dirty one, { $after } after TRIM: there was nothing to restore
identify-trim-time-missing = TRIM of a part of the drive was not looked at
identify-trim-time = TRIM of { $bytes } of the full drive took { $ms } ms, beside reads
identify-burst-missing = the first writes after a rest were not looked at
identify-burst-few = the first writes after a rest were too few
identify-buffer-unseen = the drive takes what the link brings, or as much as its flash does: its
    buffer does not fill at once
identify-buffer-unused = each write waits for the flash: the write cache is off
identify-buffer = the first writes after a rest run ahead of the steady { $speed } by { $bytes }

## Reads, dies, the map, throttling

identify-latency = { $count } random reads of a page, one at a time: median { $median }, 99 %
    { $tail }
identify-unwritten-missing = reads of space without data were not looked at
identify-unwritten-as-slow = space without data takes as long to read as data: it is read from flash
    too
identify-flash-read = a page is read in { $old }, one without data, for which no flash is read, in
    { $unwritten }: the rest is sensing (tR) and the transfer from the die
identify-flash-read-map = a page is read in { $old }, one without data, for which no flash is read, in
    { $unwritten }: the rest is sensing (tR) and the transfer from the die, but either may have waited
    for a piece of the map, up to { $lookup }
identify-ascending-missing = ascending reads were not looked at
identify-ascending = pages are read in { $ascending } in ascending order, in { $random } at random
identify-pairs-missing = pairs of reads were not looked at
identify-pairs-moved = places that wait for each other do not lie at one distance: what is read has
    been moved, or the stripe is longer than what was looked at
identify-stripe = pages { $period } KiB apart wait for each other; { $unit } KiB in sequence lie in
    one die
identify-stripe-parity = pages { $period } KiB apart wait for each other; { $unit } KiB in sequence
    lie in one die: { $dies } dies of data, the rest is parity
identify-pairs-free = no two places that were looked at wait for each other: something else than a
    die limits reads
identify-pairs-share = { $percent } % of pairs of places wait for each other
identify-spans-missing = reads in spans of the drive were not looked at
identify-spans = a page is read in { $hit } within { $least }, in { $last } within { $most }
identify-noisy = the same reads vary by { $noise } %
identify-spans-alike = no span of the drive is read slower than another
identify-spans-vary = reads in small spans differ by { $percent } % among themselves, and the effect
    of a cache could be as small
identify-spans-few = too few spans are larger than the cache
identify-long-missing = long loads were not looked at
identify-throttled = ascending reads change nothing in the drive, and fall from { $first } to
    { $last } a second within { $seconds } s
identify-not-throttled = { $seconds } s of reads did not make the drive slower: it may not have been
    warm

## Flushes, both directions, short writes

identify-flush-unseen = no one can tell from outside whether a flush that is answered was carried
    out: only a power cut shows it
identify-flushes-missing = flushes were not looked at
identify-flush = a flush after a write of one page takes { $time }
identify-flush-short = a flush after a write of one page takes { $time }: less than a program of
    flash: what is written is safe in the buffer, or flushes are ignored, which looks the same
identify-written-through = a write of one page takes { $time } and leaves nothing for a flush to wait
    for: the write cache is off, and what the drive would lose with it on is not seen
identify-flush-waits = a flush after a write of one page takes { $time }: it waits for the flash
identify-no-program = no flush waits for a program of flash
identify-program = the shortest wait for the flash is { $time }, no program takes longer
identify-mixed-missing = reads and writes at once were not looked at
identify-mixed-short = reads and writes at once took { $ms } ms, too short a time to compare
identify-mixed = ascending reads alone { $reads }, writes alone { $writes }, in turns { $turns },
    both at once { $both }
identify-short-missing = short writes were not looked at
identify-short = { $short } random writes of 512 bytes a second, { $page } of a page
