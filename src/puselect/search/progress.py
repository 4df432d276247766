"""Time and progress of a search: a deadline, steps reported to observers and to the log."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from puselect.phrases import duration
from puselect.search.loop import Search

RECENT_LAPS = 5


class Deadline:
    """The end of a fit, some seconds from now, if there is one, and how long its steps take.

    Examples
    --------
    >>> Deadline(None).left, Deadline(60).left < 60
    (inf, True)
    """

    def __init__(self, seconds: float | None) -> None:
        self.begun = time.monotonic()
        self.end = float("inf") if seconds is None else self.begun + seconds
        self.laps: deque[float] = deque(maxlen=RECENT_LAPS)
        self._mark: tuple[float, float] | None = None
        self._is_first = True
        self._aside = 0.0

    def set_aside(self, seconds: float) -> None:
        """Keep some seconds free for the work after the search."""
        self._aside = seconds

    @property
    def left(self) -> float:
        """Seconds left without those set aside; below 0 if it is late."""
        return self.end - self._aside - time.monotonic()

    @property
    def share(self) -> float:
        """The share of the time that is gone; 0 without an end."""
        return (time.monotonic() - self.begun) / max(self.end - self.begun, 1e-9)

    @property
    def lap_seconds(self) -> float:
        """The longest of the last laps: time on the clock or of all threads together, whichever is more."""
        return max(self.laps, default=0.0)

    def is_too_close(self, laps_to_come: float) -> bool:
        """Begin a lap; return whether it and the laps of one thread to come after it may end too late.

        The first lap may compile, so it is no measure of the others: only its own length is kept free for the second.
        """
        if self.end == float("inf"):
            return False
        before, self._mark = self._mark, (time.monotonic(), time.process_time())
        if before is not None:
            lap = max(self._mark[0] - before[0], self._mark[1] - before[1])
            is_first, self._is_first = self._is_first, False
            if is_first and self.left >= lap:
                return False
            self.laps.append(lap)
        return self.left <= self.lap_seconds * (1 + laps_to_come)


LOG_SECONDS = 2.0

logger = logging.getLogger("puselect")


class Throttle:
    """Returns True when enough time has passed since it last did."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.last = time.monotonic()

    def __call__(self) -> bool:
        is_due = time.monotonic() - self.last >= self.seconds
        self.last = time.monotonic() if is_due else self.last
        return is_due


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
    """Infinite after the first step, which may compile."""
    seconds: float
    """Since the search began or was resumed, without the computations before its first step."""
    is_limited: bool = False
    """Whether `max_time` limits the search."""

    @property
    def share_done(self) -> float:
        """How much of the search is over at least, 0 to 1: of its steps or its time."""
        share = self.number / self.max_iter
        return max(share, self.seconds / max(self.seconds + self.seconds_left, 1e-9)) if self.is_limited else share

    def __str__(self) -> str:
        left = f", about {duration(self.seconds_left)} left" if 0 < self.seconds_left < float("inf") else ""
        steps = f"{self.number}" if self.is_limited else f"{self.number}/{self.max_iter}"
        return f"step {steps}, best objective {self.best:.4g}, {self.settled:.0%} of the features decided{left}"


Observer = Callable[[Step], None]
_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())


@contextmanager
def watching(observer: Observer) -> Iterator[None]:
    """Call `observer` with a `Step` after every step of the searches in this block; results do not depend on it.

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


class ProgressLog:
    """Reports the steps of a search to observers, and to the log: as information if `verbose` is above 0."""

    def __init__(self, search: Search, max_iter: int, verbose: int, deadline: Deadline) -> None:
        self.search = search
        self.max_iter = max_iter
        self.level = logging.INFO if verbose > 0 else logging.DEBUG
        self.deadline = deadline
        self.due = Throttle(LOG_SECONDS)
        self.created = self.begun = time.monotonic()
        self.first_step = search.step + 1
        self.observers = _observers.get()

    def log(self, line: object) -> None:
        """Write a line to the log; it becomes text only where that is shown."""
        logger.log(self.level, "%s", line)

    def after_step(self) -> None:
        """Report the step just done."""
        search, now = self.search, time.monotonic()
        if search.step == self.first_step:
            self.begun = now
        steps = search.step - self.first_step
        left = (now - self.begun) / steps * (self.max_iter - search.step) if steps else float("inf")
        left = max(min(left, self.deadline.left), 0.0)
        is_limited = self.deadline.end < float("inf")
        best, seconds = search.recorder.best, now - self.created
        step = Step(search.step, self.max_iter, best, search.settled, left, seconds, is_limited)
        if self.due():
            self.log(step)
        for observer in self.observers:
            observer(step)
