"""What features cost, from a file."""

import csv
import json
from pathlib import Path

from puselect.tables.text import open_text


def read_costs(path: Path) -> dict[str, float]:
    """Read the cost of each feature from JSON ({"name": cost}) or from CSV with the columns feature and cost.

    A first line of CSV that holds no number is taken for the header.
    """
    if path.suffix.lower() == ".json":
        return costs_of_json(path)
    with open_text(path) as file:
        rows = [row for row in csv.reader(file) if row]
    if not rows:
        raise ValueError(f"{path} is empty; wanted one line per feature: name,cost")
    if len(rows[0]) == 2 and not is_number(rows[0][1]):
        rows = rows[1:]
    for row in rows:
        if len(row) != 2 or not is_number(row[1]):
            raise ValueError(f"{path} must hold lines of name,cost, got {','.join(row)!r}")
    return {name.strip(): float(cost) for name, cost in rows}


def costs_of_json(path: Path) -> dict[str, float]:
    """Read an object of names and numbers."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    numbers = isinstance(content, dict) and all(
        isinstance(cost, int | float) and not isinstance(cost, bool) for cost in content.values()
    )
    if not numbers:
        raise ValueError(f'{path} must hold an object such as {{"age": 1, "scan": 250.0}}')
    return {str(name): float(cost) for name, cost in content.items()}


def is_number(text: str) -> bool:
    """Return whether the text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
