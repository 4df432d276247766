"""The words of panels and portraits."""

from puselect.report.panels import Mark, Panel, Portrait


def panel_word(panel: Panel) -> str:
    """Return what is different about known positives in one feature."""
    if panel.members:
        return f"more often {panel.word}" if panel.difference > 0 else "similar"
    return panel.word


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


def share(value: float) -> str:
    """Return a percentage."""
    return f"{value:.0%}"


def number(value: float) -> str:
    """Return a number in few digits.

    Examples
    --------
    >>> number(12345.678), number(0.00012), number(3.0)
    ('12,346', '0.00012', '3')
    """
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.4g}"
