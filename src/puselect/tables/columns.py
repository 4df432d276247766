"""Columns of a table become features, or are left out for a reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.checks.leaks import Leak, LeakKind, find_leak
from puselect.columns.twins import find_twins
from puselect.tables import errors
from puselect.tables.column_types import (
    PAIR,
    SECOND,
    UNIT,
    date_format,
    date_parts,
    kind_of,
    known_values,
    looks_like_identifier,
    missing_code,
    number_formats,
    spike,
    type_of,
    without_markers,
)
from puselect.tables.encoders import Encoder, Feature, median
from puselect.tables.errors import LeftOut, Note
from puselect.tables.frames import pl

SAMPLE = 100  # texts that are tried as numbers first
FEW_UNREAD = 0.05  # share of texts among numbers that count as missing
SPARSE = 0.05  # share of known values
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
    """Values that stand for missing, such as "-9" or "refused", or "age=0" in one column only."""
    decimal: str | None = None
    """Decimal mark of numbers in text that may have either."""
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Columns with ordered values, and these from low to high."""
    use: tuple[str, ...] = ()
    """Columns to use although they look like identifiers, leaks or copies."""

    def codes_of(self, column: str) -> tuple[str, ...]:
        """Return the values that stand for missing in a column."""
        split = [code.rpartition("=") for code in self.missing_codes]
        return tuple(value for own, _, value in split if own in ("", column))


@dataclass
class Columns:
    """The columns of a table, as far as they were read."""

    used: dict[str, Encoder] = field(default_factory=dict)
    raw: dict[str, list[Feature]] = field(default_factory=dict)
    """Features of the columns that are used, with NaN for missing values."""
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def features(self) -> list[Feature]:
        """The features, missing values as NaN."""
        return [feature for name in self.used for feature in self.raw[name]]

    def leave_out(self, column: LeftOut) -> None:
        """Add a column to those that are not used."""
        self.left_out.append(column)
        self.used.pop(column.name, None)


def read_columns(
    frame: pl.DataFrame, names: Iterable[str], rules: ColumnRules, positive: BoolArray | None = None
) -> Columns:
    """Choose encoders for the named columns of a frame.

    Numbers stay as they are, booleans become 0 and 1, durations numbers. Text and dates are left out unless they are to
    be encoded. Constant and empty columns are left out. With the labels, columns that may give them away are noted.
    """
    columns = Columns()
    for name in names:
        _read_column(columns, frame[name], rules)
    identifiers = _identifiers(columns, frame, rules)
    if positive is not None:
        columns.notes += _leak_notes(columns, frame, rules, positive, identifiers)
    for name in identifiers:
        if rules.prepare:
            columns.leave_out(LeftOut(name, "identifier"))
        else:
            columns.notes.append(errors.IdentifierNote(name))
    if rules.prepare:
        _find_sparse(columns, rules)
    taken = Counter(feature.name for feature in columns.features)
    if repeated := [name for name, count in taken.items() if count > 1]:
        raise errors.RepeatedNameError(None, repeated)
    return columns


def _read_column(columns: Columns, column: pl.Series, rules: ColumnRules) -> None:
    """Use a column, or leave it out."""
    name, encoder = column.name, choose_encoder(column, rules)
    if isinstance(encoder, LeftOut):
        return columns.leave_out(encoder)
    if encoder.kind != "categories":
        known = [known_values(feature.values) for feature in encoder.raw_features(column)]
        if not len(known[0]):
            return columns.leave_out(LeftOut(name, "empty"))
        if all(values.min() == values.max() for values in known):
            value = f"{known[0][0]:g}" if encoder.kind == "number" else str(column.drop_nulls()[0])
            return columns.leave_out(LeftOut(name, "constant", value))
        if encoder.kind == "date":
            encoder = replace(encoder, parts=date_parts(known[0]))
        if encoder.kind == "number":
            columns.notes += _notes_on_values(name, known[0])
        if type_of(column) == "String" and (unread := encoder.unread(column)) and unread.n_unread:
            columns.notes.append(unread)
    columns.used[name], columns.raw[name] = encoder, encoder.raw_features(column)
    return None


