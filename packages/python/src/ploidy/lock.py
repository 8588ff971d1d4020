"""Lock between processes, which the command line respects as well: a refresh token works once."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .problem import Problem

# Longer than the work can take: an older lock was left behind by a process that was killed.
_stale_s = 90
_guard_stale_s = 10


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock while no other process on this computer does, as far as they use it."""
    token = str(uuid.uuid4())
    given_up_at = time.monotonic() + 2 * _stale_s
    while not _create(path, token):
        if time.monotonic() > given_up_at:
            raise Problem(f"{path} is held by another process. Remove it.", code="LOCKED")
        if _is_older(path, _stale_s):
            _remove_if(path, lambda: _is_older(path, _stale_s))
        else:
            time.sleep(0.1)
    try:
        yield
    finally:
        _remove_if(path, lambda: _holds(path, token))


def _remove_if(path: Path, is_removable: Callable[[], bool]) -> None:
    """Removes a lock if a condition holds. A second file keeps others away between the two."""
    guard = path.with_name(f"{path.name}.guard")
    while not _create(guard, ""):
        if _is_older(guard, _guard_stale_s):
            guard.unlink(missing_ok=True)
        else:
            time.sleep(0.005)
    try:
        if is_removable():
            path.unlink(missing_ok=True)
    finally:
        guard.unlink(missing_ok=True)


def _create(path: Path, text: str) -> bool:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf8") as file:
            file.write(text)
        return True
    except FileExistsError:
        return False


def _holds(path: Path, token: str) -> bool:
    """Reports whether the lock is still that of this token: a late process may have lost it."""
    try:
        return path.read_text("utf8") == token
    except FileNotFoundError:
        return False


def _is_older(path: Path, age_s: float) -> bool:
    try:
        return time.time() - path.stat().st_mtime > age_s
    except FileNotFoundError:
        return False
