"""Features that are selected as a whole, such as the one-hot columns of one category."""

from collections.abc import Mapping, Sequence

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.columns.evidence import NO_DIFFERENCE_ROOT, Evidence
from puselect.labels import is_missing

ColumnName = str | int
Groups = Mapping[str, Sequence[int]]
"""The columns of each group, by its name."""

EULER = 0.5772
PREPARED = "prepared"
SUFFIXES = (" is missing", " (hour)", " (weekday)", " (second)")


def read_groups(groups: object, names: Sequence[ColumnName] | None, n_features: int) -> dict[str, list[int]]:
    """Return the columns of each group of two or more.

    Parameters
    ----------
    groups : mapping of str to list, array-like of shape (n_features,), or "prepared"
        Names or indices of the columns of each group; or the group of each column, where equal labels make a group; or
        the names that `Preparer` gives: "city=Oslo" and "city=Rome", "age" and "age is missing", "day" and
        "day (hour)". A label that is missing (None, NaN) means no group.
    names : sequence of str or int, optional
        Of the columns.
    n_features : int

    Examples
    --------
    >>> read_groups({"city": ["city=Oslo", "city=Rome"]}, ["age", "city=Oslo", "city=Rome"], 3)
    {'city': [1, 2]}
    >>> read_groups(["age", "city", "city"], None, 3)
    {'city': [1, 2]}
    """
    if groups is None:
        return {}
    if isinstance(groups, str) and groups == PREPARED:
        if names is None:
            raise ValueError(f"groups={PREPARED!r} needs a table with column names, got an array without")
        return _groups_of_labels([prepared_source(str(name)) for name in names], n_features)
    if not isinstance(groups, Mapping):
        return _groups_of_labels(groups, n_features)
    found: dict[str, list[int]] = {}
    taken: dict[int, str] = {}
    for group, members in groups.items():
        if isinstance(members, str) or not np.iterable(members):
            raise ValueError(f"groups must hold lists of names or indices, got {members!r} for {group!r}")
        columns = [c for member in members for c in find_columns("groups", member, names, n_features, group)]
        for column in columns:
            if column in taken:
                both = f"{taken[column]!r} and {group!r}"
                raise ValueError(f"groups must not overlap, got {_shown(column, names)} in {both}")
            taken[column] = str(group)
        if len(columns) < 2:
            got = _shown(columns[0], names) if columns else "none"
            raise ValueError(f"a group must have at least two columns, got {got} in {group!r}")
        found[str(group)] = sorted(columns)
    return found


def prepared_source(name: str) -> str:
    """Return the column that a feature was made from, by its name.

    Examples
    --------
    >>> [prepared_source(name) for name in ("city=Rome", "age is missing", "day (hour)", "age")]
    ['city', 'age', 'day', 'age']
    """
    suffix = next((end for end in SUFFIXES if name.endswith(end)), None)
    return name.split("=", 1)[0] if suffix is None else name.removesuffix(suffix)


def leaders(groups: Groups, selectable: BoolArray) -> IntArray:
    """Return, for every column, the column that stands for its group: the first that can be selected, or itself."""
    leader = np.arange(len(selectable))
    for columns in groups.values():
        usable = [column for column in columns if selectable[column]]
        leader[usable] = usable[0] if usable else columns[0]
    return leader


def best_features(ranking: IntArray, groups: Groups, n_features: int) -> BoolArray:
    """Return the columns of the features of best rank; a group has the rank of its best column."""
    leader = leaders(groups, np.ones(len(ranking), dtype=bool))
    best = ranking.copy()
    np.minimum.at(best, leader, ranking)
    features = np.unique(leader)
    return np.isin(leader, features[np.argsort(best[features], kind="stable")[:n_features]])


def feature_names(groups: Groups, names: Sequence[ColumnName]) -> list[str]:
    """Return the name of the feature that each column belongs to."""
    group_of = {column: group for group, columns in groups.items() for column in columns}
    return [group_of.get(column, str(name)) for column, name in enumerate(names)]


