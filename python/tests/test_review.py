"""Reviews and the lab."""

from __future__ import annotations

import json
import pathlib

import pytest

import stend
from conftest import output

SHORT = {"tests": ["sequential", "degradation"], "duration_scale": 0.002}


@pytest.fixture(scope="module")
def review() -> stend.Review:
    return stend.review(
        "demo-8gb", against=["demo-8gb"], threads=2, **SHORT  # type: ignore[arg-type]
    )


def test_a_review_is_that_of_the_command_line(
    program: str, tmp_path: pathlib.Path, review: stend.Review
) -> None:
    lab, out = tmp_path / "lab.db", tmp_path / "out"
    args: list[object] = ["review", "demo-8gb", "--tests", "sequential,degradation"]
    args += ["--against", "demo-8gb"]
    args += ["--duration-scale", 0.002, "--json", "--out", out, "--lab", lab]
    said = output(program, *args)
    assert json.loads(said) == review.record
    assert review.to_json() == said
    folder = tmp_path / "mine"
    page = pathlib.Path(review.save(folder))
    assert page.read_bytes() == (out / "index.html").read_bytes()
    assert (folder / "review.json").read_bytes() == (out / "review.json").read_bytes()
    assert stend.read_review(folder).to_json() == said
    words = output(program, *(arg for arg in args if arg != "--json"))
    assert review.findings
    for finding in review.findings:
        assert f"\n{finding.title}: {finding.text}\n" in words
    check_lab(stend.Lab(lab), review)


def check_lab(lab: stend.Lab, review: stend.Review) -> None:
    runs = lab.runs()
    run = runs[0]["id"]
    assert lab.review(run).record["tests"] == review.record["tests"]
    assert lab.drives()[0]["model"] == review.record["target"]["title"]
    points = review.to_pandas().query("kind == 'points' and test == 'sequential'")
    own = lab.points(run).to_pandas()
    assert own["iops"].tolist() == points["iops"].tolist()[: len(own)]
    samples = lab.samples(run).to_pandas()
    assert samples["iops"].tolist() == review.series["iops"].tolist()[: len(samples)]
    assert lab.query("SELECT count(*) AS n FROM runs")[0]["n"] == len(runs)
    other = pathlib.Path(lab.path).with_name("other.db")
    to_other = (f"ATTACH '{other}' AS other", f"VACUUM INTO '{other}'")
    for wrong in ("SELECT", "DELETE FROM runs", "SELECT 1; SELECT 2", *to_other):
        with pytest.raises(stend.InputError):
            lab.query(wrong)
    assert not other.exists()
    for call in (lab.points, lab.samples, lab.review):
        with pytest.raises(stend.InputError, match="there is no run 99"):
            call(99)
    assert len(lab.runs()) == len(runs)


def test_a_lab_is_one(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEND_LAB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="stend/lab.db"):
        stend.Lab()
    other = tmp_path / "other"
    other.write_text("no lab")
    with pytest.raises(stend.InputError):
        stend.Lab(other)


def test_tables_of_a_review(review: stend.Review) -> None:
    table = review.to_pandas()
    assert {"drive", "test", "kind", "iops", "latency_ns_p99"} <= set(table.columns)
    assert len(table) > 2 and (table["iops"] > 0).all()
    series = review.series
    assert {"drive", "test", "series", "t_s", "iops", "written_bytes"} <= set(series.columns)
    figures = review.key_figures
    assert list(figures.columns) == ["drive", "test", "name", "unit", "value"]
    assert set(figures["test"]) == {"sequential", "degradation"}


def test_threads_and_progress_change_nothing(review: stend.Review) -> None:
    told: list[tuple[float, str]] = []
    again = stend.review(
        "demo-8gb",
        against=["demo-8gb"],
        threads=1,
        progress=lambda share, text: told.append((share, text)),
        **SHORT,  # type: ignore[arg-type]
    )
    assert again.to_json() == review.to_json()
    shares = [share for share, _ in told]
    assert len(told) > 3 and shares == sorted(shares) and shares[-1] <= 1.0


