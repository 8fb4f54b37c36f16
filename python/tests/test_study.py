"""Studies: the same results as the command line's, errors, interruptions."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import stend
from stend._study import Factor

STUDY = """
schema = "stend.study/1"
name = "tiny"
models = ["demo-8gb"]
prepare = ["fill", { idle_s = 1 }]
seeds = [5]
[[factor]]
key = "gc.depth"
values = [1, 4]
[[factor]]
key = "job.depth"
values = [1, 32]
[[job]]
name = "w"
text = "[w]\\nrw=randwrite\\nbs=4k\\niodepth={depth}\\nsize=16m\\n"
"""

WRITE = stend.Job("w", rw="randwrite", bs="4k", iodepth="{depth}", size="16m")


def tiny(**more: object) -> stend.Study:
    given = dict(
        jobs={"w": WRITE},
        factors={"gc.depth": [1, 4], "job.depth": [1, 32]},
        prepare=["fill", {"idle_s": 1}],
        seeds=[5],
        name="tiny",
    )
    return stend.Study("demo-8gb", **(given | more))  # type: ignore[arg-type]


def test_a_study_has_the_bytes_of_the_command_line(program: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    arguments = [program, "sweep", "s.toml", "--json", "--lab", "lab.db"]
    said = subprocess.run(arguments, cwd=tmp_path, check=True, capture_output=True, text=True)
    for study in (tiny(), stend.Study.read(tmp_path / "s.toml")):
        result = study.run(lab=False)
        assert json.loads(result.to_json()) == json.loads(said.stdout)
        page = result.save(tmp_path / "here")
        assert page == str(tmp_path / "here" / "index.html")
        for name in ("tiny.csv",):
            there = (tmp_path / "study-tiny" / name).read_bytes()
            assert (tmp_path / "here" / name).read_bytes() == there
        (tmp_path / "here" / "index.html").unlink()


def test_tables_are_the_same_in_pandas_csv_and_parquet(tmp_path: Path) -> None:
    result = tiny().run(lab=False)
    frame = result.to_pandas()
    assert list(frame.columns[:6]) == ["row", "model", "gc.depth", "job.depth", "seed", "job"]
    assert frame["iops"].dtype == np.float64 and len(frame) == 4
    result.save(tmp_path)
    for read in (pd.read_csv(tmp_path / "tiny.csv"), pd.read_parquet(tmp_path / "tiny.parquet")):
        assert list(read.columns) == list(frame.columns)
        for name in frame.columns[:-1]:
            np.testing.assert_array_equal(read[name].to_numpy(), frame[name].to_numpy(), name)
    effects = result.effects.set_index(["outcome", "factor"])["variance_share"]
    assert effects["iops", "job.depth"] > 0.9


def test_a_row_is_a_run_of_a_drive() -> None:
    frame = tiny().run(lab=False).to_pandas()
    drive = stend.Drive("demo-8gb", overrides={"gc.depth": 4}, seed=5)
    drive.fill(busy=True)
    drive.idle(1)
    run = drive.run(str(WRITE).replace("{depth}", "32"))
    assert frame["latency_p99_ns"][3] == run.latency.percentile(99)
    assert frame["write_amplification"][3] == run.write_amplification


def test_threads_change_nothing_and_states_are_shared() -> None:
    study = tiny()
    assert (study.rows, study.states) == (4, 2)
    assert study.run(lab=False, threads=1).to_json() == study.run(lab=False, threads=3).to_json()


def test_a_study_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    lab = tmp_path / "lab.db"
    job = {"w": stend.Job(rw="randwrite", bs="4k", iodepth="{depth}", size="256m")}
    study = tiny(jobs=job, factors={"job.depth": list(range(1, 41))})
    told: list[int] = []

    def stop(done: int, of: int, what: str) -> None:
        told.append(done)
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.run(lab=lab, threads=1, progress=stop)
    assert told == [1, 2]
    kept = "SELECT count(*) AS n FROM study_rows"
    before = stend.Lab(lab).query(kept)[0]["n"]
    assert 2 <= before < 40
    told.clear()
    again = study.run(lab=lab, progress=lambda done, of, what: told.append(done))
    assert told == list(range(before + 1, 41))
    assert again.to_json() == study.run(lab=False).to_json()
    assert stend.Lab(lab).query(kept)[0]["n"] == 40


def test_a_variant_that_fails_is_a_row(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="invalid settings in 1 of 2 rows"):
        result = tiny(factors={"nand.dies": [2, 4], "job.depth": [1]}).run(lab=False)
    frame = result.to_pandas()
    assert "does not fit" in frame["error"][0] and pd.isna(frame["error"][1])
    assert math.isnan(frame["iops"][0]) and frame["iops"][1] > 0
    assert list(result.errors["row"]) == [0]


def test_random_designs_draw_from_ranges() -> None:
    factors: dict[str, Factor] = {
        "nand.erase_us": stend.Range(1000, 9000),
        "dram.read_ahead_kib": stend.Range(4, 4096, log=True, multiple_of=4),
        "cache": {"static": {}, "smaller": {"slc_cache.blocks_per_plane": 40}},
    }
    job = {"w": stend.Job(rw="write", size="1m")}
    study = stend.Study("demo-8gb", jobs=job, factors=factors, design="sobol", samples=8)
    frame = study.run(lab=False).to_pandas()
    assert sorted((frame["nand.erase_us"] - 1000) // 1000) == list(range(8))
    assert set(frame["cache"]) == {"static", "smaller"}
    assert all(frame["dram.read_ahead_kib"] % 4 == 0)


def test_series_are_files(tmp_path: Path) -> None:
    result = tiny(sample_ms=10).run(lab=False, series=tmp_path / "series")
    series = pd.read_parquet(tmp_path / "series" / "series-3.parquet")
    assert list(series.columns) == ["t_s", "read_iops", "write_iops", "read_bytes", "written_bytes"]
    assert series["written_bytes"].iloc[-1] == 16 << 20
    assert len(result.to_pandas()) == 4


def test_tests_of_editions() -> None:
    study = stend.Study("demo-8gb", tests=[("2014", "sequential")], duration_scale=0.01)
    frame = study.run(lab=False).to_pandas()
    assert frame["job"][0] == "sequential" and pd.isna(frame["error"][0])
    assert frame["duration_scale"][0] == 0.01
    assert any(name.endswith("_bytes_per_s") for name in frame.columns)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"factors": {"gc.dept": [1]}}, "the nearest is `gc.depth`"),
        ({"factors": {"gc.depth": [float("nan")]}}, "nan is not a finite number"),
        ({"factors": {"gc.depth": []}}, "at least one value"),
        ({"factors": {"gc.depth": "1"}}, "must be a list"),
        ({"factors": {"job.width": [1]}}, "no job contains {width}"),
        ({"factors": {"gc.depth": stend.Range(4, 1, steps=2)}}, "is not a range"),
        ({"settings": {"gc.depth": float("inf")}}, "inf is not a finite number"),
        ({"tests": ("2014", "degradation")}, "'2014' is not a pair"),
        ({"duration_scale": 2**2000}, "must be a number"),
        ({"duration_scale": float("nan")}, "nan is not a finite number"),
        ({"tests": [5]}, "5 is not a pair"),
        ({"seeds": 5}, "seeds 5: it must be a list"),
        ({"jobs": {1: WRITE}}, "jobs 1: a key must be text"),
        ({"jobs": [WRITE]}, "a mapping of names"),
        ({"factors": ["gc.depth"]}, "a mapping of names"),
        ({"settings": [1]}, "a mapping of names"),
        ({"factors": {"iops": {"a": {"gc.depth": 1}}}}, "the name of an outcome"),
        ({"outcomes": ["iops", "iops"]}, "`iops` is listed twice"),
        ({"jobs": None}, "at least one [[job]] or [[test]]"),
        ({"seeds": []}, "at least one seed"),
        ({"seeds": [-1]}, "seeds -1"),
        ({"outcomes": ["iop"]}, "the nearest is `iops`"),
        ({"outcomes": "iops"}, "must be a list"),
        ({"prepare": ["fil"]}, 'prepare[0]: expected "fill", "trim"'),
        ({"design": "soboll"}, "design: unknown variant `soboll`"),
        ({"factors": {"gc.depth": [4], "x": {"a": {"gc.depth": 1}}}}, "and one would win"),
        ({"prepare": [{"idle_s": -1}]}, "a rest of -1 s"),
        ({"design": "sobol"}, "needs `samples`"),
        ({"duration_scale": "x"}, "must be a number"),
        ({"name": "a/b"}, "a name consists of letters"),
    ],
)
def test_what_is_wrong_is_told(more: dict[str, object], said: str) -> None:
    with pytest.raises(stend.InputError) as raised:
        tiny(**more)
    assert said in str(raised.value)


def test_a_range_shows_as_it_is_written() -> None:
    given = "Range(1.0, 4.0, steps=3, log=True)"
    assert repr(stend.Range(1, 4, steps=3, log=True)) == given
    assert repr(stend.Range(4, 8, multiple_of=4)) == "Range(4.0, 8.0, multiple_of=4)"


def test_files_of_others_are_not_replaced(tmp_path: Path) -> None:
    result = tiny().run(lab=False)
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(stend.InputError, match="is not of a study"):
        result.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
    with pytest.raises(OSError, match="index.html: the folder cannot be made"):
        result.save(tmp_path / "index.html")
    (tmp_path / "lab.db").write_text("mine")
    with pytest.raises(OSError):
        tiny().run(lab=tmp_path / "lab.db")
    with pytest.raises(FileNotFoundError):
        stend.Study.read(tmp_path / "none.toml")
    mine = "id,arrow,model,note\n1,x,y,mine\n"
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "tiny.csv").write_text(mine)
    with pytest.raises(stend.InputError, match="tiny.csv: it exists, and is not of a study"):
        result.save(tmp_path / "out")
    assert (tmp_path / "out" / "tiny.csv").read_text() == mine
    (tmp_path / "short").write_text("x")
    with pytest.raises(OSError, match="short"):
        tiny().run(lab=tmp_path / "short")
    assert (tmp_path / "short").read_text() == "x"


def test_parameters_of_queries_may_have_names(tmp_path: Path) -> None:
    tiny().run(lab=tmp_path / "lab.db")
    lab = stend.Lab(tmp_path / "lab.db")
    count = "SELECT count(*) AS n FROM studies WHERE name = "
    for parameters, place in (({"name": "tiny"}, ":name"), (["tiny"], "?")):
        assert lab.query(count + place, parameters).to_pandas()["n"].tolist() == [1]


def test_rates_are_those_of_a_run_where_sections_follow_one_another() -> None:
    job = "[a]\nrw=read\nsize=64m\n[b]\nstonewall\nrw=randwrite\nsize=1m\n"
    study = stend.Study("demo-8gb", jobs={"j": job}, outcomes=["iops", "bw_bytes_per_s"])
    row = study.run(lab=False).to_pandas().iloc[0]
    ran = stend.Drive("demo-8gb").run(job)
    assert row["iops"] == pytest.approx(ran.iops, rel=1e-9)
    assert row["bw_bytes_per_s"] == pytest.approx(ran.bandwidth_bytes_per_s, rel=1e-9)


def of_blocks(*blocks: int) -> stend.Study:
    return tiny(factors={"slc_cache.blocks_per_plane": list(blocks), "job.depth": [1]})


def test_unsound_rows_are_warned_of_and_alone_refused() -> None:
    with pytest.warns(UserWarning, match="invalid settings in 1 of 2 rows"):
        failed = of_blocks(60, 1).run(lab=False).errors
    assert len(failed) == 1
    with pytest.raises(stend.InputError, match="invalid settings in 2 of 2 rows"):
        of_blocks(1, 2).run(lab=False)
