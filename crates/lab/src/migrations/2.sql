-- Time on processors a request, ns, which was in `rest`; of curves it is new.
ALTER TABLE points ADD COLUMN cpu_ns_per_request REAL;
UPDATE points SET
    cpu_ns_per_request = json_extract(rest, '$.cpu_ns_per_request'),
    rest = json_remove(rest, '$.cpu_ns_per_request')
WHERE json_type(rest, '$.cpu_ns_per_request') IS NOT NULL;
ALTER TABLE series ADD COLUMN cpu_ns_per_request REAL;

-- The drive's temperature under a curve, on the curve's clock; it was in `rest`.
CREATE TABLE temperatures (
    series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    t_s REAL NOT NULL,
    celsius REAL NOT NULL,
    PRIMARY KEY (series, position)
) STRICT, WITHOUT ROWID;
INSERT INTO temperatures (series, position, t_s, celsius)
SELECT
    series.id,
    sample.key,
    json_extract(sample.value, '$.t_s'),
    json_extract(sample.value, '$.celsius')
FROM series, json_each(series.rest, '$.temperatures') AS sample;
UPDATE series SET rest = json_remove(rest, '$.temperatures')
WHERE json_type(rest, '$.temperatures') IS NOT NULL;
