-- Studies, and their rows.
CREATE TABLE studies (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    definition TEXT NOT NULL,
    definition_sha256 TEXT NOT NULL,
    duration_scale REAL NOT NULL,
    rows_planned INTEGER NOT NULL,
    folder TEXT NOT NULL,
    stend_version TEXT NOT NULL,
    stend_commit TEXT,
    begun_unix_ms INTEGER NOT NULL,
    saved_unix_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX studies_by_definition ON studies (definition_sha256);

CREATE TABLE study_rows (
    study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
    "row" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    model TEXT NOT NULL,
    seed TEXT NOT NULL,
    job TEXT NOT NULL,
    factors TEXT NOT NULL,
    outcomes TEXT NOT NULL,
    error TEXT,
    PRIMARY KEY (study, "row")
) STRICT, WITHOUT ROWID;
CREATE INDEX study_rows_by_key ON study_rows ("key");
