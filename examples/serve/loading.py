#!/usr/bin/env python3
"""Shows that a game loads slowly after copying 20 GB.

A game of 4 GB is on a served drive. The script loads 1 GB of it (random reads of 64 KiB, depth 2)
when the drive is at rest, just after 20 GB were copied to the drive, and a minute later. It prints
a table in Markdown with the drive's virtual time, s.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

DRIVES = ["sandisk-ultra-ii-240gb", "samsung-850-evo-250gb", "samsung-850-pro-256gb"]

GAME = "rw=write\nbs=128k\niodepth=8\nsize=4g\n"
COPY = "rw=write\nbs=128k\niodepth=8\noffset=8g\nsize=20g\n"
LOAD = "rw=randread\nbs=64k\niodepth=2\nsize=4g\nio_size=1g\nrandseed=3\n"


class Served:
    """A served drive, with its own folder."""

    def __init__(self, stend: str, drive: str, folder: Path, speed: float) -> None:
        self.folder, self.speed, self.stend = folder, speed, stend
        self.control = folder / "control"
        command = [stend, "serve", drive, "--nbd", f"unix:{folder}/nbd", "--speed", str(speed)]
        environment = {**os.environ, "TMPDIR": str(folder)}
        self.server = subprocess.Popen(
            command + ["--control", str(self.control)], stderr=subprocess.DEVNULL, env=environment
        )
        while not self.control.exists():
            time.sleep(0.05)

    def run(self, job: str) -> float:
        """Runs a job; returns its duration in the drive's time, s."""
        uri = f"nbd+unix:///?socket={self.folder}/nbd"
        path = self.folder / "job.fio"
        path.write_text(f"[j]\nioengine=nbd\nuri={uri}\n{job}")
        command = ["fio", "--output-format=json", str(path)]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
        result = json.loads(ran.stdout[ran.stdout.index("{") :])["jobs"][0]
        direction = "read" if result["read"]["total_ios"] else "write"
        return result[direction]["runtime"] / 1e3 * self.speed

    def idle(self, seconds: float) -> None:
        """Advances the drive's time without requests."""
        command = [self.stend, "drive", "idle", str(self.control), "--seconds", str(seconds)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def end(self) -> None:
        """Ends the server."""
        self.server.terminate()
        self.server.wait()


def measure(args: argparse.Namespace, drive: str) -> None:
    """Measures a drive and prints its row."""
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        served = Served(args.stend, drive, Path(folder), args.speed)
        try:
            served.run(GAME)
            served.idle(600)
            at_rest = served.run(LOAD)
            copied = served.run(COPY)
            after = served.run(LOAD)
            served.idle(60)
            later = served.run(LOAD)
        finally:
            served.end()
    figures = [f"{figure:.1f} s" for figure in (at_rest, copied, after, later)]
    print(f"| {drive} | " + " | ".join(figures) + " |", flush=True)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stend", default="stend", help="path of stend")
    parser.add_argument("--drives", default=",".join(DRIVES), help="models, separated by commas")
    parser.add_argument("--speed", type=float, default=1, help="virtual seconds in a second")
    parser.add_argument("--folder", help="folder for the data, with 26 GB free")
    args = parser.parse_args()
    print("| drive | at rest | copying 20 GB | just after | a minute later |")
    print("|---|---|---|---|---|")
    for drive in args.drives.split(","):
        measure(args, drive)


if __name__ == "__main__":
    main()
