# Findings in sentences, and the names of key figures.

finding-in-short = In short
finding-starts-steady = It starts from steady state, reached after { $rounds } rounds of { $time }
    ({ $bytes } written).
finding-starts-unsteady = It does NOT start from steady state: { $rounds } rounds of { $time } do not
    reach it.

## The whole in a few sentences

spoiled-rounds = rounds of { $time } are too short for a steady state
spoiled-written = { $written } of { $capacity } were written
spoiled-test = { $test } ({ $why })
spoiled-tests = No findings of { $tests } are given: the shortened run does not support them.

## Beside rivals

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
   *[other] It is level with the best of its rivals in { $figures ->
        [2] both figures
       *[other] all { $figures } figures
    }.
}
rivals-none-behind = { $rivals ->
    [1] No figure falls behind { $rival }; the widest lead is { $lead } in { $figure }.
   *[other] No figure falls behind the best of its rivals; the widest lead is { $lead } in { $figure }.
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
