"""SQLite and PostgreSQL for `power_cuts.py`: create, load, and check after a power cut.

Both hold rows with numbers. A transaction writes a row into `rows` and its number into `twins`, so
that half a transaction is noticed. A load prints the number of each acknowledged commit.
"""

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from served import PATIENCE_S, Failure, Skip, run, wait_until

# Rows of a load: more than it can write before the cut.
LOAD_ROWS = 5000


@dataclass
class Check:
    """Content of a database after a power cut: a fault, or the numbers of its rows."""

    wrong: str | None = None
    present: set[int] = field(default_factory=set)


class Database(Protocol):
    """A database in a mounted file system."""

    def create(self) -> None:
        """Creates a new database."""

    def check(self) -> Check:
        """Opens the database after a power cut, and reads all of it."""

    def load(self, first: int, forget: int) -> subprocess.Popen[bytes]:
        """Starts to commit rows from `first` on, after deleting rows up to `forget`."""

    def kill(self) -> None:
        """Ends the database at once, as a power cut of the host would."""


class Sqlite:
    """An SQLite database. It has no server: the writing process is the database."""

    def __init__(self, files: Path, journal: str, synchronous: str, log: IO[str]):
        client = Path(__file__).resolve().with_name("sqlite_client.py")
        self.command = [sys.executable, str(client), str(files / "database"), journal, synchronous]
        self.log = log

    def create(self) -> None:
        """Creates a new database."""
        run(*self.command, "create")
        os.sync()

    def check(self) -> Check:
        """Opens the database after a power cut, and reads all of it."""
        done = run(*self.command, "check", check=False)
        if done.returncode != 0:
            return Check(wrong=done.stderr.strip() or f"the check ended with {done.returncode}")
        found = json.loads(done.stdout)
        return Check(wrong=found) if isinstance(found, str) else Check(present=set(found))

    def load(self, first: int, forget: int) -> subprocess.Popen[bytes]:
        """Starts to commit rows from `first` on, after deleting rows up to `forget`."""
        command = [*self.command, "load", str(first), str(forget)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log)

    def kill(self) -> None:
        """Does nothing, since the caller kills the load."""


def postgres_programs() -> Path:
    """Returns the folder of PostgreSQL's programs."""
    found = shutil.which("postgres")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not folders:
        raise Skip("PostgreSQL is not installed")
    return folders[-1].parent


