"""Columns of a table become features, or are left out for a reason."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.checks.leaks import Leak, LeakKind, find_leak
from puselect.columns.twins import find_twins
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
    without_nulls,
)
from puselect.tables.encoders import Encoder, Feature, median, without_codes
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
from puselect.tables.frames import pl

ENCODED = ("text", "dates")
INDICATOR_SHARE = 0.01
TWINS = 0.99
FEWEST_ROWS, MOST_COMPARED = 20, 2000


@dataclass(frozen=True, kw_only=True)
class ColumnRules:
    """How columns are read."""

    prepare: bool = False
    """Encode, fill missing values and mark them, and leave out identifiers and copies, else only point them out."""
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
    `rules.encode`. Constant and empty columns are left out. With the labels, columns that may give them away are noted.
    """
    columns, rules = Columns(), rules or ColumnRules()
    for name in names:
        _read_column(columns, name, frame[name], rules)
    identifiers = _identifiers(columns, frame, rules)
    if positive is not None:
        columns.notes += _leak_notes(columns, frame, rules, positive, identifiers)
    if rules.prepare:
        columns.leave_out(LeftOut(name, "identifier") for name in identifiers)
    else:
        columns.notes += map(IdentifierNote, identifiers)
    taken = [feature.name for feature in columns.features]
    if len(set(taken)) < len(taken):
        raise RepeatedNameError(None, [name for name in dict.fromkeys(taken) if taken.count(name) > 1])
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
            columns.notes.append(CodeNote(name, f"{code[0]:g}", code[1]))
        if peak := spike(known):
            columns.notes.append(SpikeNote(name, f"{peak[0]:.6g}", peak[1]))


def _use(columns: Columns, encoder: Encoder, column: pl.Series) -> None:
    columns.used.append(Used(encoder, tuple(encoder.raw_features(column))))


def _read_other(columns: Columns, name: str, column: pl.Series, rules: ColumnRules) -> None:
    """Use a column that does not hold numbers, or leave it out."""
    kind = kind_of(column)
    order = dict(rules.orders).get(name) or _declared_order(column)
    if kind not in ENCODED:
        columns.left_out.append(LeftOut(name, "type", kind))
    elif not rules.encode and not rules.prepare and name not in dict(rules.orders):
        columns.left_out.append(LeftOut(name, cast(LeftOutReason, kind), n_values=column.drop_nulls().n_unique()))
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


def _identifiers(columns: Columns, frame: pl.DataFrame, rules: ColumnRules) -> list[str]:
    numbers = [used.encoder.column for used in columns.used if used.encoder.kind == "number"]
    return [name for name in numbers if name not in rules.use and looks_like_identifier(frame[name])]


def _leak_notes(
    columns: Columns, frame: pl.DataFrame, rules: ColumnRules, positive: BoolArray, identifiers: Sequence[str]
) -> Iterator[LeakNote]:
    """Yield the columns that may give the label away; they are left out only on request."""
    names = [used.encoder.column for used in columns.used]
    for encoder, values in ((used.encoder, used.raw[0].values) for used in columns.used):
        name = encoder.column
        if encoder.kind == "categories":
            codes = {value: float(code) for code, value in enumerate(encoder.seen)}
            values = without_nulls(frame[name].cast(str).replace_strict(codes, return_dtype=pl.Float64))
        is_order = encoder.kind == "date" or name in identifiers
        leak = find_leak(values.to_numpy(), positive, len(names), is_order=is_order)
        if leak is not None and name not in rules.use:
            companions = tuple(other for other in names if other.startswith(f"{name}_"))
            yield LeakNote(name, leak, _bounds_text(leak, encoder), companions)


def _bounds_text(leak: Leak, encoder: Encoder) -> tuple[str, ...]:
    """Return the bounds of a leak as they are in the table."""
    words = encoder.seen or encoder.values
    if leak.kind is LeakKind.PRESENT:
        return ()
    if words:
        return words[int(leak.low)], words[int(leak.high)]
    if encoder.kind == "date":
        return str(np.datetime64(int(leak.low), "D")), str(np.datetime64(int(leak.high), "D"))
    return f"{leak.low:g}", f"{leak.high:g}"


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
    holes: dict[Hole, dict[str, int]] = {
        "missing": {feature.name: int(np.isnan(feature.values.to_numpy()).sum()) for feature in features},
        "infinite": {feature.name: int(np.isinf(feature.values.to_numpy()).sum()) for feature in features},
    }
    notes: list[Note] = []
    for hole, counts in holes.items():
        found = {name: count for name, count in counts.items() if count}
        if found and not rules.prepare and rules.impute is None:
            raise MissingValuesError(hole, found)
        if found:
            notes.append(FilledNote(hole, found))
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
            columns.notes.append(TwinNote(rest, group.correlation))
    return copies


def _is_copy(first: FloatArray, other: FloatArray, rules: ColumnRules) -> bool:
    if rules.drop_duplicates is not None:
        return bool(find_twins(np.column_stack([first, other]), rules.drop_duplicates))
    return rules.prepare and np.array_equal(first, other)
