"""What is part of the program."""

from __future__ import annotations

from . import _stend
from ._table import Table


def drives() -> Table:
    """The shipped drive models: ``name``, ``title``, ``description``, ``capacity_bytes``."""
    return Table(["name", "title", "description", "capacity_bytes"], _stend.drives())


def editions() -> Table:
    """The editions that are part of the program: ``edition``, ``title``, ``tests`` (their ids)."""
    rows = [
        (name, title, [test[0] for test in tests]) for name, title, tests in _stend.editions()
    ]
    return Table(["edition", "title", "tests"], rows)
