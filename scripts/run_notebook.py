"""Runs one notebook from top to bottom, and writes it with its outputs and as an
HTML report that needs no network, listed in index.html beside it. Without --kernel,
the notebook is not run, and only its report is written.

`agekit walkthrough` and `agekit report` call it. Each line on standard output is a JSON object: a cell
that has run {cell, cells, seconds, section}, the failure that ended the run
{failed: {cell, section, error}}, or a formula that could not be converted {formula,
error}.
"""

import argparse
import concurrent.futures
import copy
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import time

import nbformat
import psutil
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError

# An isolated Python has neither the script's folder on its path nor the
# environment's PYTHONDONTWRITEBYTECODE.
sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from report import checksum, page, replace, slides, write_index  # noqa: E402
from report.cover import cover  # noqa: E402


def report(**event):
    print(json.dumps(event), flush=True)


def run(notebook, folder, kernel, timeout):
    """Runs the cells; returns the number of the cell that failed, from 1, or else None.
    The notebook keeps all outputs so far."""
    cells = notebook.cells
    at = {}

    def started(cell, cell_index):
        at.update(cell=cell_index + 1, section=section(cells, cell_index), clock=time.monotonic())

    def executed(cell, cell_index, execute_reply):
        if execute_reply["content"]["status"] == "ok":
            seconds = round(time.monotonic() - at["clock"], 3)
            report(cell=at["cell"], cells=len(cells), seconds=seconds, section=at["section"])

    client = NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=timeout,
        startup_timeout=120,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=started,
        on_cell_executed=executed,
    )
    try:
        client.execute()
        return None
    except CellExecutionError:
        text = errors_of(cells[at["cell"] - 1])
    except (CellControlSignal, DeadKernelError, NoSuchKernel, RuntimeError) as error:
        text = str(error) or "the kernel died"
    report(failed={"cell": at.get("cell", 0), "section": at.get("section", ""), "error": text})
    return at.get("cell", 0)


def errors_of(cell):
    """The errors that a failed cell printed, without color codes."""
    said = ""
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            said += output.text
        elif output.output_type == "error":
            said = said.rstrip("\n") + "\n" + "\n".join(output.traceback or [f"{output.ename}: {output.evalue}"])
    return re.sub(r"\x1b\[[0-9;]*m", "", said).strip()


def section(cells, index):
    """A name for a cell: the last heading above it, or else its first line."""
    for cell in reversed(cells[:index]):
        headings = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else []
        if headings:
            return headings[-1].strip()
    return next((line.strip() for line in cells[index].source.split("\n") if line.strip()), "")


def without_machine(notebook):
    """Removes this machine's folders from the text that cells printed."""
    folders = [(str(ROOT), "."), (str(pathlib.Path.home()), "~")]

    def clean(text):
        for folder, short in folders:
            text = text.replace(folder + "/", short + "/")
        return text

    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text" in output:
                output.text = clean(output.text)
            for kind, data in output.get("data", {}).items():
                if kind.startswith("text/"):
                    output.data[kind] = clean(data)
    return notebook


def join_streams(notebook):
    """Joins neighboring pieces of text of one stream: where it was cut is chance."""
    for cell in notebook.cells:
        joined = []
        for output in cell.get("outputs", []):
            last = joined[-1] if joined else {}
            if output.output_type == "stream" and last.get("name") == output.name:
                last.text += output.text
            else:
                joined.append(output)
        if cell.cell_type == "code":
            cell.outputs = joined


def stop(signum, scratch):
    """Ends the kernel, all that it started, and this process, within a second."""
    processes = psutil.Process().children(recursive=True)
    for end in (psutil.Process.terminate, psutil.Process.kill):
        for process in processes:
            try:
                end(process)
            except psutil.NoSuchProcess:
                pass
        _, processes = psutil.wait_procs(processes, timeout=0.6)
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(128 + signum)


def read(path):
    """Reads a notebook, whose format may be an older one."""
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (nbformat.ValidationError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise SystemExit(f"not a valid notebook: {getattr(error, 'message', error)}") from error
    return notebook


def write_pages(options, notebook):
    """Writes the report and the slides."""

    def on_bad_formula(formula, error):
        report(formula=formula, error=error)

    name, folder = options.source.stem, options.source.resolve().parent
    replace(options.html, page(notebook, name, folder, on_bad_formula))
    if options.slides:
        try:
            text = slides(notebook, name, folder, lambda *_: None)  # the page has reported bad formulas
        except ValueError as error:
            raise SystemExit(f"no slides: {error}") from error
        replace(options.slides, text)


def execute(options, notebook):
    """Runs the notebook; returns what it took, as the report's metadata."""
    with tempfile.TemporaryDirectory(prefix="agekit-notebook-", ignore_cleanup_errors=True) as scratch:
        os.environ["TMPDIR"] = scratch  # a kernel that is killed leaves its files
        # Outside the main thread, nbclient does not handle signals: it would give
        # the kernel many seconds.
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, lambda signum, frame: stop(signum, scratch))
        code, start = checksum(ROOT), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor() as worker:
            folder = options.source.resolve().parent
            failed = worker.submit(run, notebook, folder, options.kernel, options.timeout).result()
        seconds = round(time.monotonic() - start, 1)
    join_streams(notebook)
    for number, cell in enumerate(notebook.cells, 1):
        if "check" in cell.metadata.get("tags", []) and number != failed:
            cell.outputs = []  # such as the progress of a training that was not stored
    return {"kernel": options.kernel, "seconds": seconds, "failed": failed, "code": code}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--kernel")
    parser.add_argument("--timeout", type=int, help="seconds per cell")
    parser.add_argument("--notebook", type=pathlib.Path, help="where to write the executed notebook")
    parser.add_argument("--html", type=pathlib.Path, required=True, help="where to write the report")
    parser.add_argument("--slides", type=pathlib.Path, help="where to write the slides")
    parser.add_argument("--update", action="store_true", help="store the outputs in the source if no cell fails")
    options = parser.parse_args()

    notebook = read(options.source)
    if options.kernel is None:
        write_pages(options, notebook)
        return 0
    ran = execute(options, notebook)
    reported = copy.deepcopy(notebook)
    reported.metadata["agekit"] = ran
    replace(options.notebook, nbformat.writes(reported).rstrip("\n") + "\n")
    write_pages(options, notebook)
    write_index(options.html.parent)
    if ran["failed"] is None and options.update:
        for cell in notebook.cells:
            cover(cell)
        replace(options.source, nbformat.writes(without_machine(notebook)).rstrip("\n") + "\n")
    return 0 if ran["failed"] is None else 1


if __name__ == "__main__":
    raise SystemExit(main())
