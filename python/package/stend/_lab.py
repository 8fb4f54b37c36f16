"""The lab: all reviews of the command line, in one SQLite file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

from . import _stend, _values
from ._errors import InputError
from ._review import Review
from ._table import Table
from ._values import Path, whole


def default_path() -> str:
    """Returns the path of the lab by the rules of the command line."""
    if named := os.environ.get("STEND_LAB"):
        return named
    data = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        home = os.environ.get("HOME")
        if not home:
            raise InputError("HOME is not set, so the lab has no default path: name its file")
        data = os.path.join(home, ".local/share")
    return os.path.join(data, "stend/lab.db")


def lab_path(lab: Path | bool) -> str | None:
    """Returns the path of a lab: ``True`` is the lab of the command line, ``False`` none."""
    if lab is False:
        return None
    return default_path() if lab is True else os.fspath(lab)


def _this_lab_alone(action: int, *_: str | None) -> int:
    """Authorizes every action except ATTACH, which could create a file."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


class Lab:
    """A lab, opened for reading. ``docs/lab.md`` describes its tables.

    ``path`` is its file. The default is the lab of the command line: the file that ``STEND_LAB``
    names, else ``stend/lab.db`` in ``XDG_DATA_HOME`` or in ``~/.local/share``.

    Raises ``FileNotFoundError`` if the file does not exist, :class:`stend.InputError` if it is not
    a lab or has another version.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = default_path() if path is None else os.fspath(path)
        _stend.check_lab(self.path)

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Table:
        """Returns the rows of an SQL statement, which can only read the lab.

        ``parameters`` replace each ``?`` in their order, or, by name, each ``:name``.

        Raises :class:`stend.InputError` for a statement that is invalid or would write.
        """
        _stend.check_lab(self.path)
        name = "file:" + urllib.parse.quote(os.path.abspath(self.path))
        try:
            try:
                return self._read(f"{name}?mode=ro", sql, parameters)
            except sqlite3.OperationalError as error:
                # SQLite cannot create its log beside a lab on a read-only medium.
                if "unable to open" not in str(error) or os.path.exists(self.path + "-wal"):
                    raise
                return self._read(f"{name}?immutable=1", sql, parameters)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise InputError(f"{error}: {sql.strip()}") from None

    def _read(
        self, name: str, sql: str, parameters: Sequence[Any] | Mapping[str, Any]
    ) -> Table:
        with contextlib.closing(sqlite3.connect(name, uri=True, timeout=10)) as lab:
            lab.execute("PRAGMA query_only = 1")
            lab.set_authorizer(_this_lab_alone)
            named = isinstance(parameters, Mapping)
            listed = parameters if named else tuple(_values.listed("parameters", parameters))
            cursor = lab.execute(sql, listed)
            columns = [column[0] for column in cursor.description or ()]
            return Table(columns, cursor.fetchall())

    def studies(self) -> Table:
        """Lists all studies, the latest last, with ``rows_done`` of ``rows_planned``."""
        return self.query(
            "SELECT studies.*, (SELECT count(*) FROM study_rows WHERE study = id) AS rows_done"
            " FROM studies ORDER BY begun_unix_ms, id"
        )

    def runs(self) -> Table:
        """Lists the runs in the order in which they began; ``id`` is the number of a run."""
        return self.query(
            "SELECT runs.id, drives.model, drives.serial, runs.target, runs.capacity_bytes, "
            "runs.edition, runs.seed, runs.duration_scale, runs.state, runs.begun_unix_ms, "
            "runs.saved_unix_ms, runs.stend_version, runs.folder, runs.command "
            "FROM runs JOIN drives ON drives.id = runs.drive ORDER BY begun_unix_ms, runs.id"
        )

    def drives(self) -> Table:
        """Lists the tested drives."""
        return self.query("SELECT * FROM drives ORDER BY id")

    def points(self, run: int) -> Table:
        """Lists the points of a run; ``test`` is the id of the test."""
        return self._of(
            run,
            "SELECT tests.test AS test, points.op, points.pattern, block_bytes, queue_depth, "
            "threads, read_percent, region_bytes, duration_s, iops, bw_bytes_per_s, "
            "cpu_ns_per_request, latency_mean_ns, latency_p50_ns, latency_p99_ns, "
            "latency_p99_9_ns, latency_p99_99_ns, latency_p99_999_ns, latency_max_ns "
            "FROM points JOIN tests ON tests.id = points.test WHERE tests.run = ? "
            "ORDER BY tests.position, points.position",
        )

    def samples(self, run: int) -> Table:
        """Lists the samples of all curves of a run: ``test``, ``series``, its load, ``t_s`` …"""
        return self._of(
            run,
            "SELECT tests.test AS test, series.name AS series, op, pattern, block_bytes, "
            "queue_depth, t_s, samples.iops, samples.written_bytes "
            "FROM samples JOIN series ON series.id = samples.series "
            "JOIN tests ON tests.id = series.test WHERE tests.run = ? "
            "ORDER BY tests.position, series.position, samples.position",
        )

    def _of(self, run: int, sql: str) -> Table:
        run = whole("run", run, bits=63)
        if not self.query("SELECT 1 FROM runs WHERE id = ?", [run]):
            raise InputError(f"{self.path}: there is no run {run}; runs() lists all runs")
        return self.query(sql, [run])

    def review(self, run: int) -> Review:
        """Returns the stored review of a run."""
        return Review(_stend.lab_review(self.path, whole("run", run, bits=63)))

    def __repr__(self) -> str:
        return f"Lab({self.path!r})"


