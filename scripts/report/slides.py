"""A notebook as slides: one HTML page that needs no network.

The metadata that JupyterLab's property inspector writes, slideshow.slide_type, says
what a cell is: slide, subslide, fragment, skip, notes, or part of what is before it.
Where no cell has any, a slide begins at each heading of the first and second level.
Notes for the speaker are cells of the type notes, or stand in the metadata of the cell
that they are about, slideshow.notes, where a reader of the notebook does not see them.
"""

import copy
import re

import nbformat
from nbconvert.exporters.slides import _RevealMetadataPreprocessor

from .page import convert, figure_scripts, shared, slide_type, style, with_policy, without_checks


def slides(notebook, name, folder, on_bad_formula, look=""):
    """Returns the slides of a notebook that lies in folder; name is their title if it
    has no heading. look is "deck" for the written slides of a lecture, whose figures
    are large. Raises ValueError if there is nothing to show."""
    notebook = without_checks(notebook)
    if not any(slide_type(cell) for cell in notebook.cells):
        notebook.cells = by_heading(notebook.cells)
    notebook.cells = with_notes([unfolded(cell) for cell in notebook.cells])
    notebook, _ = _RevealMetadataPreprocessor().preprocess(notebook)
    scripts = [shared("reveal.js"), shared("slides.js")]
    text = convert(notebook, name, folder, on_bad_formula, "slides.html.j2", slides=True, scripts=scripts)
    sheet = shared("reveal.css") + style(text) + shared("slides.css")
    text = text.replace('<div class="reveal">', f'<div class="reveal {look}">', 1)
    text = text.replace("<style></style>", f"<style>\n{sheet}</style>", 1)
    # As slides.html.j2 writes them.
    return with_policy(text, figure_scripts(notebook) + [f"\n{script}" for script in scripts])


def by_heading(cells):
    """Begins a slide at each heading of the first and second level, also within a
    cell."""
    parts = []
    for cell in cells:
        pieces = split(cell.source) if cell.cell_type == "markdown" else [cell.source]
        for i, piece in enumerate(pieces):
            part = copy.deepcopy(cell)
            part.source = piece
            if i > 0:
                part.id = nbformat.v4.new_markdown_cell().id
            if cell.cell_type == "markdown" and re.match(r"##? ", piece):
                part.metadata["slideshow"] = {"slide_type": "slide"}
            parts.append(part)
    return parts


def unfolded(cell):
    """An answer in the text that readers unfold comes as the speaker's next step, unless
    a slide begins with it."""
    answer = re.match(r"<details><summary>Reveal</summary>\n\n(.*?)\n\n</details>(.*)", cell.source, re.DOTALL)
    if cell.cell_type != "markdown" or not answer:
        return cell
    cell.source = answer[1] + answer[2]
    if slide_type(cell) == "":
        cell.metadata["slideshow"] = cell.metadata.get("slideshow", {}) | {"slide_type": "fragment"}
    return cell


def with_notes(cells):
    """Puts the notes in the metadata of a cell into a cell after it."""
    all_cells = []
    for cell in cells:
        all_cells.append(cell)
        said = cell.metadata.get("slideshow", {}).get("notes")
        if said and slide_type(cell) != "skip":
            all_cells.append(nbformat.v4.new_markdown_cell(said, metadata={"slideshow": {"slide_type": "notes"}}))
    return all_cells


def split(source):
    """Cuts Markdown before its headings of the first and second level, but not within
    a block of code."""
    pieces, fenced = [""], False
    for line in source.splitlines(keepends=True):
        fenced ^= re.match(r" {0,3}(```|~~~)", line) is not None
        if not fenced and re.match(r"##? ", line) and pieces[-1].strip():
            pieces.append("")
        pieces[-1] += line
    return pieces
