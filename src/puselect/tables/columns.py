"""Columns of any type become features: which are used, how, and which are left out and why."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from puselect.arrays import BoolArray
from puselect.checks.leaks import Leak, LeakKind, find_leak
from puselect.columns.twins import find_twins
from puselect.tables.errors import (
    CodeNote,
    FilledNote,
    Hole,
    IdentifierNote,
    LeakNote,
    LeftOut,
    LeftOutReason,
    MissingValuesError,
    Note,
    RepeatedNameError,
    SpikeNote,
    TwinNote,
)
from puselect.tables.kinds import (
    as_numbers,
    date_format,
    date_parts,
    kind_of,
    known_values,
    looks_like_identifier,
    missing_code,
    spike,
    type_of,
    without_nulls,
)
from puselect.tables.recipes import Feature, Recipe, median, without_codes

ENCODED = ("text", "dates")
INDICATOR_SHARE = 0.01
TWINS = 0.99
FEWEST_ROWS, MOST_COMPARED = 20, 2000


@dataclass(frozen=True)
class ColumnRules:
    """What is done to columns."""

    encode: bool = False
    """Turn dates into numbers and one-hot encode text, instead of leaving them out."""
    max_categories: int = 20
    """Text with more values is left out."""
    impute: str | None = None
    """"median", or None to refuse missing values."""
    indicators: bool = False
    """Add a feature that tells where a column is missing."""
    clean: bool = False
    """Leave out identifiers and copies; otherwise only point them out."""
    drop_duplicates: float | None = None
    """Of columns with this rank correlation or more leave out all but the first."""
    missing_codes: tuple[str, ...] = ()
    """Values that stand for missing, such as "-9"."""
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Columns with ordered values, and these from low to high."""
    use: tuple[str, ...] = ()
    """Columns to use although they look like identifiers or copies; possible leaks among them are not pointed out."""


@dataclass(frozen=True)
class Used:
    """A column that is used: its recipe, and its features with NaN for missing values."""

    recipe: Recipe
    raw: tuple[Feature, ...]


@dataclass
class Columns:
    """The columns found so far."""

    used: list[Used] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def features(self) -> list[Feature]:
        """The features, missing values as NaN."""
        return [feature for column in self.used for feature in column.raw]

    def leave_out(self, reasons: Iterable[LeftOut]) -> None:
        """Move columns to those that are not used."""
        self.left_out += (found := list(reasons))
        names = {column.name for column in found}
        self.used = [column for column in self.used if column.recipe.column not in names]


def read_columns(
    frame: Any, names: Iterable[str], rules: ColumnRules | None = None, positive: BoolArray | None = None
) -> Columns:
    """Decide what becomes of the named columns of a polars frame.

    Numbers stay as they are, booleans become 0 and 1, durations numbers. Text and dates are left out unless
    `rules.encode`. Constant and empty columns are left out. With the labels, columns that may give them away are noted.
    """
    columns, rules = Columns(), rules or ColumnRules()
    for name in names:
        _read_column(columns, name, frame[name], rules)
    identifiers = _identifiers(columns, frame, rules)
    if positive is not None:
        columns.notes += _leak_notes(columns, frame, rules, positive, identifiers)
    if rules.clean:
        columns.leave_out(LeftOut(name, "identifier") for name in identifiers)
    else:
        columns.notes += map(IdentifierNote, identifiers)
    taken = [feature.name for feature in columns.features]
    if len(set(taken)) < len(taken):
        raise RepeatedNameError(None, [name for name in dict.fromkeys(taken) if taken.count(name) > 1])
    return columns


def _read_column(columns: Columns, name: str, column: Any, rules: ColumnRules) -> None:
    numbers = None if name in dict(rules.orders) else as_numbers(column)
    if numbers is not None:
        numbers = without_codes(numbers, rules.missing_codes)
    known = None if numbers is None else known_values(numbers)
    if column.null_count() == len(column) or (known is not None and not len(known)):
        columns.left_out.append(LeftOut(name, "empty"))
    elif known is None:
        _read_other(columns, name, column, rules)
    elif known.min() == known.max():
        columns.left_out.append(LeftOut(name, "constant", f"{known[0]:g}"))
    else:
        kind = "duration" if type_of(column) == "Duration" else "number"
        _use(columns, Recipe(name, kind, missing_codes=rules.missing_codes), column)
        code = missing_code(numbers)
        if code is not None:
            columns.notes.append(CodeNote(name, f"{code[0]:g}", code[1]))
        peak = spike(numbers)
        if peak is not None:
            columns.notes.append(SpikeNote(name, f"{peak[0]:.6g}", peak[1]))


