-- What a program that makes a review is doing, so that others can show it. One row a target under
-- review; `seen_unix_ms` is written about once a second until the end.
CREATE TABLE progress (
    id INTEGER PRIMARY KEY,
    run INTEGER,
    title TEXT NOT NULL,
    edition TEXT NOT NULL,
    simulated INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'ended')),
    test TEXT NOT NULL,
    doing TEXT NOT NULL,
    share_done REAL NOT NULL,
    left_words TEXT NOT NULL,
    log TEXT NOT NULL,
    curve TEXT NOT NULL,
    begun_unix_ms INTEGER NOT NULL,
    seen_unix_ms INTEGER NOT NULL
) STRICT;

-- Long work that was asked for: who asked for what, and how far it is. A row that is `running` and
-- was not seen for some seconds was left behind, and is carried out by who finds it.
CREATE TABLE work (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    request TEXT NOT NULL,
    state TEXT NOT NULL
        CHECK (state IN ('queued', 'running', 'cancelling', 'done', 'failed', 'cancelled')),
    worker TEXT NOT NULL,
    doing TEXT NOT NULL,
    share_done REAL NOT NULL,
    error TEXT,
    asked_unix_ms INTEGER NOT NULL,
    begun_unix_ms INTEGER,
    seen_unix_ms INTEGER,
    ended_unix_ms INTEGER
) STRICT;
CREATE INDEX work_by_state ON work (state);

-- Curves of rows of studies, by the rows' key: requests a second in intervals of equal length.
CREATE TABLE study_curves (
    "key" TEXT PRIMARY KEY,
    interval_s REAL NOT NULL,
    iops TEXT NOT NULL
) STRICT, WITHOUT ROWID;
