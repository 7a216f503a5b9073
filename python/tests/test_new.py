"""Nodes that come after the training."""

import os

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from conftest import QUICK
from sklearn.metrics import adjusted_rand_score

from agekit import AGE, AgeError


def of(edges, ids):
    """The edges with an end among ids."""
    return edges[edges.source.isin(ids) | edges.target.isin(ids)]


def test_tables_and_graphs(fitted, planted, nodes, edges):
    """New nodes as tables, and as a graph that has grown, get the same answers; old ones
    keep theirs."""
    new = nodes[~nodes.index.isin(fitted.nodes_.index)]
    found = fitted.assign(new, edges=of(edges, new.index))
    assert list(found.index) == list(new.index) and found["confidence"].between(0, 1).all()
    assert adjusted_rand_score(new.group, found["cluster"]) > 0.8
    for graph in (planted, igraph.Graph.from_networkx(planted)):
        whole = fitted.assign(graph)
        assert (whole.loc[new.index] == found).all(axis=None)
        assert (whole.loc[fitted.nodes_.index, "cluster"] == fitted.labels_).all()
    assert (fitted.transform(planted)[nodes.index.isin(fitted.nodes_.index)] == fitted.embedding_).all()
    assert (fitted.predict(fitted.nodes_) == fitted.labels_).all()


def test_predict_proba(fitted, planted, wine):
    for model, x in ((fitted, planted), (wine[0], wine[1])):
        shares = model.predict_proba(x)
        assert np.allclose(shares.sum(axis=1), 1) and (shares > 0).all()
        assert (shares.argmax(axis=1) == model.predict(x)).all()
        # The formula, with the centers as the means of the rows of length 1.
        unit = lambda z: z / np.linalg.norm(z, axis=1, keepdims=True)  # noqa: E731
        z = unit(model.embedding_.astype(float))
        centers = unit(np.array([z[model.labels_ == c].mean(axis=0) for c in range(3)]))
        cosines = unit(model.transform(x).astype(float)) @ centers.T
        weights = np.exp((cosines - cosines.max(axis=1, keepdims=True)) / (z * centers[model.labels_]).sum(axis=1).std(ddof=1))
        assert np.allclose(np.sort(shares), np.sort(weights / weights.sum(axis=1, keepdims=True)), atol=1e-4)


def test_rows(wine):
    """Rows of the training are its nodes, whatever comes with them."""
    model, x, y = wine
    assert (model.predict(x[::2]) == model.labels_).all() and (model.transform(x[::2]) == model.embedding_).all()
    found = model.assign(x)
    assert (found["cluster"][::2] == model.labels_).all() and adjusted_rand_score(y, found["cluster"]) > 0.7
    with pytest.raises(ValueError, match="fit had features alone: want X, rows of them, without edges= and features="):
        model.predict(x, edges=pd.DataFrame({"source": [0], "target": [1]}))
    with pytest.raises(ValueError, match="X has 12 features, but AGE is expecting 13"):
        model.predict(x[:, 1:])


def test_second(wine, monkeypatch):
    """The second-best cluster, of a program that says it."""
    model, x, _ = wine
    call = AGE._call
    with monkeypatch.context() as changed:
        changed.setattr(AGE, "_call", lambda *a: call(*a).assign(second=7))
        second = model.assign(x)["second"].to_numpy()
    assert (second[1::2] == 7).all()
    assert (second[::2] == np.argsort(model.predict_proba(x[::2]))[:, 1]).all()


def test_features(planted, nodes):
    """Without ids, new nodes are numbered after the old ones."""
    graph = nx.convert_node_labels_to_integers(planted)
    x = np.random.default_rng(0).normal(size=(90, 4)) + np.eye(3, 4)[np.repeat(range(3), 30)] * 3
    old = [v for v in graph if v % 3]
    place = {v: i for i, v in enumerate(old + [v for v in graph if v % 3 == 0])}
    numbered = nx.relabel_nodes(graph, place)
    model = AGE(3, **QUICK).fit(nx.to_scipy_sparse_array(numbered, nodelist=range(60)), features=x[old])
    edges = nx.to_pandas_edgelist(numbered)
    new = edges[(edges.source >= 60) | (edges.target >= 60)]
    found = model.assign(features=x[::3], edges=new)
    assert list(found.index) == list(range(60, 90)) and adjusted_rand_score(np.repeat(range(3), 10), found["cluster"]) > 0.8
    assert (model.assign(pd.DataFrame(index=range(60, 90)), features=x[::3], edges=new) == found).all(axis=None)
    with pytest.raises(ValueError, match=r"X: 0 of the index is a node of fit, whose nodes have the numbers 0 to 59: want other ids for new ones, such as X.index \+ 60"):
        model.predict(pd.DataFrame(index=range(30)), features=x[::3])


def test_wrong(fitted, nodes, edges):
    new = nodes[~nodes.index.isin(fitted.nodes_.index)]
    with pytest.raises(ValueError, match="edges, row 0, column 'target': 'nobody' is not in the nodes of fit and the new ones"):
        fitted.predict(new, edges=pd.DataFrame({"source": ["n01"], "target": ["nobody"]}))
    with pytest.raises(ValueError, match="edges: the edge from 'n01' to 'n00' has the weight 0: want a positive number"):
        fitted.predict(new, edges=pd.DataFrame({"source": ["n01"], "target": ["n00"], "weight": [0]}))
    with pytest.raises(AgeError, match="^nodes: no column \"kind\": want all that the training had, not only \"id\", \"height\"$"):
        fitted.predict(new[["height"]])
    with pytest.raises(AgeError, match="^nodes, row 0 .*: column \"height\": .*: want a number$"):
        fitted.predict(new.assign(height="tall"))
    with pytest.raises(TypeError, match="X is a ndarray: want a DataFrame of new nodes, whose index has their ids, or a graph"):
        fitted.predict(np.ones((3, 2)))
    with pytest.raises(ValueError, match="no new nodes: want X, a DataFrame of them, or features="):
        fitted.predict()


def test_edges_alone(edges):
    """A fit of edges alone knows new nodes by their edges: copies of old nodes are mostly where
    these are."""
    alone = AGE(3, **QUICK).fit(edges)
    assert (alone.predict(alone.nodes_) == alone.labels_).all()
    nodes = alone.nodes_.index
    ends = edges.iloc[:, :2].set_axis(["source", "target"], axis=1)
    both = pd.concat([ends, ends.rename(columns={"source": "target", "target": "source"})])
    copies = both.assign(source="copy of " + both["source"].astype(str))
    found = alone.predict(pd.DataFrame(index="copy of " + nodes.astype(str)), edges=copies)
    assert (found == alone.labels_).mean() >= 0.9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork(wine):
    """A child that ends takes nothing from its parent."""
    model, x, _ = wine
    expected = model.predict(x)
    child = os.fork()
    if child == 0:
        del model
        os._exit(0)
    os.waitpid(child, 0)
    assert (model.predict(x) == expected).all()
