"""A served drive, and the same drive as a mounted file system, for the scripts in this folder."""

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
    """Lack of something on this machine that the script needs."""


class Failure(Exception):
    """An error that is not a result of the script."""


def run(*command: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end and captures its output."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise Failure(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done


def wait_until(condition: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Waits until a condition is true, and fails after `patience_s`."""
    end = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"timed out after {patience_s:.0f} s: {what}")
        time.sleep(0.005)


def need_programs(*names: str) -> None:
    """Skips the script if a program is missing or the user is not root."""
    if os.geteuid() != 0:
        raise Skip("loop devices and mounts need root")
    for name in names:
        if shutil.which(name) is None:
            raise Skip(f"{name} is not installed")


def need_disks(stend: str) -> None:
    """Skips the script if this machine cannot mount a served drive."""
    if shutil.which(stend) is None:
        raise Failure(f"there is no program {stend}; set --stend to the path of stend")
    need_programs("nbdfuse", "losetup", "mount", "umount", "mkfs.ext4", "e2fsck")
    for device in ("/dev/fuse", "/dev/loop-control"):
        if not Path(device).exists():
            raise Skip(f"there is no {device}")


def end_cleanly_by_sigterm() -> None:
    """Makes SIGTERM raise SystemExit, so that the script unmounts everything."""
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
        wait_until(lambda: self.control.exists() or self.has_ended(), "start of the server")
        if self.has_ended():
            raise Failure(f"the server has ended: {self.log.read_text()}")

    def has_ended(self) -> bool:
        """True if the server has ended."""
        return self.server.poll() is not None

    def command(self, name: str, *options: str) -> Any:
        """Sends a command to the drive; returns its answer."""
        words = [self.stend, "drive", name, str(self.control), *options, "--json"]
        done = run(*words, check=False)
        if done.returncode != 0:
            log = self.log.read_text()
            raise Failure(f"{' '.join(words)}: {done.stderr.strip()}; log of the server: {log}")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def status(self) -> dict[str, Any]:
        """Returns the status of the drive."""
        status = self.command("status")
        assert isinstance(status, dict)
        return status

    def has_power(self) -> bool:
        """True if the power is on."""
        return bool(self.status()["power"])

    def cut_now(self) -> None:
        """Cuts the power if it is on."""
        if self.has_power():
            try:
                self.command("power-cut")
            except Failure:
                # A cut by `cut_later` may have come between the two commands.
                if self.has_power():
                    raise

    def cut_later(self, when: str, count: int) -> None:
        """Schedules a power cut `after-writes` or `at-flash-event`, after `count` of them."""
        self.command("power-cut", f"--{when}", str(count))

    def power_on(self) -> None:
        """Turns the power on."""
        self.command("power-on")

    def stop(self) -> None:
        """Ends the server, which saves the drive if it has a state file."""
        self.server.send_signal(signal.SIGTERM)
        try:
            code = self.server.wait(PATIENCE_S * 10)
        except subprocess.TimeoutExpired as late:
            self.server.kill()
            raise Failure("the server did not end after SIGTERM") from late
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
        """Exports the drive as a file, and the file as a block device without its own cache."""
        file = self.fuse_folder / "disk"
        address = f"nbd+unix:///?socket={self.drive.socket}"
        with self.drive.log.open("a") as log:
            self.nbdfuse = subprocess.Popen(["nbdfuse", str(file), address], stderr=log)
        nbdfuse = self.nbdfuse
        wait_until(lambda: file.exists() or nbdfuse.poll() is not None, "start of nbdfuse")
        if nbdfuse.poll() is not None:
            raise Failure(f"nbdfuse has ended: {self.drive.log.read_text()}")
        # O_DIRECT bypasses the page cache of the FUSE file.
        setup = ("losetup", "--find", "--show", "--direct-io=on")
        self.loop = run(*setup, file).stdout.strip()

    def detach(self) -> None:
        """Removes mounts and devices with the kernel's caches; the drive may be without power."""
        if self.is_mounted:
            self.unmount(self.files)
            self.is_mounted = False
        if self.loop is not None:
            loop, self.loop = self.loop, None
            run("losetup", "--detach", loop)
            backing = Path("/sys/block") / Path(loop).name / "loop/backing_file"
            wait_until(lambda: not backing.exists(), f"removal of {loop}")
        if self.nbdfuse is not None:
            nbdfuse, self.nbdfuse = self.nbdfuse, None
            # nbdfuse may have ended with its connection, but its mount remains.
            self.unmount(self.fuse_folder)
            nbdfuse.wait(PATIENCE_S)

    def unmount(self, folder: Path) -> None:
        """Unmounts a folder, with retries because ending processes may use it for a moment."""
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
        """Creates a new file system on the whole drive."""
        assert self.loop is not None
        run("mkfs.ext4", "-q", "-F", *options, self.loop)

    def repair(self) -> bool:
        """Replays the journal and repairs the file system.

        Returns true if it was consistent after the replay.
        """
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
        """Fails unless data and flushes of a synchronised file reach the drive."""
        before = self.drive.status()["totals"]
        data = os.urandom(1 << 20)
        with (self.files / "check").open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        after = self.drive.status()["totals"]
        if after["writes"]["bytes"] < before["writes"]["bytes"] + len(data):
            raise Failure("fsync returned before the data reached the drive")
        if after["others"] == before["others"]:
            raise Failure("fsync returned without a flush of the drive")
