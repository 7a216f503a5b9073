"""What fit takes X for, and what it refuses."""

import pathlib
import re
import types
import warnings

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import QUICK
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from agekit import AGE, AgeError, AgeWarning, _ends, _files, _graph

QUICK3 = AGE(clusters=3, **QUICK)
SQUARE = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]


class Data:
    """As PyTorch Geometric's."""

    def __init__(self, graph, x, y):
        numbers = nx.convert_node_labels_to_integers(graph)
        self.edge_index = np.array([*numbers.edges()] + [(b, a) for a, b in numbers.edges()]).T
        self.num_nodes, self.x, self.y = len(graph), x, y


def test_same_graph_in_every_form(planted, nodes, edges):
    x = np.random.default_rng(0).normal(size=(90, 5)) + np.repeat(np.eye(3, 5) * 3, 30, axis=0)
    a = nx.to_scipy_sparse_array(planted, format="csr")
    alone = nodes[[]]
    shuffled = pd.DataFrame(x, index=nodes.index).sample(frac=1, random_state=0)
    forms = {
        "networkx": lambda m: m.fit(planted, features=x, label="group"),
        "igraph": lambda m: m.fit(igraph.Graph.from_networkx(planted), features=x, label="group"),
        "pyg": lambda m: m.fit(Data(planted, x, nodes.group), label="y"),
        "scipy": lambda m: m.fit(a, features=x, label=nodes.group.to_numpy()),
        "numpy": lambda m: m.fit(a.toarray(), features=sp.csr_array(x), label=nodes.group.to_numpy()),
        "adjacency": lambda m: m.set_params(input="adjacency").fit(nx.to_pandas_adjacency(planted), features=shuffled, label=nodes.group[::-1]),
        "pandas": lambda m: m.fit(edges, nodes=alone, features=x, label=nodes.group),
    }
    first = None
    for name, fit in forms.items():
        model = fit(clone(QUICK3))
        first = first or model
        assert np.allclose(model.embedding_, first.embedding_, atol=1e-5), name
        assert (model.labels_ == first.labels_).all() and model.scores_ == first.scores_, name
        if name not in ("pyg", "scipy", "numpy"):
            assert list(model.nodes_.index) == list(nodes.index), name


def test_edges_alone(edges, nodes):
    """They are a graph, not rows of features."""
    model = clone(QUICK3).fit(edges)
    assert model.record_["n"] == 90 and model.record_["edges"] == len(edges)
    assert sorted(model.nodes_.index) == sorted(nodes.index)
    assert set(model.clusters_[0]["central"]) <= set(nodes.index)
    numbers = edges.apply(lambda c: c.str[1:].astype(int))
    pairs = clone(QUICK3).set_params(input="edges").fit(numbers.to_numpy())
    assert pairs.record_["edges"] == len(edges) and sorted(pairs.nodes_.index) == list(range(90))
    assert (pairs.labels_ == model.labels_).all()


def test_columns_by_name(edges, nodes):
    """Not by position."""
    table = pd.DataFrame({"year": 2020, "To": edges.target, "times": 2, "FROM": edges.source, "weight": 1.0})
    other = clone(QUICK3).fit(edges)
    assert clone(QUICK3).fit(table).record_["edges"] == len(edges)
    assert (clone(QUICK3).fit(table[["FROM", "To", "year"]]).labels_ == other.labels_).all()
    assert clone(QUICK3).fit(edges.set_axis(["a", "b"], axis=1).assign(c=1), nodes=nodes).record_["edges"] == len(edges)


def _neighbors(edges, join):
    lists = edges.groupby("source").target.agg(list)
    return pd.DataFrame({"node": lists.index, "neighbors": [join(v) for v in lists]})


