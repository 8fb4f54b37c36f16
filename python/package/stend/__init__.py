"""stend: a laboratory for solid-state drives.

Simulated drives (:class:`Drive`), fio jobs on them (:class:`Job`), streams of requests
(:meth:`Drive.replay`), reviews (:func:`review`), studies (:class:`Study`), and the lab of the
command line (:class:`Lab`).
"""

from ._catalogue import drives, editions
from ._claims import Claims, claims
from ._drive import Counters, Drive, Model
from ._errors import DriveError, Error, InputError
from ._fit import FitResult, fit
from ._job import Job
from ._lab import Lab
from ._result import Direction, JobResult, Lateness, Latency, ReplayResult, RunResult
from ._review import Finding, Review, read_review, review
from ._stend import __version__
from ._study import Range, Study, StudyResult
from ._table import Table

__all__ = [
    "Claims",
    "Counters",
    "Direction",
    "Drive",
    "DriveError",
    "Error",
    "Finding",
    "FitResult",
    "InputError",
    "Job",
    "JobResult",
    "Lab",
    "Lateness",
    "Latency",
    "Model",
    "Range",
    "ReplayResult",
    "Review",
    "RunResult",
    "Study",
    "StudyResult",
    "Table",
    "__version__",
    "claims",
    "drives",
    "editions",
    "fit",
    "read_review",
    "review",
]
