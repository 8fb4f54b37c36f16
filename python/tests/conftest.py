"""Fixtures and functions that several tests use."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import stend

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

# A shell starts background processes with SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Jobs of the command line go to a lab of their own.
LAB = tempfile.TemporaryDirectory()
os.environ.setdefault("STEND_LAB", os.path.join(LAB.name, "lab.db"))

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program() -> str:
    """Path of the command line's program."""
    built = [ROOT / "target" / profile / "stend" for profile in ("release", "debug")]
    named = os.environ.get("STEND")
    found = named or next((str(path) for path in built if path.is_file()), None)
    if found is None:
        missing = "there is no program stend: set STEND to its path, or run `cargo build`"
        if os.environ.get("STEND_REQUIRE_TOOLS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def output(program: str, *args: object) -> str:
    """Runs the command line; returns its standard output."""
    command = [program, *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 7), done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def full_drive() -> stend.Drive:
    """A full drive, which tests copy."""
    drive = stend.Drive("demo-8gb")
    drive.fill()
    return drive


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests on a cluster, which need an idle machine: `-m ray` selects them."""
    for item in items:
        if "cluster" in getattr(item, "fixturenames", ()):
            item.add_marker("ray")


@pytest.fixture(scope="session")
def nodes() -> Iterator[Cluster]:
    """A cluster of one node with two workers, shared by all tests: its start takes seconds."""
    if os.environ.get("STEND_REQUIRE_TOOLS") != "1":
        pytest.importorskip("ray", reason="Ray is not installed; run pip install 'stend[ray]'")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    try:
        yield nodes
    finally:
        nodes.shutdown()  # type: ignore[no-untyped-call]


@pytest.fixture
def cluster(nodes: Cluster) -> Iterator[Cluster]:
    """The cluster, without a connection to it."""
    import ray

    try:
        yield nodes
    finally:
        ray.shutdown()
