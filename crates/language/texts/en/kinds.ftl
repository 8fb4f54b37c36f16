# Findings of each kind of test: sentences, lines of a terminal, names of key figures.

## Curves

curve-line = { $name }: { $samples ->
    [1] 1 sample
   *[other] { $samples } samples
}, { $gb } GB written
curve-stretches = { $op ->
    [read] It reads { $stretches }.
    [write] It writes { $stretches }.
   *[mixed] It works { $stretches }.
}
curve-stretch = { $how } { $until }
curve-at = at { $speed }
curve-falling = { $nth ->
    [1] falling from { $from } to { $to }
   *[other] then falling from { $from } to { $to }
}
curve-rising = { $nth ->
    [1] rising from { $from } to { $to }
   *[other] then rising from { $from } to { $to }
}
curve-until-whole = from beginning to end
curve-until-end = to the end
curve-until-time = for { $time }
curve-until-first = until { $bytes } are written ({ $time })
curve-until-bytes = until { $bytes } ({ $time })
curve-by-length = It passes through { $count } stretches: { $stretches }.
curve-stretch-level = { $time } at { $speed }
curve-stretch-slope = { $time } from { $from } to { $to }
curve-stretches-others = { $count ->
    [1] another
   *[other] { $count } others
}
curve-stalls = It stands still for { $total }, up to { $longest } at a time; the slowest request waits
    { $slowest }.
curve-stalls-seconds = It stands still for { $total }, up to { $longest } at a time.
curve-stalls-request = The slowest request waits { $slowest }.
private-curve-ends = starts at { $start } and ends at { $end }, { $share } of that
private-curve-after = { $count ->
    [1] as much as its capacity
   *[other] { $number } times its capacity
}
curve-holds = It holds its speed: it { private-curve-ends }.
curve-holds-after = It holds its speed: it { private-curve-ends }, after { private-curve-after }.
curve-ends = It { private-curve-ends }.
curve-ends-after = It { private-curve-ends }, after { private-curve-after }.
curve-few-samples = { $op ->
    [read] It reads at { $mean } on average
    [write] It writes at { $mean } on average
   *[mixed] It works at { $mean } on average
}; { $count ->
    [1] one sample is too few to tell more.
   *[other] { $count } samples are too few to tell more.
}
private-curve-scatter = { $scatter ->
    [hardly] From sample to sample it hardly scatters: in
    [little] From sample to sample it scatters a little: in
    [some] From sample to sample it scatters: in
    [wide] From sample to sample it swings widely: in
   *[stalls] In
}
curve-even = In its longest stretch nine tenths of the samples are alike.
curve-evenness = { private-curve-scatter } its longest stretch nine tenths of the samples lie between
    { $low } and { $high }.
curve-evenness-slope = { private-curve-scatter } its longest stretch nine tenths of the samples lie
    between { $low } and { $high } of their moving mean.
curve-never-falls = { $name } it starts at { $start } and does not fall while { $bytes } are written.
curve-writes-fast = { $name } it starts at { $start } and writes { $bytes } before it falls.
curve-starts = { $name } it starts at { $start }.
curve-back-nothing = { $name } nothing comes back: it goes on at { $start }, where it had ended.
curve-back-whole = { $fell ->
    [yes] { $name } it is as fresh: it starts at { $start } and writes { $bytes } before it falls.
   *[no] { $name } it is as fresh: it starts at { $start } and writes { $bytes } without falling.
}
private-bytes-until = { $fell ->
    [yes] { $bytes } before it falls
   *[no] { $bytes } without falling
}
curve-back-volume = { $more ->
    [yes] { $name } it writes more ({ private-bytes-until }), but starts at { $start }, { $share } of
        the fresh speed.
   *[no] { $name } it writes as much ({ private-bytes-until }), but starts at { $start }, { $share } of
        the fresh speed.
}
curve-back-speed = { $name } it starts as fast ({ $start }), but falls after { $bytes }, { $volume } of
    the fresh volume.
curve-back-neither = { $name } it starts at { $start }, { $share } of the fresh speed, and falls after
    { $bytes }, { $volume } of the fresh volume.
figure-start = Start
figure-end = End
figure-mean = Mean
figure-start-of = { $name }: start
figure-fast-writes = { $name }: fast writes

## Points

points-line = { $op } { $kib } KiB, depth { $depth } × { $threads }, { $share } % reads: { $iops } IOPS
    { $mb_per_s } MB/s, p99 { $us } µs
