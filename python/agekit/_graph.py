"""Turns graphs of other libraries into files that agekit reads.

Nodes are rows: the files have an adjacency matrix and, for each row, features or the
columns of a table. So ids of any type stay in Python.
"""

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from sklearn.preprocessing import StandardScaler


class Graph:
    """Adjacency (scipy, n×n), index (the ids), and features (an array or a sparse matrix)
    or a table of columns. scaler standardized the features if there was no graph."""

    def __init__(self, adjacency, index=None, features=None, table=None):
        self.adjacency = sp.csr_array(adjacency)
        n, m = self.adjacency.shape
        if n != m:
            raise ValueError(f"the adjacency matrix is {n}×{m}: want as many columns as rows")
        self.index = pd.RangeIndex(n) if index is None else pd.Index(index)
        self.features, self.table = features, table
        self.scaler = None
        for name, part in (("features", features), ("nodes", table)):
            if part is not None and part.shape[0] != n:
                raise ValueError(f"{name} have {part.shape[0]} rows, the graph has {n} nodes")

    def write(self, folder):
        """Writes the files and returns the arguments that name them."""
        sp.save_npz(folder / "graph.npz", sp.csr_matrix(self.adjacency, dtype=np.float32), compressed=False)
        arguments = ["--edges", str(folder / "graph.npz"), *_write_features(folder, self.features)]
        if self.table is not None and self.table.shape[1]:
            ids = _ids(self.index, self.table.columns)
            table = self.table if ids is None else self.table.set_axis(ids)
            table.to_csv(folder / "nodes.csv", index=ids is not None)
            arguments += ["--nodes", str(folder / "nodes.csv"), *([] if ids is None else ["--id", ids.name])]
        return arguments


def _ids(index, columns):
    """Returns an index as text, with a name, or None if the program had better number the
    nodes: without ids of their own, or where the texts are not different words."""
    if isinstance(index, pd.RangeIndex):
        return None
    name = index.name if isinstance(index.name, str) and index.name not in columns else "id"
    while name in columns:
        name += "_"
    texts = [str(v) for v in index]
    if len(set(texts)) < len(texts) or any(t != t.strip() or t.lower() in ("", "na", "nan", "none", "null") for t in texts):
        return None
    return pd.Index(texts, name=name)


def _write_features(folder, features):
    if features is None:
        return []
    if sp.issparse(features):
        path = folder / "features.npz"
        sp.save_npz(path, sp.csr_matrix(features, dtype=np.float32), compressed=False)
    else:
        path = folder / "features.npy"
        np.save(path, np.ascontiguousarray(features, dtype=np.float32))
    return ["--features", str(path)]


def write_new(folder, known, nodes, edges, features):
    """Writes nodes that come after the training, whose ids are known, and returns the
    arguments that name the files. The program knows nodes by their numbers."""
    count = features.shape[0] if nodes is None else len(nodes)
    if nodes is not None and features is not None and features.shape[0] != count:
        raise ValueError(f"features have {features.shape[0]} rows, there are {count} new nodes")
    new = pd.RangeIndex(len(known), len(known) + count) if nodes is None else nodes.index
    arguments = _write_features(folder, features)
    if nodes is not None:
        name = "id"
        while name in nodes.columns:
            name += "_"
        nodes.reset_index(drop=True).set_axis(range(len(known), len(known) + count)).to_csv(folder / "nodes.csv", index_label=name)
        arguments += ["--nodes", str(folder / "nodes.csv"), "--id", name]
    if edges is not None:
        table = _numbered(edges, known.append(new), "of the nodes of the training and the new ones")
        table.to_csv(folder / "edges.csv", index=False)
        arguments += ["--edges", str(folder / "edges.csv")]
    return arguments


def nearest(known, rows, n_neighbors):
    """Returns edges from each new row to the known rows that are most similar."""
    near = NearestNeighbors(n_neighbors=min(n_neighbors, known.shape[0])).fit(known).kneighbors(rows, return_distance=False)
    source = np.repeat(np.arange(rows.shape[0]) + known.shape[0], near.shape[1])
    return pd.DataFrame({"source": source, "target": near.ravel()})


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
    table = _numbered(edges, nodes.index, "of nodes")
    values = table["weight"].to_numpy(np.float32) if "weight" in table else np.ones(len(table), np.float32)
    ends = table["source"].to_numpy(), table["target"].to_numpy()
    adjacency = sp.coo_array((values, ends), shape=(len(nodes), len(nodes))).tocsr()
    return Graph(adjacency, nodes.index, features, None if features is not None else nodes.reset_index(drop=True))


def _numbered(edges, index, whose):
    """Returns edges with the places of their ends in an index."""
    columns = [c for c in edges.columns if c != "weight"][:2]
    if len(columns) < 2:
        raise ValueError(f"the edges have columns {list(edges.columns)}: want two with the ids of both ends")
    table = {}
    for end, name in zip(("source", "target"), columns):
        found = table[end] = index.get_indexer(edges[name])
        if (found < 0).any():
            row = int(np.argmax(found < 0))
            raise ValueError(f"edge {row}, column {name!r}: {edges[name].iloc[row]} is not in the index {whose}")
    if "weight" in edges:
        table["weight"] = edges["weight"].to_numpy()
    return pd.DataFrame(table)


def _from_features(x, n_neighbors):
    neighbors = min(n_neighbors, x.shape[0] - 1)
    scaler = StandardScaler(with_mean=not sp.issparse(x))
    scaled = scaler.fit_transform(x)
    near = kneighbors_graph(scaled, neighbors)
    graph = Graph(near.maximum(near.T), None, scaled)
    graph.scaler = scaler
    return graph
