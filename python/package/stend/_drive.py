"""Simulated drives."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _stend, _values
from ._errors import DriveError, Error, InputError
from ._job import AnyJob, job_text
from ._result import ReplayResult, RunResult
from ._stream import Chunk, Request, stream
from ._values import Path

#: When requests of a replay are issued.
Timing = Literal["fast", "original", "busy"]


class Counters(Mapping[str, int]):
    """All counters of a simulated drive since power-on, by name or as attributes.

    Pages are logical pages of 4 KiB; names end in their unit where it is another. ``later -
    earlier`` is what happened in between; of values of the last event (``save_ns_last``,
    ``recovery_ns_last``) it means nothing.
    """

    def __init__(self, values: Mapping[str, int]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> int:
        # Before there are values, as while a copy is made, there is no attribute at all.
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        names = ", ".join(self._values)
        raise AttributeError(f"there is no counter {name}; there are {names}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __sub__(self, earlier: Counters) -> Counters:
        return Counters({name: value - earlier[name] for name, value in self.items()})

    @property
    def write_amplification(self) -> float | None:
        """Pages placed in flash for each page that the host wrote.

        Host writes, garbage collection, wear levelling and folding count; parity and padding do
        not. ``None`` where nothing was written.
        """
        host = self.host_pages_written
        moved = self.pages_relocated + self.pages_levelled + self.pages_folded
        return (host + moved) / host if host else None

    def __repr__(self) -> str:
        return f"Counters({self._values})"


@dataclass(frozen=True)
class Model:
    """What a drive was made of."""

    #: Name, as of the shipped model or of the file.
    name: str
    #: The drive's marketing name.
    title: str
    #: What the model stands on, in a sentence.
    description: str
    #: The whole drive file (TOML), parts and overrides included.
    text: str
    #: The hardware in words, by name.
    facts: dict[str, str]


class Drive:
    """A simulated solid-state drive, new and empty.

    ``name`` is a shipped model's (:func:`stend.drives` lists them) or the path of a model file,
    which ends in ``.toml``. ``overrides`` replace figures of the model by their keys, as in
    ``{"slc_cache.blocks_per_plane": 60, "nand.program_us[2]": 900}``. ``seed`` is that of jobs that
    name none.

    Time is the drive's own, virtual; the same calls give the same results to the byte, also on
    the command line. Calls simulate without Python's lock, so that several drives are simulated
    at a time on several threads. One drive serves one thread at a time: another one that uses it
    meanwhile gets :class:`stend.Error`. Ctrl-C ends a call early; the drive can be used further,
    in the state in which it then is.

    Raises :class:`stend.InputError` for an unknown model or a wrong figure, ``OSError`` for a file
    that cannot be read.
    """

    def __init__(
        self,
        name: Path,
        overrides: Mapping[str, Any] | None = None,
        seed: SupportsIndex = 1,
    ) -> None:
        self._seed = _values.whole("seed", seed)
        text, is_file = _values.model_file(name)
        self._drive = _stend.Drive(text, is_file, _values.overrides(overrides))

    @classmethod
    def _of(cls, drive: _stend.Drive, seed: int) -> Drive:
        made = cls.__new__(cls)
        made._drive = drive
        made._seed = seed
        return made

    @classmethod
    def open(cls, path: Path, seed: SupportsIndex = 1) -> Drive:
        """The drive in a state file, which stays locked until the drive is gone.

        The file changes only by :meth:`save`. Raises :class:`stend.InputError` where it holds no
        drive, ``OSError`` where it cannot be read or another program has it open for change.
        """
        os.stat(path)
        return cls._of(_stend.Drive.open(path), _values.whole("seed", seed))

    def save(self, path: Path | None = None) -> None:
        """Keeps the drive in a state file.

        That is a new one, which is the drive's own from then on, or the drive's own: the one that
        it was opened from or last saved to, which is replaced as a whole and is meant without
        ``path``. No other file is ever replaced: :class:`stend.InputError`. ``OSError`` where it
        cannot be written; its content is unchanged.
        """
        self._drive.save(path)

    @property
    def path(self) -> str | None:
        """The file in which the drive is kept, ``None`` of one in no file."""
        path = self._drive.path
        return None if path is None else os.fspath(path)

    def copy(self) -> Drive:
        """An independent drive in the same state, in no file. It costs what is changed later."""
        return Drive._of(self._drive.copy(), self._seed)

    def __copy__(self) -> Drive:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Drive:
        return self.copy()

    def fill(self, busy: bool = False) -> None:
        """Writes all of the drive once, 128 KiB in ascending order, and lets it rest for 15 minutes.

        That is ``stend run --fill``. ``busy=True`` leaves the rest out, as ``--fill=busy``: the drive
        is hot and still at work.
        """
        self._drive.fill(busy)

    def run(
        self,
        job: AnyJob,
        sample_ms: SupportsIndex = 1000,
        seed: SupportsIndex | None = None,
    ) -> RunResult:
        """Runs a fio job: text of a job file, its path, a :class:`Job`, or a list of them.

        Text is what has a line break or a bracket. ``sample_ms`` keeps a sample each so many
        milliseconds of virtual time, for :attr:`RunResult.series`, 0 none; ``seed`` is the root of all
        random choices of sections without ``randseed``.

        Raises :class:`stend.InputError` for a job that is wrong or does not fit the drive;
        :class:`stend.DriveError` when a request ended a job, as on a drive that is worn out, with
        what was measured until then in ``error.result``.
        """
        text, is_file = job_text(job)
        seed = self._seed if seed is None else _values.whole("seed", seed)
        sample_ms = _values.whole("sample_ms", sample_ms, bits=32)
        result = RunResult(self._drive.run(text, is_file, seed, sample_ms))
        if result.failed is not None:
            raise _failed(result)
        return result

    def replay(
        self,
        requests: Iterable[Request] | Iterable[Chunk] | Chunk | Path,
        timing: Timing = "fast",
        depth: SupportsIndex = 256,
        wrap: bool = False,
        latencies: bool = False,
    ) -> ReplayResult:
        """Serves requests in their order, at most ``depth`` outstanding.

        ``requests`` are an iterator of tuples ``(time_s, op, offset_bytes, length_bytes)``; a
        tuple of four arrays, or a mapping or table with columns of these names; an iterator of
        such chunks, by far the fastest way for many; or the path of a trace (fio's iolog,
        blkparse's text, MSR Cambridge). ``op`` is ``"read"``, ``"write"``, ``"trim"``,
        ``"flush"``, or 0 to 3. Offsets and lengths are multiples of 512 bytes within the drive;
        ``wrap`` makes others fit, modulo the drive's size. Those of a flush do not matter. An
        iterator is read some thousand requests ahead of the simulation.

        ``timing``: ``"fast"`` issues each as soon as fewer than ``depth`` are outstanding,
        ``"original"`` at its time since the beginning, ``"busy"`` at that time with idle time left
        out. A time that is before an earlier request's counts as that one's.

        ``latencies`` keeps the latency of each request, of streams.

        Raises :class:`stend.InputError` for a request that is wrong, which it names, and any
        exception of the iterator: the requests before it are done. :class:`stend.DriveError` when
        a request fails.
        """
        depth = _values.whole("depth", depth, bits=32)
        if isinstance(requests, (str, os.PathLike)):
            if latencies:
                raise InputError("latencies of each request are kept of streams, not of traces")
            os.stat(requests)
            done = self._drive.replay_file(requests, timing, depth, bool(wrap))
            return ReplayResult(done, False)
        items, of_arrays = stream(requests)
        done = self._drive.replay_stream(
            items, of_arrays, timing, depth, bool(wrap), bool(latencies)
        )
        return ReplayResult(done, latencies)

    def idle(self, seconds: float) -> None:
        """Lets so many seconds pass without a request; work in idle time is done.

        Raises :class:`stend.InputError` beyond the end of the drive's virtual time, which lasts
        for more than a year, of most drives for several.
        """
        self._drive.idle(_values.real("seconds", seconds))

    def trim(self, offset: SupportsIndex = 0, length: SupportsIndex | None = None) -> None:
        """TRIMs a range of whole sectors of 512 bytes, in bytes; without ``length`` to the end.

        Raises :class:`stend.InputError` for a range that is none and for a drive without TRIM,
        :class:`stend.DriveError` for one that is worn out.
        """
        length = None if length is None else _values.whole("length", length)
        self._drive.trim(_values.whole("offset", offset), length)

    def erase(self, crypto: bool = False) -> None:
        """Erases all of the flash; with ``crypto`` discards the key, where there is one."""
        self._drive.erase(crypto)

    def overprovision(self, user_bytes: SupportsIndex) -> None:
        """Changes what the host can address, bytes, of an empty drive."""
        self._drive.overprovision(_values.whole("user_bytes", user_bytes))

    def set_write_cache(self, on: bool) -> None:
        """Switches the acknowledging of writes from the buffer on or off."""
        self._drive.set_write_cache(bool(on))

    @property
    def write_cache(self) -> bool:
        """Whether writes are acknowledged from the buffer."""
        return self._drive.write_cache

    def age(self, days: float, celsius: float = 30.0) -> dict[str, float | None]:
        """Lets data age for so many days without power at a temperature.

        Returns what the days count as at 30 °C (by the law of Arrhenius, 1.1 eV), and the highest
        raw bit error rate of a superblock before and after: ``days_at_30_c``, ``rber_before``,
        ``rber``. Raises :class:`stend.InputError` where the model has no errors of the flash.
        """
        days, celsius = _values.real("days", days), _values.real("celsius", celsius)
        counted, (before, after) = self._drive.age(days, celsius)
        return {"days_at_30_c": counted, "rber_before": before, "rber": after}

    def fail_die(self, die: SupportsIndex) -> None:
        """Lets a die fail, from 0: what lies on it cannot be read any more."""
        self._drive.fail_die(_values.whole("die", die, bits=32))

    def power_cut(self) -> dict[str, int]:
        """Cuts the power, and lets the drive recover.

        Returns ``took_ns`` from the cut until the first command was served, ``recovery_ns``,
        ``lost_pages`` (in flash), ``undone_pages`` (written, but not durable) and
        ``failed_saves``. Raises :class:`stend.InputError` where the model does not say what a
        power cut leaves.
        """
        names = ("took_ns", "recovery_ns", "lost_pages", "undone_pages", "failed_saves")
        return dict(zip(names, self._drive.power_cut()))

    def health(self) -> dict[str, Any]:
        """The drive's health: bytes written, erase cycles, spares …; units end the names."""
        health: dict[str, Any] = json.loads(self._drive.health())
        return health

    def smart(self) -> dict[str, Any] | None:
        """The health as ``smartctl -j`` prints it; ``None`` for a model without ``[health]``."""
        document = self._drive.smart()
        smart: dict[str, Any] | None = None if document is None else json.loads(document)
        return smart

    @property
    def counters(self) -> Counters:
        """All counters as they are now."""
        return Counters(json.loads(self._drive.counters()))

    @property
    def erase_counts(self) -> npt.NDArray[np.uint32]:
        """Erase cycles of every superblock, those of the SLC cache first."""
        return self._drive.erase_counts()

    @property
    def now_s(self) -> float:
        """The drive's clock, s since it was powered on first."""
        return self._drive.now_s

    @property
    def capacity_bytes(self) -> int:
        """What the host can address, bytes."""
        return self._drive.capacity_bytes

    @property
    def native_bytes(self) -> int:
        """The capacity that the drive was made with, bytes."""
        return self._drive.native_bytes

    @property
    def energy_j(self) -> float | None:
        """Energy since power-on, J; ``None`` for a model without such figures."""
        return self._drive.energy_j

    @property
    def history_hash(self) -> int:
        """Hash of all that happened: equal for equal histories."""
        return self._drive.history_hash

    @property
    def model(self) -> Model:
        """What the drive was made of."""
        name, title, description, text, facts = self._drive.model()
        return Model(name, title, description, text, dict(facts))

    def __repr__(self) -> str:
        try:
            return f"<Drive {self.model.name}, {self.capacity_bytes / 1e9:.2f} GB>"
        except Error:
            # Another thread uses it, or a defect has ended it.
            return "<Drive that cannot be looked at now>"


def _failed(result: RunResult) -> DriveError:
    # In a function of its own: a variable beside `raise` would keep the drive, which the traceback
    # refers to, and the lock of its file.
    error = DriveError(result.failed)
    error.result = result
    return error
