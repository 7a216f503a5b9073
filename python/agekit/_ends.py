"""Finds the two ends in frames of edges, as the program finds them in tables."""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from . import _csv
from ._folder import folder as temporary_folder
from ._program import listed, log, run, shown

_ROWS = 1000  # as many as the program looks at


@dataclasses.dataclass
class Ends:
    """The columns of a frame of edges, by their names; None where there is none."""

    source: Any
    target: Any
    weight: Any
    named: bool  # as ends are: source and target, from and to
    lists: tuple[str, str]  # what separates the members of lists in the two columns; "" if they are none
    kind: Any  # the column of the kind that both ends have between them, as in "a (kind) b"
    matrix: bool  # the frame is an adjacency matrix
    names: Any  # its column with the ids of the rows
    warnings: list[str]  # what the program warned of


@dataclasses.dataclass
class Pairs:
    """The ends of edges: ids as the caller has them, and weights."""

    source: Any  # arrays of objects
    target: Any
    weight: Any  # None without weights
    rows: pd.Index  # of the frame, for messages
    columns: tuple[Any, Any]  # with the ends
    alone: list[Any]  # nodes with an empty list of neighbors


def find(edges: pd.DataFrame, name: str, known: pd.Index | None = None) -> Ends:
    """Asks the program, which sees the first rows, and the ids of the nodes if they are known. Its warnings are
    for who takes the frame for edges."""
    if not edges.columns.is_unique:
        raise ValueError(f"{name} has columns {listed(edges.columns)}: want different names")
    first = pd.DataFrame({str(c): [_as_text(v) for v in edges[c].head(_ROWS)] for c in edges.columns})
    warnings: list[str] = []
    with temporary_folder() as folder:
        arguments = [f"--edges={name}.csv"]
        _csv.write(first, folder / f"{name}.csv")
        if known is not None:
            seen = set(first.astype(str).to_numpy().ravel())
            ids = sorted(map(str, known), key=lambda id: id not in seen)[:_ROWS]
            _csv.write(pd.DataFrame({"id": ids}), folder / "nodes.csv")
            arguments.append("--nodes=nodes.csv")
        found = json.loads(run(["ends", *arguments], folder, warn=warnings.append))
    source, target, weight, kind, names = (None if found[role] < 0 else edges.columns[found[role]] for role in ("source", "target", "weight", "kind", "names"))
    return Ends(source, target, weight, found["named"], (found["source_list"], found["target_list"]), kind, found["matrix"], names, warnings)


def _as_text(value: Any) -> Any:
    if not isinstance(value, (list, set, np.ndarray)):
        return value
    return str([v.item() if isinstance(v, np.generic) else v for v in value])


def pairs(edges: pd.DataFrame, ends: Ends, name: str, known: pd.Index | None = None) -> Pairs:
    """Returns the ends of all edges, one for each member of a list."""
    columns = (ends.source, ends.target)
    for column, separator in zip(columns, ends.lists, strict=True):
        missing = edges[column].isna().to_numpy()
        if missing.any() and not separator:
            raise ValueError(f"{name}, row {shown(edges.index[missing.argmax()])}: column {column!r} is missing: want the id of a node")
        if pd.api.types.is_float_dtype(edges[column]) and (edges[column] % 1 != 0).any():
            raise ValueError(f"{name}: column {column!r} has fractions: want ids of nodes; AGE(input='features') for features")
    if len(edges.columns) > 2:
        log.info("ends of the edges: columns %s and %s", ends.source, ends.target)
    two = pd.DataFrame({"source": edges[ends.source].astype(object), "target": edges[ends.target].astype(object)})
    if ends.weight is not None:
        two["weight"] = edges[ends.weight]
    as_known = {str(v): v for v in known} if known is not None else {}
    if ends.kind is not None:
        both = [str(text).split(f" ({kind}) ", 1) for text, kind in zip(edges[ends.source], edges[ends.kind], strict=True)]
        wrong = next((row for row, text in enumerate(both) if len(text) != 2), None)
        if wrong is not None:
            raise ValueError(f"{name}, row {shown(edges.index[wrong])}, column {ends.source!r}: {edges[ends.source].iloc[wrong]!r}: want two ids with the kind of the edge between them")
        two["source"], two["target"] = ([as_known.get(text[end], text[end]) for text in both] for end in (0, 1))
    alone: list[Any] = []
    for role, other, separator in (("source", "target", ends.lists[0]), ("target", "source", ends.lists[1])):
        if not separator:
            continue
        as_id = _ids_like(two[other], as_known)
        two[role] = [_members(cell, separator, as_id) for cell in two[role]]
        empty = two[role].map(len) == 0
        alone += two[other][empty].tolist()
        two = two[~empty].explode(role)
    return Pairs(two["source"].to_numpy(object), two["target"].to_numpy(object), two.get("weight"), two.index, columns, alone)


def _ids_like(column: pd.Series, known: dict[str, Any]) -> Callable[[str], Any]:
    """Returns what turns a text into the id that is written so, of the nodes or of a column; into an integer
    if the column has nothing else."""
    ids = {**{str(v): v for v in column}, **known}
    are_integers = pd.api.types.infer_dtype(column) == "integer"

    def as_id(text: str) -> Any:
        return ids.get(text, int(text) if are_integers and text.isdecimal() else text)

    return as_id


def _members(cell: Any, separator: str, as_id: Callable[[str], Any]) -> list[Any]:
    """Returns the members of a list in a cell. Texts become the ids that are written so."""
    if isinstance(cell, (list, tuple, set, np.ndarray)):
        return list(cell)
    if pd.isna(cell):
        return []
    if separator == "[":
        try:
            return [as_id(v) if isinstance(v, str) else v for v in ast.literal_eval(cell)]
        except (SyntaxError, TypeError, ValueError):  # one id, or words without quotation marks
            cell, separator = cell.strip().strip("[]"), ","
    return [as_id(text.strip()) for text in cell.split(separator) if text.strip()]
