"""The words of panels, portraits and fates of columns."""

from collections.abc import Sequence
from math import floor

import numpy as np

from puselect.report.panels import Mark, Panel, Portrait
from puselect.tables.column_outcomes import ColumnOutcome


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
    known = round(found.labelled)
    return f"{round(found.size):,} rows, {known:,} of them {'a known positive' if known == 1 else 'known positives'}"


def mark(found: Mark, is_date: bool = False) -> str:
    """Return a difference in figures."""
    if found.word in ("mostly", "often", "rarely"):
        return f"{found.inside:.0%} here, {found.outside:.0%} in all rows"
    shown = day if is_date else number
    return f"median {shown(found.inside)} here, {shown(found.outside)} in all rows"


def edge(panel: Panel, value: float, is_date: bool) -> str:
    """Return an end of the scale of a panel."""
    return day(value) if is_date and panel.column in ("", panel.name) else number(value)


def day(value: float) -> str:
    """Return days since 1970 as a date, with the time of day if there is one.

    Examples
    --------
    >>> day(19753.0), day(19753.4375)
    ('2024-01-31', '2024-01-31 10:30')
    """
    moment = np.datetime64("1970-01-01T00:00") + np.timedelta64(floor(1440 * float(value) + 1e-5), "m")
    return str(moment).removesuffix("T00:00").replace("T", " ")


def eventful(fates: Sequence[ColumnOutcome]) -> list[ColumnOutcome]:
    """Return the columns to which something was done: those that were left out, then those that were changed."""
    return sorted((fate for fate in fates if not fate.is_unchanged), key=lambda fate: bool(fate.features))


def uneventful(fates: Sequence[ColumnOutcome]) -> list[str]:
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
