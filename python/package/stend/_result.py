"""Results of jobs and replays."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import _stend


class Latency:
    """Distribution of latencies, from submission to completion, in ns.

    Count, smallest, largest, mean and standard deviation are exact; percentiles are exact to
    0.1 %. All are 0 if there are no requests.
    """

    def __init__(self, latency: _stend.Latency) -> None:
        self._latency = latency

    @property
    def count(self) -> int:
        """Number of requests."""
        return self._latency.count

    @property
    def min_ns(self) -> int:
        """Smallest latency, ns."""
        return self._latency.min_ns

    @property
    def max_ns(self) -> int:
        """Largest latency, ns."""
        return self._latency.max_ns

    @property
    def mean_ns(self) -> float:
        """Mean latency, ns."""
        return self._latency.mean_ns

    @property
    def stddev_ns(self) -> float:
        """Standard deviation of the sample, ns."""
        return self._latency.stddev_ns

    def percentile(self, percent: float) -> int:
        """Returns a percentile, ns, such as ``percentile(99.9)``.

        ``percent`` percent of all requests take no longer than the result. Raises
        :class:`stend.InputError` unless ``percent`` is from 0 to 100.
        """
        return self._latency.percentile(percent)

    def bins(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """Returns the histogram: middles of bins, ns, ascending, and counts. No bin is empty."""
        return self._latency.bins()

    def __repr__(self) -> str:
        return f"<Latency of {self.count} requests, mean {self.mean_ns / 1e3:.1f} us>"


class Direction:
    """Reads, writes, TRIMs or flushes of a result."""

    def __init__(self, bytes_: int, latency: Latency, seconds: float) -> None:
        #: Bytes of the requests.
        self.bytes = bytes_
        #: Latency of the requests.
        self.latency = latency
        self._seconds = seconds

    @property
    def requests(self) -> int:
        """Number of completed requests."""
        return self.latency.count

    @property
    def iops(self) -> float:
        """Requests a second."""
        return self.requests / self._seconds if self._seconds else 0.0

    @property
    def bandwidth_bytes_per_s(self) -> float:
        """Bytes a second."""
        return self.bytes / self._seconds if self._seconds else 0.0

    def __repr__(self) -> str:
        return f"<{self.requests} requests, {self.iops:.1f} IOPS>"


class JobResult:
    """Result of one job: a section of the job file, or one of its clones."""

    def __init__(self, result: _stend.RunResult, number: int) -> None:
        facts = result.job_facts(number)
        #: Name of the section.
        self.name: str = facts[0]
        #: Reporting group, from 0.
        self.group: int = facts[1]
        #: Number of the clone (``numjobs``), from 0.
        self.clone: int = facts[2]
        #: Measured time, from the end of ``ramp_time`` to the last completion, s.
        self.runtime_s: float = facts[3]
        #: errno of the error that ended the job; 0 if there was none.
        self.error: int = facts[4]
        #: Number of failed requests.
        self.failed_requests: int = facts[5]
        #: Reads.
        self.read = self._direction(result, number, 0)
        #: Writes.
        self.write = self._direction(result, number, 1)
        #: TRIMs.
        self.trim = self._direction(result, number, 2)
        #: Latency of flushes (``fsync``, ``fdatasync``).
        self.sync_latency = Latency(result.job_sync_latency(number))

    def _direction(self, result: _stend.RunResult, number: int, direction: int) -> Direction:
        latency = Latency(result.job_latency(number, direction))
        return Direction(result.job_bytes(number, direction), latency, self.runtime_s)

    @property
    def iops(self) -> float:
        """Requests a second, all directions."""
        return self.read.iops + self.write.iops + self.trim.iops

    def __repr__(self) -> str:
        return f"<JobResult {self.name!r}, {self.iops:.1f} IOPS>"


class RunResult:
    """Result of a job file. Rates refer to the time in which at least one job measured."""

    def __init__(self, result: _stend.RunResult) -> None:
        self._result = result
        #: Time in which at least one job measured (without ``ramp_time``), s.
        self.measured_s: float = result.measured_s
        #: Virtual time from the beginning to the end of the last job, s.
        self.elapsed_s: float = result.elapsed_s
        #: Pages placed in flash for each page written during this run; ``None`` if nothing was
        #: written.
        self.write_amplification: float | None = result.write_amplification
        #: Message about the job that ended early; ``None`` if all jobs ran to their end.
        self.failed: str | None = result.failed

    def _direction(self, direction: int) -> Direction:
        latency = Latency(self._result.latency(direction))
        return Direction(self._result.bytes(direction), latency, self.measured_s)

    @cached_property
    def read(self) -> Direction:
        """Reads of all jobs."""
        return self._direction(0)

    @cached_property
    def write(self) -> Direction:
        """Writes of all jobs."""
        return self._direction(1)

    @cached_property
    def trim(self) -> Direction:
        """TRIMs of all jobs."""
        return self._direction(2)

    @property
    def iops(self) -> float:
        """Requests a second, all directions and jobs."""
        return self.read.iops + self.write.iops + self.trim.iops

    @property
    def bandwidth_bytes_per_s(self) -> float:
        """Bytes read and written a second, all jobs."""
        return self.read.bandwidth_bytes_per_s + self.write.bandwidth_bytes_per_s

    @cached_property
    def latency(self) -> Latency:
        """Latency of reads, writes and TRIMs together, all jobs."""
        return Latency(self._result.all_latency())

    @cached_property
    def sync_latency(self) -> Latency:
        """Latency of flushes (``fsync``, ``fdatasync``), all jobs."""
        return Latency(self._result.sync_latency())

    @cached_property
    def jobs(self) -> list[JobResult]:
        """Results of the single jobs, in the order of the job file; clones follow each other."""
        return [JobResult(self._result, number) for number in range(self._result.jobs)]

    @cached_property
    def sample_arrays(self) -> dict[str, npt.NDArray[np.float64] | npt.NDArray[np.uint64]]:
        """Columns of :attr:`series` as arrays; the table shares their memory."""
        return self._result.samples()

    @cached_property
    def series(self) -> pd.DataFrame:
        """One row for each interval of ``sample_ms``; empty if ``sample_ms`` is 0.

        ``t_s`` is the end of the interval since the beginning of the run; ``iops``, ``read_iops``
        and ``write_iops`` are requests a second in the interval; ``written_bytes`` and
        ``read_bytes`` are totals since the beginning. TRIMs and requests during ``ramp_time`` are
        not included: an interval within ``ramp_time`` is 0.
        """
        return pd.DataFrame(self.sample_arrays, copy=False)

    @property
    def samples(self) -> pd.DataFrame:
        """The same as :attr:`series`."""
        return self.series

    @cached_property
    def logs(self) -> dict[str, str]:
        """Logs that the job file requests (``write_lat_log`` …): texts by file name.

        The command line writes these files; the package writes none.
        """
        return dict(self._result.logs())

    def to_json(self, plus: bool = False) -> str:
        """Returns fio's JSON as ``stend run --output-format json`` prints it; json+ if ``plus``."""
        return self._result.to_json(plus)

    def to_text(self) -> str:
        """Returns fio's normal output, as ``stend run`` prints it."""
        return self._result.to_text()

    def __repr__(self) -> str:
        return f"<RunResult {self.iops:.1f} IOPS over {self.measured_s:.3f} s>"


