"""The files of a run, in memory and in a folder."""

from __future__ import annotations

import dataclasses
import io
import json
import pathlib
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse as sp

from . import _graph, _new
from ._folder import folder as temporary_folder
from ._program import run as call

_EXTRA = "python.npz"  # what the program need not know
_FILES = ("run.json", "nodes.csv", "model.npz", "log.txt", "run.manifest.json", "embeddings.npy", "labels.txt", _EXTRA)


@dataclasses.dataclass
class Run:
    """What agekit fit --out wrote. It is kept in memory, so that no folder has to last as
    long as its owner."""

    content: dict[str, bytes]
    embedding: npt.NDArray[np.float32] | None  # None if the method makes none
    labels: npt.NDArray[np.int64]

    @classmethod
    def read(cls, folder: pathlib.Path) -> Run:
        """Reads the files of a run from a temporary folder."""
        content = {name: (folder / name).read_bytes() for name in _FILES if (folder / name).is_file()}
        labels, embedding = content.pop("labels.txt"), content.pop("embeddings.npy", None)
        return cls(content, None if embedding is None else np.load(io.BytesIO(embedding)), np.loadtxt(io.BytesIO(labels), dtype=np.int64, ndmin=1))

    def write(self, folder: pathlib.Path, extra: bytes | None = None) -> None:
        """Writes the files to a new, temporary folder."""
        folder.mkdir()
        for name, text in self.content.items():
            (folder / name).write_bytes(text)
        (folder / "labels.txt").write_text("".join(f"{label}\n" for label in self.labels), newline="\n")
        if self.embedding is not None:
            np.save(folder / "embeddings.npy", self.embedding)
        if extra is not None:
            (folder / _EXTRA).write_bytes(extra)

    @property
    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self.content["run.json"])
        return record

    @property
    def centers(self) -> npt.NDArray[np.float64]:
        """The centers of the clusters in the embedding, of length 1."""
        centers: npt.NDArray[np.float64] = self._array("model_centers").astype(np.float64)
        return centers

    @property
    def ids(self) -> list[str] | None:
        """The ids by which the program knows the nodes; None if they are numbered."""
        with np.load(io.BytesIO(self.content["model.npz"])) as arrays:
            ids: list[str] | None = json.loads(bytes(arrays["model_ids"])) if "model_ids" in arrays else None
        return ids

    def _array(self, name: str) -> npt.NDArray[Any]:
        with np.load(io.BytesIO(self.content["model.npz"])) as arrays:
            array: npt.NDArray[Any] = arrays[name]
        return array

    def table(self) -> pd.DataFrame:
        """The program's table. Of Python's own, only empty fields are missing values."""
        own: dict[str, Any] = {"keep_default_na": False, "na_values": [""]} if _EXTRA in self.content else {}
        table: pd.DataFrame = pd.read_csv(io.BytesIO(self.content["nodes.csv"]), **own)
        for c in table.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]]:
            table[c] = table[c].map(_unguarded)
        return table.rename(columns=_unguarded)

    def results(self) -> list[str]:
        """Returns the names of the table's columns with results."""
        columns = self.record["columns"]
        names: list[str] = [columns[name] for name in ("cluster", "cluster_name", "confidence", "outlier", "earlier", "x", "y") if columns.get(name)]
        return [*names, *columns.get("views", []), *columns.get("levels", [])]

    def nodes(self, table: pd.DataFrame) -> pd.DataFrame:
        """Returns a table of the nodes with the columns of the results."""
        found = self.table()[self.results()]
        return pd.concat([table, found.set_axis(table.index)], axis=1)

    def clusters(self, index: pd.Index, ids: list[str] | None) -> list[dict[str, Any]]:
        """Returns what is known of the clusters, with the ids in Python."""
        place = {text: i for i, text in enumerate(ids if ids is not None else map(str, range(len(index))))}
        clusters: list[dict[str, Any]] = self.record["clusters"] or []
        for cluster in clusters:
            cluster["central"] = [index[place[text]] if text in place else text for text in cluster["central"]]
        return clusters


def _unguarded(text: Any) -> Any:
    """Returns a text without the apostrophe that the program puts before formulas."""
    return re.sub(r"^'(?='*\s*(?:[=＝]|[-+@＋－＠].*[(|!]))", "", text, flags=re.DOTALL) if isinstance(text, str) else text


def save(run: Run, folder: pathlib.Path, about: dict[str, Any], rows: _new.Rows | None) -> None:
    """Writes a run to a folder, with what the program need not know: about, which JSON can
    hold, and the rows of features. The program replaces the files there, all or none."""
    arrays: dict[str, Any] = {"about": np.array(json.dumps(about))}
    if rows is not None:
        arrays |= {"mean": rows.mean, "deviation": rows.deviation}
        if sp.issparse(rows.known):
            arrays |= {"data": rows.known.data, "indices": rows.known.indices, "indptr": rows.known.indptr, "shape": np.array(rows.known.shape)}
        else:
            arrays["known"] = rows.known
    extra = io.BytesIO()
    np.savez(extra, **arrays)
    with temporary_folder() as temporary:
        run.write(temporary / "run", extra.getvalue())
        call(["copy", "--changed", str(temporary / "run"), f"--out={folder.absolute()}"])


def load(folder: pathlib.Path) -> tuple[Run, dict[str, Any], pd.DataFrame, list[str] | None, _new.Rows | None]:
    """Reads a folder that save or agekit fit --out wrote: the run, what save wrote about it,
    the table of the nodes by their ids, these ids as the program knows them, and the rows of
    features."""
    with temporary_folder() as temporary:
        call(["copy", str(folder.absolute()), f"--out={temporary / 'run'}"])
        run = Run.read(temporary / "run")
    if "model.npz" not in run.content:
        raise ValueError(f"{folder} has no model.npz: want a run of AGE")
    table = run.table().drop(columns=[run.record["columns"]["id"], *run.results()])
    ids, rows = run.ids, None
    about: dict[str, Any] = {}
    index = _index(ids, len(table))
    if extra := run.content.pop(_EXTRA, None):
        with np.load(io.BytesIO(extra)) as arrays:
            about = json.loads(str(arrays["about"]))
            if "mean" in arrays:
                known = arrays["known"] if "known" in arrays else sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))
                rows = _new.Rows(known, (arrays["mean"], arrays["deviation"]))
        ids = about["ids"]
        if about["index"] is not None:
            index = pd.Index(about["index"])
    return run, about, table.set_axis(index), ids, rows


def _index(ids: list[str] | None, n: int) -> pd.Index:
    """Returns the ids of a run of the program: integers, words or numbers from 0."""
    if ids is None:
        return pd.RangeIndex(n)
    if all(text.lstrip("-").isdecimal() and str(int(text)) == text for text in ids):
        return pd.Index([int(text) for text in ids])
    return pd.Index(ids)
