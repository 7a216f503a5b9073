"""Opens notebooks in JupyterLab, first as a new reader has them, when Jupyter does
not trust them, then trusted, and counts the pictures that are visible. Before that,
it presses Tab in a new notebook.

Screenshots are in reports/browser. Called by scripts/browser-test.sh.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON = [str(ROOT / ".venv/bin/python"), "-I"]

# By default, JupyterLab renders only what is on the screen.
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false", "checkForUpdates": False},
}

# What a reader sees of each picture in the outputs: its source, and whether it is
# drawn in a size that shows something.
PICTURES = """selector => [...document.querySelectorAll(selector)]
  .filter(e => !e.parentElement.closest('svg'))
  .map(e => { const box = e.getBoundingClientRect(); return {
    kind: e.tagName.toLowerCase() === 'svg' ? 'svg' : e.src.slice(0, 22),
    visible: box.width >= 200 && box.height >= 100 && (e.tagName !== 'IMG' || e.complete && e.naturalWidth > 0),
  }; })"""
OUTPUTS = ".jp-OutputArea-output svg, .jp-OutputArea-output img"
TEXTS = ".jp-MarkdownOutput img"


def pictures_in(path):
    """The number of outputs with a picture, and of pictures in text cells."""
    outputs = texts = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            html = "".join(data.get("text/html", ""))
            outputs += bool({"image/png", "image/svg+xml"} & set(data)) or "<svg" in html or "<img" in html
        if cell["cell_type"] == "markdown":
            texts += "".join(cell["source"]).count("](figures/")
    return outputs, texts


@contextlib.contextmanager
def lab(folder, data):
    """A JupyterLab for the folder, whose record of trust is empty. Yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = data / "settings"
    for name, values in SETTINGS.items():
        (settings / name).parent.mkdir(parents=True, exist_ok=True)
        (settings / name).write_text(json.dumps(values))
    with open(data / "lab.log", "w") as log:
        server = subprocess.Popen(
            PYTHON + ["-m", "jupyterlab", "--no-browser", "--allow-root", f"--notebook-dir={folder}", f"--port={port}",
                      "--ServerApp.port_retries=0", "--IdentityProvider.token="],
            env=environment(data) | {"JUPYTERLAB_SETTINGS_DIR": str(settings)}, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for attempt in range(120):
            try:
                urllib.request.urlopen(address + "/api/status").close()
                break
            except OSError:
                if server.poll() is not None or attempt == 119:
                    raise SystemExit("JupyterLab did not start:\n" + (data / "lab.log").read_text())
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait()


def environment(data):
    return os.environ | {"JUPYTER_DATA_DIR": str(data), "JUPYTER_CONFIG_DIR": str(data), "JUPYTER_PATH": str(ROOT)}


def look(page, address, path, screenshot):
    """Opens a notebook and returns the pictures in its outputs and in its text."""
    page.goto(f"{address}/lab/workspaces/{path.stem}/tree/{path.name}?reset")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=120_000)
    cells = len(json.loads(path.read_text(encoding="utf-8"))["cells"])
    page.wait_for_function("n => document.querySelectorAll('.jp-NotebookPanel .jp-Cell').length >= n", arg=cells, timeout=60_000)
    page.wait_for_timeout(3000)  # scripts of outputs, images of texts
    outputs, texts = page.evaluate(PICTURES, OUTPUTS), page.evaluate(PICTURES, TEXTS)
    height = page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollHeight")
    page.set_viewport_size({"width": 1400, "height": min(height + 150, 12000)})
    page.wait_for_timeout(500)
    page.screenshot(path=screenshot)
    page.set_viewport_size({"width": 1400, "height": 900})
    return outputs, texts


