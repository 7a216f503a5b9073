"""AGE as an estimator of scikit-learn."""

from __future__ import annotations

import numbers
import os
import pathlib
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _files, _graph, _html, _new, _saved
from ._folder import folder as temporary_folder
from ._program import run, warn
from ._settings import PARAMETERS, Settings


class AGE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Settings):
    """Embeds and clusters an attributed graph without labels.

    Parameters
    ----------
{settings}    input : "auto", "features", "adjacency" or "edges"
        What X is. "auto" goes by its type, and refuses what could be two things.
    n_neighbors : int
        Neighbors that each row is joined to if X is features without a graph.
    random_state : int, RandomState or None
        Seed of all random choices. None is another one for each fit.
    verbose : bool or None
        Whether to show a bar; None shows it in a terminal and in a notebook. All that the
        program says goes to the logger "agekit".

    Attributes
    ----------
    labels_ : array of shape (n,)
        The cluster of each node, from 0.
    views_ : DataFrame
        The clusters of each node, by its id, in each view, such as "features", "edges" and
        "both"; those of record_["view"] are labels_.
    embedding_ : array of shape (n, d)
    n_clusters_ : int
    nodes_ : DataFrame
        For each node, by its id: your columns, cluster, confidence, outlier, x and y, the
        clusters of each view, as "cluster by edges", and, where a number was found, those
        of half and twice as many, as "cluster of 12".
    clusters_ : list of dict
        What sets each cluster apart, its central nodes and neighboring clusters.
    scores_ : dict
        modularity and conductance; with label=, also acc, nmi, ari and f1.
    layers_, k_, epoch_ : int, float, int
        The settings of the filter and the epoch of the embedding, 0 if the view is not
        "age" and the embedding is the features, smoothed or as they are; None for methods
        other than AGE.
    record_ : dict
        The record of the run, as `agekit fit --json` prints it: "view", "views" with their
        measures, "agreement" of features and edges, "number" of clusters, "summary".
    """

    labels_: npt.NDArray[np.int64]
    embedding_: npt.NDArray[np.float32]
    n_clusters_: int
    nodes_: pd.DataFrame
    views_: pd.DataFrame
    clusters_: list[dict[str, Any]]
    scores_: dict[str, float]
    layers_: int | None
    k_: float | None
    epoch_: int | None
    record_: dict[str, Any]

    def fit(self, X: Any, y: Any = None, *, features: Any = None, nodes: pd.DataFrame | None = None, label: Any = None) -> AGE:
        """Embeds and clusters the nodes of a graph.

        X is a graph of NetworkX, igraph or PyTorch Geometric; a DataFrame of edges, with
        columns such as source, target and weight, read as the program reads tables; an n×n adjacency matrix beside features=
        or nodes=; or features alone, whose rows are joined to their nearest. What could be
        two of these is an error, unless AGE(input=...) says which. y is ignored.

        features has a row for each node. nodes has a column for each attribute, and the
        ids as its index. DataFrames and Series go by their index, arrays are in the order
        of the nodes. label has the known classes: the name of a column or attribute, or
        an array or Series. It is used for scores_ alone.
        """
        flags = [*self._flags(), f"--seed={self._seed()}"]
        X, features, nodes, label = (_graph.frame(part, name) for part, name in ((X, "X"), (features, "features"), (nodes, "nodes"), (label, "label")))
        kind, ends = _graph.kind_of(X, self.input, features, nodes)
        rows = None
        if kind == "features":
            X = X if isinstance(X, pd.DataFrame) or not isinstance(X, np.ma.MaskedArray) else _graph.filled(X)
            index = X.index if isinstance(X, pd.DataFrame) else None
            x = validate_data(self, X, accept_sparse="csr", ensure_min_samples=4)
            rows = _new.Rows(x)
            graph = rows.graph(index, label)
            flags.append(f"--knn={min(self._neighbors(), len(graph.index) - 1)}")
        else:
            graph = _graph.read(X, kind, features, nodes, label, ends)
        ids = _files.ids_of(graph.index)
        with temporary_folder() as folder:
            run(["fit", "--verbose", "--out=out", *_files.write(graph, ids, folder), *flags], folder, self.verbose)
            found = _saved.Run.read(folder / "out")
        n = len(found.labels)  # without a last row of sums, which the program leaves out
        self._take(found, graph.table.iloc[:n], ids and ids[:n], rows)
        return self

    def _take(self, found: _saved.Run, table: pd.DataFrame, ids: list[str] | None, rows: _new.Rows | None) -> None:
        """Sets the attributes. table has a row for each node, by its id."""
        self._run, self._ids, self._rows = found, ids, rows
        record = self.record_ = found.record
        if record["little_found"]:
            warn(record["summary"])
        self.labels_ = found.labels
        if found.embedding is not None:
            self.embedding_ = found.embedding
            self._n_features_out = self.embedding_.shape[1]  # for get_feature_names_out
        self.n_clusters_ = record["n_clusters"]
        self.nodes_ = found.nodes(table)
        self.views_ = self.nodes_[record["columns"].get("views", [])].set_axis([view["view"] for view in record.get("views", [])], axis=1)
        self.clusters_ = found.clusters(table.index, ids)
        self.scores_ = {name: record[name] for name in ("acc", "nmi", "ari", "f1", "modularity", "conductance") if record.get(name) is not None}
        self.layers_, self.k_, self.epoch_ = record.get("layers"), record.get("k"), record.get("epoch")

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> npt.NDArray[np.int64]:
        """Returns the cluster of each node of a graph, given as for fit."""
        return self.fit(X, y, **options).labels_

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> npt.NDArray[np.float32]:
        """Returns the embedding of a graph, given as for fit."""
        return self.fit(X, y, **options).embedding_

    def predict(self, X: Any = None, *, edges: pd.DataFrame | None = None, features: Any = None) -> npt.NDArray[np.int64]:
        """Returns the clusters of nodes: of those of fit what it found, of new ones that
        with the nearest center.

        X is a DataFrame of new nodes, with the columns that fit had and new ids as its
        index, beside edges=, a DataFrame of their edges to each other and to old nodes. Or
        it is the graph with new nodes (NetworkX, igraph). After a fit of features alone it
        is rows of them. features has rows for the nodes of X if fit had features=;
        without X, their nodes go on after those of fit, n, n + 1, ….
        """
        clusters: npt.NDArray[np.int64] = self.assign(X, edges=edges, features=features)["cluster"].to_numpy()
        return clusters

    def assign(self, X: Any = None, *, edges: pd.DataFrame | None = None, features: Any = None) -> pd.DataFrame:
        """Returns the clusters of nodes as predict does, and their confidence, near 1 in
        the middle of a cluster and 0 between two, as a table with the nodes' ids; and, from
        programs that say it, the second-best cluster."""
        new = self._nodes(X, edges, features)
        at, is_new = np.maximum(new.known, 0), new.known < 0
        confidence = self.record_["columns"].get("confidence")  # not of a single cluster
        columns = {"cluster": self.labels_[at], "confidence": self.nodes_[confidence].to_numpy()[at] if confidence else np.ones(len(at))}
        if (found := self._call("predict", new)) is not None:
            if "second" in found:
                columns["second"] = np.argsort(self._shares(self.embedding_, self.labels_))[:, -2:][:, 0][at]
            for name, values in columns.items():
                values[is_new] = found[name]
        return pd.DataFrame(columns, index=new.index)

    def transform(self, X: Any = None, *, edges: pd.DataFrame | None = None, features: Any = None) -> npt.NDArray[np.float32]:
        """Returns the rows of the embedding of nodes, given as for predict."""
        new = self._nodes(X, edges, features)
        rows: npt.NDArray[np.float32] = self.embedding_[np.maximum(new.known, 0)]
        found = self._call("embed", new)
        if found is not None:
            rows[new.known < 0] = found
        return rows

    def predict_proba(self, X: Any = None, *, edges: pd.DataFrame | None = None, features: Any = None) -> npt.NDArray[np.float64]:
        """Returns the share of each node, given as for predict, in each cluster.

        The shares of a node z are the softmax of cos(z, c)/s over the centers c of the
        clusters, where s is the standard deviation of the cosines of fit's nodes with their
        own centers. If the largest is not that of the cluster that predict returns, as for
        a node of fit that its edges speak for, the two change places. Shares order nodes
        by how near they are; they are no probabilities.
        """
        clusters = self.predict(X, edges=edges, features=features)
        return self._shares(self.transform(X, edges=edges, features=features), clusters)

    def _shares(self, rows: npt.NDArray[np.float32], clusters: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        centers = self._run.centers[:, : rows.shape[1]]  # not of the neighbors' clusters, which follow
        own = _unit(self.embedding_) @ centers.T
        deviation = max(float(own[np.arange(len(own)), self.labels_].std(ddof=1)), 1e-6)
        cosines = _unit(rows) @ centers.T
        shares: npt.NDArray[np.float64] = np.exp((cosines - cosines.max(axis=1, keepdims=True)) / deviation)
        shares /= shares.sum(axis=1, keepdims=True)
        at, most = np.arange(len(rows)), shares.argmax(axis=1)
        shares[at, clusters], shares[at, most] = shares[at, most], shares[at, clusters]
        return shares

    def _nodes(self, X: Any, edges: Any, features: Any) -> _new.New:
        check_is_fitted(self)
        X, edges, features = (_graph.frame(part, name) for part, name in ((X, "nodes"), (edges, "edges"), (features, "features")))
        if self._rows is not None:
            if edges is not None or features is not None:
                raise ValueError("fit had features alone: want X, rows of them, without edges= and features=")
            index = X.index if isinstance(X, pd.DataFrame) else None
            return self._rows.new(validate_data(self, X, accept_sparse="csr", reset=False), index)
        return _new.read(X, edges, features, self.nodes_.index)

    def _call(self, command: Literal["predict", "embed"], new: _new.New) -> Any:
        """Returns what the program finds of new nodes; None if there are none."""
        if not new.count:
            return None
        with temporary_folder() as folder:
            if "model.npz" not in self._run.content:
                raise ValueError(f"method is {self.method!r}: only AGE finds the clusters of new nodes")
            (folder / "model.npz").write_bytes(self._run.content["model.npz"])
            arguments = _files.write_new(new, self._ids, len(self.labels_), folder)
            out = "found.csv" if command == "predict" else "found.npy"
            run([command, "--model=model.npz", *arguments, f"--out={out}"], folder, self.verbose)
            return pd.read_csv(folder / out) if command == "predict" else np.load(folder / out)

    def _neighbors(self) -> int:
        if not isinstance(self.n_neighbors, numbers.Integral) or self.n_neighbors < 1:
            raise ValueError(f"n_neighbors is {self.n_neighbors!r}: want an integer, 1 or more")
        return int(self.n_neighbors)

    def _seed(self) -> int:
        seed = self.random_state
        if not isinstance(seed, numbers.Integral):
            seed = check_random_state(seed).randint(2**31 - 1)
        if seed < 0:
            raise ValueError(f"random_state is {seed}: want 0 or more")
        return int(seed)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result to a folder, as agekit fit --out does: for AGE.load, which runs
        no code of it, for agekit predict --model path/model.npz and for agekit report."""
        check_is_fitted(self)
        index = self.nodes_.index.tolist()
        of_one_type = any(all(isinstance(v, kind) for v in index) for kind in (int, str))
        about = {
            "parameters": {name: value for name, value in self.get_params().items() if value is None or isinstance(value, (bool, int, float, str, tuple))},
            "index": index if of_one_type else None,
            "ids": self._ids,
            "inputs": getattr(self, "n_features_in_", None),
            "names": getattr(self, "feature_names_in_", np.array([])).tolist(),
        }
        _saved.save(self._run, pathlib.Path(path), about, self._rows)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> AGE:
        """Reads the folder that save or agekit fit --out wrote. Ids are integers, words or,
        if they were neither, text."""
        found, about, table, ids, rows = _saved.load(pathlib.Path(path))
        parameters = about.get("parameters", {})
        if isinstance(parameters.get("clusters"), list):
            parameters["clusters"] = tuple(parameters["clusters"])
        model = cls(**parameters)
        if about.get("inputs"):
            model.n_features_in_ = about["inputs"]
        if about.get("names"):
            model.feature_names_in_ = np.array(about["names"], dtype=object)
        model._take(found, table, ids, rows)
        return model

    def report(self, path: str | os.PathLike[str] = "report.html") -> pathlib.Path:
        """Writes one HTML page of the result, which needs no network, and returns its
        path."""
        check_is_fitted(self)
        page = pathlib.Path(path).resolve()
        with temporary_folder() as folder:
            self._run.write(folder / "run")
            run(["report", str(folder / "run"), "--out", str(page)])
        return page

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # the embedding is float32
        # scikit-learn's check of sparse features asks this of all that have predict_proba.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _repr_html_inner(self) -> str:
        if not hasattr(self, "labels_"):
            return str(super()._repr_html_inner())
        return _html.page(self.record_, self.scores_, self.clusters_, self.nodes_, self.labels_)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle


AGE.__doc__ = (AGE.__doc__ or "").replace("{settings}", PARAMETERS)


def _unit(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Returns rows scaled to length 1; those of zeros stay."""
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    scaled: npt.NDArray[np.float64] = rows / np.maximum(lengths, 1e-300)
    return scaled
