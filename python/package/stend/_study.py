"""Studies: variants of drives under jobs or tests, as one table."""

from __future__ import annotations

import json
import os
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, SupportsIndex

import pandas as pd

from . import _pool, _stend, _values
from ._errors import InputError
from ._job import AnyJob, Job, job_text
from ._lab import lab_path
from ._program import program
from ._values import Path

#: Callback for progress: rows done, rows in total, description of the last row.
StudyProgress = Callable[[int, int, str], object]

#: A step of the preparation: ``"fill"``, ``"trim"``, a rest ``{"idle_s": 60}``, or a job.
Step = str | Mapping[str, float] | Job


class Range:
    """The values of a factor from ``low`` to ``high``.

    A grid has ``steps`` of them, including both ends; a random design draws from the whole range.
    With ``log``, values have equal ratios instead of equal distances. ``multiple_of`` rounds them
    to a multiple, for keys that need whole numbers.
    """

    def __init__(
        self,
        low: float,
        high: float,
        steps: SupportsIndex | None = None,
        log: bool = False,
        multiple_of: SupportsIndex | None = None,
    ) -> None:
        self._entry: dict[str, Any] = {
            "from": _values.real("low", low),
            "to": _values.real("high", high),
            "scale": "log" if log else "linear",
        }
        if steps is not None:
            self._entry["steps"] = _values.whole("steps", steps, 1, 32)
        if multiple_of is not None:
            self._entry["multiple_of"] = _values.whole("multiple_of", multiple_of, 1)

    def entry(self) -> dict[str, Any]:
        """Returns the range as it stands in a study's file."""
        return dict(self._entry)

    def __repr__(self) -> str:
        low, high, scale, *rest = self._entry.items()
        given = [repr(low[1]), repr(high[1]), *(f"{key}={value!r}" for key, value in rest)]
        return f"Range({', '.join(given)}{', log=True' if scale[1] == 'log' else ''})"


#: The values of a factor: a list, a range, or named sets of overrides.
Factor = Sequence[Any] | Range | Mapping[str, Mapping[str, Any]]


