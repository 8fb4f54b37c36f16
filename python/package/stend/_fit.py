"""Fits of models to measured figures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, SupportsIndex

import pandas as pd

from . import _pool, _stend, _values
from ._errors import Error, InputError
from ._values import Path

#: Callback for progress: generations done, the largest number of generations, the lowest cost.
FitProgress = Callable[[int, int, str], object]


class FitResult:
    """Fitted figures of models, and the predictions of the models with them."""

    def __init__(self, record: dict[str, Any], files: list[tuple[str, str]]) -> None:
        #: The result as ``stend fit --json`` prints it (schema ``stend.fit/1``).
        self.record = record
        #: Texts of the files with the fitted values, by path relative to a folder.
        self.files = dict(files)

    @property
    def parameters(self) -> pd.DataFrame:
        """One row for each free figure.

        Columns: ``file``, ``key``, ``low`` and ``high`` (its range), ``before``, ``after``,
        ``determined``: true if the measured figures constrain it; any other figure keeps its
        value.
        """
        rows = []
        for each in self.record["parameters"]:
            index = "" if each["index"] is None else f"[{each['index']}]"
            low, high = each["free"]
            rows.append(
                {
                    "file": each["file"],
                    "key": f"{each['table']}.{each['key']}{index}",
                    "low": low,
                    "high": high,
                    "before": each["before"],
                    "after": each["after"],
                    "determined": each["determined"],
                }
            )
        names = ["file", "key", "low", "high", "before", "after", "determined"]
        return pd.DataFrame(rows, columns=names)

    def to_pandas(self) -> pd.DataFrame:
        """Returns one row for each measured figure.

        Columns: ``drive``, ``model``, ``what``, ``published`` (as the source prints it),
        ``error_before`` and ``error_after``: predicted over measured less 1.
        """
        rows = []
        for each in self.record["rows"]:
            row = {name: each[name] for name in ("drive", "model", "what", "published")}
            for when in ("before", "after"):
                row[f"error_{when}"] = (each[when] or {}).get("error")
            rows.append(row)
        names = ["drive", "model", "what", "published", "error_before", "error_after"]
        return pd.DataFrame(rows, columns=names)

    def save(self, folder: Path) -> list[str]:
        """Writes the files with the fitted values into a new or empty folder; returns their paths.

        Raises :class:`stend.InputError` if the folder is not empty.
        """
        folder = os.fspath(folder)
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder):
            raise InputError(f"{folder} is not empty: choose another folder")
        paths = []
        for name, text in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            paths.append(path)
        return paths

    def __repr__(self) -> str:
        before, after = (self.record[when]["error_median"] for when in ("before", "after"))
        generations = self.record["generations"]
        return (
            f"<FitResult: median error {before:.1%} before, {after:.1%} after {generations} "
            "generations>"
        )


class _Work:
    """The simulations of one generation, as tasks."""

    def __init__(self, work: list[str]) -> None:
        self._work = work
        self.done = [""] * len(work)

    def function(self) -> Callable[..., list[str]]:
        return _simulate

    def shared(self) -> tuple[Any, ...]:
        return ()

    def tasks(self, processors: int) -> Iterator[Sequence[tuple[int, str]]]:
        return ([each] for each in enumerate(self._work))

    def total(self) -> tuple[int, int]:
        return 0, len(self._work)

    def keep(self, key: tuple[int, str], result: str) -> str:
        self.done[key[0]] = result
        return ""

    def failed(self, key: tuple[int, str], why: str) -> None:
        raise Error(why)

    def flush(self) -> None:
        pass


def _simulate(work: list[tuple[int, str]]) -> list[str]:
    """Carries out simulations, in a worker."""
    return _stend.fit_work([text for _, text in work])


def fit(
    models: Path | Sequence[Path],
    figures: Path | Sequence[Path] = (),
    *,
    tests: Sequence[str] = (),
    states: Sequence[str] = (),
    generations: SupportsIndex = 60,
    population: SupportsIndex = 0,
    seed: SupportsIndex = 1,
    threads: SupportsIndex | None = None,
    ray: bool | str = False,
    progress: FitProgress | None = None,
) -> FitResult:
    """Fits the free figures of models to measured figures, as ``stend fit`` does.

    ``models`` are shipped models or model files; free figures are marked with ``free`` in them.
    ``figures`` are files of measured figures (``docs/measured-format.md``); the default is the
    published figures built into the program. ``tests`` and ``states`` limit the fit to figures of
    these tests and states. ``generations`` is the largest number of generations, ``population``
    the number of points in each, 0 for the default of the optimiser.

    The result is the same on any number of ``threads``, and with Ray (see :meth:`Study.run`), which
    carries out the simulations of each generation. Ctrl-C ends the fit after the simulations that
    are running.

    Raises :class:`stend.InputError` for a model that is never fitted, has no free figures or no
    measured figures, ``OSError`` for a missing file.
    """
    named = _values.one_or_more("models", models)
    files = _values.one_or_more("figures", figures)
    paths = [os.path.abspath(_values.path("figures", path)) for path in files]
    for path in paths:
        os.stat(path)
    if not named:
        raise InputError("models: the list is empty; name at least one model")
    most = _values.threads(max(_capacities(named), default=0), threads)
    points = _values.whole("population", population, 0, 31)
    if points and not 4 <= points <= 1000:
        raise InputError(f"population {points}: it must be 0 (the default) or from 4 to 1000")
    if ray:
        # On this thread: Ray ends the process when the thread that connected to it ends.
        _pool.connected(ray)

    def by_ray(work: list[str]) -> list[str]:
        one = _Work(work)
        _pool.on_ray(one, ray, None)
        return one.done

    record, written = _stend.fit(
        [_values.model_file(model) for model in named],
        paths,
        _values.listed("tests", tests),
        _values.listed("states", states),
        _values.whole("generations", generations, 0, 32),
        points,
        _values.whole("seed", seed),
        most,
        by_ray if ray else None,
        progress,
    )
    return FitResult(json.loads(record), written)


def _capacities(models: Sequence[Any]) -> list[int]:
    known = _values.capacities()
    return [known.get(_values.path("models", model), 0) for model in models]
