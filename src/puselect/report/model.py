"""The model of rows in plain values, so that a saved result can rank the rows of another table."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from puselect.arrays import FloatArray
from puselect.fscpu.final_clusters import Clusterings
from puselect.fscpu.row_model import ClassPrior, ColumnWeights, RowModel
from puselect.scaling import ColumnRanges, NormalScores, RobustScaling, Scaling

MOST_NUMBERS = 200_000
SCALINGS: dict[type, str] = {ColumnRanges: "range", RobustScaling: "robust"}
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
    distance from there to what maps to 1."""
    curves: tuple[tuple[Row, ...], ...]
    """Robust: for each feature with a long tail, values that were mapped so, and what they are replaced by, with lines
    between them; empty for other features, which are cut off at 0 and 1."""
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
    """Weight of each feature, scaled."""
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
        parts: Any = final.scaling or ()  # a NamedTuple, whichever it is
        return cls(
            features=features,
            scaling=SCALINGS.get(type(final.scaling), "none"),
            scales=_tuples(parts[:2]),
            curves=_tuples([(each.knots, each.scores) if each else () for curves in parts[2:] for each in curves]),
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
            scaling=self._restored_scaling(),
        )
        columns = ColumnWeights(_array(self.slope), _array(self.edges), _array(self.steps))
        return RowModel(clusterings, columns, _array(self.cuts), _array(self.lifts), self.prior)

    def _restored_scaling(self) -> Scaling | None:
        if self.scaling == "none":
            return None
        first, second = map(_array, self.scales)
        if self.scaling == "range":
            return ColumnRanges(first, second)
        curves = [NormalScores(*map(_array, curve)) if curve else None for curve in self.curves]
        return RobustScaling(first, second, np.array(curves, dtype=object))


def _tuples(values: Any) -> Any:
    """Return an array, or several, as nested tuples of plain values."""
    if isinstance(values, np.ndarray | np.generic):
        values = values.tolist()
    return tuple(map(_tuples, values)) if isinstance(values, list | tuple) else values


def _array(values: object) -> FloatArray:
    return np.asarray(values, dtype=np.float64)
