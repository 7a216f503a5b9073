"""AGE among scikit-learn's tools, its attributes, files and pages."""

import base64
import json
import pathlib
import pickle
import re
import warnings

import joblib
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import QUICK
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import agekit
from agekit import AGE, AgeError, AgeWarning, _html, _saved


def test_views():
    """The first example of the README."""
    model = AGE(clusters=2).fit(nx.karate_club_graph(), label="club")
    assert model.scores_["ari"] > 0.8 and model.n_clusters_ == 2 == len(model.clusters_)
    assert model.layers_ == model.record_["layers"] and model.k_ == model.record_["k"] and model.epoch_ == model.record_["epoch"]
    assert model.record_["view"] == "edges" and model.epoch_ == 0 and model.embedding_.shape[0] == 34
    assert (model.views_["edges"] == model.labels_).all() and list(model.views_.index) == list(model.nodes_.index)
    assert (model.nodes_["cluster"] == model.labels_).all() and set(model.nodes_["club"]) == {"Mr. Hi", "Officer"}


def test_given_settings(fitted):
    assert fitted.layers_ == 2 and fitted.record_["epochs"] == 10 and fitted.record_["view"] == "age"
    assert sum(c["size"] for c in fitted.clusters_) == len(fitted.labels_) == 60


def test_another_view(edges, nodes, tmp_path):
    """view= makes another view the result, of the same clusters. A saved run has them all."""
    usual = AGE(clusters=3).fit(edges, nodes=nodes.drop(columns="group"))
    assert usual.record_["view"] == "edges" and [*usual.views_] == ["features", "edges", "both"]
    for view in usual.views_:
        model = clone(usual).set_params(view=view).fit(edges, nodes=nodes.drop(columns="group"))
        assert model.record_["view"] == view and (model.views_[view] == model.labels_).all()
        for other in usual.views_:
            assert adjusted_rand_score(model.views_[other], usual.views_[other]) == 1
    model.save(tmp_path / "run")
    assert AGE.load(tmp_path / "run").views_.equals(model.views_)
    with pytest.raises(AgeError, match="^view is features: the graph has no features of its own: want edges$"):
        AGE(2, view="features").fit(edges)
    with pytest.raises(AgeError, match="^view: nearest: want features, edges, both, unlike or age$"):
        AGE(2, view="nearest").fit(edges)


def test_number_of_clusters(edges, nodes):
    """Without a number, a useful one is found, and nodes_ has half and twice as many."""
    model = AGE().fit(edges, nodes=nodes.drop(columns="group"))
    number = model.record_["number"]
    assert number["useful"] == model.n_clusters_ == 3
    for level in (number["coarser"], number["finer"]):
        assert model.nodes_[f"cluster of {level}"].nunique() == level


def test_little(monkeypatch):
    """What a run says of clusters that tell little is a warning."""
    graph = nx.karate_club_graph()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AGE(clusters=2).fit(graph)
    record = model.record_ | {"little_found": True, "summary": "Little was found."}
    monkeypatch.setattr(_saved.Run, "record", property(lambda _: record))
    with pytest.warns(AgeWarning, match="^Little was found.$"):
        model = AGE(clusters=2).fit(graph)
    assert "<p>Little was found.</p>" in model._repr_html_()


def test_random_state():
    graph = nx.connected_caveman_graph(2, 4)

    def fit(seed):
        return AGE(2, layers=1, epochs=1, random_state=seed).fit(graph)

    assert fit(7).record_["seed"] == 7 and (fit(7).embedding_ == fit(7).embedding_).all()
    same = [fit(np.random.RandomState(0)).record_["seed"] for _ in range(2)]
    assert same[0] == same[1] and fit(None).record_["seed"] != fit(None).record_["seed"]


