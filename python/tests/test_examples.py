"""The examples of the package's first page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import stend


def test_a_drive_from_new_to_a_power_cut() -> None:
    drive = stend.Drive("demo-8gb", overrides={"slc_cache.blocks_per_plane": 60}, seed=1)
    drive.fill()
    result = drive.run("[w]\nrw=randwrite\nbs=4k\niodepth=32\nruntime=5\ntime_based=1")
    assert result.iops > 0 and result.latency.percentile(99.9) > result.latency.percentile(50)
    series = result.series
    assert isinstance(series, pd.DataFrame) and len(series) == 5
    assert list(series.columns[:3]) == ["t_s", "iops", "written_bytes"]
    copy = drive.copy()
    drive.idle(900)
    drive.trim()
    assert drive.health()["host_written_bytes"] == copy.health()["host_written_bytes"]
    counters = drive.counters
    assert (counters.write_amplification or 0) >= 1 and counters["erases"] > copy.counters["erases"]
    with pytest.raises(stend.InputError, match="power_loss"):
        drive.power_cut()
    served = stend.Drive("samsung-pm863-480gb")
    assert served.power_cut()["lost_pages"] == 0


def test_reviews_and_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    review = stend.review("demo-8gb", edition="2014", tests=["random"], duration_scale=0.01)
    assert len(review.to_pandas()) > 0
    review.save(tmp_path)
    assert stend.read_review(tmp_path / "review.json").to_json() == review.to_json()
    assert len(stend.drives()) >= 37 and "demo-8gb" in str(stend.drives().to_pandas())
    monkeypatch.setenv("STEND_LAB", str(tmp_path / "lab.db"))
    with pytest.raises(FileNotFoundError):
        stend.Lab()
    job = {"w": stend.Job(rw="write", size="1m")}
    stend.Study("demo-8gb", jobs=job).run()
    assert list(stend.Lab().studies().to_pandas()["name"]) == ["study"]
    assert len(stend.Lab().runs().to_pandas()) == 0
