"""Looks at the notebooks and their reports in a browser, as a reader does:

- opens each notebook in JupyterLab untrusted, as somebody has it who did not run it,
  and counts the pictures that are visible;
- looks at them in the dark theme: none may be a white slab;
- trusts it, runs its cells one by one with the keyboard, and looks again at both;
- completes a name with Tab, and interrupts a training and resumes it;
- opens each report from its file without a network, in three widths, in the dark and
  on paper, and moves every control of every interactive figure;
- opens the pages of a hostile data set, and drops it on the site: nothing may run or be
  asked for;
- fits a small graph, opens its page in four widths, by day and by night, uses and saves
  its map, and has axe-core look for what keeps readers out;
- opens the site from its files, trains in it, drops tables on it, and compares what it
  computes with the native program.

Pictures of all of this are in reports/browser. Called by scripts/browser-test.sh.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile

from playwright.sync_api import sync_playwright

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import cells, hostile, lab, pictures, runs, saved, site  # noqa: E402

COMPLETION = 2.0  # seconds


class Findings:
    """Prints what was looked at and what is wrong with it."""

    def __init__(self):
        self.failed = self.slow = 0

    def say(self, subject, text, wrong=(), slow=()):
        self.failed += len(wrong)
        self.slow += len(slow)
        print(f"{subject}: {text}", *(f"  FAILED: {w}" for w in wrong), *(f"  SLOW: {s}" for s in slow), sep="\n", flush=True)


def copies(paths, folder):
    """Copies notebooks, with their figures; a cell must not look as if it had run."""
    shutil.copytree(lab.ROOT / "notebooks/figures", folder / "figures")
    shutil.copytree(lab.ROOT / "assets/examples", folder.parent / "assets/examples")
    for path in paths:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["execution_count"] = None
        (folder / path.name).write_text(json.dumps(notebook), encoding="utf-8")
    return [folder / path.name for path in paths]


def in_lab(browser, paths, run, shots, scratch, findings):
    folder, data = scratch / "notebooks", scratch / "data"
    folder.mkdir()
    data.mkdir()
    paths = copies(paths, folder)
    with lab.lab(folder, data) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        for name, seconds in cells.complete(page, address, folder):
            if seconds is None:
                findings.say("completion", f"of {name}", wrong=["none in half a minute"])
            else:
                findings.say("completion", f"{name} in {seconds:.1f} s", slow=[f"more than {COMPLETION} s"] if seconds > COMPLETION else [])
        lab.stop_kernels(address)
        findings.say("interrupt", "a training is stopped and resumed", wrong=cells.interrupt(page, address, folder))
        lab.stop_kernels(address)
        for path in paths:
            lab.open_notebook(page, address, path)
            count, wrong = pictures.check(page, path, trusted=False)
            lab.screenshot(page, shots / f"{path.stem}-untrusted.png")
            findings.say(f"{path.name}, untrusted", f"{count} pictures", wrong + pictures.in_the_dark(page))
            lab.stop_kernels(address)
        lab.sign(paths, data)
        for path in paths:
            if not path.match(run):
                continue
            lab.open_notebook(page, address, path)
            lines, wrong, slow = cells.run_all(page, address, path)
            count, bad = pictures.check(page, path, trusted=True)
            lab.screenshot(page, shots / f"{path.stem}-run.png")
            findings.say(f"{path.name}, run", f"{count} pictures; cells: {', '.join(lines)}", wrong + bad + pictures.in_the_dark(page), slow)
            lab.stop_kernels(address)
        page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=pathlib.Path, help="without any, only the site is looked at")
    parser.add_argument("--reports", type=pathlib.Path, default=lab.ROOT / "reports", help="the folder of the reports (default: reports)")
    parser.add_argument("--run", default="*", help="pattern of the notebooks whose cells are run in JupyterLab (default: all)")
    parser.add_argument("--strict", action="store_true", help="a cell that is slow on this machine is a failure too")
    options = parser.parse_args()
    shots = lab.ROOT / "reports/browser"
    shots.mkdir(parents=True, exist_ok=True)
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="agekit-browser-", ignore_cleanup_errors=True) as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("AGEKIT_CHROMIUM") or None, args=["--no-sandbox"])
        findings.say("the site", *site.check(browser, shots))
        findings.say("the site with hostile data", *hostile.dropped(browser, pathlib.Path(scratch), shots))
        if options.notebooks:
            page, run = runs.make(pathlib.Path(scratch))
            findings.say("the page of a run", *runs.check(browser, page, run, shots))
            findings.say("pages of hostile data", *hostile.check(browser, hostile.make(pathlib.Path(scratch)), shots))
            in_lab(browser, options.notebooks, options.run, shots, pathlib.Path(scratch), findings)
        for path in options.notebooks:
            report = options.reports.resolve() / f"{path.stem}.html"
            if not report.exists():
                findings.say(report.name, "is missing", wrong=["run make walkthrough first"])
                continue
            figures, moves, wrong = saved.check(browser, report, shots)
            findings.say(report.name, f"{figures} interactive figures, {moves} moves", wrong)
        browser.close()
    print(f"{findings.failed} failures, {findings.slow} slow; pictures in {shots.relative_to(lab.ROOT)}")
    return 1 if findings.failed or options.strict and findings.slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