def choose_encoder(column: pl.Series, rules: ColumnRules) -> Encoder | LeftOut:
    """Return how to encode a column, or why it cannot be used."""
    name, kind, ordered = column.name, type_of(column), dict(rules.orders)
    codes = rules.codes_of(name)
    known, text = (without_markers(column, codes, is_text) for is_text in (False, True))
    order = ordered.get(name) or _declared_order(column)
    if text.null_count() == len(text):
        return LeftOut(name, "empty")
    if name not in ordered:
        if kind == "Duration" or kind == "Boolean" or column.dtype.is_numeric():
            return Encoder(name, "duration" if kind == "Duration" else "number", missing_codes=codes)
        if kind == "String" and (found := _choose_number_format(known.drop_nulls(), rules)):
            return found
    kind = kind_of(known)
    if kind not in ("text", "dates"):
        return LeftOut(name, "type", kind)
    if not rules.encode and not rules.prepare and name not in ordered:
        return LeftOut(name, "dates" if kind == "dates" else "text", n_values=column.drop_nulls().n_unique())
    if order:
        return Encoder(name, "order", order, missing_codes=codes)
    if kind == "dates":
        text_format = (date_format(known) or "") if type_of(column) == "String" else ""
        kind = "time" if type_of(column) == "Time" else "date"
        return Encoder(name, kind, date_format=text_format, missing_codes=codes)
    return _choose_categories(text.cast(str), rules)


def _choose_number_format(texts: pl.Series, rules: ColumnRules) -> Encoder | LeftOut | None:
    """Return how to read texts that hold numbers, or why they cannot be read; None if they are another kind of text."""
    name, codes, bare = texts.name, rules.codes_of(texts.name), texts.str.replace(UNIT, "")
    if len(texts) and texts.str.contains(PAIR).all():
        return Encoder(name, "pair", parts=(SECOND,), missing_codes=codes)
    formats = number_formats(bare) if number_formats(bare.head(SAMPLE)) else []
    if not formats:
        return None
    unread = texts.filter(formats[0].read(bare).is_null())
    units = texts.filter(formats[0].read(bare).is_not_null()).str.extract(f"({UNIT})").drop_nulls().unique()
    if len(unread) > len(texts) / 2 or (len(unread) and texts.n_unique() <= rules.max_categories):
        return None
    if len(unread) > FEW_UNREAD * len(texts):
        return LeftOut(name, "mixed", unread[0], len(unread))
    if len(units) > 1:
        return LeftOut(name, "units", ", ".join(sorted(units)))
    if len(formats) > 1:
        formats = [own for own in formats if own.decimal == rules.decimal]
    if not formats:
        value = texts.filter(bare.str.contains(r"\d[.,]\d{3}"))[0]
        raise errors.AmbiguousNumberError(name, value, "," if "," in value else ".")
    written = replace(formats[0], unit=units[0] if len(units) else "")
    return Encoder(name, "number", number_format=written, missing_codes=codes)


def _declared_order(column: pl.Series) -> tuple[str, ...]:
    """Return the values of an enumeration from low to high; an enumeration is a type with an order."""
    return tuple(column.dtype.categories) if isinstance(column.dtype, pl.Enum) else ()


def _choose_categories(text: pl.Series, rules: ColumnRules) -> Encoder | LeftOut:
    """Return a one-hot encoder, unless the text has too many values or a single one."""
    categories = sorted(text.drop_nulls().unique().to_list())
    if len(categories) > rules.max_categories:
        is_identifier = rules.prepare and looks_like_identifier(text)
        many = LeftOut(text.name, "text", "", len(categories), rules.max_categories)
        return LeftOut(text.name, "identifier") if is_identifier else many
    if len(categories) == 1 and not text.null_count():
        return LeftOut(text.name, "constant", categories[0])
    # One column is enough for two categories.
    used = categories[1:] if len(categories) == 2 and not text.null_count() else categories
    lost = text.null_count() / len(text)
    return Encoder(text.name, "categories", tuple(used), seen=tuple(categories), lost=lost)


