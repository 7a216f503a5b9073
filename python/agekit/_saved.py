"""The files of a run, in memory and in a folder."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import pathlib
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse as sp

from . import _graph, _new

_MANIFEST = "run.manifest.json"
_PLAIN = ("run.json", "nodes.csv", "model.npz", "log.txt", _MANIFEST)
_OF_AGE = ("model.npz", "embeddings.npy")  # which other methods may lack
_EXTRA = "python.npz"  # what the program need not know


@dataclasses.dataclass
class Run:
    """What agekit fit --out wrote. It is kept in memory, so that no folder has to last as
    long as its owner."""

    content: dict[str, bytes]
    embedding: npt.NDArray[np.float32] | None  # None if the method makes none
    labels: npt.NDArray[np.int64]

    @classmethod
    def read(cls, folder: pathlib.Path) -> Run:
        """Reads the files of one run. One that is not as its manifest says is an error."""
        written = {file["path"]: file["sha256"] for file in json.loads((folder / _MANIFEST).read_bytes())["outputs"]}
        names = [name for name in (*_PLAIN, "embeddings.npy", "labels.txt") if name in written or name not in _OF_AGE]
        content = {name: (folder / name).read_bytes() for name in names}
        for name, text in content.items():
            if name != _MANIFEST and written.get(name) != _sum(text):
                raise ValueError(f"{folder / name} is not as the run of {_MANIFEST} wrote it: want the files of one run")
        if (folder / _EXTRA).is_file() and written.get(_EXTRA) == _sum((folder / _EXTRA).read_bytes()):
            content[_EXTRA] = (folder / _EXTRA).read_bytes()
        labels, embedding = content.pop("labels.txt"), content.pop("embeddings.npy", None)
        return cls(content, None if embedding is None else np.load(io.BytesIO(embedding)), np.loadtxt(io.BytesIO(labels), dtype=np.int64, ndmin=1))

    def write(self, folder: pathlib.Path, extra: bytes | None = None) -> None:
        """Writes all files, with a manifest of them for agekit verify, or none. A file that
        no run wrote, or that has changed since, is an error."""
        content = {**self.content, "labels.txt": "".join(f"{label}\n" for label in self.labels).encode()}
        if self.embedding is not None:
            embedding = io.BytesIO()
            np.save(embedding, self.embedding)
            content["embeddings.npy"] = embedding.getvalue()
        if extra is not None:
            content[_EXTRA] = extra
        _check_replaceable(folder, content)
        content[_MANIFEST] = _manifest(content)
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        try:
            for name, text in content.items():
                written.append(folder / (name + ".new"))
                written[-1].write_bytes(text)
            for path in written:
                os.replace(path, path.with_suffix(""))
        finally:
            for path in written:
                path.unlink(missing_ok=True)

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
        names: list[str] = [columns[name] for name in ("cluster", "confidence", "outlier", "earlier", "x", "y") if columns.get(name)]
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


def _check_replaceable(folder: pathlib.Path, names: Iterable[str]) -> None:
    """Raises an error if a file of these names is there that no run wrote."""
    written: dict[str, str] = {}
    manifest = folder / _MANIFEST
    if manifest.exists():
        text = manifest.read_bytes()
        try:
            listed = json.loads(text)
            own = listed["manifest_sha256"]
            written = {file["path"]: file["sha256"] for file in listed["outputs"]}
        except (ValueError, KeyError, TypeError):
            own = ""
        if _sum(text.replace(own.encode(), b"0" * 64)) != own:
            raise FileExistsError(f"{manifest} has changed since it was written: want another folder, or the file moved away")
    for name in names:
        path = folder / name
        if name != _MANIFEST and os.path.lexists(path) and (not path.is_file() or written.get(name) != _sum(path.read_bytes())):
            raise FileExistsError(f"{path} is there, and is not as a run wrote it: want another name or folder, or the file moved away")


def _manifest(content: dict[str, bytes]) -> bytes:
    """Returns the program's manifest with the files as they are now, and its own checksum."""
    manifest = json.loads(content[_MANIFEST])
    manifest["outputs"] = [
        {"path": name, "bytes": len(text), "sha256": _sum(text)}
        for name, text in sorted(content.items())
        if name != _MANIFEST
    ]
    del manifest["manifest_sha256"]
    manifest["manifest_sha256"] = "0" * 64  # at the end
    text = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    start, _, end = text.rpartition(b"0" * 64)
    return start + _sum(text).encode() + end


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def save(run: Run, folder: pathlib.Path, about: dict[str, Any], rows: _new.Rows | None) -> None:
    """Writes a run to a folder, with what the program need not know: about, which JSON can
    hold, and the rows of features."""
    arrays: dict[str, Any] = {"about": np.array(json.dumps(about))}
    if rows is not None:
        arrays |= {"mean": rows.mean, "deviation": rows.deviation}
        if sp.issparse(rows.known):
            arrays |= {"data": rows.known.data, "indices": rows.known.indices, "indptr": rows.known.indptr, "shape": np.array(rows.known.shape)}
        else:
            arrays["known"] = rows.known
    extra = io.BytesIO()
    np.savez(extra, **arrays)
    run.write(folder, extra.getvalue())


def load(folder: pathlib.Path) -> tuple[Run, dict[str, Any], pd.DataFrame, list[str] | None, _new.Rows | None]:
    """Reads a folder that save or agekit fit --out wrote: the run, what save wrote about it,
    the table of the nodes by their ids, these ids as the program knows them, and the rows of
    features."""
    if not (folder / "run.json").is_file():
        raise FileNotFoundError(f"{folder} has no run.json: want the folder that AGE.save or agekit fit --out wrote")
    if not (folder / "model.npz").is_file():
        raise ValueError(f"{folder} has no model.npz: want a run of AGE")
    run = Run.read(folder)
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