def test_a_drive_is_reviewed_as_it_is(full_drive: stend.Drive) -> None:
    before = full_drive.history_hash
    done = stend.review(full_drive, tests=["sequential"], duration_scale=0.002)
    assert done.is_complete and full_drive.history_hash == before
    assert done.record["reproduce"].startswith("stend.review('demo-8gb'")
    assert full_drive.copy().run("[a]\nrw=write\nsize=1m").write.requests == 256


def test_overrides_change_a_review(review: stend.Review) -> None:
    overrides = {"nand.read_us": [500, 500, 500]}
    slow = stend.review("demo-8gb", overrides=overrides, **SHORT)  # type: ignore[arg-type]
    assert slow.key_figures["value"].iloc[0] < review.key_figures["value"].iloc[0]
    assert "overrides={'nand.read_us': [500, 500, 500]}" in slow.record["reproduce"]


def test_a_review_tells_how_to_repeat_it_without_rivals() -> None:
    alone = stend.review("demo-8gb", tests=["sequential"], duration_scale=0.002)
    assert "--against none" in alone.record["reproduce"]


def test_an_exception_of_the_progress_ends_a_review() -> None:
    def fail(_share: float, _text: str) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        stend.review("demo-8gb", tests=["degradation"], progress=fail)


@pytest.mark.parametrize(
    "wrong",
    [
        {"edition": "1999"},
        {"tests": ["no-such"]},
        {"tests": []},
        {"tests": "sequential"},
        {"duration_scale": float("nan")},
        {"duration_scale": -1.0},
        {"threads": 0},
        {"seed": -1},
        {"against": ["no-such"]},
        {"write_budget": 5},
        {"overrides": {"nand.die": 1}},
    ],
)
def test_wrong_input_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(stend.InputError):
        stend.review("demo-8gb", **wrong)  # type: ignore[arg-type]


def test_a_name_is_no_list_of_names() -> None:
    with pytest.raises(stend.InputError, match="against 'demo-8gb': it must be a list"):
        stend.review("demo-8gb", against="demo-8gb")


def test_a_folder_of_another_review_is_kept(tmp_path: pathlib.Path, review: stend.Review) -> None:
    review.save(tmp_path)
    there = (tmp_path / "review.json").read_text()
    other = stend.review("demo-8gb", edition="quick", tests=["sequential"], duration_scale=0.002)
    with pytest.raises(stend.InputError, match="choose another folder"):
        other.save(tmp_path)
    assert (tmp_path / "review.json").read_text() == there
    # Other figures of the same drive are not replaced if their measurement took real time.
    real = json.loads(there)
    for of in (real, *real["rivals"]):
        of["target"]["kind"] = "block-device"
    (tmp_path / "review.json").write_text(json.dumps(real))
    finished = stend.read_review(tmp_path)
    finished.save(tmp_path)
    real["tests"].reverse()
    (tmp_path / "review.json").write_text(json.dumps(real))
    with pytest.raises(stend.InputError, match="the finished review"):
        finished.save(tmp_path)
    study = tmp_path / "study"
    study.mkdir()
    (study / "index.html").write_text("<title>One – study</title>")
    with pytest.raises(stend.InputError, match="the page of a study"):
        review.save(study)
    other_schema = there.replace("stend.review/2", "stend.review/9")
    for text, said in (("{}", "is not a review"), (other_schema, "its schema is `stend.review/9`")):
        (tmp_path / "review.json").write_text(text)
        with pytest.raises(stend.InputError, match=said):
            stend.read_review(tmp_path)
    (tmp_path / "review.json").write_bytes(b"\xff")
    with pytest.raises(stend.InputError, match="is not a review"):
        stend.read_review(tmp_path)
