-- Deleted runs, jobs and replays, which can be brought back for a time. `content` is a lab with
-- this entry alone, as an SQLite database; `rivals` are the entry's rows in the table of this name
-- as a JSON list of [uuid of the run, position, uuid of the rival].
CREATE TABLE deleted (
    uuid TEXT PRIMARY KEY,
    entry TEXT NOT NULL,
    drive TEXT NOT NULL,
    name TEXT NOT NULL,
    begun_unix_ms INTEGER NOT NULL,
    deleted_unix_ms INTEGER NOT NULL,
    rivals TEXT NOT NULL,
    content BLOB NOT NULL
) STRICT;
