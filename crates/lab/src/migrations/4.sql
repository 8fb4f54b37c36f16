-- Drives that differ only by their models' fingerprints are different drives; what the model of a
-- simulated drive is called, which shipped one it comes from, and in what it differs.
CREATE TABLE new_drives (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('simulated', 'file', 'directory', 'block-device')),
    model TEXT NOT NULL,
    serial TEXT NOT NULL,
    firmware TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    title TEXT NOT NULL,
    shipped TEXT,
    changes TEXT NOT NULL,
    UNIQUE (kind, model, serial, firmware, fingerprint)
) STRICT;

-- The fingerprint of earlier runs is one of their facts.
CREATE TEMPORARY TABLE fingerprints AS
SELECT
    runs.id AS run,
    runs.drive AS drive,
    coalesce(substr(max(conditions.value), 1, 16), '') AS fingerprint
FROM runs
LEFT JOIN conditions
    ON conditions.run = runs.id
    AND conditions.kind = 'target'
    AND conditions.name = 'model fingerprint'
GROUP BY runs.id;
INSERT INTO new_drives (kind, model, serial, firmware, fingerprint, title, changes)
SELECT DISTINCT kind, model, serial, firmware, fingerprint, model, '[]'
FROM fingerprints JOIN drives ON drives.id = fingerprints.drive
ORDER BY drives.id;
UPDATE runs SET drive = (
    SELECT new_drives.id
    FROM fingerprints
    JOIN drives ON drives.id = fingerprints.drive
    JOIN new_drives USING (kind, model, serial, firmware, fingerprint)
    WHERE fingerprints.run = runs.id
);
DROP TABLE fingerprints;
DROP TABLE drives;
ALTER TABLE new_drives RENAME TO drives;

-- A name that the user gave a run, and what the user noted about it.
ALTER TABLE runs ADD COLUMN label TEXT;
ALTER TABLE runs ADD COLUMN note TEXT;

-- Jobs and replayed traces that were run alone.
CREATE TABLE recorded (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('run', 'replay')),
    drive INTEGER NOT NULL REFERENCES drives (id),
    target TEXT NOT NULL,
    capacity_bytes INTEGER NOT NULL,
    facts TEXT NOT NULL,
    label TEXT,
    note TEXT,
    name TEXT NOT NULL,
    job TEXT,
    seed TEXT NOT NULL,
    command TEXT NOT NULL,
    result TEXT NOT NULL,
    stend_version TEXT NOT NULL,
    stend_commit TEXT,
    begun_unix_ms INTEGER NOT NULL,
    saved_unix_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX recorded_by_drive ON recorded (drive);
