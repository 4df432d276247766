"""Tables from files: features, labels, and notes on them."""

from importlib import import_module
from typing import TYPE_CHECKING

from puselect.tables.errors import LeftOut, Note, TableError

if TYPE_CHECKING:
    from puselect.tables.loading import LoadedTable, TableSpec, load_table

__all__ = ["LeftOut", "LoadedTable", "Note", "TableError", "TableSpec", "load_table"]


def __getattr__(name: str) -> object:
    """Import modules that need polars when they are first used: reports read encoders without it."""
    if name not in __all__:
        raise AttributeError(f"module 'puselect.tables' has no attribute {name!r}")
    return getattr(import_module("puselect.tables.loading"), name)
