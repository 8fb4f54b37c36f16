-- The measurement that a run was made for, which was a fact of its environment.
ALTER TABLE runs ADD COLUMN measurement_key TEXT;
UPDATE runs SET measurement_key = (
    SELECT value FROM conditions
    WHERE run = runs.id AND kind = 'environment' AND name = 'made by'
);
DELETE FROM conditions WHERE kind = 'environment' AND name = 'made by';
CREATE INDEX runs_by_measurement_key ON runs (measurement_key);
