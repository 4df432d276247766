"""Columns of a table become features, or are left out for a reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.selectors.leaks import find_leak, sorts_labels, stands_alone
from puselect.selectors.twins import find_twins
from puselect.tables import errors
from puselect.tables.column_types import (
    as_numbers,
    date_format,
    date_parts,
    kind_of,
    known_values,
    looks_like_identifier,
    missing_code,
    spike,
    type_of,
)
from puselect.tables.encoders import Encoder, Feature, median, without_codes
from puselect.tables.errors import LeftOut, Note
from puselect.tables.frames import pl

ENCODED = ("text", "dates")
INDICATOR_SHARE = 0.01
TWINS = 0.99
FEWEST_ROWS, MOST_COMPARED = 20, 2000


@dataclass(frozen=True, kw_only=True)
class ColumnRules:
    """How columns are read."""

    prepare: bool = False
    """Encode, fill missing values and mark them, and leave out identifiers, leaks and copies; otherwise only point them
    out."""
    encode: bool = False
    """Turn dates into numbers and one-hot encode text, instead of leaving them out."""
    max_categories: int = 20
    """Text with more values is left out."""
    impute: str | None = None
    """"median", or None to refuse missing values."""
    drop_duplicates: float | None = None
    """Of columns with this rank correlation or more leave out all but the first."""
    missing_codes: tuple[str, ...] = ()
    """Values that stand for missing, such as "-9"."""
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Columns with ordered values, and these from low to high."""
    use: tuple[str, ...] = ()
    """Columns to use although they look like identifiers, leaks or copies."""


@dataclass(frozen=True)
class Used:
    """A column that is used: its encoder, and its features with NaN for missing values."""

    encoder: Encoder
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
        self.used = [column for column in self.used if column.encoder.column not in names]


def read_columns(
    frame: pl.DataFrame, names: Iterable[str], rules: ColumnRules | None = None, positive: BoolArray | None = None
) -> Columns:
    """Decide what becomes of the named columns of a polars frame.

    Numbers stay as they are, booleans become 0 and 1, durations numbers. Text and dates are left out unless
    `rules.encode`. Constant and empty columns are left out. With the labels, columns that give them away are found.
    """
    columns, rules = Columns(), rules or ColumnRules()
    for name in names:
        _read_column(columns, name, frame[name], rules)
    _find_identifiers(columns, frame, rules, positive)
    if positive is not None:
        _find_leaks(columns, rules, positive)
    taken = [feature.name for feature in columns.features]
    if len(set(taken)) < len(taken):
        raise errors.RepeatedNameError(None, [name for name in dict.fromkeys(taken) if taken.count(name) > 1])
    return columns


def _read_column(columns: Columns, name: str, column: pl.Series, rules: ColumnRules) -> None:
    numbers = None if name in dict(rules.orders) else as_numbers(column)
    if column.null_count() == len(column):
        columns.left_out.append(LeftOut(name, "empty"))
    elif numbers is None:
        _read_other(columns, name, column, rules)
    else:
        _read_numbers(columns, column, without_codes(numbers, rules.missing_codes), rules)


def _read_numbers(columns: Columns, column: pl.Series, numbers: pl.Series, rules: ColumnRules) -> None:
    name, known = column.name, known_values(numbers)
    if not len(known):
        columns.left_out.append(LeftOut(name, "empty"))
    elif known.min() == known.max():
        columns.left_out.append(LeftOut(name, "constant", f"{known[0]:g}"))
    else:
        kind = "duration" if type_of(column) == "Duration" else "number"
        _use(columns, Encoder(name, kind, missing_codes=rules.missing_codes), column)
        if code := missing_code(known):
            columns.notes.append(errors.CodeNote(name, f"{code[0]:g}", code[1]))
        if peak := spike(known):
            columns.notes.append(errors.SpikeNote(name, f"{peak[0]:.6g}", peak[1]))


def _use(columns: Columns, encoder: Encoder, column: pl.Series) -> None:
    columns.used.append(Used(encoder, tuple(encoder.raw_features(column))))


def _read_other(columns: Columns, name: str, column: pl.Series, rules: ColumnRules) -> None:
    """Use a column that does not hold numbers, or leave it out."""
    kind = kind_of(column)
    order = dict(rules.orders).get(name) or _declared_order(column)
    if kind not in ENCODED:
        columns.left_out.append(LeftOut(name, "type", kind))
    elif not rules.encode and not rules.prepare and name not in dict(rules.orders):
        n_values = column.drop_nulls().n_unique()
        columns.left_out.append(LeftOut(name, "dates" if kind == "dates" else "text", n_values=n_values))
    elif order:
        _use(columns, Encoder(name, "order", order), column)
    elif kind == "dates":
        text_format = (date_format(column) or "") if str(column.dtype) == "String" else ""
        encoder = Encoder(name, "time" if type_of(column) == "Time" else "date", date_format=text_format)
        days = encoder.raw_features(column)[0].values.drop_nans()
        if not len(days) or days.min() == days.max():
            columns.left_out.append(LeftOut(name, "constant", str(column.drop_nulls()[0])))
        else:
            _use(columns, replace(encoder, parts=date_parts(days)), column)
    else:
        _read_categories(columns, name, column, rules)


def _declared_order(column: pl.Series) -> tuple[str, ...]:
    """Return the values of an enumeration from low to high; an enumeration is a type with an order."""
    return tuple(column.dtype.categories) if isinstance(column.dtype, pl.Enum) else ()


