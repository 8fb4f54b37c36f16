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

#: Timing of the requests of a replay.
Timing = Literal["fast", "original", "busy"]


class Counters(Mapping[str, int]):
    """All counters of a simulated drive since power-on, by name or as attributes.

    Pages are logical pages of 4 KiB; names of counters in another unit end in that unit.
    ``later - earlier`` counts the events between the two. For values of the last event
    (``save_ns_last``, ``recovery_ns_last``) the difference has no meaning.
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
        # While a copy is made, `_values` does not exist yet: looking it up here would not end.
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        names = ", ".join(self._values)
        raise AttributeError(f"there is no counter {name}; the counters are {names}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __sub__(self, earlier: Counters) -> Counters:
        return Counters({name: value - earlier[name] for name, value in self.items()})

    @property
    def write_amplification(self) -> float | None:
        """Pages placed in flash for each page that the host wrote.

        Includes host writes, garbage collection, wear levelling and folding, but not parity and
        padding. ``None`` if the host wrote nothing.
        """
        host = self.host_pages_written
        moved = self.pages_relocated + self.pages_levelled + self.pages_folded
        return (host + moved) / host if host else None

    def __repr__(self) -> str:
        return f"Counters({self._values})"


@dataclass(frozen=True)
class Model:
    """The model of a drive."""

    #: Name of the shipped model, or the name in the model file.
    name: str
    #: Marketing name of the drive.
    title: str
    #: Basis of the model, in a sentence.
    description: str
    #: The whole drive file (TOML), including its parts and the overrides.
    text: str
    #: Descriptions of the hardware, by name.
    facts: dict[str, str]


class Drive:
    """A simulated solid-state drive, new and empty.

    ``name`` is the name of a shipped model (:func:`stend.drives` lists them) or the path of a model
    file, which ends in ``.toml``. ``overrides`` replaces figures of the model by their keys, as in
    ``{"slc_cache.blocks_per_plane": 60, "nand.program_us[2]": 900}``. ``seed`` is the seed of jobs
    that set none.

    Each drive has its own virtual time. The same calls have the same results to the byte, also on
    the command line. Calls simulate without Python's lock, so that several threads can simulate
    several drives at the same time. A drive serves one thread at a time: a call from another thread
    meanwhile raises :class:`stend.Error`. Ctrl-C ends a call early; the drive can then be used
    further, in the state that it has reached.

    Raises :class:`stend.InputError` for an unknown model or an invalid figure, ``OSError`` for a
    file that cannot be read.
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
        """Opens the drive in a state file, which stays locked until the drive is deleted.

        Only :meth:`save` changes the file. Raises :class:`stend.InputError` if it holds no drive,
        ``OSError`` if it cannot be read or another program has it open for writing.
        """
        os.stat(path)
        return cls._of(_stend.Drive.open(path), _values.whole("seed", seed))

    def save(self, path: Path | None = None) -> None:
        """Writes the drive to a state file.

        A new file at ``path`` becomes the drive's own. Without ``path``, or with the path of its
        own file (from which it was opened or to which it was last saved), that file is replaced as
        a whole.

        Raises :class:`stend.InputError` for any other file that exists, which is not replaced;
        ``OSError`` if the file cannot be written, in which case its earlier content is unchanged.
        """
        self._drive.save(path)

    @property
    def path(self) -> str | None:
        """State file of the drive, ``None`` if it has none."""
        path = self._drive.path
        return None if path is None else os.fspath(path)

    def copy(self) -> Drive:
        """Returns an independent drive in the same state, without a file.

        The two share their memory, except for the parts that change later.
        """
        return Drive._of(self._drive.copy(), self._seed)

    def __copy__(self) -> Drive:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Drive:
        return self.copy()

    def fill(self, busy: bool = False) -> None:
        """Writes the whole drive once, in ascending order by 128 KiB, then idles for 15 minutes.

        This is ``stend run --fill``. ``busy=True`` omits the idle time, like ``--fill=busy``: the
        drive is then hot and still at work.
        """
        self._drive.fill(busy)

    def run(
        self,
        job: AnyJob,
        sample_ms: SupportsIndex = 1000,
        seed: SupportsIndex | None = None,
    ) -> RunResult:
        """Runs a fio job: text of a job file, its path, a :class:`Job`, or a list of them.

        A string with a line break or a bracket is the text of a job file, unless a file of this
        name exists. ``sample_ms`` is the interval of the samples in :attr:`RunResult.series`,
        milliseconds of virtual time; 0 disables them. ``seed`` is the root of all random choices of
        sections without ``randseed``.

        Raises :class:`stend.InputError` for a job that is faulty or does not fit the drive, and
        :class:`stend.DriveError` if a failed request ended a job, for example on a worn-out drive.
        ``error.result`` then has the measurements until the failure.
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
        """Serves requests in their order, with at most ``depth`` outstanding.

        ``requests`` is one of:

        - an iterator of tuples ``(time_s, op, offset_bytes, length_bytes)``;
        - a tuple of four arrays, or a mapping or table with columns of these names;
        - an iterator of such chunks, by far the fastest form for many requests;
        - the path of a trace (fio's iolog, blkparse's text, MSR Cambridge).

        ``op`` is ``"read"``, ``"write"``, ``"trim"``, ``"flush"``, or 0 to 3. Offsets and lengths
        are multiples of 512 bytes within the drive; ``wrap`` makes others fit, modulo the drive's
        size. Those of a flush are ignored. An iterator is read some thousand requests ahead of the
        simulation.

        ``timing="fast"`` issues each request as soon as fewer than ``depth`` are outstanding,
        ``"original"`` at its time since the beginning, ``"busy"`` at that time without the idle
        time before it. A request whose time is earlier than that of the request before it is
        issued at the latter's time.

        ``latencies`` records the latency of each request of a stream.

        Raises :class:`stend.InputError` for an invalid request, with its number, and passes on any
        exception of the iterator; the requests before it are done in both cases. Raises
        :class:`stend.DriveError` if a request fails.
        """
        depth = _values.whole("depth", depth, bits=32)
        if isinstance(requests, (str, os.PathLike)):
            if latencies:
                raise InputError(
                    "latencies=True: the latency of each request is recorded for streams only, "
                    "not for traces in files"
                )
            os.stat(requests)
            done = self._drive.replay_file(requests, timing, depth, bool(wrap))
            return ReplayResult(done, False)
        items, of_arrays = stream(requests)
        done = self._drive.replay_stream(
            items, of_arrays, timing, depth, bool(wrap), bool(latencies)
        )
        return ReplayResult(done, latencies)

    def idle(self, seconds: float) -> None:
        """Advances the drive's time by ``seconds`` without requests; the drive does its idle work.

        Raises :class:`stend.InputError` beyond the end of the drive's virtual time, which lasts
        for more than a year, on most drives for several.
        """
        self._drive.idle(_values.real("seconds", seconds))

    def trim(self, offset: SupportsIndex = 0, length: SupportsIndex | None = None) -> None:
        """TRIMs ``length`` bytes from ``offset``, or to the end of the drive without ``length``.

        Both are multiples of the sector of 512 bytes. Raises :class:`stend.InputError` for an
        invalid range and for a drive without TRIM, :class:`stend.DriveError` for a worn-out drive.
        """
        length = None if length is None else _values.whole("length", length)
        self._drive.trim(_values.whole("offset", offset), length)

    def erase(self, crypto: bool = False) -> None:
        """Erases all of the flash; with ``crypto``, discards the encryption key instead.

        Raises :class:`stend.InputError` for ``crypto`` on a drive without encryption.
        """
        self._drive.erase(crypto)

    def overprovision(self, user_bytes: SupportsIndex) -> None:
        """Changes the capacity that the host can address, bytes. The drive must be empty."""
        self._drive.overprovision(_values.whole("user_bytes", user_bytes))

    def set_write_cache(self, on: bool) -> None:
        """Switches the write cache: whether the drive acknowledges writes from its buffer."""
        self._drive.set_write_cache(bool(on))

    @property
    def write_cache(self) -> bool:
        """True if the drive acknowledges writes from its buffer."""
        return self._drive.write_cache

    def age(self, days: float, celsius: float = 30.0) -> dict[str, float | None]:
        """Ages the data by ``days`` without power at a temperature of ``celsius`` °C.

        Returns ``days_at_30_c``, the equivalent time at 30 °C (by the law of Arrhenius, 1.1 eV),
        and ``rber_before`` and ``rber``, the highest raw bit error rate of a superblock before and
        after. Raises :class:`stend.InputError` if the model has no errors of the flash.
        """
        days, celsius = _values.real("days", days), _values.real("celsius", celsius)
        counted, (before, after) = self._drive.age(days, celsius)
        return {"days_at_30_c": counted, "rber_before": before, "rber": after}

    def fail_die(self, die: SupportsIndex) -> None:
        """Fails the die of this number, from 0: its data can no longer be read."""
        self._drive.fail_die(_values.whole("die", die, bits=32))

    def power_cut(self) -> dict[str, int]:
        """Cuts the power, and waits until the drive has recovered.

        Returns ``took_ns`` from the cut until the first command was served, ``recovery_ns``,
        ``lost_pages`` (in flash), ``undone_pages`` (written, but not durable) and
        ``failed_saves``. Raises :class:`stend.InputError` if the model does not describe power
        cuts.
        """
        names = ("took_ns", "recovery_ns", "lost_pages", "undone_pages", "failed_saves")
        return dict(zip(names, self._drive.power_cut()))

    def health(self) -> dict[str, Any]:
        """Returns the drive's health: bytes written, erase cycles, spares …; names end in units."""
        health: dict[str, Any] = json.loads(self._drive.health())
        return health

    def smart(self) -> dict[str, Any] | None:
        """Returns the health as ``smartctl -j`` prints it, ``None`` for a model without health."""
        document = self._drive.smart()
        smart: dict[str, Any] | None = None if document is None else json.loads(document)
        return smart

    @property
    def counters(self) -> Counters:
        """Present values of all counters."""
        return Counters(json.loads(self._drive.counters()))

    @property
    def erase_counts(self) -> npt.NDArray[np.uint32]:
        """Erase cycles of every superblock, those of the SLC cache first."""
        return self._drive.erase_counts()

    @property
    def now_s(self) -> float:
        """Virtual time since the drive was first powered on, s."""
        return self._drive.now_s

    @property
    def capacity_bytes(self) -> int:
        """Capacity that the host can address, bytes."""
        return self._drive.capacity_bytes

    @property
    def native_bytes(self) -> int:
        """Capacity with which the drive was made, bytes."""
        return self._drive.native_bytes

    @property
    def energy_j(self) -> float | None:
        """Energy since power-on, J; ``None`` for a model without such figures."""
        return self._drive.energy_j

    @property
    def history_hash(self) -> int:
        """Hash of the drive's history: equal for equal histories."""
        return self._drive.history_hash

    @property
    def model(self) -> Model:
        """Model of the drive."""
        name, title, description, text, facts = self._drive.model()
        return Model(name, title, description, text, dict(facts))

    def __repr__(self) -> str:
        try:
            return f"<Drive {self.model.name}, {self.capacity_bytes / 1e9:.2f} GB>"
        except Error:
            # Another thread is using the drive, or a defect of the simulation has ended it.
            return "<Drive: not accessible now>"


def _failed(result: RunResult) -> DriveError:
    # A separate function: a local variable in the function that raises would refer to the error,
    # whose traceback refers to the drive, so that the lock of its file would stay.
    error = DriveError(result.failed)
    error.result = result
    return error
