"""Exceptions of the package. Errors of files are Python's own ``OSError``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import RunResult


class Error(Exception):
    """Any error of stend."""


class InputError(Error, ValueError):
    """Something that was given is wrong: a name, a figure, a job, a range.

    Nothing was done, but for the requests of a replay before the one that is wrong.
    """


class DriveError(Error):
    """A simulated drive refuses or fails, as one whose flash is worn out."""

    #: What a job measured until then, where there is anything.
    result: RunResult | None = None


for _class in (Error, InputError, DriveError):
    _class.__module__ = "stend"
