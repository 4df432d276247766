"""Suggestions for the next command."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from puselect.cli.options import quoted_name

if TYPE_CHECKING:
    from puselect.tables import TableSpec

COMPARED = ("fscpu", "semi-jmi", "lasso", "kbest")


def program() -> str:
    """Return the program as the user called it: by name if the shell finds it, otherwise by path."""
    called = Path(sys.argv[0])
    if called.parts[-2:] == ("puselect", "__main__.py"):
        return f"{shlex.quote(sys.executable)} -m puselect"
    if called.name != "puselect" or not called.is_file():
        return "puselect"
    found = shutil.which("puselect")
    return "puselect" if found is not None and os.path.samefile(found, called) else shlex.quote(sys.argv[0])


def next_step(
    data: str, spec: "TableSpec", method: str, n_selected: int, n_features: int, report: Path | None
) -> str:
    """Return what to do after a selection."""
    if n_selected == n_features:
        return f"select fewer than all {n_features} features, for example -k {max(n_features // 2, 1)}"
    if report is None:
        return "add --report report.html to see the clusters, the candidates and the checks"
    methods = COMPARED if method in COMPARED else (method, *COMPARED)
    words = ["compare", data, *table_words(spec), "-k", str(n_selected), "--methods", ",".join(methods)]
    return f"{program()} {shlex.join(words)}"


def table_words(spec: "TableSpec") -> list[str]:
    """Return the options with which another command reads the same rows and features."""
    from puselect.tables import TableSpec

    usual = TableSpec(spec.label)
    words = ["--label", spec.label]
    words += [word for name in spec.drop for word in ("--drop", quoted_name(name))]
    words += [word for name in spec.use for word in ("--use", quoted_name(name))]
    words += [f"--missing={code}" for code in spec.missing_codes]
    words += [f"--{flag}" for flag in ("prepare", "encode") if getattr(spec, flag)]
    for field in ("positive", "id", "row_group", "impute", "drop_duplicates", "max_rows", "max_memory",
                  "max_categories", "seed"):
        value = getattr(spec, field)
        words += [f"--{field.replace('_', '-')}", str(value)] if value != getattr(usual, field) else []
    return words
