"""Runs one notebook from top to bottom, and writes it with its outputs and as an
HTML report that needs no network: formulas become MathML, which browsers render
natively, and no script is loaded.

`age walkthrough` calls it. Each line on standard output is a JSON object: a cell
that has run {cell, cells, seconds, section}, the failure that ended the run
{failed: {cell, section, error}}, or a formula that could not be converted {formula,
error}.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import tempfile
import time

import nbformat
import psutil
from jinja2 import DictLoader, pass_context
from latex2mathml.converter import convert
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath


def report(**event):
    print(json.dumps(event), flush=True)


def run(notebook, folder, kernel, timeout):
    """Runs the cells; returns False if one failed. The notebook keeps all outputs so far."""
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
        return True
    except CellExecutionError:
        text = errors_of(cells[at["cell"] - 1])
    except (CellControlSignal, DeadKernelError, RuntimeError) as error:
        text = str(error) or "the kernel died"
    report(failed={"cell": at.get("cell", 0), "section": at.get("section", ""), "error": text})
    return False


def errors_of(cell):
    """The errors that a failed cell printed, without color codes."""
    said = ""
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            said += output.text
        elif output.output_type == "error" and output.evalue not in said:
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
    folders = [(str(pathlib.Path(__file__).resolve().parents[1]), "."), (str(pathlib.Path.home()), "~")]

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


class Renderer(IPythonRenderer):
    """Markdown to HTML with formulas as MathML."""

    def block_math(self, body):
        return self.formula(body, "block")

    def inline_math(self, body):
        return self.formula(body, "inline")

    def latex_environment(self, name, body):
        return self.formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")

    def formula(self, body, display):
        try:
            return convert(body, display=display)
        except Exception as error:  # the package raises many types
            report(formula=body, error=f"{type(error).__name__}: {error}")
            return f"<code>{self.escape_html(body)}</code>"


class OfflineExporter(HTMLExporter):
    """nbconvert's HTML page without the scripts that it loads from the network."""

    def __init__(self, **options):
        template = "{%- extends 'index.html.j2' -%}" + "".join(
            "{%%- block html_head_js_%s %%}{%% endblock %%}" % block
            for block in ("requirejs", "mathjax", "mermaidjs")
        )
        super().__init__(
            extra_loaders=[DictLoader({"offline.html.j2": template})],
            template_file="offline.html.j2",
            extra_template_basedirs=[],  # by default the current folder: templates are code
            embed_images=True,
            **options,
        )

    @pass_context
    def markdown2html(self, context, source):
        renderer = Renderer(
            escape=False,
            attachments=context.get("cell", {}).get("attachments", {}),
            embed_images=True,
            path=context.get("resources", {}).get("metadata", {}).get("path", ""),
            anchor_link_text=self.anchor_link_text,
        )
        return MarkdownWithMath(renderer=renderer).render(source)


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


def replace(path, text):
    """Writes a file that appears only when it is complete."""
    fresh = path.with_name(path.name + ".tmp")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--kernel", required=True)
    parser.add_argument("--timeout", type=int, required=True, help="seconds per cell")
    parser.add_argument("--notebook", type=pathlib.Path, required=True, help="where to write the executed notebook")
    parser.add_argument("--html", type=pathlib.Path, required=True, help="where to write the report")
    parser.add_argument("--update", action="store_true", help="store the outputs in the source if no cell fails")
    options = parser.parse_args()

    notebook = nbformat.read(options.source, as_version=4)
    folder = options.source.resolve().parent
    with tempfile.TemporaryDirectory(prefix="age-notebook-", ignore_cleanup_errors=True) as scratch:
        os.environ["TMPDIR"] = scratch  # a kernel that is killed leaves its files
        # Outside the main thread, nbclient does not handle signals: it would give
        # the kernel many seconds.
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, lambda signum, frame: stop(signum, scratch))
        with concurrent.futures.ThreadPoolExecutor() as worker:
            done = worker.submit(run, notebook, folder, options.kernel, options.timeout).result()
    replace(options.notebook, nbformat.writes(notebook).rstrip("\n") + "\n")
    resources = {"metadata": {"name": options.source.stem, "path": str(folder)}}
    page, _ = OfflineExporter().from_notebook_node(notebook, resources)
    replace(options.html, page)
    if done and options.update:
        replace(options.source, nbformat.writes(without_machine(notebook)).rstrip("\n") + "\n")
    return 0 if done else 1


if __name__ == "__main__":
    raise SystemExit(main())
