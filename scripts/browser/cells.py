"""Running cells as a student does: with the keyboard, one after the other."""

import json
import re
import time

from .lab import kernels, new_notebook, open_notebook, ready, wait

FIRST, OTHERS = 5.0, 2.0  # seconds that a cell may take; what it computes for the store comes on top
COMPUTED = re.compile(r"computed in ([0-9.]+) s, saved for the next cell")
ERROR = '[data-mime-type="application/vnd.jupyter.error"]'


def run_cell(page, address, cell, seconds=600):
    """Runs a code cell; returns the seconds that it took, or None."""
    prompt = cell.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    prompt.click()
    start = time.monotonic()
    page.keyboard.press("Control+Enter")

    def done():
        return re.search(r"\d", prompt.inner_text()) and prompt.inner_text() != before

    return None if wait(page, done, seconds) is None else time.monotonic() - start


def run_all(page, address, path):
    """Runs the code cells of an open notebook. Returns its lines of a table, and what
    is wrong."""
    lines, wrong, slow = [], [], []
    code = [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
    ready(page, address)
    cells = page.locator(".jp-NotebookPanel .jp-CodeCell")
    for k in range(cells.count()):
        cell = cells.nth(k)
        took = run_cell(page, address, cell)
        if took is None:
            wrong.append(f"code cell {k + 1} does not end")
            break
        printed = cell.locator(".jp-OutputArea").all_inner_texts()
        if cell.locator(ERROR).count():
            wrong.append(f"code cell {k + 1} fails: {' '.join(printed)[-300:]}")
        computed = sum(float(s) for text in printed for s in COMPUTED.findall(text))
        lines.append(f"{took:.1f} s" + (f" ({computed:.1f} s for the store)" if computed else ""))
        checks = "check" in code[k]["metadata"].get("tags", [])  # nobody waits for it
        if took - computed > (FIRST if k == 0 else OTHERS) and not checks:
            slow.append(f"code cell {k + 1} takes {took - computed:.1f} s")
    return lines, wrong, slow


def interrupt(page, address, folder):
    """Interrupts a training, as the square button does, and runs it again. Returns what
    is wrong."""
    # No earlier run of this test has left a result or a checkpoint of that seed.
    source = """import "github.com/agekit/age/agekit"

%%
g := agekit.Must(agekit.Load("cora"))
c := agekit.Settings(g)
c.Seed, c.Epochs = SEED, 60
r := agekit.Must(agekit.Train(g, c))
fmt.Println(len(r.Members[0].Loss), "epochs")""".replace("SEED", str(time.time_ns()))
    open_notebook(page, address, new_notebook(folder, "interrupt.ipynb", source))
    ready(page, address)
    cell = page.locator(".jp-NotebookPanel .jp-CodeCell").first
    prompt, output = cell.locator(".jp-InputPrompt"), cell.locator(".jp-OutputArea").first
    prompt.click()
    page.keyboard.press("Control+Enter")
    if wait(page, lambda: re.search(r"epoch [2-9]\d of 60", output.inner_text()), 120) is None:
        return [f"no epoch after two minutes: {output.inner_text()}"]
    page.keyboard.press("i")
    page.keyboard.press("i")
    stopped = wait(page, lambda: any(k["execution_state"] == "idle" for k in kernels(address)), 20)
    said = output.inner_text()
    if stopped is None or "stopped; run it again to resume after epoch" not in said:
        return [f"the interrupted cell says: {said[-400:]}"]
    if run_cell(page, address, cell) is None or not re.search(r"resumed after epoch \d+ of 60", output.inner_text()) or "60 epochs" not in output.inner_text():
        return [f"the cell that was run again says: {output.inner_text()[-400:]}"]
    return []


def complete(page, address, folder):
    """Completes two names in a new notebook. Yields each with the seconds until it is
    offered, the first since the kernel was ready, or None after half a minute."""
    path = new_notebook(folder, "tab.ipynb", 'import "github.com/agekit/age/agekit"\n\n%%\nagekit.Sm')
    open_notebook(page, address, path)
    text = page.locator(".jp-CodeCell .cm-content").first
    ready(page, address)
    yield "agekit.Sm", press_tab(page, text, "agekit.Smooth")
    page.keyboard.type("\nagekit.Clu")
    yield "agekit.Clu", press_tab(page, text, "agekit.Cluster")


def press_tab(page, text, want):
    """Presses Tab at the end of the cell until the name is there or in the list that
    opens, again after eight seconds, when JupyterLab no longer waits for an answer
    (scripts/lab-settings.json)."""
    listed = page.locator(".jp-Completer:visible")
    start = time.monotonic()
    text.click()
    page.keyboard.press("Control+End")
    # Until JupyterLab has noticed where the cursor is, Tab would indent.
    page.wait_for_selector(".jp-mod-completer-enabled", timeout=10_000)
    while time.monotonic() < start + 30:
        page.keyboard.press("Tab")
        if wait(page, lambda: want in text.inner_text() or listed.count() and want.split(".")[1] in listed.first.inner_text(), 8) is not None:
            took = time.monotonic() - start
            if listed.count():
                page.keyboard.press("Escape")
            return took
        if text.inner_text().endswith("\t"):
            page.keyboard.press("Backspace")
    return None