@pytest.mark.parametrize(
    ("form", "warns"),
    [
        (lambda e: pd.DataFrame({"invoice": 1000 + np.arange(len(e)), "buyer": e.source, "seller": e.target, "amount": 5}), "invoice.*buyer.*seller"),
        (lambda e: _neighbors(e, ";".join), "lists with semicolons"),
        (lambda e: _neighbors(e, list), "lists with brackets"),
        (lambda e: _neighbors(e, np.array), "lists with brackets"),
        (lambda e: _neighbors(e, str), "lists with brackets"),
        (lambda e: pd.DataFrame({"name": e.source + " (pp) " + e.target, "interaction": "pp"}), "both ends of each edge"),
        (lambda e: nx.to_pandas_adjacency(nx.from_pandas_edgelist(e)).rename_axis("name").reset_index(), None),
        (lambda e: e.assign(kind="pp")[["source", "kind", "target"]].set_axis(list("abc"), axis=1), None),
    ],
)
def test_shapes_of_edges(edges, nodes, form, warns):
    """Frames of edges are read as the program reads tables, whose ids may be integers."""
    expected = {frozenset(e) for e in edges.itertuples(index=False)}
    given = form(edges)
    for known in (None, nodes):
        graph, said = _read(given, known)
        ids = graph.index
        upper = sp.triu(graph.adjacency.maximum(graph.adjacency.T)).tocoo()
        assert {frozenset((ids[u], ids[v])) for u, v in zip(upper.row, upper.col, strict=True)} == expected
        assert set(ids) == set(nodes.index)
        assert not said if warns is None else any(re.search(warns, text) for text in said), said


def test_lists_of_integers(edges):
    """Members that are written as ids of the other column are these ids."""
    numbers = edges.apply(lambda c: c.str[1:].astype(int))
    lists = numbers.groupby("source").target.agg(lambda v: ";".join(map(str, v))).reset_index()
    graph, _ = _read(pd.concat([lists, pd.DataFrame({"source": [500], "target": [None]})]), None)
    assert set(graph.index) == {*numbers.to_numpy().ravel(), 500}


@pytest.mark.parametrize("known", [False, True])
def test_asked_once(edges, nodes, monkeypatch, known):
    """The program finds the ends of a frame once, and each of its warnings is said once."""
    given = edges.groupby("source").target.agg(";".join).reset_index()
    asked, ask = [], _ends.run
    monkeypatch.setattr(_ends, "run", lambda arguments, *more, **options: asked.append(arguments[0]) or ask(arguments, *more, **options))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        clone(QUICK3).fit(given, nodes=nodes if known else None)
    texts = [str(w.message) for w in said]
    assert asked == ["ends"]
    assert sum("lists with semicolons" in text for text in texts) == 1, texts
    assert len(set(texts)) == len(texts)
    assert all(w.filename == __file__ for w in said)


def _read(edges, nodes):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return _graph.read(edges, "edges", nodes=nodes), [str(w.message) for w in said]


