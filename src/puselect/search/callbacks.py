"""scikit-learn's callbacks (1.9 and later); with an earlier version nothing happens.

The only module that uses private names of scikit-learn, `_skl_callbacks` and `_init_callback_context`: the public part
of its callback API cannot report the steps of an estimator of one's own. Tested with scikit-learn 1.6 to 1.9.
"""

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return `method` as it is."""
        return method


__all__ = ["CallbackSupportMixin", "FitCallbacks", "with_callbacks"]


class FitCallbacks:
    """Tells the callbacks of an estimator about the steps of its fit, where it has any.

    Parameters
    ----------
    estimator : object
        The selector being fitted.
    X, y : object
        As given to `fit`.
    """

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.estimator = estimator
        self.data = {"X": X, "y": y}
        self.context: Any = None

    def begin(self, max_steps: int) -> None:
        """Announce a fit of at most `max_steps` steps."""
        if hasattr(self.estimator, "_skl_callbacks"):
            self.context = self.estimator._init_callback_context(max_subtasks=max_steps)
            self.context.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def after_step(self) -> bool:
        """Announce a step that was done; return whether a callback asks to stop."""
        if self.context is None:
            return False
        step = self.context.subcontext(task_name="step")
        step.call_on_fit_task_begin(estimator=self.estimator)
        return bool(step.call_on_fit_task_end(estimator=self.estimator))

    def end(self) -> None:
        """Announce the end of the fit."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data)
