"""All methods by name, as comparisons and the command line know them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from puselect.baselines import (
    DTRFE,
    ESMCRFS,
    JSFS,
    MRMR,
    MRMRUFS,
    KBest,
    LassoRank,
    LGBMOpt,
    SemiJMI,
    SSelect,
)
from puselect.selectors import FSCPU

METHODS: dict[str, Callable[..., Any]] = {
    "kbest": KBest,
    "lasso": LassoRank,
    "mrmr": MRMR,
    "mrmr-published": MRMR.published,
    "dt-rfe": DTRFE,
    "es-mcrfs": ESMCRFS,
    "lgbm-opt": LGBMOpt,
    "mrmr-ufs": MRMRUFS,
    "sselect": SSelect,
    "jsfs": JSFS,
    "semi-jmi": SemiJMI,
    "fscpu": FSCPU,
    "fscpu-mi": partial(FSCPU, criterion="cluster+mi"),
    "fscpu-published": FSCPU.published,
    "fscpu-mi-published": partial(FSCPU.published, criterion="cluster+mi"),
}
"""Name -> factory: ``METHODS[name](n_features_to_select, random_state=seed)`` returns a selector."""
