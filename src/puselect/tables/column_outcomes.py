"""Outcomes of columns in words: used, encoded, or left out and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from puselect.checks.leaks import LeakKind
from puselect.phrases import counted, shortened
from puselect.tables.encoders import Encoder
from puselect.tables.errors import FilledNote, LeakNote, LeftOut, Note


@dataclass(frozen=True)
class ColumnOutcome:
    """What became of one column."""

    column: str
    features: tuple[str, ...]
    """Made from it; none if it was left out."""
    action: str
    """The kind of an encoder, such as "date" or "categories"; "empty", "constant", "identifier", ... where left out."""
    text: str
    """A few words."""
    is_unchanged: bool = False
    """Whether its values are used as they are."""

    def __str__(self) -> str:
        return f"{self.column}: {self.text}"


def column_outcomes(
    encoders: Iterable[Encoder], left_out: Iterable[LeftOut], notes: Iterable[Note], order: Sequence[str]
) -> tuple[ColumnOutcome, ...]:
    """Return what became of each column, in the order of the table."""
    filled: Counter[str] = Counter()
    for note in notes:
        if isinstance(note, FilledNote):
            filled.update(note.counts)
    used = [
        ColumnOutcome(encoder.column, encoder.names, encoder.kind, _used_text(encoder, filled[encoder.column]),
                      encoder == Encoder(encoder.column, "number", fill=encoder.fill))
        for encoder in encoders
    ]  # fmt: skip
    unused = [ColumnOutcome(column.name, (), column.reason, f"left out: {column.text}") for column in left_out]
    place = {name: number for number, name in enumerate(order)}
    return tuple(sorted([*used, *unused], key=lambda outcome: place[outcome.column]))


def _used_text(encoder: Encoder, n_filled: int) -> str:
    text = {
        "number": f"used as it is{f', in {encoder.number_format.unit}' if encoder.number_format.unit else ''}",
        "pair": "two numbers, selected as a whole",
        "duration": "in microseconds",
        "date": ", ".join(("days since 1970-01-01", *encoder.parts)),
        "order": f"ordered: {shortened(encoder.values, ' < ')}",
        "categories": f"categories, selected as a whole: {shortened(encoder.values)}",
    }[encoder.kind]
    if encoder.kind == "categories" and len(encoder.values) == 1:
        text = f"1 for {encoder.values[0]}, 0 otherwise"
    elif encoder.kind == "categories" and len(encoder.seen) > max(2, len(encoder.values)):
        text += f"; {counted(len(encoder.seen) - len(encoder.values), 'rarer value')} pooled"
    if n_filled:
        text += f"; {counted(n_filled, 'missing value')} filled with the median, {encoder.fill:.4g}"
    return text + ("; another feature tells where" if encoder.has_indicator else "")


def leak_text(found: LeakNote) -> str:
    """Return how a column may give the label away."""
    leak, value = found.leak, " to ".join(dict.fromkeys(found.bounds))
    what = {
        LeakKind.PRESENT: f"a value in {found.name!r}",
        LeakKind.VALUE: f"{found.name!r} = {value}",
        LeakKind.STRETCH: f"{found.name!r} from {value}",
    }[leak.kind]
    also = f" (see also {', '.join(map(repr, found.companions))})" if found.companions else ""
    share = f"{100 * leak.others / leak.n_others:.2g}%"
    return f"{leak.labelled} of {leak.n_labelled} known positives have {what}; {share} of the others do{also}"
