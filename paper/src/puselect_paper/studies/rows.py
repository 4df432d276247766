"""Rows of tables: each method's name there, its group, and its row in the paper's tables."""

from collections.abc import Mapping
from typing import NamedTuple

from puselect.methods import REGISTRY, YARDSTICKS


class TableRow(NamedTuple):
    """How tables and studies treat a method, unless a study says otherwise."""

    label: str
    group: str
    paper: str = ""
    """Its row in the paper's tables, if it has one."""
    artificial: Mapping[str, object] = {}
    """Changes to artificial data sets, for this method only."""


_SUPERVISED, _SEMI, _PU, _OTHERS = "supervised", "semi-supervised", "positive-unlabelled", "not in the paper"
ROWS = {
    "kbest": TableRow("K-Best", _SUPERVISED, "kbest"),
    "lasso": TableRow("Lasso", _SUPERVISED, "lasso"),
    "mrmr": TableRow("mRMR, fair", _SUPERVISED),
    # Relevant columns first: the paper's row measures the order of columns.
    "mrmr-published": TableRow("mRMR as published", _SUPERVISED, "mrmr", {"shuffle": False}),
    "dt-rfe": TableRow("DT-RFE", _SUPERVISED, "dt-rfe"),
    "es-mcrfs": TableRow("ES-MCRFS", _SUPERVISED, "es-mcrfs"),
    "lgbm-opt": TableRow("LGBM-OPT", _SUPERVISED, "lgbm-opt"),
    "mrmr-ufs": TableRow("MRMR-UFS", "unsupervised", "mrmr-ufs"),
    "sselect": TableRow("sSelect", _SEMI, "sselect"),
    "jsfs": TableRow("JSFS", _SEMI, "jsfs"),
    "semi-jmi": TableRow("semi-JMI", _PU, "semi-jmi"),
    "fscpu-published": TableRow("FSCPU as published", _PU, "fscpu-published"),
    "fscpu-mi-published": TableRow("FSCPU-MI as published", _PU, "fscpu-mi-published"),
    "fastcan": TableRow("FastCan", _OTHERS),
    "forest": TableRow("forest importance", _OTHERS),
    "pu-bagging": TableRow("PU bagging", _OTHERS),
    "l1-logistic": TableRow("L1 logistic", _OTHERS),
    "puet": TableRow("PUET", _OTHERS),
    "pu-lasso": TableRow("PUlasso", _OTHERS),
    "fscpu": TableRow("FSCPU, our default", "ours"),
    "consensus": TableRow("consensus of FSCPU and PU bagging", "ours"),
    "fscpu-mi": TableRow("FSCPU-MI, our default", "ours"),
}


def row_names() -> list[str]:
    """Return the names of all methods and yardsticks, those of one group together."""
    methods = [*(name for name in ROWS if name in REGISTRY), *(name for name in REGISTRY if name not in ROWS)]
    return [*(name for name in methods if name not in YARDSTICKS), *YARDSTICKS]


def row_of(name: str) -> TableRow:
    """Return the row of a method or yardstick, or raise a ValueError that lists them.

    Examples
    --------
    >>> row_of("kbest").label, row_of("random").group
    ('K-Best', 'yardsticks')
    """
    if name not in row_names():
        raise ValueError(f"method must be one of {', '.join(row_names())}, got {name!r}")
    if name in YARDSTICKS:
        return TableRow(YARDSTICKS[name], "yardsticks")
    return ROWS.get(name, TableRow(name, _OTHERS))
