"""Independent tasks on a Ray cluster: rows of studies, drives of findings, runs of a fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from . import _stend
from ._errors import Error, InputError

#: Callback for progress: tasks done, tasks in total, description of the last one.
Progress = Callable[[int, int, str], object]

#: Submitted tasks that are not done, for each processor: few, so that the driver can hold a study
#: of a million rows, and enough that no processor waits for the driver.
_AHEAD = 3

#: Restarts of a task whose process or node has died. A task that kills every process in which it
#: runs must end some time.
_RETRIES = 3

#: Largest number of rows in a task, so that its result stays small.
_ROWS_MAX = 64

#: Smallest number of tasks for each processor, if there are enough rows: the last tasks then end at
#: about the same time.
_TASKS_PER_CPU = 8

Key = TypeVar("Key")


class Tasks(Protocol[Key]):
    """Independent tasks, each carried out once."""

    def function(self) -> Callable[..., list[str]]:
        """Returns the function that a worker calls with :meth:`shared` and the keys of a task.

        Its result has one text for each key.
        """

    def shared(self) -> tuple[Any, ...]:
        """Returns the arguments that all tasks share, stored once in the cluster."""

    def tasks(self, processors: int) -> Iterable[Sequence[Key]]:
        """Returns the keys of each task."""

    def total(self) -> tuple[int, int]:
        """Returns the number of keys that were done before, and the number of all keys."""

    def keep(self, key: Key, result: str) -> str:
        """Stores a result; returns a description of it for the progress."""

    def failed(self, key: Key, why: str) -> None:
        """Notes that no worker could carry out a key."""

    def flush(self) -> None:
        """Writes results that are only in memory. Called when the driver ends, for any reason."""


@lru_cache(maxsize=8)
def _plan(definition: str) -> _stend.StudyPlan:
    """Plans a study, once in each worker process."""
    return _stend.StudyPlan.from_json(definition, ".")


def _rows(definition: str, series: str | None, numbers: list[int]) -> list[str]:
    """Carries out rows of a study, in a worker."""
    return _plan(definition).carry_out(numbers, 1, series)


class StudyTasks:
    """The rows of a study, as tasks."""

    def __init__(
        self, plan: _stend.StudyPlan, session: _stend.StudySession, series: str | None
    ) -> None:
        self._plan = plan
        self._session = session
        self._series = series
        self._open = session.open_rows()

    def function(self) -> Callable[..., list[str]]:
        return _rows

    def shared(self) -> tuple[Any, ...]:
        return (self._plan.definition(), self._series)

    def tasks(self, processors: int) -> Iterator[list[int]]:
        """Yields tasks of rows that share a prepared state, and combines states with few rows.

        Tasks are small enough that every processor gets several.
        """
        wanted = set(self._open)
        most = max(1, min(_ROWS_MAX, len(wanted) // (processors * _TASKS_PER_CPU)))
        task: list[int] = []
        for group in self._plan.groups():
            rows = [row for row in group if row in wanted]
            if len(task) + len(rows) > most and task:
                yield task
                task = []
            while len(rows) > most:
                yield rows[:most]
                rows = rows[most:]
            task += rows
        if task:
            yield task

    def total(self) -> tuple[int, int]:
        return self._plan.rows() - len(self._open), self._plan.rows()

    def keep(self, key: int, result: str) -> str:
        self._session.keep(result)
        return f"row {key}"

    def failed(self, key: int, why: str) -> None:
        self._session.keep(self._plan.failed(key, why))

    def flush(self) -> None:
        self._session.flush()


def connected(address: bool | str) -> Any:
    """Connects Ray to a cluster; returns the module."""
    try:
        import ray
    except ImportError:
        raise Error("Ray is not installed; run pip install 'stend[ray]'") from None
    if not ray.is_initialized():
        if not isinstance(address, str):
            # By itself, Ray would connect to a cluster that another program has left running.
            address = os.environ.get("RAY_ADDRESS") or "local"
        ray.init(address=address, log_to_driver=False)
    elif isinstance(address, str) and address not in ("auto", "local"):
        there = ray.get_runtime_context().gcs_address
        if address.removeprefix("ray://") != there:
            raise InputError(
                f"ray {address!r}: Ray is connected to {there} already; call ray.shutdown() first"
            )
    return ray


class _Driver(Generic[Key]):
    """The process that submits tasks and stores their results."""

    def __init__(self, ray: Any, tasks: Tasks[Key], progress: Progress | None) -> None:
        self._ray = ray
        self._tasks = tasks
        self._progress = progress
        self._done, self._of = tasks.total()
        self._under_way: dict[Any, list[Key]] = {}
        self._function = ray.remote(num_cpus=1, max_retries=_RETRIES)(tasks.function())
        self._shared = [ray.put(value) for value in tasks.shared()]

    def run(self) -> None:
        processors = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        waiting = iter(self._tasks.tasks(processors))
        try:
            for keys in waiting:
                self._submit(list(keys))
                if len(self._under_way) >= processors * _AHEAD:
                    self._take_one()
            while self._under_way:
                self._take_one()
        except BaseException:
            for task in self._under_way:
                self._ray.cancel(task, force=True)
            raise
        finally:
            self._tasks.flush()

    def _submit(self, keys: list[Key]) -> None:
        self._under_way[self._function.remote(*self._shared, keys)] = keys

    def _take_one(self) -> None:
        ready, _ = self._ray.wait(list(self._under_way), num_returns=1)
        keys = self._under_way.pop(ready[0])
        try:
            results = self._ray.get(ready[0])
        except self._ray.exceptions.RayError as error:
            self._again(keys, error)
            return
        for key, result in zip(keys, results, strict=True):
            self._tell(self._tasks.keep(key, result))

    def _again(self, keys: list[Key], error: Exception) -> None:
        """Submits each key of a task that Ray has given up alone, so that the others succeed."""
        if len(keys) > 1:
            for key in keys:
                self._submit([key])
            return
        cause = getattr(error, "cause", None) or error
        why = str(cause).strip().splitlines()
        why_line = why[-1] if why else type(cause).__name__
        self._tasks.failed(keys[0], f"no worker could carry it out: {why_line}")
        self._tell("a task that no worker could carry out")

    def _tell(self, what: str) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._of, what)


def on_ray(tasks: Tasks[Any], address: bool | str, progress: Progress | None) -> None:
    """Carries out tasks with Ray.

    Each task is an independent call, which Ray starts again elsewhere if its process or node dies.
    This process receives each result once and stores it.
    """
    _Driver(connected(address), tasks, progress).run()
