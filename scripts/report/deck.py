"""One deck of slides for a plan of docs/lecture.md. Its table names sections of notebooks;
docs/lecture.slides.md has the slides of each section, and says how they are written. Figures
are what the cells of the section printed; speaker's notes are those of the section's cells,
and begin with the minutes of the plan.
"""

import copy
import re

import nbformat

from .answers import slide
from .page import KINDS
from .slides import slides

ROW = re.compile(r"^\| (\d+)–(\d+) \| ([^|]*) \| ([^|]*)\|$", re.MULTILINE)
FIGURE = re.compile(r"^\{figure(?: (\d+))?(?: part (\d)/(\d))?( wide)?\}$", re.MULTILINE)
STORED = re.compile(r"^.*: (from the store, in|computed in) [^\n]*\n*", re.MULTILINE)  # what a cell says of its time


def lecture(root, minutes, notebooks, answers=None):
    """The page for a plan. notebooks has those with the outputs to show, by their numbers,
    "00" to "10". With a folder of answers, the deck opens with their histogram."""
    rows = plan((root / "docs/lecture.md").read_text(encoding="utf-8"), minutes)
    written = sections((root / "docs/lecture.slides.md").read_text(encoding="utf-8"))
    cells = written["Opening"].replace("{minutes}", minutes)
    deck = markdown_cells(cells, [], "")
    if answers and (opening := slide(answers)):
        deck.append(new_cell(opening, "slide"))
    for start, end, number, names in rows:
        said = f"**Minutes {start} to {end} of {minutes}.**"
        for name in names:
            if f"{number}: {name}" not in written:
                raise ValueError(f"docs/lecture.slides.md has no slides for {number}: {name}")
            about = section(notebooks[number].cells, name)
            notes = [said, *(cell.metadata.get("slideshow", {}).get("notes", "") for cell in about)]
            deck += markdown_cells(written[f"{number}: {name}"], about, "\n\n".join(filter(None, notes)))
            said = ""
    deck += markdown_cells(written["Closing"], [], "")
    made = copy.deepcopy(notebooks[rows[0][2]])
    made.cells = deck
    return slides(made, f"lecture-{minutes}", root / "docs", lambda *_: None, "deck")


def plan(lecture, minutes):
    """The rows of a plan: from and to which minute, and the sections by notebook."""
    text = re.split(r"^## ", lecture.split(f"## {minutes} minutes\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = []
    for start, end, _, where in ROW.findall(text):
        if where.strip():
            rows.append((int(start), int(end), where[:2], re.findall(r"\*([^*]+)\*", where)))
    return rows


def sections(text):
    """The slides of docs/lecture.slides.md by their sections."""
    parts = re.split(r"^# (Opening|Closing|\d\d: .*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def section(cells, name):
    """The cells of a section of a notebook, or the cell with the exercise of that name."""
    found = []
    for cell in cells:
        headings = re.findall(r"^##+ +(.+?) *$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else []
        if name in headings:
            found = [cell]
        elif found and headings:
            break
        elif found:
            found.append(cell)
    if not found:
        raise ValueError(f"no section {name!r}")
    return found


def markdown_cells(text, about, notes):
    """The slides of a section as the cells of a notebook. about are the cells with its
    figures. The notes go to its first slide."""
    made = []
    for written in re.split(r"^---\n", text, flags=re.MULTILINE):
        kind = "slide" if not made else "subslide"
        if made == [] and notes:
            said = notes
        else:
            said = ""
        for step in re.split(r"^\.\.\.\n", written, flags=re.MULTILINE):
            place = FIGURE.search(step)
            text = FIGURE.sub("", step).strip()
            heading, rest = re.match(r"((?:#+ [^\n]*\n*)?)(.*)", text, re.DOTALL).groups()
            parts = [new_cell(heading.strip(), "-")] if heading else []
            if rest:
                parts.append(new_cell(rest, "-"))
            if place:
                # Beside the text, which flows around it, or below it.
                parts.insert(len(parts) if place[4] else min(len(parts), 1 if heading else 0), figure(place, about))
            for i, cell in enumerate(parts):
                cell.metadata["slideshow"] = {"slide_type": kind if i == 0 else "-"}
            if said:
                parts[0].metadata["slideshow"]["notes"] = said
            made += parts
            kind, said = "fragment", ""
    return made


def new_cell(text, kind):
    return nbformat.v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


def figure(place, about):
    """A cell with what one of the cells of a section shows."""
    showing = [cell for cell in about if cell.cell_type == "code" and any(shown(o) for o in cell.outputs)]
    number, part, of, wide = int(place[1] or 1), int(place[2] or 1), int(place[3] or 1), place[4]
    if number > len(showing):
        raise ValueError(f"{place[0]}: {len(showing)} cells of {about[0].source.splitlines()[0]!r} show something")
    cell = copy.deepcopy(showing[number - 1])
    cell.outputs = [o for o in cell.outputs if shown(o)]
    for output in cell.outputs:
        if of > 1:
            output.data = {"image/svg+xml": cropped(output.data["image/svg+xml"], part, of)}
    cell.id = nbformat.v4.new_markdown_cell().id  # it may be on several slides
    cell.metadata["tags"] = ["remove-input", *([] if wide else ["beside"])]
    return cell


def shown(output):
    """Whether an output is a figure or a table."""
    return output.output_type in ("display_data", "execute_result") and any(kind in output.data for kind in KINDS[:-1])


def cropped(svg, part, of):
    """One of the parts, from left to right, of a drawing of equally wide ones."""
    opening, inside = re.match(r"(<svg[^>]*>)(.*)", svg, re.DOTALL).groups()
    label, box = (re.search(f'{name}="([^"]*)"', opening)[1] for name in ("aria-label", "viewBox"))
    left, top, width, height = map(float, box.split())
    width /= of
    name = (label.split("; ") + of * [label])[part - 1]
    return (
        f'<svg role="img" aria-label="{name}" viewBox="0 0 {width:.2f} {height}" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<svg width="{width:.2f}" height="{height}" viewBox="{left + (part - 1) * width:.2f} {top} {width:.2f} {height}">{inside}</svg>'
    )
