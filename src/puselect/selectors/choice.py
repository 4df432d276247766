"""How many features to select: those that say more about the labels than chance, and what more of them would bring."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.draws import Stream, generator
from puselect.engines import Engine
from puselect.exceptions import NothingBeyondChanceWarning
from puselect.objective.chance import Chance, draw_statistics
from puselect.objective.evidence import rank_evidence
from puselect.objective.separation import heldout_separation
from puselect.objective.sparse_ranks import column_ranks
from puselect.row_groups import count_labels
from puselect.search.deadline import Deadline
from puselect.selectors.base import descending_order
from puselect.selectors.clusterings import score_features
from puselect.selectors.groups import group_statistic
from puselect.selectors.problem import Problem, some_rows, taken_rows
from puselect.selectors.settings import Settings

BY_CHANCE = 0.03  # largest p-value of all columns together with which any of them counts as beyond chance
EVEN = 0.5  # without any: as many features as are more likely true than false
FEWEST_LABELS, FEW_LABELS, MANY_LABELS = 5, 20, 50
N_CLUSTERINGS = 4
N_SIZES, WIDEST = 12, 100
FEWEST_SIZES = 4
SEPARATION, CLUSTERINGS = 3.0, 1.0  # seconds that the two parts of a path take, in those of the choice
NEAR_BEST, FALLEN = 0.85, 0.7  # of the best objective: up to the elbow, and behind it


class ChoiceCode(StrEnum):
    """What the choice of the number of features rests on."""

    CHOSEN = "chosen"
    NOTHING = "nothing_beyond_chance"
    TOO_FEW_LABELS = "too_few_labels"


@dataclass(frozen=True)
class Choice:
    """How many features are beyond chance, decided before the search."""

    code: ChoiceCode
    n_features: int
    """Of those the search decides on."""
    beyond: IntArray
    """Which of them: indices of columns, most evidence first."""
    false_share: FloatArray
    """Estimated share of false features among the first 1, 2, ... by evidence; never falling."""
    p_value: float
    at_least: int
    at_most: int
    seconds: float
    """What the choice took; the path takes a few times as long."""


@dataclass(frozen=True)
class Path:
    """What each number of features is worth, and the number that was chosen.

    The objective is that of the best features of the final ranking. The separation tells held-out labelled rows from
    unlabelled ones; for that, features are ranked anew without those rows.
    """

    code: str
    """A `ChoiceCode`: whether features are beyond chance; if not, whether there are too few labelled rows to tell."""
    n_features: int
    """How many were selected; a group counts as one."""
    n_enough: int
    """The smallest number here whose separation is within one standard error of the best."""
    interval: tuple[int, ...]
    """How many are related to the labels: at least (95 % sure), and at most as far as these labels can show."""
    p_value: float
    """Of the hypothesis that no column is related to the labels."""
    size: tuple[int, ...]
    """Numbers of features that were looked at; the following have a value for each."""
    cost: tuple[float, ...]
    """What that many of the best features cost; their number without costs."""
    objective: tuple[float, ...]
    """Mean over four clusterings."""
    separation: tuple[float, ...]
    """Area under the ROC curve of held-out labelled against unlabelled rows."""
    separation_error: tuple[float, ...]
    """Its standard error."""
    false_share: tuple[float, ...]
    """Estimated share of false features."""
    elbow: int | None = None
    """The number behind which the objective falls; 0 if it falls nowhere, None if that was not looked at."""

    @property
    def cost_enough(self) -> float | None:
        """What `n_enough` features cost: more money hardly buys more. None without costs."""
        return None if list(self.cost) == list(self.size) else self.cost[self.size.index(self.n_enough)]

    def __str__(self) -> str:
        low, high = self.interval
        number = f"{self.n_features} feature{'s are' if self.n_features > 1 else ' is'}"
        if self.code == ChoiceCode.CHOSEN:
            related = f"{low} to {high} are related to the labels"
            price = "" if self.cost_enough is None else f", which cost {self.cost_enough:g},"
            verb = "separates" if self.n_enough == 1 else "separate"
            enough = f"{self.n_enough}{price} {verb} held-out positives as well as more do"
            within = " and within the budget" if self.n_features < low else ""
            return f"{number} beyond chance{within} ({related}); {enough}.{self._about_elbow()}"
        few = self.code == ChoiceCode.TOO_FEW_LABELS
        why = "there are too few labelled rows to tell" if few else "nothing is beyond chance"
        return f"{number} the best guess, but {why} (p = {self.p_value:.2g})."

    def _about_elbow(self) -> str:
        """Return whether the objective tells the number, too."""
        if self.elbow is None:
            return ""
        if self.elbow:
            return f" The objective falls after {self.elbow}."
        return " There is no elbow: the objective is much the same for more features, and does not tell the number."


def choose(settings: Settings, problem: Problem, max_false: float) -> Problem:
    """Return the problem with a budget for the features beyond chance.

    Features that cost more than the budget are left out. With costs, only those beyond chance may be selected, within
    the budget; otherwise the search selects as many as there are, and may prefer others.
    """
    budget = problem.budget.narrowed(problem.budget.affordable)
    if not len(budget.free):
        return problem
    choice = choose_number(settings, replace(problem, budget=budget), max_false)
    if choice.code is not ChoiceCode.CHOSEN:
        warn_of_chance(choice, count_labels(problem.positive, problem.row_groups))
    if (problem.budget.costs == 1).all():
        limited = budget._replace(limit=min(budget.limit, float(choice.n_features)))
    else:
        limited = budget.narrowed(np.isin(budget.free, choice.beyond))
    return replace(problem, budget=limited, choice=choice)


def choose_number(settings: Settings, problem: Problem, max_false: float) -> Choice:
    """Return how many of the free features are beyond chance."""
    begin, rng = time.monotonic(), _rng(problem)
    free, columns = problem.budget.free, problem.budget.columns
    rows, groups = some_rows(problem, rng), problem.row_groups
    table, positive = taken_rows(problem, rows)[:, columns], problem.positive[rows]
    groups = None if groups is None else groups[rows]
    ranks, n_labelled = column_ranks(table, n_threads=settings.threads_for(table.shape)), count_labels(positive, groups)
    evidence = rank_evidence(ranks, positive, 0.5, rng)

    def of_units(statistic: FloatArray) -> FloatArray:
        wide = np.zeros(problem.table.shape[1])
        wide[columns] = statistic
        leader = problem.budget.leader
        return (wide if leader is None else group_statistic(wide, leader))[free]

    random_sets = draw_statistics(ranks, positive, evidence.n_found, rng, groups)
    drawn = [np.array([of_units(one) for one in each]) for each in random_sets]
    found = evidence._replace(labelled=of_units(evidence.labelled), cotrained=of_units(evidence.cotrained))
    chance = Chance.of(found, *drawn)
    order = descending_order(found.support, rng)
    false_share = chance.false_share(order)
    # Few labels find wrong rows, in which noise columns that depend on each other agree: the estimate is too low then.
    careful = max_false * min(1.0, n_labelled / MANY_LABELS)
    n_chosen = int((false_share <= careful).sum()) if chance.p_value <= BY_CHANCE else 0
    if n_labelled < FEWEST_LABELS or (n_chosen == 0 and n_labelled < FEW_LABELS):
        code = ChoiceCode.TOO_FEW_LABELS
    else:
        code = ChoiceCode.CHOSEN if n_chosen else ChoiceCode.NOTHING
    if code is not ChoiceCode.CHOSEN:
        n_chosen = max(1, int((false_share <= EVEN).sum()))
    # one of them at least, since all columns together are beyond chance
    at_least = min(chance.at_least, max(1, int(n_chosen * (1 - max_false)))) if code is ChoiceCode.CHOSEN else 0
    at_most = max(chance.at_most, n_chosen if code is ChoiceCode.CHOSEN else 0)
    seconds = time.monotonic() - begin
    return Choice(code, n_chosen, free[order[:n_chosen]], false_share, chance.p_value, at_least, at_most, seconds)


def warn_of_chance(choice: Choice, n_labels: int) -> None:
    """Warn that the number of features is a guess, and say why."""
    why = f"no column that may be selected says more about the labels than chance would (p = {choice.p_value:.2g})"
    if choice.code is ChoiceCode.TOO_FEW_LABELS:
        labels = "one independent label is" if n_labels == 1 else f"{n_labels} independent labels are"
        why = f"{labels} too few to tell related features from others"
    message = f"{why}; the features selected are the best guess, and the ranking stands"
    warnings.warn(message, NothingBeyondChanceWarning, stacklevel=6)


def follow_path(
    settings: Settings, problem: Problem, engine: Engine, ranking: IntArray, support: BoolArray, seeds: IntArray,
    deadline: Deadline, target: int = 0,
) -> Path | None:
    """Return what more or fewer features would bring; None unless the number was chosen here, and there is time."""
    choice, budget = problem.choice, problem.budget
    deadline.set_aside(0.0)
    if choice is None or deadline.left < path_seconds(choice):
        return None
    deadline.set_aside(SEPARATION * choice.seconds)
    units = np.union1d(budget.units, choice.beyond)
    order = units[np.argsort(ranking[units])]
    n_selected = int(support[units].sum())
    sizes = path_sizes(len(order), n_selected)
    masks = [budget.spread(np.isin(np.arange(len(support)), order[:n])) for n in sizes]
    scores: list[FloatArray] = []
    for n, mask in zip(sizes, masks, strict=True):
        if n <= n_selected or deadline.left > 0:
            scores.append(score_features(settings, engine, mask, seeds[:N_CLUSTERINGS], target))
    sizes, masks = sizes[: len(scores)], masks[: len(scores)]
    rng = _rng(problem)
    rows = some_rows(problem, rng)
    ranks = column_ranks(problem.table[rows][:, masks[-1]])
    widths = [int(mask.sum()) for mask in masks]
    groups = None if problem.row_groups is None else problem.row_groups[rows]
    separation = heldout_separation(ranks, problem.positive[rows], widths, rng, groups)
    costs = np.ones(len(support))
    costs[budget.free] = budget.costs
    padded = np.concatenate([np.zeros(int(budget.kept[units].sum())), choice.false_share])
    return Path(
        code=choice.code,
        n_features=n_selected,
        n_enough=sizes[separation.enough],
        interval=(choice.at_least, choice.at_most),
        p_value=choice.p_value,
        size=tuple(sizes),
        cost=tuple(np.cumsum(costs[order])[np.array(sizes) - 1].tolist()),
        objective=tuple(float(each.mean()) for each in scores),
        separation=tuple(separation.auc.tolist()),
        separation_error=tuple(separation.error.tolist()),
        false_share=tuple(padded[np.minimum(sizes, len(padded)) - 1].tolist()),
        elbow=find_elbow(sizes, scores) if len(choice.false_share) <= len(budget.free) else None,
    )


def path_seconds(choice: Choice | None) -> float:
    """Return how long the path will take, about; 0 if there is none."""
    return 0.0 if choice is None else (SEPARATION + CLUSTERINGS) * choice.seconds


def find_elbow(sizes: Sequence[int], scores: Sequence[FloatArray]) -> int | None:
    """Return the last size whose mean score is near the best, if it falls clearly from there to the end; otherwise 0.

    None if there are too few sizes to tell.

    Examples
    --------
    >>> find_elbow([1, 2, 4, 8], [np.array([mean]) for mean in (0.3, 0.5, 0.48, 0.2)])
    4
    """
    if len(sizes) < FEWEST_SIZES:
        return None
    means = np.array([score.mean() for score in scores])
    if means[-1] > FALLEN * means.max() or means.max() <= 0:
        return 0
    return int(np.asarray(sizes)[means >= NEAR_BEST * means.max()][-1])


def path_sizes(n_features: int, n_selected: int) -> list[int]:
    """Return the numbers of features to look at: about a dozen from 1 on, with the selected one.

    Examples
    --------
    >>> path_sizes(8, 3), path_sizes(50, 26)
    ([1, 2, 3, 4, 5, 7, 8], [1, 2, 3, 4, 6, 8, 12, 17, 25, 26, 35, 50])
    """
    most = min(n_features, max(WIDEST, n_selected))
    sizes = np.geomspace(1, most, N_SIZES).round().astype(int)
    return sorted({*sizes.tolist(), n_selected})


def _rng(problem: Problem) -> np.random.Generator:
    return generator(problem.entropy, Stream.NUMBER)
