"""Jobs: results, formats, errors."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import stend
from conftest import output

MIXED = """[global]
bs=4k
runtime=3
time_based=1
[m]
rw=randrw
iodepth=8
ramp_time=1
[s]
rw=write
bs=64k
fsync=16
"""


@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("fill", [None, "--fill", "--fill=busy"])
def test_results_are_those_of_the_command_line(
    program: str, tmp_path: pathlib.Path, plus: bool, fill: str | None
) -> None:
    file = tmp_path / "mixed.fio"
    file.write_text(MIXED)
    args = ["run", file, "--on", "demo-8gb", "--seed", 7]
    args += ["--output-format", "json+" if plus else "json", *([fill] if fill else [])]
    drive = stend.Drive("demo-8gb")
    if fill:
        drive.fill(busy=fill == "--fill=busy")
    result = drive.run(file, sample_ms=100, seed=7)
    assert result.to_json(plus) == output(program, *args)


def test_text_is_that_of_the_command_line(program: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "mixed.fio"
    file.write_text(MIXED)
    said = output(program, "run", file, "--on", "demo-8gb")
    assert stend.Drive("demo-8gb").run(MIXED).to_text() == said


def test_figures_agree_with_fios_json() -> None:
    result = stend.Drive("demo-8gb").run(stend.Job(rw="randwrite", bs="4k", iodepth=4, runtime=2))
    job = json.loads(result.to_json())["jobs"][0]["write"]
    assert result.iops == pytest.approx(job["iops"], rel=1e-12)
    assert result.bandwidth_bytes_per_s == pytest.approx(job["bw_bytes"], abs=1)
    assert result.write.bytes == job["io_bytes"] and result.read.requests == 0
    assert result.latency.count == result.write.requests == job["total_ios"]
    assert result.latency.max_ns == job["lat_ns"]["max"]
    assert result.latency.percentile(99.9) == job["clat_ns"]["percentile"]["99.900000"]
    assert [each.name for each in result.jobs] == ["job"]
    assert result.jobs[0].iops == result.iops
    middles, counts = result.latency.bins()
    assert counts.sum() == result.latency.count and (np.diff(middles.astype(np.int64)) > 0).all()


def test_jobs_one_after_the_other_share_no_time() -> None:
    one = stend.Job("a", rw="write", bs="64k", runtime=1)
    two = stend.Job("b", rw="write", bs="64k", runtime=2, stonewall=True)
    result = stend.Drive("demo-8gb").run([one, two])
    runtimes = [job.runtime_s for job in result.jobs]
    assert result.measured_s == pytest.approx(sum(runtimes), rel=1e-9)
    at_once = stend.Drive("demo-8gb").run([one, stend.Job("b", rw="write", bs="64k", runtime=2)])
    assert at_once.measured_s == pytest.approx(at_once.jobs[1].runtime_s, rel=1e-9)


def test_samples_are_handed_over_without_a_copy() -> None:
    result = stend.Drive("demo-8gb").run(
        stend.Job(rw="randrw", bs="4k", iodepth=4, runtime=2), sample_ms=100
    )
    table = result.series
    names = ["t_s", "iops", "written_bytes", "read_iops", "write_iops", "read_bytes"]
    assert list(table.columns) == names and len(table) == 20
    for name, array in result.sample_arrays.items():
        # The memory belongs to the program; pandas has a view of it.
        assert not array.flags.owndata
        assert np.shares_memory(array, table[name].to_numpy())
    assert (table["iops"] == table["read_iops"] + table["write_iops"]).all()
    assert table["written_bytes"].iloc[-1] == result.write.bytes
    short = stend.Drive("demo-8gb").run("[a]\nrw=read\nsize=1m", sample_ms=0)
    assert len(short.series) == 0


def test_a_jobs_text() -> None:
    job = stend.Job("w", rw="randwrite", bs="4k", runtime=600)
    assert str(job) == "[w]\nrw=randwrite\nbs=4k\nruntime=600\ntime_based=1\n"
    assert "time_based" not in str(stend.Job(rw="read", runtime=5, size="1g"))
    assert "direct=1\niodepth=4" in str(stend.Job(rw="read", direct=np.True_, iodepth=np.int64(4)))
    assert "time_based=0" in str(stend.Job(rw="read", runtime=5, time_based=False))


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("[a]\nrw=sideways", "sideways"),
        ("[a]\nbsz=4k", "Did you mean"),
        (stend.Job(rw="write", size="9g"), "[job]"),
        ([], "not a list"),
        (5, "not a list"),
        ("[a]\nrw=read\ninclude x", "include"),
    ],
)
def test_a_wrong_job_says_what_is_wrong(job: stend._job.AnyJob, said: str) -> None:
    drive = stend.Drive("demo-8gb")
    with pytest.raises(stend.InputError) as caught:
        drive.run(job)
    assert said in str(caught.value)
    assert isinstance(caught.value, ValueError) and drive.counters.host_writes == 0


def test_a_path_may_have_brackets(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "job[1].fio"
    file.write_text("[a]\nrw=write\nsize=1m\n")
    for path in (file, str(file)):
        assert stend.Drive("demo-8gb").run(path).write.requests == 256


def test_a_missing_job_file_is_an_error_of_files() -> None:
    with pytest.raises(FileNotFoundError):
        stend.Drive("demo-8gb").run("no-such.fio")


@pytest.mark.parametrize("percent", [-1, 100.1, float("nan")])
def test_percentiles_have_a_range(percent: float) -> None:
    result = stend.Drive("demo-8gb").run("[a]\nrw=write\nsize=1m")
    with pytest.raises(stend.InputError):
        result.latency.percentile(percent)


@pytest.mark.parametrize("seed", [-1, 2**64, "a", 1.5, None])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(stend.InputError):
        stend.Drive("demo-8gb", seed=seed)  # type: ignore[arg-type]


def test_logs_are_texts() -> None:
    job = stend.Job(rw="write", bs="64k", size="1m", write_lat_log="x")
    logs = stend.Drive("demo-8gb").run(job).logs
    assert any(len(text.splitlines()) == 16 for text in logs.values()), logs
    assert not pathlib.Path("x_lat.1.log").exists()
