"""Graphs of other libraries, read by the rules of the README."""

from __future__ import annotations

import dataclasses
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp

from . import _ends
from ._program import AgeError, listed, log, shown, warn

Kind = Literal["graph", "edges", "adjacency", "features"]

@dataclasses.dataclass
class Graph:
    """A graph whose nodes are rows."""

    adjacency: Any  # n×n, scipy; a directed one is made undirected by the program; None if the program joins rows
    index: pd.Index  # the ids, a RangeIndex if there are none
    features: Any = None  # n×f, an array or a sparse matrix
    table: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)  # n rows of columns, with index
    label: str | None = None  # the column of the table that only scores see


def kind_of(X: Any, given: str, features: Any = None, nodes: Any = None) -> tuple[Kind, _ends.Ends | None]:
    """Returns what X is, and the ends of its edges if these had to be found. given is AGE's parameter input."""
    if given not in ("auto", "features", "adjacency", "edges"):
        raise ValueError(f"input is {given!r}: want 'auto', 'features', 'adjacency' or 'edges'")
    if is_graph(X):
        if given != "auto":
            raise ValueError(f"input is {given!r}, X a {type(X).__name__}: want input='auto' for a graph")
        return "graph", None
    if given == "features" and (features is not None or nodes is not None):
        raise ValueError("input is 'features', so X has them: want no features= and nodes= beside it")
    if given != "auto":
        return given, None  # type: ignore[return-value]
    beside = features is not None or nodes is not None
    if beside and isinstance(X, pd.DataFrame) and _names_its_columns(X):
        return "adjacency", None  # as NetworkX's to_pandas_adjacency makes it
    if X is None or isinstance(X, (str, bytes)) or type(X) is dict:  # a sparse dok_matrix is one too
        raise TypeError(f"X is a {type(X).__name__}: want a graph of NetworkX, igraph or PyTorch Geometric, a DataFrame or a matrix")
    if not isinstance(X, pd.DataFrame):
        if not beside and _is_pairs(X):
            raise ValueError("X has two columns of integers or words, which could be the two ends of edges or features: want AGE(input='edges') or AGE(input='features')")
        if not beside and _is_square(X):
            raise ValueError(f"X is {len_of(X)}×{len_of(X)}, which could be an adjacency matrix or features: want AGE(input='adjacency') or AGE(input='features')")
        return "adjacency" if beside else "features", None
    if beside:
        return "edges", None
    if _names_its_columns(X):
        raise ValueError(f"X has the same {len(X)} rows and columns, so it could be an adjacency matrix or features: want AGE(input='adjacency') or AGE(input='features')")
    ends = _ends_in(X)
    if ends and ends.named:
        return "edges", ends
    others = [c for c in X.columns if not ends or c != ends.weight]
    if len(others) == 2 and not any(pd.api.types.is_float_dtype(X[c]) for c in others):
        raise ValueError(
            f"X has columns {listed(X.columns)}, which could be the two ends of edges or features: want AGE(input='edges'), or columns named source and target, or AGE(input='features')"
        )
    words = [c for c in X.columns if not pd.api.types.is_numeric_dtype(X[c]) and not pd.api.types.is_bool_dtype(X[c])]
    if words:
        raise ValueError(
            f"X has columns {listed(words)} that are no numbers: features alone are numbers. Want columns named source and target, or AGE(input='edges'), "
            "for a table of edges; fit(edges, nodes=X) for one of nodes"
        )
    return "features", None


def _ends_in(X: pd.DataFrame) -> _ends.Ends | None:
    """Returns the ends of edges in a frame that may have features instead, or None."""
    widest = 64  # with more columns, it has features
    if not 2 <= len(X.columns) <= widest:
        return None
    try:
        return _ends.find(X, "X")
    except AgeError:
        return None


