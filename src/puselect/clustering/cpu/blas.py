"""Settings of the whole process that several threads may want changed at the same time, such as threads of BLAS."""

from collections.abc import Callable
from contextlib import ContextDecorator
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


class ProcessSetting(ContextDecorator):
    """A context in which `change` has changed a setting; the last thread to leave calls the function that it returned.

    Examples
    --------
    >>> seen = []
    >>> setting = ProcessSetting(lambda: seen.append("changed") or (lambda: seen.append("restored")))
    >>> with setting, setting:
    ...     print(seen)
    ['changed']
    >>> seen
    ['changed', 'restored']
    """

    def __init__(self, change: Callable[[], Callable[[], object]]) -> None:
        self.change = change
        self.lock, self.n_inside = Lock(), 0
        self.restore: Callable[[], object] = lambda: None

    def __enter__(self) -> None:
        with self.lock:
            if self.n_inside == 0:
                self.restore = self.change()
            self.n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                self.restore()


@cache
def blas_threads() -> ThreadpoolController:
    """Return the controller of their threads; looking for them takes as long as a small search."""
    return ThreadpoolController()


def _to_one_thread() -> Callable[[], object]:
    limit = blas_threads().limit(limits=1, user_api="blas")
    return lambda: limit.restore_original_limits()


one_blas_thread = ProcessSetting(_to_one_thread)
"""Keeps products of matrices to the thread that asks for them: small ones take longer over several."""
