"""Computes the golden figures of the tests, without using any of the Go code.

    make golden                                   # checks the committed figures
    python scripts/golden.py --data DIR --out DIR # writes them as the packages' testdata files
    python scripts/golden.py --data DIR --check agekit

DIR of --data (default: $AGEKIT_DATA) holds cora/, citeseer/, pubmed/ and wiki/ as the
original sources serve them. Inputs drawn once (labelings, point clouds, layouts)
are read from the committed files; every figure is recomputed with numpy, scipy
and scikit-learn in float64. docs/golden.md defines each figure.
"""

import argparse
import functools
import hashlib
import json
import os
import pickle
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.manifold import TSNE, _t_sne, trustworthiness
from sklearn.metrics import (adjusted_rand_score, average_precision_score, confusion_matrix,
                             davies_bouldin_score, f1_score, normalized_mutual_info_score, roc_auc_score)
from sklearn.neighbors import NearestNeighbors

ROOT = Path(__file__).resolve().parent.parent / "agekit"

warnings.filterwarnings("ignore", message=".*scipy.sparse.csr", category=DeprecationWarning)  # the pickles name it

# The settings of the paper's table 5 that the figures depend on.
LAYERS = {"cora": 8, "citeseer": 3, "wiki": 1}
FIRST_POSITIVES = {"cora": 0.011, "citeseer": 0.0015, "wiki": 0.0011}
FIRST_NEGATIVES = 0.1  # all pairs except this share are negative


class DataSet:
    """A graph as the paper's code sees it: binary, symmetric, without loops."""

    def __init__(self, name, folder):
        self.name = name
        self.a, self.x, self.y = (read_wiki if name == "wiki" else read_planetoid)(Path(folder), name)
        self.n, self.classes = len(self.y), len(set(self.y))
        degree = np.asarray(self.a.sum(1)).ravel() + 1
        scale = sp.diags_array(degree**-0.5)
        self.laplacian = (sp.eye_array(self.n) - scale @ (self.a + sp.eye_array(self.n)) @ scale).tocsr()

    @functools.cached_property
    def eigenvalues(self):
        return np.linalg.eigvalsh(self.laplacian.toarray())

    def smooth(self, k, layers):
        x = self.x.toarray()
        for _ in range(layers):
            x = x - k * (self.laplacian @ x)
        return x


def pinned(folder, path):
    """The file's bytes, if they have the pinned hash: a pickle can run code."""
    data = (folder / path).read_bytes()
    pins = {}
    for source in (ROOT / "dataset").glob("*.go"):  # of Planetoid's files they have the ends
        for name, digest in re.findall(r'\{"([^"]+)", \d+, "([0-9a-f]+)"\}', source.read_text()):
            pins[name if "/" in name else f"{source.stem}/ind.{source.stem}.{name}"] = digest
    found = hashlib.sha256(data).hexdigest()
    if found != pins[path]:
        sys.exit(f"golden.py: {folder / path} has SHA-256 {found}, want {pins[path]}")
    return data


def adjacency(n, edges):
    u, v = np.array(edges).T
    a = sp.coo_array((np.ones(len(u)), (u, v)), (n, n)).tocsr()
    a = sp.csr_array((a + a.T) > 0, dtype=float)
    a.setdiag(0)
    a.eliminate_zeros()
    return a


def read_planetoid(folder, name):
    def part(suffix):
        return pinned(folder, f"{name}/ind.{name}.{suffix}")

    allx, ally, tx, ty, graph = (pickle.loads(part(s), encoding="latin1") for s in ("allx", "ally", "tx", "ty", "graph"))
    test = np.array(part("test.index").split(), dtype=int)
    # Citeseer's 15 nodes outside both parts keep zero features and class 0.
    n = len(graph)
    x, y = sp.lil_array((n, allx.shape[1])), np.zeros(n, int)
    x[:allx.shape[0]], x[test] = allx, tx
    y[:len(ally)], y[test] = ally.argmax(1), ty.argmax(1)
    return adjacency(n, [(u, v) for u, near in graph.items() for v in near]), x.tocsr(), y


