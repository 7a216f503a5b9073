"""A JupyterLab of its own, and the notebooks in it."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = [str(ROOT / ".venv/bin/python"), "-I"]

# By default, JupyterLab renders only what is on the screen.
SETTINGS = {"@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"}}


def environment(data):
    return os.environ | {
        "JUPYTER_DATA_DIR": str(data), "JUPYTER_CONFIG_DIR": str(data), "JUPYTER_PATH": str(ROOT),
        "AGEKIT_RESULTS": str(ROOT / "docs/reproduction/results.jsonl"),
    }


@contextlib.contextmanager
def lab(folder, data, **variables):
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
                      "--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"],
            env=environment(data) | variables | {"JUPYTERLAB_SETTINGS_DIR": str(settings)}, stdout=log, stderr=log)
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


def sign(paths, data):
    """Makes Jupyter trust notebooks, as `make lab` does."""
    subprocess.run(PYTHON + ["-m", "nbformat.sign", *map(str, paths)], env=environment(data), check=True, stdout=subprocess.DEVNULL)


def api(address, path, method="GET"):
    try:
        return urllib.request.urlopen(urllib.request.Request(f"{address}/api/{path}", method=method)).read()
    except urllib.error.HTTPError:  # while a kernel starts or ends, its state has no answer
        return b"[]"


def kernels(address):
    try:
        return json.loads(api(address, "kernels"))
    except OSError:  # Jupyter sometimes fails while a kernel starts
        return []


def wait(page, condition, seconds):
    """Waits until the condition holds; returns the seconds that it took, or None."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() > start + seconds:
            return None
        page.wait_for_timeout(50)
    return time.monotonic() - start


def ready(page, address):
    """Waits until a kernel waits for work."""
    return wait(page, lambda: any(k["execution_state"] == "idle" for k in kernels(address)), 60)


def stop_kernels(address):
    for session in json.loads(api(address, "sessions")):
        api(address, f"sessions/{session['id']}", "DELETE")


def open_notebook(page, address, path):
    page.goto(f"{address}/lab/workspaces/{path.stem}/tree/{path.name}?reset")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=120_000)
    cells = len(json.loads(path.read_text(encoding="utf-8"))["cells"])
    page.wait_for_function("n => document.querySelectorAll('.jp-NotebookPanel .jp-Cell').length >= n", arg=cells, timeout=60_000)


def new_notebook(folder, name, *sources):
    """Writes a notebook with cells that were not run, and returns its path."""
    cells = [{"cell_type": "code", "id": f"c{i}", "execution_count": None, "metadata": {}, "outputs": [], "source": s}
             for i, s in enumerate(sources)]
    kernel = {"kernelspec": {"display_name": "Go: agekit", "language": "go", "name": "agekit"}}
    path = folder / name
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}))
    return path


def screenshot(page, path, width=1400):
    """Saves a picture of the whole notebook."""
    height = page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(height + 150, 16000)})
    page.wait_for_timeout(500)
    page.screenshot(path=path)
    page.set_viewport_size({"width": 1400, "height": 900})
