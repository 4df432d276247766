"""The model of rows in plain values, so that a saved result can rank the rows of another table."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from puselect.arrays import FloatArray
from puselect.fscpu.final_clusters import Clusterings
from puselect.fscpu.row_model import ClassPrior, ColumnWeights, RowModel
from puselect.scaling import ColumnRanges, RobustScaling

MOST_NUMBERS = 200_000
SCALINGS: dict[str, type[ColumnRanges] | type[RobustScaling]] = {"range": ColumnRanges, "robust": RobustScaling}
Row = tuple[float, ...]


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
    size: tuple[Row, ...]
    """Rows in each cluster of each clustering, a mixture of Gaussians over the selected features, scaled."""
    labelled: tuple[Row, ...]
    """Labelled rows in each."""
    positive: tuple[tuple[bool, ...], ...]
    """Whether it is taken as positive."""
    mean: tuple[tuple[Row, ...], ...]
    factor: tuple[tuple[Row, ...], ...]
    """Lower triangle of the inverse Cholesky factor of each covariance, row by row."""
    constant: tuple[tuple[float | None, ...], ...]
    """-2 log(weight x determinant of the factor); null for an empty cluster. A row belongs to the cluster with the
    lowest squared length of factor x (row - mean), plus this."""
    slope: Row
    """Weight of each feature; scaled, and beyond 0 and 1 in logarithms: 1 + log(2 x - 1) / 2 for x above 1."""
    edges: tuple[Row, ...]
    """Between the bins of each feature, scaled alike."""
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
        final = model.clusterings
        n = MOST_NUMBERS // int(np.prod(final.mean.shape[1:]) + np.prod(final.factor.shape[1:]))
        if not n:
            return None
        scaling: Any = final.scaling  # a NamedTuple, whichever it is
        return cls(
            features=features,
            scaling=next((name for name, kind in SCALINGS.items() if isinstance(scaling, kind)), "none"),
            scales=_tuples(scaling or ()),
            **{name: _tuples(getattr(final, name)[:n]) for name in ("size", "labelled", "positive", "mean", "factor")},
            constant=_tuples([[value if np.isfinite(value) else None for value in row] for row in final.constant[:n]]),
            **{name: _tuples(values) for name, values in model.columns._asdict().items()},
            cuts=_tuples(model.cuts),
            lifts=_tuples(model.lifts),
            prior=model.prior,
        )

    def restore(self) -> RowModel:
        """Return the model; what does not matter for placing rows is 0."""
        clusterings = Clusterings(
            size=_array(self.size),
            labelled=_array(self.labelled),
            positive=np.array(self.positive),
            score=np.zeros(len(self.size)),
            degenerate=np.zeros(len(self.size), dtype=bool),
            mean=_array(self.mean),
            factor=_array(self.factor),
            constant=_array([[np.inf if value is None else value for value in row] for row in self.constant]),
            scaling=None if self.scaling == "none" else SCALINGS[self.scaling](*map(np.array, self.scales)),
        )
        columns = ColumnWeights(_array(self.slope), _array(self.edges), _array(self.steps))
        return RowModel(clusterings, columns, _array(self.cuts), _array(self.lifts), self.prior)


def _tuples(values: Any) -> Any:
    """Return an array, or several, as nested tuples of plain values."""
    if isinstance(values, np.ndarray | np.generic):
        values = values.tolist()
    return tuple(map(_tuples, values)) if isinstance(values, list | tuple) else values


def _array(values: object) -> FloatArray:
    return np.asarray(values, dtype=np.float64)