def read_wiki(folder, _):
    def table(path):
        return np.array(pinned(folder, path).split(), dtype=float)

    y = np.unique(table("wiki/group.txt").reshape(-1, 2)[:, 1], return_inverse=True)[1]
    edges = table("wiki/graph.txt").reshape(-1, 2).astype(int)
    i, j, value = table("wiki/tfidf.txt").reshape(-1, 3).T
    x = sp.coo_array((value, (i.astype(int), j.astype(int))), (len(y), int(j.max()) + 1)).tocsr()
    top = x.max(0).toarray().ravel()
    return adjacency(len(y), edges), (x @ sp.diags_array(1 / np.where(top > 0, top, 1))).tocsr(), y


def accuracy_and_f1(truth, found):
    """Accuracy and macro F1 under the best one-to-one assignment of clusters to classes."""
    table = confusion_matrix(truth, found)
    classes, clusters = linear_sum_assignment(-table)
    of = dict(zip(clusters, classes))
    renamed = [of[c] for c in found]
    return table[classes, clusters].sum() / len(truth), f1_score(truth, renamed, average="macro")


def scores(truth, found):
    return [accuracy_and_f1(truth, found)[0], normalized_mutual_info_score(truth, found), adjusted_rand_score(truth, found)]


# One function per file of figures. A function for a data set takes a DataSet; the
# others take the committed file, for its inputs.


def statistics(d):
    degree = np.asarray(d.a.sum(1)).ravel()
    return {
        "nodes": d.n, "edges_distinct_no_loops": d.a.nnz // 2, "features": d.x.shape[1], "nnz": d.x.nnz,
        "classes": d.classes, "class_sizes": np.bincount(d.y), "degree_max": int(degree.max()),
        "isolated": int((degree == 0).sum()),
    }


def spectrum(d):
    values = d.eigenvalues
    # Some eigenvalues lie on bin edges, 0, 1/2 and 1 with high multiplicity: without
    # rounding, the last digits would decide which bin they fall into.
    counts = np.histogram(np.abs(values.round(9)), 40, (0, 2))[0]
    return {
        "nodes": d.n, "lambda_max": values[-1],
        "eigenvalue_quantiles": {f"{q:.2f}": np.quantile(values, q) for q in (0, .05, .1, .25, .5, .75, .9, .95, 1)},
        "eigenvalue_sum": values.sum(), "multiplicity_of_zero": int((np.abs(values) < 1e-9).sum()),
        "eigenvalue_histogram": counts,
    }


def smoothing(d):
    lambda_max, rnd = d.eigenvalues[-1], np.random.RandomState(11)
    columns = np.argsort(-np.asarray(d.x.sum(0)).ravel(), kind="stable")[:5]  # the heaviest words
    figures = {}
    for label, k in (("2/3", 2 / 3), ("1/lambda_max", 1 / lambda_max), ("1", 1), ("1/2", 1 / 2)):
        for layers in sorted({1, LAYERS[d.name]}):
            x = d.smooth(k, layers)
            i, j = rnd.randint(0, x.shape[0], 40), rnd.randint(0, x.shape[1], 40)
            figures[f"k={label},t={layers}"] = {
                "frobenius": np.linalg.norm(x), "sum": x.sum(), "nonzeros": int((x > 1e-12).sum()),
                "entries": [[a, b, x[a, b]] for a, b in zip(i, j)],
                "rayleigh_of_columns": [[c, x[:, c] @ (d.laplacian @ x[:, c]) / (x[:, c] @ x[:, c])] for c in columns],
            }
    return {"source": SOURCE, "lambda_max": lambda_max, "smoothed": figures}


