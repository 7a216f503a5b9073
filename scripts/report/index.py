"""The page that lists the reports of a folder."""

import fcntl
import html
import json
import os
import re

from .page import PLACE, heading, markdown, replace, style, title, with_policy


def write_index(folder):
    """Writes the list of all reports. The lock keeps an older list, of another notebook
    that ends at the same time, from replacing this one."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        replace(folder / "index.html", index(folder))
    finally:
        os.close(lock)


def index(folder):
    """Returns a page with the title, the purpose and the time of each report in a
    folder, and a link to its slides if it has any. What a notebook took stands in its
    metadata."""
    entries = []
    for path in sorted(folder.glob("*.ipynb")):
        page = path.with_suffix(".html")
        try:
            notebook = json.loads(path.read_text(encoding="utf-8"))
            run = notebook["metadata"]["agekit"]
            for cell in notebook["cells"]:
                cell["source"] = "".join(cell["source"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not a report
        if not page.exists():
            continue
        shown = path.with_suffix(".slides.html")
        link = f' · <a href="{html.escape(shown.name)}">slides</a>' if shown.exists() else ""
        entries.append(
            f'<li><h2><a href="{html.escape(page.name)}">{html.escape(title(notebook, path.stem))}</a></h2>\n'
            f'<p class="took">{took(run)}{link}</p>\n{purpose(notebook)}</li>\n'
        )
    body = f'<h1>Notebooks</h1>\n<ul class="list">\n{"".join(entries)}</ul>\n'
    return with_policy(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{PLACE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<title>Notebooks</title>\n'
        f"<style>\n{style(body)}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        [],
    )


def took(run):
    seconds = run["seconds"]
    text = f"{seconds:.0f} s" if seconds < 99.5 else f"{seconds / 60:.0f} min"
    text += f" with the kernel {html.escape(run['kernel'])}"
    if run["failed"] is not None:
        text = f'<span class="failed">Failed at cell {run["failed"]}</span> after {text}'
    return text


def purpose(notebook):
    """What stands below the first heading, or at the top: its first paragraph, with the
    list that it announces if there is one."""
    first = heading(notebook)
    source = next((c["source"] for c in notebook["cells"] if c["cell_type"] == "markdown" and first in c["source"]), "")
    blocks = [b for b in re.split(r"\n\s*\n", (source.split(first, 1)[-1] if first else source).strip("# \n")) if b.strip()]
    chosen = blocks[:1]
    if len(blocks) > 1 and re.match(r"\s*([-*+]|\d+\.) ", blocks[1]):
        chosen.append(blocks[1])
    return markdown("\n\n".join(chosen), lambda *_: None)
