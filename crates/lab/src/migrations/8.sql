-- The list of runs reads the latest of them, and the values of its menus, without the rows.
CREATE INDEX runs_by_start ON runs (begun_unix_ms);
CREATE INDEX runs_by_edition ON runs (edition);