def selection(d):
    x = d.smooth(2 / 3, LAYERS[d.name])
    norm = np.linalg.norm(x, axis=1, keepdims=True)
    x = x / np.where(norm > 0, norm, 1)
    s = x @ x.T
    ranked = np.sort(s.ravel())[::-1]
    positives = round(FIRST_POSITIVES[d.name] * d.n**2)
    negatives = round((1 - FIRST_NEGATIVES) * d.n**2)
    return {
        "r_pos": positives, "positives": positives,
        "similarity_at_r_pos": ranked[positives - 1], "next_below": ranked[positives],
        "negatives": negatives, "similarity_at_r_neg": ranked[-negatives],
        "diagonal_among_positives": int((np.diag(s) >= ranked[positives - 1]).sum()),
        "distinct_similarity_one": int((s > 1 - 1e-9).sum()),
    }


def clustering(d, committed):
    before = next(c for c in committed["datasets"] if c["name"] == d.name)
    x, raw = d.smooth(2 / 3, LAYERS[d.name]), d.x.toarray()

    def spectral(affinity, seed):
        return SpectralClustering(d.classes, affinity="precomputed", random_state=seed).fit_predict(affinity)

    gram = x @ x.T
    runs = np.array([scores(d.y, spectral(gram, seed)) for seed in range(5)]).T
    return {
        "name": d.name, "layers": LAYERS[d.name], "clusters": d.classes, "pred": before["pred"],
        "dbi_gram": davies_bouldin_score(gram, before["pred"]), "dbi": davies_bouldin_score(x, before["pred"]),
        "spectral_smoothed": dict(zip(("acc", "nmi", "ari"), runs)),
        "kmeans_raw": [scores(d.y, KMeans(d.classes, init="random", n_init=10, random_state=seed).fit_predict(raw)) for seed in range(3)],
        "spectral_features": scores(d.y, spectral(raw @ raw.T, 0)),
    }


def structure(d):
    for rule in ("labels", "stripes"):
        found = d.y if rule == "labels" else np.arange(d.n) * 7919 // 13 % d.classes
        of = np.eye(d.classes)[found]
        between = of.T @ (d.a @ of) / d.a.sum()  # share of edge ends between each pair of clusters
        acc, f1 = accuracy_and_f1(d.y, found)
        yield {
            "dataset": d.name, "rule": rule, "modularity": np.trace(between) - (between.sum(1) ** 2).sum(),
            "conductance": 1 - np.trace(between), "accuracy": acc, "macro_f1": f1,
        }


def step(d, committed):
    """Loss and gradients of one training step, with gradients by central differences."""
    x, hidden = d.smooth(2 / 3, LAYERS[d.name]), 16
    w = 0.05 * np.sin(0.37 * np.arange(x.shape[1] * hidden)).reshape(-1, hidden)
    b = 0.01 * np.cos(0.91 * np.arange(hidden))
    k = np.arange(200)
    i, j, label = 17 * k % d.n, (31 * k + 5) % d.n, k % 2

    def similarities(w, b):
        z = x @ w + b
        low, high = z.min(1, keepdims=True), z.max(1, keepdims=True)
        z = (z - low) / (high - low)
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        return (z[i] * z[j]).sum(1)

    losses = {
        "logits": lambda s: np.mean(np.logaddexp(0, s) - label * s),
        "probability": lambda s: -np.mean(label * np.log(s) + (1 - label) * np.log(1 - s)),
    }
    out = {key: committed[key] for key in ("source", "weights", "pairs", "input", "min_max")}
    for name, loss in losses.items():
        def slope(array, at, h=1e-5):
            value, ends = array[at], []
            for array[at] in (value - h, value + h):
                ends.append(loss(similarities(w, b)))
            array[at] = value
            return (ends[1] - ends[0]) / (2 * h)

        s, before = similarities(w, b), committed[name]
        out[name] = {
            "loss": loss(s), "first_similarities": s[:10],
            "grad_W": [[r, c, slope(w, (r, c))] for r, c, _ in before["grad_W"]],
            "grad_b": [[c, slope(b, c)] for c, _ in before["grad_b"]],
        }
    return out


