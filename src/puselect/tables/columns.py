"""Columns of a table become features, or are left out for a reason."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from puselect.arrays import BoolArray, FloatArray
from puselect.checks.leaks import Leak, LeakKind, find_leak
from puselect.columns.twins import find_twins
from puselect.phrases import counted, shortened
from puselect.tables import errors
from puselect.tables.column import Column, Feature
from puselect.tables.column_types import (
    EITHER,
    PAIR,
    SECOND,
    UNIT,
    date_format,
    date_parts,
    far_values,
    is_named_like_codes,
    kind_of,
    known_values,
    looks_like_identifier,
    missing_code,
    number_formats,
    without_markers,
)
from puselect.tables.encoders import Encoder, median
from puselect.tables.errors import LeftOut, Note

SAMPLE = 100  # texts that are tried as numbers first
FEW_UNREAD = 0.05  # share of texts among numbers that count as missing
SPARSE = 0.05  # share of known values
INDICATOR_SHARE = 0.01
TWINS = 0.99
FEWEST_OF_CATEGORY = 10  # rows of each of the most frequent words, where there are too many
FEWEST_ROWS, MOST_COMPARED = 20, 2000
IDENTIFIER = LeftOut("", "identifier", "identifier: all values differ", "use it with --use")


@dataclass(frozen=True, kw_only=True)
class ColumnRules:
    """How columns are read: the parameters of `Preparer`."""

    prepare: bool = False
    """Otherwise text and dates are left out, missing values are refused, identifiers and copies only pointed out."""
    categories: tuple[str, ...] = ()
    max_categories: int = 20
    drop_duplicates: float | None = None
    missing_codes: tuple[str, ...] = ()
    decimal: str | None = None
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    use: tuple[str, ...] = ()

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

    def known(self, name: str) -> FloatArray:
        """Return the values of a column, or of its first feature, that are not missing."""
        return known_values(self.raw[name][0].values)

    def leave_out(self, column: LeftOut) -> None:
        """Add a column to those that are not used."""
        self.left_out.append(column)
        self.used.pop(column.name, None)


def read_columns(
    table: Mapping[str, Column], names: Iterable[str], rules: ColumnRules, positive: BoolArray | None = None
) -> Columns:
    """Choose encoders for the named columns of a table.

    Numbers stay as they are, booleans become 0 and 1, durations numbers. Text and dates are left out unless they are to
    be encoded. Constant and empty columns are left out. With the labels, columns that may give them away are noted.
    """
    columns = Columns()
    for name in names:
        _read_column(columns, table[name], rules)
    whole = [name for name, encoder in columns.used.items() if encoder.kind == "number" and _is_whole(columns, name)]
    identifiers = [name for name in whole if _is_identifier(columns, table[name], rules)]
    if positive is not None:
        columns.notes += _leak_notes(columns, table, rules, positive, identifiers)
    if rules.prepare:
        for name in identifiers:
            columns.leave_out(IDENTIFIER._replace(name=name))
        _find_sparse(columns, rules)
    else:
        columns.notes += map(errors.IdentifierNote, identifiers)
    columns.notes += [
        errors.CategoryNote(name) for name in whole
        if name not in identifiers and columns.used.get(name) == Encoder(name, "number") and is_named_like_codes(name)
    ]
    taken = Counter(feature.name for feature in columns.features)
    if repeated := [name for name, count in taken.items() if count > 1]:
        made = f"encoding makes more than one column named {errors.quoted(repeated)}"
        raise errors.TableError(f"{made}; rename the original columns")
    return columns


def _read_column(columns: Columns, column: Column, rules: ColumnRules) -> None:
    """Use a column, or leave it out."""
    name, encoder = column.name, choose_encoder(column, rules)
    if isinstance(encoder, LeftOut):
        return columns.leave_out(encoder)
    read = encoder.read(column)
    raw = encoder.raw_features(column, read)
    if encoder.kind != "categories":
        known = [known_values(feature.values) for feature in raw]
        if not len(known[0]):
            return columns.leave_out(LeftOut(name, "empty", "empty"))
        if all(values.min() == values.max() for values in known):
            value = f"{known[0][0]:g}" if encoder.kind == "number" else column.text(int(np.argmin(column.missing)))
            return columns.leave_out(LeftOut(name, "constant", f"constant: {value}"))
        if encoder.kind == "date":
            encoder = replace(encoder, parts=date_parts(known[0]))
            raw = encoder.raw_features(column, read)
        if encoder.kind == "number":
            columns.notes += _notes_on_values(name, known[0])
        if column.kind == "text" and (unread := encoder.unread(column, read)) and unread.n_unread:
            columns.notes.append(unread)
    columns.used[name], columns.raw[name] = encoder, raw
    return None


def choose_encoder(column: Column, rules: ColumnRules) -> Encoder | LeftOut:
    """Return how to encode a column, or why it cannot be used."""
    name, ordered, codes = column.name, dict(rules.orders), rules.codes_of(column.name)
    if name in rules.categories:
        return _choose_categories(without_markers(column.as_text(), codes, is_text=True), rules)
    known, text = (without_markers(column, codes, is_text) for is_text in (False, True))
    if text.missing.all():
        return LeftOut(name, "empty", "empty")
    if name not in ordered:
        if column.kind in ("duration", "number"):
            return Encoder(name, column.kind, missing_codes=codes)
        if column.kind == "text" and not column.is_category and (found := _choose_number_format(known, rules)):
            return found
    kind = kind_of(known)
    if kind not in ("text", "dates") and name not in ordered:
        return LeftOut(name, "type", f"unsupported type {kind}")
    if not rules.prepare and name not in ordered:
        return LeftOut(name, "dates" if kind == "dates" else "text", f"{kind}, not encoded", "use it with --prepare")
    if order := ordered.get(name) or column.order:
        return Encoder(name, "order", order, missing_codes=codes)
    if kind == "dates":
        text_format = (date_format(known.words) or "") if column.kind == "text" else ""
        return Encoder(name, "date", date_format=text_format, missing_codes=codes)
    return _choose_categories(text, rules)


def _choose_number_format(column: Column, rules: ColumnRules) -> Encoder | LeftOut | None:
    """Return how to read texts that hold numbers, or why they cannot be read; None if they are another kind of text."""
    name, codes, words, counts = column.name, rules.codes_of(column.name), column.words, column.counts
    if words and all(map(PAIR.fullmatch, words)):
        return Encoder(name, "pair", parts=(SECOND,), missing_codes=codes)
    bare = [UNIT.sub("", word, count=1) for word in words]
    formats = number_formats(bare, counts) if number_formats(bare[:SAMPLE], counts[:SAMPLE]) else []
    if not formats:
        return None
    is_read = ~np.isnan(formats[0].read(bare))
    n_unread, n_texts = int(counts[~is_read].sum()), int(counts.sum())
    if n_unread > n_texts / 2 or (n_unread and len(words) <= rules.max_categories):
        return None
    if n_unread > FEW_UNREAD * n_texts:
        odd = words[int(np.argmin(is_read))]
        unread = f"{counted(n_unread, 'value')} among numbers cannot be read as one, such as {odd!r}"
        return LeftOut(name, "mixed", unread, f"if it means missing, add --missing={shlex.quote(f'{name}={odd}')}")
    found = (UNIT.search(word) for word, is_own in zip(words, is_read, strict=True) if is_own)
    units = sorted({unit[0] for unit in found if unit})
    if len(units) > 1:
        several = f"amounts in several units ({', '.join(units)}); convert them to one first"
        return LeftOut(name, "units", several, "or leave it out with --drop")
    if len(formats) > 1:
        formats = [own for own in formats if own.decimal == rules.decimal]
    if not formats:
        value = next(word for word, own in zip(words, bare, strict=True) if EITHER.search(own))
        raise errors.ambiguous_number(name, value)
    return Encoder(name, "number", number_format=replace(formats[0], unit="".join(units)), missing_codes=codes)


def _choose_categories(text: Column, rules: ColumnRules) -> Encoder | LeftOut:
    """Return a one-hot encoder, unless the text has too many values or a single one."""
    categories, lost = sorted(text.words), float(text.missing.mean())
    used = categories
    if len(categories) > rules.max_categories:
        used = _frequent(text, rules.max_categories)
    if not used and looks_like_identifier(text):
        return IDENTIFIER._replace(name=text.name)
    if not used:
        many = f"text with {len(categories)} different values, more than {rules.max_categories}"
        return LeftOut(text.name, "text", many, "see --max-categories")
    if len(categories) == 1 and not lost:
        return LeftOut(text.name, "constant", f"constant: {categories[0]}")
    if len(categories) == 2 and not lost:  # one column is enough
        used = categories[1:]
    return Encoder(text.name, "categories", tuple(used), seen=tuple(categories), lost=lost)


def _frequent(text: Column, most: int) -> list[str]:
    """Return the most frequent words; none if half the rows or more have others."""
    counts = text.counts
    frequent = [place for place in np.argsort(-counts, kind="stable")[:most] if counts[place] >= FEWEST_OF_CATEGORY]
    return sorted(text.words[place] for place in frequent) if counts[frequent].sum() > counts.sum() / 2 else []


def _notes_on_values(name: str, known: FloatArray) -> Iterator[Note]:
    """Yield notes on values that may stand for missing."""
    codes = dict([*far_values(known), *([code] if (code := missing_code(known)) else [])])
    yield from (errors.CodeNote(name, f"{value:g}", count) for value, count in codes.items())


def _is_whole(columns: Columns, name: str) -> bool:
    known = columns.known(name)
    return bool((known == np.floor(known)).all())


def _is_identifier(columns: Columns, column: Column, rules: ColumnRules) -> bool:
    """Return whether a column of whole numbers, without a unit, has only different ones."""
    has_unit = columns.used[column.name].number_format.unit
    return not has_unit and column.name not in rules.use and looks_like_identifier(column)


def _leak_notes(
    columns: Columns, table: Mapping[str, Column], rules: ColumnRules, positive: BoolArray, identifiers: Sequence[str]
) -> Iterator[errors.LeakNote]:
    """Yield the columns that may give the label away; they are left out only on request."""
    for name, encoder in columns.used.items():
        values = columns.raw[name][0].values
        if encoder.kind == "categories":  # one column of places instead of a column for each value
            values = encoder.read(table[name])
        is_order = encoder.kind == "date" or name in identifiers
        leak = find_leak(values, positive, len(columns.used), is_order=is_order)
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
            n_known = len(columns.known(name))
            if n_known < SPARSE * len(columns.raw[name][0].values):
                almost = f"almost empty: {counted(n_known, 'value')}"
                columns.leave_out(LeftOut(name, "sparse", almost, "use it with --use"))


def finish_columns(columns: Columns, rules: ColumnRules, keep: Sequence[str] = ()) -> list[Feature]:
    """Return the features without missing values; copies are left out as the rules say.

    The encoders learn the medians. Without `rules.prepare`, missing and infinite values raise a `TableError`.
    """
    _count_holes(columns, rules)
    _learn_filling(columns, rules.prepare)
    filled = {name: encoder.filled(columns.raw[name]) for name, encoder in columns.used.items()}
    for copy in _find_copies(columns, [features[0] for features in filled.values()], rules, keep):
        columns.leave_out(copy)
    return [feature for name in columns.used for feature in filled[name]]


def _learn_filling(columns: Columns, indicators: bool) -> None:
    """Let the encoders know the medians, and add indicators where values are missing; equal ones only once."""
    encoded = [name for name, encoder in columns.used.items() if encoder.kind == "categories"]
    flags = [feature.values == 1 for name in encoded for feature in columns.raw[name]]
    seen = {hash(mask.tobytes()) for flag in flags for mask in (flag, ~flag)}
    for name, encoder in columns.used.items():
        if encoder.kind == "categories":
            continue
        raw = columns.raw[name]
        missing = ~np.isfinite(raw[0].values)
        is_new = indicators and hash(missing.tobytes()) not in seen and bool(missing.mean() >= INDICATOR_SHARE)
        fill, *part_fills = (median(feature.values) for feature in raw)
        columns.used[name] = replace(
            encoder, fill=fill, part_fills=tuple(part_fills), has_indicator=is_new, lost=float(missing.mean())
        )
        seen.add(hash(missing.tobytes()))


def _count_holes(columns: Columns, rules: ColumnRules) -> None:
    """Note missing and infinite values that will be filled, or raise an error if they are not to be."""
    holes: tuple[errors.Hole, ...] = ("missing", "infinite")
    for hole, is_hole in zip(holes, (np.isnan, np.isinf), strict=True):
        counts = {name: int(is_hole(columns.raw[name][0].values).sum()) for name in columns.used}
        found = {name: count for name, count in counts.items() if count}
        if found and not rules.prepare:
            raise missing_values(hole, found)
        if found:
            columns.notes.append(errors.FilledNote(hole, found))


def missing_values(hole: errors.Hole, counts: Mapping[str, int]) -> errors.TableError:
    """Return the error about missing or infinite values that are not to be filled."""
    most_first = sorted(counts.items(), key=lambda item: -item[1])
    named = shortened([f"{name} ({count})" for name, count in most_first])
    columns = f"{counted(len(counts), 'column')} with {hole} values: {named}"
    return errors.TableError(f"{columns}; fill them with --prepare, or leave the columns out with --drop")


def _find_copies(
    columns: Columns, firsts: Sequence[Feature], rules: ColumnRules, keep: Sequence[str]
) -> list[LeftOut]:
    """Return the columns to leave out as copies, and note those that say the same but are used."""
    single = [first for first in firsts if columns.used[first.source].kind != "categories"]
    if not 2 <= len(single) <= MOST_COMPARED or len(single[0].values) < FEWEST_ROWS:
        return []
    single.sort(key=lambda feature: feature.source not in keep)  # of copies the first is used
    X = np.column_stack([feature.values for feature in single])
    copies = []
    for group in find_twins(X, min(rules.drop_duplicates or TWINS, TWINS)):
        first = single[group.columns[0]].name
        dropped = [
            single[i].name for i in group.columns[1:]
            if single[i].name not in (*rules.use, *keep) and _is_copy(X[:, group.columns[0]], X[:, i], rules)
        ]
        copies += [LeftOut(name, "copy", f"says the same as {first}") for name in dropped]
        rest = tuple(single[i].name for i in group.columns if single[i].name not in dropped)
        if len(rest) > 1:
            columns.notes.append(errors.TwinNote(rest, group.correlation))
    return copies


def _is_copy(first: FloatArray, other: FloatArray, rules: ColumnRules) -> bool:
    if rules.drop_duplicates is not None:
        return bool(find_twins(np.column_stack([first, other]), rules.drop_duplicates))
    return rules.prepare and np.array_equal(first, other)