class Study:
    """Variants of drives under jobs or tests of editions, and the table of their outcomes.

    ``models`` are shipped models, or model files (ending in ``.toml``). ``jobs`` maps names to
    jobs, as in ``{"random-write": stend.Job(rw="randwrite")}``. ``tests`` are pairs of an edition
    and the id of one of its tests, as in ``[("2014", "degradation")]``.

    ``factors`` maps the names of factors to their values:

    - The name is a key of drive files (``"gc.policy"``), and the values are a list or a
      :class:`Range`.
    - The name is ``"job.WORD"``, and the values, a list or a :class:`Range`, replace ``{WORD}`` in
      jobs.
    - The name is any other, and the values are named sets of overrides:
      ``{"cache": {"static": {}, "none": {"slc_cache.enabled": False}}}``.

    ``settings`` are overrides of all variants.

    ``design`` is ``"grid"`` (every value with every other), ``"sobol"`` or ``"latin-hypercube"``.
    The latter two have ``samples`` variants, drawn from ``design_seed``. Every variant runs with
    each of ``seeds``. ``prepare`` lists the steps on a new drive before each job; variants for
    which it leaves the same state share that state. ``prepare_seed`` is the seed of the jobs in
    ``prepare``, by default the seed of the row. ``outcomes`` lists the columns of the result,
    ``None`` for the usual ones. ``sample_ms`` is the interval of the samples from which levels and
    steps are found, ms of virtual time. ``duration_scale`` multiplies durations of tests.
    ``docs/study-format.md`` describes all of these in full.

    Raises :class:`stend.InputError` if the study as a whole is faulty. A variant that fails becomes
    a row with its error.
    """

    def __init__(
        self,
        models: Path | Sequence[Path],
        *,
        jobs: Mapping[str, AnyJob] | None = None,
        tests: Sequence[tuple[str, str]] = (),
        factors: Mapping[str, Factor] | None = None,
        settings: Mapping[str, Any] | None = None,
        seeds: Sequence[SupportsIndex] = (1,),
        prepare: Sequence[Step] = (),
        prepare_seed: SupportsIndex | None = None,
        design: str = "grid",
        samples: SupportsIndex | None = None,
        design_seed: SupportsIndex = 1,
        outcomes: Sequence[str] | None = None,
        sample_ms: SupportsIndex = 1000,
        duration_scale: float = 1.0,
        name: str = "study",
        title: str = "",
        description: str = "",
    ) -> None:
        listed = _values.one_or_more("models", models)
        interval = _values.whole("sample_ms", sample_ms, 1, 32)
        definition: dict[str, Any] = {
            "schema": "stend.study/1",
            "name": name,
            "title": title,
            "description": description,
            "models": [_values.path("models", model) for model in listed],
            "settings": _finite(_values.overrides(settings) or {}),
            "design": design,
            "design_seed": _values.whole("design_seed", design_seed),
            "seeds": [_values.whole("seeds", s, 0, 63) for s in _values.listed("seeds", seeds)],
            "prepare": [_step(step) for step in _values.listed("prepare", prepare)],
            "factor": [_factor(*item) for item in _values.mapped("factors", factors).items()],
            "job": [
                _job(*item, interval, outcomes) for item in _values.mapped("jobs", jobs).items()
            ],
            "test": [_test(test) for test in _values.listed("tests", tests)],
            "duration_scale": _finite(_values.real("duration_scale", duration_scale)),
        }
        if samples is not None:
            definition["samples"] = _values.whole("samples", samples, 0, 32)
        if prepare_seed is not None:
            definition["prepare_seed"] = _values.whole("prepare_seed", prepare_seed, 0, 63)
        self._plan = _stend.StudyPlan.from_json(json.dumps(definition), os.getcwd())
        self._reproduce = ""

    @classmethod
    def read(cls, path: Path) -> Study:
        """Reads the study in a file (TOML, schema ``stend.study/1``).

        Raises :class:`stend.InputError` with file, line and key of a fault, ``OSError`` if the file
        is missing.
        """
        os.stat(path)
        study = cls.__new__(cls)
        study._plan = _stend.StudyPlan.read(os.fspath(path))
        study._reproduce = f"stend sweep {shlex.quote(os.fspath(path))}"
        return study

    @property
    def definition(self) -> dict[str, Any]:
        """The study in the form of its file, with the texts of the files to which it refers."""
        definition: dict[str, Any] = json.loads(self._plan.definition())
        return definition

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._plan.rows()

    @property
    def states(self) -> int:
        """Number of prepared states from which rows begin; a review counts as one."""
        return len(self._plan.groups())

    def run(
        self,
        *,
        threads: SupportsIndex | None = None,
        lab: Path | bool = True,
        fresh: bool = False,
        ray: bool | str = False,
        series: Path | None = None,
        progress: StudyProgress | None = None,
    ) -> StudyResult:
        """Carries out the study.

        ``threads`` is the number of rows that run at a time, ``None`` for the number that
        processors and memory allow. Finished rows are stored in the lab, and reused from there
        unless ``fresh``, so that an interrupted study resumes. ``lab`` is the lab's file, ``True``
        for the lab of the command line, ``False`` for none. ``series`` is a folder for the samples
        of each row of a job, as ``series-ROW.parquet``.

        With ``ray``, Ray carries out the rows, which stay the same. ``True`` selects the connected
        cluster, or else a new one on this machine; a string is the address of a cluster, whose
        nodes must have this version of the package. All nodes must then share the folder
        ``series``.

        Warns about rows whose settings do not make a valid drive.

        Ctrl-C ends the study; finished rows are kept. Raises :class:`stend.InputError` if no row
        makes a valid drive, or if ``series`` has the samples of another study, and ``OSError`` if
        the lab or the folder cannot be written.
        """
        kept = lab_path(lab)
        folder = None if series is None else os.path.abspath(os.fspath(series))
        warning = self._plan.check_models()
        if warning is not None:
            warnings.warn(warning, stacklevel=2)
        session = _stend.StudySession(self._plan, kept, fresh, os.getcwd(), program(), folder)
        if ray:
            tasks = _pool.StudyTasks(self._plan, session, folder)
            _pool.on_ray(tasks, ray, progress)
        else:
            most = _values.threads(self._plan.capacity_bytes_max(), threads)
            session.run(most, folder, progress)
        return StudyResult(session, self._reproduce)

    def __repr__(self) -> str:
        return f"<Study {self.definition['name']}: {self.rows} rows, {self.states} states>"


