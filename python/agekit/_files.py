"""Writes graphs to the files that agekit reads.

Nodes are rows: the files have an adjacency matrix and, for each row, features or the
columns of a table. Ids go along as text, for the program's pages.
"""

from __future__ import annotations

import json
import math
import pathlib
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from . import _csv
from ._graph import Graph, _array, filled, free
from ._new import New
from ._program import shown


def write(graph: Graph, ids: list[str] | None, folder: pathlib.Path) -> list[str]:
    """Writes the files of a graph to a folder, and returns the arguments that name them.
    In messages, the files have the names of the arguments in Python, see in_python."""
    arguments = _add_features(graph.features, folder)
    if graph.adjacency is not None:
        sp.save_npz(folder / "graph.npz", sp.csr_matrix(graph.adjacency, dtype=np.float32), compressed=False)
        arguments.append("--edges=graph.npz")
    if graph.table.shape[1] or ids is not None:
        table, types = plain(graph.table, graph.label)
        arguments += _add_nodes(table, ids, graph.index.name, folder)
        (folder / "nodes.csv.schema.json").write_text(json.dumps({"columns": types}), "utf-8")
        arguments.append("--schema=nodes.csv.schema.json")
        if graph.label is not None:
            arguments.append(f"--label={table.columns[graph.table.columns.get_loc(graph.label)]}")
    return arguments


def write_new(new: New, ids: list[str] | None, known: int, folder: pathlib.Path) -> list[str]:
    """Writes nodes that come after the known ones of the training, which have ids."""
    arguments = _add_features(new.features, folder)
    fresh = [str(known + i) for i in range(new.count)]
    if ids is not None:
        taken = set(ids)
        fresh = [free(f"new {i}", taken) for i in range(new.count)]
    if new.table is not None or ids is not None or new.features is None:
        table, _ = plain(pd.DataFrame(index=range(new.count)) if new.table is None else new.table, None)
        arguments += _add_nodes(table, fresh, None, folder)
    if new.edges is not None:
        every = np.array([*(ids if ids is not None else map(str, range(known))), *fresh], dtype=object)
        u, v, w = new.edges
        _csv.write(pd.DataFrame({"source": every[u], "target": every[v], "weight": w}), folder / "edges.csv")
        arguments += ["--edges=edges.csv", "--header"]
    return arguments


def _add_features(features: Any, folder: pathlib.Path) -> list[str]:
    if features is None:
        return []
    if sp.issparse(features):
        sp.save_npz(folder / "features.npz", sp.csr_matrix(features, dtype=np.float32), compressed=False)
        return ["--features=features.npz"]
    np.save(folder / "features.npy", np.ascontiguousarray(features, dtype=np.float32))
    return ["--features=features.npy"]


def _add_nodes(table: pd.DataFrame, ids: list[str] | None, name: Any, folder: pathlib.Path) -> list[str]:
    arguments = ["--nodes=nodes.csv", "--header"]
    if ids is not None:
        if not isinstance(name, str) or not name.strip() or name.strip() in table.columns:
            name = free("id", table.columns)
        table = table.set_axis(pd.Index(ids, name=name.strip(), dtype=object)).reset_index()
        arguments.append(f"--id={name.strip()}")
    _csv.write(table, folder / "nodes.csv")
    return arguments


# What the program takes for a missing value.
_MISSING = ("", "?", "na", "n/a", "nan", "none", "null", "<na>")
# What it takes for a number, but for codes with leading zeros.
_NUMBER = r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?:inity)?"


def plain(table: pd.DataFrame, label: Any) -> tuple[pd.DataFrame, dict[str, str]]:
    """Returns a table of nodes as the program can read it, and what is known of its columns:
    number, category, date or text, for the program's --schema. Durations become days. What an
    object column of several types holds, such as lists, is left to the program."""
    types: dict[str, str] = {}
    names: list[str] = []
    columns: list[Any] = []
    for k, c in enumerate(table.columns):
        column = table.iloc[:, k].reset_index(drop=True)
        name = str(c).strip() or f"column {k + 1}"
        if name in names:
            raise ValueError(f"nodes: two columns have the name {name!r}: want different ones")
        names.append(name)
        kind = _type(column)
        if c == label:
            kind = None  # classes are words or integers
        elif isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(object)
        elif pd.api.types.is_datetime64_any_dtype(column):
            column = column.dt.strftime("%Y-%m-%d %H:%M:%S")
        elif pd.api.types.is_timedelta64_dtype(column):
            column = column.dt.total_seconds() / 86400
        elif pd.api.types.is_bool_dtype(column):
            pass
        elif pd.api.types.is_numeric_dtype(column):
            infinite = np.isinf(column.to_numpy(np.float64, na_value=np.nan))
            if infinite.any():
                row = int(infinite.argmax())
                raise ValueError(f"nodes, row {shown(table.index[row])}, column {shown(c)}: {column[row]}: want a finite number, or NaN for a gap")
        else:
            column = column.map(_as_list)
            _refuse_mixed(column, c, table.index)
            if kind == "text" and column.dropna().astype(str).str.match(r"\s*[\[(]").any():
                kind = None  # lists that are written as text, perhaps
        if kind:
            types[name] = kind
        columns.append(column)
    return pd.DataFrame(dict(zip(names, columns, strict=True)), index=range(len(table))), types


def _type(column: pd.Series) -> str | None:
    """Returns what a column is known to hold, or None."""
    kinds = {
        "string": "text",
        **dict.fromkeys(("categorical", "boolean"), "category"),
        **dict.fromkeys(("datetime64", "date"), "date"),
        **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal", "timedelta", "timedelta64"), "number"),
    }
    return kinds.get(pd.api.types.infer_dtype(column, skipna=True))


def _as_list(value: Any) -> Any:
    """Returns an array or a list of numbers as the program reads it, a feature for each place."""
    array = filled(value) if isinstance(value, np.ma.MaskedArray) else _array(value) if isinstance(value, (list, tuple, np.ndarray)) else np.empty(0)
    return array.ravel().tolist() if array.size and array.dtype.kind in "biuf" else value


def _refuse_mixed(column: pd.Series, name: Any, index: pd.Index) -> None:
    """Refuses a column of words of which half are numbers: it is neither, and would be
    left out."""
    words = column.dropna().astype(str).str.strip()
    words = words[~words.str.lower().isin(_MISSING)]
    numbers = words.str.fullmatch(_NUMBER, case=False) & ~words.str.contains("inf", case=False)
    if numbers.all() or 2 * numbers.sum() < len(words):
        return
    row = numbers.idxmin()
    raise ValueError(
        f"nodes, row {shown(index[row])}, column {shown(name)}: {column[row]!r} is no number, as {numbers.sum()} others are: want numbers, with NaN for a gap, or categories, .astype('category')"
    )


def ids_of(index: pd.Index) -> list[str] | None:
    """Returns ids as text, or None if the program had better number the nodes: without ids
    of their own, or where the texts are not different words."""
    if index.equals(pd.RangeIndex(len(index))):
        return None
    texts = [str(int(v)) if isinstance(v, float) and math.isfinite(v) and v == int(v) else str(v) for v in index]
    numbers = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
    if any(t != t.strip() or t.lower() in _MISSING for t in texts) or len(set(texts)) < len(texts) or numbers.notna().all() and not numbers.is_unique:
        return None
    return texts
