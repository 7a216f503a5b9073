"""AGE as an estimator of scikit-learn."""

import json
import numbers
import pathlib
import shutil
import tempfile

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _graph
from ._program import run


class AGE(ClusterMixin, BaseEstimator):
    """Embeds and clusters an attributed graph.

    Parameters
    ----------
    clusters : int, (int, int) or "auto"
        Number of clusters, a range to choose from, or "auto" (2 to 20).
    layers : int or None
        t, the number of times that the filter is applied. This and the following
        settings switch off the choice of settings; None leaves them alone.
    k : float or None
        k of the filter I − kL.
    epochs : int or None
        Passes over the positive pairs.
    best : bool
        Best mode: three trainings and a consensus of clusterings.
    n_neighbors : int
        Neighbors of each row if fit gets features without a graph.
    seed : int
        Seed of all random choices.
    verbose : bool
        Show the program's progress on stderr.

    Attributes
    ----------
    labels_ : array of shape (n,)
        The cluster of each node, from 0.
    embedding_ : array of shape (n, d)
    nodes_ : DataFrame
        For each node, by its id: your columns, cluster, confidence, outlier, x and y.
    clusters_ : list of dict
        What sets each cluster apart, its central nodes and neighboring clusters.
    report_ : dict
        The record of the run, as `agekit fit --json` prints it.
    """

    def __init__(self, clusters="auto", *, layers=None, k=None, epochs=None, best=False, n_neighbors=10, seed=1, verbose=False):
        self.clusters = clusters
        self.layers = layers
        self.k = k
        self.epochs = epochs
        self.best = best
        self.n_neighbors = n_neighbors
        self.seed = seed
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y=None, *, features=None, nodes=None):
        """Fits a graph; see agekit._graph.read for what X may be. y is ignored."""
        if _graph.is_features(X, features, nodes):
            X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=4)
        graph = _graph.read(X, features, nodes, self.n_neighbors)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="agekit-"))
        try:
            out = folder / "out"
            run(["fit", "--out", str(out), *graph.write(folder), *self._settings()], self.verbose)
            self.report_ = json.loads((out / "run.json").read_text(encoding="utf-8"))
            self._folder = _Folder(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self.clusters_ = self.report_["clusters"]
        self.embedding_ = np.load(out / "embeddings.npy")
        self.nodes_ = pd.read_csv(out / "nodes.csv").iloc[:, 1:]
        self.nodes_.index = graph.index
        self.labels_ = np.loadtxt(out / "labels.txt", dtype=np.int64, ndmin=1)
        self._alone = None if graph.scaler is None else (graph.scaler, graph.features)
        return self

    def assign(self, nodes=None, *, edges=None, features=None):
        """Returns the clusters of nodes that were not there in fit, with a confidence,
        as a DataFrame. The old nodes keep theirs.

        nodes is a DataFrame with the columns of fit's nodes and new ids as its index,
        edges one with two ids, of old or new nodes, and perhaps ``weight``. features has
        the rows of the new nodes if fit had features; without nodes, their ids go on
        after those of fit, n, n + 1, …. After a fit of features alone, nodes may be an
        array of more rows, which are joined to the nearest rows of fit.
        """
        table = self._new("predict", "clusters.csv", nodes, edges, features, pd.read_csv)
        if isinstance(nodes, pd.DataFrame):
            table.index = nodes.index
        return table[["cluster", "confidence"]]

    def embed(self, nodes=None, *, edges=None, features=None):
        """Returns the rows of the embedding of new nodes, given as for assign."""
        return self._new("embed", "embedding.npy", nodes, edges, features, np.load)

    def _new(self, command, out, nodes, edges, features, read):
        check_is_fitted(self)
        if self._alone and features is None:
            scaler, known = self._alone
            nodes, features = None, scaler.transform(validate_data(self, nodes, accept_sparse="csr", reset=False))
            if edges is None:
                edges = _graph.nearest(known, features, self.n_neighbors)
        with tempfile.TemporaryDirectory(prefix="agekit-") as folder:
            folder = pathlib.Path(folder)
            new = _graph.write_new(folder, self.nodes_.index, nodes, edges, features)
            run([command, "--model", str(self._folder.path / "out" / "model.npz"), *new, "--out", str(folder / out)], self.verbose)
            return read(folder / out)

    def _settings(self):
        if self.clusters == "auto":
            clusters = "auto"
        elif isinstance(self.clusters, numbers.Integral):
            clusters = str(int(self.clusters))
        else:
            low, high = self.clusters
            clusters = f"{low}..{high}"
        arguments = ["--clusters", clusters, "--seed", str(self.seed)]
        for name in ("layers", "k", "epochs"):
            if getattr(self, name) is not None:
                arguments += [f"--{name}", str(getattr(self, name))]
        return arguments + (["--best"] if self.best else [])

    def fit_transform(self, X, y=None, **options):
        """Fits a graph and returns its embedding."""
        return self.fit(X, y, **options).embedding_

    def save(self, path):
        """Copies the model to a file, for agekit predict and agekit embed."""
        check_is_fitted(self)
        shutil.copyfile(self._folder.path / "out" / "model.npz", path)

    def report(self, path):
        """Writes one HTML page of the result, which needs no network."""
        check_is_fitted(self)
        run(["report", str(self._folder.path / "out"), "--out", str(path)], self.verbose)


class _Folder:
    """A folder that is removed with its owner. A pickle has the files of the run."""

    def __init__(self, path):
        self.path = path

    def __getstate__(self):
        return {file.name: file.read_bytes() for file in (self.path / "out").iterdir()}

    def __setstate__(self, files):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="agekit-"))
        (self.path / "out").mkdir()
        for name, content in files.items():
            (self.path / "out" / name).write_bytes(content)

    def __del__(self):
        shutil.rmtree(self.path, ignore_errors=True)
