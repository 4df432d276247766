"""The budget of a selection: costs, a limit, features that must or must not be selected."""

import sys
from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple, Self, TypeGuard

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.phrases import shortened
from puselect.search.repair import SLACK
from puselect.selectors.base import resolve_n_features, warn_of_fewer
from puselect.selectors.groups import (
    ColumnName,
    Groups,
    check_equal_costs,
    find_columns,
    group_costs,
    has_integer_names,
    leaders,
    prepared_source,
)

AUTO, RELATED = "auto", "related"  # the number of features is found, not given: enough, or all that are related
OTHERS = "*"  # for the costs of columns that are not named
LARGEST_COST = 1e100  # the sum of all costs, and its ratio to the budget, must not overflow


def is_open(n_features_to_select: object) -> TypeGuard[str]:
    """Return whether the number of features is to be found."""
    return isinstance(n_features_to_select, str) and n_features_to_select in (AUTO, RELATED)


class Budget(NamedTuple):
    """The free features that a search decides on, their costs, and a limit on the sum."""

    kept: BoolArray
    """Features that are always selected, shape (n_features,)."""
    free: IntArray
    """Indices of the features the search decides on."""
    costs: FloatArray
    """Costs of the free features."""
    limit: float
    """The largest cost of the selected free features together."""
    leader: IntArray | None = None
    """The feature that stands for the group of each, shape (n_features,); None without groups. Others are not free."""

    @property
    def share(self) -> float:
        """The paper's first probability: budget over total cost."""
        return min(self.limit / float(self.costs.sum()), 1.0) if len(self.free) else 1.0

    @property
    def affordable(self) -> BoolArray:
        """Which of the free features fit, each by itself."""
        return np.asarray(self.costs <= self.limit * (1 + SLACK))

    @property
    def leaves_a_choice(self) -> bool:
        """Whether some of the free features fit, but not all of them."""
        return bool(self.affordable.any()) and self.share < 1

    @property
    def columns(self) -> IntArray:
        """The features that can be selected."""
        return np.flatnonzero(self.widen(np.ones((1, len(self.free)), dtype=bool))[0])

    @property
    def units(self) -> IntArray:
        """Features that are selected on their own, and the leaders of groups."""
        kept = np.flatnonzero(self.kept)
        return np.union1d(self.free, kept if self.leader is None else kept[self.leader[kept] == kept])

    def narrowed(self, chosen: BoolArray | IntArray) -> Self:
        """Return the budget with only these of the free features."""
        costs = self.costs[chosen]
        return self._replace(free=self.free[chosen], costs=costs, limit=min(self.limit, float(costs.sum())))

    @property
    def third(self) -> Self:
        """The budget for a third as many features, rounded up, or for a third of the cost."""
        return self._replace(limit=(self.limit + 2 * float(min(self.costs, default=0.0))) / 3)

    def widen(self, masks: BoolArray) -> BoolArray:
        """Return masks over all features from masks over the free ones."""
        wide = np.repeat(self.kept[None, :], len(masks), axis=0)
        wide[:, self.free] = masks
        return self.spread(wide)

    def spread(self, values: AnyArray) -> AnyArray:
        """Return values per feature, on the last axis, with that of a leader given to its whole group."""
        return values if self.leader is None else values[..., self.leader]

    def take_within(self, order: IntArray) -> BoolArray:
        """Return the mask of the features that fit when taken in the given order of the free ones."""
        support, left = self.kept.copy(), self.limit * (1 + SLACK)
        for i in order:
            if self.costs[i] <= left:
                support[self.free[i]] = True
                left -= self.costs[i]
        return self.spread(support)

    @classmethod
    def from_parameters(
        cls,
        n_features_to_select: int | float | str | None,
        feature_costs: FloatArray | None,
        budget: float | None,
        always_keep: Sequence[ColumnName] | None,
        never_select: Sequence[ColumnName] | None,
        names: Sequence[ColumnName] | None,
        selectable: BoolArray,
        groups: Groups | None = None,
    ) -> Self:
        """Check the selector's parameters against the table and against each other.

        Columns that are not `selectable` (constant ones) are selected only if `always_keep` names them. A group counts
        as one feature with one cost, and is kept or never selected if one of its columns is.
        """
        n_features, sets = len(selectable), groups or {}
        costs, limit = _costs_and_limit(n_features_to_select, feature_costs, budget, n_features, sets)
        named = _as_mask("always_keep", always_keep, names, n_features, sets)
        usable = selectable | named
        kept = _with_groups(named, sets) & usable
        never = _with_groups(_as_mask("never_select", never_select, names, n_features, sets), sets)
        leader = leaders(sets, usable) if sets else np.arange(n_features)
        is_leader = leader == np.arange(n_features)
        if (kept & never).any():
            shared = np.flatnonzero(kept & never)
            both = shared.tolist() if names is None else [names[int(i)] for i in shared]
            raise ValueError(f"always_keep and never_select must not share features, got {both} in both")
        by_number = feature_costs is None and budget is None and not is_open(n_features_to_select)
        n_varying, n_never = (int((part & is_leader).sum()) for part in (usable, usable & never))
        warn_of_fewer(int(limit) if by_number else 0, n_varying, n_never)
        free = np.flatnonzero(~kept & ~never & selectable & is_leader)
        spent = costs[kept & is_leader].sum()
        left = limit - spent
        if left < -SLACK * limit:
            raise ValueError(f"always_keep must fit the budget of {limit:g}, got features that cost {spent:g}")
        if not kept.any() and (not len(free) or costs[free].min() > limit * (1 + SLACK)):
            cheapest = f"the cheapest costs {costs[free].min():g}" if len(free) else "never_select leaves none"
            raise ValueError(f"the budget must pay for at least one feature, got {limit:g}: {cheapest}")
        enough = float(costs[free].sum())  # more than that changes nothing, and their ratio could overflow
        return cls(kept, free, costs[free], min(max(left, 0.0), enough), leader if sets else None)


