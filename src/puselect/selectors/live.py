"""A live display of a search in a notebook."""

from html import escape
from typing import Any

from puselect.search.progress import Step, Throttle

SECONDS = 0.2
BOX = "font:13px/1.5 system-ui,sans-serif;max-width:460px"
TRACK = "height:8px;border-radius:4px;background:rgba(128,128,128,.25);overflow:hidden"
FILL = "height:8px;background:#0b8a82"


class LiveProgress:
    """Show the progress of a search in a notebook, in place: ``selector.set_callbacks(LiveProgress())``.

    Colours and background are those of the notebook, light or dark. Needs IPython.

    Examples
    --------
    >>> import numpy as np
    >>> from puselect import FSCPU
    >>> from puselect.selectors.live import LiveProgress
    >>> X = np.random.default_rng(0).random((50, 4))
    >>> selector = FSCPU(2, max_iter=3, random_state=0).set_callbacks(LiveProgress())  # doctest: +SKIP
    """

    def __init__(self) -> None:
        try:
            from IPython.display import HTML, display
        except ImportError as error:
            raise ImportError("a live display needs IPython: pip install ipython") from error
        self.html, self.display = HTML, display
        self.due = Throttle(SECONDS)
        self.handle: Any = None

    def __call__(self, step: Step) -> None:
        """Show a step, at most five times a second."""
        is_last = step.number >= step.max_iter or step.settled >= 1
        if self.handle is not None and not is_last and not self.due():
            return
        page = self.html(step_html(step))
        if self.handle is None:
            self.handle = self.display(page, display_id=True)
        else:
            self.handle.update(page)


def step_html(step: Step) -> str:
    """Return a step as HTML: a bar, and in words."""
    done = max(step.number / step.max_iter, step.settled)
    return (
        f"<div style='{BOX}' role='progressbar' aria-valuenow='{100 * done:.0f}' aria-valuemin='0' aria-valuemax='100'>"
        f"<div style='{TRACK}'><div style='{FILL};width:{100 * done:.0f}%'></div></div>{escape(str(step))}</div>"
    )
