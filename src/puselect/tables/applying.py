"""A saved selection on another file: its selected columns, and its rows as the features that were selected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from puselect.arrays import AnyArray
from puselect.selectors.clusterings import Candidates
from puselect.tables.encoders import Encoder
from puselect.tables.errors import (
    LackingColumnsError,
    MissingValuesError,
    ShortTableError,
    UnknownColumnError,
    UnreadNote,
)
from puselect.tables.files import candidate_frame, names_in_order, open_source, read_rows, write_table
from puselect.tables.loading import read_ids


@dataclass(frozen=True)
class AppliedTable:
    """The rows of another file, as a selection sees them."""

    rows: Any
    """Polars frame with all columns of the file."""
    X: AnyArray
    """The selected features, shape (n_rows, n_selected)."""
    sources: tuple[str, ...]
    """The columns they were made from."""
    row_names: AnyArray
    row_name: str | None
    """The column that names a row; None if it is called by its number, 0 for the first after the header."""
    notes: tuple[UnreadNote, ...]

    def write(self, file: BinaryIO, output_format: str) -> None:
        """Write the selected columns as they are in the file, and what names the rows."""
        names = names_in_order([*self.sources, self.row_name or ""], self.rows.columns)
        write_table(self.rows.select(names), file, output_format)

    def write_candidates(self, found: Candidates, file: BinaryIO) -> None:
        """Write candidates as CSV: what names the row, the confidence, the selected columns."""
        names = names_in_order(self.sources, self.rows.columns)
        write_table(candidate_frame(found, self.row_names, self.row_name, self.rows.select(names)), file, ".csv")


def apply_encoders(
    name: str, encoders: Sequence[Encoder], features: Sequence[str], row_name: str | None = None
) -> AppliedTable:
    """Read a data file and return the selected features of its rows.

    Parameters
    ----------
    name : str
        A path, or "-" for standard input.
    encoders : sequence of Encoder
        How columns become features. Features without a encoder are columns of numbers.
    features : sequence of str
        The selected ones.
    row_name : str, optional
        Column that names the rows.
    """
    made = {feature: encoder for encoder in encoders for feature in encoder.names}
    wanted = [made.get(feature) or Encoder(feature, "number") for feature in features]
    used = {encoder.column: encoder for encoder in wanted}
    source = open_source(name, texts=[column for column, encoder in used.items() if encoder.values])
    lacking = [column for column in used if column not in source.columns]
    if lacking:
        raise LackingColumnsError(name, lacking, source.columns)
    if row_name is not None and row_name not in source.columns:
        raise UnknownColumnError(name, "id", row_name, source.columns)
    frame, numbers = read_rows(source)
    if not frame.height:
        raise ShortTableError(name, 0)
    read = [encoder.features(frame[encoder.column]) for encoder in used.values()]
    columns = {feature.name: feature.values.to_numpy() for found, _ in read for feature in found}
    notes = tuple(note for _, note in read if note is not None)
    unfilled = {note.name: note.n_missing + note.n_unread for note in notes if used[note.name] not in encoders}
    if unfilled:
        raise MissingValuesError("missing", unfilled)
    return AppliedTable(
        rows=frame,
        X=np.column_stack([columns[feature] for feature in features]),
        sources=tuple(used),
        row_names=numbers if row_name is None else np.array(read_ids(frame[row_name]), dtype=object),
        row_name=row_name,
        notes=notes,
    )
