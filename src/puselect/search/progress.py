"""Progress of a search: to observers at every step, to the log every two seconds."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from puselect.phrases import duration
from puselect.search.deadline import Deadline
from puselect.search.loop import Search

LOG_SECONDS = 2.0

logger = logging.getLogger("puselect")


class Throttle:
    """Returns True when enough time has passed since it last did."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.last = time.monotonic()

    def __call__(self) -> bool:
        due = time.monotonic() - self.last >= self.seconds
        if due:
            self.last = time.monotonic()
        return due


class Step(NamedTuple):
    """The state of a search after a step."""

    number: int
    """Steps done."""
    max_iter: int
    """Steps at most."""
    best: float
    """Best objective of any mask so far."""
    settled: float
    """Share of decided features, 0 to 1; see `Search.settled`."""
    seconds_left: float
    """At most: a search ends when it has converged. Infinite after the first step, which may compile."""
    seconds: float
    """Since the search began or was resumed, without what was computed before its first step."""
    is_limited: bool = False
    """Whether `max_time` limits the search."""

    @property
    def share_done(self) -> float:
        """How much of the search is over at least, 0 to 1: of its steps, its decisions or its time."""
        share = max(self.number / self.max_iter, self.settled)
        return max(share, self.seconds / max(self.seconds + self.seconds_left, 1e-9)) if self.is_limited else share

    def __str__(self) -> str:
        left = f", at most {duration(self.seconds_left)} left" if 0 < self.seconds_left < float("inf") else ""
        steps = f"{self.number}" if self.is_limited else f"{self.number}/{self.max_iter}"
        return (
            f"step {steps}, best objective {self.best:.4g}, "
            f"{self.settled:.0%} of the features decided{left}"
        )


Observer = Callable[[Step], None]
_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())


@contextmanager
def watching(observer: Observer) -> Iterator[None]:
    """Call `observer` after every step of the searches in this block; results do not depend on it.

    Parameters
    ----------
    observer : callable
        Called with a `Step`.

    Examples
    --------
    >>> import numpy as np
    >>> from puselect import FSCPU
    >>> steps = []
    >>> X = np.random.default_rng(0).random((50, 4))
    >>> with watching(steps.append):
    ...     selector = FSCPU(2, max_iter=3, random_state=0).fit(X, np.arange(50) < 10)
    >>> [step.number for step in steps]
    [1, 2, 3]
    """
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def shown_log(verbose: int) -> Iterator[None]:
    """Show the log on standard error in this block if `verbose` is above 0 and logging is not set up."""
    if verbose <= 0 or logger.hasHandlers():
        yield
        return
    handler, level = logging.StreamHandler(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


def log_line(line: str, verbose: int) -> None:
    """Write a line to the log: as information if `verbose` is above 0, otherwise for debugging."""
    with shown_log(verbose):
        logger.log(logging.INFO if verbose > 0 else logging.DEBUG, "%s", line)


class ProgressLog:
    """Reports the steps of a search.

    Parameters
    ----------
    search : Search
    max_iter : int
    verbose : int
        Above 0, progress is logged as information, otherwise for debugging.
    deadline : Deadline
    """

    def __init__(self, search: Search, max_iter: int, verbose: int, deadline: Deadline) -> None:
        self.search = search
        self.max_iter = max_iter
        self.due = Throttle(LOG_SECONDS)
        self.created = time.monotonic()
        self.begun: float | None = None
        self.first_step = search.step + 1
        self.verbose = verbose
        self.deadline = deadline
        self.observers = _observers.get()

    def log(self, line: str) -> None:
        """Write a line to the log."""
        log_line(line, self.verbose)

    def after_step(self) -> None:
        """Report the step just done."""
        if self.begun is None:
            self.begun = time.monotonic()
        due = self.due()
        if due or self.observers:
            now = self._step(self.begun)
            if due:
                self.log(str(now))
            for observer in self.observers:
                observer(now)

    def _step(self, begun: float) -> Step:
        search, now = self.search, time.monotonic()
        steps = search.step - self.first_step
        left = (now - begun) / steps * (self.max_iter - search.step) if steps else float("inf")
        left = max(min(left, self.deadline.left), 0.0)
        is_limited = self.deadline.end < float("inf")
        best, seconds = search.recorder.best, now - self.created
        return Step(search.step, self.max_iter, best, search.settled, left, seconds, is_limited)
