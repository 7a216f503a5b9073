"""Runs the program agekit."""

import os
import pathlib
import shutil
import subprocess
import sys


class AgeError(ValueError):
    """What the program said about wrong input or settings."""


def program():
    """Returns the path of the program: $AGE, the one in this package, or the one in PATH."""
    own = pathlib.Path(__file__).parent / "bin" / ("agekit.exe" if os.name == "nt" else "agekit")
    for candidate in (os.environ.get("AGEKIT"), str(own), shutil.which("agekit")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise FileNotFoundError(f"no program agekit: want it at {own}, in PATH, or named by $AGEKIT")


def run(arguments, verbose):
    """Runs agekit and returns what it printed. Its progress goes to stderr if verbose."""
    process = subprocess.Popen([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        if verbose:
            said = []
            for line in process.stderr:
                said.append(line)
                sys.stderr.write(line)
            out, messages = process.stdout.read(), "".join(said)
            process.wait()
        else:
            out, messages = process.communicate()
    except BaseException:  # Ctrl-C stops the program too; its checkpoints stay
        process.terminate()
        process.wait()
        raise
    if process.returncode:
        lines = [line for line in messages.splitlines() if line.startswith("agekit: ")]
        raise AgeError(lines[-1].removeprefix("agekit: ") if lines else f"agekit ended with {process.returncode}: {messages[-500:]}")
    return out
