"""Whether co-trained evidence is to be believed: labelled rows that were held out tell.

Rows that look like a few labelled ones may be of another kind that resembles them. Then columns that tell both kinds
from all others gain, and those that tell the two apart lose. Labelled rows that were held out show it: they differ
from all rows in the direction of the other labelled rows, but less so in the direction of rows of another kind.
"""

from collections.abc import Sequence
from copy import deepcopy

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.objective.column_ranks import ColumnRanks
from puselect.objective.evidence import (
    N_FOLDS,
    N_ROUNDS,
    Evidence,
    choose_judges,
    found_by_judges,
    heldout_places,
    weighed,
    with_labelled,
)

DOUBTFUL = 0.5  # weight of co-trained evidence from which on it is believed
WORTH = 1.1  # what co-trained evidence has to tell about held-out rows, to what labelled rows alone tell
N_REPEATS = 4  # of holding out every labelled row, at most
CLEAR = 0.3  # of the larger of what both tell: a difference that further repeats hardly ever turn round
SURE = 6.0  # standard errors of what is told, below which no difference is clear
TIMES = 4  # as many columns are looked at as are wanted: all others would add noise


def doubted(
    gathered: Sequence[Evidence],
    kinds: Sequence[ColumnRanks],
    positive: BoolArray,
    share: float,
    rng: np.random.Generator,
) -> list[Evidence]:
    """Return evidence as if no rows had been found, if they are doubtful and tell too little about labelled rows.

    Parameters
    ----------
    gathered : sequence of Evidence
        What `puselect.objective.evidence.rank_evidence` returned for each of `kinds` and the other parameters.
    kinds : sequence of ColumnRanks
        Of the same table, with different scores.
    positive, share, rng
    """
    if not 0 < max(each.cotrained_weight for each in gathered) < DOUBTFUL:
        return list(gathered)
    labelled = np.flatnonzero(positive)
    if _are_worth_it(gathered, kinds, labelled, share, rng):
        return list(gathered)
    return [_of_labelled(each, ranks, labelled, share, rng) for each, ranks in zip(gathered, kinds, strict=True)]


def _are_worth_it(
    gathered: Sequence[Evidence],
    kinds: Sequence[ColumnRanks],
    labelled: IntArray,
    share: float,
    rng: np.random.Generator,
) -> bool:
    """Return whether co-trained evidence tells `WORTH` times as much about held-out rows as labelled rows do."""
    n_best = max(1, round(TIMES * share * kinds[0].n_features))
    found = [(each.n_found, ranks) for each, ranks in zip(gathered, kinds, strict=True) if each.n_found]
    generators = [[skipped(rng, len(labelled), ranks.n_features) for _ in range(N_REPEATS)] for _, ranks in found]
    told, n_told = np.zeros(2), 0
    for repeat in zip(*generators, strict=True):
        for (n_found, ranks), own in zip(found, repeat, strict=True):
            told += told_of_heldout(ranks, labelled, n_found, n_best, own) * [WORTH, 1.0]
            n_told += len(labelled)
        if abs(told[1] - told[0]) > CLEAR * told.max() > CLEAR * SURE * n_told**0.5:
            break
    return bool(told[1] >= told[0])


def skipped(rng: np.random.Generator, n_labelled: int, n_features: int) -> np.random.Generator:
    """Return a copy of the generator, and skip the numbers that `told_of_heldout` draws.

    So numbers that are drawn later do not depend on how many repeats it takes.
    """
    own = deepcopy(rng)
    rng.permutation(n_labelled)
    for _ in range(N_ROUNDS * min(N_FOLDS, n_labelled)):
        rng.random(n_features)
    return own


def told_of_heldout(
    ranks: ColumnRanks, labelled: IntArray, n_found: int, n_best: int, rng: np.random.Generator
) -> FloatArray:
    """Return how far held-out labelled rows differ in the directions of the others, and of the co-trained ones.

    Directions are vectors of the z-scores of `n_best` columns, those with the largest; labelled rows are held out in
    turn.
    """
    told = np.zeros(2)
    for fold in np.array_split(rng.permutation(len(labelled)), min(N_FOLDS, len(labelled))):
        heldout = labelled[fold]
        positive = np.zeros(ranks.n_rows, dtype=bool)
        positive[np.setdiff1d(labelled, heldout)] = True
        differs = len(heldout) ** 0.5 * ranks.z_scores(heldout)
        rest = ranks.z_scores(np.flatnonzero(positive))
        cotrained = _cotrained(ranks, positive, rest, heldout, n_found, rng)
        told += [_along(rest, differs, n_best), _along(cotrained, differs, n_best)]
    return told


def _of_labelled(
    evidence: Evidence, ranks: ColumnRanks, labelled: IntArray, share: float, rng: np.random.Generator
) -> Evidence:
    """Return the evidence as if no rows had been found."""
    own, above = evidence.labelled, heldout_places(ranks, labelled, rng)
    return weighed(Evidence(own, own, 0.0, 0.0, 0), own, above, ranks.n_rows - len(labelled), ranks, share)


def _cotrained(
    ranks: ColumnRanks,
    positive: BoolArray,
    z: FloatArray,
    heldout: IntArray,
    n_found: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the z-scores of every column for labelled rows and those found, from those of labelled rows."""
    for _ in range(N_ROUNDS):
        judges = choose_judges((z**2).sum(axis=0), rng)
        rows = with_labelled(positive, found_by_judges(ranks, positive, judges, n_found, heldout))
        z = ranks.z_scores(rows[-1])
        z[:, judges] = ranks.z_scores_each(judges, rows[:-1])
    return z


def _along(direction: FloatArray, differs: FloatArray, n_best: int) -> float:
    best = np.argsort(-(direction**2).sum(axis=0), kind="stable")[:n_best]
    own = direction[:, best]
    length = np.sqrt((own**2).sum())
    return float((own * differs[:, best]).sum() / length) if length > 0 else 0.0
