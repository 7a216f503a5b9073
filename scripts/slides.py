"""Writes the slides of notebooks and the deck of a lecture from the last outputs, without
running a cell: NAME.slides.html and lecture-PLAN.slides.html in the folder of reports.

`agekit walkthrough --slides` calls it. For each file, it prints a line of JSON: {slides,
outputs, stale}, where the outputs are from and why they are stale, or ""."""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from report import last_outputs, lecture, replace, slides, write_index  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", type=pathlib.Path, nargs="*")
    parser.add_argument("--reports", type=pathlib.Path, required=True)
    parser.add_argument("--plan", help="the minutes of a plan of docs/lecture.md, whose deck is written")
    parser.add_argument("--answers", type=pathlib.Path, help="a folder of answers that the site's page Predict saved")
    options = parser.parse_args()
    for path in options.notebooks:
        notebook, where, stale = last_outputs(ROOT, path, options.reports)
        out = options.reports / f"{path.stem}.slides.html"
        try:
            replace(out, slides(notebook, path.stem, path.resolve().parent, lambda *_: None))
        except ValueError as error:
            raise SystemExit(f"{path}: no slides: {error}") from error
        print(json.dumps({"slides": str(out), "outputs": str(where), "stale": stale}), flush=True)
    if options.plan:
        found = {p.name[:2]: last_outputs(ROOT, p, options.reports) for p in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))}
        out = options.reports / f"lecture-{options.plan}.slides.html"
        try:
            deck = lecture(ROOT, options.plan, {number: notebook for number, (notebook, _, _) in found.items()}, options.answers)
        except ValueError as error:
            raise SystemExit(f"no deck: {error}") from error
        replace(out, deck)
        stale = ", ".join(f"{where.name}: {why}" for _, where, why in found.values() if why)
        print(json.dumps({"slides": str(out), "outputs": "", "stale": stale}), flush=True)
    if (options.reports / "index.html").exists():
        write_index(options.reports)  # with links to the slides


if __name__ == "__main__":
    main()
