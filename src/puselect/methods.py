"""The registry of methods: one record says all that comparisons, studies, reports and the command line need.

Importing this module is quick: a method's own module is imported when the method is made.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, cast

Factory = Callable[..., Any]

AS_CLASSES, POSITIVES, NOTHING = "all, as classes", "the positives", "nothing"
SPEEDS = {"instant": 1.0, "seconds": 100.0, "minutes": 1000.0, "hours": float("inf")}
"""Words for the cost of a fit, each with the seconds it ends at."""

YARDSTICKS = {
    "all": "all features",
    "random": "random features",
    "lowest-variance": "lowest variance",
    "lepage": "Lepage's statistic",
}
"""What every comparison has for scale, name -> label. The first two do not select; the others are methods, too."""


@dataclass(frozen=True)
class Cost:
    """The time of one fit; an order of magnitude is enough."""

    seconds: float
    """On 4500 rows and 50 features, on one thread, with the settings in `proportional_to`."""
    proportional_to: Mapping[str, float] = field(default_factory=dict)
    """Settings to which the time is proportional, with their defaults."""

    def estimate(self, settings: Mapping[str, Any]) -> float:
        """Return the seconds of a fit with other settings.

        Examples
        --------
        >>> Cost(1500, {"max_iter": 3000}).estimate({"max_iter": 30})
        15.0
        """
        shares = (settings.get(name, default) / default for name, default in self.proportional_to.items())
        return float(reduce(lambda seconds, share: seconds * share, shares, self.seconds))

    @property
    def speed(self) -> str:
        """The time in a word."""
        return next(word for word, end in SPEEDS.items() if self.seconds < end)


@dataclass(frozen=True)
class Method:
    """Everything about a method that other modules need to know.

    Parameters
    ----------
    name : str
        The key in `METHODS`.
    source : str or callable
        The class or function that makes the selector, or where it is: ``"puselect.baselines.mrmr:MRMR.published"``.
    label : str
        The name in tables.
    idea : str
        What it does, in a few words.
    labels : str
        What it sees of the labels: `AS_CLASSES` (unlabelled rows count as negative), `POSITIVES` or `NOTHING`.
    cost : Cost
    group : str
        The group of rows it belongs to in tables.
    extra : str
        The extra it needs, as in ``pip install 'puselect[extra]'``.
    paper : str
        Its row in the paper's tables, if it has one.
    clusters : bool
        Whether its objective is that of FSCPU, which `check_suitability` tests.
    settings : mapping
        Keyword arguments of `source`.
    quick : mapping
        Settings that reduce the work, to check that the method runs.
    artificial : mapping
        What studies change in artificial data sets for this method.
    """

    name: str
    source: str | Factory
    label: str
    idea: str
    labels: str
    cost: Cost
    group: str = ""
    extra: str = ""
    paper: str = ""
    clusters: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    artificial: Mapping[str, Any] = field(default_factory=dict)

    @property
    def factory(self) -> Factory:
        """What makes the selector: ``factory(n_features_to_select, random_state=seed)``."""
        made = self.source if callable(self.source) else _load(self.source)
        return partial(made, **self.settings) if self.settings else made


def register(method: Method) -> None:
    """Add a method; it is then known to `METHODS`, the command line, studies and reports of this process."""
    if method.name in _RECORDS or method.name in YARDSTICKS:
        raise ValueError(f"a method needs a name of its own, got {method.name!r}")
    _RECORDS[method.name] = method


def yardstick(name: str) -> str | None:
    """Return the key in `YARDSTICKS` of a name or label, None if it is neither.

    Examples
    --------
    >>> yardstick("random features"), yardstick("random"), yardstick("kbest")
    ('random', 'random', None)
    """
    return next((key for key, label in YARDSTICKS.items() if name in (key, label)), None)


def is_installed(name: str) -> bool:
    """Return whether the extra that a method needs is there; a yardstick needs none."""
    return name not in _RECORDS or not _RECORDS[name].extra or find_spec(_RECORDS[name].extra) is not None


def _load(source: str) -> Factory:
    module, _, path = source.partition(":")
    found: Any = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return cast(Factory, found)


class _Factories(Mapping[str, Factory]):
    """The factories of the registry by name."""

    def __getitem__(self, name: str) -> Factory:
        return _RECORDS[name].factory

    def __iter__(self) -> Iterator[str]:
        return iter(_RECORDS)

    def __len__(self) -> int:
        return len(_RECORDS)

    def __contains__(self, name: object) -> bool:
        return name in _RECORDS

    def __repr__(self) -> str:
        return f"<methods: {', '.join(self)}>"


_BASELINES = "puselect.baselines."
_FSCPU = "puselect.selectors.fscpu:FSCPU"
_STEPS = {"max_iter": 3000}
_OTHERS = "not in the paper"
_BUILT_IN = (
    Method(
        "kbest", _BASELINES + "kbest:KBest", "K-Best", "chi-squared between each column and the label",
        AS_CLASSES, Cost(0.2), "supervised", paper="kbest",
    ),
    Method(
        "lasso", _BASELINES + "lasso:LassoRank", "Lasso", "weights of a linear model with an L1 penalty",
        AS_CLASSES, Cost(0.2), "supervised", paper="lasso",
    ),
    Method(
        "mrmr", _BASELINES + "mrmr:MRMR", "mRMR, fair", "much information about the label, little redundancy",
        AS_CLASSES, Cost(0.2), "supervised",
    ),
    Method(
        "mrmr-published", _BASELINES + "mrmr:MRMR.published", "mRMR as published",
        "mrmr on values truncated to integers, as in the paper", AS_CLASSES, Cost(0.2), "supervised", paper="mrmr",
        artificial={"shuffle": False},  # relevant columns first: the paper's row measures the order of columns
    ),
    Method(
        "dt-rfe", _BASELINES + "dt_rfe:DTRFE", "DT-RFE", "drop the column a random forest needs least, repeat",
        AS_CLASSES, Cost(45.0), "supervised", paper="dt-rfe", quick={"n_estimators": 10, "step": 8},
    ),
    Method(
        "es-mcrfs", _BASELINES + "es_mcrfs:ESMCRFS", "ES-MCRFS", "an agent learns which columns help a random forest",
        AS_CLASSES, Cost(3000.0, {"max_iter": 6000, "n_estimators": 100}), "supervised", paper="es-mcrfs",
        quick={"max_iter": 10, "n_estimators": 5},
    ),
    Method(
        "lgbm-opt", _BASELINES + "lgbm_opt:LGBMOpt", "LGBM-OPT", "FSCPU's search for the columns that help LightGBM",
        AS_CLASSES, Cost(1200.0, {**_STEPS, "n_estimators": 100}), "supervised", "lightgbm", paper="lgbm-opt",
        quick={"max_iter": 5, "n_estimators": 10},
    ),
    Method(
        "mrmr-ufs", _BASELINES + "mrmr_ufs:MRMRUFS", "MRMR-UFS", "one column from each group of similar columns",
        NOTHING, Cost(1.0), "unsupervised", paper="mrmr-ufs",
    ),
    Method(
        "sselect", _BASELINES + "sselect:SSelect", "sSelect", "smooth over neighbours, positives on one side",
        POSITIVES, Cost(0.5), "semi-supervised", paper="sselect",
    ),
    Method(
        "jsfs", _BASELINES + "jsfs:JSFS", "JSFS", "sparse Bayesian classifier that may distrust unlabelled rows",
        AS_CLASSES, Cost(1.0), "semi-supervised", paper="jsfs", quick={"max_iter": 5},
    ),
    Method(
        "semi-jmi", _BASELINES + "semi_jmi:SemiJMI", "semi-JMI", "pairs of columns with much information on the label",
        AS_CLASSES, Cost(0.2), "positive-unlabelled", paper="semi-jmi",
    ),
    Method(
        "fastcan", _BASELINES + "fastcan:FastCanRank", "FastCan", "the column that adds most to a linear model, repeat",
        AS_CLASSES, Cost(0.1), _OTHERS, "fastcan",
    ),
    Method(
        "forest", _BASELINES + "forest:ForestImportance", "forest importance",
        "importance in a balanced random forest", AS_CLASSES, Cost(4.0, {"n_estimators": 200}), _OTHERS,
        quick={"n_estimators": 10},
    ),
    Method(
        "pu-bagging", _BASELINES + "pu_bagging:PUBagging", "PU bagging",
        "importance in trees that each see a few unlabelled rows", AS_CLASSES, Cost(2.0, {"n_estimators": 500}),
        _OTHERS, quick={"n_estimators": 10},
    ),
    Method(
        "l1-logistic", _BASELINES + "l1_logistic:L1Logistic", "L1 logistic",
        "weights of a balanced logistic regression with an L1 penalty", AS_CLASSES, Cost(0.6), _OTHERS,
    ),
    Method(
        "lowest-variance", _BASELINES + "lowest_variance:LowestVariance", YARDSTICKS["lowest-variance"],
        "scaled columns of lowest standard deviation", NOTHING, Cost(0.02), "yardsticks",
    ),
    Method(
        "lepage", _BASELINES + "lepage:Lepage", YARDSTICKS["lepage"],
        "labelled rows at another location or spread, by column", AS_CLASSES, Cost(0.1), "yardsticks",
    ),
    Method(
        "fscpu", _FSCPU, "FSCPU, our default", "few clusters of positives, plus evidence of single columns",
        POSITIVES, Cost(9.0), "ours", clusters=True, quick={"max_iter": 60},
    ),
    Method(
        "auto", "puselect.trust.auto:AutoSelector", "the best of seven",
        "the method whose features separate held-out positives best", POSITIVES, Cost(50.0), "ours",
        quick={"candidates": ("lepage", "l1-logistic"), "n_splits": 2},
    ),
    Method(
        "fscpu-mi", _FSCPU, "FSCPU-MI, our default", "few clusters of positives, plus semi-jmi's information",
        POSITIVES, Cost(9.0), "ours", clusters=True, settings={"criterion": "cluster+mi"}, quick={"max_iter": 60},
    ),
    Method(
        "fscpu-published", _FSCPU + ".published", "FSCPU as published",
        "few clusters of positives, every number as in the paper", POSITIVES, Cost(1500.0, _STEPS),
        "positive-unlabelled", paper="fscpu-published", clusters=True, quick={"max_iter": 2},
    ),
    Method(
        "fscpu-mi-published", _FSCPU + ".published", "FSCPU-MI as published",
        "fscpu-mi with every number as in the paper", POSITIVES, Cost(1500.0, _STEPS), "positive-unlabelled",
        paper="fscpu-mi-published", clusters=True, settings={"criterion": "cluster+mi"}, quick={"max_iter": 2},
    ),
)  # fmt: skip
_RECORDS = {method.name: method for method in _BUILT_IN}

REGISTRY: Mapping[str, Method] = MappingProxyType(_RECORDS)
"""Name -> record, of every method; `register` adds one."""
METHODS: Mapping[str, Factory] = _Factories()
"""Name -> factory: ``METHODS[name](n_features_to_select, random_state=seed)`` returns a selector."""