def test_wrong_arguments(wine):
    """Errors have the names of Python's arguments."""
    _, x, _ = wine
    for wrong, said in [
        ({"clusters": 100}, "^clusters is 100: want at most 89, half the number of nodes"),
        ({"clusters": "3"}, "^clusters is '3': want an integer, two of them as a range, or 'auto'$"),
        ({"clusters": 1}, "^clusters: 1: want a number, 2 or more, a range such as 4..20, or auto$"),
        ({"layers": -1}, "^layers is -1: want 0 to"),
        ({"layers": 1.5}, "^layers is 1.5: want an integer$"),
        ({"k": "x"}, "^k is 'x': want a number or 'auto'$"),
        ({"k": -1}, "^k is -1: want a positive number or auto$"),
        ({"epochs": 0}, "^epochs is 0: want 1 or more$"),
        ({"n_neighbors": 0}, "^n_neighbors is 0: want an integer, 1 or more$"),
        ({"random_state": -1}, "^random_state is -1: want 0 or more$"),
    ]:
        with pytest.raises(ValueError, match=said):
            AGE(**wrong).fit(x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'seed'"):
        AGE(seed=1)
    with pytest.raises(AgeError, match="^features: all features are 0"):
        AGE(2).fit(nx.path_graph(6), features=np.zeros((6, 2)))
    with pytest.warns(AgeWarning, match=r"^column \"row\": left out, it numbers the rows .*; nodes.set_index\(\"row\"\) makes it the ids, "):
        AGE(2).fit(nx.path_graph(6), nodes=pd.DataFrame({"row": range(6)}))


def test_features_alone(wine):
    model, x, y = wine
    assert adjusted_rand_score(y[::2], model.labels_) > 0.8
    frame = pd.DataFrame(x, index=[f"w{i}" for i in range(len(x))]).set_axis([f"c{i}" for i in range(13)], axis=1)
    framed = AGE(3, **QUICK).fit(frame[::2], label=pd.Series(y, frame.index)[::2])
    assert (framed.labels_ == model.labels_).all() and framed.scores_["ari"] > 0.8
    assert framed.nodes_.index[1] == "w2" and list(framed.feature_names_in_) == list(frame.columns)
    assert (framed.predict(frame) == model.predict(x)).all()


def test_pipeline(wine):
    """With a step before it and one after."""
    _, x, y = wine
    pipeline = make_pipeline(PCA(5), AGE(3, **QUICK), StandardScaler(), LogisticRegression()).fit(x[::2], y[::2])
    assert pipeline.score(x[1::2], y[1::2]) > 0.8
    names = pipeline[:2].set_output(transform="pandas").fit_transform(x).columns
    assert names[0] == "age0" and len(names) == pipeline[1].embedding_.shape[1]


def test_grid_search(wine):
    """In parallel, in which models are pickled."""
    _, x, y = wine
    search = GridSearchCV(AGE(3, epochs=10), {"layers": [1, 2]}, scoring="adjusted_rand_score", cv=StratifiedKFold(2), n_jobs=2).fit(x[::2], y[::2])
    assert search.best_score_ > 0.5 and search.best_estimator_.layers_ == search.best_params_["layers"]


def test_cross_val_predict(wine):
    _, x, y = wine
    found = cross_val_predict(AGE(3, **QUICK), x[::2], cv=2)
    assert found.shape == (89,) and set(found) <= {0, 1, 2}
    shares = cross_val_predict(AGE(3, **QUICK), x[::2], cv=2, method="predict_proba")
    assert np.allclose(shares.sum(axis=1), 1) and (shares.argmax(axis=1) == found).all()


def test_joblib(wine):
    model, x, _ = wine
    again = joblib.Parallel(n_jobs=2)(joblib.delayed(model.predict)(part) for part in (x[:20], x[20:]))
    assert (np.concatenate(again) == model.predict(x)).all()
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "labels_")


def test_pickle(wine):
    model, x, _ = wine
    again = pickle.loads(pickle.dumps(model))
    assert again.assign(x).equals(model.assign(x)) and (again.transform(x) == model.transform(x)).all()


