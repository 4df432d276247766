"""Choose the number of features: all that are related to the labels, or the fewest that are enough."""

import time
import warnings
from bisect import bisect
from dataclasses import dataclass, replace

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.clustering import Engine
from puselect.clustering.base import Labels
from puselect.columns.inspection import CheckedRanks
from puselect.columns.null import Chance, draw_statistics
from puselect.columns.ranks import LEPAGE, column_ranks
from puselect.columns.separation import Separation, heldout_separation
from puselect.draws import Stream, generator
from puselect.exceptions import NothingBeyondChanceWarning
from puselect.fscpu.final_clusters import score_features
from puselect.fscpu.problem import Choice, ChoiceCode, Problem, some_rows, taken_rows
from puselect.fscpu.settings import Settings
from puselect.row_groups import count_labels
from puselect.search.progress import Deadline
from puselect.selectors.budget import AUTO, Budget
from puselect.selectors.groups import group_statistic
from puselect.sparse_table import SparseTable

BY_CHANCE = 0.03  # largest p-value of all columns together with which any of them counts as beyond chance
EVEN = 0.5  # without any: as many features as are more likely true than false
FEWEST_LABELS, FEW_LABELS = 5, 20
N_CLUSTERINGS = 4
N_SIZES = 12
NARROWEST, WIDEST = 3, 20  # on ten real tables 1, 2, 3, 8, 18 features have an AUC of .72, .79, .83, .85, .86


@dataclass(frozen=True)
class Path:
    """The objective and separation of each number of features, and the number that was chosen.

    The objective is that of the best features of the final ranking. The separation is that of held-out
    labelled rows from unlabelled ones, with features ranked anew without those rows.
    """

    code: str
    """A `ChoiceCode`: whether features are beyond chance; if not, whether there are too few labelled rows to tell."""
    n_features: int
    """How many were selected; a group counts as one."""
    n_enough: int
    """The smallest number here from which on the separation is within one standard error of the best."""
    n_related: int
    """How many are related to the labels, a share of `max_false` at most excepted; the best guess if none are."""
    interval: tuple[int, ...]
    """How many are related to the labels: at least (95 % confidence), and at most as far as these labels can show."""
    p_value: float
    """Of the hypothesis that no column is related to the labels."""
    size: tuple[int, ...]
    """Numbers of features that were looked at; the following have a value for each."""
    cost: tuple[float, ...]
    """Cost of the best features; their number without costs."""
    objective: tuple[float, ...]
    """Mean over four clusterings."""
    separation: tuple[float, ...]
    """Area under the ROC curve of held-out labelled against unlabelled rows."""
    separation_error: tuple[float, ...]
    """Its standard error."""
    false_share: tuple[float, ...]
    """Estimated share of false features."""

    @property
    def cost_enough(self) -> float | None:
        """Cost of `n_enough` features: more money hardly buys more. None without costs."""
        return None if list(self.cost) == list(self.size) else self.cost[self.size.index(self.n_enough)]

    def __str__(self) -> str:
        if self.code == ChoiceCode.TOO_FEW_LABELS:
            return "A guess, since there are too few labels to tell: features more likely related to them than not."
        if self.code == ChoiceCode.NOTHING:
            return f"A guess: no feature is related to the labels beyond chance (p = {self.p_value:.2g})."
        related = f"{self.n_related} (at least {self.interval[0]}) that seem related to the labels"
        price = "" if self.cost_enough is None else f" for {self.cost_enough:g}"
        if self.n_features >= self.n_related <= self.n_enough:
            return f"As many as the {related}{price}."
        if self.n_features > self.n_enough:
            enough = f"the best {self.n_enough}{price} {'separates' if self.n_enough == 1 else 'separate'}"
            return f"As many as the {related}; {enough} held-out positives as well."
        few = "it separates" if self.n_features == 1 else "they separate"
        return f"Enough: {few} held-out positives as well{price} as the {related}."


def choose(settings: Settings, problem: Problem, wanted: str, max_false: float) -> Problem:
    """Return the problem with a budget for the features related to the labels, or for as few of them as are enough.

    Features that cost more than the budget are left out. With costs, only related features may be selected, within the
    budget and for the cost of the best of them; otherwise the search selects as many, and may prefer others.
    """
    budget = problem.budget.narrowed(problem.budget.affordable)
    if not len(budget.free):
        return problem
    choice = choose_number(settings, replace(problem, budget=budget), wanted, max_false)
    if choice.code is not ChoiceCode.CHOSEN:
        warn_of_chance(choice, count_labels(problem.positive, problem.row_groups))
    cost = float(budget.costs[np.isin(budget.free, choice.beyond[: choice.n_features])].sum())
    if (budget.costs != 1).any():
        budget = budget.narrowed(np.isin(budget.free, choice.beyond))
    return replace(problem, budget=budget._replace(limit=min(budget.limit, cost)), choice=choice)


