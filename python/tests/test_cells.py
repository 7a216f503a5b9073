"""What the cells of a frame become."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from conftest import QUICK
from sklearn.base import clone

from agekit import AGE, AgeError, AgeWarning

QUICK3 = AGE(clusters=3, **QUICK)


def test_kinds(edges, nodes):
    """Units, lists of words, marks for missing values, intervals and dates with words among them become
    as many features as in a table of text, with a warning where something is guessed."""
    i = np.arange(90)
    bank = [["C", "C++"], ["pie", "jam"], ["run", "gym"]]
    random = np.random.default_rng(1)
    lists = [random.permutation(bank[v % 3])[: random.integers(1, 3)].tolist() for v in i]
    for name, column, features, warning in (
        ("kilograms", pd.Series([f"{10 + v * v % 47} kg" for v in i]), 1, "numbers with a unit"),
        ("dollars", pd.Series([f"${1 + v % 9},{v * v % 900 + 100}.50" if v % 7 else None for v in i]), 2, "numbers with a unit"),
        ("pounds too", pd.Series([f"{10 + v % 8} {['kg', 'lb'][v % 2]}" for v in i]), 8, "several units"),
        ("lists", pd.Series(lists), 6, ""),
        ("sets", pd.Series([set(v) for v in lists]), 6, ""),
        ("arrays of words", pd.Series([np.array(v) for v in lists]), 6, ""),
        ("joined lists", pd.Series([";".join(v) for v in lists]), 6, "lists with ';' between words"),
        ("sentinels", pd.Series([-999.0 if v % 9 == 4 else v * v % 31 / 4 for v in i]), 2, 'taken as gaps: "-999.0"'),
        ("intervals", pd.cut(pd.Series(i * i % 31), 4), 4, ""),
        ("dates", pd.Series([f"20{10 + v % 9}-01-11" if v % 9 else "unknown" for v in i]), 2 + 7, "no dates, taken as gaps"),
        ("embeddings", pd.Series([np.array([v % 7, v % 5 / 2]) if v % 9 else None for v in i]), 4, ""),
        ("countries", pd.Series(["DE", "NA", "FR", "ZA", "AT"] * 18), 5, ""),
    ):
        frame = pd.DataFrame({"height": nodes.height.to_numpy(), "own": column}).set_axis(nodes.index)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = clone(QUICK3).fit(edges, nodes=frame)
        assert model.record_["features"] == 1 + features, name
        texts = [str(w.message) for w in said if issubclass(w.category, AgeWarning) and '"own"' in str(w.message)]
        assert len(texts) == bool(warning), (name, texts)
        assert not warning or warning in texts[0].replace('";"', "';'"), (name, texts)


def test_cut_array(edges, nodes):
    cut = pd.DataFrame({"own": [str(np.arange(2000) / 7)] * 90}, nodes.index)
    with pytest.raises(AgeError, match=r"nodes, row 0.*without its middle"):
        clone(QUICK3).fit(edges, nodes=cut)


def test_ids():
    """Tuples and integers of 2⁵³ and more stay what they are."""
    grid = nx.grid_2d_graph(8, 8)
    for v in grid:
        grid.nodes[v]["a"] = float(v[0] < 4) + v[1] / 9
    assert list(clone(QUICK3).fit(grid).nodes_.index) == list(grid)
    large = nx.relabel_nodes(grid, {v: 2**53 + 1 + 2 * k for k, v in enumerate(grid)})
    assert list(clone(QUICK3).fit(large).nodes_.index) == list(large)
