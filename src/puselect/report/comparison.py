"""Several methods on the same table: features, scores and times, in plain values that are saved as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student_t

from puselect.fscpu.row_model import ClassPrior, corrected_auc
from puselect.methods import yardstick
from puselect.phrases import counted, listed
from puselect.report.codec import JSONRecord

COMPARISON_SCHEMA = "puselect.comparison/3"
PROXY = (
    "The score is a proxy: it counts unlabelled rows as negatives, although some are positive. It ranks methods, but "
    "says little about true performance; use --truth if you know the true classes."
)


@dataclass(frozen=True)
class Interval:
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class MethodResult:
    """One method: what it selected on the whole table, and its scores on the splits."""

    method: str
    selected: tuple[str, ...]
    """Best first."""
    seconds: float
    """Of one fit; the mean where there were several."""
    scores: tuple[float, ...]
    """Downstream score of each split, higher is better; empty if none was taken."""
    interval: Interval | None
    behind_best: Interval | None
    """The best method's score minus this one's, split by split; None for the best, below 0 for a better baseline."""
    frequency: dict[str, float] | None = None
    """Share of the splits in which each feature was selected; those that never were are not listed."""

    @property
    def is_baseline(self) -> bool:
        """Whether it is a yardstick, which every comparison has."""
        return yardstick(self.method) is not None

    @property
    def is_behind(self) -> bool:
        """Whether it is clearly behind the best."""
        return self.behind_best is not None and self.behind_best.low > 0

    @property
    def gap(self) -> str:
        """How far it is from the best, with the interval; a baseline may be ahead."""
        gap = self.behind_best
        if gap is None:
            return ""
        if gap.mean >= 0:
            return f"{gap.mean:.3f} behind ({gap.low:.3f} to {gap.high:.3f})"
        return f"{-gap.mean:.3f} ahead ({-gap.high:.3f} to {-gap.low:.3f})"


@dataclass(frozen=True)
class Comparison(JSONRecord):
    """What `puselect compare` found."""

    schema: str = COMPARISON_SCHEMA
    methods: tuple[MethodResult, ...] = ()
    """Best mean score first where there are scores, otherwise as given."""
    score_name: str = ""
    """What the downstream scores are, as in "AUC of a logistic model on held-out rows"."""
    score_is_proxy: bool = False
    """Whether the scores count unlabelled rows as negatives, because the true classes are not known."""
    prior: ClassPrior | None = None
    """The share of positives among the unlabelled rows; only where the scores are a proxy."""
    n_features: int = 0
    n_rows: int | None = None
    n_labelled: int | None = None
    command: str = ""
    """What to type to reproduce it."""
    seed: int | str | None = None
    created: str = ""
    notes: tuple[str, ...] = ()
    settings: dict[str, str] | None = None
    versions: dict[str, str] | None = None

    def corrected(self, method: MethodResult) -> Interval | None:
        """Return the mean score of a method without hidden positives; None if it cannot be told.

        The interval is that of the share of positives, not of the splits.
        """
        prior, score = self.prior, method.interval
        if prior is None or prior.share is None or prior.interval is None or score is None:
            return None
        low, value, high = sorted(corrected_auc(score.mean, share) for share in (prior.share, *prior.interval))
        return Interval(value, low, high)

    @property
    def rivals(self) -> tuple[MethodResult, ...]:
        """The methods without the baselines; all of them where there is nothing else."""
        return tuple(method for method in self.methods if not method.is_baseline) or self.methods

    @classmethod
    def of(
        cls,
        selected: Mapping[str, Sequence[str]],
        seconds: Mapping[str, float],
        scores: Mapping[str, Sequence[float]] | None = None,
        *,
        frequency: Mapping[str, Mapping[str, float]] | None = None,
        test_share: float | None = None,
        **fields: Any,
    ) -> Self:
        """Return the comparison, with intervals computed.

        Parameters
        ----------
        selected : dict of method to list of str
            What each method selected on the whole table, best first.
        seconds : dict of method to float
        scores : dict of method to list of float, optional
            Downstream scores, one per split; the same splits for all methods.
        frequency : dict of method to dict of str to float, optional
            Share of the splits in which each feature was selected.
        test_share : float, optional
            Share of the rows held out in a split; see `mean_interval`.
        **fields
            Other fields of the record.

        Examples
        --------
        >>> found = Comparison.of({"a": ["x", "y"], "b": ["y", "z"]}, {"a": 1.0, "b": 0.1})
        >>> found.headline
        '2 methods, 1 feature in common.'
        """
        if not selected:
            raise ValueError("a comparison needs at least one method, got none")
        runs = {name: tuple(map(float, (scores or {}).get(name, ()))) for name in selected}
        order = sorted(selected, key=lambda name: -float(np.mean(runs[name]))) if any(runs.values()) else list(selected)
        first = next((name for name in order if yardstick(name) is None), order[0])
        methods = []
        for name in order:
            behind = None if name == first else mean_interval(np.subtract(runs[first], runs[name]), test_share)
            shares = dict(frequency[name]) if frequency and name in frequency else None
            interval = mean_interval(runs[name], test_share)
            methods.append(
                MethodResult(
                    name, tuple(selected[name]), float(seconds[name]), runs[name], interval, behind, shares
                )
            )
        return cls(methods=tuple(methods), **fields)

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        best, *others = self.rivals
        if best.interval is None:
            shared = set.intersection(*(set(method.selected) for method in self.rivals))
            return f"{counted(len(others) + 1, 'method')}, {counted(len(shared), 'feature')} in common."
        if any(yardstick(method.method) == "random" and not method.is_behind for method in self.methods):
            return "No method is clearly better than random features."
        filters = [one for one in self.methods if one.is_baseline and yardstick(one.method) not in ("all", "random")]
        better = [one.method for one in filters if one.interval is not None and one.interval.mean > best.interval.mean]
        if better:
            return f"No method scores higher than {listed(better)}."
        level = [one.method for one in (*others, *filters) if not one.is_behind]
        if level:
            return f"{best.method} scores highest, but not clearly higher than {listed(level)}."
        return f"{best.method} scores clearly higher than {'all other methods' if others else 'random features'}."


def mean_interval(scores: ArrayLike, test_share: float | None = None) -> Interval | None:
    """Return the mean of scores over splits and its 95 % confidence interval (Student's t); None for no scores.

    Random splits of one table share rows, which makes the plain interval too narrow. With the share of rows held out,
    the variance is corrected for that (C. Nadeau and Y. Bengio, "Inference for the Generalization Error",
    Machine Learning 52, 2003).

    Examples
    --------
    >>> mean_interval([0.5, 0.7])
    Interval(mean=0.6, low=-0.67..., high=1.87...)
    """
    values = np.asarray(scores)
    n = len(values)
    if n == 0:
        return None
    mean, half = float(values.mean()), 0.0
    if n > 1:
        overlap = test_share / (1 - test_share) if test_share else 0.0
        half = float(student_t.ppf(0.975, n - 1) * values.std(ddof=1) * np.sqrt(1 / n + overlap))
    return Interval(mean, mean - half, mean + half)
