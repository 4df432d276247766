"""What the clusters of the selected features say about single columns, none of which votes for itself.

The selected features are split into folds. The rows are clustered on the features of all folds but one, and every
feature that had no part in it is compared between the labelled and candidate rows and all rows. That is co-training
with clusters: what finds the rows is the result of the search instead of a linear discriminant.
"""

import numpy as np

from puselect.arrays import FloatArray
from puselect.engines import Engine
from puselect.objective.evidence import LEPAGE, NO_DIFFERENCE_ROOT, Evidence
from puselect.objective.sparse_ranks import column_ranks
from puselect.search import EffectSearch
from puselect.selectors.budget import Budget
from puselect.selectors.clusterings import cluster_candidates
from puselect.selectors.groups import group_statistic
from puselect.selectors.problem import Problem, some_rows, taken_rows
from puselect.selectors.session import Session
from puselect.selectors.settings import AUTO_SAMPLES, Settings

N_FOLDS = 4
N_CLUSTERINGS = 4  # of each fold
SURE = 0.5  # confidence of the candidates that count
MANY_ROWS = 5  # times as many as a step uses: candidates are rare in a large table
MOST_CELLS = 2 * 10**7  # of the columns that are compared, unless a step's rows have more


def confirmed_scores(
    settings: Settings, problem: Problem, session: Session, evidence: Evidence | None, engine: Engine, target: int = 0
) -> FloatArray | None:
    """Return what the free features are ranked by if clusters have a say about each of them; None if they have not.

    The support of each feature is replaced by what the clusters say, as far as the search counts and as far as what
    single columns say is not noise (`Evidence.weight`).
    """
    optimizer = session.search.optimizer
    if evidence is None or not isinstance(optimizer, EffectSearch) or not optimizer.weight:
        return None
    if not session.budget.leaves_a_choice or not session.affords(N_FOLDS * N_CLUSTERINGS):
        return None
    clustered = clustered_support(settings, problem, session.budget, optimizer.scores, engine, target)
    if clustered is None:
        return None
    trust = optimizer.weight * evidence.weight
    return optimizer.ranked_by(trust * clustered + (1 - trust) * optimizer.ranked_support)


def clustered_support(
    settings: Settings, problem: Problem, budget: Budget, scores: FloatArray, engine: Engine, target: int = 0
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

    Returns
    -------
    support : ndarray of shape (n_free,) or None
        None if fewer than two features are selected, or if clusters cannot place rows.
    """
    chosen = budget.take_within(np.argsort(-scores, kind="stable"))[budget.free]
    places = np.flatnonzero(chosen)
    n_folds = min(N_FOLDS, len(places))
    if n_folds < 2:
        return None
    rng = np.random.default_rng(np.random.SeedSequence(problem.entropy, spawn_key=(7,)))
    columns = budget.columns
    is_small = len(columns) * min(len(problem.positive), MANY_ROWS * AUTO_SAMPLES) <= MOST_CELLS
    rows = some_rows(problem, rng, MANY_ROWS if is_small else 1)
    table, positive = taken_rows(problem, rows)[:, columns], problem.positive[rows]
    labelled, ranks = np.flatnonzero(positive), column_ranks(table, LEPAGE)
    total, n_judged = np.zeros((2, len(chosen)))
    for fold in np.array_split(rng.permutation(places), n_folds):
        others = chosen.copy()
        others[fold] = False
        mask = budget.widen(others[None, :])[0]
        seeds = rng.integers(2**31, size=N_CLUSTERINGS)
        found = cluster_candidates(settings, problem, engine, mask, seeds, table[:, mask[columns]], positive, target)
        if found is None:
            return None
        both = np.concatenate([labelled, found.rows[found.confidence >= SURE]])
        total += np.where(others, 0.0, _of_free(ranks.statistic(both), budget))
        n_judged += ~others
    return np.asarray(np.sqrt(total / n_judged) - NO_DIFFERENCE_ROOT)


def _of_free(statistic: FloatArray, budget: Budget) -> FloatArray:
    """Return the statistic of each free feature, from that of all columns that can be selected."""
    wide = np.zeros(len(budget.kept))
    wide[budget.columns] = statistic
    return (wide if budget.leader is None else group_statistic(wide, budget.leader))[budget.free]
