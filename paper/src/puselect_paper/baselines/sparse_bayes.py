"""The model of JSFS: a logistic classifier with sparse priors on its weights and on the reliability of rows.

Letters are the paper's: w weights, lambda reliabilities, alpha and c their prior precisions, A = diag(alpha), B the
graph prior, mu the weight of an unlabelled row relative to a labelled one.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, log_expit

from puselect.arrays import BoolArray, FloatArray, IntArray

STEEPNESS = 5.0  # beta: of the sigmoid that stands for the step at 0 in the prior of the reliabilities
START_RELIABILITY = 0.5
START_PRECISION = 1e-3  # of weights and of reliabilities
MAX_PRECISION = 1e9
SMALL = 1e-3  # smaller weights and reliabilities are dropped; also ends a sweep's changes and Newton's method
NEWTON_STEPS = 10
MAX_HALVINGS = 30
MAX_MOVE = 0.5  # of a reliability in one step


class WeightedRows(NamedTuple):
    """The rows that count, and how much."""

    X: FloatArray
    """Shape (n_rows, n_features)."""
    y: FloatArray
    """Classes or pseudo-classes, 0 or 1, shape (n_rows,)."""
    share: FloatArray
    """1 for labelled rows, mu for others, shape (n_rows,)."""
    reliability: FloatArray
    """1 for labelled rows, lambda for others, shape (n_rows,)."""


class SparseModel(NamedTuple):
    """A fitted model."""

    weights: FloatArray
    """Shape (n_features,); 0 for dropped features."""
    alpha: FloatArray
    """Prior precision of each weight when last updated, shape (n_features,)."""
    dropped_at: IntArray
    """Sweep in which each feature was dropped, beyond the last for those that stayed, shape (n_features,)."""
    n_sweeps: int


def fit_sparse_bayes(
    X: FloatArray,
    y: FloatArray,
    labelled: BoolArray,
    B: FloatArray,
    mu: float,
    max_iter: int,
) -> SparseModel:
    """Return the classifier, fitted in turn with the reliabilities of unlabelled rows and with the priors."""
    n_rows, n_features = X.shape
    w, alpha = np.zeros(n_features), np.full(n_features, START_PRECISION)
    lam, c = np.where(labelled, 1.0, START_RELIABILITY), np.full(n_rows, START_PRECISION)
    share = np.where(labelled, 1.0, mu)
    rows, kept = np.arange(n_rows), np.arange(n_features)
    dropped_at = np.full(n_features, max_iter + 1)
    sweep = 0
    while sweep < max_iter and len(kept) > 0:
        sweep += 1
        sample = WeightedRows(X[np.ix_(rows, kept)], y[rows], share[rows], lam[rows])
        graph_prior = B[np.ix_(kept, kept)]
        new, covariance = maximise_weights(w[kept], sample, np.diag(alpha[kept]) + graph_prior)
        moved = np.abs(new - w[kept]).max()
        w[kept] = new

        loose = ~labelled[rows]
        others = rows[loose]
        lam[others], variance = maximise_reliability(lam[others], (sample.X @ new)[loose], y[others], c[others], mu)

        alpha[kept] = 1 / (new**2 + np.diag(covariance) + prior_reduction(alpha[kept], graph_prior))
        c[others] = 1 / (lam[others] ** 2 + variance)

        lost = (np.abs(new) < SMALL) | (alpha[kept] > MAX_PRECISION)
        dropped_at[kept[lost]], w[kept[lost]] = sweep, 0.0
        kept, rows = kept[~lost], rows[labelled[rows] | (lam[rows] >= SMALL)]
        if moved < SMALL:
            break
    return SparseModel(w, alpha, dropped_at, sweep)


def weight_objective(w: FloatArray, sample: WeightedRows, precision: FloatArray) -> float:
    """Return the log posterior of the weights, up to a constant."""
    z = sample.reliability * (sample.X @ w)
    return float(sample.share @ (sample.y * z + log_expit(-z)) - w @ precision @ w / 2)


def weight_derivatives(w: FloatArray, sample: WeightedRows, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the gradient of the log posterior of the weights, and minus its Hessian."""
    chance = expit(sample.reliability * (sample.X @ w))
    pull = sample.share * sample.reliability
    gradient = sample.X.T @ (pull * (sample.y - chance)) - precision @ w
    curvature = (sample.X.T * (pull * sample.reliability * chance * (1 - chance))) @ sample.X + precision
    return gradient, curvature


