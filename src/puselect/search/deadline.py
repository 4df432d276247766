"""When a fit must be over."""

import time
from collections import deque

RECENT_LAPS = 5


class Deadline:
    """The end of a fit, some seconds from now, and how long its steps take.

    Parameters
    ----------
    seconds : float or None
        None: there is no end.

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
        mark = (time.monotonic(), time.process_time())
        if self._mark is not None:
            lap = max(mark[0] - self._mark[0], mark[1] - self._mark[1])
            is_first, self._is_first = self._is_first, False
            if is_first and self.left >= lap:
                self._mark = mark
                return False
            self.laps.append(lap)
        self._mark = mark
        return self.left <= self.lap_seconds * (1 + laps_to_come)
