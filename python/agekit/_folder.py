"""Temporary folders that do not outlive the process for long, even if it is killed."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import IO

_PREFIX, _LOCK = "agekit-", "in-use"


@contextlib.contextmanager
def folder() -> Iterator[pathlib.Path]:
    """A folder for one call of the program. First removes the folders that killed
    processes have left: those with a lock that nobody holds."""
    _remove_abandoned()
    path = pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX))
    owner = os.getpid()
    try:
        with open(path / "new", "wb") as lock:
            with contextlib.suppress(OSError):  # file systems without locks
                _hold(lock)
                os.link(path / "new", path / _LOCK)  # others see the lock only once it is held
            yield path
    finally:
        if os.getpid() == owner:  # not in a forked child
            shutil.rmtree(path, ignore_errors=True)


def _remove_abandoned() -> None:
    for path in pathlib.Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):  # those of others, and those that are held
            if path.is_symlink():
                continue
            with open(path / _LOCK, "rb") as lock:
                _hold(lock)
            shutil.rmtree(path, ignore_errors=True)


def _hold(lock: IO[bytes]) -> None:
    """Locks a file until it is closed, or raises OSError if another process has."""
    if sys.platform == "win32":
        import msvcrt

        lock.seek(0)
        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
