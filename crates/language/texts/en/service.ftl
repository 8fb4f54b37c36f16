# Findings of durable writes and of endurance, the drive's health, loads that differ, steady states.

## Durable writes

sync-durability = { $sync ->
    [none] not synced
    [dsync] O_DSYNC
    [fsync] fsync
   *[fdatasync] fdatasync
}
sync-durability-every = { $every ->
    [1] { sync-durability } after every write
   *[other] { sync-durability } after every { $every } writes
}
sync-stream = { $threads ->
    [1] { private-pattern-op-share }, { $block }, { $durability }
   *[other] { private-pattern-op-share }, { $block }, { $threads } threads, { $durability }
}
sync-beside-words = { $stream }; beside it { $other }
sync-line = { $stream }: { $writes } writes/s
sync-line-beside = beside it { $stream }: { $writes } writes/s
sync-line-flushes = { $flushes } flushes/s
sync-line-latency = { $of ->
    [read] read mean { $mean }, 99.9 % { $tail }, max { $max } µs
    [write] write mean { $mean }, 99.9 % { $tail }, max { $max } µs
   *[flush] flush mean { $mean }, 99.9 % { $tail }, max { $max } µs
}
sync-commits = { $stream }: { $mixed ->
    [yes] { $reads } reads and { $commits } commits a second
   *[no] { $commits } commits a second
}, { $mean } on average, { $tail ->
    [yes] { $percent } % within { $within }, the slowest { $slowest }
   *[no] the slowest { $slowest }
}.
sync-commits-of-size = { $commits } of { $size }
sync-sizes = It commits { $sizes } a second.
private-few-threads = { $few ->
    [1] one
   *[other] { $few }
}
sync-threads-gain = { $many } threads commit { $times } as often as { private-few-threads }
    ({ $many_commits } and { $few_commits } commits a second).
sync-threads-level = { $many } threads commit as often as { private-few-threads } ({ $many_commits } and
    { $few_commits } commits a second): they gain nothing.
sync-threads-lose = { $many } threads commit at { $share } of the rate of { private-few-threads }
    ({ $many_commits } and { $few_commits } commits a second).
sync-intervals = With { sync-durability } after every { $to } writes { $times } as many become durable as
    with one after { $from ->
        [1] each
       *[other] every { $from }
    } ({ $rare } and { $often } writes a second).
sync-beside = Beside { $other } ({ $other_writes } a second) it keeps { $share } of its commits ({ $beside }
    of { $alone } a second).
sync-beside-tails = Beside { $other } ({ $other_writes } a second) it keeps { $share } of its commits
    ({ $beside } of { $alone } a second), and { $percent } % of them end within { $slow }, not { $fast }.
private-requests = { $of ->
    [reads] reads
    [writes] writes
   *[commits] commits
}
sync-tail-within = 99.9 % of the { private-requests } end within { $least } to { $most }, the slowest took
    { $slowest }
sync-tail-slowest = the slowest of the { private-requests } took { $slowest }
sync-over-time = { $beside ->
    [yes] Beside the others, over time ({ $count } intervals of { $time }), { $tails }.
   *[no] Over time ({ $count } intervals of { $time }), { $tails }.
}
sync-cost-same = With O_DSYNC a write takes as long as one that is not synced ({ $dsync } and { $plain })
sync-cost = With O_DSYNC a write takes { $times } as long as one that is not synced ({ $dsync } and
    { $plain })
sync-cost-alone = { $cost }.
sync-protected = { $cost }: the drive behaves as one with power-loss protection, or ignores the
    request, which only a power cut shows.
sync-unprotected = { $cost }: the drive behaves as one without power-loss protection, where a durable
    write waits for flash.

## Endurance

endurance-line = { $end ->
    [refused] refused a write
    [budget] NOT worn out within the budget
   *[unfinished] not at its end yet
} after { $written } in { $rounds ->
    [1] 1 round
   *[other] { $rounds } rounds
}
endurance-line-rated = { $end ->
    [refused] refused a write
    [budget] NOT worn out within the budget
   *[unfinished] not at its end yet
} after { $written } in { $rounds ->
    [1] 1 round
   *[other] { $rounds } rounds
}, { $rated_number } times the rated { $rated }
private-years = { $years ->
    [1] 1 year
   *[other] { $years } years
}
endurance-warranty = Over a warranty of { private-years } that is { $dwpd } drive writes a day (DWPD).
endurance-warranty-rated = Over a warranty of { private-years } that is { $dwpd } drive writes a day
    (DWPD); its rating is { $rating }.
endurance-much = { $count ->
    [1] { $written }, as much as its capacity
   *[other] { $written }, { $number } times its capacity
}
endurance-much-rated = { $count ->
    [1] { $written }, as much as its capacity and { $rated_number } times what it is rated for
        ({ $rated })
   *[other] { $written }, { $number } times its capacity and { $rated_number } times what it is rated for
        ({ $rated })
}
endurance-end = { $end ->
    [refused] It refuses writes after { $much }.
    [budget] It is not worn out within the budget: after { $much }, it takes writes as before.
   *[unfinished] It is not at its end yet, after { $much }.
}
endurance-speed = The first round goes at { $first }, the last whole one at { $last }, the slowest at
    { $slowest }.