def len_of(X: Any) -> int:
    """Returns the number of rows."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _is_square(X: Any) -> bool:
    shape = X.shape if hasattr(X, "shape") else _array(X).shape
    return len(shape) == 2 and shape[0] == shape[1]


def _names_its_columns(X: pd.DataFrame) -> bool:
    """Whether X has the same names for its rows and its columns, in any order."""
    return _is_square(X) and X.index.is_unique and X.columns.is_unique and X.index.isin(X.columns).all()


def _is_pairs(X: Any) -> bool:
    """Whether X is an array of two columns that could be ids."""
    if sp.issparse(X):
        return False
    x = _array(X)
    return x.ndim == 2 and x.shape[1] == 2 and len(x) > 0 and (x.dtype.kind in "iuUS" or any(isinstance(v, str) for v in x[0]))


def frame(part: Any, name: str) -> Any:
    """Returns a frame of polars or Arrow as a DataFrame, and anything else as it is. These frames have
    no index: a column named id becomes the index of one with nodes."""
    if isinstance(part, (pd.DataFrame, pd.Series)) or not hasattr(part, "to_pandas"):
        return part
    try:
        found = part.to_pandas()
    except ImportError as error:
        raise TypeError(f"{name} is a {type(part).__module__.partition('.')[0]} {type(part).__name__}: want the package pyarrow, or a DataFrame of pandas ({error})") from error
    if name != "nodes" or not isinstance(found, pd.DataFrame):
        return found
    if "id" not in found.columns:
        raise ValueError(f"nodes is a {type(part).__name__} without an index: want a column named id with the ids of the nodes, or nodes.to_pandas().set_index(…)")
    return found.set_index("id")


def filled(values: Any) -> Any:
    """Returns an array in which masked values are missing: NaN among numbers, None among others."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    if values.dtype.kind in "biuf":
        return np.ma.filled(values.astype(np.float64), np.nan)
    return np.ma.filled(values.astype(object), None)


def _array(X: Any) -> Any:
    try:
        return np.asarray(X)
    except ValueError:  # rows of different lengths
        return np.empty(0)


def is_graph(X: Any) -> bool:
    """Whether X is a graph of NetworkX, igraph or PyTorch Geometric."""
    return _is_a(X, "networkx", "Graph") or _is_a(X, "igraph", "Graph") or hasattr(X, "edge_index")


def _is_a(X: Any, module: str, name: str) -> bool:
    return module in sys.modules and isinstance(X, getattr(sys.modules[module], name))


def read(X: Any, kind: Kind, features: Any = None, nodes: Any = None, label: Any = None, ends: _ends.Ends | None = None) -> Graph:
    """Returns the graph that X is, with its nodes' features or columns and labels. kind and ends are those of
    kind_of."""
    if nodes is not None and not isinstance(nodes, pd.DataFrame):
        raise TypeError(f"nodes is a {type(nodes).__name__}: want a DataFrame with the ids of the nodes as its index")
    nodes = flat(nodes)
    if nodes is not None and not nodes.index.is_unique:
        raise ValueError(f"nodes: the index has {shown(nodes.index[nodes.index.duplicated()][0])} twice: want a different id for each node")
    if nodes is not None and nodes.index.hasnans:
        raise ValueError("nodes: the index has a missing value: want an id for each node")
    table = None
    if kind == "edges":
        adjacency, index = _from_edges(X, nodes, ends)
    elif kind == "adjacency":
        adjacency, index = _from_matrix(X, nodes, features)
    elif hasattr(X, "edge_index"):
        adjacency, index, features = _from_pyg(X, features)
        if isinstance(label, str) and hasattr(X, label):
            label = np.asarray(getattr(X, label))
    else:
        adjacency, index, table = (_from_networkx if _is_a(X, "networkx", "Graph") else _from_igraph)(X)
    _refuse_two_forms(index)
    if nodes is not None:
        table = aligned(nodes, index, "nodes")
    elif table is None:
        table = pd.DataFrame(index=index)
    elif features is not None:  # they replace a graph's own attributes
        table = table[[c for c in table.columns if isinstance(label, str) and c == label]]
    name, table = labeled(label, table)
    return Graph(adjacency, index, matrix(features, index), table, name)


