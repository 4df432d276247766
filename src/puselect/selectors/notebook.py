"""HTML representation of a fitted selector in notebooks, below scikit-learn's diagram."""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

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
    n_features = len(selector.support_)
    names = getattr(selector, "feature_names_in_", [f"x{i}" for i in range(n_features)])
    widths = _widths(getattr(selector, "probabilities_", getattr(selector, "scores_", None)), n_features)
    best = [j for j in np.argsort(selector.ranking_).tolist() if selector.support_[j]]
    rows = "".join(
        f"<tr><td style='{CELL}'>{selector.ranking_[j]}</td><td style='{CELL}'>{escape(str(names[j]))}</td>"
        f"<td style='{CELL}'><div style='width:{widths[j]:.0f}px;{BAR}'></div></td></tr>"
        for j in best[:SHOWN]
    )
    title = f"{len(best)} of {n_features} features selected"
    weights = getattr(selector, "weights_", None)
    why = f"<div style='{TEXT}'>{escape(str(weights))}</div>" if weights is not None else ""
    more = f"<div style='{TEXT}'>and {len(best) - SHOWN} more</div>" if len(best) > SHOWN else ""
    return f"<div style='{TEXT}'><b>{title}</b></div><table style='{TEXT}'>{rows}</table>{more}{why}"


def _widths(scores: Any, n_features: int) -> Any:
    """Return the widths of the bars in pixels: 0 for the worst score (or a score of 0), `WIDEST` for the best."""
    if scores is None:
        return np.zeros(n_features)
    finite = np.nan_to_num(np.asarray(scores, dtype=np.float64), posinf=0.0, neginf=0.0)
    low, high = min(0.0, finite.min()), finite.max()
    return WIDEST * (finite - low) / (high - low) if high > low else np.zeros(n_features)
