# Loads: pattern and direction by their keys (`random`, `sequential`; `read`, `write`, `mixed`),
# and what a test varies.

load-op = { $op }
load-pattern-op = { $pattern } { $op }
load-pattern-and-op = { $pattern }, { $op }
private-pattern-op-share = { $op ->
    [mixed] { $pattern } { $share } % reads
   *[other] { $pattern } { $op }
}
dimension-block = block size
dimension-depth = queue depth
dimension-share = share of reads
dimension-threads = number of threads
value-depth = depth { $depth }
value-share = { $share } % reads
value-threads = { $threads ->
    [1] 1 thread
   *[other] { $threads } threads
}

## Words for figures

figure-capacities = { $number } × the capacity
times = { $count ->
   *[other] { $number } times
}
fold = { $count ->
   *[other] { $number }-fold
}
percentile-median = median
percentile = { $percent }th percentile
quoted-name = “{ $name }”