def _refuse_two_forms(index: pd.Index) -> None:
    """Refuses one name in two forms of Unicode, which would be two nodes."""
    first: dict[str, str] = {}
    for name in index:
        if isinstance(name, str) and not name.isascii() and first.setdefault(unicodedata.normalize("NFC", name), name) != name:
            raise ValueError(f"the ids {name!a} and {first[unicodedata.normalize('NFC', name)]!a} are one name in two forms of Unicode: want one, see unicodedata.normalize")


def matrix(features: Any, index: pd.Index) -> Any:
    """Returns features with a row for each node."""
    if features is None or sp.issparse(features):
        rows = features
    elif isinstance(features, pd.DataFrame):
        rows = aligned(features, index, "features").to_numpy(np.float32)
    else:
        rows = filled(features).astype(np.float32)
    if rows is not None and (rows.ndim != 2 or rows.shape[0] != len(index)):
        raise ValueError(f"features have the shape {rows.shape}: want a row for each of the {len(index)} nodes")
    return rows


def aligned(part: Any, index: pd.Index, name: str) -> Any:
    """Returns a DataFrame or a Series in the order of the nodes' ids, by its own index."""
    part = flat(part)
    if part.index.equals(index):
        return part
    if not part.index.is_unique:
        raise ValueError(f"{name}: the index has {shown(part.index[part.index.duplicated()][0])} twice: want a different id for each node")
    missing, others = ~index.isin(part.index), ~part.index.isin(index)
    if missing.any():
        raise ValueError(f"{name}: the index has no {shown(index[missing.argmax()])}: want the ids of all {len(index)} nodes")
    if others.any():
        raise ValueError(f"{name}: {shown(part.index[others.argmax()])} of the index is no node of the graph: want its {len(index)} nodes alone")
    return part.loc[index]


def flat(part: Any) -> Any:
    """Returns a DataFrame or a Series with tuples as ids if its index has several levels."""
    if isinstance(part, (pd.DataFrame, pd.Series)) and isinstance(part.index, pd.MultiIndex):
        return part.set_axis(pd.Index(list(part.index), tupleize_cols=False))
    return part


def labeled(label: Any, table: pd.DataFrame) -> tuple[str | None, pd.DataFrame]:
    """Returns the column with the labels, and the table with it."""
    if label is None:
        return None, table
    if isinstance(label, str):
        if label not in table.columns:
            raise ValueError(f"label is {label!r}: want one of the nodes' columns, {listed(table.columns)}, or an array")
        return label, table
    values = aligned(label, table.index, "label").to_numpy() if isinstance(label, pd.Series) else filled(label)
    if values.shape != (len(table),):
        raise ValueError(f"label has the shape {values.shape}: want a value for each of the {len(table)} nodes")
    name = free("label", table.columns)
    return name, table.assign(**{name: values})


def free(name: str, taken: Any) -> str:
    """Returns a name that is not taken."""
    while name in taken:
        name += "_"
    return name


def _from_networkx(graph: Any) -> tuple[Any, pd.Index, pd.DataFrame]:
    order = list(graph)
    index = _index(order)
    place = {v: i for i, v in enumerate(order)}
    edges = [(place[u], place[v], w) for u, v, w in graph.edges(data="weight", default=1)]
    adjacency = _adjacency(edges, index, graph.is_directed())
    return adjacency, index, pd.DataFrame([graph.nodes[v] for v in order], index=index)


def _from_igraph(graph: Any) -> tuple[Any, pd.Index, pd.DataFrame]:
    attributes = {name: graph.vs[name] for name in graph.vs.attributes()}
    index = pd.RangeIndex(graph.vcount())
    for name in ("name", "_nx_name"):  # the second is of a graph that was NetworkX's
        if name in attributes and len(set(attributes[name])) == len(index):
            index = _index(attributes.pop(name))
            break
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else [1] * graph.ecount()
    edges = [(u, v, w) for (u, v), w in zip(graph.get_edgelist(), weights, strict=True)]
    return _adjacency(edges, index, graph.is_directed()), index, pd.DataFrame(attributes, index=index)


