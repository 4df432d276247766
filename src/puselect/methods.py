"""The registry of methods: one record with all that comparisons, reports and the command line need.

Importing this module is quick: a method's own module is imported when the method is made. Other packages add methods
by an entry point of the group ``puselect.methods`` that names a sequence of `Method`, as puselect-paper does.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, partial
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any, Generic, TypeVar

Factory = Callable[..., Any]
Value = TypeVar("Value")

AS_CLASSES, POSITIVES, NOTHING = "all, as classes", "the positives", "nothing"
SPEEDS = {"instant": 1.0, "seconds": 100.0, "minutes": 1000.0, "hours": float("inf")}
"""Words for the time of a fit, each with the seconds it ends at."""

YARDSTICKS = {
    "all": "all features",
    "random": "random features",
    "lowest-variance": "lowest variance",
    "lepage": "Lepage's statistic",
}
"""Yardsticks of every comparison, name -> label. The first two do not select; the others are methods, too."""

IN_PAPER = ("mrmr-published", "es-mcrfs", "lgbm-opt", "mrmr-ufs", "sselect", "jsfs", "puet", "pu-lasso")
"""Methods of the package puselect-paper."""
PAPER_HINT = "is part of another package: pip install puselect-paper"


@dataclass(frozen=True)
class Method:
    """Everything about a method that other modules need to know.

    Parameters
    ----------
    name : str
        The key in `METHODS`.
    source : str or callable
        The class or function that makes the selector, or where it is: ``"puselect.baselines.information:MRMR"``.
    idea : str
        Its idea in a few words.
    labels : str
        Its use of the labels: `AS_CLASSES` (unlabelled rows count as negative), `POSITIVES` or `NOTHING`.
    seconds : float
        Time of a fit on 4500 rows and 50 features, on one thread; an order of magnitude is enough.
    extra : str
        The extra it needs, as in ``pip install 'puselect[extra]'``.
    clusters : bool
        Whether its objective is that of FSCPU, which `check_suitability` tests.
    settings : mapping
        Keyword arguments of `source`.
    quick : mapping
        Settings that reduce the work, to check that the method runs.

    Examples
    --------
    >>> Method("mine", "my_package:Mine", "columns I like", NOTHING, seconds=20.0).speed
    'seconds'
    """

    name: str
    source: str | Factory
    idea: str
    labels: str
    seconds: float
    extra: str = ""
    clusters: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)

    @property
    def factory(self) -> Factory:
        """The class or function that makes the selector: ``factory(n_features_to_select, random_state=seed)``."""
        made: Factory = self.source if callable(self.source) else resolve_name(self.source)
        return partial(made, **self.settings) if self.settings else made

    @property
    def speed(self) -> str:
        """The time of a fit in a word."""
        return next(word for word, end in SPEEDS.items() if self.seconds < end)


def yardstick(name: str) -> str | None:
    """Return the key in `YARDSTICKS` of a name or label, None if it is neither.

    Examples
    --------
    >>> yardstick("random features"), yardstick("random"), yardstick("kbest")
    ('random', 'random', None)
    """
    return next((key for key, label in YARDSTICKS.items() if name in (key, label)), None)


@cache
def _records() -> dict[str, Method]:
    """Return the records by name: those built in, then those of other packages."""
    found = {method.name: method for method in _BUILT_IN}
    for entry in entry_points(group="puselect.methods"):
        for method in entry.load():
            add(found, method)
    return found


def add(records: dict[str, Method], method: Method) -> None:
    """Add a method, or raise a ValueError if its name is taken."""
    if method.name in records or method.name in YARDSTICKS:
        raise ValueError(f"a method needs a name of its own, got {method.name!r}")
    records[method.name] = method


class _Lookup(Mapping[str, Value], Generic[Value]):
    """The methods by name; other packages are asked for theirs when it is first used."""

    def __init__(self, value_of: Callable[[Method], Value]) -> None:
        self.value_of = value_of

    def __getitem__(self, name: str) -> Value:
        if name in _records():
            return self.value_of(_records()[name])
        if name in IN_PAPER:
            raise KeyError(f"{name!r} {PAPER_HINT}")
        near = get_close_matches(str(name).casefold(), self, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"installed are {', '.join(self)}"
        raise KeyError(f"{name!r} is not a method; {hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(_records())

    def __len__(self) -> int:
        return len(_records())

    def __repr__(self) -> str:
        return f"<methods: {', '.join(self)}>"


def _baseline(name: str, source: str, idea: str, seconds: float, **more: Any) -> Method:
    return Method(name, f"puselect.baselines.{source}", idea, more.pop("labels", AS_CLASSES), seconds, **more)


def _fscpu(name: str, idea: str, seconds: float, maker: str = "FSCPU", **more: Any) -> Method:
    return Method(name, f"puselect.fscpu.selector:{maker}", idea, POSITIVES, seconds, clusters=True, **more)


_FEW_TREES, _FEW_STEPS, _WITH_INFORMATION = {"n_estimators": 10}, {"max_iter": 60}, {"criterion": "cluster+mi"}
_BUILT_IN = (
    _baseline("kbest", "filters:KBest", "chi-squared between each column and the label", 0.2),
    _baseline("lasso", "linear:LassoRank", "weights of a linear model with an L1 penalty", 0.2),
    _baseline("mrmr", "information:MRMR", "much information about the label, little redundancy", 0.2),
    _baseline("dt-rfe", "trees:DTRFE", "drop the column a random forest needs least, repeat", 45.0,
              quick={**_FEW_TREES, "step": 8}),
    _baseline("semi-jmi", "information:SemiJMI", "pairs of columns with much information on the label", 0.2),
    _baseline("fastcan", "linear:FastCanRank", "the column that adds most to a linear model, repeat", 0.1,
              extra="fastcan"),
    _baseline("forest", "trees:ForestImportance", "importance in a balanced random forest", 4.0, quick=_FEW_TREES),
    _baseline("pu-bagging", "trees:PUBagging", "importance in trees that each see a few unlabelled rows", 2.0,
              quick=_FEW_TREES),
    _baseline("l1-logistic", "linear:L1Logistic", "weights of a balanced logistic regression with an L1 penalty", 0.6),
    _baseline("lowest-variance", "filters:LowestVariance", "scaled columns of lowest standard deviation", 0.02,
              labels=NOTHING),
    _baseline("lepage", "filters:Lepage", "labelled rows at another location or spread, by column", 0.1),
    _fscpu("fscpu", "few clusters of positives, plus evidence of single columns", 9.0, quick=_FEW_STEPS),
    _baseline("consensus", "consensus:Consensus", "ranks of fscpu, which count twice, and of pu-bagging", 11.0),
    _fscpu("fscpu-mi", "few clusters of positives, plus semi-jmi's information", 9.0, settings=_WITH_INFORMATION,
           quick=_FEW_STEPS),
    _fscpu("fscpu-published", "few clusters of positives, every number as in the paper", 1500.0, "FSCPU.published",
           quick={"max_iter": 2}),
    _fscpu("fscpu-mi-published", "fscpu-mi with every number as in the paper", 1500.0, "FSCPU.published",
           settings=_WITH_INFORMATION, quick={"max_iter": 2}),
)  # fmt: skip

REGISTRY: Mapping[str, Method] = _Lookup(lambda method: method)
"""Name -> record, of every method."""
METHODS: Mapping[str, Factory] = _Lookup(lambda method: method.factory)
"""Name -> factory: ``METHODS[name](n_features_to_select, random_state=seed)`` returns a selector."""