def _read_categories(columns: Columns, name: str, column: pl.Series, rules: ColumnRules) -> None:
    text = column.cast(str)
    categories = sorted(text.drop_nulls().unique().to_list())
    if len(categories) > rules.max_categories:
        is_identifier = rules.prepare and looks_like_identifier(column)
        reason = LeftOut(name, "text", "", len(categories), rules.max_categories)
        columns.left_out.append(LeftOut(name, "identifier") if is_identifier else reason)
    elif len(categories) == 1 and not text.null_count():
        columns.left_out.append(LeftOut(name, "constant", categories[0]))
    else:
        # One column is enough for two categories.
        used = categories[1:] if len(categories) == 2 and not text.null_count() else categories
        lost = text.null_count() / len(text)
        _use(columns, Encoder(name, "categories", tuple(used), seen=tuple(categories), lost=lost), column)


def _find_identifiers(columns: Columns, frame: pl.DataFrame, rules: ColumnRules, positive: BoolArray | None) -> None:
    """Leave out identifiers, or point them out."""
    numbers = {used.encoder.column: used.raw[0].values for used in columns.used if used.encoder.kind == "number"}
    found = [name for name in numbers if name not in rules.use and looks_like_identifier(frame[name])]
    sorting = {
        name for name in found if positive is not None and sorts_labels(numbers[name].to_numpy(), positive)
    }
    noted = [name for name in found if not rules.prepare or name in sorting]
    columns.notes += [errors.IdentifierNote(name, name in sorting, rules.prepare) for name in noted]
    if rules.prepare:
        columns.leave_out(LeftOut(name, "identifier") for name in found)


def _find_leaks(columns: Columns, rules: ColumnRules, positive: BoolArray) -> None:
    """Leave out columns that give the label away, or point them out."""
    features = [feature for feature in columns.features if feature.source not in rules.use]
    values = [feature.values.to_numpy() for feature in features]
    found = [find_leak(column, positive, len(features), number) for number, column in enumerate(values)]
    others = [number for number, leak in enumerate(found) if leak is None or not leak.is_strong]
    left_out = {}
    for feature, leak in zip(features, found, strict=True):
        if leak is not None:
            is_left_out = rules.prepare and leak.is_strong and stands_alone(leak, values, others, positive)
            columns.notes.append(errors.LeakNote(feature.name, leak, is_left_out))
            if is_left_out:
                left_out[feature.source] = LeftOut(feature.source, "leak", str(leak.kind))
    columns.leave_out(left_out.values())


def finish_columns(columns: Columns, rules: ColumnRules, keep: Sequence[str] = ()) -> list[Feature]:
    """Return the features without missing values; copies are left out as the rules say.

    The encoders learn the medians. Without `rules.impute`, missing and infinite values raise a `MissingValuesError`.
    """
    columns.notes += _count_holes([used.raw[0] for used in columns.used], rules)
    _learn_filling(columns, rules.prepare)
    filled = [used.encoder.filled(used.raw) for used in columns.used]
    copies = _find_copies(columns, [made[0] for made in filled], rules, keep)
    columns.leave_out(copies)
    left_out = {column.name for column in copies}
    return [feature for made in filled for feature in made if feature.source not in left_out]


def _learn_filling(columns: Columns, indicators: bool) -> None:
    """Let the encoders know the medians, and add indicators where values are missing; equal ones only once."""
    seen: set[bytes] = set()
    for place, used in enumerate(columns.used):
        if used.encoder.kind == "categories":
            continue
        missing = ~np.isfinite(used.raw[0].values.to_numpy())
        content = missing.tobytes() if indicators and missing.mean() >= INDICATOR_SHARE else b""
        fill, *part_fills = (median(feature.values) for feature in used.raw)
        is_new = bool(content) and content not in seen
        encoder = replace(used.encoder, fill=fill, part_fills=tuple(part_fills), has_indicator=is_new)
        columns.used[place] = replace(used, encoder=replace(encoder, lost=float(missing.mean())))
        seen.add(content)


def _count_holes(features: Sequence[Feature], rules: ColumnRules) -> list[Note]:
    holes: dict[errors.Hole, dict[str, int]] = {
        "missing": {feature.name: int(np.isnan(feature.values.to_numpy()).sum()) for feature in features},
        "infinite": {feature.name: int(np.isinf(feature.values.to_numpy()).sum()) for feature in features},
    }
    notes: list[Note] = []
    for hole, counts in holes.items():
        found = {name: count for name, count in counts.items() if count}
        if found and not rules.prepare and rules.impute is None:
            raise errors.MissingValuesError(hole, found)
        if found:
            notes.append(errors.FilledNote(hole, found))
    return notes


def _find_copies(
    columns: Columns, firsts: Sequence[Feature], rules: ColumnRules, keep: Sequence[str]
) -> list[LeftOut]:
    """Return the columns to leave out as copies, and note those that say the same but are used."""
    single = [first for used, first in zip(columns.used, firsts, strict=True) if used.encoder.kind != "categories"]
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
            columns.notes.append(errors.TwinNote(rest, group.correlation))
    return copies


def _is_copy(first: FloatArray, other: FloatArray, rules: ColumnRules) -> bool:
    if rules.drop_duplicates is not None:
        return bool(find_twins(np.column_stack([first, other]), rules.drop_duplicates))
    return rules.prepare and np.array_equal(first, other)
