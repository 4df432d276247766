"""What the clusters of the selected features say about single columns, none of which votes for itself.

The selected features are split into folds. The rows are clustered on the features of all folds but one, and every
feature that had no part in it is compared between the labelled and candidate rows and all rows. That is co-training
with clusters: what finds the rows is the result of the search instead of a linear discriminant.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines import Engine
from puselect.engines.base import RowPlacer
from puselect.objective.evidence import NO_DIFFERENCE_ROOT, Evidence
from puselect.objective.score import best_clusters, smoothing_rows
from puselect.search import EffectSearch
from puselect.selectors.budget import Budget
from puselect.selectors.clusterings import Candidates, candidates_among, cluster_candidates, n_mixtures_kept
from puselect.selectors.groups import group_statistic
from puselect.selectors.problem import Problem, ranks_in, some_rows, taken_rows
from puselect.selectors.session import Session
from puselect.selectors.settings import AUTO_SAMPLES, Settings

N_FOLDS = 4
N_CLUSTERINGS = 4  # of each fold
SURE = 0.5  # confidence of the candidates that count
MANY_ROWS = 5  # times as many as a step uses: candidates are rare in a large table
MOST_CELLS = 2 * 10**7  # of the columns that are compared, unless a step's rows have more


class Inquiry(NamedTuple):
    """What clusters are asked about the columns of one problem."""

    rows: IntArray
    """Rows of the table in which columns are compared."""
    others: BoolArray
    """The free features that the clusters of each fold are made of, shape (n_folds, n_free)."""
    masks: BoolArray
    """The same over all features, shape (n_folds, n_features)."""
    seeds: IntArray
    """Of the clusterings, shape (n_folds, N_CLUSTERINGS)."""
    known: BoolArray
    """Which of the rows are labelled."""

    @classmethod
    def of(cls, problem: Problem, budget: Budget, scores: FloatArray) -> Self | None:
        """Split the features with the highest scores into folds; None if there are fewer than two."""
        chosen = budget.take_within(np.argsort(-scores, kind="stable"))[budget.free]
        places = np.flatnonzero(chosen)
        n_folds = min(N_FOLDS, len(places))
        if n_folds < 2:
            return None
        rng = np.random.default_rng(np.random.SeedSequence(problem.entropy, spawn_key=(7,)))
        is_small = len(budget.columns) * min(len(problem.positive), MANY_ROWS * AUTO_SAMPLES) <= MOST_CELLS
        rows = some_rows(problem, rng, MANY_ROWS if is_small else 1)
        others = np.repeat(chosen[None, :], n_folds, axis=0)
        seeds = np.empty((n_folds, N_CLUSTERINGS), dtype=np.int64)
        for i, fold in enumerate(np.array_split(rng.permutation(places), n_folds)):
            others[i, fold] = False
            seeds[i] = rng.integers(2**31, size=N_CLUSTERINGS)
        return cls(rows, others, budget.widen(others), seeds, problem.positive[rows])


def confirmed_support(
    settings: Settings,
    problem: Problem,
    session: Session,
    evidence: Evidence | None,
    engine: Engine,
    target: int = 0,
    found: Sequence[Candidates] | None = None,
) -> FloatArray | None:
    """Return the support of the free features in the ranking if clusters have a say about each; None if they have not.

    What single columns say is replaced by what the clusters say, as far as the search counts and as far as the former
    is not noise (`Evidence.weight`). `found` has the candidates of each fold if they are known already.
    """
    optimizer = asking_search(session)
    if evidence is None or optimizer is None:
        return None
    clustered = clustered_support(settings, problem, session.budget, optimizer.scores, engine, target, found)
    if clustered is None:
        return None
    trust = optimizer.weight * evidence.weight
    return np.asarray(trust * clustered + (1 - trust) * optimizer.ranked_support)


def asking_search(session: Session) -> EffectSearch | None:
    """Return the search whose result clusters are asked about; None if they have no say or there is no time for it."""
    optimizer = session.search.optimizer
    if not isinstance(optimizer, EffectSearch) or not optimizer.weight:
        return None
    return optimizer if session.budget.leaves_a_choice and session.affords(N_FOLDS * N_CLUSTERINGS) else None


def clustered_support(
    settings: Settings,
    problem: Problem,
    budget: Budget,
    scores: FloatArray,
    engine: Engine,
    target: int = 0,
    found: Sequence[Candidates] | None = None,
) -> FloatArray | None:
    """Return the evidence of each free feature, in standard errors, in the rows that clusters of others find.

    Parameters
    ----------
    settings, problem
    budget : Budget
        With the free features.
    scores : ndarray of shape (n_free,)
        What they are selected by.
    engine : Engine
    target : int
        The number of the problem among those the engine is bound to.
    found : sequence of Candidates, optional
        Of each fold, if they are known already.

    Returns
    -------
    support : ndarray of shape (n_free,) or None
        None if fewer than two features are selected, or if clusters cannot place rows.
    """
    inquiry = Inquiry.of(problem, budget, scores)
    if inquiry is None:
        return None
    table = taken_rows(problem, inquiry.rows)
    if found is None:
        found = found_rows(settings, problem, inquiry, table, engine, target)
    if found is None:
        return None
    ranks, labelled = ranks_in(settings, problem, table, budget.columns), np.flatnonzero(inquiry.known)
    total, n_judged = np.zeros((2, len(scores)))
    for others, candidates in zip(inquiry.others, found, strict=True):
        both = np.concatenate([labelled, candidates.rows[candidates.confidence >= SURE]])
        total += np.where(others, 0.0, _of_free(ranks.statistic(both), budget))
        n_judged += ~others
    return np.asarray(np.sqrt(total / n_judged) - NO_DIFFERENCE_ROOT)


def found_rows(
    settings: Settings, problem: Problem, inquiry: Inquiry, table: Any, engine: Engine, target: int
) -> list[Candidates] | None:
    """Return the candidates that the clusters of each fold find; None if clusters place no rows.

    `table` has the rows of the inquiry.
    """
    if isinstance(engine, RowPlacer) and keeps_all(settings, inquiry):
        return found_together(settings, {target: inquiry}, engine)[target]
    all_found = []
    for mask, seeds in zip(inquiry.masks, inquiry.seeds, strict=True):
        found = cluster_candidates(settings, problem, engine, mask, seeds, table[:, mask], inquiry.known, target)
        if found is None:
            return None
        all_found.append(found)
    return all_found


def found_together(
    settings: Settings, inquiries: Mapping[int, Inquiry], engine: RowPlacer
) -> dict[int, list[Candidates]]:
    """Return what `found_rows` does for many problems, by their numbers: one call of an engine that places rows."""
    masks = np.concatenate([np.repeat(each.masks, N_CLUSTERINGS, axis=0) for each in inquiries.values()])
    seeds = np.concatenate([each.seeds.ravel() for each in inquiries.values()])
    targets = np.repeat(list(inquiries), [each.seeds.size for each in inquiries.values()])
    table, labels = engine.cluster_rows(masks, seeds, targets, {target: own.rows for target, own in inquiries.items()})
    extra_rows = smoothing_rows(table.size, settings.smoothing)
    positive = best_clusters(table.size, table.positive, settings.cluster_choice, extra_rows).chosen
    found: dict[int, list[Candidates]] = {target: [] for target in inquiries}
    for first in range(0, len(masks), N_CLUSTERINGS):
        part, target = slice(first, first + N_CLUSTERINGS), int(targets[first])
        place, known = np.stack(labels[part], axis=1), inquiries[target].known
        found[target].append(candidates_among(place, table.size[part], table.positive[part], positive[part], known))
    return found


def keeps_all(settings: Settings, inquiry: Inquiry) -> bool:
    """Return whether rows are to be placed in all clusterings of an inquiry; wide mixtures take too much memory."""
    return n_mixtures_kept(settings, inquiry.masks[0], N_CLUSTERINGS) == N_CLUSTERINGS


def _of_free(statistic: FloatArray, budget: Budget) -> FloatArray:
    """Return the statistic of each free feature, from that of all columns that can be selected."""
    wide = np.zeros(len(budget.kept))
    wide[budget.columns] = statistic
    return (wide if budget.leader is None else group_statistic(wide, budget.leader))[budget.free]
