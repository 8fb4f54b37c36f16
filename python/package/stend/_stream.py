"""Conversion of streams of requests to the form that the binding accepts."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._errors import InputError

#: A request: (time_s, op, offset_bytes, length_bytes), with op as a name or a number.
Request = tuple[float, str | int, int, int]

#: Columns of requests: a tuple of four arrays, or a mapping or table with their names.
Chunk = Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike] | pd.DataFrame

#: Names of the columns.
COLUMNS = ("time_s", "op", "offset_bytes", "length_bytes")

#: Operations by number.
OPS = ("read", "write", "trim", "flush")

Columns = tuple[
    npt.NDArray[np.float64], npt.NDArray[np.uint8], npt.NDArray[np.uint64], npt.NDArray[np.uint64]
]


def stream(requests: Any) -> tuple[Iterator[Any], bool]:
    """Returns an iterator of requests, and true if it yields arrays of them."""
    if is_chunk(requests):
        return iter([columns(requests)]), True
    if not isinstance(requests, Iterable):
        raise InputError(
            f"{requests!r} is not a stream of requests: pass an iterator of tuples {COLUMNS}, or "
            "arrays of these"
        )
    items = iter(requests)
    first = list(itertools.islice(items, 1))
    whole = itertools.chain(first, items)
    if first and is_chunk(first[0]):
        return (columns(chunk) for chunk in whole), True
    return whole, False


def is_chunk(value: Any) -> bool:
    """True if ``value`` is a tuple, mapping or table (of pandas, Polars or Arrow) of arrays."""
    if isinstance(value, Mapping) or hasattr(value, "to_numpy") or hasattr(value, "column_names"):
        return True
    if not isinstance(value, (tuple, list)) or not value:
        return False
    return isinstance(value[0], np.ndarray) or hasattr(value[0], "to_numpy")


def columns(chunk: Any) -> Columns:
    """Returns the four columns of a chunk as contiguous arrays of their types, of equal length."""
    if isinstance(chunk, (tuple, list)):
        if len(chunk) != len(COLUMNS):
            raise InputError(f"a chunk has {len(chunk)} arrays; it must have {COLUMNS}")
        arrays = list(chunk)
    else:
        names = getattr(chunk, "column_names", chunk)
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise InputError(f"a chunk has no {', '.join(missing)}; it must have {COLUMNS}")
        arrays = [chunk[name] for name in COLUMNS]
    time_s = _column("time_s", arrays[0], "iuf").astype(np.float64, copy=False)
    done: Columns = (
        np.ascontiguousarray(time_s),
        _ops(arrays[1]),
        _bytes("offset_bytes", arrays[2]),
        _bytes("length_bytes", arrays[3]),
    )
    sizes = [column.size for column in done]
    if len(set(sizes)) > 1:
        lengths = ", ".join(f"{name} {size}" for name, size in zip(COLUMNS, sizes))
        raise InputError(f"the arrays of a chunk differ in length: {lengths}")
    return done


def _column(name: str, values: Any, kinds: str) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; it must have one")
    if array.dtype.kind not in kinds:
        wanted = {"iuf": "numbers", "iu": "integers"}.get(kinds, "integers or names")
        raise InputError(f"{name} is an array of {array.dtype}; it must hold {wanted}")
    return array


def _bytes(name: str, values: Any) -> npt.NDArray[np.uint64]:
    array = _column(name, values, "iu")
    if array.dtype.kind == "i" and array.size and int(array.min()) < 0:
        raise InputError(f"{name} contains {int(array.min())}; it must not be negative")
    return np.ascontiguousarray(array.astype(np.uint64, copy=False))


def _ops(values: Any) -> npt.NDArray[np.uint8]:
    array = _column("op", values, "iuUOT")
    if array.dtype.kind in "UOT":
        numbers = {name: number for number, name in enumerate(OPS)}
        names, which = np.unique(array.astype(str), return_inverse=True)
        unknown = [str(name) for name in names if str(name) not in numbers]
        if unknown:
            raise InputError(f"there is no operation {unknown[0]!r}; use {', '.join(OPS)}")
        array = np.array([numbers[str(name)] for name in names], dtype=np.uint8)[which]
    elif array.size and not 0 <= int(array.min()) <= int(array.max()) < len(OPS):
        wrong = int(array.min()) if int(array.min()) < 0 else int(array.max())
        raise InputError(f"there is no operation {wrong}; use 0 to 3: {', '.join(OPS)}")
    return np.ascontiguousarray(array.astype(np.uint8, copy=False))
