# Texts that a review stores as ids with arguments: titles, methods, conditions, warnings. See
# docs/languages.md.

## Titles of editions

rec-edition-2014 = 2014: the whole drive, { $time } a point
rec-edition-2015 = 2015: the whole drive, { $time } a point
rec-edition-2016a = 2016a: the whole drive, { $time } a point
rec-edition-2016b = 2016b: inside 32 GiB, { $time } a point
rec-edition-2018 = 2018: inside 32 GiB, { $time } a point
rec-edition-crystaldiskmark = CrystalDiskMark, every version
rec-edition-ladder = Recovery ladder: rests of 30 s to 30 min, with TRIM and without
rec-edition-snia = Steady state after SNIA PTS 2.0.1: write saturation, IOPS, throughput, latency
rec-edition-endurance = Endurance: written until it refuses; this ends the drive
rec-edition-database = Database: durable writes, a log beside data, reads and writes in steady
    state
rec-edition-quick = Quick: a first look in five minutes

## Titles of tests

rec-test-sequential = Sequential read and write
rec-test-random = Random read and write
rec-test-depth = Random access against queue depth
rec-test-block = Random access against block size
rec-test-sequential-depth = Sequential access against queue depth
rec-test-mixed-sequential = Sequential reads and writes mixed
rec-test-mixed-random = Random reads and writes mixed
rec-test-degradation = Sustained random write
rec-test-recovery = Recovery at rest and by TRIM
rec-test-fill = Sequential write across the capacity
rec-test-response = Reads while a file is deleted
rec-test-cdm-4 = CrystalDiskMark 4 and 5
rec-test-cdm-8-nvme = CrystalDiskMark 8, NVMe
rec-test-cdm-8-mix = CrystalDiskMark 8 with a mix
rec-test-traces = Desktop traces
rec-test-game = Starting a game
rec-test-applications = Starting applications
rec-test-copy = Copying files
rec-test-archive = Archiving files
rec-test-unarchive = Unpacking an archive
rec-test-ladder = What a rest gives back
rec-test-saturation = Write saturation
rec-test-steady-iops = IOPS in steady state
rec-test-steady-throughput = Throughput in steady state, { $block }
rec-test-steady-latency = Latency in steady state
rec-test-endurance = Endurance
rec-test-durability = What durability costs
rec-test-log = Writing a log
rec-test-log-beside = A log beside data
rec-test-commits = Commits by several threads
rec-test-read-write-steady = Reads and writes in steady state
rec-test-mixed = Reads and writes mixed
rec-test-burst = { $time } of random writes
rec-test-flush = Latency of durable writes

## Methods of tests

rec-method-sequential = 256 KiB, one thread, queue depth 1, { $time } each; the mean speed.
rec-method-sequential-inside = 256 KiB, one thread, queue depth 1, inside { $region }, { $time }
    each; the mean speed.
rec-method-random = 4 KiB anywhere on the drive, queue depth 1 and 4, { $time } each.
rec-method-random-inside = 4 KiB anywhere in { $region }, queue depth { $first } and { $last },
    { $time } each.
rec-method-depth = 4 KiB random read and write at queue depths from 1 to 32, { $time } a point.
rec-method-depth-inside = 4 KiB random read and write at queue depths from 1 to 32, inside
    { $region }, { $time } a point.
rec-method-block = Random read and write of 512 B to 256 KiB at queue depth 4, { $time } a point.
rec-method-block-inside = Random read and write of 512 B to 256 KiB at queue depth 4, inside
    { $region }, { $time } a point.
rec-method-sequential-depth = 256 KiB sequential read and write at queue depths from 1 to 32, one
    thread, inside { $region }, { $time } a point.
rec-method-mixed-sequential = 128 KiB, two independent threads of queue depth 1, 0 to 100 % reads
    in steps of { $step } %, { $time } a point.
rec-method-mixed-sequential-inside = 128 KiB, two independent threads of queue depth 1, 0 to 100 %
    reads in steps of { $step } %, inside { $region }, { $time } a point.
rec-method-mixed-random = 4 KiB, four independent threads of queue depth 1, 0 to 100 % reads in
    steps of { $step } %, { $time } a point.
rec-method-mixed-random-inside = 4 KiB, four independent threads of queue depth 1, 0 to 100 % reads
    in steps of { $step } %, inside { $region }, { $time } a point.
rec-method-degradation = 4 KiB random write over the whole drive at queue depth 32 for { $time },
    sampled every second.
rec-method-recovery = After { $time } of random write the drive rests for 15 minutes without TRIM
    and is written again; then everything is given TRIM, and a minute later it is written once
    more.
rec-method-fill = 1 MiB ascending, one thread, queue depth 1, from the beginning of the drive to
    its end; the speed against the position.
rec-method-response = A file of 32 GiB is written behind the 32 GiB that are read, and the drive
    rests; then 4 KiB are read at random at queue depth 1, and after { $time } the file is deleted,
    without TRIM and with it. Every request counts.
rec-method-cdm-3 = A file of 1000 MiB is written, then measured row by row: five passes of
    { $time } each, of which the fastest counts; 5 seconds of rest between. MB are decimal. A real
    drive gets fio's random buffers, where the program itself repeats one of 1 MiB.
