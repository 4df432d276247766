"""Decimal commas in text tables, told from commas that separate thousands."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from puselect.tables.errors import AmbiguousNumberError
from puselect.tables.frames import pl

BEGIN, END = r"^\s*[-+]?", r"(?:[eE][-+]?\d+)?\s*$"
NUMBER = rf"{BEGIN}[\d.,]+{END}"
# A fraction that is no group of three digits, or that follows more digits than a group has.
DECIMAL = {mark: rf"{BEGIN}(?:(?:0\d*|\d{{4,}})[{mark}]\d+|\d+[{mark}](?:\d{{1,2}}|\d{{4,}})){END}" for mark in ",."}
EITHER = {mark: rf"{BEGIN}[1-9]\d{{0,2}}[{mark}]\d{{3}}\s*$" for mark in ",."}


def has_decimal_commas(path: Path, schema: Any, texts: Any) -> bool:
    """Return whether numbers have decimal commas; an `AmbiguousNumberError` if a number such as 1,000 may be 1000.

    It is 1 if other numbers of its column have decimal commas, or others of the file and none a decimal point.
    `schema` is that of the file if they are decimal commas, `texts` a LazyFrame of all columns as strings.
    """
    floats = {name for name, kind in schema.items() if kind.is_float()}
    if not floats:
        return False
    numbers = _having(texts, {name for name, kind in schema.items() if kind == pl.String}, NUMBER, every=True)
    points = _having(texts, numbers, DECIMAL["."])
    commas = _having(texts, {min(floats)}, DECIMAL[","])  # one column usually tells
    if points or not commas:
        commas = _having(texts, floats, DECIMAL[","])
        _ask(path, texts, floats - commas, ",")
    if commas:
        _ask(path, texts, numbers - points, ".")
    return bool(commas)


def _having(texts: Any, names: Collection[str], pattern: str, every: bool = False) -> set[str]:
    """Return the columns in which a value, or every value, has a pattern."""
    matches = pl.col(list(names)).str.contains(pattern)
    found = texts.select(matches.all() if every else matches.any()).collect(engine="streaming") if names else {}
    return {name for name in names if found[name].item()}


def _ask(path: Path, texts: Any, names: set[str], mark: str) -> None:
    for name in sorted(_having(texts, names, EITHER[mark])):
        value = texts.select(name).filter(pl.col(name).str.contains(EITHER[mark])).first().collect().item()
        raise AmbiguousNumberError(path, name, value.strip(), mark)
