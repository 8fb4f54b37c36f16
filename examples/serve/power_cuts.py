#!/usr/bin/env python3
"""Cuts the power of a served drive under a database, and counts lost acknowledged commits.

Each configuration is a drive, a database and its options. The script prints one line of JSON for
each, and a table with --table. The exit code is 1 if a drive that does not ignore flushes has lost
data that the database promises to keep with its options.
"""

import argparse
import contextlib
import itertools
import json
import os
import random
import selectors
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from databases_under_test import Database, Postgres, Sqlite
from served import Disk, Failure, ServedDrive, Skip, end_cleanly_by_sigterm, need_disks, run

# Number of the newest rows that a database keeps; a load deletes older ones.
KEPT_ROWS = 2000

# Amount of data after which the demonstration drive has certainly written its journal.
SETTLE_BYTES = 64 << 20

# Range of the random time limit of a load, s.
LOAD_S = (0.1, 0.6)

# A cut comes after at most this number of writes, or operations of the flash.
COUNT_MAX = 1200

# Figures of the journal, added to the demonstration drive, whose model has no power cuts.
JOURNAL = {
    "hold_up_ms": "200",
    "paired_pages": '"pad"',
    "journal_read_us": "40.0",
    "journal_program_us": "400.0",
    "journal_erase_us": "5000.0",
}


@dataclass(frozen=True)
class Configuration:
    """Drive, database and options of a trial."""

    drive: str
    database: str
    options: str

    def setting(self, name: str) -> str:
        """Returns the value of an option."""
        return dict(option.split("=") for option in self.options.split())[name]

    def keeps_commits(self) -> bool:
        """True if the database promises to lose no acknowledged commit."""
        if self.database == "postgresql":
            return self.setting("fsync") == "on"
        # A commit in mode `delete` ends with the removal of the journal, which only `extra` syncs.
        durable = {"wal": ("full", "extra"), "delete": ("extra",)}
        return self.setting("synchronous") in durable[self.setting("journal")]

    def opens(self) -> bool:
        """True if the database promises to open after every cut."""
        if self.database == "postgresql":
            return self.setting("fsync") == "on"
        sound = {"wal": ("normal", "full", "extra"), "delete": ("full", "extra")}
        return self.setting("synchronous") in sound[self.setting("journal")]


@dataclass
class Result:
    """Counts of a configuration's cuts and losses."""

    drive: str
    database: str
    options: str
    cuts: int = 0
    file_systems_inconsistent: int = 0
    databases_not_opened: int = 0
    cuts_with_lost_commits: int = 0
    commits_acknowledged: int = 0
    commits_lost: int = 0
    seconds_per_cut: float = 0.0
    kept_promises: bool = True


class Ledger:
    """The numbers that the database has acknowledged, recorded outside of the drive."""

    def __init__(self) -> None:
        self.expected: set[int] = set()
        self.next = 1

    def forget(self) -> int:
        """Forgets old rows; returns the highest number that the database may delete too."""
        limit = max(self.next - KEPT_ROWS, 0)
        self.expected = {number for number in self.expected if number > limit}
        return limit

    def acknowledge(self, numbers: list[int]) -> None:
        """Records the numbers that a load has printed."""
        self.expected.update(numbers)
        # One further commit may have happened; its number is not used again.
        self.next = max(self.next, *numbers) + 2 if numbers else self.next + 2

    def lost(self, present: set[int]) -> int:
        """Returns the number of lost commits, and expects only the present ones from now on."""
        lost = len(self.expected - present)
        self.expected = present
        return lost


