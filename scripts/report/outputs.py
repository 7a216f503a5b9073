"""Where a notebook's last outputs are, and whether they are stale.

`agekit walkthrough` writes a notebook with its outputs beside its report, and in the
metadata agekit.code the checksum of the code that made them: the project's packages that
cells use."""

import hashlib
import pathlib

import nbformat


def checksum(root):
    """The checksum of the code of the packages that cells use, without tests."""
    files = [root / "go.mod", root / "go.sum"]
    for folder in ("agekit", "internal"):
        files += [p for p in (root / folder).rglob("*") if p.is_file() and "testdata" not in p.parts and not p.name.endswith("_test.go")]
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(str(path.relative_to(root)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def sources(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def last_outputs(root, path, reports):
    """The notebook at path with its last outputs, where these are from, and why they are
    stale, or "". They are those in the folder of reports, or, if these are of other cells,
    those in the notebook itself, if it has any."""
    own = nbformat.read(path, as_version=4)
    ran = pathlib.Path(reports) / path.name
    if not ran.is_file() or ran.resolve() == path.resolve():
        return own, path, ""
    reported = nbformat.read(ran, as_version=4)
    if sources(reported) != sources(own):
        if any(cell.get("outputs") for cell in own.cells):
            return own, path, ""
        return reported, ran, "cells of the notebook have changed since"
    outputs = iter([cell.outputs for cell in reported.cells if cell.cell_type == "code"])
    for cell in own.cells:  # whose text may be newer
        if cell.cell_type == "code":
            cell.outputs = next(outputs)
    made = reported.metadata.get("agekit", {})
    if made.get("failed") is not None:
        return own, ran, f"cell {made['failed']} failed"
    return own, ran, "" if made.get("code") == checksum(root) else "the code has changed since"