class Postgres:
    """A PostgreSQL server with its own port and socket."""

    USER = "postgres"
    PORT = "54329"

    def __init__(
        self, files: Path, folder: Path, options: list[str], log: IO[str], segment_mb: int = 1
    ):
        self.segment_mb = segment_mb
        self.data = files / "postgres"
        self.folder = folder / "postgres"
        self.options = options
        self.log = log
        self.programs = postgres_programs()
        self.server: subprocess.Popen[bytes] | None = None
        self.segment: str | None = None
        try:
            pwd.getpwnam(self.USER)
        except KeyError as missing:
            raise Skip(f"there is no user {self.USER}") from missing
        self.folder.mkdir(exist_ok=True)
        shutil.chown(self.folder, self.USER)

    def start_program(self, name: str, *arguments: str, **pipes: Any) -> subprocess.Popen[bytes]:
        """Starts one of PostgreSQL's programs as its user."""
        command = [str(self.programs / name), *arguments]
        pipes = {"stdout": self.log, "stderr": self.log} | pipes
        user = {"user": self.USER, "group": self.USER, "extra_groups": []}
        return subprocess.Popen(command, cwd=self.folder, start_new_session=True, **user, **pipes)

    def create(self) -> None:
        """Creates a new database, and leaves the server running."""
        self.make_cluster()
        if not self.start():
            raise Failure("the new PostgreSQL server did not start; --log FILE keeps its messages")
        self.query("CREATE TABLE rows (n bigint PRIMARY KEY, payload text)")
        self.query("CREATE TABLE twins (n bigint PRIMARY KEY)")
        self.query("CREATE EXTENSION IF NOT EXISTS amcheck")
        self.query("CHECKPOINT")
        os.sync()

    def make_cluster(self) -> None:
        """Creates the cluster's folder as a copy of a template, which the first call makes."""
        template = self.folder / "template"
        if not template.exists():
            arguments = ("--no-sync", "--data-checksums", "--auth=trust")
            size = f"--wal-segsize={self.segment_mb}"
            initdb = self.start_program("initdb", *arguments, size, "-D", str(template))
            if initdb.wait() != 0:
                raise Failure("initdb failed; --log FILE keeps its messages")
        run("cp", "-a", template, self.data)
        os.sync()

    def start(self) -> bool:
        """Starts the server, which recovers; returns true if it accepts connections."""
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        arguments = ["-D", str(self.data), "-p", self.PORT, "-k", str(self.folder)]
        for option in ("listen_addresses=", "recovery_init_sync_method=syncfs", *self.options):
            arguments += ["-c", option]
        server = self.start_program("postgres", *arguments)
        self.server = server
        wait_until(lambda: server.poll() is not None or self.is_ready(), "recovery", 120)
        if server.poll() is not None:
            return False
        # The seventh line has the key and the id of the server's shared memory segment.
        lock = (self.data / "postmaster.pid").read_text().splitlines()
        self.segment = lock[6].split()[1]
        return True

    def is_ready(self) -> bool:
        """True if the server accepts connections."""
        program = self.programs / "pg_isready"
        time.sleep(0.01)
        where = ("-h", self.folder, "-p", self.PORT, "-U", self.USER)
        return run(program, "-q", *where, check=False).returncode == 0

    def psql(self) -> tuple[str, ...]:
        """Returns the arguments of psql."""
        where = ("-h", str(self.folder), "-p", self.PORT, "-d", "postgres")
        return ("-X", "-q", "-A", "-t", *where, "-v", "ON_ERROR_STOP=1")

    def query(self, sql: str) -> list[str]:
        """Returns the result of a query, split into words."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        client = self.start_program("psql", *self.psql(), "-c", sql, **pipes)
        out, errors = client.communicate()
        if client.returncode != 0:
            raise Failure(errors.decode().strip())
        return out.decode().split()

    def check(self) -> Check:
        """Opens the database after a power cut, and reads all of it."""
        try:
            if not self.start():
                return Check(wrong="the server does not start")
            return self.read()
        except Failure as failure:
            return Check(wrong=str(failure))

    def read(self) -> Check:
        """Reads all of the database, and checks its indexes."""
        for index in ("rows_pkey", "twins_pkey"):
            self.query(f"SELECT bt_index_check('{index}', true)")
        right = "payload = repeat(md5(n::text), (1 + n % 60)::int)"
        wrong = self.query(f"SELECT count(*) FROM rows WHERE NOT {right}")
        rows = set(map(int, self.query("SELECT n FROM rows")))
        twins = set(map(int, self.query("SELECT n FROM twins")))
        if wrong != ["0"]:
            return Check(wrong="rows that nobody has written")
        return Check(present=rows) if rows == twins else Check(wrong="half a transaction")

    def load(self, first: int, forget: int) -> subprocess.Popen[bytes]:
        """Starts to commit rows from `first` on, after deleting rows up to `forget`."""
        script = self.folder / "load.sql"
        with script.open("w") as file:
            file.write("BEGIN;\n")
            for table in ("rows", "twins"):
                file.write(f"DELETE FROM {table} WHERE n <= {forget};\n")
            file.write("COMMIT;\n")
            for number in range(first, first + LOAD_ROWS):
                file.write(self.insert(number))
        arguments = (*self.psql(), "-f", str(script))
        return self.start_program("psql", *arguments, stdout=subprocess.PIPE)

    @staticmethod
    def insert(number: int) -> str:
        """Returns the SQL that commits a row and prints its number."""
        row = f"INSERT INTO rows VALUES ({number}, repeat(md5('{number}'), {1 + number % 60}))"
        return f"WITH r AS ({row} RETURNING n) INSERT INTO twins SELECT n FROM r RETURNING n;\n"

    def kill(self) -> None:
        """Ends the server and its children at once."""
        if self.server is None:
            return
        server, self.server = self.server, None
        if server.poll() is None:
            for pid in [server.pid, *children(server.pid)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        server.wait(PATIENCE_S)
        if self.segment is not None:
            run("ipcrm", "--shmem-id", self.segment, check=False)
            self.segment = None


def children(pid: int) -> list[int]:
    """Returns the children of a process; none if the kernel does not list them."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []
