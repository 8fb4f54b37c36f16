"""Streams of requests."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import stend
from test_drive import MORTAL

COUNT = 40_000


def columns(count: int = COUNT) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(3)
    pages = stend.Drive("demo-8gb").capacity_bytes // 4096
    return {
        "time_s": np.sort(rng.random(count)),
        "op": rng.integers(0, 4, count).astype(np.uint8),
        "offset_bytes": rng.integers(0, pages - 1, count) * 4096,
        "length_bytes": rng.integers(1, 3, count) * 4096,
    }


def tuples(of: dict[str, np.ndarray[Any, Any]]) -> list[tuple[Any, ...]]:
    return list(zip(*(column.tolist() for column in of.values())))


def test_all_forms_of_a_stream_are_the_same(full_drive: stend.Drive) -> None:
    whole = columns()
    rows = tuples(whole)
    named = [(t, ("read", "write", "trim", "flush")[op], o, n) for t, op, o, n in rows]
    words = np.array([row[1] for row in named])
    cuts = [slice(i, i + 777) for i in range(0, COUNT, 777)]
    chunks = [{key: column[cut] for key, column in whole.items()} for cut in cuts]
    forms: dict[str, Any] = {
        "mapping": whole,
        "arrays": tuple(whole.values()),
        "table": pd.DataFrame(whole),
        "arrow": pa.table(whole),
        "words": whole | {"op": words},
        "chunks": iter(chunks),
        "strided": {key: np.repeat(column, 2)[::2] for key, column in whole.items()},
        "tuples": iter(rows),
        "lists": [list(row) for row in rows],
        "named": (row for row in named),
        "scalars": (tuple(np.asarray(v)[()] for v in row) for row in rows),
    }
    hashes = {}
    for name, form in forms.items():
        drive = full_drive.copy()
        result = drive.replay(form, timing="original", depth=32)
        assert result.requests == COUNT
        hashes[name] = drive.history_hash
    assert len(set(hashes.values())) == 1, hashes


def test_totals_and_latencies(full_drive: stend.Drive) -> None:
    whole = columns()
    result = full_drive.copy().replay(whole, depth=16, latencies=True)
    moved = whole["length_bytes"]
    for number, op in enumerate((result.read, result.write, result.trim)):
        chosen = whole["op"] == number
        assert op.requests == chosen.sum() and op.bytes == moved[chosen].sum()
    assert result.flush.bytes == 0 and result.flush.requests == (whole["op"] == 3).sum()
    latencies = result.latencies
    assert latencies is not None and len(latencies) == COUNT and not latencies.flags.owndata
    reads = latencies[whole["op"] == 0]
    assert reads.max() == result.read.latency.max_ns
    assert reads.mean() == pytest.approx(result.read.latency.mean_ns)
    assert result.lateness is None and result.busy_s == pytest.approx(result.elapsed_s)
    again = full_drive.copy().replay(whole, depth=16)
    assert again.latencies is None and again.elapsed_s == result.elapsed_s


def test_timings(full_drive: stend.Drive) -> None:
    rows = [(0.0, "read", 0, 4096), (5.0, "read", 4096, 4096), (4.0, "read", 8192, 4096)]
    original = full_drive.copy().replay(rows, timing="original")
    busy = full_drive.copy().replay(rows, timing="busy")
    fast = full_drive.copy().replay(rows, depth=1)
    assert 5.0 < original.elapsed_s < 5.1
    assert busy.elapsed_s + busy.left_out_s == pytest.approx(original.elapsed_s, abs=0.01)
    assert fast.elapsed_s < 0.1 and original.busy_s < 0.1
    assert original.lateness is not None and original.lateness.far_requests == 0


def test_a_trace_in_a_file_is_that_stream(full_drive: stend.Drive, tmp_path: pathlib.Path) -> None:
    rows = [(n / 1000, n % 2, n * 4096, 4096) for n in range(1000)]
    lines = [f"{n * 1000} f {('read', 'write')[n % 2]} {n * 4096} 4096" for n in range(1000)]
    file = tmp_path / "trace.log"
    head = ["fio version 3 iolog", "0 f add", "0 f open"]
    file.write_text("\n".join([*head, *lines]) + "\n")
    one, two = full_drive.copy(), full_drive.copy()
    result = one.replay(file, timing="original")
    assert result.requests == 1000 and result.unwritten_reads == 0
    stream = two.replay(rows, timing="original")
    assert stream.read.latency.mean_ns == result.read.latency.mean_ns
    assert one.history_hash == two.history_hash
    with pytest.raises(FileNotFoundError):
        one.replay("missing.log")
    broken = tmp_path / "broken.log"
    broken.write_text("nothing")
    with pytest.raises(stend.InputError):
        one.replay(broken)


GOOD = (0.0, "write", 0, 4096)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((0.0, "write", 1, 4096), "whole sectors"),
        ((0.0, "write", 0, 100), "whole sectors"),
        ((0.0, "write", 8_000_000_000, 4096), "beyond"),
        ((0.0, "write", 2**64 - 512, 4096), "beyond"),
        ((0.0, "write", 0, 0), "0 bytes"),
        ((0.0, "write", -512, 512), "no whole number"),
        ((0.0, "write", 2**64, 512), "no whole number"),
        ((0.0, "write", 0.5, 512), "no whole number"),
        ((0.0, "erase", 0, 512), "there is no operation"),
        ((0.0, 4, 0, 512), "there is no operation"),
        ((0.0, None, 0, 512), "there is no operation"),
        ((float("nan"), "read", 0, 512), "time"),
        ((-1.0, "read", 0, 512), "time"),
        ((1e300, "read", 0, 512), "time"),
        (("now", "read", 0, 512), "its time is not a number"),
        ((0.0, "read", 0), "3 values"),
        (5, "is not a tuple"),
    ],
)
def test_a_wrong_request_is_named(full_drive: stend.Drive, wrong: Any, said: str) -> None:
    drive = full_drive.copy()
    before = drive.counters
    with pytest.raises(stend.InputError, match="request 2: .*" + re.escape(said)):
        drive.replay([GOOD, wrong, GOOD])
    assert (drive.counters - before).host_writes <= 1
    drive.replay([GOOD])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"offset_bytes": np.array([1])}, "request 1: .*whole sectors"),
        ({"offset_bytes": np.array([-512])}, "negative"),
        ({"offset_bytes": np.array([0.5])}, "float64"),
        ({"op": np.array([4])}, "no operation 4"),
        ({"op": np.array([-1])}, "no operation -1"),
        ({"op": np.array(["erase"])}, "no operation 'erase'"),
        ({"time_s": np.array([np.nan])}, "request 1: a time"),
        ({"time_s": np.zeros((1, 1))}, "dimensions"),
        ({"time_s": np.zeros(2)}, "differ in length"),
        ({"length_bytes": np.array([0])}, "0 bytes"),
    ],
)
def test_a_wrong_array_is_named(full_drive: stend.Drive, change: Any, said: str) -> None:
    good = {
        "time_s": np.zeros(1),
        "op": np.zeros(1, int),
        "offset_bytes": np.zeros(1, int),
        "length_bytes": np.full(1, 512),
    }
    full_drive.copy().replay(good)
    with pytest.raises(stend.InputError, match=said):
        full_drive.copy().replay(good | change)


def test_wrong_options_are_named(full_drive: stend.Drive) -> None:
    for options in ({"timing": "slow"}, {"depth": 0}, {"depth": 5000}, {"depth": -1}):
        with pytest.raises(stend.InputError):
            full_drive.copy().replay([GOOD], **options)
    with pytest.raises(stend.InputError):
        full_drive.copy().replay(5)  # type: ignore[arg-type]
    with pytest.raises(stend.InputError, match="no length_bytes"):
        full_drive.copy().replay({key: np.zeros(1) for key in ("time_s", "op", "offset_bytes")})


def test_wrap_makes_requests_fit(full_drive: stend.Drive) -> None:
    drive = full_drive.copy()
    rows = [(0.0, "write", 10**15 + 1, 100), (0.0, "read", 1, 4096)]
    assert drive.replay(rows, wrap=True).requests == 2


def test_an_exception_of_the_iterator_comes_through(full_drive: stend.Drive) -> None:
    def failing() -> Iterator[tuple[float, str, int, int]]:
        for _ in range(50_000):
            yield GOOD
        raise LookupError("mine")

    drive = full_drive.copy()
    with pytest.raises(LookupError, match="mine"):
        drive.replay(failing())
    assert drive.replay([GOOD]).requests == 1


def test_an_empty_stream_is_nothing(full_drive: stend.Drive) -> None:
    result = full_drive.copy().replay([])
    assert (result.requests, result.elapsed_s, result.iops) == (0, 0.0, 0.0)
    assert full_drive.copy().replay(columns(0), latencies=True).requests == 0


def test_an_endless_stream_ends_with_the_drive() -> None:
    drive = stend.Drive("demo-8gb", overrides=MORTAL)

    def forever() -> Iterator[tuple[float, str, int, int]]:
        while True:
            for offset in range(0, drive_bytes - 2**20, 2**20):
                yield (0.0, "write", offset, 2**20)

    drive_bytes = drive.capacity_bytes
    with pytest.raises(stend.DriveError, match="write failed"):
        drive.replay(forever())
