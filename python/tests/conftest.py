"""Graphs that several tests share. Run with pytest; $AGEKIT names the program if the
package has none."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from agekit import AGE

# A fit takes a tenth of a second.
QUICK = {"layers": 2, "epochs": 10}


@pytest.fixture(scope="session")
def planted():
    """A graph of three groups, with ids that are words, two kinds of columns and the
    group itself."""
    graph = nx.planted_partition_graph(3, 30, 0.3, 0.03, seed=2)
    random = np.random.default_rng(1)
    truth = np.repeat(range(3), 30)
    for v in graph:
        del graph.nodes[v]["block"]
        graph.nodes[v].update(
            height=float(random.normal() + 2 * truth[v]),
            kind=str(np.array(["red", "green", "blue"])[truth[v] if random.random() < 0.7 else random.integers(3)]),
            group=f"g{truth[v]}",
        )
    return nx.relabel_nodes(graph, {v: f"n{v:02}" for v in graph})


@pytest.fixture(scope="session")
def nodes(planted):
    return pd.DataFrame.from_dict(dict(planted.nodes(data=True)), orient="index")


@pytest.fixture(scope="session")
def edges(planted):
    return nx.to_pandas_edgelist(planted)


@pytest.fixture(scope="session")
def fitted(edges, nodes):
    """Of two thirds of the nodes."""
    old = nodes[np.arange(len(nodes)) % 3 > 0]
    return AGE(clusters=3, **QUICK).fit(edges[edges.source.isin(old.index) & edges.target.isin(old.index)], nodes=old, label="group")


@pytest.fixture(scope="session")
def wine():
    """A fit of every other row, and all rows with their classes."""
    x, y = load_wine(return_X_y=True)
    return AGE(clusters=3, **QUICK).fit(x[::2]), x, y
