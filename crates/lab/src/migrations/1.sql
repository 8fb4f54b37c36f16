-- What was tested.
CREATE TABLE drives (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('simulated', 'file', 'directory', 'block-device')),
    model TEXT NOT NULL,
    serial TEXT NOT NULL,
    firmware TEXT NOT NULL,
    UNIQUE (kind, model, serial, firmware)
) STRICT;

-- An edition on a drive, from the command to its end; what has no column is in `rest`, as JSON,
-- here and below.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    drive INTEGER NOT NULL REFERENCES drives (id),
    target TEXT NOT NULL,
    capacity_bytes INTEGER NOT NULL,
    edition TEXT NOT NULL,
    edition_title TEXT NOT NULL,
    edition_sha256 TEXT NOT NULL,
    seed TEXT NOT NULL,
    duration_scale REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('unfinished', 'complete')),
    command TEXT NOT NULL,
    folder TEXT NOT NULL,
    stend_version TEXT NOT NULL,
    stend_commit TEXT,
    begun_unix_ms INTEGER NOT NULL,
    saved_unix_ms INTEGER NOT NULL,
    rest TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_drive ON runs (drive);

-- The rivals that a run was compared with, which are runs themselves.
CREATE TABLE rivals (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    rival INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rivals_by_rival ON rivals (rival);

-- Where a run was stopped and went on.
CREATE TABLE breaks (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    resumed_unix_ms INTEGER NOT NULL,
    tests_finished INTEGER NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- Named facts of a run.
CREATE TABLE conditions (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('target', 'method', 'environment')),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, kind, position)
) STRICT, WITHOUT ROWID;

-- Tests that finished or failed.
CREATE TABLE tests (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    test TEXT NOT NULL,
    title TEXT NOT NULL,
    method TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('finished', 'failed')),
    error TEXT,
    saved_unix_ms INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    rest TEXT NOT NULL,
    UNIQUE (run, test)
) STRICT;

-- Measured points.
CREATE TABLE points (
    test INTEGER NOT NULL REFERENCES tests (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    op TEXT NOT NULL,
    pattern TEXT NOT NULL,
    block_bytes INTEGER NOT NULL,
    queue_depth INTEGER NOT NULL,
    threads INTEGER NOT NULL,
    read_percent INTEGER NOT NULL,
    region_bytes INTEGER,
    duration_s REAL NOT NULL,
    iops REAL NOT NULL,
    bw_bytes_per_s REAL NOT NULL,
    latency_mean_ns REAL NOT NULL,
    latency_p50_ns INTEGER NOT NULL,
    latency_p99_ns INTEGER NOT NULL,
    latency_p99_9_ns INTEGER NOT NULL,
    latency_p99_99_ns INTEGER NOT NULL,
    latency_p99_999_ns INTEGER NOT NULL,
    latency_max_ns INTEGER NOT NULL,
    latency_histogram TEXT,
    rest TEXT NOT NULL,
    PRIMARY KEY (test, position)
) STRICT, WITHOUT ROWID;

-- Measured curves.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    test INTEGER NOT NULL REFERENCES tests (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    op TEXT NOT NULL,
    pattern TEXT NOT NULL,
    block_bytes INTEGER NOT NULL,
    queue_depth INTEGER NOT NULL,
    interval_s REAL NOT NULL,
    range_bytes INTEGER,
    latency_mean_ns REAL NOT NULL,
    latency_p50_ns INTEGER NOT NULL,
    latency_p99_ns INTEGER NOT NULL,
    latency_p99_9_ns INTEGER NOT NULL,
    latency_p99_99_ns INTEGER NOT NULL,
    latency_p99_999_ns INTEGER NOT NULL,
    latency_max_ns INTEGER NOT NULL,
    latency_histogram TEXT,
    rest TEXT NOT NULL,
    UNIQUE (test, position)
) STRICT;

-- Their samples.
CREATE TABLE samples (
    series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    t_s REAL NOT NULL,
    written_bytes INTEGER NOT NULL,
    iops REAL NOT NULL,
    PRIMARY KEY (series, position)
) STRICT, WITHOUT ROWID;

-- What the drive told of itself, as smartctl's JSON.
CREATE TABLE smart (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    moment TEXT NOT NULL CHECK (moment IN ('before', 'after')),
    document TEXT NOT NULL,
    PRIMARY KEY (run, moment)
) STRICT, WITHOUT ROWID;

-- The machine of each run, a column a fact; what was not told is null.
CREATE VIEW environments AS
SELECT
    run,
    max(value) FILTER (WHERE name = 'kernel') AS kernel,
    max(value) FILTER (WHERE name = 'processor') AS cpu,
    max(value) FILTER (WHERE name = 'frequency governor') AS governor,
    max(value) FILTER (WHERE name = 'link') AS link,
    max(value) FILTER (WHERE name = 'scheduler') AS scheduler,
    max(value) FILTER (WHERE name = 'file system') AS file_system,
    max(value) FILTER (WHERE name = 'fio') AS fio,
    max(value) FILTER (WHERE name = 'I/O engine') AS io_engine
FROM conditions
WHERE kind IN ('environment', 'target')
GROUP BY run;