def maximise_weights(w: FloatArray, sample: WeightedRows, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the most probable weights, by damped Newton steps from `w`, and their covariance."""
    gradient, curvature = weight_derivatives(w, sample, precision)
    for _ in range(NEWTON_STEPS):
        if np.linalg.norm(gradient) < SMALL * len(w):
            break
        step = cho_solve(cho_factor(curvature), gradient)
        w = _climb(w, step, sample, precision)
        gradient, curvature = weight_derivatives(w, sample, precision)
    return w, cho_solve(cho_factor(curvature), np.eye(len(w)))


def _climb(w: FloatArray, step: FloatArray, sample: WeightedRows, precision: FloatArray) -> FloatArray:
    """Return w + step, or less of the step where that makes the weights no more probable."""
    before = weight_objective(w, sample, precision)
    for halving in range(MAX_HALVINGS):
        candidate = w + step * 0.5**halving
        if weight_objective(candidate, sample, precision) > before:
            return candidate
    return w


def reliability_objective(lam: FloatArray, p: FloatArray, y: FloatArray, c: FloatArray, mu: float) -> FloatArray:
    """Return the log posterior of each reliability, up to a constant; `p` is x'w."""
    z = lam * p
    return np.asarray(mu * (y * z + log_expit(-z)) - c * lam**2 / 2 + log_expit(STEEPNESS * lam))


def reliability_derivatives(
    lam: FloatArray, p: FloatArray, y: FloatArray, c: FloatArray, mu: float
) -> tuple[FloatArray, FloatArray]:
    """Return the first derivative of the log posterior of each reliability, and minus the second."""
    chance, above = expit(lam * p), expit(STEEPNESS * lam)
    gradient = mu * p * (y - chance) - c * lam + STEEPNESS * (1 - above)
    curvature = mu * p**2 * chance * (1 - chance) + c + STEEPNESS**2 * above * (1 - above)
    return gradient, curvature


def maximise_reliability(
    lam: FloatArray, p: FloatArray, y: FloatArray, c: FloatArray, mu: float
) -> tuple[FloatArray, FloatArray]:
    """Return the most probable reliabilities, by damped Newton steps from `lam`, and their variances."""
    gradient, curvature = reliability_derivatives(lam, p, y, c, mu)
    for _ in range(NEWTON_STEPS):
        candidate = np.maximum(lam + np.clip(gradient / curvature, -MAX_MOVE, MAX_MOVE), 0.0)
        before = reliability_objective(lam, p, y, c, mu)
        for _ in range(MAX_HALVINGS):
            worse = reliability_objective(candidate, p, y, c, mu) < before
            if not worse.any():
                break
            candidate = np.where(worse, (lam + candidate) / 2, candidate)
        else:
            candidate = np.where(worse, lam, candidate)
        moved = np.abs(candidate - lam).max(initial=0.0)
        lam = candidate
        gradient, curvature = reliability_derivatives(lam, p, y, c, mu)
        if moved < SMALL:
            break
    return lam, 1 / curvature


def prior_reduction(alpha: FloatArray, B: FloatArray) -> FloatArray:
    """Return the diagonal of A^-1 - (A + B)^-1 = A^-1 B (A + B)^-1: prior variance taken away by the graph."""
    joint = cho_solve(cho_factor(np.diag(alpha) + B), np.eye(len(alpha)))
    return np.asarray(np.einsum("ij,ji->i", B, joint) / alpha)
