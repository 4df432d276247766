"""Costs of features, from a file."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from puselect.tables.errors import CostsError
from puselect.tables.text import DAMAGED, open_text

MOST_CHARACTERS = 1 << 26


def feature_costs(path: Path, names: Sequence[str], sources: Sequence[str]) -> list[float]:
    """Read the cost of each feature.

    Parameters
    ----------
    path : Path
    names : sequence of str
        The features.
    sources : sequence of str
        The column each feature was made from; a feature without a cost of its own has that of its column.
    """
    costs = read_costs(path)
    found = [costs.get(name, costs.get(source)) for name, source in zip(names, sources, strict=True)]
    missing = [name for name, cost in zip(names, found, strict=True) if cost is None]
    if missing:
        raise CostsError(path, "missing", names=missing)
    return [cost for cost in found if cost is not None]


def read_costs(path: Path) -> dict[str, float]:
    """Read costs from JSON ({"name": cost}) or from CSV with the columns feature and cost, plain or gzipped.

    The first line of a CSV file is skipped if its second field is not a number.
    """
    try:
        with open_text(path) as file:
            text = file.read(MOST_CHARACTERS + 1)
    except (UnicodeDecodeError, *DAMAGED) as error:
        raise CostsError(path, "line", str(error)) from error
    if len(text) > MOST_CHARACTERS:
        raise CostsError(path, "size")
    is_json = any(suffix.lower() == ".json" for suffix in path.suffixes[-2:])
    return _costs_of_json(path, text) if is_json else _costs_of_csv(path, text)


def _costs_of_csv(path: Path, text: str) -> dict[str, float]:
    try:
        rows = [row for row in csv.reader(text.splitlines()) if row]
    except csv.Error as error:
        raise CostsError(path, "line", str(error)) from error
    if not rows:
        raise CostsError(path, "empty")
    if len(rows[0]) == 2 and not _is_number(rows[0][1]):
        rows = rows[1:]
    for row in rows:
        if len(row) != 2 or not _is_number(row[1]):
            raise CostsError(path, "line", f"got {','.join(row)[:80]!r}")
    return {name.strip(): float(cost) for name, cost in rows}


def _costs_of_json(path: Path, text: str) -> dict[str, float]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CostsError(path, "json", str(error)) from error
    if not isinstance(content, dict):
        raise CostsError(path, "object")
    numbers = {name: cost for name, cost in content.items() if type(cost) in (int, float) and _is_number(cost)}
    if len(numbers) < len(content):
        raise CostsError(path, "object")
    return {name: float(cost) for name, cost in numbers.items()}


def _is_number(value: str | float) -> bool:
    try:
        float(value)
    except (ValueError, OverflowError):
        return False
    return True
