"""What to type next."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puselect.tables import Reading

COMPARED = ("fscpu", "semi-jmi", "lasso", "kbest")


def program() -> str:
    """Return how the user called this program: by its name where a shell finds it, otherwise by its path."""
    called = Path(sys.argv[0])
    if called.parts[-2:] == ("puselect", "__main__.py"):
        return f"{shlex.quote(sys.executable)} -m puselect"
    if called.name != "puselect" or not called.is_file():
        return "puselect"
    found = shutil.which("puselect")
    return "puselect" if found is not None and os.path.samefile(found, called) else shlex.quote(sys.argv[0])


def next_step(
    data: str, reading: "Reading", method: str, n_selected: int, n_features: int, report: Path | None
) -> str:
    """Return what to do after a selection."""
    if n_selected == n_features:
        return f"ask for fewer than all {n_features} features: -k {max(n_features // 2, 1)}, say"
    if report is None:
        return "add --report report.html to see the clusters, the candidates and what to check"
    methods = COMPARED if method in COMPARED else (method, *COMPARED)
    words = ["compare", data, *table_words(reading), "-k", str(n_selected), "--methods", ",".join(methods)]
    return f"{program()} {shlex.join(words)}"


def table_words(reading: "Reading") -> list[str]:
    """Return the options that make another command read the same table, rows and features."""
    from puselect.tables import Reading
    from puselect.tables.names import quoted_name

    usual = Reading(reading.label)
    words = ["--label", reading.label]
    words += [word for name in reading.drop for word in ("--drop", quoted_name(name))]
    words += ["--encode"] if reading.encode else []
    for field in ("positive", "impute", "max_rows", "max_memory", "max_categories", "seed"):
        value = getattr(reading, field)
        words += [f"--{field.replace('_', '-')}", str(value)] if value != getattr(usual, field) else []
    return words
