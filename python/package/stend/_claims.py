"""Findings of published reviews, put to the models."""

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

#: Called with what is done and what has just been done: locally with the share of a version,
#: 0 to 1, and a text; by Ray with drives done, of how many, and a text.
ClaimsProgress = Callable[..., object]

#: What a worker needs to know of a set of findings.
_Settings = tuple[
    tuple[str, ...], tuple[str, ...] | None, tuple[str, ...] | None, int, int, float, str
]


class Claims:
    """Findings and what the models make of them."""

    def __init__(self, record: dict[str, Any]) -> None:
        #: All that is known of each finding, as :meth:`to_pandas` shows it, and in ``decided_by``
        #: which figures decide it.
        self.record: list[dict[str, Any]] = record["findings"]
        #: What could not be measured, and why.
        self.failed: list[str] = record["failed"]

    def to_pandas(self) -> pd.DataFrame:
        """A row for each finding.

        Columns: ``article``, ``finding`` (its id), ``text``, ``outcome`` (``holds``, ``fails``,
        ``open``); with samples ``holds`` (plausible versions in which it holds), ``of`` (in which
        it was decided) and ``verdict`` (``robust``: in nine tenths of them or more, ``possible``,
        ``excluded``: in none).
        """
        frame = pd.DataFrame(self.record)
        return frame.drop(columns="decided_by", errors="ignore")

    @property
    def decisive(self) -> pd.DataFrame:
        """The figures that decide findings in plausible versions, the strongest first.

        Columns: ``article``, ``finding``, ``file`` and ``key`` of the figure,
        ``rank_correlation``: above 0 where a larger figure makes the number that is judged larger.
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
    """Read once in each worker process, which keeps nothing itself."""
    files, articles, drives, samples, seed, scale, maker = settings
    chosen = None if articles is None else list(articles)
    only = None if drives is None else list(drives)
    return _stend.Findings(list(files), chosen, only, samples, seed, scale, os.devnull, maker)


def _measure(settings: _Settings, jobs: list[str]) -> list[str]:
    """Carries jobs out, in a worker."""
    return [_findings(settings).carry_out(job) for job in jobs]


class _Jobs:
    """The drives that findings need."""

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
        return f"{job['drive']}, edition {job['edition']}{version}"

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
    """Puts findings of published reviews to the drive models, as ``stend claims`` does.

    ``articles`` are ids of articles, ``None`` for all; ``files`` are files of findings instead of
    the built-in ones; ``drives`` are the only ones to be simulated. With ``samples``, the findings
    are put to as many plausible versions of all drives as well, drawn from the ranges of figures
    that no source gives: in what share of them each holds, and which figures decide.

    Drives that were measured are kept in the ``lab`` (``None`` for that of the command line) and
    taken from there by the same program: what was broken off goes on. With ``ray`` (see
    :meth:`Study.run`), drives are measured by Ray; ``files`` are then where all nodes find them.
    What Ray could not measure is measured here.

    Raises :class:`stend.InputError` for an unknown article or drive, or a wrong file.
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
