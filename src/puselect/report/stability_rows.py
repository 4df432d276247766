"""How sure each feature is: how often it was selected again, and whether a twin took its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from puselect.report.selection import Feature, Selection

MOST_SHOWN = 40


@dataclass(frozen=True)
class Again:
    """How often one feature was selected in repeated searches."""

    name: str
    column: int
    selected: bool
    frequency: float
    low: float
    high: float
    twin_frequency: float
    """Of the feature or one of its twins."""
    count: str
    """Such as "7 of 8"."""
    note: str
    """What its twins have to do with it; empty without."""


def again(selection: Selection) -> list[Again]:
    """Return how often each feature was selected again, in the order of the ranking; empty if that is not known."""
    found = selection.stability
    if found is None:
        return []
    name_of = {feature.column: feature for feature in selection.features}
    twins_of = {j: [name_of[i] for i in group if i != j and i in name_of] for group in found.twins for j in group}
    rows = []
    for feature in selection.features:
        j = feature.column
        share, with_twins = found.frequency[j], found.twin_frequency[j]
        count, both = (f"{round(of * found.n_searches)} of {found.n_searches}" for of in (share, with_twins))
        note = twin_note(feature, twins_of.get(j, ()), both)
        rows.append(
            Again(feature.name, j, feature.selected, share, found.low[j], found.high[j], with_twins, count, note)
        )
    return rows


def twin_note(feature: Feature, twins: Sequence[Feature], both: str) -> str:
    """Return what the twins of a feature have to do with it; `both` is how often any of them was selected."""
    if not twins:
        return ""
    chosen = [twin.name for twin in twins if twin.selected]
    if not feature.selected and chosen:
        return f"its twin is selected: {', '.join(chosen)}"
    return f"{both} with its twin {', '.join(twin.name for twin in twins)}"


def shown(rows: Sequence[Again]) -> list[Again]:
    """Return what a picture shows: the selected features, then the others that were selected again most often."""
    others = [row for row in rows if not row.selected and row.twin_frequency > 0]
    return [*(row for row in rows if row.selected), *sorted(others, key=lambda row: -row.frequency)][:MOST_SHOWN]
