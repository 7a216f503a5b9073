"""Runs the program agekit."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from typing import Any

log = logging.getLogger("agekit")
log.addHandler(logging.NullHandler())


class AgeError(ValueError):
    """What the program said about wrong input or settings."""


class AgeWarning(UserWarning):
    """What was left out or changed in the data."""


def warn(text: str) -> None:
    """Warns where the package was called."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("agekit", "sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, AgeWarning, stacklevel=level)


def program() -> str:
    """Returns the path of the program: $AGEKIT, or else the one in this package."""
    return os.environ.get("AGEKIT") or _carried()


def _carried() -> str:
    """Returns the path of the program in this package. The PATH is not searched: the
    agekit that is found there may be this package's own command, see main."""
    path = pathlib.Path(__file__).parent / "bin" / ("agekit.exe" if os.name == "nt" else "agekit")
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"no program at {path}: install the package with pip, or name a program with $AGEKIT")
    return str(path)


def run(arguments: Sequence[str], folder: str | os.PathLike[str] | None = None, verbose: bool | None = False) -> str:
    """Runs agekit, in a folder if one is given, and returns what it printed.

    Lines on its stderr that begin with "warning: " become an AgeWarning, the last that
    begins with "agekit: " an AgeError if it fails, and the others are logged.
    """
    # Unlike a pipe, a file never fills up.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out, _Bar(verbose) as bar:
        process = subprocess.Popen(
            [os.path.abspath(program()), *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        assert process.stderr
        lines: list[str] = []
        try:
            for line in process.stderr:
                line = line.rstrip("\n")
                if line.startswith("warning: "):
                    warn(in_python(line.removeprefix("warning: ")))
                    continue
                lines.append(line)
                if not line.startswith("agekit: "):
                    line = in_python(line)
                    log.info("%s", line)
                    bar.show(line)
            process.wait()
        except BaseException:  # Ctrl-C stops the program too; its checkpoints stay
            process.terminate()
            process.wait()
            raise
        finally:
            process.stderr.close()
        if process.returncode:
            errors = [line for line in lines if line.startswith("agekit: ")]
            if errors:
                raise AgeError(in_python(errors[-1].removeprefix("agekit: ")))
            why = next((line for line in lines if line.startswith(("panic: ", "fatal error: "))), "\n".join(lines[-3:]))
            raise RuntimeError(f"agekit ended with {process.returncode}: {why}; logging.getLogger('agekit') has all that it said")
        out.seek(0)
        return out.read()


# What the program's files and flags are in Python.
FILES = {"graph.npz": "X", "nodes.csv": "nodes", "edges.csv": "edges", "features.npy": "features", "features.npz": "features"}
_FLAGS = {"seed": "random_state", "out": "path"}
# What the program advises on the command line, and what Python has instead.
_ADVICE = (
    (r"Leave it out with --drop (\".*?\"|\S+), make it the ids .*", r"Leave it out, nodes.drop(columns=\1), or make it the ids, nodes.set_index(\1)"),
    (r" \([^()]*--category[^()]*\)", " (.astype('category') keeps it)"),
    (r" \((?:see agekit help|[^()]*--(?!clusters|layers|k\b|epochs|best|seed|label|features|nodes|edges)[^()]*)\)", ""),
    (r": want --id with one of .*", ""),
)


def in_python(text: str) -> str:
    """Returns a message of the program in the words of Python: arguments instead of
    files, lines and flags."""
    for file, name in FILES.items():
        text = re.sub(rf"\b{re.escape(file)}:(\d+)", lambda m, name=name: f"{name}, row {int(m[1]) - 2} (from 0)", text)  # type: ignore[misc]
        text = re.sub(rf"\b{re.escape(file)}\b", name, text)
    for pattern, advice in _ADVICE:
        text = re.sub(pattern, advice, text)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda m: _FLAGS.get(m[1], m[1].replace("-", "_")), text)


class _Bar:
    """Shows how far the program is, from the times and epochs in its lines."""

    def __init__(self, verbose: bool | None) -> None:
        """verbose None shows a bar in a terminal and in a notebook, but not in each of the
        processes of a search."""
        if verbose is None:
            verbose = multiprocessing.parent_process() is None and ("ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty()))
        self._bar: Any = None
        self._start = time.monotonic()
        if verbose:
            with warnings.catch_warnings():  # that a notebook without ipywidgets gets a bar of text
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm
            self._bar = tqdm(total=1, leave=False, bar_format="{percentage:3.0f}% |{bar:24}| {elapsed}{postfix}")

    def show(self, line: str) -> None:
        if self._bar is None:
            return
        elapsed = time.monotonic() - self._start
        share = 0.0
        if left := re.search(r"\b(?:(\d+)h)?(?:(\d+)m)?(\d+)s left$", line):
            hours, minutes, seconds = (int(part or 0) for part in left.groups())
            share = elapsed / max(elapsed + 3600 * hours + 60 * minutes + seconds, 1e-9)
        elif epoch := re.match(r"epoch (\d+) of (\d+)\b", line):
            share = int(epoch[1]) / max(int(epoch[2]), 1)
        self._bar.n = max(self._bar.n, min(share, 1))  # it never goes back
        self._bar.set_postfix_str(line[:70])

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def main() -> None:
    """The command agekit, as pip installs it: runs the program in this package."""
    command = [_carried(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(_wait(command))
    os.execv(command[0], command)  # so that the program gets every signal itself


def _wait(command: list[str]) -> int:
    """Runs a command where exec would return to the shell at once, as on Windows, and
    returns its exit code. The console sends Ctrl-C to the program as well, which
    decides what to do about it."""
    signal.signal(signal.SIGINT, lambda *_: None)
    return subprocess.Popen(command).wait()
