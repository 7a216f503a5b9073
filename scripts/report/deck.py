"""One deck of slides for a plan of docs/lecture.md, made of the sections of notebooks
that its table names.

A slide has at most WORDS words: its heading, its question and the first sentences. What
does not fit is in the speaker's notes, which begin with the minutes of the plan.
"""

import copy
import re

import nbformat

from .answers import slide
from .page import slide_type
from .slides import slides, unfolded

WORDS = 40
ROW = re.compile(r"^\| (\d+)–(\d+) \| ([^|]*) \| ([^|]*)\|$", re.MULTILINE)
STORED = re.compile(r"^.*: (from the store, in|computed in) [^\n]*\n*", re.MULTILINE)  # what a cell says of its time
KEPT = re.compile(r"\$\$.*?\$\$|!\[[^\]]*\]\([^)]*\)|^\|.*?$(?:\n\|.*?$)*", re.DOTALL | re.MULTILINE)  # formulas, pictures, tables


def lecture(root, minutes, answers=None):
    """The page for a plan, from the project's notebooks as they are stored. With a folder of
    answers, it opens with their histogram."""
    rows = plan((root / "docs/lecture.md").read_text(encoding="utf-8"), minutes)
    folder = root / "notebooks"
    notebooks = {row[2]: nbformat.read(next(folder.glob(f"{row[2]}_*.ipynb")), as_version=4) for row in rows}
    return deck(rows, notebooks, minutes, folder, slide(answers) if answers else "")


def plan(lecture, minutes):
    """The rows of a plan: from and to which minute, and the sections by notebook."""
    text = re.split(r"^## ", lecture.split(f"## {minutes} minutes\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = []
    for start, end, _, where in ROW.findall(text):
        if where.strip():
            rows.append((int(start), int(end), where[:2], re.findall(r"\*([^*]+)\*", where)))
    return rows


def deck(rows, notebooks, minutes, folder, opening=""):
    """Returns the page. notebooks are those of the rows, by their numbers, and lie in
    folder."""
    made = copy.deepcopy(notebooks[rows[0][2]])
    made.cells = []
    for start, end, number, names in rows:
        at, on_slide = f"**Minutes {start} to {end} of {minutes}.**", 0
        for name in names:
            for cell in section(notebooks[number].cells, name):
                made.cells.append(short(cell, at))
                at, on_slide = "", breaking(made.cells[-1], on_slide)
    title = f"# The Adaptive Graph Encoder in {minutes} minutes"
    if opening:
        made.cells.insert(0, nbformat.v4.new_markdown_cell(opening, metadata={"slideshow": {"slide_type": "slide"}}))
    made.cells.insert(0, nbformat.v4.new_markdown_cell(title, metadata={"slideshow": {"slide_type": "slide"}}))
    return slides(made, f"lecture-{minutes}", folder, lambda *_: None)


def section(cells, name):
    """The cells of a section that are on slides, or the text of an exercise without its
    hints; an error if there is none."""
    exercise = re.compile(rf"^### {re.escape(name)}$.*?(?=^<details>|\Z)", re.MULTILINE | re.DOTALL)
    if name.startswith("Exercise ") and (text := next(filter(None, (exercise.search(cell.source) for cell in cells)), None)):
        return [nbformat.v4.new_markdown_cell(text[0], metadata={"slideshow": {"slide_type": "slide"}})]
    found = []
    for cell in cells:
        heading = re.match(r"##+ +(.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading and heading[1].strip() == name:
            found = [cell]
        elif found and heading:
            break
        elif found:
            found.append(cell)
    if not found:
        raise ValueError(f"no section {name!r}")
    return [cell for cell in found if slide_type(cell) != "skip"]


def words(text):
    """The number of words beside formulas, pictures and tables."""
    return len(re.findall(r"\w[\w'’.,-]*", re.sub(r"\$[^$]*\$", "x", KEPT.sub("", text))))


def short(cell, at):
    """The cell with as many of its sentences as a slide has room for."""
    cell = unfolded(copy.deepcopy(cell))
    show = cell.metadata.setdefault("slideshow", {})
    said = [at, show.get("notes", "")]
    if cell.cell_type == "markdown":
        cell.source, rest = cut(cell.source)
        said.append(rest)
        if cell.source.startswith("**What to notice.**"):
            show["slide_type"] = "fragment"  # beside what it is about, if there is room
    else:
        cell.metadata["tags"] = [*cell.metadata.get("tags", []), "remove-input"]
        for output in cell.outputs:
            if output.output_type == "stream":
                output.text = re.sub(STORED, "", output.text)
        cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o.text.strip()]
    show["notes"] = "\n\n".join(part for part in said if part)
    return cell


def breaking(cell, on_slide):
    """Begins a slide with a cell whose words the slide before it has no room for, and
    returns the words of the cell's slide."""
    here = words(cell.source) if cell.cell_type == "markdown" else 0
    if slide_type(cell) in ("slide", "subslide"):
        return here
    if on_slide + here > WORDS:
        cell.metadata["slideshow"]["slide_type"] = "subslide"
        return here
    return on_slide + here


def cut(text):
    """The text of a slide, and the rest: headings, the question, then sentences in their
    order while there is room."""
    heading, body = re.match(r"((?:#+ [^\n]*\n*)?)(.*)", text, re.DOTALL).groups()
    parts = []  # of each paragraph, its sentences
    for paragraph in re.split(r"\n\n+", body):
        whole = KEPT.fullmatch(paragraph.strip())
        parts.append([paragraph] if whole else re.split(r"(?<=[.?!:])\s+(?=[A-Z*\[$`(-])", paragraph.strip()))
    room = WORDS - words(heading)
    kept = set()
    order = [(p, s) for p, part in enumerate(parts) for s in range(len(part))]
    for p, s in sorted(order, key=lambda at: "**Predict:**" not in parts[at[0]][at[1]]):
        count = words(parts[p][s])
        if count <= room:
            kept.add((p, s))
            room -= count
        elif count and "**Predict:**" not in parts[p][s]:
            room = 0  # no sentence without those before it
    shown = "\n\n".join(t for t in (" ".join(s for k, s in enumerate(part) if (p, k) in kept) for p, part in enumerate(parts)) if t)
    return heading + shown, body if len(kept) < len(order) else ""
