# Made of the settings of agekit fit: go test ./cmd/agekit -run TestPythonSettings -update
"""The settings of a fit, as the program has them."""

from __future__ import annotations

import numbers
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

PARAMETERS = """\
    clusters : int | tuple[int, int] | Literal["auto"] | None
        Number of clusters, or a range in which a useful number is found (default: the
        number of classes; without labels auto).
    view : Literal["features", "edges", "both", "unlike", "age"] | None
        The way to see the graph that is the result: features, edges, both, unlike (edges
        that join unlike nodes) or age (default: age for edges beside 100 or more
        features; features if the edges are made from them; else edges).
    method : str | None
        The method: AGE, +Encoder, +Adaptive, K-means, Spectral-F, Spectral-G, DeepWalk,
        TADW, GAE, VGAE, MGAE, ARGA, ARVGA, AGC, DAEGC, GALA, LS, LS+RA, LS+RX, GAE-64,
        LS+RA-64, Louvain, Leiden, SSGC, MS2CAG, SAGSC, DGI, NS4GC, CoCo.
    published : bool
        Run another method by the protocol of its own public code, if that differs from
        the one that all methods share.
    auto : bool | None
        Take the view and its settings from the graph, without labels (default: for graphs
        that are not the paper's, unless a flag sets one of them).
    best : bool
        Best mode: three trainings with one step per epoch and half of up to eight layers,
        their embeddings concatenated, and the consensus of many clusterings of the
        similarities.
    k : float | Literal["auto"] | None
        k of the filter I − kL; auto is 1/λmax (default: 2/3).
    layers : int | None
        t, the number of times the filter is applied; 0 for none.
    dims : int | None
        Width of the embedding.
    epochs : int | None
        Passes over the positive pairs. Other methods have defaults of their own.
    update_every : int | None
        Epochs between pair selections.
    batch_size : int | Literal["all", "auto"] | None
        Positive pairs per step, with an equal number of negatives; all for one step per
        epoch.
    learning_rate : float | None
        Adam's learning rate.
    pos_start : float | None
        Share of all pairs that are positive at the start.
    pos_end : float | None
        Share of all pairs that are positive at the end.
    neg_start : float | None
        Share of all pairs that rank above the negatives at the start.
    neg_end : float | None
        Share of all pairs that rank above the negatives at the end.
    ranking : Literal["auto", "exact", "sampled"] | None
        Which pairs are ranked: all (exact), or those of sampled nodes (sampled); auto
        takes all if that is predicted to cost about the same, up to about 3,000 nodes,
        and on the paper's data sets.
    anchors : int | None
        Number of nodes that a sampled ranking samples.
    epoch_pairs : int | None
        Maximum number of positive pairs per epoch with a sampled ranking.
    sample : int | Literal["all", "auto"] | None
        Train on N random nodes, with features smoothed over the whole graph, and then
        embed and cluster all; auto takes 50,000 to 100,000 of larger graphs (default:
        auto).
    loss : Literal["probability", "logits"] | None
        How the loss interprets a pair's similarity: probability or logits.
    scaling : Literal["randomwalk", "degree", "njw"] | None
        Scaling of the spectral embedding: randomwalk, degree or njw.
"""

# The flag of each setting, the types of its values and the words that it takes.
_FLAGS: dict[str, tuple[str, tuple[type, ...], tuple[str, ...]]] = {
    "clusters": ("clusters", (int, tuple), ("auto",)),
    "view": ("view", (str,), ()),
    "method": ("method", (str,), ()),
    "published": ("published", (bool,), ()),
    "auto": ("auto", (bool,), ()),
    "best": ("best", (bool,), ()),
    "k": ("k", (float,), ("auto",)),
    "layers": ("layers", (int,), ()),
    "dims": ("dims", (int,), ()),
    "epochs": ("epochs", (int,), ()),
    "update_every": ("update", (int,), ()),
    "batch_size": ("batch", (int,), ("all", "auto",)),
    "learning_rate": ("learning-rate", (float,), ()),
    "pos_start": ("pos-start", (float,), ()),
    "pos_end": ("pos-end", (float,), ()),
    "neg_start": ("neg-start", (float,), ()),
    "neg_end": ("neg-end", (float,), ()),
    "ranking": ("ranking", (str,), ()),
    "anchors": ("anchors", (int,), ()),
    "epoch_pairs": ("epoch-pairs", (int,), ()),
    "sample": ("sample", (int,), ("all", "auto",)),
    "loss": ("loss", (str,), ()),
    "scaling": ("scaling", (str,), ()),
}

