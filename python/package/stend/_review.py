"""Reviews."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, SupportsIndex

import pandas as pd

from . import _stend, _values
from ._drive import Drive
from ._errors import InputError
from ._values import Path

#: Callback for progress: share of the work that is done, 0 to 1, description of the last step.
Progress = Callable[[float, str], object]

#: Keys of the review's JSON whose entries are results of a test, one row each in a table.
_KINDS = ("points", "benchmark", "responses", "traces", "files", "rungs", "sync")


class Finding(NamedTuple):
    """A conclusion from a review."""

    #: ``In short``, or the title of a test.
    title: str
    #: Text of the finding.
    text: str


class Review:
    """Results of an edition on a drive, and on its rivals."""

    def __init__(self, review: _stend.Review) -> None:
        self._review = review

    @cached_property
    def record(self) -> dict[str, Any]:
        """The whole review, as described in ``docs/review-json.md``."""
        record: dict[str, Any] = json.loads(self.to_json())
        return record

    def to_json(self) -> str:
        """Returns the review as ``stend review --json`` prints it, schema ``stend.review/2``."""
        return self._review.to_json()

    @property
    def is_complete(self) -> bool:
        """True if all chosen tests ran to their end."""
        return bool(self.record["complete"])

    @property
    def failed(self) -> list[dict[str, str]]:
        """Tests that failed: ``id`` and ``error``."""
        return list(self.record.get("failed", []))

    @cached_property
    def findings(self) -> list[Finding]:
        """Findings as the command line prints them."""
        return [Finding(title, text) for title, text in self._review.findings()]

    @cached_property
    def key_figures(self) -> pd.DataFrame:
        """The few figures by which drives are compared. For each of them, more is better.

        Columns: ``drive``, ``test``, ``name``, ``unit`` (``iops``, ``bytes_per_s``, ``bytes``),
        ``value``.
        """
        columns = ["drive", "test", "name", "unit", "value"]
        return pd.DataFrame(self._review.key_figures(), columns=columns)

    def _tests(self) -> Iterable[tuple[str, dict[str, Any]]]:
        for of in (self.record, *self.record.get("rivals", [])):
            for test in of["tests"]:
                yield of["target"]["title"], test

    def to_pandas(self) -> pd.DataFrame:
        """Returns one row for each single result, of all tests and drives.

        Columns: ``drive``, ``test``, ``kind`` (the list of the review's JSON that contains the
        result: ``points``, ``benchmark``, ``traces`` …), then the keys of its entries. The keys of
        a nested object follow the object's name (``latency_ns_p99``). Curves are in :attr:`series`.
        """
        rows: list[dict[str, Any]] = []
        for drive, test in self._tests():
            for kind in _KINDS:
                for result in test.get(kind) or []:
                    head = {"drive": drive, "test": test["id"], "kind": kind}
                    rows.append(head | _flat(result))
        return pd.DataFrame(rows, columns=None if rows else ["drive", "test", "kind"])

    @cached_property
    def series(self) -> pd.DataFrame:
        """All curves, one row for each sample.

        Columns: ``drive``, ``test``, ``series`` (``fresh``, ``after idle`` …), ``op``,
        ``pattern``, ``block_bytes``, ``queue_depth``, ``t_s`` (end of the interval), ``iops``,
        ``written_bytes`` since the beginning of the curve.
        """
        frames: list[pd.DataFrame] = []
        for drive, test in self._tests():
            for curve in test.get("series") or []:
                samples = pd.DataFrame(curve["samples"], columns=["t_s", "iops", "written_bytes"])
                head = {"drive": drive, "test": test["id"], "series": curve["name"]}
                for place, (name, value) in enumerate((head | curve["point"]).items()):
                    samples.insert(place, name, value)
                frames.append(samples)
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def save(self, folder: Path, lang: str = "en") -> str:
        """Writes ``index.html`` and ``review.json`` into a folder; returns the page's path.

        The page is in English (``lang="en"``) or in Russian (``"ru"``). A missing folder is
        created. Files of an earlier review of the same drive with the same edition are replaced.

        Raises :class:`stend.InputError` if the folder holds another review, other figures of a
        finished review of a real drive, or another page; ``OSError`` if it cannot be written.
        """
        return os.fspath(self._review.save(folder, lang))

    def __repr__(self) -> str:
        record = self.record
        return f"<Review of {record['target']['title']}, edition {record['edition']}>"


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{before}{key}"
        if isinstance(inner, Mapping):
            flat |= _flat(inner, f"{name}_")
        elif not isinstance(inner, list) and key != "latency_histogram":
            flat[name] = inner
    return flat


def review(
    drive: Path | Drive,
    edition: Path = "2014",
    tests: Sequence[str] | None = None,
    against: Sequence[Path | Drive] = (),
    seed: SupportsIndex = 1,
    duration_scale: float = 1.0,
    threads: SupportsIndex | None = None,
    overrides: Mapping[str, Any] | None = None,
    write_budget: SupportsIndex | None = None,
    progress: Progress | None = None,
) -> Review:
    """Reviews a drive: an edition's tests, each on a copy of a prepared drive.

    ``drive`` is a model as for :class:`Drive`, or a :class:`Drive`, which is reviewed in its
    present state and does not change. The same holds for the rivals in ``against``. ``tests`` are
    ids of tests of the edition, ``None`` for all. ``duration_scale`` multiplies the duration of
    every measurement. ``threads`` is the number of tests that run at a time, ``None`` for the
    number that processors and memory allow; the result does not depend on it. ``write_budget``
    limits the bytes that an endurance test writes. ``progress`` is called on the calling thread.

    The review has the same bytes as the review of ``stend review``. Ctrl-C ends it without a
    result. :attr:`Review.failed` lists tests that failed. Raises :class:`stend.InputError` for
    invalid arguments.
    """
    seed = _values.whole("seed", seed)
    scale = _values.real("duration_scale", duration_scale)
    against = _values.listed("against", against)
    target, rivals = _target(drive), [_target(rival) for rival in against]
    if isinstance(drive, Drive) and overrides:
        raise InputError("overrides apply to a model only: create the Drive with them instead")
    chosen = None if tests is None else [str(test) for test in _values.listed("tests", tests)]
    if threads is None:
        threads = _threads([drive, *against])
    budget = None if write_budget is None else _values.whole("write_budget", write_budget)
    edition = os.fspath(edition)
    command = _command(drive, edition, seed, chosen, against, scale, overrides, budget)
    done = _stend.review(
        target,
        rivals,
        _values.overrides(overrides),
        edition,
        chosen,
        seed,
        scale,
        budget,
        _values.whole("threads", threads, 1, 16),
        command,
        progress,
    )
    return Review(done)


def read_review(path: Path) -> Review:
    """Reads the review in a file ``review.json``, or in the folder that holds it.

    Raises :class:`stend.InputError` if it is not a review, ``OSError`` if it cannot be read.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        path = os.path.join(path, "review.json")
    with open(path, encoding="utf-8") as file:
        try:
            text = file.read()
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not a review: {error}") from None
    return Review(_stend.read_review(text, path))


