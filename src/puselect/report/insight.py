"""The words of panels, portraits and fates of columns."""

from collections.abc import Sequence

from puselect.report.panels import Mark, Panel, Portrait
from puselect.tables.fates import Fate


def panel_word(panel: Panel) -> str:
    """Return what is different about known positives in one feature."""
    if panel.members:
        return f"more often {panel.word}" if panel.difference > 0 else "similar"
    return f"{panel.column}: {panel.word}" if panel.column not in ("", panel.name) else panel.word


def portrait(found: Portrait) -> str:
    """Return what marks a cluster in a line, such as "amount very high, channel=web mostly"."""
    if not found.marks:
        return "No single feature stands out"
    return ", ".join(f"{mark.feature} {mark.word}" for mark in found.marks)


def portrait_size(found: Portrait) -> str:
    """Return how many rows a cluster has, and how many of them are known positives."""
    return f"{round(found.size):,} rows, {round(found.labelled):,} of them known positives"


def mark(found: Mark) -> str:
    """Return a difference in figures."""
    if found.word in ("mostly", "often", "rarely"):
        return f"{found.inside:.0%} here, {found.outside:.0%} in all rows"
    return f"median {number(found.inside)} here, {number(found.outside)} in all rows"


def eventful(fates: Sequence[Fate]) -> list[Fate]:
    """Return the columns to which something was done: those that were left out, then those that were changed."""
    return sorted((fate for fate in fates if not fate.is_unchanged), key=lambda fate: bool(fate.features))


def uneventful(fates: Sequence[Fate]) -> list[str]:
    """Return the names of the columns that are used as they are."""
    return [fate.column for fate in fates if fate.is_unchanged]


def share(value: float) -> str:
    """Return a percentage."""
    return f"{value:.0%}"


def number(value: float) -> str:
    """Return a number in few digits.

    Examples
    --------
    >>> number(12345.678), number(0.00012), number(95.04)
    ('12,346', '0.00012', '95')
    """
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"