def _index(ids: Sequence[Any]) -> pd.Index:
    """Returns ids as an index: 0, 1, 2, … as a RangeIndex."""
    index = pd.Index(ids, tupleize_cols=False)
    numbers = pd.RangeIndex(len(index))
    return numbers if index.equals(numbers) else index


def _from_pyg(data: Any, features: Any) -> tuple[Any, pd.Index, Any]:
    ends = np.asarray(data.edge_index)
    if features is None and getattr(data, "x", None) is not None:
        features = np.asarray(data.x)
    n = getattr(data, "num_nodes", None)
    index = pd.RangeIndex(int(n if n is not None else len_of(features)))
    if ends.size and (ends.min() < 0 or ends.max() >= len(index)):
        raise ValueError(f"X.edge_index has {ends.min() if ends.min() < 0 else ends.max()}: want the numbers of the {len(index)} nodes, 0 to {len(index) - 1}")
    weights = getattr(data, "edge_weight", None)
    adjacency = _summed(ends[0], ends[1], np.ones(ends.shape[1]) if weights is None else _checked(np.asarray(weights), ends[0], ends[1], index, "X.edge_weight"), index)
    if weights is None:
        adjacency.data[:] = 1
    _say_loops(int((adjacency.diagonal() != 0).sum()))
    _say_directed(adjacency, "X.edge_index lacks the other direction of some edges")
    return adjacency, index, features


def _from_matrix(X: Any, nodes: Any, features: Any) -> tuple[Any, pd.Index]:
    named = next((part.index for part in (nodes, features) if isinstance(part, pd.DataFrame)), None)
    if isinstance(X, pd.DataFrame):
        if not _names_its_columns(X):
            raise ValueError("X is an adjacency matrix, but its rows and columns have different names: want the ids of the nodes as both")
        named, X = X.index, X[X.index].to_numpy()
    if isinstance(X, np.ma.MaskedArray):
        X = X.filled(0)  # what is masked is no edge
    adjacency = sp.csr_array(X if sp.issparse(X) else np.asarray(X, dtype=np.float64), dtype=np.float64, copy=True)
    n, m = adjacency.shape
    if n != m:
        raise ValueError(f"the adjacency matrix X is {n}×{m}: want as many columns as rows; AGE(input='edges') for a list of edges")
    index = pd.RangeIndex(n) if named is None else named
    if len(index) != n:
        raise ValueError(f"the adjacency matrix X is {n}×{n}: want a row for each of the {len(index)} nodes")
    adjacency.sum_duplicates()
    adjacency.eliminate_zeros()
    entries = adjacency.tocoo()
    _checked(entries.data, entries.row, entries.col, index, "X")
    _say_loops(int((adjacency.diagonal() != 0).sum()))
    _say_directed(adjacency, "the adjacency matrix is not symmetric")
    return adjacency, index


