"""The page of a run of agekit fit as a reader has it: from its file, without a network, on
a phone and on a large screen, by day and by night, with a keyboard and a screen reader."""

import json
import subprocess

from . import lab

WIDTHS = (390, 768, 1280, 1920)
# More clusters than there are colors, and columns with names.
FIT = "fit --nodes assets/examples/penguins.csv --edges assets/examples/penguins-edges.csv --label species --clusters 24 --no-auto --epochs 10 --dims 16 --out"
AXE = "async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(v => [v.id, v.nodes[0].html])"
# Text that is cut off, but for what screen readers alone have.
CUT = """() => [...document.querySelectorAll('h3, dt, dd, li, td, th, .agekit-stage button')].filter(e => !e.closest('.hidden') &&
  (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline')).map(e => e.textContent.slice(0, 60))"""


def make(folder):
    """Fits and writes the page, and returns its path and run.json."""
    out = folder / "run"
    agekit = str(lab.ROOT / ".bin/agekit")
    for command in ([agekit, *FIT.split(), str(out)], [agekit, "report", str(out)]):
        subprocess.run(command, cwd=lab.ROOT, check=True, stdout=subprocess.DEVNULL)
    return out / "report.html", json.loads((out / "run.json").read_text(encoding="utf-8"))


def check(browser, path, run, shots):
    """Looks at the page, and returns what was done and what is wrong."""
    wrong = []
    axe = next((lab.ROOT / ".venv-browser").glob("axe-core-*.js"), None)
    for scheme in ("light", "dark"):
        context = browser.new_context(offline=True, color_scheme=scheme, accept_downloads=True)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"the page's script fails: {error}"))
        page.on("request", lambda request: wrong.append(f"the page asks for {request.url}") if not request.url.startswith(("file:", "data:", "blob:")) else None)
        page.goto(path.as_uri())
        page.wait_for_selector(".agekit-map")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(100)
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if over > 0:
                wrong.append(f"{over} pixels wider than a page of {width}")
            wrong += [f"cut off at a width of {width}: {text}" for text in page.evaluate(CUT)]
            page.screenshot(path=shots / f"run-{width}-{scheme}.png", full_page=True)
            if axe and width in (390, 1280):
                page.evaluate(axe.read_text(encoding="utf-8"))
                wrong += [f"{scheme}, {width} pixels: {name}: {html}" for name, html in page.evaluate(AXE)]
        if scheme == "light":
            wrong += use(page, run)
        context.close()
    return f"{2 * len(WIDTHS)} views" + (f", {axe.stem}" if axe else ", without axe-core: no npm"), wrong


def use(page, run):
    """Uses the page, and returns what is wrong."""
    wrong = []
    text = page.inner_text(".cards")
    wrong += [f"no card names cluster {c['cluster']}, {c['name']}" for c in run["clusters"] if c["name"].removesuffix(f" ({c['cluster']})") not in text]
    marks = page.eval_on_selector_all("[data-part=legend] svg", "all => all.map(e => e.innerHTML)")
    if len(set(marks)) != len(run["clusters"]):
        wrong.append(f"{len(set(marks))} marks of {len(run['clusters'])} clusters")
    # By keyboard alone: a node is found, and what is known of it shows.
    page.focus("[data-name=find]")
    page.keyboard.type("p017")
    if "island" not in page.inner_text(".agekit-tip") or "p017" not in page.inner_text(".agekit-stage [aria-live]"):
        wrong.append(f"a node that was found says {page.inner_text('.agekit-tip')!r}")
    page.fill("[data-name=find]", "")
    start = {"PNG": b"\x89PNG", "SVG": b"<svg", "CSV": b"id,"}
    for kind, first in start.items():
        with page.expect_download() as download:
            page.click(f"text=save {kind}")
        with open(download.value.path(), "rb") as saved:
            content = saved.read()
        if not content.startswith(first) or kind == "CSV" and content.count(b"\n") != run["n"] + 1:
            wrong.append(f"{download.value.suggested_filename} begins with {content[:20]}")
    return wrong
