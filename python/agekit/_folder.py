"""Temporary folders that do not outlive the process for long, even if it is killed."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
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
        with open(path / "new", "w+b") as lock:
            lock.write(_mark(path))
            lock.flush()
            with contextlib.suppress(OSError):  # file systems without locks
                _hold(lock)
                os.link(path / "new", path / _LOCK)  # others see the lock only once it is held
            yield path
    finally:
        if os.getpid() == owner:  # not in a forked child
            shutil.rmtree(path, ignore_errors=True)


def _mark(path: pathlib.Path) -> bytes:
    """What the lock in a folder of ours holds. Its name is in it: a copy has no mark."""
    return f"agekit's temporary folder {path.name}\n".encode()


def _remove_abandoned() -> None:
    """Removes what carries our mark, belongs to this user, and is held by no process."""
    for path in pathlib.Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):  # those of others, and those that are held
            if not (_ours(path, stat.S_ISDIR) and _ours(path / _LOCK, stat.S_ISREG)):
                continue
            with open(path / _LOCK, "rb", opener=_without_waiting) as lock:
                _hold(lock)
                lock.seek(0)
                marked = lock.read(1000) == _mark(path)
            if marked:
                shutil.rmtree(path, ignore_errors=True)


def _ours(path: pathlib.Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether a path, itself and not where it leads, is of a kind and this user's."""
    info = os.lstat(path)
    return is_kind(info.st_mode) and (not hasattr(os, "geteuid") or info.st_uid == os.geteuid())


def _without_waiting(path: str, flags: int) -> int:
    """Opens a file, but neither waits for a pipe nor follows a link in its place."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def _hold(lock: IO[bytes]) -> None:
    """Locks a file until it is closed, or raises OSError if another process has."""
    if sys.platform == "win32":
        import msvcrt

        lock.seek(0)
        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