def _target(drive: Path | Drive) -> _stend.Drive | tuple[str, bool]:
    return drive._drive if isinstance(drive, Drive) else _values.model_file(drive)


def _command(
    drive: Path | Drive,
    edition: str,
    seed: int,
    tests: list[str] | None,
    against: Sequence[Path | Drive],
    scale: float,
    overrides: Mapping[str, Any] | None,
    budget: int | None,
) -> str:
    """Returns the command that repeats the review, or a Python call if no command can."""
    drives = [drive, *against]
    names = [each.model.name if isinstance(each, Drive) else os.fspath(each) for each in drives]
    if overrides or any(isinstance(each, Drive) for each in drives):
        rest = "" if tests is None else f", tests={tests!r}"
        rest += f", against={names[1:]!r}" if against else ""
        rest += f", duration_scale={scale!r}" if scale != 1.0 else ""
        rest += f", overrides={dict(overrides)!r}" if overrides else ""
        rest += f", write_budget={budget}" if budget is not None else ""
        return f"stend.review({names[0]!r}, edition={edition!r}, seed={seed}{rest})"
    command = f"stend review {_word(names[0])} --edition {_word(edition)} --seed {seed}"
    if tests is not None:
        command += f" --tests {_word(','.join(tests))}"
    command += f" --against {_word(','.join(names[1:]) or 'none')}"
    if scale != 1.0:
        command += f" --duration-scale {scale:g}"
    if budget is not None:
        command += f" --write-budget {budget}"
    return command


def _word(text: str) -> str:
    """Quotes ``text`` for a shell, if necessary."""
    if re.fullmatch(r"[\w\-./:@+=,]+", text):
        return text
    return "'" + text.replace("'", r"'\''") + "'"


def _threads(drives: Sequence[Path | Drive]) -> int:
    """Returns the number of tests that processors, and memory for the drives, allow at a time."""
    known = _values.capacities()
    sizes = [
        each.capacity_bytes if isinstance(each, Drive) else known.get(os.fspath(each), 0)
        for each in drives
    ]
    return _values.threads(max(sizes), None)