def metrics(committed):
    clustering = [{"true": c["true"], "pred": c["pred"], **dict(zip(("acc", "nmi", "ari"), scores(c["true"], c["pred"])))}
                  for c in committed["clustering"]]
    ranking = [{"label": c["label"], "score": c["score"], "auc": roc_auc_score(c["label"], c["score"]),
                "ap": average_precision_score(c["label"], c["score"])} for c in committed["ranking"]]
    return {"source": "scikit-learn", "clustering": clustering, "ranking": ranking}


def davies_bouldin(committed):
    cases = [{"x": c["x"], "pred": c["pred"], "dbi": davies_bouldin_score(c["x"], c["pred"])} for c in committed["cases"]]
    return {"source": committed["source"], "cases": cases}


def tsne(committed):
    """The steps of scikit-learn's Barnes-Hut t-SNE at the committed layout, and a whole run."""
    out, perplexity = dict(committed), committed["perplexity"]
    x, y = np.array(committed["x"], np.float32), np.array(committed["y"])
    # scikit-learn asks for 3·perplexity + 1 neighbors besides the point itself.
    near = NearestNeighbors(n_neighbors=int(3 * perplexity + 1)).fit(x).kneighbors_graph(mode="distance")
    near.data **= 2
    p = _t_sne._joint_probabilities_nn(near, perplexity, 0).toarray()
    out["p_first_rows"] = p[:10]
    kl, gradient = _t_sne._kl_divergence(y.ravel(), squareform(p, checks=False), 1, len(x), 2)
    out["kl_at_y"], out["grad_at_y"] = kl, gradient.reshape(-1, 2)
    run = TSNE(perplexity=perplexity, init="random", random_state=0)
    out["final_trustworthiness"] = trustworthiness(x, run.fit_transform(x), n_neighbors=10)
    out["final_kl"] = run.kl_divergence_
    return out


SOURCE = "numpy, scipy, scikit-learn"


def compute(data):
    """All files, by their path under agekit."""
    def committed(path):
        return json.loads((ROOT / path).read_text())

    files = {
        "metric/testdata/metrics.json": metrics(committed("metric/testdata/metrics.json")),
        "cluster/testdata/daviesbouldin.json": davies_bouldin(committed("cluster/testdata/daviesbouldin.json")),
        "tsne/testdata/sklearn.json": tsne(committed("tsne/testdata/sklearn.json")),
        "dataset/testdata/golden.json": {"source": SOURCE + " from the original files"},
        "laplacian/testdata/spectrum.json": {},
        "pairs/testdata/selection.json": {},
        "cluster/testdata/datasets.json": {"source": SOURCE + " on the features smoothed with k = 2/3", "datasets": []},
        "metric/testdata/structure.json": committed("metric/testdata/structure.json") | {"cases": []},
    }
    # Too large for what needs an n×n matrix.
    files["dataset/testdata/golden.json"]["pubmed"] = statistics(DataSet("pubmed", data))
    for name in LAYERS:
        print(f"computing {name}", file=sys.stderr)
        d = DataSet(name, data)
        files["dataset/testdata/golden.json"][name] = statistics(d)
        files["laplacian/testdata/spectrum.json"][name] = spectrum(d)
        files[f"laplacian/testdata/{name}.json"] = smoothing(d)
        files["pairs/testdata/selection.json"][name] = selection(d)
        files["cluster/testdata/datasets.json"]["datasets"].append(clustering(d, committed("cluster/testdata/datasets.json")))
        files["metric/testdata/structure.json"]["cases"] += structure(d)
        if name == "cora":
            files["encoder/testdata/step.json"] = step(d, committed("encoder/testdata/step.json"))
    return {path: plain(content) for path, content in sorted(files.items())}


