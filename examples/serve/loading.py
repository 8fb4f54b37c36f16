#!/usr/bin/env python3
"""Why the game loads slowly after copying 20 GB.

A game of 4 GB lies on a served drive. It is loaded (1 GB of it, random reads of 64 KiB, depth 2)
when the drive is at rest, just after 20 GB were copied to the drive, and a minute later. Prints a
table in Markdown: seconds of the drive's own time.
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
    """A served drive, in a folder of its own."""

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
        """Seconds of the drive's time that a job took."""
        uri = f"nbd+unix:///?socket={self.folder}/nbd"
        path = self.folder / "job.fio"
        path.write_text(f"[j]\nioengine=nbd\nuri={uri}\n{job}")
        command = ["fio", "--output-format=json", str(path)]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
        result = json.loads(ran.stdout[ran.stdout.index("{") :])["jobs"][0]
        direction = "read" if result["read"]["total_ios"] else "write"
        return result[direction]["runtime"] / 1e3 * self.speed

    def idle(self, seconds: float) -> None:
        """Lets time pass in the drive."""
        command = [self.stend, "drive", "idle", str(self.control), "--seconds", str(seconds)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def end(self) -> None:
        """Ends the server."""
        self.server.terminate()
        self.server.wait()


def measure(args: argparse.Namespace, drive: str) -> None:
    """Prints the row of a drive."""
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
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stend", default="stend", help="the program")
    parser.add_argument("--drives", default=",".join(DRIVES), help="models, by commas")
    parser.add_argument("--speed", type=float, default=1, help="virtual seconds in a second")
    parser.add_argument("--folder", help="where the data is: 26 GB")
    args = parser.parse_args()
    print("| drive | at rest | copying 20 GB | just after | a minute later |\n|---|---|---|---|---|")
    for drive in args.drives.split(","):
        measure(args, drive)


if __name__ == "__main__":
    main()
