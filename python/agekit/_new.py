"""Nodes that come after the training."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from . import _graph
from ._program import shown


@dataclasses.dataclass
class New:
    """The nodes of a call, some of which the training had."""

    index: pd.Index  # of all
    known: Any  # the place of each in the training, −1 if it is new
    features: Any = None  # of the new ones
    table: pd.DataFrame | None = None  # of the new ones
    edges: tuple[Any, Any, Any] | None = None  # places of both ends, with the new nodes after the old, and weights

    @property
    def count(self) -> int:
        return int((self.known < 0).sum())


def read(X: Any, edges: Any, features: Any, old: pd.Index) -> New:
    """Returns the nodes of a table or of a graph, or the rows of features, that come after
    old nodes."""
    if X is None:
        if features is None:
            raise ValueError("no new nodes: want X, a DataFrame of them, or features=")
        X = pd.DataFrame(index=pd.RangeIndex(len(old), len(old) + _graph.len_of(features)))
        table = None
    elif isinstance(X, pd.DataFrame):
        X = table = _graph.flat(X)
    elif _graph.is_graph(X) and not hasattr(X, "edge_index"):
        if edges is not None:
            raise ValueError("X is a graph with edges of its own: want no edges= beside it")
        return _of_graph(_graph.read(X, "graph", features), old)
    else:
        raise TypeError(f"X is a {type(X).__name__}: want a DataFrame of new nodes, whose index has their ids, or a graph of NetworkX or igraph")
    if not X.index.is_unique:
        raise ValueError(f"X: the index has {shown(X.index[X.index.duplicated()][0])} twice: want a different id for each node")
    known = old.get_indexer(X.index)
    if (known >= 0).any() and old.equals(pd.RangeIndex(len(old))):
        id = shown(X.index[int(np.argmax(known >= 0))])
        raise ValueError(f"X: {id} of the index is a node of fit, whose nodes have the numbers 0 to {len(old) - 1}: want other ids for new ones, such as X.index + {len(old)}")
    is_new = known < 0
    features = _graph.matrix(features, X.index)
    new = New(X.index, known, None if features is None else features[is_new], None if table is None else table[is_new])
    if edges is not None:
        u, v, w = _graph.numbered(edges, old.append(X.index[is_new]), "edges", "the nodes of fit and the new ones")
        new.edges = _with_new(u, v, w, len(old))
    return new


def _of_graph(graph: _graph.Graph, old: pd.Index) -> New:
    known = old.get_indexer(graph.index)
    is_new = known < 0
    place = known.copy()
    place[is_new] = len(old) + np.arange(is_new.sum())
    both = sp.triu(graph.adjacency.maximum(graph.adjacency.T), 1).tocoo()
    return New(
        graph.index, known, None if graph.features is None else graph.features[is_new], graph.table[is_new], _with_new(place[both.row], place[both.col], both.data, len(old))
    )


def _with_new(u: Any, v: Any, w: Any, old: int) -> tuple[Any, Any, Any] | None:
    """Returns the edges of new nodes. Those between old ones change nothing."""
    new = (u >= old) | (v >= old)
    return (u[new], v[new], w[new]) if new.any() else None


class Rows:
    """Features alone, standardized. Each row is a node."""

    def __init__(self, x: Any, scale: tuple[Any, Any] | None = None) -> None:
        """x are features, or, with the mean and the deviation of each, standardized
        ones."""
        if scale is None:
            scaler = StandardScaler(with_mean=not sp.issparse(x)).fit(x)
            self.mean, self.deviation = np.zeros(x.shape[1]) if sp.issparse(x) else scaler.mean_, scaler.scale_
            self.known = self._standardized(x)
        else:
            self.mean, self.deviation = scale
            self.known = x

    def _standardized(self, x: Any) -> Any:
        if sp.issparse(x):
            return sp.csr_array(sp.csr_array(x) @ sp.diags(1 / self.deviation), dtype=np.float32)
        return ((x - self.mean) / self.deviation).astype(np.float32)

    def graph(self, index: pd.Index | None, label: Any) -> _graph.Graph:
        """Returns the rows as nodes, which the program joins to their nearest."""
        index = pd.RangeIndex(self.known.shape[0]) if index is None else index
        name, table = _graph.labeled(label, pd.DataFrame(index=index))
        return _graph.Graph(None, index, self.known, table, name)

    def new(self, x: Any, index: pd.Index | None) -> New:
        """Returns rows as nodes. One that equals a row of the training is that node; the
        program joins the others to their nearest in the training."""
        rows = self._standardized(x)
        places = {key: place for place, key in reversed(list(enumerate(_keys(self.known))))}
        known = np.array([places.get(key, -1) for key in _keys(rows)])
        return New(pd.RangeIndex(len(known)) if index is None else index, known, rows[known < 0])


def _keys(rows: Any) -> list[bytes]:
    """Returns a text for each row, the same for equal rows."""
    if sp.issparse(rows):
        rows = sp.csr_array(rows, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return [rows.indices[a:b].astype(np.int64).tobytes() + rows.data[a:b].tobytes() for a, b in ends]
    return [row.tobytes() for row in np.ascontiguousarray(rows) + np.float32(0)]  # −0 becomes 0
