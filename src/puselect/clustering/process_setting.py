"""Settings of the whole process that several threads may want changed at the same time."""

from collections.abc import Callable
from threading import Lock


class ProcessSetting:
    """A context in which a setting is changed; the last thread to leave restores it.

    Parameters
    ----------
    change : callable
        Changes the setting and returns what restores it.

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
