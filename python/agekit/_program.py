"""Runs the program agekit."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile


class AgeError(ValueError):
    """What the program said about wrong input or settings."""


def program():
    """Returns the path of the program: $AGEKIT, or else the one in this package."""
    return os.environ.get("AGEKIT") or _carried()


def _carried():
    """Returns the path of the program in this package. The PATH is not searched: the
    agekit that is found there may be this package's own command, see main."""
    path = pathlib.Path(__file__).parent / "bin" / ("agekit.exe" if os.name == "nt" else "agekit")
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"no program at {path}: install the package with pip, or name a program with $AGEKIT")
    return str(path)


def run(arguments, verbose):
    """Runs agekit and returns what it printed. Its progress goes to stderr if verbose."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:  # unlike a pipe, it never fills up
        process = subprocess.Popen([program(), *arguments], stdout=out, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
        messages = ""
        try:
            for line in process.stderr:
                messages += line
                if verbose:
                    sys.stderr.write(line)
            process.wait()
        except BaseException:  # Ctrl-C stops the program too; its checkpoints stay
            process.terminate()
            process.wait()
            raise
        finally:
            process.stderr.close()
        if process.returncode:
            lines = [line for line in messages.splitlines() if line.startswith("agekit: ")]
            raise AgeError(lines[-1].removeprefix("agekit: ") if lines else f"agekit ended with {process.returncode}: {messages[-500:]}")
        out.seek(0)
        return out.read()


def main():
    """The command agekit, as pip installs it: runs the program in this package."""
    command = [_carried(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(_wait(command))
    os.execv(command[0], command)  # so that the program gets every signal itself


def _wait(command):
    """Runs a command where exec would return to the shell at once, as on Windows, and
    returns its exit code. The console sends Ctrl-C to the program as well, which
    decides what to do about it."""
    signal.signal(signal.SIGINT, lambda *_: None)
    return subprocess.Popen(command).wait()
