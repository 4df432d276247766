"""The results of a study on disk: one JSON object a line, only ever appended.

A line has these fields:

``key``
    `Cell.key` of the cell. It is computed again when the line is read, so rows from elsewhere may leave it out.
``cell``
    The whole content of the cell: ``measure``, ``method``, ``settings``, ``data``, ``seed``.
``values``
    What was measured, if the cell was finished. ``recall``: ``fsr``, ``selected`` (indices of columns),
    ``fit_seconds`` and, for searches, ``objective``, ``steps``, ``converged``. ``convergence``: the same and
    ``evaluations``, ``theta``, ``relevant``. ``objective``: ``printed``, ``exact``. ``downstream``: ``auc`` by model,
    ``selected``, ``fit_seconds``.
``error``
    Instead of ``values``, if the cell failed. Such a cell is tried again on the next run.
``seconds``
    Time of the whole cell, data included.
``versions``
    Versions of Python and of the libraries.
``engine``
    Optional: what did the work, where it was not the default of the method ("gpu").

To add rows that were made elsewhere, put them into the folder of a study as ``results-<anything>.jsonl``, or compressed
as ``.jsonl.gz``: all files whose name begins with ``results`` are read, and only ``results.jsonl`` is written to. Of
the values, tables need ``fsr`` or ``auc`` alone; `Row.to_json` makes the line.
"""

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from puselect.studies.cells import Cell

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two runs apart there
    fcntl = None  # type: ignore[assignment]

NAME = "results.jsonl"


@dataclass(frozen=True)
class Row:
    """The result of a cell, or the error that ended it."""

    cell: Cell
    values: Mapping[str, Any] | None = None
    error: str | None = None
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    engine: str | None = None

    @property
    def finished(self) -> bool:
        """Whether there are values."""
        return self.values is not None

    def to_json(self) -> str:
        """Return the line for the journal, without its end."""
        fields: dict[str, Any] = {"key": self.cell.key, "cell": self.cell.content}
        fields |= {"values": self.values} if self.finished else {"error": self.error}
        fields |= {"seconds": round(self.seconds, 3), "versions": dict(self.versions)}
        if self.engine is not None:
            fields["engine"] = self.engine
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, line: str | bytes) -> Self:
        """Return the row that a line holds."""
        fields = json.loads(line)
        cell = Cell.from_content(fields.pop("cell"))
        fields.pop("key", None)
        return cls(cell, **fields)


class Journal:
    """Appends rows to ``results.jsonl`` in a folder; each one is on disk before `append` returns.

    Use as a context manager. One process at a time may write; a second one gets an error.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME

    def __enter__(self) -> Self:
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._lock()
            self._end_last_line()
        except BaseException:
            os.close(self.descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self.descriptor)

    def append(self, row: Row) -> None:
        """Write one row and wait until it is on disk."""
        line = memoryview(row.to_json().encode() + b"\n")
        while line:
            line = line[os.write(self.descriptor, line) :]
        os.fsync(self.descriptor)

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(f"another run is writing to {self.path}; wait for it, or use another folder") from None

    def _end_last_line(self) -> None:
        """Complete a last line that lost only its end; take away one that was cut."""
        content = self.path.read_bytes()
        whole, _, last = content.rpartition(b"\n")
        if not last:
            return
        try:
            Row.from_json(last)
        except (ValueError, KeyError, TypeError):
            os.ftruncate(self.descriptor, len(whole) + 1 if whole else 0)
        else:
            os.write(self.descriptor, b"\n")


def read_rows(folder: Path) -> list[Row]:
    """Return the latest row of each cell from all results in a folder; a finished one outlives later failures.

    A last line that was cut is passed over; any other line that cannot be read is an error.
    """
    latest: dict[str, Row] = {}
    for path in sorted(folder.glob("results*.jsonl")) + sorted(folder.glob("results*.jsonl.gz")):
        for row in _parse(path):
            known = latest.get(row.cell.key)
            if row.finished or known is None or not known.finished:
                latest[row.cell.key] = row
    return list(latest.values())


def _parse(path: Path) -> Iterable[Row]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    *lines, last = content.split(b"\n")
    for number, line in enumerate([*lines, last], start=1):
        try:
            if line.strip():
                yield Row.from_json(line)
        except (ValueError, KeyError, TypeError) as error:
            if number <= len(lines):
                raise ValueError(f"line {number} of {path} is no result ({error}); mend or remove it") from error
