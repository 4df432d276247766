"""The agent of ES-MCRFS: visits the features, remembers its decisions and learns from their rewards."""

from typing import NamedTuple

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect_paper.baselines.q_network import Batch, QNetwork

TARGET_EPSILON = 0.1  # share of random actions in the policy that is valued
STOP_BELOW = 0.5  # delta: a walk of smaller importance may be stopped
MEMORY = 2000  # decisions
BATCH_SIZE = 8  # decisions learned from in one step, as published
RECENT = 200  # visits of a feature that make its advantage
N_STATISTICS = 8
N_INPUTS = N_STATISTICS**2 + N_STATISTICS + 2


class Walk(NamedTuple):
    """One pass over the features, up to where it stopped."""

    mask: BoolArray
    """The features taken, shape (n_features,)."""
    visited: IntArray
    """The features in the order they came, shape (n_visits,)."""
    states: FloatArray
    """What the agent saw, shape (n_visits, N_INPUTS)."""
    actions: IntArray
    """1 where it took the feature, shape (n_visits,)."""
    weights: FloatArray
    """Importance of each decision, shape (n_visits,)."""
    advantages: FloatArray
    """Value of taking minus value of skipping, shape (n_visits,)."""


class Agent:
    """Takes or skips features one by one.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    n_select : int
        How many features are wanted; the agent only sees how far it is.
    rng : Generator
    """

    def __init__(self, X: FloatArray, n_select: int, rng: np.random.Generator) -> None:
        self.columns = describe(X, 1.0).T
        self.n_select = n_select
        self.rng = rng
        self.network = QNetwork(N_INPUTS, rng)
        self.memory = Batch(np.zeros((MEMORY, N_INPUTS)), np.zeros(MEMORY, int), np.zeros(MEMORY), np.zeros(MEMORY))
        self.n_decisions = 0
        n_features = X.shape[1]
        self.n_visits = np.zeros(n_features, dtype=int)
        self.recent = np.zeros((n_features, RECENT))

    def walk(self, epsilon: float) -> Walk:
        """Return a walk with the share `epsilon` of random actions."""
        n_features = len(self.n_visits)
        features = self.rng.permutation(n_features)
        mask = np.zeros(n_features, dtype=bool)
        states, actions = np.empty((n_features, N_INPUTS)), np.zeros(n_features, dtype=int)
        weights, advantages = np.empty(n_features), np.empty(n_features)
        taken, weight, stopped, t = np.zeros(N_STATISTICS**2), 1.0, False, 0
        while t < n_features and not stopped:
            feature = features[t]
            states[t] = *taken, *self.columns[feature], t / n_features, mask.sum() / self.n_select
            skip, take = self.network(states[t])
            is_greedy = self.rng.random() >= epsilon / 2
            actions[t] = (take > skip) == is_greedy
            weight *= importance_ratio(is_greedy, epsilon)
            weights[t], advantages[t] = weight, take - skip
            if actions[t]:
                mask[feature] = True
                taken = describe(self.columns[mask], mask.mean()).ravel()
            stopped, weight = russian_roulette(weight, self.rng.random())
            t += 1
        return Walk(mask, features[:t], states[:t], actions[:t], weights[:t], advantages[:t])

    def learn(self, walk: Walk, value: float) -> None:
        """Remember a walk and its reward, and learn from a random batch of remembered decisions."""
        memory = self.memory
        slots = (self.n_decisions + np.arange(len(walk.actions))) % MEMORY
        memory.states[slots], memory.actions[slots] = walk.states, walk.actions
        memory.returns[slots], memory.weights[slots] = value, walk.weights
        self.n_decisions += len(slots)
        self.recent[walk.visited, self.n_visits[walk.visited] % RECENT] = walk.advantages
        self.n_visits[walk.visited] += 1
        drawn = self.rng.integers(min(self.n_decisions, MEMORY), size=BATCH_SIZE)
        weights = memory.weights[drawn] / memory.weights[drawn].mean()
        self.network.learn(Batch(memory.states[drawn], memory.actions[drawn], memory.returns[drawn], weights))

    def advantages(self) -> FloatArray:
        """Return the mean advantage of each feature at its last visits; 0 if it had none."""
        return np.asarray(self.recent.sum(axis=1) / np.clip(self.n_visits, 1, RECENT))


def importance_ratio(is_greedy: bool, epsilon: float) -> float:
    """Return how much more probable an action is in the policy valued than in one with `epsilon` random actions."""
    if is_greedy:
        return (1 - TARGET_EPSILON / 2) / (1 - epsilon / 2)
    return TARGET_EPSILON / epsilon


def russian_roulette(weight: float, chance: float) -> tuple[bool, float]:
    """Return whether a walk is stopped, and its weight if not: in expectation over `chance` the weight stays.

    Examples
    --------
    >>> russian_roulette(0.2, chance=0.3), russian_roulette(0.2, chance=0.9), russian_roulette(0.7, chance=0.3)
    ((True, 0.0), (False, 0.5), (False, 0.7))
    """
    if weight >= STOP_BELOW:
        return False, weight
    stopped = chance < 1 - weight / STOP_BELOW
    return stopped, 0.0 if stopped else STOP_BELOW


def describe(table: FloatArray, count: float) -> FloatArray:
    """Return `count`, mean, standard deviation, minimum, quartiles and maximum of each column, shape (8, n_columns).

    Examples
    --------
    >>> describe(np.array([[0.0], [1.0], [2.0], [5.0]]), 0.5).round(2).ravel().tolist()
    [0.5, 2.0, 1.87, 0.0, 0.75, 1.5, 2.75, 5.0]
    """
    ordered = np.sort(table, axis=0)
    places = np.array([0.0, 0.25, 0.5, 0.75, 1.0]) * (len(table) - 1)
    lower = places.astype(int)
    upper = np.minimum(lower + 1, len(table) - 1)
    quantiles = ordered[lower] + (places - lower)[:, None] * (ordered[upper] - ordered[lower])
    return np.vstack([np.full(table.shape[1], count), table.mean(axis=0), table.std(axis=0), quantiles])