def _from_edges(edges: Any, nodes: Any, ends: _ends.Ends | None) -> tuple[Any, pd.Index]:
    if not isinstance(edges, pd.DataFrame):  # with input="edges"
        edges = np.asarray(edges)
        if edges.ndim != 2 or edges.shape[1] not in (2, 3):
            raise ValueError(f"X has the shape {edges.shape}: want edges of two columns, the ids of both ends, and perhaps a third, the weights")
        edges = pd.DataFrame(edges, columns=["source", "target", "weight"][: edges.shape[1]]).infer_objects()
    if len(edges) == 0:
        raise ValueError("X has no edges: want at least one")
    known = None if nodes is None else nodes.index
    ends = ends or _ends.find(edges, "X", known)
    for text in ends.warnings:
        warn(text)
    if ends.matrix:
        square = edges if ends.names is None else edges.set_index(ends.names)
        square = square.set_axis(square.columns) if ends.names is None else square
        return _from_matrix(square if _names_its_columns(square) else square.set_axis(square.index, axis=1), nodes, None)
    pairs = _ends.pairs(edges, ends, "X", known)
    if known is None:  # in the order in which they appear
        both = np.empty(2 * len(pairs.source), dtype=object)
        both[0::2], both[1::2] = pairs.source, pairs.target
        known = _index(list(dict.fromkeys([*both, *pairs.alone])))
    u, v, w = _numbered(pairs, known, "X", "the index of nodes")
    _say_loops(int((u == v).sum()))
    return _summed(u, v, w, known), known


def numbered(edges: Any, index: pd.Index, name: str, among: str) -> tuple[Any, Any, Any]:
    """Returns the places of the ends of edges in an index, and their weights."""
    if not isinstance(edges, pd.DataFrame):
        raise TypeError(f"{name} is a {type(edges).__name__}: want a DataFrame with the ids of both ends of each edge")
    ends = _ends.find(edges, name, index)
    for text in ends.warnings:
        warn(text)
    return _numbered(_ends.pairs(edges, ends, name, index), index, name, among)


def _numbered(pairs: _ends.Pairs, index: pd.Index, name: str, among: str) -> tuple[Any, Any, Any]:
    places = []
    for ids, column in zip((pairs.source, pairs.target), pairs.columns, strict=True):
        found = index.get_indexer(pd.Index(ids, tupleize_cols=False))
        if (found < 0).any():
            row = int(np.argmax(found < 0))
            raise ValueError(f"{name}, row {shown(pairs.rows[row])}, column {column!r}: {shown(ids[row])} is not in {among}")
        places.append(found)
    u, v = places
    return u, v, np.ones(len(u)) if pairs.weight is None else _checked(pairs.weight, u, v, index, name)


def _adjacency(edges: list[tuple[int, int, Any]], index: pd.Index, directed: bool) -> Any:
    """Returns the adjacency matrix of a graph's edges."""
    u, v = (np.array([e[end] for e in edges], dtype=np.int64) for end in (0, 1))
    if not directed:
        u, v = np.minimum(u, v), np.maximum(u, v)
    else:
        warn("the graph is directed: the directions of its edges are dropped")
    _say_loops(int((u == v).sum()))
    return _summed(u, v, _checked([e[2] for e in edges], u, v, index, "X"), index)


def _checked(weights: Any, u: Any, v: Any, index: pd.Index, name: str) -> Any:
    """Returns weights as positive numbers."""
    given = pd.Series(weights).reset_index(drop=True)
    numbers = pd.to_numeric(given, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    with np.errstate(over="ignore"):
        small = numbers.astype(np.float32)  # what the program computes with
    wrong = ~((small > 0) & np.isfinite(small))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"{name}: the edge from {shown(index[u[row]])} to {shown(index[v[row]])} has the weight {shown(given[row])}: want a positive number; leave out edges that are none")
    return numbers


def _summed(u: Any, v: Any, weights: Any, index: pd.Index) -> Any:
    """Returns the adjacency matrix of edges. The weights of repeated ones are added."""
    adjacency = sp.coo_array((weights, (u, v)), shape=(len(index), len(index))).tocsr()
    if repeated := len(u) - adjacency.nnz:
        log.info("%d edges repeat another: their weights are added", repeated)
    return adjacency


def _say_loops(count: int) -> None:
    if count:
        warn(f"{count} loops are dropped: a node is no neighbor of itself")


def _say_directed(adjacency: Any, what: str) -> None:
    difference = abs(adjacency - adjacency.T)
    if difference.nnz and difference.max() > 1e-6 * adjacency.max():  # more than rounding
        warn(f"{what}: directions are dropped, and of two weights the larger one counts")
