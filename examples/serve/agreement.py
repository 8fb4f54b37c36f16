#!/usr/bin/env python3
"""Compares a served drive, under fio's engine nbd, with `stend run` of the same job.

Prints a table in Markdown. Client and server run on one processor at depth 1, because waking
another one would take longer than some requests, and on two at depth 32.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

DRIVES = [
    "samsung-850-pro-256gb",
    "samsung-850-evo-250gb",
    "sandisk-ultra-ii-240gb",
    "crucial-mx100-256gb",
    "samsung-pm863-480gb",
]
NVME_DRIVES = ["intel-ssd-750-400gb"]

# Time passes in a served drive while its client starts; the model's run has the same pause.
PAUSE_S = 2
# Writes the first 64 GiB, so that all reads find data.
FILL = "[fill]\nrw=write\nbs=128k\niodepth=32\nsize=64g\n"


@dataclass(frozen=True)
class Load:
    """A job of fio."""

    name: str
    rw: str
    block: str
    depth: int

    def job(self, seconds: int) -> str:
        """Returns the text of the job, without an engine."""
        return (
            f"rw={self.rw}\nbs={self.block}\niodepth={self.depth}\nruntime={seconds}\n"
            "time_based=1\nsize=60g\nrandseed=7\n"
        )


LOADS = [
    Load("random read, depth 1", "randread", "4k", 1),
    Load("random write, depth 1", "randwrite", "4k", 1),
    Load("random read, depth 32", "randread", "4k", 32),
    Load("random write, depth 32", "randwrite", "4k", 32),
    Load("half of each, depth 32", "randrw", "4k", 32),
    Load("sequential read, 128 KiB, depth 32", "read", "128k", 32),
]


@dataclass(frozen=True)
class Figures:
    """Result of a run: requests a second, and latencies in µs."""

    iops: float
    mean_us: float
    p50_us: float
    p99_us: float


def figures(output: str) -> list[Figures]:
    """Returns the figures of each direction that has requests, from fio's JSON."""
    job = json.loads(output[output.index("{") :])["jobs"][0]
    found = []
    for direction in ("read", "write"):
        ran = job[direction]
        if ran["total_ios"]:
            percentile = ran["clat_ns"]["percentile"]
            found.append(
                Figures(
                    ran["iops"],
                    ran["lat_ns"]["mean"] / 1e3,
                    percentile["50.000000"] / 1e3,
                    percentile["99.000000"] / 1e3,
                )
            )
    return found


def said(command: list[str], **options: object) -> str:
    """Runs a command, which must succeed; returns its output."""
    run = subprocess.run(command, check=True, capture_output=True, text=True, **options)
    return run.stdout


def served(args: argparse.Namespace, folder: Path, load: Load) -> tuple[list[Figures], str]:
    """Runs a load on the served drive in `folder`; returns figures, and the server's lateness."""
    socket = folder / "nbd"
    job = folder / "served.fio"
    engine = f"[j]\nioengine=nbd\nuri=nbd+unix:///?socket={socket}\n"
    job.write_text(engine + load.job(args.seconds))
    one, other = ["taskset", "-c", "0"], ["taskset", "-c", "1"]
    serve = [args.stend, "serve", str(folder / "drive"), "--nbd", f"unix:{socket}"]
    # The server's data goes into the folder, which may be in memory: a file on a disk must allocate
    # extents.
    environment = {**os.environ, "TMPDIR": str(folder)}
    server = subprocess.Popen(one + serve, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        while not socket.exists():
            time.sleep(0.05)
        time.sleep(PAUSE_S)
        client = one if load.depth == 1 or os.cpu_count() == 1 else other
        output = said(client + ["fio", "--output-format=json", str(job)], cwd=folder)
    finally:
        server.terminate()
        _, errors = server.communicate()
    return figures(output), errors.strip().splitlines()[-1].split("; ")[-1]


def compare(args: argparse.Namespace, drive: str, load: Load) -> None:
    """Prints a row for each direction of a load on a drive."""
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        state = folder / "drive"
        lab = ["--lab", str(folder / "lab.db")]
        said([args.stend, "drives", "create", drive, "--state", str(state)])
        (folder / "fill.fio").write_text(FILL)
        said([args.stend, "run", str(folder / "fill.fio"), "--on", str(state), *lab])
        before = state.read_bytes()
        (folder / "model.fio").write_text(f"[j]\nstartdelay={PAUSE_S}\n" + load.job(args.seconds))
        run = [args.stend, "run", str(folder / "model.fio"), "--on", str(state), *lab]
        model = figures(said(run + ["--output-format", "json"]))
        state.write_bytes(before)
        real, lateness = served(args, folder, load)
    for expected, got in zip(model, real, strict=True):
        cells = [
            drive,
            load.name,
            f"{expected.iops:,.0f}",
            f"{got.iops:,.0f}",
            f"{got.iops / expected.iops - 1:+.1%}",
            f"{expected.mean_us:.1f} / {expected.p50_us:.1f} / {expected.p99_us:.1f}",
            f"{got.mean_us:.1f} / {got.p50_us:.1f} / {got.p99_us:.1f}",
            lateness,
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stend", default="stend", help="path of stend")
    parser.add_argument("--drives", default=",".join(DRIVES), help="models, separated by commas")
    parser.add_argument("--nvme", action="store_true", help="add the NVMe drives")
    parser.add_argument("--seconds", type=int, default=5, help="duration of each load, s")
    parser.add_argument("--folder", help="folder for temporary files")
    args = parser.parse_args()
    columns = ["drive", "load", "IOPS, model", "served", "", "mean / p50 / p99 of the model, µs"]
    columns += ["served, µs", "answers of the server"]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for drive in args.drives.split(",") + (NVME_DRIVES if args.nvme else []):
        for load in LOADS:
            compare(args, drive, load)


if __name__ == "__main__":
    main()
