"""Repetition of work that may be repeated, with growing pauses."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from .problem import Problem

Result = TypeVar("Result")

_first_pause_s = 0.2
_pause_max_s = 5.0
# Long enough for a restart of the service.
outage_max_s = 60.0


class Backoff:
    """Pauses within one outage, in seconds."""

    def __init__(self, outage_max_s: float = outage_max_s) -> None:
        self._outage_max_s = outage_max_s
        self.renew()

    def renew(self) -> None:
        """Ends the outage: the service has answered, or sent a byte."""
        self._pause_s = _first_pause_s
        self._away_since: float | None = None

    def wait(self, problem: Problem) -> None:
        """Waits before the next attempt, as long as the service requests. Raises final problems."""
        now = time.monotonic()
        self._away_since = self._away_since or now
        left_s = self._away_since + self._outage_max_s - now
        pause_s = max(self._pause_s, problem.retry_after)
        if not problem.is_passing or pause_s > left_s:
            raise problem
        self._pause_s = min(_pause_max_s, self._pause_s * 1.5)
        time.sleep(pause_s)


def retry(work: Callable[[], Result], outage_max_s: float = outage_max_s) -> Result:
    """Repeats work until it succeeds, or a problem is final or lasts for the whole outage."""
    backoff = Backoff(outage_max_s)
    while True:
        try:
            return work()
        except Problem as problem:
            backoff.wait(problem)


def poll(ask: Callable[[], Result], has_ended: Callable[[Result], bool]) -> Result:
    """Asks again and again, with growing pauses, until the state is final; returns the last state."""
    pause_s = 0.02
    while True:
        state = ask()
        if has_ended(state):
            return state
        time.sleep(pause_s)
        pause_s = min(1.0, pause_s * 1.5)