endurance-latency = 99.9 % of the writes take at most { $first } in the first round, { $last } in the last
    whole one; the slowest of all takes { $slowest }.
endurance-used = { $used } % of its rated life are used
endurance-spare = { $spare } % of its spare blocks are left
endurance-erased = its blocks were erased { $mean } times on average
endurance-erased-most = its blocks were erased { $mean } times on average and { $most } at most
endurance-retired = { $count ->
    [1] { $retired } block was taken out of use
   *[other] { $retired } blocks were taken out of use
}
endurance-health = By its own account, { $clauses }
endurance-life-over = ; its rated life was over after { $bytes }
endurance-spare-low = ; its spare blocks fell below the threshold after { $bytes }
endurance-left-share = by the share used, { $left }
endurance-left-rating = by the rated bytes, { $left }
endurance-left = Of its rated life are left: { $left }.
endurance-rate = at the rate of before the test
endurance-amplification = Write amplification is { $least }.
endurance-amplification-range = Write amplification is { $least } to { $most }, by round.
endurance-read-retries = { $count ->
    [1] { $number } read retry
   *[other] { $number } read retries
}
endurance-rebuilt = { $count ->
    [1] { $number } page rebuilt from parity
   *[other] { $number } pages rebuilt from parity
}
endurance-lost = { $count ->
    [1] one time that data was lost
   *[other] { $number } times that data was lost
}
endurance-reading = Reading it took { $what }.
endurance-all-readable = all of it can be read
endurance-some-readable = { $failed ->
    [1] { $read } of { $asked } can be read, and one read fails
   *[other] { $read } of { $asked } can be read, and { $failed } reads fail
}
endurance-afterwards = { $write ->
    [refused] Afterwards one more write is refused as well, and { $reads }.
    [taken] Afterwards it takes a write again, and { $reads }.
   *[untried] Afterwards { $reads }.
}
figure-written-until = Written until it refuses

## What is left of a rated life

left-at-least = at least { $least }
left-about-least = { $about } (at least { $least })
left-about-range = { $about } ({ $least } to { $most })
left-years = { $rate } { $years } years with power
left-nothing = nothing

## The drive's SMART data

smart-complaint-failing = the drive says that it is failing
smart-complaint-threshold = attributes are at their failure threshold
smart-complaint-past = attributes have been at their threshold in the past
smart-complaint-errors = the error log holds errors
smart-complaint-self-test = the self-test log holds errors
smart-warning-spare = spare blocks below their threshold
smart-warning-temperature = temperature beyond a threshold
smart-warning-reliability = reliability degraded by errors
smart-warning-read-only = read-only
smart-warning-backup = backup of volatile memory failed
smart-warning-memory = persistent memory read-only
smart-host-written = Written by hosts
smart-flash-written = Written in flash
smart-temperature = Temperature, °C
smart-fell = fell
smart-used = Rated life used, %
smart-used-up = the rated life is used up
smart-spare = Spare blocks left, %
smart-spare-low = below the drive's threshold of { $least } %
smart-cycles = Erase cycles, mean
smart-retired = Blocks taken out of use
smart-retired-alarm = blocks were taken out of use during the tests
smart-unreadable = Data that could not be read, times
smart-unreadable-alarm = data could not be read during the tests
smart-crc = Errors on the link (CRC)
smart-crc-alarm = the link to the drive had errors during the tests: check cable and connector
smart-log-entries = Entries of the error log
smart-warning-minutes = Minutes at the warning temperature
smart-warning-minutes-alarm = the drive was at its warning temperature during the tests
smart-critical-minutes = Minutes at the critical temperature
smart-critical-minutes-alarm = the drive was at its critical temperature during the tests
smart-passed = passed
smart-failed = FAILED
smart-verdict = The drive's own verdict
smart-verdict-alarm = the drive calls itself failing
smart-critical-warnings = Critical warnings
smart-complaints = smartctl's complaints
smart-none = none
smart-attribute-low = at or below its threshold of { $threshold }
smart-alarm = { $what }: { $alarm }.
smart-alarm-mark = ALARM
smart-caption = SMART data of the drive, before the first test and after the last
smart-head-figure = Figure
smart-head-before = Before
smart-head-after = After
smart-head-change = Change

## A load with several figures

unlike-cause-state = the tests start from different states
unlike-cause-duration = they were measured for different times
unlike-cause-order = each found the target as the measurements before it had left it
unlike-cause-host = on a file, the host's cache and the file system may have answered in place of the
    drive
unlike-figure = { $speed } IOPS in "{ $test }"
unlike-nothing = nothing is known that differs
unlike-load = { $load }: { $figures } ({ $why }).

## Repetitions

repeated-same = the same in all { $count } repetitions: with other seeds, too, nothing of this depends
    on chance, and the 95 % interval has no width
repeated-means = means of { $count } repetitions, 95 % intervals: { $figures }
