"""A small network for the values of two actions, in NumPy: too small to need a deep-learning library."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from puselect.arrays import FloatArray, IntArray

HIDDEN = (64, 8)
LEARNING_RATE = 1e-3  # of Adam, as published
DECAY = (0.9, 0.999)  # of Adam's two moments
TINY = 1e-8


class Batch(NamedTuple):
    """Decisions and their returns."""

    states: FloatArray
    """Shape (n_decisions, n_inputs)."""
    actions: IntArray
    """0 or 1, shape (n_decisions,)."""
    returns: FloatArray
    """In [0, 1], shape (n_decisions,)."""
    weights: FloatArray
    """Importance of each decision, shape (n_decisions,)."""


class QNetwork:
    """Two tanh layers and two sigmoid outputs: the values of action 0 and of action 1.

    Parameters
    ----------
    n_inputs : int
    rng : Generator
        Draws the first parameters.

    Examples
    --------
    >>> network = QNetwork(3, np.random.default_rng(0))
    >>> batch = Batch(np.ones((1, 3)), np.array([1]), np.array([0.9]), np.ones(1))
    >>> for _ in range(3000):
    ...     network.learn(batch)
    >>> round(float(network(np.ones(3))[1]), 2)
    0.9
    """

    def __init__(self, n_inputs: int, rng: np.random.Generator) -> None:
        self.parameters: list[FloatArray] = []
        sizes = (n_inputs, *HIDDEN, 2)
        for inputs, outputs in pairwise(sizes):
            reach = np.sqrt(6 / (inputs + outputs))
            self.parameters += [rng.uniform(-reach, reach, (inputs, outputs)), np.zeros(outputs)]
        self._moments = [(np.zeros_like(p), np.zeros_like(p)) for p in self.parameters]
        self._n_steps = 0

    def __call__(self, states: FloatArray) -> FloatArray:
        """Return the values of both actions, shape (..., 2)."""
        return forward(self.parameters, states)[-1]

    def learn(self, batch: Batch) -> None:
        """Make one step of Adam towards the returns."""
        self._n_steps += 1
        fade = [1 - decay**self._n_steps for decay in DECAY]
        gradients = loss_gradient(self.parameters, batch)
        for parameter, gradient, (mean, square) in zip(self.parameters, gradients, self._moments, strict=True):
            mean += (1 - DECAY[0]) * (gradient - mean)
            square += (1 - DECAY[1]) * (gradient**2 - square)
            parameter -= LEARNING_RATE * (mean / fade[0]) / (np.sqrt(square / fade[1]) + TINY)


def forward(parameters: list[FloatArray], states: FloatArray) -> list[FloatArray]:
    """Return what each layer puts out: the inputs, the two hidden layers, the two values."""
    to_first, first_bias, to_second, second_bias, to_values, value_bias = parameters
    first = np.tanh(states @ to_first + first_bias)
    second = np.tanh(first @ to_second + second_bias)
    return [states, first, second, expit(second @ to_values + value_bias)]


def loss(parameters: list[FloatArray], batch: Batch) -> float:
    """Return the mean squared error of the values of the actions taken, weighted by importance."""
    values = forward(parameters, batch.states)[-1][np.arange(len(batch.actions)), batch.actions]
    return float(np.mean(batch.weights * (values - batch.returns) ** 2))


def loss_gradient(parameters: list[FloatArray], batch: Batch) -> list[FloatArray]:
    """Return the derivatives of the loss, in the order of the parameters."""
    layers = forward(parameters, batch.states)
    rows, values = np.arange(len(batch.actions)), layers[-1]
    error = np.zeros_like(values)
    taken = values[rows, batch.actions]
    slope = taken * (1 - taken)  # of the sigmoid
    error[rows, batch.actions] = 2 * batch.weights * (taken - batch.returns) * slope / len(rows)
    gradients: list[FloatArray] = []
    for W, inputs in zip(parameters[-2::-2], layers[-2::-1], strict=True):
        gradients[:0] = [inputs.T @ error, error.sum(axis=0)]
        error = (error @ W.T) * (1 - inputs**2)  # of tanh; unused for the inputs of the network
    return gradients
