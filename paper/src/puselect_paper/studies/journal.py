"""The results of a study on disk: one JSON object per line, append-only.

A line has these fields:

``key``
    `Cell.key` of the cell. It is computed again when the line is read, so rows from elsewhere may leave it out.
``cell``
    The whole content of the cell: ``measure``, ``method``, ``settings``, ``data``, ``seed``.
``values``
    What was measured, if the cell was finished. ``recall``: ``fsr``, ``selected`` (indices of columns),
    ``fit_seconds`` (not if several fits shared the time) and, for searches, ``objective``, ``steps``, ``converged``
    (`settled_`) and ``undecided``, the share of probabilities between .1 and .9 at the end. ``convergence``: the same
    and ``evaluations``, ``theta``, ``relevant``. ``downstream`` and ``real``: as ``recall``, but ``auc`` by model
    instead of ``fsr``. ``counts``: the counts of the paper's Table 2.
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
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from puselect.arrays import FloatArray
from puselect_paper.studies.cells import Cell, JSONObject

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two runs apart there
    fcntl = None  # type: ignore[assignment]

NAME = "results.jsonl"
COUNTS = ("instances", "features", "positive instances", "labelled for training", "positive for testing")
NEEDED = {
    "recall": {"fsr": 0},
    "convergence": {"fsr": 0, "evaluations": 1, "theta": 2, "relevant": 1},
    "counts": dict.fromkeys(COUNTS, 0),
}
"""Names of the values by measure, with the dimensions of the numbers they hold."""


@dataclass(frozen=True)
class Row:
    """The result of a cell, or the error that ended it."""

    cell: Cell
    values: JSONObject | None = None
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
        fields: dict[str, object] = {"key": self.cell.key, "cell": self.cell.content}
        fields |= {"values": self.values} if self.finished else {"error": self.error}
        fields |= {"seconds": round(self.seconds, 3), "versions": dict(self.versions)}
        if self.engine is not None:
            fields["engine"] = self.engine
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, line: str | bytes) -> Self:
        """Return the row that a line holds; a line that is not a complete row raises a ValueError."""
        try:
            fields = json.loads(line)
            cell, values, error = Cell.from_content(fields["cell"]), fields.get("values"), fields.get("error")
            if (values is None) == (error is None):
                raise ValueError("a row must have either values or an error")
            if values is not None:
                check_values(cell, values)
            seconds = float(check_numbers("seconds", fields.get("seconds", 0.0), 0))
            return cls(cell, values, error, seconds, dict(fields.get("versions", {})), fields.get("engine"))
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError) as problem:
            raise ValueError(f"{type(problem).__name__}: {problem}") from problem


def check_values(cell: Cell, values: JSONObject) -> None:
    """Raise a ValueError or TypeError if the values of a cell lack numbers that tables and figures need."""
    for name, n_dimensions in NEEDED.get(cell.measure, {}).items():
        check_numbers(name, values[name], n_dimensions)
    for model in cell.data["models"] if cell.measure in ("downstream", "real") else ():
        check_numbers("auc", values["auc"][model], 0)


def check_numbers(name: str, value: object, n_dimensions: int) -> FloatArray:
    """Return finite numbers, in lists of equal length if there are dimensions; raise a ValueError if they are not."""
    array = np.array(value)
    if array.ndim != n_dimensions or array.dtype.kind not in "iuf" or not (array.size and np.isfinite(array).all()):
        raise ValueError(f"{name} must hold finite numbers in {n_dimensions} dimension(s), got {value!r}")
    return array


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
            raise BlockingIOError(
                f"another run is writing to {self.path}; wait until it ends, or use another folder"
            ) from None

    def _end_last_line(self) -> None:
        """Complete a last line that only lacks its line end; remove one that was cut."""
        content = self.path.read_bytes()
        whole, _, last = content.rpartition(b"\n")
        if not last:
            return
        try:
            Row.from_json(last)
        except ValueError:
            os.ftruncate(self.descriptor, len(whole) + 1 if whole else 0)
        else:
            os.write(self.descriptor, b"\n")


def read_rows(folder: Path) -> list[Row]:
    """Return the latest row of each cell from all results in a folder; failures do not replace a finished row.

    A last line that was cut is skipped; any other line that cannot be read is an error.
    """
    latest: dict[str, Row] = {}
    for path in sorted(folder.glob("results*.jsonl")) + sorted(folder.glob("results*.jsonl.gz")):
        for row in _parse(path):
            known = latest.get(row.cell.key)
            if row.finished or known is None or not known.finished:
                latest[row.cell.key] = row
    return list(latest.values())


def _parse(path: Path) -> Iterator[Row]:
    """Yield the rows of a file; a last line that was cut is skipped."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            lines = file.readlines()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is damaged ({error})") from error
    for number, line in enumerate(lines, start=1):
        try:
            if line.strip():
                yield Row.from_json(line)
        except ValueError as error:
            if line.endswith(b"\n"):
                raise ValueError(f"line {number} of {path} is not a result ({error}); fix or remove it") from error