points-read-write = It reads at { $read } and writes at { $write }, { $share } of its reading speed.
points-read = It reads at { $read }.
points-write = It writes at { $write }.
points-load = { $load }: { $speed }.
points-depths-both = From queue depth { $low } to { $high } reads { $reads } and writes { $writes }.
points-depths-reads = From queue depth { $low } to { $high } reads { $reads }.
points-depths-writes = From queue depth { $low } to { $high } writes { $writes }.
points-depths-change = { $change ->
    [grow] grow { $fold }
    [fall] fall to { $share }
   *[level] hardly change
}
points-at-depth = { $figure } at queue depth { $depth }
points-reads-reach = Reads reach { $reads }.
points-writes-reach = Writes reach { $writes }.
points-both-reach = Reads reach { $reads }, writes { $writes }.
points-latency-same = as much
points-latency-both = At queue depth { $depth } a read takes { $read } on average and { $read_slow } at
    the { $percentile }, a write { $write } and { $write_slow }.
points-latency-read = At queue depth { $depth } a read takes { $read } on average and { $read_slow } at
    the { $percentile }.
points-latency-write = At queue depth { $depth } a write takes { $write } on average and
    { $write_slow } at the { $percentile }.
private-from-threads = { $from ->
    [1] 1 thread
   *[other] { $from } threads
}
private-to-threads = { $to ->
    [1] 1 thread
   *[other] { $to } threads
}
private-enough-threads = { $enough ->
    [1] 1 thread
   *[other] { $enough } threads
}
private-steps = { $dimension ->
    [depth] from depth { $from } to depth { $to }
   *[threads] from { private-from-threads } to { private-to-threads }
}
private-plural = { $op ->
    [read] Reads
    [write] Writes
   *[mixed] Mixed requests
}
points-steps-same = { private-plural } do not change { private-steps } ({ $last }).
points-steps-level = { private-plural } hardly change { private-steps } ({ $first } to { $last }).
points-steps-fall = { private-plural } fall to { $share } { private-steps } ({ $first } to { $last }).
points-steps-grow = { private-plural } grow { $fold } { private-steps } ({ $first } to { $last });
    they gain up to the last step.
points-steps-grow-until = { private-plural } grow { $fold } { private-steps } ({ $first } to
    { $last }); beyond { $dimension ->
        [depth] depth { $enough }
       *[threads] { private-enough-threads }
    } they gain next to nothing.
points-block-same = A { $op } of { $small } costs as much as one of { $page } ({ $small_iops } against
    { $page_iops }).
points-block-more = A { $op } of { $small } costs { $times } as much as one of { $page }
    ({ $small_iops } against { $page_iops }).
points-block-less = A { $op } of { $small } costs { $share } of one of { $page } ({ $small_iops }
    against { $page_iops }).
points-with-block = With { $block } it reads at { $read } and writes at { $write }.
points-with-block-reads = With { $block } it reads at { $speed }.
points-with-block-writes = With { $block } it writes at { $speed }.
points-usual-mix = At { $share } % reads it moves { $speed }.
points-mixing-costs = Mixing costs: { $slow } at { $share } % reads, against { $reads } for reads alone
    and { $writes } for writes alone.
points-no-mix-behind = No mix falls behind both pure loads: { $reads } for reads alone and { $writes }
    for writes alone.
points-slowest-mix = It is slowest at { $share } % reads, with { $slow }.
figure-at-share = At { $share } % reads
figure-mean-share = Mean of all shares
figure-fastest = Fastest: { $load }
figure-op-value = { $op ->
    [read] Read, { $value }
    [write] Write, { $value }
   *[mixed] Mixed, { $value }
}

## Benchmarks

benchmark-line = { $row } { $op } { $mb_per_s } MB/s, mean latency { $us } µs
benchmark-one = { $op ->
    [read] it reads at { $slow } ({ $slow_row })
    [write] it writes at { $slow } ({ $slow_row })
   *[mixed] mixed, it moves at { $slow } ({ $slow_row })
}
benchmark-range = { $op ->
    [read] it reads at { $slow } ({ $slow_row }) to { $fast } ({ $fast_row })
    [write] it writes at { $slow } ({ $slow_row }) to { $fast } ({ $fast_row })
   *[mixed] mixed, it moves at { $slow } ({ $slow_row }) to { $fast } ({ $fast_row })
}
benchmark-apart = Shown is the fastest of the passes: the slowest lies up to { $share } below it
    ({ $row }, { $op }).
