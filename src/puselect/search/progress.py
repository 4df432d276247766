"""scikit-learn's callbacks (1.9 and later) and progress in the log; where they are missing, nothing happens."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning

from puselect.search.loop import Search

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return `method` as it is."""
        return method


__all__ = [
    "CallbackSupportMixin",
    "InterruptedSearchWarning",
    "Progress",
    "Step",
    "Throttle",
    "watching",
    "with_callbacks",
]

LOG_SECONDS = 2.0

logger = logging.getLogger("puselect")


class InterruptedSearchWarning(ConvergenceWarning):
    """Ctrl-C ended a search early; what it returns is the best so far."""


class Throttle:
    """Says when enough time has passed since it last said so."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.last = time.monotonic()

    def __call__(self) -> bool:
        due = time.monotonic() - self.last >= self.seconds
        if due:
            self.last = time.monotonic()
        return due


class Step(NamedTuple):
    """Where a search stands."""

    number: int
    """Steps done."""
    max_iter: int
    """Steps at most."""
    best: float
    """Best objective of any mask so far."""
    settled: float
    """Share of the features that are decided."""
    seconds_left: float
    """At most: a search ends when all features are settled. Infinite after the first step, which may compile."""

    def __str__(self) -> str:
        left = f", at most {self.seconds_left:.0f} s left" if self.seconds_left < float("inf") else ""
        return (
            f"step {self.number}/{self.max_iter}, best objective {self.best:.4g}, "
            f"{self.settled:.0%} of the features settled{left}"
        )


Observer = Callable[[Step], None]
_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())


@contextmanager
def watching(observer: Observer) -> Iterator[None]:
    """Call `observer` after every step of the searches in this block; it sees them and changes nothing.

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
    ...     selector = FSCPU(2, max_iter=3, early_stopping=False, random_state=0).fit(X, np.arange(50) < 10)
    >>> [step.number for step in steps]
    [1, 2, 3]
    """
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)


class Progress:
    """Reports a search: to observers and scikit-learn's callbacks at every step, to the log every two seconds.

    Parameters
    ----------
    estimator : object
        The selector being fitted.
    search : Search
    max_iter : int
    verbose : int
        Above 0, progress goes to standard error where logging is not set up.
    """

    def __init__(self, estimator: Any, search: Search, max_iter: int, verbose: int) -> None:
        self.estimator = estimator
        self.search = search
        self.max_iter = max_iter
        self.due = Throttle(LOG_SECONDS)
        self.begun: float | None = None
        self.first_step = search.step + 1
        self.level = logging.INFO if verbose > 0 else logging.DEBUG
        self.context: Any = None
        self.observers = _observers.get()
        if verbose > 0 and not logger.hasHandlers():
            logger.addHandler(logging.StreamHandler())
            logger.setLevel(logging.INFO)

    def begin(self, X: Any, y: Any) -> None:
        """Open the fit for callbacks, where the estimator has any."""
        if hasattr(self.estimator, "_skl_callbacks"):
            self.context = self.estimator._init_callback_context(max_subtasks=self.max_iter - self.search.step)
            self.context.call_on_fit_task_begin(estimator=self.estimator, X=X, y=y)

    def end(self, X: Any, y: Any) -> None:
        """Close the fit for callbacks."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, X=X, y=y)

    def tell(self, line: str) -> None:
        """Write a line to the log."""
        logger.log(self.level, "%s", line)

    def after_step(self) -> bool:
        """Report the step just done; True when a callback asks to stop."""
        if self.begun is None:
            self.begun = time.monotonic()
        due = self.due()
        if due or self.observers:
            now = self._step(self.begun)
            if due:
                self.tell(str(now))
            for observer in self.observers:
                observer(now)
        if self.context is None:
            return False
        step = self.context.subcontext(task_name="step")
        step.call_on_fit_task_begin(estimator=self.estimator)
        return bool(step.call_on_fit_task_end(estimator=self.estimator))

    def _step(self, begun: float) -> Step:
        search, spent = self.search, time.monotonic() - begun
        steps = search.step - self.first_step
        left = spent / steps * (self.max_iter - search.step) if steps else float("inf")
        return Step(search.step, self.max_iter, search.recorder.best, search.settled, left)
