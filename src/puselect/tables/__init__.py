"""Tables from files: features, labels, and what is worth knowing about them."""

from puselect.tables.errors import LeftOut, Note, TableError
from puselect.tables.loading import LoadedTable, TableSpec, load_table

__all__ = ["LeftOut", "LoadedTable", "Note", "TableError", "TableSpec", "load_table"]
