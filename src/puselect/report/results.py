"""Saved results, read from their files."""

import os
from pathlib import Path

from puselect.report.codec import parse
from puselect.report.comparison import Comparison
from puselect.report.selection import Selection

Result = Selection | Comparison


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a selection or a comparison that was saved as JSON.

    Parameters
    ----------
    path : path

    Raises
    ------
    ValueError
        If the file is no result, is damaged, or has another version.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = Path(folder, "result.json")
    ...     _ = saved.write_text(Selection(method="kbest").to_json())
    ...     read_result(saved).method
    'kbest'
    """
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    try:
        data = parse(text)
        is_comparison = str(data.get("schema")).rpartition("/")[0] == Comparison.schema.rpartition("/")[0]
        return Comparison.from_data(data) if is_comparison else Selection.from_data(data)
    except ValueError as error:
        raise ValueError(f"cannot read {Path(path)}: {error}") from error
