"""Grades an assignment: scripts/grade.py FOLDER prints a table of the points of each
notebook in it. The notebooks are those that `agekit walkthrough` has run and written
(docs/lecture.md).

An exercise counts if its check, called with the loaded graph in the cell that prints it,
says Right and nothing else. A notebook that chooses another graph by AGEKIT_DATASET, or
declares a check of its own, has no points.
"""

import json
import pathlib
import re
import sys

POINTS = {"1.2": 2, "1.3": 3, "2.2": 2, "2.3": 3, "3.1": 1, "3.3": 4}


def without_comments(cell):
    return re.sub(r"//[^\n]*", "", "".join(cell["source"]))


def right(cell, exercise):
    """Whether the cell checks the exercise on the loaded graph, and the check says Right."""
    code = without_comments(cell)
    printed = "".join("".join(o.get("text", "")) for o in cell.get("outputs", []) if o.get("name") == "stdout")
    return (
        re.search(rf'exercise\.Check\("{re.escape(exercise)}", g, ', code) is not None
        and re.search(r'\bg := agekit\.Must\(agekit\.Load\(""\)\)', code) is not None
        and not re.search(r"Exercise|Right", code.replace(".MustBeRight()", ""))  # a verdict of its own
        and re.findall(rf"^Exercise {re.escape(exercise)}\. (\w+)", printed, re.MULTILINE) == ["Right"]  # and no other verdict
    )


def grade(path):
    """The points of each exercise in a notebook, and what a teacher should know."""
    cells = [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
    if any("AGEKIT_DATASET" in "".join(c["source"]) for c in cells):
        return dict.fromkeys(POINTS, 0), "chooses its graph"
    if any(re.search(r"\bexercise\s*:?=|\b(var|type|func|const)\s+exercise\b|\bexercise\s+\"", without_comments(c)) for c in cells):
        return dict.fromkeys(POINTS, 0), "declares exercise"
    ours = [c for c in cells if "check" not in c.get("metadata", {}).get("tags", [])]  # not those that hold the text
    failed = any(o["output_type"] == "error" for c in ours for o in c.get("outputs", []))
    return {e: p if any(right(c, e) for c in cells) else 0 for e, p in POINTS.items()}, "a cell failed" if failed else ""


def main():
    print("\t".join(["notebook", *POINTS, "sum", "note"]))
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb")):
        points, note = grade(path)
        print("\t".join([path.stem, *map(str, points.values()), str(sum(points.values())), note]))


if __name__ == "__main__":
    main()
