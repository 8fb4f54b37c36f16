"""Drives: models, state, operations."""

from __future__ import annotations

import copy
import gc
import pathlib
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import stend

WRITE = stend.Job(rw="randwrite", bs="4k", iodepth=8, runtime=2)
#: A shipped drive whose model has cells, capacitors, parity and SMART.
CELLS = "samsung-850-pro-256gb"


#: Figures with which the demonstration drive wears out soon.
MORTAL = {
    "health.protocol": "nvme",
    "health.rated_cycles": 2,
    "health.spare_superblocks": 1,
    "health.spare_threshold_percent": 10,
    "health.end_of_life_cycles": 2,
}


def test_overrides_change_the_drive() -> None:
    large = stend.Drive("demo-8gb", overrides={"capacity.user_bytes": np.int64(7_000_002_560)})
    assert large.capacity_bytes == 7_000_002_560
    assert stend.Drive("demo-8gb").capacity_bytes == 8_000_000_000


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("nand.die", 4, "the nearest is `nand.dies`"),
        ("nand.dies", float("nan"), "nan"),
        ("nand.dies", -1, "nand.dies"),
        ("nand.dies", "many", "nand.dies"),
        ("nand.dies", None, "not a value of a figure"),
        ("nand.dies", 2**80, "63 bits"),
        (5, 5, "a key must be text"),
    ],
)
def test_a_wrong_override_says_what_is_wrong(key: str, value: object, said: str) -> None:
    with pytest.raises(stend.InputError, match=re.escape(said)):
        stend.Drive("demo-8gb", overrides={key: value})


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(stend.InputError, match="demo-8gb"):
        stend.Drive("demo-9gb")
    with pytest.raises(FileNotFoundError):
        stend.Drive("missing.toml")


def test_a_model_is_told_and_read_again(tmp_path: pathlib.Path) -> None:
    model = stend.Drive("demo-8gb", overrides={"nand.program_us[2]": 900}).model
    assert model.name == "demo-8gb" and "controller" in model.facts
    file = tmp_path / "mine.toml"
    file.write_text(model.text)
    again = stend.Drive(file)
    again.fill()
    drive = stend.Drive("demo-8gb", overrides={"nand.program_us[2]": 900})
    drive.fill()
    assert again.history_hash == drive.history_hash


def test_copies_are_independent(full_drive: stend.Drive) -> None:
    one, two = full_drive.copy(), full_drive.copy()
    before = two.history_hash
    first = one.run(WRITE)
    assert two.history_hash == before == full_drive.history_hash
    assert two.run(WRITE).to_json() == first.to_json()


def test_counters_are_a_mapping_with_attributes(full_drive: stend.Drive) -> None:
    drive = full_drive.copy()
    before = drive.counters
    assert before.host_bytes_written == before["host_bytes_written"] == drive.capacity_bytes
    assert all(isinstance(value, int) for value in before.values())
    result = drive.run(WRITE)
    during = drive.counters - before
    assert during.host_bytes_written == result.write.bytes
    assert during.write_amplification == result.write_amplification
    assert stend.Drive("demo-8gb").counters.write_amplification is None
    with pytest.raises(AttributeError, match="there is no counter"):
        before.no_such


def test_erase_counts_and_health(full_drive: stend.Drive) -> None:
    counts = full_drive.erase_counts
    assert counts.dtype == np.uint32 and counts.sum() > 0
    assert full_drive.health()["host_written_bytes"] == full_drive.capacity_bytes
    assert full_drive.smart() is None
    smart = stend.Drive(CELLS).smart()
    assert smart is not None and "ata_smart_attributes" in smart


def test_time_passes_in_idle(full_drive: stend.Drive) -> None:
    drive = full_drive.copy()
    begin = drive.now_s
    drive.idle(900)
    assert drive.now_s == pytest.approx(begin + 900, abs=1e-6)
    year_s = 365 * 86_400.0
    for seconds in (-1, float("nan"), float("inf"), 1e12, 30 * year_s):
        with pytest.raises(stend.InputError):
            drive.idle(seconds)
    drive.idle(3 * year_s)


