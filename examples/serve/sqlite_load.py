"""Writes numbered rows into an SQLite database and prints each number once it is committed.

Arguments: the database, the journal mode, the level of `synchronous`, the first number, and up to
which number rows are forgotten.
"""

import hashlib
import os
import sqlite3
import sys
from pathlib import Path

# So few that checkpoints are among what a power cut interrupts.
CHECKPOINT_PAGES = 64


def payload(number: int) -> str:
    """What the row of a number holds."""
    return hashlib.md5(str(number).encode()).hexdigest() * (1 + number % 60)


def open_database(path: Path, journal: str, synchronous: str) -> sqlite3.Connection:
    """Opens the database; with the journal of an earlier run, it recovers."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    return connection


def main() -> None:
    """Writes until the drive fails or the process is killed."""
    path, journal, synchronous, first, forget = sys.argv[1:]
    connection = open_database(Path(path), journal, synchronous)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM rows WHERE n <= ?", (int(forget),))
    connection.execute("DELETE FROM twins WHERE n <= ?", (int(forget),))
    connection.execute("COMMIT")
    number = int(first)
    while True:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows VALUES (?, ?)", (number, payload(number)))
        connection.execute("INSERT INTO twins VALUES (?)", (number,))
        connection.execute("COMMIT")
        os.write(1, f"{number}\n".encode())
        number += 1


if __name__ == "__main__":
    try:
        main()
    except (sqlite3.Error, OSError) as error:
        sys.exit(f"sqlite: {error}")
