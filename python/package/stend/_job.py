"""fio jobs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _values
from ._errors import InputError
from ._values import Path

#: A value of an option of fio.
Option = str | int | float | bool | np.number[Any] | np.bool_


class Job:
    """One section of a fio job file.

    Every keyword is an option of fio, with fio's name and units: ``bs="4k"``, ``runtime=600`` in
    seconds. ``True`` and ``False`` are written as 1 and 0. With ``runtime``, but neither ``size``
    nor ``time_based``, the job lasts for that time (``time_based=1``). Options are checked when the
    job runs.

    ``str(job)`` is the text of the job file.
    """

    def __init__(self, name: str = "job", /, **options: Option) -> None:
        if not name or any(c in name for c in "[]\n") or name == "global":
            raise InputError(
                f"job name {name!r}: it must not be empty or `global`, nor contain brackets or "
                "line breaks"
            )
        self.name = name
        self.options: dict[str, Option] = dict(options)
        if "runtime" in options and not {"size", "time_based"} & set(options):
            self.options["time_based"] = True

    def __str__(self) -> str:
        lines = [f"[{self.name}]"]
        for key, value in self.options.items():
            value = _values.plain(value)
            text = str(int(value)) if isinstance(value, bool) else str(value)
            if "\n" in text:
                raise InputError(f"option {key}: its value must not contain a line break")
            lines.append(f"{key}={text}")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"Job({self.name!r}{options})"


#: A job: text of a job file, its path, a :class:`Job`, or several jobs that run at the same time.
AnyJob = Path | Job | Sequence[Job]


def job_text(job: AnyJob) -> tuple[str, bool]:
    """Returns the text of a job file and false, or the path of a job file and true."""
    if isinstance(job, Job):
        return str(job), False
    if isinstance(job, (str, os.PathLike)):
        text = os.fspath(job)
        is_text = isinstance(job, str) and not os.path.exists(text)
        if is_text and ("\n" in text or "[" in text):
            return text, False
        os.stat(text)
        return text, True
    jobs = list(job) if isinstance(job, Sequence) else []
    if not jobs or not all(isinstance(each, Job) for each in jobs):
        raise InputError(
            f"{job!r} is not a list of stend.Job; a job is a stend.Job, a list of them, the text "
            "of a job file or its path"
        )
    return "\n".join(str(each) for each in jobs), False
