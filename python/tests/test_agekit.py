"""Run with pytest; $AGEKIT names the program if the package has none."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from agekit import AGE, AgeError


def test_networkx():
    graph = nx.karate_club_graph()
    clubs = [graph.nodes[v]["club"] for v in graph]
    for v in graph:
        del graph.nodes[v]["club"]
    graph = nx.relabel_nodes(graph, {v: ("member", v) for v in graph})
    model = AGE(clusters=2).fit(graph)
    assert adjusted_rand_score(clubs, model.labels_) > 0.8
    assert model.embedding_.shape[0] == 34 and model.nodes_.index[3] == ("member", 3)
    assert (model.nodes_["cluster"].to_numpy() == model.labels_).all()
    assert len(model.clusters_) == 2 and sum(c["size"] for c in model.clusters_) == 34


def test_node_attributes():
    graph = nx.planted_partition_graph(3, 40, 0.3, 0.02, seed=1)
    for v in graph:
        graph.nodes[v].update(size=float(v // 40) + 0.1 * (v % 7), color="rgb"[v // 40])
    model = AGE(clusters="auto").fit(graph)
    assert len(model.clusters_) == 3 and {"size", "color", "cluster", "x", "y"} <= set(model.nodes_.columns)
    assert adjusted_rand_score([v // 40 for v in graph], model.labels_) > 0.9
    assert any(f["name"].startswith("color") for f in model.clusters_[0]["features"])


def test_same_graph_in_every_form(tmp_path):
    graph = nx.planted_partition_graph(3, 30, 0.3, 0.03, seed=2)
    x = np.random.default_rng(0).normal(size=(90, 5)) + np.repeat(np.eye(3, 5) * 3, 30, axis=0)
    adjacency = nx.to_scipy_sparse_array(graph, format="csr")
    ids = pd.Index([f"n{i}" for i in range(90)])
    edges = pd.DataFrame([(ids[a], ids[b]) for a, b in graph.edges()], columns=["from", "to"])

    class Data:  # as PyTorch Geometric's
        edge_index = np.array([*graph.edges()] + [(b, a) for a, b in graph.edges()]).T
        num_nodes = 90

    Data.x = x
    settings = AGE(clusters=3, layers=2, epochs=10)
    forms = {
        "networkx": clone(settings).fit(graph, features=x),
        "scipy": clone(settings).fit(adjacency, features=x),
        "sparse features": clone(settings).fit(adjacency, features=sp.csr_array(x)),
        "pyg": clone(settings).fit(Data()),
        "pandas": clone(settings).fit(edges, features=x, nodes=pd.DataFrame(index=ids)),
    }
    for name, model in forms.items():
        assert np.allclose(model.embedding_, forms["scipy"].embedding_, atol=1e-5), name
        assert (model.labels_ == forms["scipy"].labels_).all(), name
    assert list(forms["pandas"].nodes_.index) == list(ids)
    forms["pandas"].report(tmp_path / "page.html")
    assert "Map of the nodes" in (tmp_path / "page.html").read_text(encoding="utf-8")
    forms["scipy"].save(tmp_path / "model.npz")
    assert np.load(tmp_path / "model.npz")["t"] == 2


def test_pandas_tables():
    nodes = pd.DataFrame({"height": [1.0, 1.1, np.nan, 5.0, 5.2, 5.1], "kind": list("aaabbb")}, index=[10, 20, 30, 40, 50, 60])
    edges = pd.DataFrame({"u": [10, 20, 30, 40, 50, 60], "v": [20, 30, 10, 50, 60, 40], "weight": [1, 2, 1, 1, 2, 1.5]})
    model = AGE(clusters=2).fit(edges, nodes=nodes)
    assert adjusted_rand_score([0, 0, 0, 1, 1, 1], model.labels_) == 1
    with pytest.raises(ValueError, match="edge 1, column 'v': 99 is not in the index"):
        AGE(clusters=2).fit(edges.assign(v=[20, 99, 10, 50, 60, 40]), nodes=nodes)


def test_features_alone():
    x, y = load_wine(return_X_y=True)
    assert adjusted_rand_score(y, AGE(clusters=3).fit_predict(x)) > 0.85


def test_new_rows_and_pickle():
    x, y = load_wine(return_X_y=True)
    later = np.arange(len(x)) % 5 == 0
    model = AGE(clusters=3).fit(x[~later])
    found = model.assign(x[later])
    assert adjusted_rand_score(y[later], found["cluster"]) > 0.7 and found["confidence"].between(0, 1).all()
    again = pickle.loads(pickle.dumps(model))
    path = model._folder.path
    del model
    assert not path.exists()
    assert again.assign(x[later]).equals(found)
    assert again.embed(x[later]).shape == (later.sum(), again.embedding_.shape[1])


def test_new_nodes():
    graph = nx.planted_partition_graph(3, 40, 0.3, 0.02, seed=3)
    graph = nx.relabel_nodes(graph, {v: f"v{v}" for v in graph})
    truth = np.repeat(range(3), 40)
    random = np.random.default_rng(1)
    x = random.normal(size=(120, 4)) + np.eye(3, 4)[truth] * 2
    nodes = pd.DataFrame(x, columns=list("abcd"), index=list(graph)).assign(id="word")
    nodes["kind"] = np.array(["red", "green", "blue"])[np.where(random.random(120) < 0.2, random.integers(3, size=120), truth)]
    edges = nx.to_pandas_edgelist(graph)
    late = np.arange(120) % 6 == 1
    is_late = edges.isin(nodes.index[late]).any(axis=1)
    for part in ({"nodes": True}, {"features": True}):
        rows = {"nodes": nodes} if "nodes" in part else {"nodes": pd.DataFrame(index=nodes.index), "features": x}
        old = {k: v[~late] for k, v in rows.items()}
        new = {k: v[late] for k, v in rows.items()}
        model = AGE(clusters=3).fit(edges[~is_late], **old)
        found = model.assign(new["nodes"], edges=edges[is_late], features=new.get("features"))
        assert list(found.index) == list(nodes.index[late])
        both = np.concatenate([truth[~late], truth[late]]), np.concatenate([model.labels_, found["cluster"]])
        assert adjusted_rand_score(*both) > 0.9
        with pytest.raises(ValueError, match="nobody is not in the index"):
            model.assign(new["nodes"], edges=pd.DataFrame({"u": ["v1"], "v": ["nobody"]}), features=new.get("features"))


def test_errors_of_the_program():
    x, _ = make_blobs(20, random_state=0)
    with pytest.raises(AgeError, match="want at most 10, half the number of nodes"):
        AGE(clusters=11).fit(x)


@parametrize_with_checks([AGE(clusters=2, layers=1, epochs=2)])
def test_sklearn(estimator, check):
    check(estimator)
