"""The model of rows in plain values, so that a saved result can rank the rows of another table."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from puselect.arrays import AnyArray, FloatArray
from puselect.fscpu.final_clusters import Clusterings
from puselect.fscpu.row_model import ClassPrior, ColumnWeights, RowModel
from puselect.scaling import ColumnRanges, RobustScaling, Scaling

MOST_NUMBERS = 200_000
SCALINGS: dict[str, type[ColumnRanges] | type[RobustScaling]] = {"range": ColumnRanges, "robust": RobustScaling}
Row = tuple[float, ...]


@dataclass(frozen=True)
class SavedClustering:
    """One mixture of Gaussians over the selected features, scaled."""

    size: Row
    """Rows in each cluster."""
    labelled: Row
    """Labelled rows in each cluster."""
    positive: tuple[bool, ...]
    """Whether it is taken as positive."""
    mean: tuple[Row, ...]
    """One per cluster."""
    factor: tuple[Row, ...]
    """Lower triangle of the inverse Cholesky factor of each covariance, row by row."""
    constant: tuple[float | None, ...]
    """-2 log(weight x determinant of the factor); null for an empty cluster. A row belongs to the cluster with the
    lowest squared length of factor x (row - mean), plus this."""


@dataclass(frozen=True)
class Model:
    """What ranks rows; see `puselect.fscpu.row_model.RowModel`."""

    features: tuple[str, ...]
    """The selected features, in the order of the table."""
    scaling: str
    """"range", "robust" or "none"."""
    scales: tuple[Row, ...]
    """Half of the lowest value and half of the range of each feature; or, robust, half of what maps to 0.5, and of the
    distances from there to what maps to 0 and to 1."""
    clusterings: tuple[SavedClustering, ...]
    slope: Row
    """Weight of each feature, scaled."""
    edges: tuple[Row, ...]
    """Between the bins of each feature, scaled."""
    steps: tuple[Row, ...]
    """Weight of each bin. A row's score is slope x row, plus the weights of its bins, plus the logit of the mean share
    of labelled rows in its clusters: (labelled + r / 2) / (size + 1 / 2), where r is the share in all clusters."""
    cuts: Row
    """Scores between the lifts, highest first."""
    lifts: Row
    prior: ClassPrior

    @classmethod
    def of(cls, model: RowModel | None, features: tuple[str, ...]) -> Self | None:
        """Return the model with as many clusterings as are not too large for a file; None if not even one is."""
        if model is None:
            return None
        final, columns = model.clusterings, model.columns
        each = int(np.prod(final.mean.shape[1:]) + np.prod(final.factor.shape[1:]))
        n_kept = min(len(final.size), MOST_NUMBERS // each)
        if not n_kept:
            return None
        scaling: Any = final.scaling  # a NamedTuple, whichever it is
        kind = next((name for name, kind in SCALINGS.items() if isinstance(scaling, kind)), "none")
        return cls(
            features=features,
            scaling=kind,
            scales=() if scaling is None else tuple(_row(values) for values in scaling),
            clusterings=tuple(
                SavedClustering(
                    _row(final.size[i]),
                    _row(final.labelled[i]),
                    tuple(bool(taken) for taken in final.positive[i]),
                    tuple(map(_row, final.mean[i])),
                    tuple(map(_row, final.factor[i])),
                    tuple(float(value) if np.isfinite(value) else None for value in final.constant[i]),
                )
                for i in range(n_kept)
            ),
            slope=_row(columns.slope),
            edges=tuple(map(_row, columns.edges)),
            steps=tuple(map(_row, columns.steps)),
            cuts=_row(model.cuts),
            lifts=_row(model.lifts),
            prior=model.prior,
        )

    def restore(self) -> RowModel:
        """Return the model; what does not matter for placing rows is 0."""
        saved = self.clusterings
        constants = [[np.inf if value is None else value for value in one.constant] for one in saved]
        clusterings = Clusterings(
            size=_array([one.size for one in saved]),
            labelled=_array([one.labelled for one in saved]),
            positive=np.array([one.positive for one in saved]),
            score=np.zeros(len(saved)),
            degenerate=np.zeros(len(saved), dtype=bool),
            mean=_array([one.mean for one in saved]),
            factor=_array([one.factor for one in saved]),
            constant=_array(constants),
            scaling=self._scaling(),
        )
        columns = ColumnWeights(_array(self.slope), _array(self.edges), _array(self.steps))
        return RowModel(clusterings, columns, _array(self.cuts), _array(self.lifts), self.prior)

    def _scaling(self) -> Scaling | None:
        return None if self.scaling == "none" else SCALINGS[self.scaling](*map(np.array, self.scales))


def _row(values: AnyArray) -> Row:
    return tuple(map(float, values))


def _array(values: object) -> FloatArray:
    return np.asarray(values, dtype=np.float64)