def test_trim_empties(full_drive: stend.Drive) -> None:
    drive = full_drive.copy()
    drive.trim(offset=4096, length=8192)
    assert drive.counters.pages_trimmed == 2
    drive.trim()
    ranges: list[tuple[int, int | None]] = [(1, None), (0, 100), (0, 0), (2**63, 2**63)]
    for offset, length in ranges:
        with pytest.raises(stend.InputError):
            drive.trim(offset, length)
    with pytest.raises(stend.InputError):
        drive.trim(-512)
    drive.overprovision(4_000_000_000 // 4096 * 4096)
    assert drive.capacity_bytes < drive.native_bytes
    with pytest.raises(stend.InputError):
        drive.overprovision(1)


def test_what_happens_to_drives() -> None:
    drive = stend.Drive(CELLS)
    drive.run(stend.Job(rw="write", bs="128k", size="256m"))
    aged = drive.age(365, 40)
    days = aged["days_at_30_c"]
    assert days is not None and 3.5 * 365 < days < 4.5 * 365
    with pytest.raises(stend.InputError):
        drive.age(float("nan"), 30)
    with pytest.raises(stend.InputError):
        drive.age(1, -300)
    with pytest.raises(stend.InputError, match="dies"):
        drive.fail_die(10_000)
    drive.fail_die(0)
    drive.set_write_cache(False)
    assert not drive.write_cache
    drive.erase()
    for refused in (lambda: stend.Drive("demo-8gb").age(1), lambda: drive.fail_die(-1)):
        with pytest.raises(stend.InputError):
            refused()


def test_a_power_cut_is_recovered_from_or_refused() -> None:
    cut = refused = 0
    for row in stend.drives():
        if row["capacity_bytes"] > 300e9:
            continue
        drive = stend.Drive(row["name"])
        drive.run(stend.Job(rw="randwrite", bs="4k", iodepth=4, size="8m"))
        try:
            assert drive.power_cut()["took_ns"] > 0
            cut += 1
        except stend.InputError as error:
            assert "power cut" in str(error)
            refused += 1
        drive.run(stend.Job(rw="randread", bs="4k", size="1m"))
    assert cut + refused > 3


def test_a_drive_is_kept_in_its_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.state"
    drive = stend.Drive("demo-8gb")
    with pytest.raises(stend.InputError, match="in no file"):
        drive.save()
    drive.run(WRITE)
    drive.save(path)
    assert drive.path == str(path)
    drive.run(WRITE)
    drive.save(path)
    drive.save()
    with pytest.raises(OSError, match="in use"):
        stend.Drive.open(path)
    expected = drive.history_hash
    copy = drive.copy()
    assert copy.path is None
    with pytest.raises(stend.InputError, match="exists already"):
        copy.save(path)
    del drive
    again = stend.Drive.open(path)
    assert again.history_hash == expected
    assert again.run(WRITE).to_json() == copy.run(WRITE).to_json()
    # Changes that were not saved are lost.
    del again
    assert stend.Drive.open(path).history_hash == expected


def test_no_other_file_is_overwritten(tmp_path: pathlib.Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    with pytest.raises(stend.InputError, match="exists already"):
        stend.Drive("demo-8gb").save(other)
    with pytest.raises(stend.InputError):
        stend.Drive.open(other)
    assert other.read_text() == "mine"
    with pytest.raises(FileNotFoundError):
        stend.Drive.open(tmp_path / "none")
    with pytest.raises(OSError):
        stend.Drive("demo-8gb").save(tmp_path / "no" / "folder")
    path = tmp_path / "a.state"
    drive = stend.Drive("demo-8gb")
    drive.save(path)
    path.unlink()
    path.write_text("mine")
    with pytest.raises(OSError):
        drive.save()
    assert path.read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.state", "other"]


def test_a_worn_out_drive_raises_with_what_it_did() -> None:
    drive = stend.Drive("demo-8gb", overrides=MORTAL)
    job = stend.Job(rw="write", bs="1m", iodepth=32, io_size="100g")
    with pytest.raises(stend.DriveError, match="worn out") as caught:
        drive.run(job)
    result = caught.value.result
    assert result is not None and result.write.bytes > drive.capacity_bytes
    assert drive.health()["read_only"]
    with pytest.raises(stend.DriveError):
        drive.trim()
    drive.run(stend.Job(rw="read", bs="1m", size="10m"))


def test_a_failure_does_not_keep_the_drives_file_locked(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "drive.state"
    drive = stend.Drive("demo-8gb", overrides=MORTAL)
    drive.save(path)
    gc.disable()
    try:
        try:
            drive.run(stend.Job(rw="write", bs="1m", iodepth=32, io_size="100g"))
        except stend.DriveError:
            pass
        del drive
        stend.Drive.open(path)
    finally:
        gc.enable()


def test_a_copy_is_a_drive_of_its_own(full_drive: stend.Drive) -> None:
    for made in (copy.copy(full_drive), copy.deepcopy(full_drive)):
        before = full_drive.history_hash
        made.run(stend.Job(rw="write", bs="4k", size="64k"))
        assert full_drive.history_hash == before != made.history_hash


def test_drives_are_simulated_on_several_threads(full_drive: stend.Drive) -> None:
    def measure(seed: int) -> str:
        return full_drive_copies[seed].run(WRITE, seed=seed).to_json()

    full_drive_copies = [full_drive.copy() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(measure, range(4)))
    alone = [full_drive.copy().run(WRITE, seed=seed).to_json() for seed in range(4)]
    assert together == alone and len(set(alone)) == 4


def test_one_drive_serves_one_thread_at_a_time(full_drive: stend.Drive) -> None:
    drive = full_drive.copy()
    seen: list[str] = []

    def requests() -> object:
        yield (0.0, "read", 0, 4096)
        with ThreadPoolExecutor(1) as pool:
            try:
                pool.submit(lambda: drive.counters).result()
            except stend.Error as error:
                seen.append(str(error))
            # `repr` works meanwhile, as a debugger needs it.
            assert pool.submit(lambda: repr(drive)).result().startswith("<Drive")

    drive.replay(requests())  # type: ignore[arg-type]
    assert len(seen) == 1 and "another thread" in seen[0]
    assert drive.counters.host_reads == 1


def test_the_catalogue() -> None:
    drives = stend.drives()
    assert len(drives) > 10 and drives[0]["name"] in drives.to_pandas()["name"].values
    assert "2014" in [edition["edition"] for edition in stend.editions()]
