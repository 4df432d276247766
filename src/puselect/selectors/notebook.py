"""Selectors in notebooks: the table of selected features."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from puselect.arrays import FloatArray

if TYPE_CHECKING:
    from puselect.selectors.base import PUSelector
    from puselect.selectors.result import FitResult

SHOWN = 12

TEXT = "font:13px/1.5 system-ui,sans-serif;margin:6px 0 0 4px"
CELL = "padding:1px 10px 1px 0;border:0;background:none;text-align:left"


def selected_html(selector: "PUSelector") -> str:
    """Return the selected features as a small table; an empty string if the selector is not fitted."""
    if not hasattr(selector, "support_"):
        return ""
    result = selector.result_
    chosen = result.selected_units()
    title, values = _figures(result)
    head = _row("th", "rank", "feature", title)
    rows = "".join(
        _row("td", str(result.ranking[unit.column]), escape(unit.name), f"{values[unit.column]:.3g}" if title else "")
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
