# The verdict: whole sentences with which a review opens.

## What kind of drive it is

private-verdict-subject = { $model ->
    [yes] The { $drive }
   *[no] { $drive }
}
verdict-load = { $block }, queue depth { $depth }
verdict-loads = read: { $read }; write: { $write }
verdict-sequential-at-limit = { private-verdict-subject } is a fast { $link } drive: in sequence it
    reads at { $read } and writes at { $write } ({ $load }), which is { $full ->
        [yes] as much as
       *[no] close to what
    } the link allows.
private-verdict-at-limit = { $full ->
    [yes] as fast as
   *[no] nearly as fast as
}
verdict-sequential-reads-at-limit = { $slow ->
    [yes] { private-verdict-subject } is a drive for reading more than for writing: in sequence it
        reads at { $read }, { private-verdict-at-limit } { $link } allows, but writes at only
        { $write } ({ $load }).
   *[no] { private-verdict-subject } reads in sequence { private-verdict-at-limit } { $link } allows,
        at { $read }, and writes at { $write } ({ $load }).
}
verdict-sequential-below-limit = { private-verdict-subject } stays below what its { $link } link
    allows ({ $limit }): in sequence it reads at { $read } and writes at { $write } ({ $load }).
verdict-sequential-one-at-a-time = { private-verdict-subject } reads in sequence at { $read } and
    writes at { $write } ({ $load }), one request at a time; in sequence it was measured with no
    more.
verdict-sequential-unknown-link = { $class ->
    [hard-disk] { private-verdict-subject } is slow for a solid-state drive: in sequence it reads at
        { $read } and writes at { $write } ({ $load }), no faster than a hard disk.
    [sata] { private-verdict-subject } is about as fast as a SATA drive: in sequence it reads at
        { $read } and writes at { $write } ({ $load }).
   *[beyond] { private-verdict-subject } reads faster than any SATA drive: in sequence it reads at
        { $read } and writes at { $write } ({ $load }).
}

## Beside rivals

private-verdict-area = { $area ->
    [reads] in reading
    [writes] in writing
    [sustained] in sustained writing
    [mixed] when it reads and writes at once
   *[applications] in applications
}
private-verdict-lead = { $form ->
    [times] { $lead } as fast
   *[share] { $lead } faster
}
private-verdict-behind = { $behind ->
    [reads] in reading
    [writes] in writing
    [sustained] in sustained writing
    [mixed] when it reads and writes at once
   *[applications] in applications
}
verdict-standing-level = { $rivals ->
    [1] It is level with the { $names } in everything that was compared.
   *[other] It is level with the best of its rivals, { $names }, in everything that was compared.
}
verdict-standing-ahead = { $throughout ->
    [yes] { $rivals ->
        [1] It is ahead of the { $names } throughout, and most of all { private-verdict-area },
            where it is { private-verdict-lead }.
       *[other] It is ahead of the best of its rivals, { $names }, throughout, and most of all
            { private-verdict-area }, where it is { private-verdict-lead }.
    }
   *[no] { $rivals ->
        [1] In no area as a whole is it behind the { $names }, and it is { private-verdict-lead }
            { private-verdict-area }.
       *[other] In no area as a whole is it behind the best of its rivals, { $names }, and it is
            { private-verdict-lead } { private-verdict-area }.
    }
}
verdict-standing-behind = { $throughout ->
    [yes] { $rivals ->
        [1] It is behind the { $names } throughout, and most of all { private-verdict-behind },
            where it reaches { $share } of the speed.
       *[other] It is behind the best of its rivals, { $names }, throughout, and most of all
            { private-verdict-behind }, where it reaches { $share } of the speed.
    }
   *[no] { $rivals ->
        [1] In no area as a whole is it ahead of the { $names }, and { private-verdict-behind } it
            reaches { $share } of its speed.
       *[other] In no area as a whole is it ahead of the best of its rivals, { $names }, and
            { private-verdict-behind } it reaches { $share } of their speed.
    }
}
verdict-standing-mixed = { $rivals ->
    [1] Against the { $names } it is { private-verdict-lead } { private-verdict-area }, but reaches
        only { $share } of the speed { private-verdict-behind }.
   *[other] Against the best of its rivals, { $names }, it is { private-verdict-lead }
        { private-verdict-area }, but reaches only { $share } of the speed
        { private-verdict-behind }.
}
verdict-outlier = Of these, the { $rival } stands out: { $area ->
    [reads] in reading
    [writes] in writing
    [sustained] in sustained writing
    [mixed] when reading and writing at once
   *[applications] in applications
} it is { $times } as fast.