class Trial:
    """A configuration on a served drive."""

    def __init__(self, disk: Disk, database: Database, chance: random.Random, result: Result):
        self.disk = disk
        self.drive = disk.drive
        self.database = database
        self.chance = chance
        self.result = result
        self.ledger = Ledger()

    def begin(self) -> None:
        """Creates the file system and the database."""
        self.disk.make_file_system()
        self.disk.mount()
        self.disk.check_path()
        self.database.create()
        self.settle()
        self.ledger.expected = set()

    def settle(self) -> None:
        """Writes enough that even a drive that ignores flushes has all earlier data in flash."""
        filler = self.disk.files / "filler"
        filler.write_bytes(bytes(SETTLE_BYTES))
        os.sync()
        filler.unlink()
        os.sync()

    def cycle(self) -> None:
        """Runs a load, cuts the power, and checks the database."""
        self.result.commits_acknowledged += self.load_until_cut()
        self.result.cuts += 1
        self.disk.detach()
        self.drive.power_on()
        self.disk.attach()
        if not self.disk.repair():
            self.result.file_systems_inconsistent += 1
        wrong = self.open()
        if wrong is not None:
            print(f"cut {self.result.cuts}: the database does not open: {wrong}", file=sys.stderr)
            self.result.databases_not_opened += 1
            self.count(set())
            self.begin_again()

    def open(self) -> str | None:
        """Mounts, opens the database and counts losses; returns the reason if it does not open."""
        try:
            self.disk.mount()
        except Failure as failure:
            return str(failure)
        check = self.database.check()
        if check.wrong is not None:
            return check.wrong
        self.count(check.present)
        return None

    def count(self, present: set[int]) -> None:
        """Counts the lost commits."""
        lost = self.ledger.lost(present)
        self.result.commits_lost += lost
        self.result.cuts_with_lost_commits += lost > 0

    def begin_again(self) -> None:
        """Replaces a damaged file system with a new one."""
        self.database.kill()
        self.disk.detach()
        self.disk.attach()
        self.begin()

    def load_until_cut(self) -> int:
        """Runs the load until the power is cut; returns the number of acknowledged commits.

        The cut comes after a random number of writes or operations of the flash, but after a random
        time at the latest.
        """
        end = time.monotonic() + self.chance.uniform(*LOAD_S)
        when = self.chance.choice(("after-writes", "after-writes", "at-flash-event", "at once"))
        count = self.chance.randint(1, COUNT_MAX)
        if when != "at once":
            self.drive.cut_later(when, count)
        load = self.database.load(self.ledger.next, self.ledger.forget())
        printed = read_until(load, end)
        self.drive.cut_now()
        load.kill()
        self.database.kill()
        assert load.stdout is not None
        printed += load.stdout.read()
        load.wait()
        # Text after the last end of line is an incomplete number.
        numbers = [int(line) for line in printed.split(b"\n")[:-1]]
        self.ledger.acknowledge(numbers)
        return len(numbers)


def read_until(load: subprocess.Popen[bytes], end: float) -> bytes:
    """Returns the output of a load until it fails, or until the time `end`."""
    assert load.stdout is not None
    printed = b""
    with selectors.DefaultSelector() as selector:
        selector.register(load.stdout, selectors.EVENT_READ)
        while (rest := end - time.monotonic()) > 0:
            if selector.select(rest):
                part = os.read(load.stdout.fileno(), 1 << 16)
                if not part:
                    break
                printed += part
    return printed


def demonstration_drive(stend: str, kind: str, folder: Path) -> Path:
    """Writes the model of the demonstration drive with power cuts; returns its path."""
    has_capacitors = str(kind == "capacitors").lower()
    lies = str(kind == "lying").lower()
    model = run(stend, "drives", "show", "demo-8gb").stdout
    model = model.replace("[capacity]", 'include = ["firmware/journal.toml"]\n\n[capacity]', 1)
    model = model.replace("[dram]", "[dram]\n" + figure("plp", has_capacitors), 1)
    figures = {"capacitors": has_capacitors, "flush_ignored": lies} | JOURNAL
    model += "\n[power_loss]\n"
    model += "\n".join(itertools.starmap(figure, figures.items())) + "\n"
    path = folder / f"{kind}.toml"
    path.write_text(model)
    return path


def figure(key: str, value: str) -> str:
    """Returns a figure as a line of a model file."""
    return f'{key} = {{ value = {value}, source = "assumed: for power cuts" }}'


