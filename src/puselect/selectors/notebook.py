"""HTML representation of a fitted selector in notebooks, below scikit-learn's diagram."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from puselect.arrays import FloatArray

if TYPE_CHECKING:
    from puselect.selectors.base import PUSelector

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
    widths = _widths(result.scores)
    head = _row("th", "rank", "feature", "probability" if result.search is not None else "score", "")
    rows = "".join(
        _row(
            "td",
            str(result.ranking[unit.column]),
            escape(unit.name),
            f"{result.scores[unit.column]:.3g}",
            f"<div style='width:{widths[unit.column]:.0f}px;{BAR}'></div>",
        )
        for unit in chosen[:SHOWN]
    )
    title = f"{len(chosen)} of {len(result.units())} features selected"
    more = f"<div style='{TEXT}'>and {len(chosen) - SHOWN} more</div>" if len(chosen) > SHOWN else ""
    return f"<div style='{TEXT}'><b>{title}</b></div><table style='{TEXT}'>{head}{rows}</table>{more}"


def _row(tag: str, *cells: str) -> str:
    return f"<tr>{''.join(f'<{tag} style={CELL!r}>{cell}</{tag}>' for cell in cells)}</tr>"


def _widths(scores: FloatArray) -> FloatArray:
    """Return the widths of the bars in pixels: 0 for the worst score (or a score of 0), `WIDEST` for the best."""
    finite = np.nan_to_num(scores, posinf=0.0, neginf=0.0)
    low, high = min(0.0, finite.min()), finite.max()
    return WIDEST * (finite - low) / (high - low) if high > low else np.zeros(len(finite))
