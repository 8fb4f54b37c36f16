"""``python -m stend.study``: carries out a study on this machine or with Ray."""

from __future__ import annotations

import argparse
import sys
import time

from ._errors import Error, InputError
from ._study import Study


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stend.study",
        description="Carries out a study and writes its table and its page.",
    )
    parser.add_argument("study", help="file of the study (TOML, schema stend.study/1)")
    parser.add_argument("--out", metavar="DIR", help="folder of the results (default: study-NAME)")
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="carry out rows with Ray: the address of a cluster, `auto` for the cluster that this "
        "machine belongs to, `local` for a new one on this machine",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="rows at a time, without Ray")
    parser.add_argument("--lab", metavar="FILE", help="the lab (default: that of the command line)")
    parser.add_argument("--series", metavar="DIR", help="folder for the samples of each row")
    parser.add_argument("--fresh", action="store_true", help="reuse no rows from the lab")
    return parser


def _progress(done: int, of: int, what: str) -> None:
    global _last
    now = time.monotonic()
    if done == of or now - _last >= 1.0:
        _last = now
        left = (now - _began) / max(done - _before, 1) * (of - done) if done > _before else 0.0
        print(f"{done} of {of} rows, {left:.0f} s left ({what})", file=sys.stderr)


_last = _began = time.monotonic()
_before = 0


def main() -> int:
    """Returns the exit code.

    7 if rows failed, 3 for a faulty or missing study, 6 for errors of other files, 130 after
    Ctrl-C, else 0.
    """
    given = _arguments().parse_args()
    # Ray prints messages of its nodes; only the result belongs on standard output.
    results = sys.stdout
    sys.stdout = sys.stderr
    try:
        try:
            study = Study.read(given.study)
        except OSError as error:
            raise InputError(f"{given.study}: {error.strerror}") from None
        name = study.definition["name"]
        result = study.run(
            threads=given.threads,
            lab=given.lab if given.lab else True,
            fresh=given.fresh,
            ray={None: False, "local": True}.get(given.ray, given.ray),
            series=given.series,
            progress=_progress,
        )
        print(result.save(given.out or f"study-{name}"), file=results)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 6
    except KeyboardInterrupt:
        print(
            "interrupted; finished rows are kept, and the same command without --fresh resumes",
            file=sys.stderr,
        )
        return 130
    failed = result.errors
    for row, why in zip(failed["row"], failed["error"]):
        print(f"error: row {row}: {why}", file=sys.stderr)
    return 7 if len(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