def choose_number(settings: Settings, problem: Problem, wanted: str, max_false: float) -> Choice:
    """Return how many of the free features to select: all that are related ("related"), or enough of them ("auto")."""
    begin, rng, budget = time.monotonic(), _rng(problem), problem.budget
    rows, groups = some_rows(problem, rng), problem.row_groups
    table, positive = taken_rows(problem, rows), problem.positive[rows]
    groups = None if groups is None else groups[rows]
    statistic, drawn = _statistics(settings, budget, table, positive, groups, rng)
    if problem.negative is not None:
        statistic = np.where(_picked(budget, table, problem.known[rows]), 0.0, statistic)
    chance = Chance.of(statistic, drawn)
    order = np.lexsort((rng.random(len(statistic)), -statistic, chance.p_values))
    false_share = chance.false_share(order)
    code, n_related = _count_related(chance.p_value, false_share, max_false, count_labels(positive, groups))
    # one of them at least, since all columns together are beyond chance
    at_least, at_most = min(chance.at_least, max(1, int(n_related * (1 - max_false)))), max(chance.at_most, n_related)
    interval = (at_least, at_most) if code is ChoiceCode.CHOSEN else (0, chance.at_most)
    kept = np.setdiff1d(budget.units, budget.free)
    units = np.concatenate([kept, budget.free[order]])
    widest = min(len(kept) + WIDEST, len(units))
    sizes = path_sizes(widest, len(kept) + n_related)
    masks = [budget.spread(np.isin(np.arange(len(budget.kept)), units[:n])) for n in sizes]
    widths = [int(mask.sum()) for mask in masks]
    separation = heldout_separation(column_ranks(table[:, masks[-1]]), positive, widths, rng, groups)
    n_enough = min(sizes[Separation(separation.places[: bisect(sizes, widest)]).enough], len(kept) + n_related)
    n_features = max(1, n_enough - len(kept)) if wanted == AUTO else n_related
    return Choice(
        code, n_features, n_enough, budget.free[order[:n_related]], false_share, chance.p_value, *interval,
        tuple(sizes), separation, time.monotonic() - begin,
    )


def _count_related(
    p_value: float, false_share: FloatArray, max_false: float, n_labelled: int
) -> tuple[ChoiceCode, int]:
    """Return how many features are related to the labels, or the best guess, and which of the two it is."""
    n_related = int((false_share <= max_false).sum()) if p_value <= BY_CHANCE else 0
    if n_related and n_labelled >= FEWEST_LABELS:
        return ChoiceCode.CHOSEN, n_related
    code = ChoiceCode.TOO_FEW_LABELS if n_labelled < FEW_LABELS else ChoiceCode.NOTHING
    return code, max(1, int((false_share <= EVEN).sum()))


def _picked(budget: Budget, table: AnyArray | SparseTable, known: Labels) -> BoolArray:
    """Return which of the free features say how rows were picked for inspection, and nothing about the class."""
    ranks = column_ranks(table[:, budget.columns])
    found = CheckedRanks(ranks, np.flatnonzero(known > 0), np.flatnonzero(known < 0)).picked
    return np.isin(budget.free, budget.columns[found])


def _statistics(
    settings: Settings, budget: Budget, table: AnyArray | SparseTable, positive: BoolArray, row_groups: IntArray | None,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return the statistics of the free features for the labelled rows and for random ones; a group has its largest."""
    part = table[:, budget.columns]
    ranks = column_ranks(part, LEPAGE, settings.threads_for(part.shape))
    drawn = np.vstack([ranks.statistic(np.flatnonzero(positive)), draw_statistics(ranks, positive, rng, row_groups)])
    if budget.leader is not None:
        wide = np.zeros(len(budget.leader))
        for i, each in enumerate(drawn):
            wide[budget.columns] = each
            drawn[i, : len(budget.free)] = group_statistic(wide, budget.leader)[budget.free]
    return drawn[0, : len(budget.free)], drawn[1:, : len(budget.free)]


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
    """Return the path of more and fewer features; None unless the number was chosen here, and there is time."""
    choice, budget = problem.choice, problem.budget
    deadline.set_aside(0.0)
    if choice is None or deadline.left < choice.seconds:
        return None
    units = np.union1d(budget.units, choice.beyond)
    order = units[np.argsort(ranking[units])]
    n_selected = int(support[units].sum())
    objective: list[float] = []
    for n in choice.sizes:
        if n <= len(order) and (n <= max(n_selected, choice.n_enough) or deadline.left > 0):
            mask = budget.spread(np.isin(np.arange(len(support)), order[:n]))
            objective.append(float(score_features(settings, engine, mask, seeds[:N_CLUSTERINGS], target).mean()))
    n_sizes = len(objective)
    sizes = choice.sizes[:n_sizes]
    costs = np.ones(len(support))
    costs[budget.free] = budget.costs
    padded = np.concatenate([np.zeros(int(budget.kept[units].sum())), choice.false_share])
    return Path(
        code=choice.code,
        n_features=n_selected,
        n_enough=min(choice.n_enough, sizes[-1]),
        n_related=len(choice.beyond),
        interval=(choice.at_least, choice.at_most),
        p_value=choice.p_value,
        size=sizes,
        cost=tuple(np.cumsum(costs[order])[np.array(sizes) - 1].tolist()),
        objective=tuple(objective),
        separation=tuple(choice.separation.auc[:n_sizes].tolist()),
        separation_error=tuple(choice.separation.error[:n_sizes].tolist()),
        false_share=tuple(padded[np.minimum(sizes, len(padded)) - 1].tolist()),
    )


def path_sizes(widest: int, n_related: int) -> list[int]:
    """Return the numbers of features to look at: about a dozen from 3 on, and the related ones.

    Examples
    --------
    >>> path_sizes(8, 2), path_sizes(20, 26)
    ([2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 26])
    """
    sizes = np.geomspace(min(NARROWEST, widest), widest, N_SIZES).round().astype(int)
    return sorted({*sizes.tolist(), n_related})


def _rng(problem: Problem) -> np.random.Generator:
    return generator(problem.entropy, Stream.NUMBER)
