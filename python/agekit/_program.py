"""Runs the program agekit."""

from __future__ import annotations

import json
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
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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


def shown(value: Any) -> str:
    """Returns an id or a value as messages show it."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def listed(names: Any) -> str:
    """Returns names as messages show them, the first of many."""
    names = [shown(c) for c in names]
    return ", ".join(names[:8] + ["…"] * (len(names) > 8)) or "none"


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


def run(arguments: Sequence[str], folder: str | os.PathLike[str] | None = None, verbose: bool | None = False, warn: Callable[[str], None] = warn) -> str:
    """Runs agekit, in a folder if one is given, and returns what it printed.

    A warning on its stderr becomes an AgeWarning, unless the caller takes it with warn; its error becomes an
    AgeError if it fails, and the other lines are logged.
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
            env={**os.environ, "AGEKIT_MESSAGES": "json"},
        )
        assert process.stderr
        lines: list[str] = []
        error = None
        try:
            for line in process.stderr:
                line = line.rstrip("\n")
                message = _message(line)
                if "warning" in message:
                    warn(_sentence(message["warning"], message))
                elif "error" in message:
                    error = _sentence(message["error"], message)
                else:
                    event = message or {"line": line}
                    if "line" in event:
                        lines.append(event["line"])
                        event["line"] = in_python(event["line"])
                        log.info("%s", event["line"])
                    bar.show(event)
            process.wait()
        except BaseException:  # Ctrl-C stops the program too; its checkpoints stay
            process.terminate()
            process.wait()
            raise
        finally:
            process.stderr.close()
        if process.returncode:
            if error:
                raise AgeError(error)
            why = next((line for line in lines if line.startswith(("panic: ", "fatal error: "))), "\n".join(lines[-3:]))
            raise RuntimeError(f"agekit ended with {process.returncode}: {why}; logging.getLogger('agekit') has all that it said")
        out.seek(0)
        return out.read()


def _message(line: str) -> dict[str, Any]:
    """Returns the warning, error or event that a line of JSON has; nothing for other lines."""
    if not line.startswith(('{"warning":', '{"error":', '{"stage":', '{"left":', '{"line":')):
        return {}
    message: dict[str, Any] = json.loads(line)
    return message


# What the program's files and options are in Python.
FILES = {"graph.npz": "X", "X.csv": "X", "nodes.csv": "nodes", "edges.csv": "edges", "features.npy": "features", "features.npz": "features"}
_ARGUMENTS = {
    "seed": "random_state",
    "out": "path",
    "Source.Edges": "X",
    "Source.Nodes": "nodes",
    "Source.Features": "features",
    "Source.Labels": "label",
    "Source.Label": "label",
    "Source.Neighbors": "n_neighbors",
}
# What Python has for the options that the program advises. Other advice has no place here.
_ADVICE = {
    "Source.Columns.Drop": "nodes.drop(columns={})",
    "Source.ID": "nodes.set_index({})",
    "Source.Columns.Category": ".astype('category')",
    "Source.Columns.Number": "features=nodes[[{}]]",
}
# What keeps a column that would be left out: as features, it is taken as it is.
_KEEPS = {"Source.Columns.Number": "features=", "Source.Columns.Category": "features=pd.get_dummies(…)"}


def _advised(advice: dict[str, Any]) -> str:
    """Returns what advice says in Python; "" if Python has nothing for it, or the advice lacks the
    column that Python needs to name."""
    form = (_KEEPS if advice["effect"] == "%s keeps it" else _ADVICE).get(advice["option"], "")
    if not form or "{}" in form and not advice.get("value"):
        return ""
    return str(advice["effect"]).replace("%s", form.format(advice.get("value", "")))


def _sentence(parts: list[Any], message: dict[str, Any]) -> str:
    """Returns a message of the program, which consists of texts, names of options and advice."""
    text = "".join(in_python(part) if isinstance(part, str) else _ARGUMENTS.get(part["option"], part["option"]) for part in parts)
    advice = [known for a in message.get("advice", []) if (known := _advised(a))]
    return "; ".join([text, ", ".join(advice)]) if advice else text


def in_python(text: str) -> str:
    """Returns a text of the program with arguments in place of files and lines. Files in
    folders, which are the caller's, keep their names."""
    for file, name in FILES.items():
        text = re.sub(rf"(?<![/\\])\b{re.escape(file)}:(\d+)", lambda m, name=name: f"{name}, row {int(m[1]) - 2} (from 0)", text)  # type: ignore[misc]
        text = re.sub(rf"(?<![/\\])\b{re.escape(file)}\b", name, text)
    return re.sub(r"\bin line (\d+)\b", lambda m: f"in row {int(m[1]) - 2} (from 0)", text)


class _Bar:
    """Shows how far the program is, from its events."""

    def __init__(self, verbose: bool | None) -> None:
        """verbose None shows a bar in a terminal and in a notebook, but not in each of the
        processes of a search."""
        if verbose is None:
            verbose = multiprocessing.parent_process() is None and ("ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty()))
        self._bar: Any = None
        self._stage = ""
        self._start = time.monotonic()  # of the stage
        if verbose:
            with warnings.catch_warnings():  # that a notebook without ipywidgets gets a bar of text
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm
            self._bar = tqdm(total=1, leave=False, bar_format="{percentage:3.0f}% |{bar:24}| {elapsed}{postfix}")

    def show(self, event: dict[str, Any]) -> None:
        """Moves with the time left or, where it is unknown, with what is done of a stage. Within a
        stage it never goes back."""
        if self._bar is None:
            return
        if (stage := event.get("stage", self._stage)) != self._stage:
            self._stage, self._start, self._bar.n = stage, time.monotonic(), 0
            self._bar.set_postfix_str(stage[:70], refresh=False)
        elapsed = time.monotonic() - self._start
        share = 0.0
        if left := event.get("left"):
            share = elapsed / (elapsed + left)
        elif total := event.get("total"):
            share = event["done"] / total
        self._bar.n = max(self._bar.n, min(share, 1))
        if line := event.get("line"):
            self._bar.set_postfix_str(line[:70], refresh=False)
        self._bar.refresh()

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