def check(path, trusted, outputs, texts):
    """Returns what is wrong with the pictures that look found."""
    want_outputs, want_texts = pictures_in(path)
    wrong = []
    for name, found, want in (("outputs", outputs, want_outputs), ("text", texts, want_texts)):
        visible = sum(p["visible"] for p in found)
        if visible != want or visible != len(found):
            wrong.append(f"{want} pictures in the {name}, {len(found)} on the page, {visible} of them visible")
    sharp = sum("svg" in p["kind"] for p in outputs)
    if trusted and want_outputs and not sharp and "svg" in path.read_text(encoding="utf-8"):
        wrong.append("trusted, but no picture is SVG")
    if not trusted and sharp:
        wrong.append(f"{sharp} pictures are SVG: the notebook was trusted, and nothing was tested")
    return wrong


def complete(page, address, folder, screenshot):
    """Presses Tab in a new notebook behind agekit.Sm, and then behind another name.
    Returns the seconds that each took, the first since the kernel was ready, or None
    where half a minute passed."""
    source = 'import "github.com/agekit/age/agekit"\n\n%%\nagekit.Sm'
    cell = {"cell_type": "code", "id": "1", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
    kernel = {"kernelspec": {"display_name": "Go: agekit", "language": "go", "name": "agekit"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": [cell]}
    (folder / "tab.ipynb").write_text(json.dumps(notebook))
    opened = time.monotonic()
    page.goto(f"{address}/lab/workspaces/tab/tree/tab.ipynb?reset")
    page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell .cm-content", timeout=60_000)
    while not kernel_is_idle(address):
        if time.monotonic() > opened + 60:
            return [None]
        page.wait_for_timeout(50)
    seconds = [completed(page, "Smooth", time.monotonic())]
    page.screenshot(path=screenshot)
    page.keyboard.type("\nagekit.Clu")
    return seconds + [completed(page, "Cluster", time.monotonic())]


def kernel_is_idle(address):
    try:
        return '"execution_state": "idle"' in urllib.request.urlopen(address + "/api/kernels").read().decode()
    except OSError:  # Jupyter sometimes fails while a kernel starts
        return False


def completed(page, name, start):
    """Presses Tab at the end of the cell, again each second, until the name is there.
    Returns the seconds since start, or None after half a minute."""
    content = page.locator(".jp-CodeCell .cm-content")
    content.click()
    page.keyboard.press("Control+End")
    while time.monotonic() < start + 30:
        page.keyboard.press("Tab")
        pressed = time.monotonic()
        while time.monotonic() < pressed + 1:
            if "agekit." + name in content.inner_text():
                return time.monotonic() - start
            page.wait_for_timeout(20)
        if content.inner_text().endswith("\t"):
            page.keyboard.press("Backspace")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    shots = ROOT / "reports/browser"
    shots.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="age-browser-", ignore_cleanup_errors=True) as scratch:
        folder, data = pathlib.Path(scratch, "notebooks"), pathlib.Path(scratch, "data")
        folder.mkdir()
        data.mkdir()
        paths = [pathlib.Path(shutil.copy(path, folder)) for path in options.notebooks]
        shutil.copytree(ROOT / "notebooks/figures", folder / "figures")
        with lab(folder, data) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ.get("AGE_CHROMIUM") or None, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            for tab, seconds in zip(("the first Tab after the kernel is ready", "the next Tab"), complete(page, address, folder, shots / "tab.png")):
                failed += seconds is None
                print(f"FAILED: {tab} completes nothing" if seconds is None else f"{tab}: a completion in {seconds:.1f} s", flush=True)
            for trusted in (False, True):
                if trusted:
                    subprocess.run(PYTHON + ["-m", "nbformat.sign", *map(str, paths)], env=environment(data), check=True, stdout=subprocess.DEVNULL)
                for path in paths:
                    state = "trusted" if trusted else "untrusted"
                    outputs, texts = look(page, address, path, shots / f"{path.stem}-{state}.png")
                    wrong = check(path, trusted, outputs, texts)
                    failed += bool(wrong)
                    print(f"{path.name}, {state}: {len(outputs) + len(texts)} pictures" + "".join(f"\n  FAILED: {w}" for w in wrong), flush=True)
            browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