def _use(columns: Columns, recipe: Recipe, column: Any) -> None:
    columns.used.append(Used(recipe, tuple(recipe.raw_features(column))))


def _read_other(columns: Columns, name: str, column: Any, rules: ColumnRules) -> None:
    """Use a column that does not hold numbers, or leave it out."""
    kind = kind_of(column)
    order = dict(rules.orders).get(name) or _declared_order(column)
    if kind not in ENCODED:
        columns.left_out.append(LeftOut(name, "type", kind))
    elif not rules.encode and name not in dict(rules.orders):
        columns.left_out.append(LeftOut(name, cast(LeftOutReason, kind), n_values=column.drop_nulls().n_unique()))
    elif order:
        _use(columns, Recipe(name, "order", order), column)
    elif kind == "dates":
        text_format = (date_format(column) or "") if str(column.dtype) == "String" else ""
        recipe = Recipe(name, "time" if type_of(column) == "Time" else "date", date_format=text_format)
        days = recipe.raw_features(column)[0].values.drop_nans()
        if not len(days) or days.min() == days.max():
            columns.left_out.append(LeftOut(name, "constant", str(column.drop_nulls()[0])))
        else:
            _use(columns, replace(recipe, parts=date_parts(days)), column)
    else:
        _read_categories(columns, name, column, rules)


def _declared_order(column: Any) -> tuple[str, ...]:
    """Return the values of an enumeration from low to high; an enumeration is a type with an order."""
    return tuple(column.dtype.categories) if str(column.dtype).startswith("Enum") else ()


def _read_categories(columns: Columns, name: str, column: Any, rules: ColumnRules) -> None:
    text = column.cast(str)
    categories = sorted(text.drop_nulls().unique().to_list())
    if len(categories) > rules.max_categories:
        is_identifier = rules.clean and looks_like_identifier(column)
        reason = LeftOut(name, "text", "", len(categories), rules.max_categories)
        columns.left_out.append(LeftOut(name, "identifier") if is_identifier else reason)
    elif len(categories) == 1 and not text.null_count():
        columns.left_out.append(LeftOut(name, "constant", categories[0]))
    else:
        # One column is enough for two categories.
        used = categories[1:] if len(categories) == 2 and not text.null_count() else categories
        lost = text.null_count() / len(text)
        _use(columns, Recipe(name, "categories", tuple(used), seen=tuple(categories), lost=lost), column)


def _identifiers(columns: Columns, frame: Any, rules: ColumnRules) -> list[str]:
    numbers = [used.recipe.column for used in columns.used if used.recipe.kind == "number"]
    return [name for name in numbers if name not in rules.use and looks_like_identifier(frame[name])]


def _leak_notes(
    columns: Columns, frame: Any, rules: ColumnRules, positive: BoolArray, identifiers: Sequence[str]
) -> Iterator[LeakNote]:
    """Yield the columns that may give the label away; they are left out only on request."""
    names = [used.recipe.column for used in columns.used]
    for recipe, raw in ((used.recipe, used.raw) for used in columns.used):
        values = raw[0].values
        if recipe.kind == "categories":
            codes = {value: float(code) for code, value in enumerate(recipe.seen)}
            values = without_nulls(frame[recipe.column].cast(str).replace_strict(codes, return_dtype=float))
        is_order = recipe.kind == "date" or recipe.column in identifiers
        leak = find_leak(values.to_numpy(), positive, len(names), is_order=is_order)
        if leak is not None and recipe.column not in rules.use:
            companions = tuple(name for name in names if name.startswith(f"{recipe.column}_"))
            yield LeakNote(recipe.column, leak, _bounds_text(leak, recipe), companions)


