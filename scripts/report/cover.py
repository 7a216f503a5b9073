"""The first line of an output that answers a question.

JupyterLab shows the first line of a collapsed output in its place, as text: that would be
a part of the answer, or the beginning of an SVG. So a neutral line stands there. Reports and
slides have their own places to click, and leave it out."""

import nbformat

LINE = "Reveal: click"


def is_cover(output):
    return output.get("data") == {"text/plain": LINE}


def cover(cell):
    """Puts the line above the outputs of a cell whose outputs are collapsed."""
    if cell.get("outputs") and cell.metadata.get("jupyter", {}).get("outputs_hidden") and not is_cover(cell.outputs[0]):
        cell.outputs.insert(0, nbformat.v4.new_output("display_data", {"text/plain": LINE}))


def uncover(cell):
    """Takes the line out."""
    if "outputs" in cell:
        cell.outputs = [o for o in cell.outputs if not is_cover(o)]