def plain(value):
    """Converts numpy's types to JSON's, with numbers to twelve digits."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.12g}")
    return int(value) if isinstance(value, np.integer) else value


# How far a figure may be from the committed one: relative, absolute, or, for runs
# with random starts, beyond the range of the committed runs. The first pattern that
# matches the figure's path applies.
TOLERANCES = [
    (r"/(source|made_with)$", "text", None),
    (r"eigenvalue_quantiles", "absolute", 1e-7),
    (r"eigenvalue_histogram$", "histogram", None),
    (r"similarity_at|next_below", "absolute", 1e-7),  # printed to 8 digits
    (r"grad_[Wb]$", "relative", 5e-6),  # printed to 6 digits
    (r"p_first_rows", "absolute", 1e-10),
    (r"spectral_smoothed/", "range", 0.015),
    (r"spectral_features", "range", 0.05),
    (r"kmeans_raw", "range", 0.1),  # whose settings were not recorded
    (r"final_kl$", "absolute", 0.04),
    (r"final_trustworthiness$", "absolute", 0.01),
    (r"", "relative", 1e-8),
]


def deviation(kind, got, want):
    """The largest deviation of got from want, in the sense of kind."""
    if kind == "text":
        return 0.0
    got, want = np.array(got), np.array(want)
    if got.shape != want.shape or got.dtype.kind in "US":
        return 0.0 if np.array_equal(got, want) else np.inf
    if kind == "histogram":  # bins that meet at an eigenvalue are counted together
        at = (9, 14, 15, 19, 24, 25)  # 1/2, 3/4, 4/5, 1, 5/4, 13/10
        got, want = (np.delete(h.cumsum(), at) for h in (got, want))
        return np.abs(got - want).max()
    if kind == "range":  # of the runs, column by column
        got, want = np.atleast_2d(got.T).T, np.atleast_2d(want.T).T
        return max((want.min(0) - got).max(), (got - want.max(0)).max(), 0.0)
    difference = np.abs(got - want)
    if kind == "relative":
        difference = difference / np.maximum(np.abs(want), 1e-6)
    return difference.max(initial=0.0)


def figures(value, path=""):
    """Pairs (path, number or list) of all figures in a file."""
    if isinstance(value, list) and any(isinstance(v, dict) for v in value):
        value = {f"{i}": v for i, v in enumerate(value)}
    if not isinstance(value, dict):
        yield path, value
        return
    for key, v in value.items():
        yield from figures(v, f"{path}/{key}")


def check(files, folder):
    """Compares with the files in folder; returns the number of figures that differ."""
    bad = 0
    for path, content in files.items():
        got, want = dict(figures(content)), dict(figures(json.loads((folder / path).read_text())))
        for key in sorted(got.keys() ^ want.keys()):
            print(f"{path}{key}: only in {'the computed' if key in got else 'the committed'} file")
        bad, worst = bad + len(got.keys() ^ want.keys()), {}
        for key in [k for k in got if k in want]:
            kind, bound = next((kind, bound) for pattern, kind, bound in TOLERANCES if re.search(pattern, key))
            d = deviation(kind, got[key], want[key])
            if not d <= (bound or 0):  # so that NaN differs
                bad += 1
                print(f"{path}{key}: {kind} deviation {d:.3g}, tolerance {bound or 0:g}")
            group = re.sub(r"/\d+(?=/|$)", "", key)
            worst[group] = max(worst.get(group, (0.0, kind, bound)), (d, kind, bound), key=lambda w: w[0])
        for group, (d, kind, bound) in worst.items():
            if kind != "text":
                print(f"  {path}{group}: {kind} deviation {d:.2g} of {bound or 0:g}")
    return bad


def main():
    parser = argparse.ArgumentParser(description="Make or check the golden figures of the tests.")
    parser.add_argument("--data", default=os.environ.get("AGEKIT_DATA"), help="folder of the data sets (default: $AGEKIT_DATA)")
    parser.add_argument("--out", type=Path, help="write the files under this folder")
    parser.add_argument("--check", type=Path, help="compare with the files under this folder")
    args = parser.parse_args()
    if not args.data or not (args.out or args.check):
        parser.error("needs --data (or AGEKIT_DATA) and --out or --check")
    files = compute(args.data)
    for path, content in files.items() if args.out else ():
        target = args.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(content) + "\n")
    if args.check and (bad := check(files, args.check)):
        sys.exit(f"golden.py: {bad} figures differ")


if __name__ == "__main__":
    main()
