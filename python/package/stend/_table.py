"""Tables with named columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd


class Table(Sequence[dict[str, Any]]):
    """A sequence of rows as dictionaries, which can be converted to a pandas table."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        #: Names of the columns.
        self.columns = list(columns)
        self._rows = [tuple(row) for row in rows]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Table(self.columns, self._rows[index])
        return dict(zip(self.columns, self._rows[index]))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row)) for row in self._rows)

    def to_pandas(self) -> pd.DataFrame:
        """Returns all rows as a pandas table."""
        return pd.DataFrame(self._rows, columns=self.columns)

    def _repr_html_(self) -> str:
        html: str = self.to_pandas().to_html()
        return html

    def __repr__(self) -> str:
        return repr(self.to_pandas())