def _bounds_text(leak: Leak, recipe: Recipe) -> tuple[str, ...]:
    """Return the bounds of a leak as they are in the table."""
    words = recipe.seen or recipe.values
    if leak.kind is LeakKind.PRESENT:
        return ()
    if words:
        return words[int(leak.low)], words[int(leak.high)]
    if recipe.kind == "date":
        return str(np.datetime64(int(leak.low), "D")), str(np.datetime64(int(leak.high), "D"))
    return f"{leak.low:g}", f"{leak.high:g}"


def finish_columns(columns: Columns, rules: ColumnRules, keep: Sequence[str] = ()) -> list[Feature]:
    """Return the features without missing values; copies are left out as the rules say.

    The recipes learn what to fill in. Without `rules.impute`, missing and infinite values raise a `MissingValuesError`.
    """
    columns.notes += _count_holes([used.raw[0] for used in columns.used], rules.impute)
    _learn_filling(columns, rules.indicators)
    filled = [used.recipe.filled(used.raw) for used in columns.used]
    copies = _find_copies(columns, [made[0] for made in filled], rules, keep)
    columns.leave_out(copies)
    left_out = {column.name for column in copies}
    return [feature for made in filled for feature in made if feature.source not in left_out]


def _learn_filling(columns: Columns, indicators: bool) -> None:
    """Let the recipes know the medians, and add indicators where values are missing; equal ones only once."""
    seen: set[bytes] = set()
    for place, used in enumerate(columns.used):
        if used.recipe.kind == "categories":
            continue
        missing = ~np.isfinite(used.raw[0].values.to_numpy())
        content = missing.tobytes() if indicators and missing.mean() >= INDICATOR_SHARE else b""
        fill, *part_fills = (median(feature.values) for feature in used.raw)
        is_new = bool(content) and content not in seen
        recipe = replace(used.recipe, fill=fill, part_fills=tuple(part_fills), has_indicator=is_new)
        columns.used[place] = replace(used, recipe=replace(recipe, lost=float(missing.mean())))
        seen.add(content)


def _count_holes(features: Sequence[Feature], impute: str | None) -> list[Note]:
    holes: dict[Hole, dict[str, int]] = {
        "missing": {feature.name: int(np.isnan(feature.values.to_numpy()).sum()) for feature in features},
        "infinite": {feature.name: int(np.isinf(feature.values.to_numpy()).sum()) for feature in features},
    }
    notes: list[Note] = []
    for hole, counts in holes.items():
        found = {name: count for name, count in counts.items() if count}
        if found and impute is None:
            raise MissingValuesError(hole, found)
        if found:
            notes.append(FilledNote(hole, found))
    return notes


def _find_copies(
    columns: Columns, firsts: Sequence[Feature], rules: ColumnRules, keep: Sequence[str]
) -> list[LeftOut]:
    """Return the columns to leave out as copies, and note those that say the same but are used."""
    single = [first for used, first in zip(columns.used, firsts, strict=True) if used.recipe.kind != "categories"]
    if not 2 <= len(single) <= MOST_COMPARED or len(single[0].values) < FEWEST_ROWS:
        return []
    single.sort(key=lambda feature: feature.source not in keep)  # of copies the first is used
    X = np.column_stack([feature.values.to_numpy() for feature in single])
    copies = []
    for group in find_twins(X, min(rules.drop_duplicates or TWINS, TWINS)):
        first, *others = (single[i].name for i in group.columns)
        values = dict(zip((single[i].name for i in group.columns), X[:, group.columns].T, strict=True))
        dropped = [
            name for name in others
            if name not in (*rules.use, *keep) and _is_copy(values[first], values[name], rules)
        ]
        copies += [LeftOut(name, "copy", first) for name in dropped]
        rest = tuple(name for name in (first, *others) if name not in dropped)
        if len(rest) > 1:
            columns.notes.append(TwinNote(rest, group.correlation))
    return copies


def _is_copy(first: Any, other: Any, rules: ColumnRules) -> bool:
    if rules.drop_duplicates is not None:
        return bool(find_twins(np.column_stack([first, other]), rules.drop_duplicates))
    return rules.clean and np.array_equal(first, other)