class Lateness:
    """Delays of requests that were issued after their time because too many were outstanding."""

    def __init__(self, figures: tuple[int, int, int, float]) -> None:
        #: Number of requests that were issued late.
        self.requests = figures[0]
        #: Number of requests that were more than 2 ms late.
        self.far_requests = figures[1]
        #: Largest delay, ns.
        self.max_ns = figures[2]
        #: Mean delay over all requests, ns.
        self.mean_ns = figures[3]


class ReplayResult:
    """Result of replaying a stream of requests, or a trace."""

    def __init__(self, result: _stend.ReplayResult, latencies: bool) -> None:
        self._result = result
        #: Number of requests of all operations.
        self.requests: int = result.requests
        #: Virtual time from the beginning to the last completion, s.
        self.elapsed_s: float = result.elapsed_s
        #: Time with at least one request outstanding, s.
        self.busy_s: float = result.busy_s
        #: Number of periods with at least one request outstanding.
        self.busy_periods: int = result.busy_periods
        #: Omitted idle time (``timing="busy"``), s.
        self.left_out_s: float = result.left_out_s
        #: Pages placed in flash for each page written; ``None`` if nothing was written.
        self.write_amplification: float | None = result.write_amplification
        #: Reads of space that was never written, for a trace in a file; ``None`` for a stream.
        self.unwritten_reads: int | None = result.unwritten_reads
        #: Warnings about circumstances that distort the figures.
        self.warnings: list[str] = result.warnings
        late = result.lateness
        #: Delays of requests; ``None`` with ``timing="fast"``, which ignores their times.
        self.lateness: Lateness | None = None if late is None else Lateness(late)
        #: Latency of each request in the order of the stream, ns; ``None`` unless requested by
        #: ``latencies=True``.
        self.latencies: npt.NDArray[np.uint64] | None = None
        if latencies:
            self.latencies = result.take_latencies()

    def _direction(self, op: str) -> Direction:
        latency = Latency(self._result.op_latency(op))
        return Direction(self._result.op(op)[1], latency, self.elapsed_s)

    @cached_property
    def read(self) -> Direction:
        """Reads; rates are over :attr:`elapsed_s`."""
        return self._direction("read")

    @cached_property
    def write(self) -> Direction:
        """Writes; rates are over :attr:`elapsed_s`."""
        return self._direction("write")

    @cached_property
    def trim(self) -> Direction:
        """TRIMs; rates are over :attr:`elapsed_s`."""
        return self._direction("trim")

    @cached_property
    def flush(self) -> Direction:
        """Flushes; rates are over :attr:`elapsed_s`."""
        return self._direction("flush")

    @property
    def iops(self) -> float:
        """Requests a second, all operations, over :attr:`elapsed_s`."""
        return self.requests / self.elapsed_s if self.elapsed_s else 0.0

    def __repr__(self) -> str:
        return f"<ReplayResult {self.requests} requests in {self.elapsed_s:.6f} s>"
