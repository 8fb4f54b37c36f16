"""Exceptions of the package. Errors of files are Python's own ``OSError``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import RunResult


class Error(Exception):
    """Any error of stend."""


class InputError(Error, ValueError):
    """Invalid input: a name, a figure, a job, a range.

    The drive is unchanged, except by the requests of a replay before the invalid one.
    """


class DriveError(Error):
    """Refusal or failure of a simulated drive, for example one whose flash is worn out."""

    #: Measurements of the job until the failure; ``None`` if no job was running.
    result: RunResult | None = None


for _class in (Error, InputError, DriveError):
    _class.__module__ = "stend"
