"""Checks of values that callers give."""

from __future__ import annotations

import difflib
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, SupportsIndex

from . import _stend
from ._errors import InputError

#: A file or folder.
Path = str | os.PathLike[str]


def whole(name: str, value: SupportsIndex, least: int = 0, bits: int = 64) -> int:
    """A whole number from ``least`` on that fits into so many bits."""
    most = 2**bits - 1
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} {value!r}: it must be a whole number") from None
    if not least <= number <= most:
        raise InputError(f"{name} {number}: it must be from {least} to {most}")
    return number


def listed(name: str, values: Iterable[Any]) -> list[Any]:
    """A list: a text alone would be taken letter by letter."""
    if isinstance(values, (str, bytes, os.PathLike)):
        raise InputError(f"{name} {values!r}: it must be a list, such as [{values!r}]")
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{name} {values!r}: it must be a list") from None


def one_or_more(name: str, paths: Path | Sequence[Path]) -> list[Any]:
    """A path, or a list of them, as a list."""
    return [paths] if isinstance(paths, (str, os.PathLike)) else listed(name, paths)


def mapped(name: str, values: Mapping[str, Any] | None) -> dict[str, Any]:
    """A mapping of names to values; an empty one of ``None``."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise InputError(f"{name} {values!r}: it must be a mapping of names to values")
    for key in values:
        if not isinstance(key, str):
            raise InputError(f"{name} {key!r}: a key is text")
    return dict(values)


def real(name: str, value: float) -> float:
    """A number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} {value!r}: it must be a number") from None


def path(name: str, value: Any) -> str:
    """A path as text."""
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise InputError(f"{name} {value!r}: it must be a name or a path as text")
    return text


def model_file(name: Path) -> tuple[str, bool]:
    """A model's name, or the path of its file and that it is one."""
    text = path("drive", name)
    if text.endswith(".toml"):
        os.stat(text)
        return text, True
    names = capacities()
    if text in names:
        return text, False
    like = difflib.get_close_matches(text, list(names), 6, 0.4) or list(names)
    raise InputError(
        f"there is no drive model `{text}`; shipped models like it: {', '.join(like)}; "
        "stend.drives() lists all. A model file ends in .toml; Drive.open() opens a state file"
    )


@cache
def capacities() -> dict[str, int]:
    """The capacity of each shipped model, bytes, by its name."""
    return {row[0]: row[3] for row in _stend.drives()}


def overrides(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Figures by their keys, numbers of NumPy as Python's."""
    if values is None:
        return None
    return {key: plain(value) for key, value in mapped("overrides", values).items()}


def plain(value: Any) -> Any:
    """Numbers of NumPy as Python's."""
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


#: Bytes of memory for each logical page of 4 KiB of a drive that was written all over.
_BYTES_PER_PAGE = 10


def threads(capacity_bytes: int, wanted: SupportsIndex | None) -> int:
    """How many simulations of drives of this capacity run at a time: as many as are wanted, or as
    there are processors, and memory for."""
    if wanted is not None:
        return whole("threads", wanted, 1, 16)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    drive_bytes = capacity_bytes // 4096 * _BYTES_PER_PAGE
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return processors
    # Two more are kept beside those that are worked on.
    fitting = free * 1024 // drive_bytes - 2 if drive_bytes else processors
    return max(1, min(processors, fitting))
