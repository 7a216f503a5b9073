"""Pages of a data set whose names, ids, columns and classes would run, load or break what
does not treat them as text: the page of a run, and a notebook with its map, as a page and as
slides; and the site, on which the data set is dropped. Nothing runs, nothing is asked for,
and the pages are no wider than the window."""

import csv
import json
import subprocess

from . import lab
from .site import Site

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


LABEL = "<b onclick=pwned('label')>"


def tables(folder):
    """Writes the data set, and returns its tables of nodes and edges."""
    nodes, edges = folder / "hostile.csv", folder / "hostile-edges.csv"
    ids = [f"{text} {k}" if len(text) < 1000 else f"{k}{text}" for k in range(3) for text in TEXTS]
    with nodes.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "</title><script>pwned('column')</script>", LABEL, LONG, "cluster"])
        for k, name in enumerate(ids):
            table.writerow([name, TEXTS[k % 5], TEXTS[(k // 3) % 4], k % 7, k * k % 11])
    with edges.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["source", "target"])
        for k in range(len(ids)):
            table.writerows([[ids[k], ids[(k + step) % len(ids)]] for step in (1, 2, 5)])
    return nodes, edges


def make(folder):
    """Writes the data set's pages, and returns their paths."""
    nodes, edges = tables(folder)
    out = folder / "hostile"
    agekit = str(lab.ROOT / ".bin/agekit")
    fit = ["fit", "--nodes", str(nodes), "--edges", str(edges), "--id", "id", "--label", LABEL, "--clusters", "5", "--no-auto", "--epochs", "5", "--dims", "8"]
    for command in ([*fit, "--export", "graphml,gexf", "--out", str(out)], ["report", str(out)]):
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


# Texts that fill the page or turn what follows around, and a tip that leaves its map.
SHOWN = """() => {
  const wrong = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), tip = document.querySelector('.tip:not([hidden])');
  while (texts.nextNode()) {
    const text = texts.currentNode.data, within = texts.currentNode.parentElement;
    if (within.closest('script, style')) continue;
    if (text.length > 1000) wrong.push(`${text.length} characters in ${within.tagName}: ${text.slice(0, 40)}`);
    if (/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) wrong.push(`a mark of direction in ${within.tagName}`);
  }
  if (tip) {
    const a = tip.getBoundingClientRect(), b = tip.parentElement.getBoundingClientRect();
    if (a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom) wrong.push(`the tip leaves the map: ${tip.textContent.slice(0, 60)}`);
  }
  return wrong;
}"""
DROP = """(files) => { const held = new DataTransfer(); for (const [name, text] of files) held.items.add(new File([text], name)); return held; }"""
NAMES = "</script><img src=x onerror=pwned('file')>\u202e nodes.csv", "javascript:pwned('file') edges" + LONG + ".csv"


def dropped(browser, folder, shots):
    """Drops the data set on the site, by files with such names, too. Takes every column as
    the classes, trains, and points at every node."""
    texts = [path.read_text(encoding="utf-8") for path in tables(folder)]
    site = Site(browser, shots)
    for width in (390, 1366):
        page = site.open("train", width, "light")  # what runs would fail there, for want of a pwned
        site.until(page, "Ready to train")
        page.evaluate("say('')")
        page.dispatch_event("#drop", "drop", {"dataTransfer": page.evaluate_handle(DROP, list(zip(NAMES, texts)))})
        site.until(page, "Ready to train")
        columns = page.eval_on_selector_all("#labelcolumn option", "all => all.length")
        for column in [*range(columns), 2]:
            page.evaluate("say('')")
            page.select_option("#labelcolumn", index=column)
            site.until(page, "Ready to train")
            site.wrong += [f"column {column}, {width}: {what}" for what in page.evaluate(SHOWN)]
        page.fill("#epochcount", "10")
        page.click("#play")
        site.until(page, "Epoch 10 of 10")
        page.focus("#map canvas")
        for _ in range(3 * len(TEXTS)):
            page.keyboard.press("ArrowRight")
            site.wrong += [f"{width}: {what}" for what in page.evaluate(SHOWN)]
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if over > 0:
            site.wrong.append(f"{over} pixels wider than a page of {width}")
        page.screenshot(path=shots / f"hostile-site-{width}.png", full_page=True)
        page.context.close()
    return f"{columns} columns and {3 * len(TEXTS)} nodes in 2 widths", site.wrong
