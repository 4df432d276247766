"""Known positives that look like ordinary rows: labels that may be wrong."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from puselect.arrays import AnyArray, BoolArray, FloatArray
from puselect.clustering.cpu.blas import one_blas_thread
from puselect.fscpu.final_clusters import known_rows
from puselect.fscpu.row_model import N_FOLDS, RowModel, cluster_logit, heldout_places, lift_steps, row_folds
from puselect.fscpu.selector import FSCPU
from puselect.labels import draw_rows
from puselect.phrases import counted
from puselect.sparse_table import SparseTable, as_dense

# Chosen on 104 draws of labels from 22 real tables, half of them with a fifth of wrong labels: of the rows listed 68 %
# were wrong labels, of the wrong labels 30 % were listed, and 96 % of the draws without any had no list.
# On fresh draws of 27 tables: 62 %, 28 %, 90 %.
FAR = 0.6  # share of the unlabelled rows that score higher than a row
OWN_TAIL, LEVEL = 0.04, 0.2  # share of right labels that far out, and the p-value from which there are more
FURTHEST_MEDIAN = 0.2  # of the places of all labels; where classes overlap more, right labels are far out, too
LEAST_SHARE = 0.3  # of wrong labels at a place, from which on its rows are listed
N_REPEATS = 4
FEWEST_LABELS = 10
MOST_OTHERS = 10_000


@dataclass(frozen=True)
class SuspectedLabels:
    """Labelled positives that look like unlabelled rows."""

    rows: tuple[int, ...]
    """Indices of rows, the least like other positives first; empty if nothing is suspected."""
    n_labelled: int

    def __str__(self) -> str:
        if not self.rows:
            return "No more known positives than usual look like ordinary rows."
        known = counted(self.n_labelled, "known positive")
        return f"{len(self.rows):,} of {known} look like ordinary rows: check them."


def suspected_labels(selector: FSCPU, X: ArrayLike, y: ArrayLike) -> SuspectedLabels:
    """List labelled positives that may be wrong.

    Labelled rows are held out in turn and placed among the unlabelled rows by the selected columns. Right labels come
    before most of them; wrong ones are anywhere. If more labels than a class has stragglers are far behind, those at
    places where many labels are wrong are listed. Where the classes overlap much, nothing is: such a list would hold
    positives that are hard to tell.

    Parameters
    ----------
    selector : FSCPU
        Fitted to `X` and `y`.
    X : array-like of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _, classes = make_pu_clusters("40/3/2", random_state=0, return_classes=True)
    >>> wrong = np.flatnonzero(classes == 0)[:40]
    >>> y[wrong] = 1
    >>> found = suspected_labels(FSCPU(25, random_state=0).fit(X, y), X, y)
    >>> len(found.rows) > 20, bool(np.isin(found.rows, wrong).mean() > 0.9)
    (True, True)
    """
    model, columns = selector._fitted_row_model("suspected_labels"), selector._selected_columns(X)
    positive = known_rows(y, selector.fit_settings_["pos_label"], len(columns))
    return find_suspects(model, columns, positive, ~selector._known_rows(y, len(columns)))


def find_suspects(
    model: RowModel, columns: AnyArray | SparseTable, positive: BoolArray, unlabelled: BoolArray
) -> SuspectedLabels:
    """Return the labelled rows that may be wrong; `columns` are the selected ones as they came."""
    n_labelled = int(positive.sum())
    if n_labelled < FEWEST_LABELS or not unlabelled.any():
        return SuspectedLabels((), n_labelled)
    rng = np.random.default_rng(0)
    rows = np.sort(draw_rows(positive, rng, max_others=MOST_OTHERS))
    places = mean_places(model, as_dense(columns[rows]), positive[rows], unlabelled[rows], rng)
    labelled, listed = np.flatnonzero(positive), are_suspect(places)
    order = np.argsort(-places, kind="stable")
    return SuspectedLabels(tuple(labelled[order][listed[order]].tolist()), n_labelled)


@one_blas_thread
def mean_places(
    model: RowModel, columns: AnyArray, positive: BoolArray, unlabelled: BoolArray, rng: np.random.Generator
) -> FloatArray:
    """Return the share of the unlabelled rows that score higher than each labelled row, a mean over divisions."""
    votes = cluster_logit(model.clusterings, model.clusterings.place(columns), positive)
    table = np.asarray(model.clusterings.scaled(columns), dtype=np.float64)
    places = np.zeros(len(positive))
    for _ in range(N_REPEATS):
        folds = row_folds(positive, None, rng)
        held_out = [np.flatnonzero(positive & (folds == fold)) for fold in range(N_FOLDS)]
        found = heldout_places(table, positive, unlabelled, votes, folds, rng)
        places[np.concatenate(held_out)] += found.labelled / N_REPEATS
    return places[positive]


def are_suspect(places: FloatArray) -> BoolArray:
    """Return which labels may be wrong, by the share of unlabelled rows that score higher than each.

    Wrong labels are spread evenly over all places, so the density of places far out is their share.

    Examples
    --------
    >>> right = np.linspace(0, 0.1, 60)
    >>> int(are_suspect(right).sum()), int(are_suspect(np.append(right, np.linspace(0.4, 0.95, 8))).sum())
    (0, 8)
    """
    n_far = int((places > FAR).sum())
    chance = binom.sf(n_far - 1, len(places), OWN_TAIL)
    if n_far == 0 or chance > LEVEL or np.median(places) > FURTHEST_MEDIAN:
        return np.zeros(len(places), dtype=bool)
    wrong = n_far / len(places) / (1 - FAR)
    ends, density = lift_steps(places)
    return np.asarray(wrong >= LEAST_SHARE * density[np.searchsorted(ends, places)])