@pytest.mark.parametrize("rows", ["dense", "sparse"])
def test_save_rows(wine, tmp_path, rows):
    _, x, _ = wine
    x = x if rows == "dense" else sp.csr_array(np.where(x > np.median(x, axis=0), x, 0))
    model = AGE((3, 3), **QUICK).fit(x[::2])
    model.save(tmp_path / "saved")
    again = AGE.load(tmp_path / "saved")
    assert again.get_params() == model.get_params() and again.n_features_in_ == 13
    assert again.assign(x).equals(model.assign(x)) and (again.predict_proba(x) == model.predict_proba(x)).all()


def test_save_graph(fitted, planted, tmp_path):
    fitted.save(tmp_path / "saved")
    fitted.save(tmp_path / "saved")  # in its place
    again = AGE.load(tmp_path / "saved")
    pd.testing.assert_frame_equal(again.nodes_, fitted.nodes_, check_names=False)
    assert again.scores_ == fitted.scores_ and again.clusters_ == fitted.clusters_
    assert again.assign(planted).equals(fitted.assign(planted)) and (again.embedding_ == fitted.embedding_).all()
    assert sorted(p.name for p in (tmp_path / "saved").iterdir()) == ["embeddings.npy", "labels.txt", "log.txt", "model.npz", "nodes.csv", "python.npz", "run.json", "run.manifest.json"]
    with pytest.raises(AgeError, match="has no run.manifest.json: want the folder that agekit fit --out or AGE.save wrote"):
        AGE.load(tmp_path)


