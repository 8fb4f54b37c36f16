-- Conditions have ids in place of English names, and texts with the ids of their messages. `value`
-- is in English; `text` is the text as in review.json, or null if `value` is all of it.
ALTER TABLE conditions ADD COLUMN of_name TEXT;
ALTER TABLE conditions ADD COLUMN text TEXT;
UPDATE conditions SET
    of_name = replace(substr(name, instr(name, '`') + 1), '`', ''),
    name = substr(name, 1, instr(name, '`') - 1)
WHERE instr(name, '`') > 0;
UPDATE conditions SET of_name = substr(name, 14), name = 'differs from'
WHERE name LIKE 'differs from %';
UPDATE conditions SET name = replace(replace(replace(replace(replace(
    lower(trim(name)), ' (', '-'), ')', ''), ' ', '-'), '/', '-'), '''', '-');

DROP VIEW environments;
CREATE VIEW environments AS
SELECT
    run,
    max(value) FILTER (WHERE name = 'kernel') AS kernel,
    max(value) FILTER (WHERE name = 'processor') AS cpu,
    max(value) FILTER (WHERE name = 'frequency-governor') AS governor,
    max(value) FILTER (WHERE name = 'link') AS link,
    max(value) FILTER (WHERE name = 'scheduler') AS scheduler,
    max(value) FILTER (WHERE name = 'file-system') AS file_system,
    max(value) FILTER (WHERE name = 'fio') AS fio,
    max(value) FILTER (WHERE name = 'i-o-engine') AS io_engine
FROM conditions
WHERE kind IN ('environment', 'target')
GROUP BY run;
