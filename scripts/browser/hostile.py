"""Pages of a data set whose names, ids, columns and classes would run, load or break what
does not treat them as text: the page of a run, and a notebook with its map, as a page and as
slides. Nothing runs, nothing is asked for, and the pages are no wider than the window."""

import csv
import json
import subprocess

from . import lab

LONG = "x" * 100_000
TEXTS = [
    "<script>pwned('script')</script>", "</script><script>pwned('end')</script>", "<img src=x onerror=pwned('image')>", "--><svg onload=pwned('svg')>",
    "javascript:pwned('link')", "\"onmouseover=\"pwned('attribute')", "'-pwned('quote')-'", "]]>&lt;b&gt;<![CDATA[", "{{pwned('template')}}${pwned('dollar')}",
    "line\u2028separator\u2029", "right\u202eto\u2066left\u200f", "=HYPERLINK(\"http://127.0.0.1/x\")", "<style>*{display:none}</style>", "<base href=http://127.0.0.1/>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1/'>", "\\u003cscript\\u003e\\", "a\u0001b\u0007\ufffe", LONG, "<iframe srcdoc=\"<script>parent.pwned('frame')</script>\">",
    "<a href=\"javascript:pwned('click')\">click</a>", "<form action=http://127.0.0.1/><input autofocus onfocus=pwned('focus')>",
]  # fmt: skip

# In Markdown and in outputs, where a notebook's own HTML belongs: what no figure needs.
MARKDOWN = "# Hostile\n\n<script>pwned('markdown')</script>\n\n<img src=x onerror=\"pwned('handler')\">\n\n[click](javascript:pwned('link'))\n\n## More\n\n<svg onload=\"pwned('svg')\"></svg>"


def make(folder):
    """Writes the data set and its pages, and returns their paths."""
    nodes, edges, out = folder / "hostile.csv", folder / "hostile-edges.csv", folder / "hostile"
    ids = [f"{text} {k}" if len(text) < 1000 else f"{k}{text}" for k in range(3) for text in TEXTS]
    with nodes.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "</title><script>pwned('column')</script>", "<b onclick=pwned('label')>", LONG, "cluster"])
        for k, name in enumerate(ids):
            table.writerow([name, TEXTS[k % 5], TEXTS[(k // 3) % 4], k % 7, k * k % 11])
    with edges.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["source", "target"])
        for k in range(len(ids)):
            table.writerows([[ids[k], ids[(k + step) % len(ids)]] for step in (1, 2, 5)])
    agekit = str(lab.ROOT / ".bin/agekit")
    fit = ["fit", "--nodes", str(nodes), "--edges", str(edges), "--id", "id", "--label", "<b onclick=pwned('label')>", "--clusters", "5", "--no-auto", "--epochs", "5", "--dims", "8"]
    for command in ([*fit, "--export", "graphml,gexf,projector", "--out", str(out)], ["report", str(out)]):
        subprocess.run([agekit, *command], cwd=lab.ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page = (out / "report.html").read_text(encoding="utf-8")
    start = page.index('<div class="agekit-interactive"')
    figure = page[start : page.index("</script>\n", page.index("<script>", start)) + len("</script>\n")]
    notebook = {
        "nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "agekit", "display_name": "agekit", "language": "go"}, "language_info": {"name": "go"}},
        "cells": [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": MARKDOWN},
            {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "source": "show()", "outputs": [
                {"output_type": "display_data", "metadata": {}, "data": {"text/html": figure}},
                {"output_type": "stream", "name": "stdout", "text": "\n".join(t for t in TEXTS if t != LONG)},
            ]},
        ],
    }  # fmt: skip
    path = folder / "hostile.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    subprocess.run([agekit, "report", "--slides", str(path)], cwd=lab.ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [out / "report.html", folder / "hostile.html", folder / "hostile.slides.html"]


def check(browser, paths, shots):
    """Opens the pages, uses them, and returns what was done and what is wrong."""
    wrong = []
    for path in paths:
        for width in (390, 1280):
            # Online, so that a request would leave; the proxy does not exist.
            context = browser.new_context(viewport={"width": width, "height": 900})
            page = context.new_page()
            page.expose_function("pwned", lambda what: wrong.append(f"{path.name}: {what} ran"))
            page.on("pageerror", lambda error: wrong.append(f"{path.name}: the page's script fails: {error}"))
            page.on("dialog", lambda dialog: wrong.append(f"{path.name}: a dialog"))
            # What the policy stops, such as Markdown's <img src=x>, fails as "csp" and asks for nothing.
            page.on("requestfinished", lambda request: wrong.append(f"{path.name} asked for {request.url[:80]}") if not request.url.startswith((path.as_uri(), "data:", "blob:")) else None)
            page.on("requestfailed", lambda request: wrong.append(f"{path.name} asks for {request.url[:80]}: {request.failure}") if request.failure != "csp" else None)
            page.goto(path.as_uri())
            page.wait_for_selector(".agekit-map", state="attached")
            for figure in page.query_selector_all(".agekit-stage select"):
                for value in figure.evaluate("e => [...e.options].map(o => o.value)"):
                    figure.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('change')); }", value)
            for button in page.query_selector_all(".node, .agekit-stage button[aria-pressed], a[href^='javascript']"):
                button.evaluate("e => e.click()")
            page.wait_for_timeout(200)
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if over > 0:
                wrong.append(f"{path.name}: {over} pixels wider than a page of {width}")
            page.screenshot(path=shots / f"hostile-{path.stem}-{width}.png")
            context.close()
    return f"{len(paths)} pages in 2 widths, {len(TEXTS)} kinds of text", wrong
