"""Findings and fits: the same results on the command line, in the package and with Ray."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
import stend
from conftest import ROOT

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

ARTICLE = """
schema = "stend.article/1"
id = "small"
title = "Small drives"
edition = "quick"
subjects = ["small.toml"]
rivals = ["slow.toml"]
[figure.read]
title = "random read"
test = "random"
points = { op = "read", queue_depth = 32, metric = "iops" }
[[finding]]
id = "faster"
text = "It reads faster than the slow one."
[[finding.check]]
figure = "read"
drives = ["small.toml"]
order = { more_than = ["rivals"] }
[[finding]]
id = "quick"
text = "It reads very fast."
when_not = "because it is made up"
[[finding.check]]
figure = "read"
drives = ["small.toml"]
value = { above = 80000 }
reading = "more than 80,000 IOPS"
"""

FIGURES = """
schema = "stend.measured/1"
[[test]]
id = "small"
title = "small"
source = "s"
[[test.part]]
id = "read"
do = { job = "[r]\\nrw=randread\\nbs=4k\\niodepth=32\\nsize=16m\\n" }
[[test.figure]]
id = "read"
metric = "read"
part = "read"
take = "iops"
[[published]]
drive = "Demo"
model = "small"
source = "s"
test = "small"
unit = "IOPS"
rows = [{ what = "read", figure = "read", state = "new", value = 60000.0 }]
"""


def model(name: str, read_command_ns: int) -> str:
    """Returns the demonstration drive's model, with one free figure."""
    text = (ROOT / "drives" / "demo-8gb.toml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("read_command_ns"))
    low, high = read_command_ns // 2, read_command_ns * 2
    new = line.replace("9000", str(read_command_ns)).replace(" }", f", free = [{low}, {high}] }}")
    return text.replace(line, new).replace('"demo-8gb"', f'"{name}"')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "small.toml").write_text(model("small", 9000))
    (tmp_path / "slow.toml").write_text(model("slow", 27000))
    (tmp_path / "a.toml").write_text(ARTICLE)
    (tmp_path / "f.toml").write_text(FIGURES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_findings_are_those_of_the_command_line(program: str, folder: Path) -> None:
    arguments = [program, "claims", "a.toml", "--samples", "6", "--json", "--lab", "cli.db"]
    said = subprocess.run(arguments, capture_output=True, text=True)
    assert said.returncode in (0, 8), said.stderr
    [article] = json.loads(said.stdout)["articles"]
    told: list[float] = []
    checked = stend.claims(
        files=["a.toml"], samples=6, lab="lab.db", progress=lambda share, what: told.append(share)
    )
    assert told
    frame = checked.to_pandas().set_index("finding")
    for finding in article["findings"]:
        row = frame.loc[finding["id"]]
        assert row["outcome"] == finding["outcome"]
        samples = finding["samples"]
        assert [row["holds"], row["of"], row["verdict"]] == [
            samples["holds"],
            samples["of"],
            samples["verdict"],
        ]
    assert frame["of"].tolist() == [6, 6]


def test_findings_by_ray_are_the_same(cluster: Cluster, folder: Path) -> None:
    told: list[tuple[int, int]] = []
    address = cluster.address
    by_ray = stend.claims(
        files=["a.toml"],
        samples=4,
        lab="ray.db",
        ray=address,
        progress=lambda done, of, what: told.append((done, of)),
    )
    # Two drives, each as shipped and in four versions.
    assert told == [(done, 10) for done in range(1, 11)]
    here = stend.claims(files=["a.toml"], samples=4, lab="here.db")
    pd.testing.assert_frame_equal(by_ray.to_pandas(), here.to_pandas())
    assert by_ray.record == here.record
    # All results are in the lab, so there are no tasks.
    told.clear()
    stend.claims(
        files=["a.toml"],
        samples=4,
        lab="ray.db",
        ray=address,
        progress=lambda *a: told.append(a),
    )
    assert told == []


def test_a_fit_by_ray_is_the_same(cluster: Cluster, program: str, folder: Path) -> None:
    given = dict(generations=3, population=4)
    arguments = [program, "fit", "small.toml", "--to", "f.toml", "--json", "--out", "cli"]
    arguments += ["--generations", "3", "--population", "4"]
    said = subprocess.run(arguments, capture_output=True, text=True, check=True)
    here = stend.fit("small.toml", "f.toml", threads=1, **given)  # type: ignore[arg-type]
    assert here.record["parameters"] == json.loads(said.stdout)["parameters"]
    address = cluster.address
    by_ray = stend.fit("small.toml", "f.toml", ray=address, **given)  # type: ignore[arg-type]
    assert by_ray.record == here.record and by_ray.files == here.files
    # Ray stays connected to this cluster after the fit, and to no other one.
    study = stend.Study("demo-8gb", jobs={"w": stend.Job(rw="write", size="1m")})
    assert len(study.run(ray=True, lab=False).to_pandas()) == 1
    with pytest.raises(stend.InputError, match="is connected to"):
        study.run(ray="10.0.0.9:6379", lab=False)
    figure = here.parameters.iloc[0]
    assert figure["key"] == "controller.read_command_ns" and figure["determined"]
    rows = here.to_pandas()
    assert abs(rows["error_after"][0]) <= abs(rows["error_before"][0])
    written = here.save(folder / "fitted")
    drive = stend.Drive(next(path for path in written if path.endswith("small.toml")))
    assert drive.model.name == "small"
    with pytest.raises(stend.InputError, match="not empty"):
        here.save(folder / "fitted")


def test_what_is_wrong_is_told(folder: Path) -> None:
    with pytest.raises(stend.InputError, match="there are: small"):
        stend.claims(["other"], files=["a.toml"], lab="lab.db")
    with pytest.raises(stend.InputError, match="no finding is about x"):
        stend.claims(files=["a.toml"], drives=["x"], lab="lab.db")
    with pytest.raises(stend.InputError, match="no free figures"):
        stend.fit("demo-8gb", "f.toml")
    with pytest.raises(stend.InputError, match="no.toml"):
        stend.claims(files=["no.toml"], lab="lab.db")