benchmark-level = Shown is the fastest of the passes, which are all level.

## Work on files

files-scaled-set = { $set } (scaled to { $mib } MiB)
files-line = { $set }: { $mb_per_s } MB/s ({ $files ->
    [1] 1 file
   *[other] { $files } files
}, { $gb } GB in { $seconds } s)
files-speed = { $count ->
    [1] { $set }: { $speed } (1 file)
   *[other] { $set }: { $speed } ({ $files } files)
}
files-all-level = All sets are equally fast, at about { $speed }.
files-ends = Fastest is { $fastest }, slowest { $slowest }.

## Recovery ladders

ladder-nothing = { $trim ->
    [yes] With TRIM, no rest of up to { $time } recovers anything.
   *[no] Without TRIM, no rest of up to { $time } recovers anything.
}
ladder-one = { $trim ->
    [yes] With TRIM, a rest of { $short } recovers { $first }.
   *[no] Without TRIM, a rest of { $short } recovers { $first }.
}
ladder-two = { $trim ->
    [yes] With TRIM, a rest of { $short } recovers { $first }, one of { $long } { $last }.
   *[no] Without TRIM, a rest of { $short } recovers { $first }, one of { $long } { $last }.
}
ladder-back-nothing = nothing
ladder-back = { $bytes } of fast writes
ladder-back-least = at least { $bytes } of fast writes

## Rounds

rounds-line = { $rounds ->
    [1] 1 round
   *[other] { $rounds } rounds
} of { $loads ->
    [1] 1 load
   *[other] { $loads } loads
}, { $gb } GB written
rounds-too-few = { $count ->
    [1] One round is too few to judge a steady state.
   *[other] { $count } rounds are too few to judge a steady state.
}
rounds-latency = a mean latency of { $latency }
rounds-tracked = { $op ->
    [mixed] { $pattern } access, { $share } % reads, of { $block } at { $figure }
   *[other] { $pattern } { $op } of { $block } at { $figure }
}
rounds-reached = Steady state is reached after { $count } rounds, { $tracked } (rounds { $from } to
    { $to }; it spreads by { $spread } and drifts by { $drift }).
rounds-not-reached = Steady state is not reached in { $count } rounds; the last have { $tracked }, and
    it spreads by { $spread } and drifts by { $drift }.
rounds-steady = After { $count } rounds it has { $tracked }, and is steady: it spreads by { $spread }
    and drifts by { $drift }.
rounds-not-steady = After { $count } rounds it has { $tracked }, and is not steady: it spreads by
    { $spread } and drifts by { $drift }.
figure-tracked-steady = Tracked load, steady
figure-tracked-last = Tracked load, last rounds, not steady

## Reads while a file is deleted

response-line = { $name }: { $iops } IOPS before the deletion, slowest read after it { $ms } ms
response-as-before = When { $deleted } are deleted { $name }, reads go on as before ({ $lowest } IOPS in
    the slowest second, of { $speed }); the slowest read takes { $worst }, against { $before } before.
response-back = When { $deleted } are deleted { $name }, reads fall from { $speed } to { $lowest } IOPS
    in the slowest second, and are back to normal after { $time }; the slowest read takes { $worst },
    against { $before } before.
response-not-back = When { $deleted } are deleted { $name }, reads fall from { $speed } to { $lowest }
    IOPS in the slowest second, and are not back to normal as long as they are measured; the slowest
    read takes { $worst }, against { $before } before.
figure-slowest-second = { $name }: slowest second

## Traces

traces-beginning = the first { $share }
traces-line = { $name } { $mb } MB in { $seconds } s of busy time: { $mb_per_s } MB/s, { $iops } IOPS
traces-line-beginning = { $name } { $mb } MB in { $seconds } s of busy time: { $mb_per_s } MB/s,
    { $iops } IOPS ({ $first })
traces-line-all = all: { $mb_per_s } MB/s
traces-line-synthesised = synthesised desktop traces, no PCMark score
traces-one = { $speed } of busy time: { $bytes } in { $time }.
traces-all = { $speed } of busy time over all { $count } traces; fastest is { $fastest }, slowest
    { $slowest }.
traces-named = { $name } ({ $speed })
traces-synthesised = Synthesised desktop traces, no PCMark score.
traces-beginnings = Only the beginnings of traces were replayed; figures are of these.
traces-moved = The target is too small for them: { $share } of the requests were moved to fit.
figure-over-busy-time = Over busy time
figure-all-traces = All traces
