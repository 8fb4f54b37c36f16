"""Ctrl-C."""

from __future__ import annotations

import itertools
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import stend

LONG = stend.Job(rw="randwrite", bs="4k", iodepth=32, runtime=1_000_000)
BURSTS = stend.Job(rw="randwrite", bs="4k", iodepth=1, runtime=10_000_000, thinktime="1s")
GOOD = (0.0, "write", 0, 4096)

#: Calls that would last for minutes.
CALLS: dict[str, Callable[[stend.Drive], Any]] = {
    "run": lambda drive: drive.run(LONG),
    "thinking": lambda drive: drive.run(BURSTS),
    "phases": lambda drive: drive.run(f"{LONG}\n{LONG}stonewall\n"),
    "tuples": lambda drive: drive.replay(itertools.repeat(GOOD)),
    "slow": lambda drive: drive.replay(map(slowly, itertools.count())),
    "review": lambda drive: stend.review(drive, tests=["degradation"], duration_scale=50),
}


def slowly(_: int) -> tuple[float, str, int, int]:
    time.sleep(0.01)
    return GOOD


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_call_soon_and_leaves_a_drive(name: str, full_drive: stend.Drive) -> None:
    drive = full_drive.copy()
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        CALLS[name](drive)
    took_s = time.monotonic() - sent[0]
    timer.join()
    # About 0.1 s, plus delays on a busy machine.
    assert took_s < 1.0, took_s
    assert drive.run("[a]\nrw=write\nsize=1m").write.bytes == 1 << 20


def test_a_rest_is_the_same_in_slices(full_drive: stend.Drive) -> None:
    """A rest in slices, between which a call checks its flag, equals the command line's rest."""
    whole, parts = full_drive.copy(), full_drive.copy()
    for drive in (whole, parts):
        drive.run(stend.Job(rw="randwrite", bs="4k", iodepth=8, runtime=5))
    whole.idle(60)
    for _ in range(60):
        parts.idle(1)
    # The number of slices is not part of the history.
    assert whole.now_s == parts.now_s
    assert whole.counters == parts.counters and whole.history_hash == parts.history_hash