rec-method-cdm-five = A file of 1 GiB is written, then measured all reads, then all writes: five
    passes of { $time } each, after one that does not count, of which the fastest counts; 5 seconds
    of rest between. MB are decimal. A real drive gets fio's random buffers, where the program
    itself repeats one of 1 MiB.
rec-method-cdm-three = A file of 1 GiB is written, then measured all reads, then all writes: three
    passes of { $time } each, after one that does not count, of which the fastest counts; 5 seconds
    of rest between. MB are decimal. A real drive gets fio's random buffers, where the program
    itself repeats one of 1 MiB.
rec-method-cdm-mix = A file of 1 GiB is written, then measured all reads, all writes, then a mix of
    70 % reads and 30 % writes: five passes of { $time } each, after one that does not count, of
    which the fastest counts; 5 seconds of rest between. MB are decimal. A real drive gets fio's
    random buffers, where the program itself repeats one of 1 MiB.
rec-method-traces = Ten synthesised traces of a desktop's programs with the totals that PCMark 8
    Storage publishes: not PCMark's own traces, which are not public, and no PCMark score. Each is
    replayed at its own times; its speed is the bytes over the time in which a request was
    outstanding.
rec-method-game = A synthesised trace of starting a game and loading a level, all of it assumed;
    waits of processor and memory are left out, so that there is always a next request, two at most
    outstanding. Its speed is the bytes over the time in which a request was outstanding.
rec-method-applications = A synthesised trace of starting a browser, a word processor, a photo
    editor and a video editor with their files, all of it assumed; waits left out, as of
    `game-start`.
rec-method-copy = Sets of files of 8 GiB each are copied within the drive, through a file system,
    until everything is durable: disc images, an installed software package, working files.
