"""Independent tasks on a Ray cluster: rows of studies, drives of findings, runs of a fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from . import _stend
from ._errors import Error, InputError

#: Told: done, of how many, what.
Progress = Callable[[int, int, str], object]

#: Tasks that are submitted and not done yet, for each processor: few, so that a study of a million
#: rows fits into the driver, and enough that no processor waits for the driver.
_AHEAD = 3

#: How often Ray starts a task again whose process or node has died. A task that kills every
#: process it runs in must come to an end.
_RETRIES = 3

#: Rows of one task at most, so that its result stays small.
_ROWS_MAX = 64

#: Tasks for each processor at least, as long as there are rows: so that the last ones end together.
_TASKS_PER_CPU = 8

Key = TypeVar("Key")


class Tasks(Protocol[Key]):
    """What is to be done: independent tasks, each carried out once."""

    def function(self) -> Callable[..., list[str]]:
        """What a worker calls, with :meth:`shared` and the arguments of a task. It answers as many
        texts as the task has keys."""

    def shared(self) -> tuple[Any, ...]:
        """Arguments of all tasks, stored once in the cluster."""

    def tasks(self, processors: int) -> Iterable[Sequence[Key]]:
        """The keys of each task."""

    def total(self) -> tuple[int, int]:
        """Keys that were done before, and how many there are in all."""

    def keep(self, key: Key, result: str) -> str:
        """Takes in a result; what to tell of it."""

    def failed(self, key: Key, why: str) -> None:
        """A task that could not be carried out by any worker."""

    def flush(self) -> None:
        """Called whenever the driver ends, and now and then."""


@lru_cache(maxsize=8)
def _plan(definition: str) -> _stend.StudyPlan:
    """Planned once in each worker process."""
    return _stend.StudyPlan.from_json(definition, ".")


def _rows(definition: str, series: str | None, numbers: list[int]) -> list[str]:
    """Carries rows of a study out, in a worker."""
    return _plan(definition).carry_out(numbers, 1, series)


class StudyTasks:
    """The rows of a study."""

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
        """Rows of one state together, and states of few rows, as long as all processors have
        enough to do."""
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
    """Ray, connected to a cluster."""
    try:
        import ray
    except ImportError:
        raise Error("ray is not installed: pip install 'stend[ray]'") from None
    if not ray.is_initialized():
        if not isinstance(address, str):
            # Not one that another program has left behind.
            address = os.environ.get("RAY_ADDRESS") or "local"
        ray.init(address=address, log_to_driver=False)
    elif isinstance(address, str) and address not in ("auto", "local"):
        there = ray.get_runtime_context().gcs_address
        if address.removeprefix("ray://") != there:
            raise InputError(
                f"ray {address!r}: Ray is connected to {there} already; ray.shutdown() leaves it"
            )
    return ray


class _Driver(Generic[Key]):
    """Hands tasks out, and takes their results in."""

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
        """Ray gave a task up: each of its keys alone, so that one of them costs no other."""
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
    """Carries tasks out by Ray.

    Each task is an independent call; one whose process or node dies is started again elsewhere. A
    result is taken in once, by this process, which keeps it.
    """
    _Driver(connected(address), tasks, progress).run()
