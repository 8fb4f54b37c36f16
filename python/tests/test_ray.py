"""Studies on a Ray cluster: the same rows, even if nodes and processes die."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import stend
from stend import _pool
from stend._study import Factor

if os.environ.get("STEND_REQUIRE_TOOLS") != "1":
    pytest.importorskip("ray", reason="Ray is not installed; run pip install 'stend[ray]'")

import ray
from ray.cluster_utils import Cluster


def study(runtime_s: int) -> stend.Study:
    job = stend.Job("w", rw="randwrite", bs="4k", iodepth="{depth}", runtime=runtime_s)
    factors: dict[str, Factor] = {
        "gc.depth": [1, 2, 3, 4],
        "job.depth": list(range(1, 11)),
    }
    return stend.Study(
        "demo-8gb",
        jobs={"w": job},
        factors=factors,
        prepare=["fill"],
        name="ray",
        outcomes=["iops", "latency_p99_9_ns", "erases"],
    )


def test_a_node_that_dies_costs_no_row(cluster: Cluster, tmp_path: Path) -> None:
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    told: list[tuple[int, int]] = []

    def kill(done: int, of: int, what: str) -> None:
        told.append((done, of))
        if done == 8:
            cluster.remove_node(second, allow_graceful=False)

    lab = tmp_path / "lab.db"
    result = study(8).run(ray=True, lab=lab, series=tmp_path / "series", progress=kill)
    assert told == [(done, 40) for done in range(1, 41)]
    assert result.to_json() == study(8).run(lab=False).to_json()
    assert result.errors.empty
    kept = stend.Lab(lab).query("SELECT count(*) AS n FROM study_rows").to_pandas()
    assert kept["n"][0] == 40
    assert len(list((tmp_path / "series").glob("series-*.parquet"))) == 40


class Crashing:
    """Tasks, one of which ends every process that carries it out."""

    def __init__(self) -> None:
        self.kept: list[int] = []
        self.lost: list[tuple[int, str]] = []

    def function(self) -> Callable[..., list[str]]:
        def work(keys: list[int]) -> list[str]:
            if 3 in keys:
                # Crashes during the work, not while Ray still starts the task.
                time.sleep(0.3)
                os._exit(1)
            return [str(key) for key in keys]

        return work

    def shared(self) -> tuple[Any, ...]:
        return ()

    def tasks(self, processors: int) -> Iterator[Sequence[int]]:
        yield from ([0, 1], [2, 3], [4, 5])

    def total(self) -> tuple[int, int]:
        return 0, 6

    def keep(self, key: int, result: str) -> str:
        assert result == str(key)
        self.kept.append(key)
        return result

    def failed(self, key: int, why: str) -> None:
        self.lost.append((key, why))

    def flush(self) -> None:
        self.kept.sort()


def test_a_task_that_kills_its_workers_is_the_only_one_that_fails(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A restart of a task by Ray takes seconds.
    monkeypatch.setattr(_pool, "_RETRIES", 0)
    ray.init(address=cluster.address, log_to_driver=False)
    tasks = Crashing()
    told: list[int] = []
    _pool.on_ray(tasks, True, lambda done, of, what: told.append(done))
    assert tasks.kept == [0, 1, 2, 4, 5]
    assert [key for key, _ in tasks.lost] == [3]
    assert "no worker could carry it out" in tasks.lost[0][1]
    assert told == [1, 2, 3, 4, 5, 6]


def test_from_a_shell(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'schema = "stend.study/1"\nname = "s"\nmodels = ["demo-8gb"]\n[[factor]]\n'
        'key = "gc.depth"\nvalues = [1, 2]\n[[job]]\nname = "w"\n'
        'text = "[w]\\nrw=write\\nsize=1m"\n'
    )
    command = [sys.executable, "-m", "stend.study", "s.toml", "--lab", "lab.db"]
    command += ["--ray", cluster.address]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    assert said.stdout == "study-s/index.html\n"
    assert "2 of 2 rows" in said.stderr
    table = (tmp_path / "study-s" / "s.csv").read_text()
    assert len(table.splitlines()) == 3
    command[3] = "none.toml"
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr.startswith("error: none.toml")
