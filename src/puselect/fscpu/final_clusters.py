"""The clusters of the selected features, and candidate positives."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.clustering import Engine
from puselect.fscpu.problem import Problem
from puselect.fscpu.settings import Settings
from puselect.labels import equal_to, without_missing
from puselect.objective.score import best_clusters
from puselect.scaling import Scaling
from puselect.sparse_table import SparseTable, as_dense

CHUNK = 8192  # rows placed at a time
KEPT_BYTES = 2**25  # beyond about 450 selected features fewer clusterings are kept


class Candidates(NamedTuple):
    """The unlabelled rows that are most likely positive, best first."""

    rows: IntArray
    """Indices of rows, shape (n_candidates,)."""
    lift: FloatArray
    """How many times as often as an average row such a row is positive, shape (n_candidates,)."""
    confidence: FloatArray | None
    """Probability of being positive, shape (n_candidates,); None if the number of positives cannot be
    estimated."""

    @property
    def n_likely(self) -> int | None:
        """How many have a confidence of one half or more; None without confidence."""
        return None if self.confidence is None else int((self.confidence >= 0.5).sum())

    def taken(self, places: IntArray | slice) -> Self:
        """Return some of the candidates, by their places in the list."""
        confidence = None if self.confidence is None else self.confidence[places]
        return self._replace(rows=self.rows[places], lift=self.lift[places], confidence=confidence)

    def figures(self) -> dict[str, FloatArray]:
        """Return lift and any confidence by name."""
        return {"lift": self.lift} | ({} if self.confidence is None else {"confidence": self.confidence})

    def to_frame(self, X: Any) -> Any:
        """Return the rows of a data frame, of pandas or polars, with lift and any confidence in front, best first.

        Parameters
        ----------
        X : DataFrame
            The table of `candidate_positives`, or any other with the same rows, such as the one before preparing.

        Examples
        --------
        >>> import pandas as pd
        >>> found = Candidates(np.array([2, 0]), np.array([9.0, 4.0]), np.array([0.9, 0.4]))
        >>> found.to_frame(pd.DataFrame({"name": ["Ann", "Bob", "Cleo"]}))
           lift  confidence  name
        2   9.0         0.9  Cleo
        0   4.0         0.4   Ann
        """
        figures = self.figures()
        for name in figures:
            if name in getattr(X, "columns", ()):
                raise ValueError(f"X must not have a column named {name!r}; rename it first")
        if hasattr(X, "iloc"):
            frame = X.iloc[self.rows].copy()
            for place, (name, values) in enumerate(figures.items()):
                frame.insert(place, name, values)
            return frame
        if hasattr(X, "hstack"):
            return type(X)(figures).hstack(X[self.rows.tolist()])
        raise ValueError(f"X must be a data frame of pandas or polars, got {type(X).__name__}")


class Clusterings(NamedTuple):
    """Several clusterings of the selected features: their counts, and the mixtures that place new rows."""

    size: FloatArray
    """Rows in each cluster, shape (n_clusterings, n_clusters); estimates where the table was sampled."""
    labelled: FloatArray
    """Labelled positives in each cluster, shape (n_clusterings, n_clusters)."""
    positive: BoolArray
    """Clusters taken as positive, shape (n_clusterings, n_clusters)."""
    score: FloatArray
    """Recall times precision, shape (n_clusterings,)."""
    degenerate: BoolArray
    """Clusterings that lost a cluster or needed more regularisation, shape (n_clusterings,)."""
    mean: FloatArray
    """Shape (n_clusterings, n_clusters, n_selected), scaled."""
    factor: AnyArray
    """Lower triangles of the inverse Cholesky factors, shape (n_clusterings, n_clusters, k (k + 1) / 2)."""
    constant: FloatArray
    """-2 log(weight x determinant of the factor), shape (n_clusterings, n_clusters)."""
    scaling: Scaling | None
    """The scaling of the selected columns; None if the table was not scaled."""

    def distances(self, table: AnyArray, number: int) -> FloatArray:
        """Return the squared Mahalanobis distances of rows to the clusters of one clustering, (n_rows, n_clusters).

        `table` holds the selected columns, scaled.
        """
        n_clusters, n_features = self.mean.shape[1:]
        factor = np.zeros((n_features, n_features))
        below = np.tril_indices(n_features)
        diagonal = np.cumsum(np.arange(1, n_features + 1)) - 1  # among those below
        found = np.empty((len(table), n_clusters))
        for c in range(n_clusters):
            packed, white = self.factor[number, c], table - self.mean[number, c]
            if np.count_nonzero(packed) == np.count_nonzero(packed[diagonal]):  # most clusters of a wide table
                white = white * packed[diagonal]
            else:
                factor[below] = packed
                white = white @ factor.T
            found[:, c] = np.einsum("ij,ij->i", white, white)
        return found

    def place(self, table: AnyArray | SparseTable) -> IntArray:
        """Return the cluster of every row in every clustering, shape (n_rows, n_clusterings); `table` as it came."""
        labels = np.empty((len(table), len(self.size)), dtype=np.intp)
        for begin in range(0, len(table), CHUNK):
            part = self.scaled(as_dense(table[begin : begin + CHUNK]))
            for i in range(len(self.size)):
                labels[begin : begin + CHUNK, i] = (self.distances(part, i) + self.constant[i]).argmin(axis=1)
        return labels

    def votes(self, table: AnyArray) -> FloatArray:
        """Return the share of the clusterings that put each row into a positive cluster; `table` as it came."""
        return np.asarray(self.positive[np.arange(len(self.size)), self.place(table)].mean(axis=1))

    def remoteness(self, table: AnyArray) -> FloatArray:
        """Return the squared Mahalanobis distance of each row to the nearest cluster, a mean over the clusterings."""
        part = self.scaled(table)
        nearest = [
            self.distances(part, i)[:, self.size[i] > 0].min(axis=1, initial=np.inf) for i in range(len(self.size))
        ]
        return np.asarray(np.mean(nearest, axis=0))

    def scaled(self, table: AnyArray) -> AnyArray:
        """Return the selected columns as they were scaled in `fit`."""
        return table if self.scaling is None else self.scaling.scale(table)


def cluster_result(
    settings: Settings, problem: Problem, engine: Engine, support: BoolArray, seeds: IntArray, target: int = 0
) -> tuple[FloatArray, Clusterings | None]:
    """Cluster the selected features once per seed; return the scores and the clusters of mixtures that were fitted.

    `target` is the number of the problem among those the engine is bound to.
    """
    n_bytes = 2 * settings.mixture.n_clusters * int(support.sum()) ** 2  # of the factors of a mixture
    n_kept = min(len(seeds), max(1, KEPT_BYTES // n_bytes))
    table, mixtures = engine.fit_final(support, seeds, target, n_mixtures=n_kept)
    best = best_clusters(table.evident_size, table.positive, settings.preset.cluster_choice, settings.preset.smoothing)
    kept = np.flatnonzero(table.size[:n_kept].any(axis=1))  # a clustering that failed has no rows
    if mixtures is None or not len(kept):
        return best.score, None
    below = np.tril_indices(int(support.sum()))
    precision = np.float64 if problem.scaling is None else np.float32  # unscaled values may exceed float32
    return best.score, Clusterings(
        size=table.size[kept],
        labelled=table.positive[kept],
        positive=best.chosen[kept],
        score=best.score[kept],
        degenerate=table.degenerate[kept],
        mean=np.stack([mixtures[i].mean for i in kept]),
        factor=np.stack([mixtures[i].factor[:, *below] for i in kept]).astype(precision),
        constant=np.stack([mixtures[i].constant for i in kept]),
        scaling=None if problem.scaling is None else problem.scaling.of_columns(support),
    )


def score_features(
    settings: Settings, engine: Engine, support: BoolArray, seeds: IntArray, target: int = 0
) -> FloatArray:
    """Cluster some features once per seed and return the scores."""
    table = engine.cluster(np.repeat(support[None, :], len(seeds), axis=0), seeds, np.full(len(seeds), target))
    preset = settings.preset
    return best_clusters(table.evident_size, table.positive, preset.cluster_choice, preset.smoothing).score


def known_rows(y: ArrayLike, label: object, n_rows: int) -> BoolArray:
    """Return which rows have a label; unlike in `fit`, none or all of them may."""
    labels = np.asarray(without_missing(y, label))
    if labels.shape == (n_rows, 1):  # as in `fit`
        labels = labels[:, 0]
    if labels.shape != (n_rows,):
        raise ValueError(f"y must hold one label for each of the {n_rows} rows of X, got shape {labels.shape}")
    return equal_to(labels, label)
