"""The process that uses an SQLite database for `power_cuts.py`.

Commands: `create`; `check`, which prints what is there as JSON; `load FIRST FORGET`, which deletes
rows up to a number, and prints each number once it is committed. Before them stand the database,
the journal mode and the level of `synchronous`.
"""

import hashlib
import json
import os
import sqlite3
import sys

# So few that checkpoints are among what a power cut interrupts.
CHECKPOINT_PAGES = 64


def payload(number: int) -> str:
    """What the row of a number holds."""
    return hashlib.md5(str(number).encode()).hexdigest() * (1 + number % 60)


def open_database(path: str, journal: str, synchronous: str) -> sqlite3.Connection:
    """Opens the database; with the journal of an earlier run, it recovers."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Makes the tables."""
    connection.execute("CREATE TABLE rows (n INTEGER PRIMARY KEY, payload TEXT)")
    connection.execute("CREATE TABLE twins (n INTEGER PRIMARY KEY)")


def check(connection: sqlite3.Connection) -> str | list[int]:
    """The numbers that are there, or what is wrong."""
    verdict = connection.execute("PRAGMA integrity_check").fetchall()
    if verdict != [("ok",)]:
        return f"integrity check: {verdict[0][0]}"
    rows = dict(connection.execute("SELECT n, payload FROM rows"))
    twins = {number for (number,) in connection.execute("SELECT n FROM twins")}
    if any(text != payload(number) for number, text in rows.items()):
        return "rows that nobody has written"
    return sorted(twins) if twins == set(rows) else "half a transaction"


def load(connection: sqlite3.Connection, number: int, forget: int) -> None:
    """Writes until the drive fails or the process is killed."""
    # A cut between two transactions would look like half of one.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM rows WHERE n <= ?", (forget,))
    connection.execute("DELETE FROM twins WHERE n <= ?", (forget,))
    connection.execute("COMMIT")
    while True:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows VALUES (?, ?)", (number, payload(number)))
        connection.execute("INSERT INTO twins VALUES (?)", (number,))
        connection.execute("COMMIT")
        os.write(1, f"{number}\n".encode())
        number += 1


def main() -> None:
    """Does a command."""
    path, journal, synchronous, command, *numbers = sys.argv[1:]
    connection = open_database(path, journal, synchronous)
    if command == "create":
        create(connection)
    elif command == "check":
        print(json.dumps(check(connection)))
    else:
        load(connection, *map(int, numbers))
    connection.close()


if __name__ == "__main__":
    try:
        main()
    except (sqlite3.Error, OSError) as error:
        sys.exit(f"sqlite: {error}")
