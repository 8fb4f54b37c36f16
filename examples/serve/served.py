"""A served drive, and the same drive as a mounted file system, for the scripts beside this file."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE_S = 30.0


class Skip(Exception):
    """This machine lacks something that the script needs."""


class Failure(Exception):
    """Something went wrong that is no result."""


def run(*command: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end and keeps what it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise Failure(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done


def wait_until(condition: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Waits for a condition, and fails when it does not come."""
    end = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {patience_s:.0f} s")
        time.sleep(0.005)


def need_programs(*names: str) -> None:
    """Skips the script where a program is missing or the user is not root."""
    if os.geteuid() != 0:
        raise Skip("loop devices and mounts need root")
    for name in names:
        if shutil.which(name) is None:
            raise Skip(f"{name} is not installed")


def need_disks(stend: str) -> None:
    """Skips the script where a served drive cannot be mounted."""
    if shutil.which(stend) is None:
        raise Failure(f"{stend} is no program; name stend by --stend")
    need_programs("nbdfuse", "losetup", "mount", "umount", "mkfs.ext4", "e2fsck")
    for device in ("/dev/fuse", "/dev/loop-control"):
        if not Path(device).exists():
            raise Skip(f"there is no {device}")


def end_cleanly_by_sigterm() -> None:
    """Lets SIGTERM end the script as an exception does, so that nothing stays mounted."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


class ServedDrive:
    """A server and the control socket of its drive."""

    def __init__(self, stend: str, model: str, folder: Path, speed: str, state: Path | None = None):
        self.stend = stend
        self.socket = folder / "nbd"
        self.control = folder / "control"
        self.log = folder / "server.log"
        command = [stend, "serve", model, "--nbd", f"unix:{self.socket}"]
        command += ["--control", str(self.control), "--speed", speed]
        if state is not None:
            command += ["--state", str(state)]
        with self.log.open("w") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=log)
        wait_until(lambda: self.control.exists() or self.has_ended(), "the server")
        if self.has_ended():
            raise Failure(f"the server has ended: {self.log.read_text()}")

    def has_ended(self) -> bool:
        """Whether the server has ended."""
        return self.server.poll() is not None

    def command(self, name: str, *options: str) -> Any:
        """Gives the drive a command; its answer."""
        words = [self.stend, "drive", name, str(self.control), *options, "--json"]
        done = run(*words, check=False)
        if done.returncode != 0:
            log = self.log.read_text()
            raise Failure(f"{' '.join(words)}: {done.stderr.strip()}; the server said: {log}")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def status(self) -> dict[str, Any]:
        """How the drive is."""
        status = self.command("status")
        assert isinstance(status, dict)
        return status

    def has_power(self) -> bool:
        """Whether the power is on."""
        return bool(self.status()["power"])

    def cut_now(self) -> None:
        """Cuts the power, unless it is off already."""
        if self.has_power():
            try:
                self.command("power-cut")
            except Failure:
                # A cut that was due came between the two commands.
                if self.has_power():
                    raise

    def cut_later(self, when: str, count: int) -> None:
        """Cuts the power later: `after-writes` or `at-flash-event`, and how many."""
        self.command("power-cut", f"--{when}", str(count))

    def power_on(self) -> None:
        """Turns the power on."""
        self.command("power-on")

    def stop(self) -> None:
        """Ends the server, which saves the drive where it has a state file."""
        self.server.send_signal(signal.SIGTERM)
        try:
            code = self.server.wait(PATIENCE_S * 10)
        except subprocess.TimeoutExpired as late:
            self.server.kill()
            raise Failure("the server did not end by SIGTERM") from late
        if code not in (0, -signal.SIGTERM):
            raise Failure(f"the server ended with {code}: {self.log.read_text()}")


class Disk:
    """A served drive as a block device and a file system: nbdfuse, a loop device, a mount."""

    def __init__(self, drive: ServedDrive, folder: Path):
        self.drive = drive
        self.fuse_folder = folder / "fuse"
        self.files = folder / "files"
        self.fuse_folder.mkdir()
        self.files.mkdir()
        self.nbdfuse: subprocess.Popen[bytes] | None = None
        self.loop: str | None = None
        self.is_mounted = False

    def attach(self) -> None:
        """Shows the drive as a file, and this as a block device without a cache of its own."""
        file = self.fuse_folder / "disk"
        address = f"nbd+unix:///?socket={self.drive.socket}"
        with self.drive.log.open("a") as log:
            self.nbdfuse = subprocess.Popen(["nbdfuse", str(file), address], stderr=log)
        nbdfuse = self.nbdfuse
        wait_until(lambda: file.exists() or nbdfuse.poll() is not None, "nbdfuse")
        if nbdfuse.poll() is not None:
            raise Failure(f"nbdfuse has ended: {self.drive.log.read_text()}")
        # O_DIRECT passes the page cache of the FUSE file.
        setup = ("losetup", "--find", "--show", "--direct-io=on")
        self.loop = run(*setup, file).stdout.strip()

    def detach(self) -> None:
        """Takes all of it away, with what the kernel has cached; the drive may be without power."""
        if self.is_mounted:
            self.unmount(self.files)
            self.is_mounted = False
        if self.loop is not None:
            loop, self.loop = self.loop, None
            run("losetup", "--detach", loop)
            backing = Path("/sys/block") / Path(loop).name / "loop/backing_file"
            wait_until(lambda: not backing.exists(), f"the end of {loop}")
        if self.nbdfuse is not None:
            nbdfuse, self.nbdfuse = self.nbdfuse, None
            # It may have ended with its connection, but its mount has not.
            self.unmount(self.fuse_folder)
            nbdfuse.wait(PATIENCE_S)

    def unmount(self, folder: Path) -> None:
        """Unmounts a folder, which processes that are ending may still use for a moment."""
        end = time.monotonic() + PATIENCE_S
        while True:
            done = run("umount", folder, check=False)
            if done.returncode == 0:
                return
            if time.monotonic() > end:
                run("umount", "--lazy", folder, check=False)
                raise Failure(f"umount {folder}: {done.stderr.strip()}")
            time.sleep(0.01)

    def make_file_system(self, *options: str) -> None:
        """Makes a new file system on the whole drive."""
        assert self.loop is not None
        run("mkfs.ext4", "-q", "-F", *options, self.loop)

    def repair(self) -> bool:
        """Replays the journal and repairs the file system; whether it was consistent then."""
        assert self.loop is not None
        code = run("e2fsck", "-fp", self.loop, check=False).returncode
        if code & ~3 == 0:
            return True
        run("e2fsck", "-fy", self.loop, check=False)
        return False

    def mount(self) -> None:
        """Mounts the file system."""
        assert self.loop is not None
        run("mount", "-t", "ext4", self.loop, self.files)
        self.is_mounted = True
        self.files.chmod(0o755)

    def check_path(self) -> None:
        """Fails unless data and flushes of a synchronised file arrive at the drive."""
        before = self.drive.status()["totals"]
        data = os.urandom(1 << 20)
        with (self.files / "check").open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        after = self.drive.status()["totals"]
        if after["writes"]["bytes"] < before["writes"]["bytes"] + len(data):
            raise Failure("fsync has ended before the data was at the drive")
        if after["others"] == before["others"]:
            raise Failure("fsync has ended without a flush of the drive")