def try_configuration(
    configuration: Configuration, arguments: argparse.Namespace, log: IO[str]
) -> Result:
    """Serves a drive and cuts its power again and again."""
    result = Result(**asdict(configuration))
    with tempfile.TemporaryDirectory(prefix="power-cuts-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        model = configuration.drive
        if model in DRIVES:
            model = str(demonstration_drive(arguments.stend, model, folder))
        drive = ServedDrive(arguments.stend, model, folder, arguments.speed)
        with contextlib.ExitStack() as in_the_end:
            in_the_end.callback(drive.stop)
            disk = Disk(drive, folder)
            in_the_end.callback(disk.detach)
            database = make_database(configuration, disk, folder, log)
            in_the_end.callback(database.kill)
            disk.attach()
            trial = Trial(disk, database, random.Random(arguments.seed), result)
            trial.begin()
            start = time.monotonic()
            for _ in range(arguments.cuts):
                trial.cycle()
            result.seconds_per_cut = round((time.monotonic() - start) / arguments.cuts, 2)
    result.kept_promises = has_kept_promises(configuration, result)
    return result


def make_database(
    configuration: Configuration, disk: Disk, folder: Path, log: IO[str]
) -> Database:
    """Creates the database of a configuration."""
    if configuration.database == "postgresql":
        options = [
            f"fsync={configuration.setting('fsync')}",
            "shared_buffers=16MB",
            "max_wal_size=32MB",
        ]
        return Postgres(disk.files, folder, options, log)
    journal, level = configuration.setting("journal"), configuration.setting("synchronous")
    return Sqlite(disk.files, journal, level, log)


def has_kept_promises(configuration: Configuration, result: Result) -> bool:
    """True if the database kept its promises, or the drive ignores flushes."""
    if drive_lies(configuration.drive):
        return True
    if configuration.opens() and result.databases_not_opened:
        return False
    if result.file_systems_inconsistent:
        return False
    return not (configuration.keeps_commits() and result.commits_lost)


def drive_lies(drive: str) -> bool:
    """True if a drive ignores flushes."""
    if drive in DRIVES:
        return drive == "lying"
    path = Path(drive)
    text = path.read_text() if path.exists() else ""
    return any(line.split("#")[0].replace(" ", "").startswith(LIE) for line in text.splitlines())


DRIVES = ("honest", "capacitors", "lying")
LIE = ("flush_ignored=true", "flush_ignored={value=true")


def configurations(arguments: argparse.Namespace) -> list[Configuration]:
    """Returns all configurations that the command line selects."""
    found = []
    for drive, database in itertools.product(arguments.drive, arguments.database):
        if database == "postgresql":
            options = [f"fsync={fsync}" for fsync in arguments.fsync]
        else:
            choices = itertools.product(arguments.journal, arguments.synchronous)
            options = [f"journal={journal} synchronous={level}" for journal, level in choices]
        found += [Configuration(drive, database, each) for each in options]
    return found


def table(results: list[Result]) -> str:
    """Returns the results as a Markdown table."""
    lines = [
        "| drive | database | options | cuts | file systems inconsistent | databases that did "
        "not open | cuts with lost commits | commits acknowledged | commits lost |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for each in results:
        cells = (
            each.drive,
            each.database,
            each.options.replace(" ", ", "),
            each.cuts,
            each.file_systems_inconsistent,
            each.databases_not_opened,
            each.cuts_with_lost_commits,
            each.commits_acknowledged,
            each.commits_lost,
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--stend", default="stend", help="path of stend")
    add(
        "--drive",
        nargs="+",
        default=["honest"],
        help="honest, capacitors or lying (the demonstration drive), a model, or a model file",
    )
    add("--database", nargs="+", default=["sqlite"], choices=("sqlite", "postgresql"))
    add("--journal", nargs="+", default=["wal"], choices=("wal", "delete"))
    levels = ("extra", "full", "normal", "off")
    add("--synchronous", nargs="+", default=["full"], choices=levels)
    add("--fsync", nargs="+", default=["on"], choices=("on", "off"))
    add("--cuts", type=int, default=20, help="cuts of each configuration")
    add("--seed", type=int, default=1, help="seed of the moments of the cuts")
    add("--speed", default="max", help="the same as of `stend serve`")
    add("--table", action="store_true", help="print a Markdown table at the end")
    add("--log", default=os.devnull, help="file for messages of the databases")
    return parser.parse_args()


def main() -> int:
    """Tries all configurations."""
    arguments = parse()
    need_disks(arguments.stend)
    end_cleanly_by_sigterm()
    results = []
    with open(arguments.log, "a", encoding="utf-8") as log:
        for configuration in configurations(arguments):
            result = try_configuration(configuration, arguments, log)
            print(json.dumps(asdict(result)), flush=True)
            results.append(result)
    if arguments.table:
        print(table(results))
    return 0 if all(result.kept_promises for result in results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as skip:
        print(f"skipped: {skip}", file=sys.stderr)
    except Failure as error:
        sys.exit(f"error: {error}")
