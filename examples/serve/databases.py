#!/usr/bin/env python3
"""Measures transactions a second of PostgreSQL and SQLite on served drives, fresh and steady.

The drives are a consumer drive, a data center drive with capacitors, and the latter without them.
Writes `databases.md`, `databases.svg` and `databases.json` into the folder --out.
"""

import argparse
import contextlib
import json
import os
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from databases_under_test import Postgres
from served import Disk, Failure, ServedDrive, Skip, end_cleanly_by_sigterm, need_disks, run

CONSUMER = "samsung-850-evo-250gb"
DATA_CENTER = "samsung-pm863-480gb"
DRIVES = ("850 EVO 250 GB", "PM863 480 GB", "PM863 without capacitors")

# Brings a drive to its steady state: writes all of it in order, and then once at random.
WEAR_IN = """
[global]
ioengine=libaio
direct=1
size=100%

[fill]
rw=write
bs=1m
iodepth=8

[random]
stonewall
rw=randwrite
bs=4k
iodepth=32
randrepeat=1
norandommap
"""

# At least one checkpoint happens in each measurement.
POSTGRES_OPTIONS = [
    "shared_buffers=128MB",
    "max_wal_size=256MB",
    "checkpoint_timeout=30s",
]
CLIENTS = "8"
# Scale factor of pgbench; each unit is 100,000 accounts, 16 MB.
SCALE = "20"
SQLITE_ACCOUNTS = 200_000


@dataclass
class Measurement:
    """Results on one drive in one state."""

    drive: str
    state: str
    postgresql_tps: float
    postgresql_latency_ms: float
    sqlite_tps: float
    sqlite_p99_ms: float
    late_percent: float
    late_p99_ms: float


def without_capacitors(stend: str, folder: Path) -> Path:
    """Writes the model of the data center drive without capacitors; returns its path."""
    model = run(stend, "drives", "show", DATA_CENTER).stdout
    for key in ("plp", "capacitors"):
        model, count = re.subn(rf"(?m)^{key} = {{ value = true", f"{key} = {{ value = false", model)
        if count != 1:
            raise Failure(f"{DATA_CENTER}: the model has {count} keys `{key}`; one is expected")
    path = folder / "without-capacitors.toml"
    path.write_text(model)
    return path


def worn_in(stend: str, model: str, folder: Path) -> Path:
    """Creates a drive in its steady state, in virtual time; returns its state file."""
    state = folder / "worn-in.drive"
    state.unlink(missing_ok=True)
    job = folder / "wear-in.fio"
    job.write_text(WEAR_IN)
    run(stend, "drives", "create", model, "--state", state)
    run(stend, "run", job, "--on", state, "--lab", state.with_suffix(".db"))
    return state


def measure_postgres(disk: Disk, folder: Path, seconds: int, log: IO[str]) -> tuple[float, float]:
    """Measures transactions a second of pgbench, and their mean latency in ms."""
    database = Postgres(disk.files, folder, POSTGRES_OPTIONS, log, segment_mb=16)
    database.make_cluster()
    try:
        if not database.start():
            raise Failure("the PostgreSQL server does not start; --log FILE keeps its messages")
        where = ("-h", str(database.folder), "-p", database.PORT, "-U", database.USER, "postgres")
        program = database.programs / "pgbench"
        run(program, "-i", "-q", "-s", SCALE, *where)
        database.query("CHECKPOINT")
        load = ("-n", "-c", CLIENTS, "-j", "2", "-T", str(seconds))
        printed = run(program, *load, *where).stdout
    finally:
        database.kill()
    return number(r"tps = ([\d.]+)", printed), number(r"latency average = ([\d.]+)", printed)


def number(pattern: str, text: str) -> float:
    """Returns the number in a program's output that matches a pattern."""
    found = re.search(pattern, text)
    if found is None:
        raise Failure(f"{pattern!r} does not match the output: {text}")
    return float(found[1])


