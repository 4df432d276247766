"""scikit-learn's callbacks (1.9 and later) and progress in the log; where they are missing, nothing happens."""

import logging
import time
from collections.abc import Callable
from typing import Any

from puselect.search.loop import Search

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return `method` as it is."""
        return method


__all__ = ["CallbackSupportMixin", "Progress", "Throttle", "with_callbacks"]

LOG_SECONDS = 2.0

logger = logging.getLogger("puselect")


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


class Progress:
    """Reports a search: to scikit-learn's callbacks at every step, to the log every two seconds.

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
        self.begun = time.monotonic()
        self.first_step = search.step
        self.level = logging.INFO if verbose > 0 else logging.DEBUG
        self.context: Any = None
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
        if self.due():
            self.tell(self._line())
        if self.context is None:
            return False
        step = self.context.subcontext(task_name="step")
        step.call_on_fit_task_begin(estimator=self.estimator)
        return bool(step.call_on_fit_task_end(estimator=self.estimator))

    def _line(self) -> str:
        search, spent = self.search, time.monotonic() - self.begun
        left = spent / (search.step - self.first_step) * (self.max_iter - search.step)
        return (
            f"step {search.step}/{self.max_iter}, best objective {search.recorder.best:.4g}, "
            f"{search.settled:.0%} of the features settled, at most {left:.0f} s left"
        )
