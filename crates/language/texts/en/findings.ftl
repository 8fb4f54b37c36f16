# Findings in sentences, and the names of key figures.

finding-in-short = In short
finding-starts-steady = It starts from steady state, reached after { $rounds } rounds of { $time }
    ({ $bytes } written).
finding-starts-unsteady = It does NOT start from steady state: { $rounds } rounds of { $time } do not
    reach it.

## The whole in a few sentences

summary-no-test = No test has finished: there is nothing to judge.
summary-reads-faster = it reads in sequence { $times } as fast as it writes
summary-as-fast = it reads and writes in sequence about as fast
summary-writes-faster = it writes in sequence { $times } as fast as it reads
summary-holds = { $op ->
    [mixed] under a { $pattern } mix it holds its speed for { $time }
   *[other] under { $pattern } { $op }s it holds its speed for { $time }
}
summary-left = { $op ->
    [mixed] after { $time } of a { $pattern } mix, { $share } of its first speed is left
   *[other] after { $time } of { $pattern } { $op }s, { $share } of its first speed is left
}
summary-back-nothing = { $name }, nothing comes back
summary-back-whole = { $name }, it is as fresh
summary-back-first = { $name }, { $bytes } of fast writes come back
summary-back-first-from = { $name }, { $bytes } of fast writes come back, from { $share } of the fresh
    speed on
summary-back-more = { $name }, { $bytes }
summary-back-more-from = { $name }, { $bytes }, from { $share }
summary-scaled = Every measurement was multiplied by { $scale }: effects that need the edition's own
    durations show differently or not at all.
summary-unfinished = Not every test has finished: the verdict is of those that did.
summary-unfinished-failed = Not every test has finished ({ $failed } failed): the verdict is of those
    that did.
summary-slow-link = { $drive } ran on a link below what it could use ({ $link }): its figures may be
    the link's.
spoiled-rounds = rounds of { $time } are too short for a steady state
spoiled-written = { $written } of { $capacity } were written
spoiled-test = { $test } ({ $why })
spoiled-tests = No findings are given, since the shortened run does not support them, of { $tests }.

## Beside rivals

rivals-clause = { $standing } { $group }
rivals-times = { $times } as fast
rivals-faster = { $share } faster
rivals-level = level
rivals-slower = { $share } slower
rivals-share = at { $share } of the speed
rivals-group-reads = in reading
rivals-group-writes = in writing
rivals-group-sustained = in sustained writing
rivals-group-mixed = when it reads and writes at once
rivals-group-applications = in applications
rivals-one = Against { $rivals } it is { $clauses }.
rivals-mean = Against the mean of { $rivals } it is { $clauses }.
rivals-unlike = Not measured in the same way (see the conditions), so compare with care: { $drives }.
rivals-alone-level = { $rivals ->
    [1] It is level with { $best } ({ $value }).
   *[other] It is level with { $best } ({ $value }), the best of its rivals.
}
rivals-alone-ahead = { $rivals ->
    [1] It is { $lead } ahead of { $best } ({ $value }).
   *[other] It is { $lead } ahead of { $best } ({ $value }), the best of its rivals.
}
rivals-alone-behind = { $rivals ->
    [1] { $best } reaches { $value }, { $more }.
   *[other] { $best }, the best of its rivals, reaches { $value }, { $more }.
}
rivals-more-nothing = against nothing
rivals-more-times = { $times } as much
rivals-more-share = { $share } more
rivals-gap = { $figure }, where { $best } reaches { $value }, { $more }
rivals-lead-far = far
rivals-lead-times = { $times }
rivals-lead-share = { $share }
rivals-all-behind = { $rivals ->
    [1] It is behind { $rival } in { $figures ->
        [2] both figures
       *[other] all { $figures } figures
    }; the widest gap is in { $gap }.
   *[other] For each figure there is a faster rival; the widest gap is in { $gap }.
}
rivals-all-level = { $rivals ->
    [1] It is level with { $rival } in { $figures ->
        [2] both figures
       *[other] all { $figures } figures
    }.
   *[other] It is level with its rivals in { $figures ->
        [2] both figures
       *[other] all { $figures } figures
    }.
}
rivals-none-behind = { $rivals ->
    [1] No figure falls behind { $rival }; the widest lead is { $lead } in { $figure }.
   *[other] No figure falls behind its rivals; the widest lead is { $lead } in { $figure }.
}
rivals-some-behind = It leads or is level in { $leading }; of the others the widest gap is in { $gap }.
rivals-one-behind = It leads or is level in { $leading }; not so in { $gap }.
rivals-leading-names = { $count ->
   *[other] { $names }
}
rivals-leading-count = { $count } of { $of } figures

## Headline figures

headline-sequential-read = Sequential read
headline-sequential-write = Sequential write
headline-random-read = Random read, queue depth { $depth }
headline-random-write = Random write, queue depth { $depth }
headline-sustained-write = Sustained { $pattern } write
headline-mixed = Mixed { $pattern }, { $share } % reads
headline-traces = Desktop traces
headline-benchmark = { $row }, { $op }
