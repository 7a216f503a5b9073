"""Turns graphs of other libraries into files that age reads.

Nodes are rows: the files have an adjacency matrix and, for each row, features or the
columns of a table. So ids of any type stay in Python.
"""

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler


class Graph:
    """Adjacency (scipy, n×n), index (the ids), and features (an array or a sparse matrix)
    or a table of columns."""

    def __init__(self, adjacency, index=None, features=None, table=None):
        self.adjacency = sp.csr_array(adjacency)
        n, m = self.adjacency.shape
        if n != m:
            raise ValueError(f"the adjacency matrix is {n}×{m}: want as many columns as rows")
        self.index = pd.RangeIndex(n) if index is None else pd.Index(index)
        self.features, self.table = features, table
        for name, part in (("features", features), ("nodes", table)):
            if part is not None and part.shape[0] != n:
                raise ValueError(f"{name} have {part.shape[0]} rows, the graph has {n} nodes")

    def write(self, folder):
        """Writes the files and returns the arguments that name them."""
        sp.save_npz(folder / "graph.npz", sp.csr_matrix(self.adjacency, dtype=np.float32), compressed=False)
        arguments = ["--edges", str(folder / "graph.npz")]
        if self.features is not None and sp.issparse(self.features):
            sp.save_npz(folder / "features.npz", sp.csr_matrix(self.features, dtype=np.float32), compressed=False)
            arguments += ["--features", str(folder / "features.npz")]
        elif self.features is not None:
            np.save(folder / "features.npy", np.ascontiguousarray(self.features, dtype=np.float32))
            arguments += ["--features", str(folder / "features.npy")]
        if self.table is not None and self.table.shape[1]:
            self.table.to_csv(folder / "nodes.csv", index=False)
            arguments += ["--nodes", str(folder / "nodes.csv")]
        return arguments


def read(graph, features=None, nodes=None, n_neighbors=10):
    """Returns the Graph of whatever was given:

    - a NetworkX graph; its nodes' attributes become columns, ``weight`` weights,
    - a PyTorch Geometric ``Data`` with ``edge_index`` and perhaps ``x`` and
      ``edge_weight``,
    - a scipy adjacency matrix, with ``features`` or ``nodes``,
    - a DataFrame of edges (two columns, and perhaps ``weight``), with a DataFrame of
      ``nodes`` whose index holds the ids,
    - an array or DataFrame of features alone: each row is joined to the n_neighbors
      that are most similar.
    """
    if is_features(graph, features, nodes):
        return _from_features(graph, n_neighbors)
    if hasattr(graph, "edge_index"):
        return _from_pyg(graph, features)
    if isinstance(graph, pd.DataFrame):
        return _from_edges(graph, features, nodes)
    if sp.issparse(graph):
        return Graph(graph, None if nodes is None else nodes.index, features, nodes)
    return _from_networkx(graph, features, nodes)


def is_features(graph, features=None, nodes=None):
    """Whether what was given is features alone, without a graph."""
    if hasattr(graph, "edge_index") or hasattr(graph, "adj") and hasattr(graph, "nodes"):
        return False
    if isinstance(graph, pd.DataFrame):
        return nodes is None
    if sp.issparse(graph):
        return features is None and nodes is None and not _symmetric(graph)
    return True


def _symmetric(matrix):
    return matrix.shape[0] == matrix.shape[1] and abs(matrix - matrix.T).nnz == 0


def _from_networkx(graph, features, nodes):
    import networkx as nx

    order = list(graph)
    weight = "weight" if any("weight" in d for _, _, d in graph.edges(data=True)) else None
    adjacency = nx.to_scipy_sparse_array(graph, nodelist=order, weight=weight, dtype=np.float32, format="csr")
    if features is None and nodes is None:
        table = pd.DataFrame([graph.nodes[v] for v in order])
        nodes = table if table.shape[1] else None
    elif isinstance(nodes, pd.DataFrame):
        nodes = nodes.loc[order]
    index = pd.Index(order, tupleize_cols=False)
    return Graph(adjacency, index, features, None if nodes is None else nodes.reset_index(drop=True))


def _from_pyg(data, features):
    ends = np.asarray(data.edge_index)
    x = np.asarray(data.x) if features is None and getattr(data, "x", None) is not None else features
    n = int(data.num_nodes) if getattr(data, "num_nodes", None) is not None else x.shape[0]
    weights = getattr(data, "edge_weight", None)
    values = np.ones(ends.shape[1], np.float32) if weights is None else np.asarray(weights, np.float32)
    adjacency = sp.coo_array((values, (ends[0], ends[1])), shape=(n, n)).tocsr()
    if weights is None:
        adjacency.data[:] = 1
    return Graph(adjacency, None, x)


def _from_edges(edges, features, nodes):
    columns = [c for c in edges.columns if c != "weight"][:2]
    if len(columns) < 2:
        raise ValueError(f"the edges have columns {list(edges.columns)}: want two with the ids of both ends")
    ends = [nodes.index.get_indexer(edges[c]) for c in columns]
    for name, found in zip(columns, ends):
        if (found < 0).any():
            row = int(np.argmax(found < 0))
            raise ValueError(f"edge {row}, column {name!r}: {edges[name].iloc[row]} is not in the index of nodes")
    values = edges["weight"].to_numpy(np.float32) if "weight" in edges else np.ones(len(edges), np.float32)
    adjacency = sp.coo_array((values, tuple(ends)), shape=(len(nodes), len(nodes))).tocsr()
    return Graph(adjacency, nodes.index, features, None if features is not None else nodes.reset_index(drop=True))


def _from_features(x, n_neighbors):
    neighbors = min(n_neighbors, x.shape[0] - 1)
    scaled = StandardScaler(with_mean=not sp.issparse(x)).fit_transform(x)
    near = kneighbors_graph(scaled, neighbors)
    return Graph(near.maximum(near.T), None, scaled)
