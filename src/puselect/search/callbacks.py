"""Callbacks: functions, and those of scikit-learn (1.9 and later).

The only module that uses private names of scikit-learn, `_skl_callbacks` and `_init_callback_context`: the public part
of its callback API cannot report the steps of an estimator of one's own. Tested with scikit-learn 1.6 to 1.9.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Self

from puselect.search.progress import Step, watching

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return `method` as it is."""
        return method


__all__ = ["FitCallbacks", "StepCallbacks", "with_callbacks"]


class StepCallbacks(CallbackSupportMixin):
    """A selector whose steps can be followed, by functions and by scikit-learn's callbacks."""

    _step_functions: tuple[Callable[[Step], Any], ...] = ()

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set the callbacks after every step of `fit`; replaces earlier ones.

        Parameters
        ----------
        *callbacks : callable or callback of scikit-learn
            A function is called with a `puselect.search.progress.Step`; if it returns True, the search ends with the
            best features so far. Callbacks of scikit-learn need version 1.9 or later.

        Examples
        --------
        >>> import numpy as np
        >>> from puselect import FSCPU
        >>> X = np.random.default_rng(0).random((50, 4))
        >>> selector = FSCPU(2, random_state=0).set_callbacks(lambda step: step.number == 3)
        >>> selector.fit(X, np.arange(50) < 10).n_iter_
        3
        """
        functions = tuple(one for one in callbacks if callable(one) and not hasattr(one, "on_fit_task_end"))
        others = [one for one in callbacks if one not in functions]
        if hasattr(CallbackSupportMixin, "set_callbacks"):
            super().set_callbacks(*others)
        elif others:
            raise ValueError(f"a callback must be a function, got {others[0]!r}; others need scikit-learn 1.9 or later")
        self._step_functions = functions
        return self


class FitCallbacks:
    """Tells the callbacks of an estimator about the steps of its fit, where it has any."""

    def __init__(self, estimator: StepCallbacks, X: Any, y: Any) -> None:
        self.estimator: Any = estimator
        self.data = {"X": X, "y": y}
        self.context: Any = None
        self.is_asked_to_stop = False

    def watching(self) -> AbstractContextManager[None]:
        """Call the functions after every step in this block."""
        return watching(self._call)

    def _call(self, step: Step) -> None:
        for function in self.estimator._step_functions:
            self.is_asked_to_stop |= function(step) is True

    def begin(self, max_steps: int) -> None:
        """Announce a fit of at most `max_steps` steps."""
        if hasattr(self.estimator, "_skl_callbacks"):
            self.context = self.estimator._init_callback_context(max_subtasks=max_steps)
            self.context.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def after_step(self) -> bool:
        """Announce a step that was done; return whether a callback asks to stop."""
        if self.context is None:
            return self.is_asked_to_stop
        step = self.context.subcontext(task_name="step")
        step.call_on_fit_task_begin(estimator=self.estimator)
        return bool(step.call_on_fit_task_end(estimator=self.estimator)) or self.is_asked_to_stop

    def end(self) -> None:
        """Announce the end of the fit."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data)