def make_accounts(path: Path) -> sqlite3.Connection:
    """Creates a database of accounts in SQLite's WAL mode with full synchronisation."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=wal")
    connection.execute("PRAGMA synchronous=full")
    connection.execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INT, filler TEXT)")
    connection.execute("CREATE TABLE history (id INT, delta INT, at REAL)")
    rows = ((number, 0, "x" * 80) for number in range(SQLITE_ACCOUNTS))
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO accounts VALUES (?, ?, ?)", rows)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return connection


def measure_sqlite(disk: Disk, seconds: int) -> tuple[float, float]:
    """Measures transactions a second of one client, and their 99th percentile in ms."""
    connection = make_accounts(disk.files / "accounts")
    os.sync()
    chance = random.Random(1)
    times = []
    begin = last = time.monotonic()
    while last - begin < seconds:
        account, delta = chance.randrange(SQLITE_ACCOUNTS), chance.randint(-5000, 5000)
        connection.execute("BEGIN IMMEDIATE")
        change = "UPDATE accounts SET balance = balance + ? WHERE id = ?"
        connection.execute(change, (delta, account))
        connection.execute("INSERT INTO history VALUES (?, ?, ?)", (account, delta, last))
        connection.execute("COMMIT")
        now = time.monotonic()
        times.append(now - last)
        last = now
    connection.close()
    return len(times) / (last - begin), 1000 * statistics.quantiles(times, n=100)[98]


def measure(
    name: str, model: str, is_worn_in: bool, arguments: argparse.Namespace, log: IO[str]
) -> Measurement:
    """Serves a drive and measures both databases on it."""
    with tempfile.TemporaryDirectory(prefix="databases-", dir=arguments.work) as work:
        folder = Path(work)
        folder.chmod(0o755)
        if is_worn_in:
            model = str(worn_in(arguments.stend, model, folder))
        with contextlib.ExitStack() as in_the_end:
            drive = ServedDrive(arguments.stend, model, folder, "1")
            in_the_end.callback(drive.stop)
            disk = Disk(drive, folder)
            in_the_end.callback(disk.detach)
            disk.attach()
            # mkfs must not TRIM the drive, which would end its steady state.
            disk.make_file_system("-T", "largefile", "-E", "nodiscard,lazy_itable_init=0")
            disk.mount()
            disk.check_path()
            tps, latency = measure_postgres(disk, folder, arguments.seconds, log)
            sqlite_tps, sqlite_p99 = measure_sqlite(disk, arguments.seconds)
            status = drive.status()
    late = status["lateness"]
    return Measurement(
        drive=name,
        state="steady" if is_worn_in else "fresh",
        postgresql_tps=round(tps, 1),
        postgresql_latency_ms=round(latency, 2),
        sqlite_tps=round(sqlite_tps, 1),
        sqlite_p99_ms=round(sqlite_p99, 2),
        late_percent=round(100 * late["late"] / late["answered"], 1),
        late_p99_ms=round(late["ns_p99"] / 1e6, 2),
    )


def table(measurements: list[Measurement]) -> str:
    """Returns the measurements as a Markdown table."""
    lines = [
        "| drive | state | PostgreSQL, transactions/s | mean, ms | SQLite, transactions/s "
        "| 99 % within, ms | 99 % of the drive's answers late by at most, ms |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {each.drive} | {each.state} | {each.postgresql_tps:,.0f} "
        f"| {each.postgresql_latency_ms:.2f} | {each.sqlite_tps:,.0f} | {each.sqlite_p99_ms:.2f} "
        f"| {each.late_p99_ms:.2f} |"
        for each in measurements
    ]
    return "\n".join(lines) + "\n"


COLORS = {"fresh": "#4c78a8", "steady": "#f58518"}
WIDTH, ROW, LEFT, RIGHT = 720, 22, 230, 70


def bars(title: str, values: list[tuple[Measurement, float]], top: int) -> list[str]:
    """Returns a panel of horizontal bars whose upper edge is at `top`."""
    scale = (WIDTH - LEFT - RIGHT) / max(value for _, value in values)
    lines = [f'<text x="{LEFT}" y="{top + 14}" font-weight="bold">{title}</text>']
    for index, (each, value) in enumerate(values):
        y = top + 24 + index * ROW
        width = value * scale
        label = f"{each.drive}, {each.state}"
        lines += [
            f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{label}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{ROW - 5}" '
            f'fill="{COLORS[each.state]}"/>',
            f'<text x="{LEFT + width + 6:.1f}" y="{y + 13}">{value:,.0f}</text>',
        ]
    return lines


def picture(measurements: list[Measurement]) -> str:
    """Returns the measurements as a picture (SVG)."""
    height = 2 * (len(measurements) * ROW + 44)
    sqlite = "SQLite, one client, WAL, synchronous=full: transactions a second"
    postgres = f"PostgreSQL, pgbench, {CLIENTS} clients: transactions a second"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        *bars(postgres, [(each, each.postgresql_tps) for each in measurements], 8),
        *bars(sqlite, [(each, each.sqlite_tps) for each in measurements], height // 2 + 8),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--stend", default="stend", help="path of stend")
    add("--seconds", type=int, default=60, help="duration of each measurement, s")
    add("--states", nargs="+", default=["fresh", "steady"], choices=("fresh", "steady"))
    add("--drives", nargs="+", default=DRIVES, choices=DRIVES)
    add("--out", type=Path, default=Path("."), help="folder for the table and the picture")
    add("--work", type=Path, help="folder for the drives, with a few GB free")
    add("--log", default=os.devnull, help="file for messages of PostgreSQL")
    return parser.parse_args()


def main() -> int:
    """Measures all drives."""
    arguments = parse()
    need_disks(arguments.stend)
    end_cleanly_by_sigterm()
    measurements = []
    with tempfile.TemporaryDirectory() as folder, open(arguments.log, "a", encoding="utf-8") as log:
        models = (CONSUMER, DATA_CENTER, str(without_capacitors(arguments.stend, Path(folder))))
        for name, model in zip(DRIVES, models, strict=True):
            if name not in arguments.drives:
                continue
            for state in arguments.states:
                result = measure(name, model, state == "steady", arguments, log)
                print(json.dumps(asdict(result)), flush=True)
                measurements.append(result)
    write_results(measurements, arguments.out)
    return 0


def write_results(measurements: list[Measurement], folder: Path) -> None:
    """Writes the table, the picture and the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "databases.md").write_text(table(measurements))
    (folder / "databases.svg").write_text(picture(measurements))
    figures = [asdict(each) for each in measurements]
    (folder / "databases.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(table(measurements))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as skip:
        print(f"skipped: {skip}", file=sys.stderr)
    except Failure as error:
        sys.exit(f"error: {error}")