## Writing for long

private-verdict-sustained = { $pattern ->
    [random] sustained random writing
   *[sequential] sustained sequential writing
}
private-verdict-sustained-first = { $pattern ->
    [random] Sustained random writing
   *[sequential] Sustained sequential writing
}
verdict-lasting-holds = { $rank ->
    [strong] { private-verdict-sustained-first } hardly slows it down: after { $written } it still
        reaches { $end }, as much as drives for servers promise.
    [weak] It is no drive for work that writes all day: { private-verdict-sustained } begins at
        { $start } and ends at { $end }.
   *[usual] { private-verdict-sustained-first } hardly slows it down: after { $written } it still
        reaches { $end }.
}
verdict-lasting-falls = { $rank ->
    [strong] Under { private-verdict-sustained } it keeps up { $start } for { $bytes } and then
        falls to { $end }, which is still as much as drives for servers promise.
    [weak] It is no drive for work that writes all day: under { private-verdict-sustained } it keeps
        up { $start } for { $bytes } and then falls to { $end }.
   *[usual] Under { private-verdict-sustained } it keeps up { $start } for { $bytes } and then falls
        to { $end }.
}
verdict-lasting-declines = { $rank ->
    [strong] Under { private-verdict-sustained } it declines from { $start } to { $end }, for the
        most part within the first { $bytes }; that is still as much as drives for servers promise.
    [weak] It is no drive for work that writes all day: under { private-verdict-sustained } it
        declines from { $start } to { $end }, for the most part within the first { $bytes }.
   *[usual] Under { private-verdict-sustained } it declines from { $start } to { $end }, for the
        most part within the first { $bytes }.
}
verdict-lasting-steps = { $rank ->
    [strong] { private-verdict-sustained-first } starts at { $start }, runs at { $middle } for most
        of the first { $bytes }, and ends at { $end }, which is still as much as drives for servers
        promise.
    [weak] It is no drive for work that writes all day: { private-verdict-sustained } starts at
        { $start }, runs at { $middle } for most of the first { $bytes }, and ends at { $end }.
   *[usual] { private-verdict-sustained-first } starts at { $start }, runs at { $middle } for most
        of the first { $bytes }, and ends at { $end }.
}
verdict-rest-nothing = { $trim ->
    [whole] A rest alone restores nothing, as of a drive without garbage collection while idle;
        after TRIM it is as fast as new.
    [part] A rest alone restores nothing, as of a drive without garbage collection while idle; after
        TRIM it writes { $trimmed } fast again.
    [nothing] Neither a rest nor TRIM restores its speed.
   *[unknown] A rest alone restores nothing, as of a drive without garbage collection while idle.
}
verdict-rest-part = { $little ->
    [yes] { $trim ->
        [whole] A rest alone restores little: only { $bytes } are written fast again; after TRIM it
            is as fast as new.
       *[other] A rest alone restores little: only { $bytes } are written fast again.
    }
   *[no] { $trim ->
        [whole] After a rest it writes { $bytes } fast again, and after TRIM it is as fast as new.
       *[other] After a rest it writes { $bytes } fast again, even without TRIM.
    }
}
verdict-rest-whole = After a rest it is as fast as new, even without TRIM.

## For whom

