"""Checks of arguments."""

from __future__ import annotations

import difflib
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, SupportsIndex

from . import _stend
from ._errors import InputError

#: Path of a file or folder.
Path = str | os.PathLike[str]


def whole(name: str, value: SupportsIndex, least: int = 0, bits: int = 64) -> int:
    """Checks that ``value`` is an integer from ``least`` to 2^``bits`` - 1, and returns it."""
    most = 2**bits - 1
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} {value!r}: it must be a whole number") from None
    if not least <= number <= most:
        raise InputError(f"{name} {number}: it must be from {least} to {most}")
    return number


def listed(name: str, values: Iterable[Any]) -> list[Any]:
    """Returns ``values`` as a list. Rejects a string, whose letters would become the entries."""
    if isinstance(values, (str, bytes, os.PathLike)):
        raise InputError(f"{name} {values!r}: it must be a list, such as [{values!r}]")
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{name} {values!r}: it must be a list") from None


def one_or_more(name: str, paths: Path | Sequence[Path]) -> list[Any]:
    """Returns a path, or a list of paths, as a list."""
    return [paths] if isinstance(paths, (str, os.PathLike)) else listed(name, paths)


def mapped(name: str, values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Checks that ``values`` maps names to values, and returns a copy; ``None`` is empty."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise InputError(f"{name} {values!r}: it must be a mapping of names to values")
    for key in values:
        if not isinstance(key, str):
            raise InputError(f"{name} {key!r}: a key must be text")
    return dict(values)


def real(name: str, value: float) -> float:
    """Returns ``value`` as a floating-point number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} {value!r}: it must be a number") from None


def path(name: str, value: Any) -> str:
    """Returns a path as text."""
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise InputError(f"{name} {value!r}: it must be a name or a path as text")
    return text


def model_file(name: Path) -> tuple[str, bool]:
    """Returns a model's name and false, or the path of its file and true."""
    text = path("drive", name)
    if text.endswith(".toml"):
        os.stat(text)
        return text, True
    names = capacities()
    if text in names:
        return text, False
    like = difflib.get_close_matches(text, list(names), 6, 0.4) or list(names)
    raise InputError(
        f"there is no drive model `{text}`; similar shipped models: {', '.join(like)}; "
        "stend.drives() lists all. A model file must end in .toml; Drive.open() opens a state file"
    )


@cache
def capacities() -> dict[str, int]:
    """Returns the capacity of each shipped model, bytes, by its name."""
    return {row[0]: row[3] for row in _stend.drives()}


def overrides(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Checks overrides, and converts NumPy's numbers in them to Python's."""
    if values is None:
        return None
    return {key: plain(value) for key, value in mapped("overrides", values).items()}


def plain(value: Any) -> Any:
    """Converts NumPy's numbers to Python's, also in lists."""
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


#: Memory for each logical page of 4 KiB of a full drive, bytes.
_BYTES_PER_PAGE = 10


def threads(capacity_bytes: int, wanted: SupportsIndex | None) -> int:
    """Returns the number of simulations of drives of this capacity that run at a time.

    It is ``wanted``, or the number that processors and memory allow.
    """
    if wanted is not None:
        return whole("threads", wanted, 1, 16)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    drive_bytes = capacity_bytes // 4096 * _BYTES_PER_PAGE
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return processors
    # Two more drives are in memory beside those that are simulated.
    fitting = free * 1024 // drive_bytes - 2 if drive_bytes else processors
    return max(1, min(processors, fitting))