_WANT = {int: "an integer", float: "a number", bool: "True or False", str: "a text", tuple: "two of them as a range"}


class Settings(BaseEstimator):
    """An estimator with the settings of agekit fit. None leaves one to the program."""

    def __init__(
        self,
        clusters: int | tuple[int, int] | Literal["auto"] | None = None,
        *,
        view: Literal["features", "edges", "both", "unlike", "age"] | None = None,
        method: str | None = None,
        published: bool = False,
        auto: bool | None = None,
        best: bool = False,
        k: float | Literal["auto"] | None = None,
        layers: int | None = None,
        dims: int | None = None,
        epochs: int | None = None,
        update_every: int | None = None,
        batch_size: int | Literal["all", "auto"] | None = None,
        learning_rate: float | None = None,
        pos_start: float | None = None,
        pos_end: float | None = None,
        neg_start: float | None = None,
        neg_end: float | None = None,
        ranking: Literal["auto", "exact", "sampled"] | None = None,
        anchors: int | None = None,
        epoch_pairs: int | None = None,
        sample: int | Literal["all", "auto"] | None = None,
        loss: Literal["probability", "logits"] | None = None,
        scaling: Literal["randomwalk", "degree", "njw"] | None = None,
        input: Literal["auto", "features", "adjacency", "edges"] = "auto",
        n_neighbors: int = 10,
        random_state: int | np.random.RandomState | None = 1,
        verbose: bool | None = None,
    ) -> None:
        self.clusters = clusters
        self.view = view
        self.method = method
        self.published = published
        self.auto = auto
        self.best = best
        self.k = k
        self.layers = layers
        self.dims = dims
        self.epochs = epochs
        self.update_every = update_every
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.pos_start = pos_start
        self.pos_end = pos_end
        self.neg_start = neg_start
        self.neg_end = neg_end
        self.ranking = ranking
        self.anchors = anchors
        self.epoch_pairs = epoch_pairs
        self.sample = sample
        self.loss = loss
        self.scaling = scaling
        self.input = input
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.verbose = verbose

    def _flags(self) -> list[str]:
        """Returns the settings that are given as flags. The program checks their values, but not their types."""
        flags = []
        for name, (flag, kinds, words) in _FLAGS.items():
            value = getattr(self, name)
            if value is None or value is False and name != "auto":
                continue
            if not any(_is(value, kind) for kind in kinds) and not (isinstance(value, str) and value in words):
                raise ValueError(f"{name} is {value!r}: want {_wanted(kinds, words)}")
            if kinds == (bool,):
                flags.append(f"--{flag}" if value else f"--no-{flag}")
            elif isinstance(value, (tuple, list)):
                flags.append(f"--{flag}={value[0]}..{value[1]}")
            else:
                flags.append(f"--{flag}={value}")
        return flags


def _is(value: Any, kind: type) -> bool:
    if kind is tuple:
        return isinstance(value, (tuple, list)) and len(value) == 2 and all(_is(n, int) for n in value)
    if kind in (int, float):
        return isinstance(value, numbers.Integral if kind is int else numbers.Real) and not isinstance(value, bool)
    return isinstance(value, kind)


def _wanted(kinds: tuple[type, ...], words: tuple[str, ...]) -> str:
    parts = [*(_WANT[kind] for kind in kinds), *(repr(word) for word in words)]
    if len(parts) == 1:
        return parts[0]
    return ", ".join(parts[:-1]) + (", or " if len(parts) > 2 and tuple in kinds else " or ") + parts[-1]