verdict-suits-desktop = { $quick ->
    [yes] { $day ->
        [yes] For a desktop it is a good choice: a small read takes only { $latency }, and the
            { $volume } or so that a desktop writes in a day do not slow it down.
       *[no] For a desktop it is a good choice: a small read takes only { $latency }.
    }
   *[no] { $day ->
        [yes] For a desktop it is quick enough: a small read takes { $latency }, and the { $volume }
            or so that a desktop writes in a day do not slow it down.
       *[no] For a desktop it is quick enough: a small read takes { $latency }.
    }
}
verdict-suits-desktop-and-games = { $quick ->
    [yes] { $day ->
        [yes] For a desktop and for games it is a good choice: a small read takes only { $latency },
            and the { $volume } or so that a desktop writes in a day do not slow it down.
       *[no] For a desktop and for games it is a good choice: a small read takes only { $latency }.
    }
   *[no] { $day ->
        [yes] For a desktop and for games it is quick enough: a small read takes { $latency }, and
            the { $volume } or so that a desktop writes in a day do not slow it down.
       *[no] For a desktop and for games it is quick enough: a small read takes { $latency }.
    }
}
verdict-suits-database = It suits a database: a durable write takes only { $latency }.
verdict-suits-read-server = It suits a server that mostly reads: with { $depth } requests
    outstanding it does { $reads } random reads a second.

## What to beware of

verdict-early-end = It refused to be written after { $written }, before the { $rated } that it is
    rated for.
verdict-stalls = Beware: under a lasting load it stands still for { $total } in all, up to
    { $longest } at a time, and one request waits { $slowest } for an answer.
verdict-stalls-seconds = Beware: under a lasting load it stands still for { $total } in all, up to
    { $longest } at a time.
verdict-stalls-request = Beware: one of its requests waits { $slowest } for an answer.
verdict-slow-commits = It is no drive for a busy database: every durable write takes { $latency }.
verdict-slow-reads = Small reads take { $latency } each, which is slow for a solid-state drive.
verdict-mix = { $pattern ->
    [random] Beware of reading and writing at random at once: with { $percent } % reads it does only
        { $slowest }, against { $reads } when it reads and { $writes } when it writes.
   *[sequential] Beware of reading and writing in sequence at once: with { $percent } % reads it
        moves only { $slowest }, against { $reads } when it reads and { $writes } when it writes.
}
verdict-uneven = Its speed in writing for long is uneven: from one second to the next it changes
    between { $low } and { $high }.
verdict-deletion = While { $file } are being deleted, a read can take { $slowest }.

## What it lacks

verdict-no-test = No test has finished: there is nothing to judge.
verdict-scaled = Take it with caution: every measurement was multiplied by { $scale }, and what
    needs the edition's own durations shows differently or not at all.
verdict-doubted = { $count ->
    [1] Nothing is said by the figures of { $tests } (see the warning).
   *[other] Nothing is said by the figures of { $tests } (see the warnings).
}
verdict-doubted-rival = { $test } ({ $drive })
verdict-slow-link = { $drive } ran on a link below what it could use ({ $link }): its figures may be
    the link's.
verdict-unfinished = Not every test has finished: the verdict is of those that did.
verdict-unfinished-failed = Not every test has finished ({ $failed } failed): the verdict is of
    those that did.
verdict-unlike = Not measured in the same way (see the conditions), so compare with care:
    { $drives }.

## Strengths and weaknesses in a few words

point-stalls = Longest time without an answer
point-sequential = Sequential access
point-sequential-write = Sequential writing
point-small-read = A small read
point-lasting = Random writing for long
point-rest = After a rest
point-rest-nothing = nothing comes back
point-rest-whole = as new
point-commits = A durable write
point-deep-reads = Many random reads at once
point-early-end = Worn out after
point-mix-sequential = Sequential reads and writes mixed
point-mix-random = Random reads and writes mixed
point-uneven = Lowest speed of writing for long
point-deletion = Slowest read during a deletion
