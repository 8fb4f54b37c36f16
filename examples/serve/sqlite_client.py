"""Process that uses an SQLite database for `power_cuts.py`.

Usage: `sqlite_client.py DATABASE JOURNAL SYNCHRONOUS COMMAND`, with the journal mode and the level
of `synchronous`. Commands: `create`; `check`, which prints the numbers of the rows, or a fault, as
JSON; `load FIRST FORGET`, which deletes rows up to FORGET, and then commits rows from FIRST on and
prints each number once it is committed.
"""

import hashlib
import json
import os
import sqlite3
import sys

# Few pages, so that power cuts interrupt checkpoints too.
CHECKPOINT_PAGES = 64


def payload(number: int) -> str:
    """Returns the content of the row with this number."""
    return hashlib.md5(str(number).encode()).hexdigest() * (1 + number % 60)


def open_database(path: str, journal: str, synchronous: str) -> sqlite3.Connection:
    """Opens the database, which recovers from the journal of an earlier run."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Creates the tables."""
    connection.execute("CREATE TABLE rows (n INTEGER PRIMARY KEY, payload TEXT)")
    connection.execute("CREATE TABLE twins (n INTEGER PRIMARY KEY)")


def check(connection: sqlite3.Connection) -> str | list[int]:
    """Returns the numbers of all rows, or a description of a fault."""
    verdict = connection.execute("PRAGMA integrity_check").fetchall()
    if verdict != [("ok",)]:
        return f"integrity check: {verdict[0][0]}"
    rows = dict(connection.execute("SELECT n, payload FROM rows"))
    twins = {number for (number,) in connection.execute("SELECT n FROM twins")}
    if any(text != payload(number) for number, text in rows.items()):
        return "rows that nobody has written"
    return sorted(twins) if twins == set(rows) else "half a transaction"


def load(connection: sqlite3.Connection, number: int, forget: int) -> None:
    """Commits rows until the drive fails or the process is killed."""
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
    """Carries out the command."""
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
