"""What became of each column, in words: used, encoded, left out and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from puselect.checks.leaks import Leak, LeakKind
from puselect.tables.errors import FilledNote, LeakNote, LeftOut, Note
from puselect.tables.recipes import Recipe

@dataclass(frozen=True)
class Fate:
    """What became of one column."""

    column: str
    features: tuple[str, ...]
    """Made from it; none if it was left out."""
    action: str
    """The kind of a recipe, such as "date" or "categories"; "empty", "constant", "identifier", ... where left out."""
    text: str
    """A few words."""
    is_unchanged: bool = False
    """Whether its values are used as they are."""

    def __str__(self) -> str:
        return f"{self.column}: {self.text}"


def column_fates(recipes: Iterable[Recipe], left_out: Iterable[LeftOut], notes: Iterable[Note]) -> tuple[Fate, ...]:
    """Return what became of each column, those that are used first."""
    filled: dict[str, int] = {}
    for note in notes:
        if isinstance(note, FilledNote):
            filled = {name: filled.get(name, 0) + note.counts.get(name, 0) for name in {*filled, *note.counts}}
    used = [
        Fate(recipe.column, recipe.names, recipe.kind, _used_text(recipe, filled),
             recipe.kind == "number" and not filled.get(recipe.column, 0))
        for recipe in recipes
    ]  # fmt: skip
    return (*used, *(Fate(column.name, (), column.reason, f"left out: {reason(column)}") for column in left_out))


def _used_text(recipe: Recipe, filled: Mapping[str, int]) -> str:
    text = {
        "number": "used as it is",
        "duration": "in microseconds",
        "time": "in days since midnight",
        "date": _listed(("days since 1970-01-01", *recipe.parts), ", "),
        "order": f"ordered: {_listed(recipe.values, ' < ')}",
        "categories": f"categories, selected as a whole: {_listed(recipe.values, ', ')}",
    }[recipe.kind]
    if count := filled.get(recipe.column, 0):
        text += f"; {count} missing values filled with the median, {recipe.fill:.4g}"
    return text + ("; another feature tells where" if recipe.has_indicator else "")


def _listed(values: Sequence[str], mark: str, most: int = 6) -> str:
    return mark.join(values[:most]) + (f" and {len(values) - most} more" if len(values) > most else "")


def reason(column: LeftOut) -> str:
    """Return why a column is not used."""
    match column.reason:
        case "empty":
            return "empty"
        case "constant":
            return f"constant: {column.detail}"
        case "type":
            return f"unsupported type {column.detail}"
        case "identifier":
            return "identifier: all values differ"
        case "copy":
            return f"says the same as {column.detail}"
        case _ if column.max_categories is not None:
            return f"{column.reason} with {column.n_values} different values, more than {column.max_categories}"
        case _:
            return f"{column.reason}, not encoded"


def leak_text(found: LeakNote) -> str:
    """Return how a column may give the label away.

    Examples
    --------
    >>> leak = Leak(0, LeakKind.VALUE, 1.0, 1.0, labelled=0, n_labelled=400, others=6938, n_others=14538, p_value=1e-90)
    >>> leak_text(LeakNote("status", leak, ("Check-Out", "Check-Out"), ("status_date",)))
    "0 of 400 known positives have 'status' = Check-Out; 48% of the others do (see also 'status_date')"
    """
    leak, value = found.leak, " to ".join(dict.fromkeys(found.bounds))
    what = {
        LeakKind.PRESENT: f"a value in {found.name!r}",
        LeakKind.VALUE: f"{found.name!r} = {value}",
        LeakKind.STRETCH: f"{found.name!r} from {value}",
    }[leak.kind]
    also = f" (see also {', '.join(map(repr, found.companions))})" if found.companions else ""
    share = f"{100 * leak.others / leak.n_others:.2g}%"
    return f"{leak.labelled} of {leak.n_labelled} known positives have {what}; {share} of the others do{also}"
