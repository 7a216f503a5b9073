"""Writes the slides of a plan of docs/lecture.md, from the notebooks as they are stored:
scripts/deck.py 90 reports/lecture-90.slides.html [ANSWERS]

ANSWERS is a folder of files that the site's page Predict saved: the deck then opens with
their histogram, beside what agekit computed."""

import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from report import lecture  # noqa: E402

if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(lecture(ROOT, sys.argv[1], *map(pathlib.Path, sys.argv[3:])), encoding="utf-8")