def group_costs(
    groups: Groups, costs: Mapping[ColumnName, float], names: Sequence[ColumnName]
) -> dict[ColumnName, float]:
    """Return costs by name with that of a group given to those of its columns that have none of their own."""
    spread = {name if name in names else str(name): cost for name, cost in costs.items()}
    for group, columns in groups.items():
        if group in spread:
            cost = spread[group] if group in names else spread.pop(group)  # one column may have the group's name
            spread = {**dict.fromkeys((names[column] for column in columns), cost), **spread}
    return spread


def check_equal_costs(groups: Groups, costs: FloatArray) -> None:
    """Raise a ValueError if the columns of a group differ in cost."""
    for group, columns in groups.items():
        found = np.unique(costs[list(columns)])
        if len(found) > 1:
            raise ValueError(f"the group {group!r} must have one cost, got {found[0]:g} and {found[1]:g}")


def group_evidence(evidence: Evidence, leader: IntArray) -> Evidence:
    """Return the evidence with that of a group, its best column's, at its leader.

    The best of m columns looks better by chance than a single one; the gain by chance is subtracted.
    """
    picked = evidence.picked
    return evidence._replace(
        labelled=group_statistic(evidence.labelled, leader), cotrained=group_statistic(evidence.cotrained, leader),
        picked=None if picked is None else np.bincount(leader, picked, minlength=len(leader)) > 0,
    )  # fmt: skip


def group_statistic(statistic: FloatArray, leader: IntArray) -> FloatArray:
    """Return a chi-squared statistic with that of a group, its best column's, at its leader; others stay."""
    best = statistic.copy()
    np.maximum.at(best, leader, statistic)
    sizes = np.bincount(leader, minlength=len(leader))
    is_group = sizes > 1
    # The root of the statistic is about Rayleigh; this is how much higher the mean of the largest of m is.
    chance = np.sqrt(2 * (np.log(sizes[is_group]) + EULER)) - NO_DIFFERENCE_ROOT
    best[is_group] = np.maximum(np.sqrt(best[is_group]) - chance, 0.0) ** 2
    return best


def _groups_of_labels(labels: object, n_features: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    listed = list(labels) if np.iterable(labels) and not isinstance(labels, str) else None
    if listed is None or len(listed) != n_features:
        got = repr(labels) if listed is None else len(listed)
        raise ValueError(f"groups must be a dict, or one label for each of {n_features} features, got {got}")
    for column, label in enumerate(listed):
        if not is_missing(label):
            found.setdefault(str(label), []).append(column)
    return {label: columns for label, columns in found.items() if len(columns) > 1}


def find_columns(
    parameter: str, item: object, names: Sequence[ColumnName] | None, n_features: int, group: object = None
) -> list[int]:
    """Return the columns of a name or an index; an integer is a name where names are integers.

    Examples
    --------
    >>> find_columns("always_keep", 2, ["a", "b", "c"], 3), find_columns("always_keep", 2, [2, 4, 6], 3)
    ([2], [0])
    """
    number = int(item) if isinstance(item, int | np.integer) and not isinstance(item, bool) else None
    by_name = isinstance(item, str) or (number is not None and has_integer_names(names))
    if by_name:
        places = [place for place, name in enumerate(names or ()) if name == item]
    else:
        places = [number % n_features] if number is not None and -n_features <= number < n_features else []
    if not places:
        wanted = "name columns of X" if by_name else f"hold names or indices in 0..{n_features - 1}"
        raise ValueError(f"{parameter} must {wanted}, got {item!r}{'' if group is None else f' in {group!r}'}")
    return places


def has_integer_names(names: Sequence[ColumnName] | None) -> bool:
    """Return whether the names of the columns are integers."""
    return names is not None and not isinstance(names[0], str)


def _shown(column: int, names: Sequence[ColumnName] | None) -> str:
    return repr(column if names is None else names[column])