rec-method-archive = 8 GiB of working files are put into one archive (Deflate, fast; the data is
    incompressible, and the processor's time does not count), until everything is durable.
rec-method-unarchive = The archive of 8 GiB of working files is unpacked, until everything is
    durable; the processor's time does not count.
rec-method-ladder = 4 KiB random write over the whole drive at queue depth 32 for { $time }; then,
    each from the drive as that leaves it, a rest of 30 s, 1, 5, 10, 15 or 30 min, and { $again }
    of the same load. Once without TRIM, once with TRIM of the whole capacity before the rest.
rec-method-saturation = Purge; then 4 KiB random write in rounds of { $time } until four times the
    capacity is written, or for { $limit }.
rec-method-steady-iops = Purge; twice the capacity written in sequence, 128 KiB; then rounds of
    seven mixes of reads and writes in eight sizes, { $time } each, until the IOPS of 4 KiB random
    write are steady over five rounds, 25 rounds at most.
rec-method-steady-128 = As before, with rounds of sequential read and write of 128 KiB; the writes
    are tracked.
rec-method-steady-1m = As before, with rounds of sequential read and write of 1 MiB; the writes are
    tracked.
rec-method-steady-latency = As before, with rounds of three mixes in three sizes, random, queue
    depth 1; the mean latency of 4 KiB write is tracked.
rec-method-endurance = The whole capacity is overwritten in sequence, 128 KiB at queue depth 32,
    round after round, until the drive refuses a write or the write budget is used up; after each
    round the drive is asked for its health. Then one more write is tried, and the whole drive is
    read.
rec-method-durability = 4 KiB random write by one thread, { $time } each: without syncing, with
    O_DSYNC, with fsync after every 1, 4, 16 and 64 writes, with fdatasync after each.
rec-method-log = Sequential O_DSYNC writes of 4, 8 and 16 KiB by one thread inside 1 GiB, { $time }
    each: commits a second.
rec-method-log-beside = A log of 8 KiB O_DSYNC writes inside 1 GiB, alone and beside random writes
    of 16 KiB by four threads, with fsync after every 64 of each, { $time } each, in intervals of
    { $interval }.
rec-method-commits = 4 KiB random O_DSYNC writes by 1, 2, 4, 8 and 16 threads, { $time } each.
rec-method-read-write-steady = 8 KiB random requests by 16 threads, 70 % reads, writes with
    O_DSYNC, on the drive in steady state: { $time } in intervals of { $interval }.
rec-method-quick-mixed = 4 KiB anywhere in 16 GiB, 70 % reads, queue depth 8, { $time }.
rec-method-burst = 4 KiB random write inside 16 GiB at queue depth 32 for { $time }, sampled every
    second: how even the speed is.
rec-method-flush = 4 KiB random write inside 16 GiB by one thread, { $time } each: without syncing,
    with O_DSYNC, with fsync after each.

## Names of curves, rests, answers, sets and traces

rec-curve-fresh = fresh
rec-curve-after-idle = after idle
rec-curve-after-trim = after TRIM
rec-after-rest = after { $time }
rec-after-trim-and-rest = after TRIM and { $time }
rec-curve-burst = burst
rec-response-with-trim = with TRIM
rec-response-without-trim = without TRIM
rec-set-iso = iso
rec-set-program = program
rec-set-work = work
rec-trace-photoshop-light = Adobe Photoshop, light
rec-trace-photoshop-heavy = Adobe Photoshop, heavy
rec-trace-game-start = Starting a game and loading a level
rec-trace-applications-start = Starting a browser, a word processor, a photo editor and a video editor
    with their files
rec-limit-beginning-time = only a beginning: the first { $share } % of the trace, { $part } of
    { $whole } s

## Conditions: names

rec-condition-edition = edition
rec-condition-state = state `{ $of }`
rec-condition-trim-in-states = TRIM in states
rec-condition-region = region
rec-condition-write-budget = write budget
rec-condition-preparation = preparation
rec-condition-order = order
rec-condition-durations = durations
rec-condition-data = data
rec-condition-latency = latency
rec-condition-seed = seed
rec-condition-repetitions = repetitions
rec-condition-interrupted = interrupted
rec-condition-steady-state-of = steady state of `{ $of }`
rec-condition-clock = clock
rec-condition-host-limit = host limit
rec-condition-measured = measured
rec-condition-review = review
rec-condition-bytes-under-test = bytes under test
rec-condition-temperature-before-the-tests = temperature before the tests
rec-condition-highest-temperature-under-the-curves = highest temperature under the curves
rec-condition-edition-s-sha-256 = edition's SHA-256
rec-condition-commit-of-stend = commit of stend

## Conditions: values

rec-state-name-clean = clean
rec-state-name-filled = filled
rec-state-name-preconditioned = preconditioned
rec-state-name-purged = purged
rec-state-name-steady = steady
rec-state-name-as-it-is = as-it-is
rec-state-filled-once = filled once sequentially, given TRIM for its whole capacity, idle for 15
    minutes
rec-state-filled = clean, then filled sequentially once more, idle for 15 minutes
rec-state-filled-32 = clean, then its first 32 GiB filled sequentially, idle for 15 minutes
rec-state-quick = given TRIM for its whole capacity, then its first 16 GiB filled sequentially,
    idle for ten seconds
rec-state-database = given TRIM for its whole capacity, filled once sequentially, idle for a minute
rec-state-steady = filled, then written at random in 16 KiB until the speed is steady by SNIA's
    definition
rec-state-purged = given TRIM for its whole capacity
rec-state-preconditioned = purged, then written twice over its whole capacity in sequence
    (independent of the workload)
rec-state-as-is = as it was handed over
rec-value-no-trim = NONE: the target takes no TRIM. States that require it were made by their other
    steps alone, so that figures are not those of the edition
rec-value-no-preparation = none, by --read-only: nothing was written and no TRIM given, the state
    is what it was; the edition's states were not made, so that figures are not those of the
    edition. Where a drive knows that nothing was written, it answers reads without its flash
rec-value-region = where a test names a region, its requests stay within so many bytes from the
    beginning of the target: { $sizes }
rec-value-budget = { $size } ({ $bytes } bytes) at most are written by a test of endurance
rec-value-order-read-only = one drive: the points that only read, one after the other; between two
    tests it rests { $time } s
rec-value-order-copies = every point starts from its own copy of the drive in the named state, so
    that none follows on another
rec-value-order = one drive: the points of a test run one after the other; before a test, and
    before the first writes after reads, the drive is brought to the named state again, or rests
    { $time } s if only reads have touched it since
rec-value-durations = as the edition says
rec-value-shortened = shortened: every measurement × { $scale }, in whole seconds and at least 1 s,
    and of each trace the beginning; rests keep their length; what goes by bytes (filling, a pass
    over the range) is not changed
rec-value-stretched = stretched: every measurement × { $scale }, in whole seconds and at least 1 s,
    and of each trace the beginning; rests keep their length; what goes by bytes (filling, a pass
    over the range) is not changed
rec-value-data-random = random; every request is aligned to its own size
rec-value-data-held = what the target held; every request is aligned to its own size
rec-value-latency = completion latency, from handing the request to the device until its end is
    known
rec-value-repetitions = { $count } of every test, with the seeds { $seeds }; points and key figures
    are means, all else is of the first
rec-value-interrupted = the run was stopped after { $tests }, and went on with "{ $test }" on the
    drive, prepared again as at the beginning
rec-value-clock = virtual time of the simulation, integer nanoseconds
rec-value-incompressible = incompressible (the model does not look at data)
rec-steady-reached = reached after { $rounds } rounds of { $seconds } s of { $pattern } write, { $block }, queue
    depth { $depth } ({ $written } in all), at { $iops } IOPS: over the last { $window } rounds greatest
    less least is { $spread } % of the mean (at most { $spread_max } %), the rise of the line { $drift } %
    (at most { $drift_max } %)
rec-steady-not-reached = steady state not achieved in { $rounds } rounds of { $seconds } s of { $pattern }
    write, { $block }, queue depth { $depth } ({ $written } in all), at { $iops } IOPS: over the last
    { $window } rounds greatest less least is { $spread } % of the mean (at most { $spread_max } %), the
    rise of the line { $drift } % (at most { $drift_max } %)
rec-value-host-limit = { $limits } (fio's engine null, which moves no data: what kernel and driver
    take comes on top)
rec-value-edition-durations = the edition's
rec-value-scaled-durations = SHORTENED OR STRETCHED: × { $scale }
rec-value-whole = whole
rec-value-incomplete = INCOMPLETE
rec-value-simulated = simulated
rec-value-file = a file, by fio
rec-value-directory = a directory, by fio and files
rec-value-block-device = a block device, by fio
rec-value-none = none
rec-value-not-known = not known

## The place of measuring: names

rec-condition-kernel = kernel
rec-condition-processor = processor
rec-condition-processor-threads-usable = processor threads usable
rec-condition-frequency-governor = frequency governor
rec-condition-file = file
rec-condition-directory = directory
rec-condition-file-system = file system
rec-condition-file-system-in-use = file system in use
rec-condition-device = device
rec-condition-backing-file = backing file
rec-condition-device-size-bytes = device size (bytes)
rec-condition-link = link
rec-condition-slow-link = slow link
rec-condition-i-o-queues = I/O queues
rec-condition-scheduler = scheduler
rec-condition-rotational = rotational
rec-condition-kernel-s-write-cache-mode = kernel's write cache mode
rec-condition-logical-block-bytes = logical block (bytes)
rec-condition-physical-block-bytes = physical block (bytes)
rec-condition-trim-by-the-device = TRIM by the device
rec-condition-discard-granularity-bytes = discard granularity (bytes)
rec-condition-i-o-engine = I/O engine
rec-condition-access = access
rec-condition-in-use = in use

## The place of measuring: values

rec-place-value-governor = none (the frequency is not the kernel's to choose)
rec-place-value-filled = { $share } % of { $size }
rec-place-value-file-system = { $type } on { $device }, mounted at { $place }
rec-place-value-directory = { $path }, in a subdirectory of stend's own
rec-place-value-trim-passed = the file's space is freed in the file system, which passes TRIM on to
    the drive (mounted with discard)
rec-place-value-trim = supported, at most { $bytes } bytes at a time
rec-place-value-yes = yes
rec-place-value-no = no
rec-place-value-access = for reading alone, not exclusively: what others did meanwhile is in the
    figures
rec-place-value-no-device = not known: the file system does not stand on one block device

## Facts of the drive

rec-condition-model = model
rec-condition-serial-number = serial number
rec-condition-firmware = firmware
rec-condition-rated-life = rated life
rec-condition-release-year = release year
rec-condition-trim = TRIM
rec-condition-dram = DRAM
rec-condition-fio = fio
rec-condition-stend = stend
rec-condition-controller = controller
rec-condition-interface = interface
rec-condition-flash = flash
rec-condition-over-provisioning = over-provisioning
rec-condition-slc-cache = SLC cache
rec-condition-parity = parity
rec-condition-read-after-trim = read after TRIM
rec-condition-encryption = encryption
rec-condition-model-fingerprint = model fingerprint
rec-condition-differs-from = differs from { $of }
rec-condition-history-of-the-drive = history of the drive
rec-drive-demo-8gb = A small drive with the mechanisms of the SanDisk Ultra II 240 GB in miniature,
    for tests and first steps. It imitates no product.
rec-fact-value-flash = { $flash }: { $dies } dies on { $channels } channels, { $planes } planes,
    pages of { $kib } KiB
rec-flash-planar-tlc = planar TLC
rec-flash-intel-20-nm-mlc = Intel 20 nm MLC
rec-flash-intel-20-nm-mlc-128-and-64-gbit = Intel 20 nm MLC, 128 and 64 Gbit
rec-flash-intel-and-micron-32-layer-3d-mlc-floating-gate-256-gbit = Intel and Micron 32-layer 3D
    MLC, floating gate, 256 Gbit
rec-flash-intel-and-micron-32-layer-3d-tlc-floating-gate-384-gbit = Intel and Micron 32-layer 3D
    TLC, floating gate, 384 Gbit
rec-flash-intel-and-micron-64-layer-3d-tlc-floating-gate-256-gbit = Intel and Micron 64-layer 3D
    TLC, floating gate, 256 Gbit
rec-flash-micron-16-nm-mlc-128-gbit = Micron 16 nm MLC, 128 Gbit
rec-flash-micron-20-nm-mlc-64-gbit = Micron 20 nm MLC, 64 Gbit
rec-flash-sk-hynix-16-nm-tlc-128-gbit = SK Hynix 16 nm TLC, 128 Gbit
rec-flash-samsung-19-nm-tlc-128-gbit = Samsung 19 nm TLC, 128 Gbit
rec-flash-samsung-32-layer-v-nand-mlc-128-gbit = Samsung 32-layer V-NAND MLC, 128 Gbit
rec-flash-samsung-32-layer-v-nand-mlc-86-gbit = Samsung 32-layer V-NAND MLC, 86 Gbit
rec-flash-samsung-32-layer-v-nand-tlc-128-gbit = Samsung 32-layer V-NAND TLC, 128 Gbit
rec-flash-samsung-64-layer-v-nand-tlc-256-gbit = Samsung 64-layer V-NAND TLC, 256 Gbit
rec-flash-samsung-mlc-of-the-16-nm-class-64-gbit = Samsung MLC of the 16 nm class, 64 Gbit
rec-flash-sandisk-15-nm-tlc-128-gbit = SanDisk 15 nm TLC, 128 Gbit
rec-flash-sandisk-19-nm-second-generation-tlc-128-gbit = SanDisk 19 nm (second generation) TLC, 128
    Gbit
rec-flash-sandisk-bics3-64-layer-tlc-256-gbit = SanDisk BiCS3 64-layer TLC, 256 Gbit
rec-flash-sandisk-and-toshiba-19-nm-mlc-first-generation-64-gbit = SanDisk and Toshiba 19 nm MLC,
    first generation, 64 Gbit
rec-flash-sandisk-and-toshiba-19-nm-mlc-second-generation-64-gbit = SanDisk and Toshiba 19 nm MLC,
    second generation, 64 Gbit
rec-fact-value-over-provisioning = { $share } % of the user's capacity in the data area
rec-fact-value-rated-life = { $tb } TB written
rec-fact-value-rated-life-years = { $tb } TB written; warranty { $years ->
    [1] of 1 year
   *[other] of { $years } years
}
rec-fact-value-parity = one page for every { $pages } of data
rec-fact-value-fingerprint = { $hash } (FNV-1a of the model)
rec-change-value = { $name } = { $value }
rec-change-with = with { $name }
rec-change-without = without { $name }
rec-change-of-shipped = { $change } (shipped: { $shipped })
rec-fact-value-cache-on-chip = { $cache }; every write enters it, on-chip copy folds it
rec-fact-value-cache-controller = { $cache }; every write enters it, the controller folds it
rec-fact-value-cache-room-on-chip = { $cache }; every write enters it while there is room, on-chip
    copy folds it
rec-fact-value-cache-room-controller = { $cache }; every write enters it while there is room, the
    controller folds it
rec-fact-value-cache-below-on-chip = { $cache }; writes below { $kib } KiB enter it, on-chip copy
    folds it
rec-fact-value-cache-below-controller = { $cache }; writes below { $kib } KiB enter it, the
    controller folds it
rec-fact-value-cache-below-room-on-chip = { $cache }; writes below { $kib } KiB enter it while
    there is room, on-chip copy folds it
rec-fact-value-cache-below-room-controller = { $cache }; writes below { $kib } KiB enter it while
    there is room, the controller folds it
rec-fact-value-cache-both = static, { $gb } GB with parity, in every die, and dynamic, up to
    { $most } GB with parity, in the data area
rec-fact-value-cache-static = static, { $gb } GB with parity, in every die
rec-fact-value-cache-dynamic = dynamic, up to { $most } GB with parity, in the data area
rec-fact-value-trim-none = accepted and forgotten
rec-fact-value-trim-once = frees at once
rec-fact-value-trim-later = noted at once, freed later
rec-fact-value-trim-data = frees the data area at once, the SLC cache when it is folded
rec-fact-value-trim-data-later = noted at once; frees the data area later, the SLC cache when it is
    folded
rec-fact-value-trim-alone = { $what }; not queued: it waits for all other commands, and they for it

## What shipped models are

rec-drive-adata-sp550-240gb = 16 nm TLC of SK Hynix behind a four-channel Silicon Motion controller;
    a static SLC cache that all data passes.
rec-drive-adata-su900-512gb = 32-layer 3D MLC behind a four-channel Silicon Motion controller; a
    dynamic SLC cache.
rec-drive-crucial-bx100-250gb = 16 nm MLC behind a four-channel Silicon Motion controller; no SLC
    cache.
rec-drive-crucial-m550-256gb = 20 nm MLC in small dies behind an eight-channel Marvell controller;
    no SLC cache; RAIN.
rec-drive-crucial-mx100-256gb = 16 nm MLC behind an eight-channel Marvell controller; no SLC cache;
    RAIN.
rec-drive-crucial-mx100-512gb = { rec-drive-crucial-mx100-256gb }
rec-drive-crucial-mx200-250gb = 16 nm MLC behind an eight-channel Marvell controller; any free block
    may be written as SLC (Dynamic Write Acceleration); RAIN.
rec-drive-crucial-mx500-500gb = 64-layer 3D TLC behind a four-channel Silicon Motion controller with
    Crucial's firmware; a dynamic SLC cache; RAIN.
rec-drive-intel-ssd-545s-512gb = 64-layer 3D TLC behind a four-channel Silicon Motion controller; a
    dynamic SLC cache.
rec-drive-intel-ssd-730-480gb = 20 nm MLC behind an eight-channel controller for data centers at a
    higher clock; no SLC cache; parity over the dies; capacitors.
rec-drive-intel-ssd-750-400gb = 20 nm MLC behind an eighteen-channel NVMe controller for data
    centers; no SLC cache; parity over the dies; capacitors.
rec-drive-kingston-hyperx-predator-240gb = 19 nm MLC behind an eight-channel Marvell controller on
    PCIe 2.0 with AHCI; no SLC cache.
rec-drive-kingston-hyperx-predator-480gb = { rec-drive-kingston-hyperx-predator-240gb }
rec-drive-kingston-hyperx-savage-240gb = 19 nm MLC behind an eight-channel Phison S10 controller; no
    SLC cache.
rec-drive-plextor-m6-pro-512gb = 19 nm MLC behind an eight-channel Marvell controller; no SLC cache.
rec-drive-plextor-m6e-256gb = 19 nm MLC behind an eight-channel Marvell controller on PCIe 2.0 x2
    with AHCI; no SLC cache.
rec-drive-samsung-840-evo-250gb = Planar TLC behind an eight-channel, three-core Samsung MEX
    controller; a static SLC cache (TurboWrite).
rec-drive-samsung-840-evo-500gb = { rec-drive-samsung-840-evo-250gb }
rec-drive-samsung-850-evo-250gb = 32-layer TLC V-NAND behind a two-core Samsung MGX controller; a
    static SLC cache (TurboWrite).
rec-drive-samsung-850-evo-500gb = { rec-drive-samsung-850-evo-250gb }
rec-drive-samsung-850-pro-256gb = 32-layer MLC V-NAND behind an eight-channel, three-core Samsung
    MEX controller; no SLC cache.
rec-drive-samsung-850-pro-512gb = { rec-drive-samsung-850-pro-256gb }
rec-drive-samsung-860-evo-500gb = 64-layer TLC V-NAND behind a Samsung MJX controller; an SLC cache
    that is partly static, partly dynamic (Intelligent TurboWrite).
rec-drive-samsung-pm863-480gb = 32-layer TLC V-NAND behind an eight-channel Samsung Mercury
    controller, for data centers: capacitors, no SLC cache.
rec-drive-samsung-sm863-480gb = 32-layer MLC V-NAND behind an eight-channel Samsung Mercury
    controller, for data centers: capacitors, no SLC cache.
rec-drive-samsung-sm951-ahci-256gb = MLC of the 16 nm class behind an eight-channel Samsung UBX
    controller on PCIe 3.0 with AHCI; no SLC cache.
rec-drive-samsung-sm951-ahci-512gb = { rec-drive-samsung-sm951-ahci-256gb }
rec-drive-sandisk-extreme-pro-240gb = Planar MLC behind an eight-channel Marvell controller; short
    writes enter an SLC cache (nCache Pro).
rec-drive-sandisk-ultra-3d-500gb = 64-layer BiCS3 TLC behind a four-channel Marvell controller; all
    writes pass a tiered SLC cache and are folded to TLC by on-chip copy.
rec-drive-wd-blue-3d-500gb = { rec-drive-sandisk-ultra-3d-500gb }
rec-drive-sandisk-ultra-ii-240gb = Planar TLC behind a four-channel Marvell controller; every write
    passes a static SLC cache in each die (nCache 2.0) and is folded to TLC by on-chip copy.
rec-drive-sandisk-ultra-ii-480gb = Planar TLC behind an eight-channel Marvell controller; every
    write passes a static SLC cache in each die (nCache 2.0) and is folded to TLC by on-chip copy.
rec-drive-sandisk-ultra-plus-256gb = Planar MLC behind a four-channel Marvell controller with little
    DRAM; short writes enter a small SLC cache (nCache).
rec-drive-toshiba-q300-240gb = 19 nm TLC behind Toshiba's own controller; a static SLC cache that
    all data passes.
rec-drive-toshiba-q300-pro-256gb = 19 nm MLC behind a four-channel controller without DRAM of its
    own; any free block may be written as SLC, so that half the capacity can be.
rec-drive-transcend-ssd230-512gb = 32-layer 3D TLC behind a four-channel Silicon Motion controller;
    a dynamic SLC cache over the whole array.
rec-drive-wd-blue-2016-500gb = 15 nm TLC behind a four-channel Marvell controller; a static SLC
    cache, and TLC directly when it is full.

## Warnings

rec-warning-short = { $time } × { $scale } is less than the shortest run: measured for 1 s; choose
    a larger duration scale for meaningful figures
rec-warning-scaled = SCALED: the target holds { $size } (10⁹ bytes), too little for { $set } twice:
    sets of { $scaled }
rec-warning-response = the target holds { $size } (10⁹ bytes), not a region of { $region } and a
    file of { $file }: reads in { $reads }, a file of { $less }
rec-warning-rounds = { $rounds } rounds have written { $written } of the { $wanted } (10⁹ bytes)
    that were requested: the most rounds were reached first
rec-warning-still-fast = after some rests the load was still fast at its end: the drive recovered
    at least what was written; a longer `measure_s` shows how much
rec-warning-steady-early = state `{ $state }` is steady by the definition, for which { $written }
    were written, less than the capacity: the drive may become slower still
rec-warning-repeats = of { $rounds } rounds { $repeated } were not simulated: they were taken to be
    like the round before, and wear the same; on small drives that moved the end by less than 2 %
rec-warning-not-worn = not worn out within the budget: { $written } written of { $allowed }
    allowed, and the target took every write; its endurance is not known
rec-warning-broken-off = interrupted and continued: up to { $bytes } more were written than the
    rounds show; they count against the budget
rec-warning-host = { $what } that this machine does without any drive (fio's engine null,
    { $threads }): this is the host's limit, not the drive's; measure on a faster or less busy
    machine
rec-why-written = { $write } written, and only { $read } read
rec-not-measured = not measured: { $why }

## Parts of the names of jobs, and of lists

rec-piece-random-read = random read
rec-piece-random-write = random write
rec-piece-sequential-read = sequential read
rec-piece-sequential-write = sequential write
rec-piece-random-share = random { $share } % reads
rec-piece-sequential-share = sequential { $share } % reads
rec-piece-beside = beside it { $load }
rec-piece-depth = queue depth { $depth }
rec-piece-region = in { $region }
rec-piece-threads = { $threads ->
    [1] 1 thread
   *[other] { $threads } threads
}
rec-piece-pass = pass { $pass } of { $passes }
rec-piece-discarded = discarded pass
rec-piece-round = round { $round }
rec-piece-not-synced = not synced
rec-piece-every-write = { $sync } after every write
rec-piece-every = { $sync } after every { $writes } writes
rec-piece-copy = copy of `{ $set }`
rec-piece-archive = archive of `{ $set }`
rec-piece-unarchive = unarchive of `{ $set }`
rec-piece-reading-all = reading all of it
rec-figure-years = { $count } years
rec-figure-days = { $count } days
rec-piece-too-large = { $size } (more than the target holds)
rec-piece-one-test = 1 test
rec-piece-tests = { $tests } tests
rec-piece-samples = { $count } of { $all } samples

## Groups of probes of an identification

rec-probe-unwritten = reads of space that was never written
rec-probe-new-data = reads of what has just been written
rec-probe-mixed = reads and writes at once
rec-probe-burst = the first writes after a rest
rec-probe-map = reads by place while a part of the drive is written
rec-probe-emptying = writing after a rest
rec-probe-fill = writing the whole drive
rec-probe-closer = reads by place at the end of the cache
rec-probe-settled = reads after a rest
rec-probe-scaling = reads at growing depth and in growing spans
rec-probe-pairs = pairs of reads
rec-probe-long-reads = reads for minutes
rec-probe-durable = flushes and short writes
rec-probe-trim-time = TRIM of a part
rec-probe-full = writing the full drive
rec-probe-random = random writes
rec-probe-after = rests and TRIM after random writes

## Limits of figures, and values
rec-warning-unwritten = { $count } of { $reads } reads are of space that was never written: the
    drive finds nothing to read there, and answers faster than it reads data; fill it first
rec-warning-late = { $late } of { $all } requests were issued more than { $limit } ms after their
    time, the latest { $ms } ms: the target did not get the load of the trace, but one that is
    spread over more time
rec-limit-no-trim = the drive's model has no TRIM (trim.enabled): TRIM requests changed nothing
    ({ $trims })
rec-fact-value-history = { $hash } (hash of all that happened)
rec-value-not-reported = not reported
rec-place-value-no-punching = not supported: the file system cannot free a file's space in place
rec-place-value-trim-not-tried = not tried: the file is only read
rec-place-value-trim-not-passed = the file's space is freed in the file system, which does not pass
    TRIM on to the drive at once (not mounted with discard)
rec-place-value-no-trim = not supported (discard_max_bytes is 0)
rec-place-value-trim-not-known = not known (sysfs has no discard_max_bytes)
rec-place-value-libaio = libaio, direct=1 (io_uring does not work here)
rec-place-value-psync = psync, direct=1 (neither io_uring nor libaio works here: every queue depth
    is 1)
rec-limit-whole-ms = fio's log has the ends of requests in whole ms: when requests were issued, and
    so busy time and lateness, is estimated, to about 1 ms a busy period
rec-limit-trims = { $count } TRIMs were left out: fio 3.33 cannot replay them
rec-limit-fua = { $count } writes were sent without FUA: fio's iolog cannot say it
rec-limit-flushes = { $count } flushes were sent; fio logs no latency of them, and they are not in
    busy time
rec-limit-missing = { $count } requests are in no figure: fio ended before it had seen their
    completion
rec-limit-widened = { $count } requests were widened to whole sectors of the target, which takes no
    parts of one
rec-limit-depth = psync: at most 1 request was outstanding
rec-limit-inodes = directories and inodes may have been in the machine's memory: only root can drop
    them
rec-limit-deflate = of { $whole }, { $deflate } of Deflate were taken out; the drive may have worked
    meanwhile, so that the speed is an upper bound
rec-slow-link-drive = { $now }, and the drive could do { $better }
rec-slow-link-faster-port = { $now }, and the drive could do { $better } at a faster port
rec-slow-link-port = { $now }, and the port could do { $better }
rec-named = { $name }: { $what }
rec-warning-cache = { $why }: the host's cache, or a part of the file that was never written, has
    answered in place of the drive; these are no figures of a drive. Measure the block device
    itself, or a file several times as large as the host's memory
rec-warning-fault = a request waited { $time } for an answer: the drive, its link or its cable may be out
    of order, and the figures of this test describe that. Look at the kernel's log and the drive's
    health, and measure again
rec-warning-fault-simulated = a request waited { $time } for an answer: the figures of this test describe
    that, and no speed
rec-warning-silence = the target completed no request for { $time }: the drive, its link or its cable
    may be out of order, and the figures include this time. Look at the kernel's log and the drive's
    health, and measure again
rec-warning-silences = the target completed no request { $times } times, for up to { $time }: the drive,
    its link or its cable may be out of order, and the figures include these times. Look at the
    kernel's log and the drive's health, and measure again
rec-warning-quick = a read in { $time }, and no drive answers one within { $least }: the host's cache, or a
    loop device without direct I/O, has answered in place of the drive
rec-warning-link = { $speed }, more than the drive's link carries ({ $link }: at most { $most }):
    something else, such as a cache of the host or of a controller, has answered in place of the
    drive
rec-why-random = { $speed }, more than in sequence with as many bytes outstanding ({ $load }:
    { $best })
rec-needs-file = it writes its file first
rec-needs-written-drive = it continues on a written drive, and issues TRIM
rec-needs-trim = it measures recovery by TRIM
rec-needs-writes = it writes
rec-needs-trim-and-rests = it measures recovery by rests after TRIM
rec-needs-files = it makes files
rec-needs-traces = its traces write
rec-needs-deletion = it writes a file and gives its space TRIM
rec-needs-trim-of-file = it measures reads while a file's space is given TRIM
rec-needs-writing-points = every point of it writes or mixes
rec-warning-state-without-trim = it starts from a state that was made without TRIM, which the target
    does not take: to the drive, everything that was ever written to it is data
rec-warning-left-out-read-only = left out: { $what }, and the target was opened with --read-only
rec-warning-left-out-no-trim = left out: { $what }, and the target takes no TRIM
rec-warning-not-saved = what is finished could not be saved: { $problem }
rec-warning-state-not-steady = state `{ $state }` was to be steady and is not: { $how }
rec-warning-region = the region of { $region } is more than the target holds: its whole capacity of
    { $size } ({ $unit } bytes) was used
rec-warning-early-end-bytes = the curve `{ $curve }` has samples for { $written } of { $range }
    bytes: the target's log ends early; the rest is missing
rec-warning-early-end = the curve `{ $curve }` has samples for { $end } of { $planned }: the
    target's log ends early; figures of its end are of that instant
rec-warning-ended = { $name }: ended after { $ended } of { $planned }, { $why }
rec-ended-settled = for its speed had settled: { $rounds } rounds of { $seconds } s within
    { $spread } % of each other, drifting by at most { $drift } %
rec-ended-start = for only its start is looked at
rec-ended-with-room = { $settled }, with room in the drive for the rest before it has to move data
rec-ended-fallen = for it had fallen back towards the first curve's end of { $iops } IOPS, or never
    rose above it
rec-host-limit = { $kib } KiB, queue depth { $depth } × { $threads }: { $iops } IOPS, { $speed }
    MB/s
rec-host-limit-busy = { $limit }, { $share } % of all processors' time taken
rec-near-iops = { $iops } IOPS are near the { $limit }
rec-near-speed = { $speed } MB/s are near the { $limit }
rec-state-until-steady = `{ $state }`, then random writes of { $block } at queue depth 32 in rounds
    of { $time } until their speed is steady, { $rounds } rounds at most
rec-warning-no-health = the target's health during the test is not known: { $why }
rec-warning-afterwards = whether the target can still be written and read is not known: { $error }
rec-piece-written = { $bytes } written
rec-piece-written-so-far = { $bytes } written so far
rec-warning-no-file-system = not measured: work on files needs a file system, and the target is a
    file or a device; to measure it, make a file system on the drive, mount it, and review a
    directory on it: stend review DIR --size SIZE
rec-warning-one-target = one target: before each further rest the load made it slow again, so the
    rests start from similar slow states, not from the same one
rec-warning-part = only a part of this test: { $there } of its { $all } points were requested; what
    follows from the whole test does not follow from them
rec-warning-left-out-point = one point of this test that writes is left out: the target was opened
    with --read-only
rec-warning-below-sector = left out: requests of { $block } bytes are not multiples of the target's
    sectors of { $sector } bytes, which the target rejects
rec-warning-below-sector-point = one point of this test is left out: its block size is not a multiple
    of the target's sectors of { $sector } bytes, which the target rejects
rec-warning-below-sector-points = { $points } points of this test are left out: their block sizes are
    not multiples of the target's sectors of { $sector } bytes, which the target rejects
rec-warning-left-out-points = { $points } points of this test that write or mix are left out: the
    target was opened with --read-only
rec-piece-rounds = { $rounds } rounds
rec-warning-not-steady = steady state not achieved in { $rounds } rounds (the definition allows
    { $allowed }): figures are of the last { $window } rounds, and are not those of a steady state
rec-warning-halves = the region of { $region } is more than half of the target: the writes and those
    beside them have a half of it each
rec-warning-moved = { $moved } of { $all } requests were moved or widened to fit the target of
    { $size } (10⁹ bytes)
rec-limit-synthesised = synthesised desktop trace, seed { $seed }: totals { $totals }, structure
    { $structure }
rec-totals-published = published
rec-totals-assumed = assumed
rec-structure-public-totals = assumed: the original trace is not public; sizes, order, places,
    bursts and pauses are chosen by what programs of this kind do
rec-structure-assumed = assumed: mostly small reads at a low depth; waits of processor and memory
    left out, so that requests are replayed one after the other
rec-limit-original-times = replayed at original times: fio cannot leave idle time out; busy time
    does not count it
rec-limit-beginning = only a beginning: the first { $share } % of the trace, { $part } of { $whole }
    requests
rec-figure = { $figure }
rec-controller-demonstration = demonstration
rec-condition-version = version
rec-condition-price = price