def _notes_on_values(name: str, known: FloatArray) -> Iterator[Note]:
    """Yield notes on values that may stand for missing, or may have been filled in before."""
    if code := missing_code(known):
        yield errors.CodeNote(name, f"{code[0]:g}", code[1])
    if peak := spike(known):
        yield errors.SpikeNote(name, f"{peak[0]:.6g}", peak[1])


def _identifiers(columns: Columns, frame: pl.DataFrame, rules: ColumnRules) -> list[str]:
    """Return the columns of whole numbers without a unit that all differ."""
    found = []
    for name, encoder in columns.used.items():
        is_number = encoder.kind == "number" and not encoder.number_format.unit
        if is_number and name not in rules.use and looks_like_identifier(frame[name]):
            known = known_values(columns.raw[name][0].values)
            found += [name] if (known == np.floor(known)).all() else []
    return found


def _leak_notes(
    columns: Columns, frame: pl.DataFrame, rules: ColumnRules, positive: BoolArray, identifiers: Sequence[str]
) -> Iterator[errors.LeakNote]:
    """Yield the columns that may give the label away; they are left out only on request."""
    for name, encoder in columns.used.items():
        first, *_ = columns.raw[name]
        if encoder.kind == "categories":  # one column of codes instead of a column for each value
            first, *_ = replace(encoder, kind="order", values=encoder.seen).raw_features(frame[name])
        is_order = encoder.kind == "date" or name in identifiers
        leak = find_leak(first.values.to_numpy(), positive, len(columns.used), is_order=is_order)
        if leak is not None and name not in rules.use:
            companions = tuple(other for other in columns.used if other.startswith(f"{name}_"))
            yield errors.LeakNote(name, leak, _bounds_text(leak, encoder), companions)


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


def _find_sparse(columns: Columns, rules: ColumnRules) -> None:
    """Leave out columns that are almost empty."""
    for name, encoder in list(columns.used.items()):
        if encoder.kind != "categories" and name not in rules.use:
            n_known = len(known_values(columns.raw[name][0].values))
            if n_known < SPARSE * len(columns.raw[name][0].values):
                columns.leave_out(LeftOut(name, "sparse", n_values=n_known))


def finish_columns(columns: Columns, rules: ColumnRules, keep: Sequence[str] = ()) -> list[Feature]:
    """Return the features without missing values; copies are left out as the rules say.

    The encoders learn the medians. Without `rules.impute`, missing and infinite values raise a `MissingValuesError`.
    """
    columns.notes += _count_holes([columns.raw[name][0] for name in columns.used], rules)
    _learn_filling(columns, rules.prepare)
    filled = {name: encoder.filled(columns.raw[name]) for name, encoder in columns.used.items()}
    for copy in _find_copies(columns, [features[0] for features in filled.values()], rules, keep):
        columns.leave_out(copy)
    return [feature for name in columns.used for feature in filled[name]]


def _learn_filling(columns: Columns, indicators: bool) -> None:
    """Let the encoders know the medians, and add indicators where values are missing; equal ones only once."""
    seen = {hash(mask.tobytes()) for flag in _flags(columns) for mask in (flag, ~flag)} if indicators else set()
    for name, encoder in columns.used.items():
        if encoder.kind == "categories":
            continue
        raw = columns.raw[name]
        missing = ~np.isfinite(raw[0].values.to_numpy())
        is_new = indicators and hash(missing.tobytes()) not in seen and bool(missing.mean() >= INDICATOR_SHARE)
        fill, *part_fills = (median(feature.values) for feature in raw)
        columns.used[name] = replace(
            encoder, fill=fill, part_fills=tuple(part_fills), has_indicator=is_new, lost=float(missing.mean())
        )
        seen.add(hash(missing.tobytes()))


def _flags(columns: Columns) -> Iterator[BoolArray]:
    """Yield the features that are 0 or 1 because they stand for a category."""
    for name, encoder in columns.used.items():
        if encoder.kind == "categories":
            yield from (feature.values.to_numpy() == 1 for feature in columns.raw[name])


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
    single = [first for first in firsts if columns.used[first.source].kind != "categories"]
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