class StudyResult:
    """The rows of a study, and the effects of its factors."""

    def __init__(self, session: _stend.StudySession, reproduce: str) -> None:
        self._session = session
        self._reproduce = reproduce

    @cached_property
    def record(self) -> dict[str, Any]:
        """The study as ``stend sweep --json`` prints it."""
        record: dict[str, Any] = json.loads(self.to_json())
        return record

    def to_json(self) -> str:
        """Returns the study as ``stend sweep --json`` prints it, as text."""
        return self._session.study()

    def to_pandas(self) -> pd.DataFrame:
        """Returns one row for each variant, seed and job.

        Columns: ``row``, ``model``, the factors, ``seed``, ``job``, ``duration_scale`` (only if it
        is not 1), the outcomes (NaN if missing; names end in units), and ``error`` (missing if the
        row succeeded). The files of :meth:`save` have the same columns.
        """
        record = self.record
        scaled = record["duration_scale"] != 1.0
        rows: list[dict[str, Any]] = []
        for row in record["rows"]:
            cells: dict[str, Any] = {"row": row["number"], "model": row["model"]}
            cells |= dict(zip(record["factors"], row["factors"]))
            cells |= {"seed": row["seed"], "job": row["job"]}
            if scaled:
                cells["duration_scale"] = record["duration_scale"]
            cells |= dict(row["outcomes"])
            rows.append(cells | {"error": row.get("error")})
        head = ["row", "model", *record["factors"], "seed", "job"]
        head += ["duration_scale"] if scaled else []
        frame = pd.DataFrame(rows, columns=[*head, *record["outcomes"], "error"])
        return frame.astype({name: float for name in record["outcomes"]})

    @cached_property
    def effects(self) -> pd.DataFrame:
        """Main effect of each factor on each outcome.

        Columns: ``job``, ``outcome``, ``factor`` (also ``model`` and ``seed`` if there are
        several), ``variance_share``: the share of the outcome's variance that the means of the
        factor's levels explain, corrected for chance, 0 to 1; NaN if each level has one row.
        """
        names = ["job", "outcome", "factor", "variance_share"]
        rows = [[effect[name] for name in names] for effect in self.record["effects"]]
        return pd.DataFrame(rows, columns=names).astype({"variance_share": float})

    @property
    def errors(self) -> pd.DataFrame:
        """Rows that failed, with all columns of :meth:`to_pandas`."""
        frame = self.to_pandas()
        return frame[frame["error"].notna()]

    def save(self, folder: Path) -> str:
        """Writes ``NAME.csv``, ``NAME.parquet`` and ``index.html``; returns the path of the page.

        A missing folder is created, and files of an earlier study are replaced. Raises
        :class:`stend.InputError` if other files have these names, ``OSError`` if the folder cannot
        be written.
        """
        return os.fspath(self._session.save(os.fspath(folder), self._reproduce))

    def _repr_html_(self) -> str:
        html: str = self.to_pandas().to_html(max_rows=20)
        return html

    def __repr__(self) -> str:
        record = self.record
        failed = len(self.errors)
        told = f", {failed} failed" if failed else ""
        return f"<StudyResult {record['name']}: {len(record['rows'])} rows{told}>"


def _test(test: Any) -> dict[str, Any]:
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise InputError(f"tests: {test!r} is not a pair of an edition and the id of a test")
    edition, name = test
    return {"edition": os.fspath(edition), "id": name}


def _finite(value: Any) -> Any:
    """Rejects NaN and infinity, for which JSON has no number."""
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        raise InputError(f"{value} is not a finite number")
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return value


def _step(step: Step) -> Any:
    if isinstance(step, Job):
        return {"job": str(step)}
    if isinstance(step, str) and "[" in step:
        return {"job": step}
    if isinstance(step, Mapping):
        return _finite({key: str(of) if isinstance(of, Job) else of for key, of in step.items()})
    return _finite(step)


def _job(
    name: str, job: AnyJob, sample_ms: int, outcomes: Sequence[str] | None
) -> dict[str, Any]:
    text, is_file = job_text(job)
    entry: dict[str, Any] = {"name": name, "sample_ms": sample_ms}
    entry["file" if is_file else "text"] = text
    if outcomes is not None:
        if isinstance(outcomes, str):
            raise InputError(f"outcomes {outcomes!r}: it must be a list, such as [{outcomes!r}]")
        entry["outcomes"] = list(outcomes)
    return entry


def _factor(name: str, values: Factor) -> dict[str, Any]:
    if isinstance(values, Range):
        return {"key": name, **_finite(values.entry())}
    if isinstance(values, Mapping):
        sets = [_finite(_values.overrides(each) or {}) for each in values.values()]
        return {"name": name, "values": sets, "labels": [str(label) for label in values]}
    if isinstance(values, str):
        raise InputError(f"factor {name}: {values!r} must be a list, such as [{values!r}]")
    plain = _values.overrides({"values": list(values)}) or {}
    return {"key": name, "values": _finite(plain["values"])}
