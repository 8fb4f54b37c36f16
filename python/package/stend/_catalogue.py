"""Drive models and editions that are built into the program."""

from __future__ import annotations

from . import _stend
from ._table import Table


def drives() -> Table:
    """Lists the shipped drive models: ``name``, ``title``, ``description``, ``capacity_bytes``."""
    return Table(["name", "title", "description", "capacity_bytes"], _stend.drives())


def editions() -> Table:
    """Lists the built-in editions: ``edition``, ``title``, ``tests`` (their ids)."""
    rows = [
        (name, title, [test[0] for test in tests]) for name, title, tests in _stend.editions()
    ]
    return Table(["edition", "title", "tests"], rows)
