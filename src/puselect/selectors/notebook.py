"""Selectors in notebooks: the table of selected features, and a live display of a search."""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from puselect.arrays import FloatArray
from puselect.search.progress import Step, Throttle

if TYPE_CHECKING:
    from puselect.selectors.base import PUSelector
    from puselect.selectors.result import FitResult

SHOWN = 12
WIDEST = 90  # pixels

TEXT = "font:13px/1.5 system-ui,sans-serif;margin:6px 0 0 4px"
CELL = "padding:1px 10px 1px 0;border:0;background:none;text-align:left"
BAR = "height:8px;border-radius:4px;background:#0b8a82"


def selected_html(selector: "PUSelector") -> str:
    """Return the selected features as a small table with bars; an empty string if the selector is not fitted."""
    if not hasattr(selector, "support_"):
        return ""
    result = selector.result_
    chosen = result.selected_units()
    title, values = _figures(result)
    widths = _widths(values)
    head = _row("th", "rank", "feature", title, "")
    rows = "".join(
        _row(
            "td",
            str(result.ranking[unit.column]),
            escape(unit.name),
            f"{values[unit.column]:.3g}" if title else "",
            f"<div style='width:{widths[unit.column]:.0f}px;{BAR}'></div>",
        )
        for unit in chosen[:SHOWN]
    )
    count = f"{len(chosen)} of {len(result.units())} features selected"
    more = f"<div style='{TEXT}'>and {len(chosen) - SHOWN} more</div>" if len(chosen) > SHOWN else ""
    return f"<div style='{TEXT}'><b>{count}</b></div><table style='{TEXT}'>{head}{rows}</table>{more}"


def _figures(result: "FitResult") -> tuple[str, FloatArray]:
    """Return how often each column was selected again, or the scores of a ranking; a search has no such figures."""
    if result.stability is not None:
        n_searches = result.stability.n_searches
        return f"selected again, of {n_searches}", n_searches * np.array(result.stability.frequency)
    return ("score", result.scores) if result.search is None else ("", np.zeros(len(result.support)))


def _row(tag: str, *cells: str) -> str:
    return f"<tr>{''.join(f'<{tag} style={CELL!r}>{cell}</{tag}>' for cell in cells)}</tr>"


def _widths(scores: FloatArray) -> FloatArray:
    """Return the widths of the bars in pixels: 0 for the worst score (or a score of 0), `WIDEST` for the best."""
    finite = np.nan_to_num(scores, posinf=0.0, neginf=0.0)
    low, high = min(0.0, finite.min()), finite.max()
    return WIDEST * (finite - low) / (high - low) if high > low else np.zeros(len(finite))


SECONDS = 0.2


class LiveProgress:
    """Show the progress of a search in a notebook, in place: ``selector.set_callbacks(LiveProgress())``.

    Colours and background are those of the notebook, light or dark. Needs IPython.

    Examples
    --------
    >>> import numpy as np
    >>> from puselect import FSCPU
    >>> from puselect.selectors.notebook import LiveProgress
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
        f"<div style='{TEXT};max-width:460px' role='progressbar' aria-valuenow='{100 * done:.0f}' aria-valuemin='0' "
        f"aria-valuemax='100'><div style='{BAR};width:{100 * done:.0f}%'></div>{escape(str(step))}</div>"
    )