def test_save_verified(fitted, tmp_path):
    """agekit verify knows what save wrote, and save replaces nothing else."""
    saved = tmp_path / "saved"
    fitted.save(saved)
    found = json.loads(agekit._program.run(["verify", str(saved), "--json"]))
    assert {f["state"] for f in found["files"]} == {"ok"} and len(found["files"]) == 8
    for name in ("nodes.csv", "run.manifest.json"):
        before = (saved / name).read_bytes()
        (saved / name).write_bytes(before + b" ")
        with pytest.raises(AgeError, match=f"path: .*{name}:? (is there, and is not as a run wrote it|changed since it was written)"):
            fitted.save(saved)
        assert (saved / name).read_bytes() == before + b" "
        (saved / name).write_bytes(before)
    (tmp_path / "labels.txt").write_text("important")
    with pytest.raises(AgeError, match="labels.txt is there"):
        fitted.save(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["labels.txt", "saved"]


def test_save_leaves_others(fitted, tmp_path):
    """Files of others stay, whatever their names, and links are not followed."""
    saved, thesis = tmp_path / "saved", tmp_path / "thesis.txt"
    saved.mkdir()
    thesis.write_text("mine")
    for name in ("labels.txt.new", "run.manifest.json.new", ".agekit-notes.tmp"):
        (saved / name).write_text("mine")
    (saved / "nodes.csv.new").symlink_to(thesis)
    fitted.save(saved)
    assert AGE.load(saved).scores_ == fitted.scores_
    assert thesis.read_text() == "mine" and (saved / "nodes.csv.new").is_symlink()
    assert all((saved / name).read_text() == "mine" for name in ("labels.txt.new", "run.manifest.json.new", ".agekit-notes.tmp"))
    (saved / "log.txt").unlink()
    (saved / "log.txt").symlink_to(thesis)
    with pytest.raises(AgeError, match="log.txt is a symbolic link"):
        fitted.save(saved)
    assert thesis.read_text() == "mine"


def test_save_finishes(edges, nodes, tmp_path):
    """What a killed save left half moved is finished when the folder is read, and a folder that is being written
    to by two is one run."""
    saved = tmp_path / "saved"
    models = [AGE(clusters, **QUICK).fit(edges, nodes=nodes) for clusters in (2, 3)]
    models[1].save(saved)
    (saved / ".agekit-new").mkdir()
    for name in ("labels.txt", "run.json", "run.manifest.json"):
        (saved / name).rename(saved / ".agekit-new" / name)
    assert (AGE.load(saved).labels_ == models[1].labels_).all() and not (saved / ".agekit-new").exists()
    joblib.Parallel(n_jobs=2)(joblib.delayed(model.save)(saved) for model in models * 5)
    assert AGE.load(saved).n_clusters_ in (2, 3)


def test_save_texts(edges, nodes, tmp_path):
    """Texts that begin like formulas, and the word NA, are what they were."""
    texts = np.array(["=1+2", "'=x", "NA", "-1|b!c", "plain", "None"])[np.arange(90) % 6]
    model = AGE(clusters=3, **QUICK).fit(edges, nodes=nodes.assign(**{"=note": texts}))
    model.save(tmp_path / "run")
    again = AGE.load(tmp_path / "run")
    pd.testing.assert_frame_equal(again.nodes_, model.nodes_, check_dtype=False)


def test_load_one_run(edges, nodes, tmp_path):
    """The files of two runs are no model."""
    for clusters in (2, 3):
        AGE(clusters, **QUICK).fit(edges, nodes=nodes).save(tmp_path / str(clusters))
    for name in ("labels.txt", "model.npz", "run.json"):
        before = (tmp_path / "2" / name).read_bytes()
        (tmp_path / "2" / name).write_bytes((tmp_path / "3" / name).read_bytes())
        with pytest.raises(ValueError, match=f"{name} is not as the run of run.manifest.json wrote it: want the files of one run"):
            AGE.load(tmp_path / "2")
        (tmp_path / "2" / name).write_bytes(before)


def test_load_run_of_the_program(planted, edges, nodes, tmp_path):
    """What agekit fit --out wrote."""
    edges.to_csv(tmp_path / "edges.csv", index=False)
    nodes.to_csv(tmp_path / "nodes.csv", index_label="name")
    settings = ["--clusters=3", "--layers=2", "--epochs=10"]
    agekit._program.run(["fit", "--nodes", f"{tmp_path}/nodes.csv", "--edges", f"{tmp_path}/edges.csv", "--label=group", *settings, "--out", f"{tmp_path}/run"])
    model = AGE.load(tmp_path / "run")
    same = AGE(3, **QUICK).fit(edges, nodes=nodes, label="group")
    assert list(model.nodes_.index) == list(nodes.index) and (model.labels_ == same.labels_).all() and model.scores_ == same.scores_
    planted = planted.copy()
    planted.add_node("new", height=4.0, kind="blue")
    planted.add_edges_from(("new", v) for v in list(planted)[60:70])
    assert model.assign(planted).equals(same.assign(planted))


def test_report(fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = fitted.report()
    assert page == tmp_path / "report.html" and "Map of the nodes" in page.read_text(encoding="utf-8")
    assert fitted.report("other.html").name == "other.html"
    with pytest.raises(AgeError, match="^path: "):
        fitted.report(tmp_path / "no" / "folder.html")


def test_html(fitted):
    """A notebook shows a dot for each node, and a row for each cluster."""
    page = fitted._repr_mimebundle_()["text/html"]
    assert page == fitted._repr_html_()
    picture = base64.b64decode(re.search('src="data:image/svg[+]xml;base64,([^"]*)"', page)[1]).decode()
    for c in fitted.clusters_:
        assert picture.count(f'fill="{_html.COLORS[c["cluster"]]}"') == c["size"]
    assert page.count("<tr>") == 4 and fitted.clusters_[0]["central"][0] in page
    assert "AGE" in AGE()._repr_html_() and "Map" not in AGE()._repr_html_()


def test_colors():
    """They are the program's."""
    source = pathlib.Path(__file__).parents[2] / "agekit" / "figure" / "palette" / "palette.go"
    listed = source.read_text(encoding="utf-8").split("var Colors", 1)[1].split("}", 1)[0].split("{", 1)[1]
    assert re.findall(r"#[0-9a-f]{6}", listed) == _html.COLORS


def test_version():
    """It is that of the archives: the newest in CHANGELOG.md."""
    changelog = (pathlib.Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert agekit.__version__ == [*re.findall(r"\n## \[(\d.*)\]", changelog), "0+unreleased"][0]


@parametrize_with_checks([AGE(clusters=2, layers=1, epochs=2)])
def test_sklearn(estimator, check):
    check(estimator)