def test_ambiguous(planted):
    """What could be two things is refused, with what to do."""
    either = r"want AGE\(input='adjacency'\) or AGE\(input='features'\)"
    directed = nx.to_numpy_array(nx.gnp_random_graph(12, 0.3, seed=1, directed=True))
    for square in (SQUARE, np.array(SQUARE), directed, sp.csr_array(directed), sp.csr_matrix(SQUARE), nx.to_pandas_adjacency(planted)):
        with pytest.raises(ValueError, match=either):
            AGE().fit(square)
    for table in (pd.DataFrame({"a": [1, 2], "b": [2, 3]}), pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "weight": [0.5, 1]})):
        with pytest.raises(ValueError, match=r"want AGE\(input='edges'\), or columns named source and target, or AGE\(input='features'\)"):
            AGE().fit(table)
    for pairs in ([(1, 2), (2, 3)], np.array([[1, 2], [2, 3]]), [("a", "b"), ("b", "c")]):
        with pytest.raises(ValueError, match=r"two columns of integers or words.*want AGE\(input='edges'\) or AGE\(input='features'\)"):
            AGE().fit(pairs)
    for wrong in (None, "edges.csv", {"a": ["b"]}):
        with pytest.raises(TypeError, match=f"X is a {type(wrong).__name__}: want a graph"):
            AGE().fit(wrong)
    with pytest.raises(ValueError, match=r"columns 'name' that are no numbers.*fit\(edges, nodes=X\)"):
        AGE().fit(pd.DataFrame({"name": ["x", "y"], "height": [1.0, 2], "width": [1.0, 2]}))
    with pytest.raises(ValueError, match="column 'u' has fractions"):
        AGE().fit(pd.DataFrame({"u": [0.5, 1.5], "v": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="input is 'graph': want 'auto', 'features', 'adjacency' or 'edges'"):
        AGE(input="graph").fit(planted)


def test_input_decides():
    """A square matrix and a table of two columns are what input= says."""
    random = np.random.default_rng(0)
    x = random.normal(size=(20, 20))
    model = AGE(2, input="features", **QUICK).fit(x)
    assert model.record_["features"] == 20 and model.n_features_in_ == 20
    a = np.triu(random.random((20, 20)) < 0.3, 1)
    with pytest.warns(AgeWarning, match="not symmetric"):
        model = AGE(2, input="adjacency", **QUICK).fit(a)
    assert model.record_["edges"] == a.sum()
    points = pd.DataFrame({"u": random.normal(size=20), "v": random.normal(size=20)})
    assert AGE(2, input="features", **QUICK).fit(points).record_["features"] == 2


def test_label_only_scores(planted, nodes, edges):
    """The same clusters with and without it."""
    without = planted.copy()
    for v in without:
        del without.nodes[v]["group"]
    plain = clone(QUICK3).fit(without)
    assert "acc" not in plain.scores_
    for model in (clone(QUICK3).fit(planted, label="group"), clone(QUICK3).fit(edges, nodes=nodes, label="group"), clone(QUICK3).fit(without, label=nodes.group)):
        assert (model.labels_ == plain.labels_).all() and model.record_["features"] == plain.record_["features"]
        assert model.scores_["acc"] > 0.9 and model.scores_["modularity"] == plain.scores_["modularity"]
    half = nodes.group.where(np.arange(90) % 2 == 0)
    assert clone(QUICK3).fit(without, label=half).scores_["acc"] > 0.9
    with pytest.raises(ValueError, match="label is 'team': want one of the nodes' columns, 'height', 'kind', 'group', or an array"):
        AGE().fit(planted, label="team")
    with pytest.raises(ValueError, match=r"label has the shape \(3,\): want a value for each of the 90 nodes"):
        AGE().fit(planted, label=[1, 2, 3])


def test_by_index(planted, nodes, edges):
    """Tables of nodes and of features go by their index."""
    expected = clone(QUICK3).fit(planted, label="group")
    shuffled = nodes.sample(frac=1, random_state=0)
    assert (clone(QUICK3).fit(planted, nodes=shuffled, label="group").labels_ == expected.labels_).all()
    with pytest.raises(ValueError, match="nodes: the index has no 'n00': want the ids of all 90 nodes"):
        AGE().fit(planted, nodes=nodes[1:])
    with pytest.raises(ValueError, match="features: the index has no 'n00'"):
        AGE().fit(planted, features=nodes[["height"]].reset_index(drop=True))
    with pytest.raises(ValueError, match="nodes: 'n90' of the index is no node of the graph"):
        AGE().fit(planted, nodes=pd.concat([nodes, nodes[:1].set_axis(["n90"])]))
    with pytest.raises(ValueError, match="nodes: the index has 'n00' twice"):
        AGE().fit(edges, nodes=pd.concat([nodes, nodes[:1]]))
    with pytest.raises(ValueError, match=r"features have the shape \(3, 1\): want a row for each of the 90 nodes"):
        AGE().fit(planted, features=np.ones((3, 1)))


def test_edge_index():
    """What is said of PyTorch Geometric's edges names them."""
    x = np.random.default_rng(0).normal(size=(20, 4))
    ends = np.array([range(20), [(i + 1) % 20 for i in range(20)]])
    data = types.SimpleNamespace(edge_index=np.hstack([ends, ends[::-1], [[3], [3]]]), x=x)
    with pytest.warns(AgeWarning, match="1 loops are dropped"):
        assert AGE(2, **QUICK).fit(data).record_["edges"] == 20
    with pytest.warns(AgeWarning, match="X.edge_index lacks the other direction of some edges: directions are dropped"):
        assert AGE(2, **QUICK).fit(types.SimpleNamespace(edge_index=ends, x=x)).record_["edges"] == 20
    with pytest.raises(ValueError, match="X.edge_index has 20: want the numbers of the 20 nodes, 0 to 19"):
        AGE(2, **QUICK).fit(types.SimpleNamespace(edge_index=ends + 1, x=x))


def test_wrong_edges(planted, nodes, edges):
    """Errors name the edge, in every form."""
    text = r"X: the edge from 'n00' to 'n\d\d' has the weight {}: want a positive number"
    first = tuple(edges.iloc[0])
    for weight in (0, -1, float("nan"), float("inf"), "x"):
        graph = planted.copy()
        graph.edges[first]["weight"] = weight
        for form in (graph, igraph.Graph.from_networkx(graph), edges.assign(weight=[weight] + [1] * (len(edges) - 1))):
            with pytest.raises(ValueError, match=text.format(".*")):
                AGE().fit(form)
    with pytest.raises(ValueError, match="X: the edge from 0 to 1 has the weight -1.0"):
        AGE(input="adjacency").fit([[0, -1], [-1, 0]])
    with pytest.raises(ValueError, match="X, row 1, column 'target': 'n99' is not in the index of nodes"):
        AGE().fit(edges.assign(target=["n01", "n99", *edges.target[2:]]), nodes=nodes)
    with pytest.raises(ValueError, match="X, row 0: column 'source' is missing"):
        AGE().fit(edges.assign(source=[None, *edges.source[1:]]))
    with pytest.raises(ValueError, match=r"X is 2×3: want as many columns as rows"):
        AGE().fit(np.ones((2, 3)), features=np.ones((2, 2)))


def test_zeros_in_a_matrix(planted):
    """Are no edges, and the matrix stays as it was."""
    a = nx.to_scipy_sparse_array(planted, format="csr", dtype=float)
    b = sp.csr_array(sp.triu(a).tocsr() * 1.0)
    b.data[0] = 0
    b = (b + b.T).tocsr()
    explicit = sp.csr_array((np.append(b.data, 0), np.append(b.indices, 89), np.append(b.indptr[:-1], b.nnz + 1)), shape=b.shape)
    stored = explicit.nnz
    assert AGE(3, input="adjacency", **QUICK).fit(explicit).record_["edges"] == planted.number_of_edges() - 1
    assert explicit.nnz == stored


def test_what_is_dropped_is_said(planted):
    graph = nx.DiGraph(planted)
    graph.add_edge("n00", "n00")
    with pytest.warns(AgeWarning) as said:
        model = clone(QUICK3).fit(graph, label="group")
    assert [str(w.message) for w in said] == ["the graph is directed: the directions of its edges are dropped", "1 loops are dropped: a node is no neighbor of itself"]
    assert all(w.filename == __file__ for w in said)
    assert model.record_["edges"] == planted.number_of_edges()


def test_difficult_ids_and_columns(edges, nodes, tmp_path):
    """Ids that look like comments, numbers and missing values, and columns that are numbers
    or have separators, stay what they are."""
    for ids in ([f"#{i}" for i in range(90)], [f"{i:03}" for i in range(90)], [f'a"{i};\t,' for i in range(90)], [("t", i) for i in range(90)], ["NA", *range(89)], [float(i) for i in range(1, 91)]):
        index = pd.Index(ids, tupleize_cols=False)
        place = dict(zip(nodes.index, index, strict=True))
        table = nodes.set_axis(index).rename(columns={"height": 0, "kind": "a;b,\n#"})
        model = clone(QUICK3).fit(edges.map(place.get), nodes=table, label="group")
        assert model.record_["n"] == 90 and list(model.nodes_.index) == list(index)
        assert list(model.nodes_.columns[:3]) == [0, "a;b,\n#", "group"] and set(model.clusters_[0]["central"]) <= set(index)
        assert "Map of the nodes" in model.report(tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="two columns have the name 'height'"):
        AGE().fit(edges, nodes=nodes.rename(columns={"kind": "height"}))


def test_column_left_out(edges, nodes, caplog):
    """The program says so, and Python passes it on."""
    caplog.set_level("INFO", "agekit")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        clone(QUICK3).fit(edges, nodes=nodes.assign(name=nodes.index))
    texts = [*(str(w.message) for w in said), *caplog.messages]
    assert any(text.startswith('column "name": left out, 90 different values in 90 rows are neither categories nor text') for text in texts)
    assert not any("--" in text or ".csv" in text or "/tmp" in text for text in texts)


def test_columns_of_numbers_and_words(edges, nodes):
    """A column of numbers and a word is refused, not left out."""
    for odd in ("n.a.", "-"):
        for height in ([odd, *nodes.height[1:]], [odd, *map(str, nodes.height[1:])]):
            with pytest.raises(ValueError, match=f"nodes, row 'n00', column 'height': '{odd}' is no number, as 89 others are: want numbers, with NaN for a gap"):
                AGE().fit(edges, nodes=nodes.assign(height=height))
    with pytest.raises(ValueError, match="nodes, row 'n01', column 'height': -inf: want a finite number, or NaN for a gap"):
        AGE().fit(edges, nodes=nodes.assign(height=[1, -np.inf, *nodes.height[2:]]))
    grade = pd.Series(np.where(np.arange(90) % 9 == 0, "none yet", np.arange(90) % 3 + 1), nodes.index)
    model = clone(QUICK3).fit(edges, nodes=pd.DataFrame({"grade": grade.astype("category"), "day": pd.date_range("2020-01-01", periods=90), "height": nodes.height.where(nodes.height > 0)}))
    assert model.record_["features"] == 4 + (1 + 2 + 7) + 2  # categories, the date with season and weekday, numbers with gaps


def test_lists_and_durations(edges, nodes):
    """A list of numbers is a feature for each place in it, as in separate columns; durations are numbers."""
    vectors = [np.array([h, h**2, 1 / (1 + abs(h))]) for h in nodes.height]
    columns = pd.DataFrame(vectors, nodes.index, columns=[f"v {j}" for j in (1, 2, 3)])
    expected = clone(QUICK3).fit(edges, nodes=columns)
    for lists in (vectors, [v.tolist() for v in vectors], [tuple(v) for v in vectors], [v.astype(np.float32) for v in vectors]):
        model = clone(QUICK3).fit(edges, nodes=pd.DataFrame({"v": lists}, nodes.index))
        assert model.record_["features"] == 3 and (model.labels_ == expected.labels_).all()
    graph = nx.from_pandas_edgelist(edges)
    nx.set_node_attributes(graph, dict(zip(nodes.index, vectors, strict=True)), "v")
    assert clone(QUICK3).fit(graph).record_["features"] == 3
    durations = pd.DataFrame({"d": pd.to_timedelta(np.arange(90) ** 2, "h")}, nodes.index)
    assert clone(QUICK3).fit(edges, nodes=durations).record_["features"] == 1


def test_tuples_as_ids(edges, nodes):
    """A MultiIndex is an index of tuples, in nodes, features and labels."""
    tuples = pd.MultiIndex.from_tuples([(v[0], int(v[1:])) for v in nodes.index])
    ends = edges.map(lambda v: (v[0], int(v[1:])))
    expected = clone(QUICK3).fit(edges, nodes=nodes, label="group")
    model = clone(QUICK3).fit(ends, nodes=nodes.set_axis(tuples), label="group")
    assert list(model.nodes_.index) == list(tuples) and (model.labels_ == expected.labels_).all()
    assert (clone(QUICK3).fit(ends, nodes=nodes[["height", "kind"]].set_axis(tuples), label=nodes.group.set_axis(tuples)[::-1]).labels_ == expected.labels_).all()


def test_row_of_sums():
    """A last row named Total with the sums of the rows above is no node, as in a table of the program: a warning
    names it. If edges lead to it, it is one."""
    random = np.random.default_rng(0)
    ids = [f"n{i:02}" for i in range(30)]
    nodes = pd.DataFrame({name: random.integers(1, 50, 30) for name in ("a", "b", "c")}, index=ids)
    total = pd.concat([nodes, pd.DataFrame([nodes.sum()], index=["Total"])])
    edges = pd.DataFrame({"source": np.repeat(ids, 3), "target": [ids[(i + step) % 30] for i in range(30) for step in (1, 2, 5)]})
    want = clone(QUICK3).fit(edges, nodes=nodes)
    with pytest.warns(AgeWarning, match=r'nodes: the last row, "Total,.* in row 30 \(from 0\), has the sums of the rows above and is left out'):
        got = clone(QUICK3).fit(edges, nodes=total)
    assert list(got.nodes_.index) == ids
    np.testing.assert_array_equal(got.labels_, want.labels_)
    new, of_new = pd.DataFrame({"a": [3], "b": [4], "c": [5]}, index=["new"]), pd.DataFrame({"source": ["new"], "target": ["n03"]})
    assert got.predict(new, edges=of_new) == want.predict(new, edges=of_new)
    joined = pd.concat([edges, pd.DataFrame({"source": ["n00"], "target": ["Total"]})])
    with pytest.warns(AgeWarning, match="it counts as any other row"):
        assert list(clone(QUICK3).fit(joined, nodes=total).nodes_.index) == [*ids, "Total"]


def test_names_of_databases(edges):
    expected = clone(QUICK3).fit(edges)
    for source, target in ((":START_ID(Person)", ":END_ID(Person)"), ("_from", "_to"), ("~from", "~to"), ("Start Node", "end-node")):
        assert (clone(QUICK3).fit(edges.set_axis([source, target], axis=1).assign(kind="x")).labels_ == expected.labels_).all()


def test_two_forms_of_a_name(edges):
    """They would be two nodes."""
    two = edges.replace({"n00": "\u00e9"})
    two.loc[0, "source"] = "e\u0301"
    with pytest.raises(ValueError, match=r"the ids '\\xe9' and 'e\\u0301' are one name in two forms of Unicode"):
        AGE().fit(two)


def test_dtypes_decide(edges, nodes):
    """What a column is known to be is not guessed from its values: strings of digits stay words, categories
    of integers categories, times dates, and numbers numbers."""
    i = np.arange(90)
    for name, column, features in (
        ("object of digits", pd.Series([str(10115 + v) for v in i % 4], dtype=object), 4),
        ("string of digits", pd.Series([str(10115 + v) for v in i % 4], dtype="string"), 4),
        ("integers", pd.Series(10115 + i % 4), 1),
        ("categories of integers", pd.Series(i % 4).astype("category"), 4),
        ("categories of 90 integers", pd.Series(i).astype("category"), 90),
        ("booleans", pd.Series(i % 3 == 0), 2),
        ("nullable booleans", pd.Series(i % 3 == 0, dtype="boolean"), 2),
        ("times", pd.Series(pd.date_range("2020-01-01", periods=90)), 1 + 2 + 7),
        ("times with a time zone", pd.Series(pd.date_range("2020-01-01", periods=90, tz="Europe/Berlin")), 1 + 2 + 7),
        ("dates", pd.Series(pd.date_range("2020-01-01", periods=90).date), 1 + 2 + 7),
        ("words", pd.Series(np.array(["red", "green", "blue"])[i % 3]), 3),
        ("text", pd.Series([f"word{v % 7} and word{v % 5} again" for v in i]), 7),
        ("lists that are text", pd.Series([f"[{v}, {v * v}]" for v in i % 7]), 2),
    ):
        model = clone(QUICK3).fit(edges, nodes=pd.DataFrame({"height": nodes.height, "own": column.set_axis(nodes.index)}))
        assert model.record_["features"] == 1 + features, name
    with pytest.warns(AgeWarning, match='column "own": left out, 90 different values in 90 rows are neither categories nor text'):
        clone(QUICK3).fit(edges, nodes=pd.DataFrame({"height": nodes.height, "own": [str(v) for v in 10115 + 7 * i]}, nodes.index))
    with pytest.warns(AgeWarning, match="numbers the rows"):
        clone(QUICK3).fit(edges, nodes=pd.DataFrame({"height": nodes.height, "row": i}, nodes.index))


def test_adjacency_frame(planted, nodes):
    """NetworkX's to_pandas_adjacency beside nodes= is read as a matrix: the same edges, also with the
    rows and the columns in another order."""
    matrix = nx.to_pandas_adjacency(planted)
    expected = clone(QUICK3).fit(matrix, nodes=nodes)
    assert expected.record_["edges"] == planted.number_of_edges()
    shuffled = clone(QUICK3).fit(matrix[matrix.columns[::-1]], nodes=nodes[::-1])
    assert (shuffled.labels_ == expected.labels_).all() and shuffled.nodes_.index.equals(expected.nodes_.index)


class Frame:
    """As a frame of polars, or a table of Arrow: without an index."""

    def __init__(self, table):
        self.table = table

    def to_pandas(self):
        return self.table.reset_index(drop=True)


@pytest.mark.parametrize("library", ["none", "polars", "pyarrow"])
def test_frames_of_others(edges, nodes, library):
    """Frames of polars and Arrow give what those of pandas give."""
    convert = Frame
    if library != "none":
        pytest.importorskip("pyarrow")
        module = pytest.importorskip(library)
        convert = module.from_pandas if library == "polars" else module.Table.from_pandas
    plain = nodes.rename_axis("id").reset_index()
    ends = edges[["source", "target"]]
    expected = clone(QUICK3).fit(ends, nodes=nodes, label="group")
    found = clone(QUICK3).fit(convert(ends), nodes=convert(plain), label="group")
    assert (found.labels_ == expected.labels_).all() and list(found.nodes_.index) == list(nodes.index)
    with pytest.raises(ValueError, match="nodes is a .* without an index: want a column named id"):
        AGE().fit(ends, nodes=convert(plain.drop(columns="id")))


def test_masked(planted):
    """Masked values are gaps: in a matrix no edge, in an attribute a missing number, in features an
    error that says so."""
    matrix = nx.to_numpy_array(planted)
    masked = np.ma.MaskedArray(np.where(matrix > 0, matrix, 7), mask=matrix == 0)
    x = np.random.default_rng(0).normal(size=(len(matrix), 3)).astype(np.float32)
    assert clone(QUICK3).set_params(input="adjacency").fit(masked, features=x).record_["edges"] == planted.number_of_edges()
    hidden = np.ma.MaskedArray(x, mask=np.eye(*x.shape, dtype=bool))
    for call in (lambda: AGE().fit(hidden), lambda: AGE(input="adjacency").fit(matrix, features=hidden)):
        with pytest.raises(ValueError, match="(?i)nan"):
            call()
    column = np.ma.MaskedArray([1.0, 2.0, 3.0], mask=[False, True, False])
    table, _ = _files.plain(pd.DataFrame({"a": [column, column]}), None)
    assert np.isnan(table["a"][0][1]) and table["a"][0][2] == 3


def test_self(edges, nodes, tmp_path):
    """A column may have the name of a parameter of Python's methods."""
    named = nodes.assign(me=nodes["kind"]).rename(columns={"me": "self"})
    model = clone(QUICK3).fit(edges, nodes=named)
    model.save(tmp_path / "run")
    assert "self" in AGE.load(tmp_path / "run").nodes_.columns


def test_rows_in_any_order(wine):
    """The nearest rows do not depend on the order of rows that are equal: of four kinds of rows, none
    has neighbors of another kind or many more neighbors than the others."""
    kinds = np.random.default_rng(3).integers(2, size=(120, 2)).astype(float)
    found = AGE(clusters=4, n_neighbors=6).fit(kinds)
    assert adjusted_rand_score(kinds @ [2, 1], found.labels_) == 1
