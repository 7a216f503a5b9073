"""Writes tables that the program reads."""

from __future__ import annotations

import csv
import pathlib
import re
from typing import Any

import pandas as pd

# A text that looks as if it were a formula with an apostrophe before it.
_GUARDED = re.compile(r"'+\s*(?:[=＝]|[-+@＋－＠].*[(|!])", re.DOTALL)


def write(table: pd.DataFrame, path: pathlib.Path) -> None:
    """Writes a table as CSV with a header, without its index."""

    # The program takes the apostrophe off a formula (docs/your-data.md): one that belongs to the
    # text needs another before it.
    def guard(text: Any) -> Any:
        return "'" + text if isinstance(text, str) and _GUARDED.match(text) else text

    guarded = {c: table[c].map(guard) for c in table.columns if not pd.api.types.is_numeric_dtype(table[c])}
    # Quoted, a field that begins with # begins no comment, and no text looks like two
    # columns.
    pd.DataFrame({c: guarded.get(c, table[c]) for c in table.columns}).rename(columns=guard).to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC)