def _with_groups(mask: BoolArray, groups: Groups) -> BoolArray:
    """Return the mask with whole groups where it has one of their features."""
    whole = mask.copy()
    for columns in groups.values():
        whole[columns] = mask[columns].any()
    return whole


def _costs_and_limit(
    n_features_to_select: int | float | str | None,
    feature_costs: FloatArray | None,
    budget: float | None,
    n_features: int,
    groups: Groups,
) -> tuple[FloatArray, float]:
    """Return the cost of every feature and the limit on their sum."""
    is_auto = is_open(n_features_to_select)
    if feature_costs is None and budget is None:
        n_units = n_features - sum(len(columns) - 1 for columns in groups.values())
        if is_auto:
            return np.ones(n_features), float(n_units)
        return np.ones(n_features), float(resolve_n_features(n_features_to_select, n_units, (AUTO, RELATED)))
    if n_features_to_select is not None and not is_auto:
        raise ValueError("give either n_features_to_select or a budget with feature_costs, got both")
    if budget is None and not is_auto:
        raise ValueError("feature_costs need a budget: the most that the selected features may cost together")
    costs = np.ones(n_features) if feature_costs is None else feature_costs
    if costs.shape != (n_features,):
        raise ValueError(f"feature_costs must hold one cost for each of {n_features} features, got {costs.shape}")
    bad = costs[~((costs > 0) & (costs <= LARGEST_COST))]
    if len(bad):
        raise ValueError(f"feature_costs must be positive and at most {LARGEST_COST:g}, got {bad[0]:g}")
    check_equal_costs(groups, costs)
    if budget is None:
        return costs, float(costs.sum())
    if not (isinstance(budget, Real) and 0 < budget <= sys.float_info.max):
        raise ValueError(f"budget must be positive and finite, got {budget!r}")
    return costs, float(budget)


def costs_in_order(costs: object, names: Sequence[ColumnName] | None, groups: Groups) -> FloatArray:
    """Return the costs in the order of the columns; those that carry names (a dict, a pandas Series) go by name."""
    if not hasattr(costs, "items"):
        return _as_floats(costs)
    by_name: dict[ColumnName, float] = dict(costs.items())
    if not has_integer_names(names) and list(by_name) == list(range(len(by_name))):
        return _as_floats(list(by_name.values()))
    if names is None:
        raise ValueError("feature_costs by name need a table with column names, got an array without")
    if groups:
        by_name = group_costs(groups, by_name, names)
    found = {name: [key for key in (name, prepared_source(str(name)), OTHERS) if key in by_name] for name in names}
    missing = dict.fromkeys(prepared_source(str(name)) for name in names if not found[name])
    if missing:
        shown = shortened(list(missing), most=5)
        raise ValueError(
            f"feature_costs must hold a cost for every column, got none for {shown}; {OTHERS!r} is for all others"
        )
    return _as_floats([by_name[found[name][0]] for name in names])


def _as_floats(costs: object) -> FloatArray:
    try:
        return np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"feature_costs must be numbers: {error}") from error


def _as_mask(
    parameter: str,
    wanted: Sequence[ColumnName] | None,
    names: Sequence[ColumnName] | None,
    n_features: int,
    groups: Groups,
) -> BoolArray:
    """Return the mask of features given by names, their own or those of groups, or by indices."""
    mask = np.zeros(n_features, dtype=bool)
    if isinstance(wanted, str) or not (wanted is None or np.iterable(wanted)):
        raise ValueError(f"{parameter} must be a list of names or indices, got {wanted!r}")
    for item in () if wanted is None else wanted:
        is_group = isinstance(item, str) and item in groups and item not in (names or ())
        mask[groups[str(item)] if is_group else find_columns(parameter, item, names, n_features)] = True
    return mask
