"""Findings of published reviews, checked on the drive models."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, SupportsIndex

import pandas as pd

from . import _pool, _stend, _values
from ._lab import default_path
from ._program import program
from ._values import Path

#: Callback for progress. Locally, its arguments are the share of the current version's simulations
#: that is done, 0 to 1, and a description of the last one; with Ray, the number of drives done,
#: their total, and that description.
ClaimsProgress = Callable[..., object]

#: Arguments from which a worker builds its findings.
_Settings = tuple[
    tuple[str, ...], tuple[str, ...] | None, tuple[str, ...] | None, int, int, float, str
]


class Claims:
    """Findings, and their outcomes on the models."""

    def __init__(self, record: dict[str, Any]) -> None:
        #: One entry for each finding, with the columns of :meth:`to_pandas`, and the figures that
        #: decide it in ``decided_by``.
        self.record: list[dict[str, Any]] = record["findings"]
        #: Errors of the measurements that failed.
        self.failed: list[str] = record["failed"]

    def to_pandas(self) -> pd.DataFrame:
        """Returns one row for each finding.

        Columns: ``article``, ``finding`` (its id), ``text``, ``outcome`` (``holds``, ``fails``,
        ``open``). With samples also: ``holds`` (the number of plausible versions in which it
        holds), ``of`` (the number in which it was decided) and ``verdict`` (``robust`` if it holds
        in nine tenths of them or more, ``excluded`` if in none, else ``possible``).
        """
        frame = pd.DataFrame(self.record)
        return frame.drop(columns="decided_by", errors="ignore")

    @property
    def decisive(self) -> pd.DataFrame:
        """The figures that decide findings in plausible versions, the strongest first.

        Columns: ``article``, ``finding``, ``file`` and ``key`` of the figure,
        ``rank_correlation``: positive if a larger figure makes the judged number larger.
        """
        names = ["article", "finding", "file", "key", "rank_correlation"]
        rows = [
            {"article": each["article"], "finding": each["finding"]} | figure
            for each in self.record
            for figure in each.get("decided_by", [])
        ]
        return pd.DataFrame(rows, columns=names)

    def __repr__(self) -> str:
        holds = sum(each["outcome"] == "holds" for each in self.record)
        return f"<Claims: {holds} of {len(self.record)} findings hold>"


@lru_cache(maxsize=2)
def _findings(settings: _Settings) -> _stend.Findings:
    """Builds the findings once in each worker process. A worker stores nothing in a lab."""
    files, articles, drives, samples, seed, scale, maker = settings
    chosen = None if articles is None else list(articles)
    only = None if drives is None else list(drives)
    return _stend.Findings(list(files), chosen, only, samples, seed, scale, os.devnull, maker)


def _measure(settings: _Settings, jobs: list[str]) -> list[str]:
    """Carries out jobs, in a worker."""
    return [_findings(settings).carry_out(job) for job in jobs]


class _Jobs:
    """The simulations of drives that findings need, as tasks."""

    def __init__(self, findings: _stend.Findings, settings: _Settings) -> None:
        self._findings = findings
        self._settings = settings
        self._jobs = findings.jobs()
        self.lost: list[str] = []

    def function(self) -> Callable[..., list[str]]:
        return _measure

    def shared(self) -> tuple[Any, ...]:
        return (self._settings,)

    def tasks(self, processors: int) -> Iterator[Sequence[str]]:
        return ([job] for job in self._jobs)

    def total(self) -> tuple[int, int]:
        return 0, len(self._jobs)

    def keep(self, key: str, result: str) -> str:
        self._findings.keep(result)
        job = json.loads(key)
        version = "" if job["version"] is None else f", plausible version {job['version']}"
        return f"{job['name']}{version}"

    def failed(self, key: str, why: str) -> None:
        self.lost.append(why)

    def flush(self) -> None:
        pass


def claims(
    articles: Sequence[str] | None = None,
    *,
    files: Sequence[Path] = (),
    drives: Sequence[str] | None = None,
    samples: SupportsIndex = 0,
    seed: SupportsIndex = 1,
    duration_scale: float = 1.0,
    threads: SupportsIndex | None = None,
    lab: Path | None = None,
    ray: bool | str = False,
    progress: ClaimsProgress | None = None,
) -> Claims:
    """Checks findings of published reviews on the drive models, as ``stend claims`` does.

    ``articles`` are ids of articles, or ``None`` for all. ``files`` are files of findings that
    replace the built-in ones. ``drives`` limits the simulation to these drives. If ``samples`` is
    not 0, the findings are also checked on ``samples`` plausible versions of all drives, drawn from
    the ranges of the figures that no source gives. The result then has the share of versions in
    which each finding holds, and the figures that decide.

    Measured drives are stored in ``lab`` (``None`` for the lab of the command line), and the same
    program reuses them, so that an interrupted call resumes. With ``ray`` (see :meth:`Study.run`),
    Ray measures the drives, and all nodes must be able to read ``files``. Drives that Ray could not
    measure are measured locally.

    Raises :class:`stend.InputError` for an unknown article or drive, and for a faulty file.
    """
    scale = _values.real("duration_scale", duration_scale)
    count = _values.whole("samples", samples, 0, 32)
    of = (("articles", articles), ("drives", drives))
    named = [None if names is None else _values.listed(name, names) for name, names in of]
    paths = [os.path.abspath(os.fspath(path)) for path in _values.listed("files", files)]
    kept = default_path() if lab is None else os.fspath(lab)
    root = _values.whole("seed", seed)
    findings = _stend.Findings(paths, named[0], named[1], count, root, scale, kept, program())
    if ray:
        tuples = [None if names is None else tuple(names) for names in named]
        settings = (tuple(paths), tuples[0], tuples[1], count, root, scale, program())
        _pool.on_ray(_Jobs(findings, settings), ray, progress)
    most = _values.threads(0, threads)
    return Claims(json.loads(findings.run(most, None if ray else progress)))
