"""ES-MCRFS: an agent learns which features to take from the accuracy of a random forest."""

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.parameters import check_choice, check_max_time, check_number
from puselect.search.progress import LOG_SECONDS, Deadline, Throttle
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.agent import Agent

FIRST_EPSILON, LAST_EPSILON = 0.5, 0.2  # share of random actions in walks, at the first and at the last step
FEWEST_WALKS = 20  # after which the time of all walks can be told
CLEARLY_LATE = 1.1  # so many times more time than walks is gone

logger = logging.getLogger("puselect")


class ESMCRFS(RankingSelector):
    """ES-MCRFS: Monte Carlo reinforced feature selection with early stopping.

    An agent visits the features one by one and takes or skips each. The reward of a walk is the accuracy of a random
    forest that separates labelled from unlabelled rows with the features taken. A small network learns the value of
    both actions from walks of an exploring policy, with importance weights towards a greedier one. Walks whose weight
    has become small are stopped at random; those that continue gain the weight of the stopped ones. The result is the
    last walk that took exactly the wanted number of features, or else the features of highest score.

    Only the idea and the numbers of network and search are published; the rest is reconstructed. A step is one walk and
    one forest. The state holds statistics of the columns taken, of the column at hand, how far the walk is and how much
    is taken. The reward is the accuracy on a quarter of the rows after training on the others, and comes at the end,
    undiscounted. Random actions are 10 % in the policy valued, 50 % falling to 20 % in the one that walks, and
    walks of weight below 0.5 may be stopped. Features come in random order (`order`), as late ones are seldom reached.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    max_iter : int, default=6000
        Number of walks, each with one forest.
    max_time : float, optional
        The most seconds that the walks may take. Where they would take longer, the share of random actions falls with
        the time instead of the number of walks.
    n_estimators : int, default=100
        Trees of a forest.
    max_samples : int, optional
        With more rows than this, forests see a sample: labelled rows (up to half of it) and random others.
    order : {"random", "history"}, default="random"
        Features in random order, or those taken often or seen seldom first (an upper confidence bound).
    batch_size : int, default=8
        Decisions learned from in one step.
    learning_rate : float, default=1e-3
        Of Adam.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Threads of a forest.
    random_state : int, RandomState or None, default=None
        Seed of the walks, the network and the forests.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        How much more taking the feature was worth than skipping it, mean of the last 200 visits; 2 more for the
        features of the answer, -2 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_iter_ : int
        Walks done.
    timed_out_ : bool
        Whether `max_time` ended the walks.
    exact_ : bool
        Whether a walk took exactly the wanted number of features.
    n_forests_ : int
        Forests trained; walks that took the same features share one.

    References
    ----------
    K. Liu, P. Wang, D. Wang, W. Du, D. O. Wu and Y. Fu, "Efficient Reinforced Feature Selection via Early Stopping
    Traverse Strategy", ICDM 2021.

    Examples
    --------
    >>> from puselect_paper.baselines import ESMCRFS
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/1/1", n_negative=80, n_positive=40, random_state=0)
    >>> selector = ESMCRFS(max_iter=20, n_estimators=5, random_state=0).fit(X, y)
    >>> int(selector.get_support().sum()), selector.n_forests_ <= 20
    (25, True)
    """

    exact_: bool
    timed_out_: bool
    n_iter_: int
    n_forests_: int

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        max_iter: int = 6000,
        max_time: float | None = None,
        n_estimators: int = 100,
        max_samples: int | None = None,
        order: str = "random",
        batch_size: int = 8,
        learning_rate: float = 1e-3,
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_iter = max_iter
        self.max_time = max_time
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.order = order
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: RankingTask) -> FloatArray:
        self._check()
        varies = np.ptp(task.X, axis=0) > 0
        scores = np.full(len(varies), -2.0)
        self.exact_, self.timed_out_, self.n_iter_, self.n_forests_ = False, False, 0, 0
        if varies.any():
            scores[varies] = self._search(task, np.flatnonzero(varies))
        return scores

    def _check(self) -> None:
        for name in ("max_iter", "n_estimators", "batch_size"):
            check_number(name, getattr(self, name), 1, integer=True)
        check_max_time(self.max_time)
        if self.max_samples is not None:
            check_number("max_samples", self.max_samples, 4, integer=True)
        check_choice("order", self.order, ("random", "history"))
        check_number("learning_rate", self.learning_rate, 0, open_low=True)

    def _search(self, task: RankingTask, columns: IntArray) -> FloatArray:
        """Return the scores of `columns`, none of which is constant."""
        rows = capped_rows(task.positive, self.max_samples, task.rng)
        X, positive = task.X[np.ix_(rows, columns)], task.positive[rows]
        n_select = min(task.n_select, len(columns))
        reward = ForestReward(X, positive, self.n_estimators, self.n_jobs, task)
        agent = Agent(X, n_select, self.order, self.learning_rate, task.rng)
        answer = np.zeros(len(columns), dtype=bool)
        due, deadline = Throttle(LOG_SECONDS), Deadline(self.max_time)
        for step in range(self.max_iter):
            self.timed_out_ = deadline.is_too_close(0)
            if self.timed_out_:
                break
            walk = agent.walk(walking_epsilon(share_done(step, self.max_iter, deadline)))
            value = reward(walk.mask)
            agent.learn(walk, value, self.batch_size)
            if walk.mask.sum() == n_select:
                answer = walk.mask
            if due():
                logger.info("walk %d/%d, reward %.4f, %d forests", step + 1, self.max_iter, value, len(reward.known))
            self.n_iter_ = step + 1
        self.exact_, self.n_forests_ = bool(answer.any()), len(reward.known)
        return agent.advantages() + np.where(answer, 2.0, 0.0)


def capped_rows(positive: BoolArray, max_samples: int | None, rng: np.random.Generator) -> IntArray:
    """Return the rows to use: all, or labelled ones up to half of `max_samples` and random others."""
    if max_samples is None or len(positive) <= max_samples:
        return np.arange(len(positive))
    labelled = rng.permutation(np.flatnonzero(positive))[: max_samples // 2]
    others = rng.permutation(np.flatnonzero(~positive))[: max_samples - len(labelled)]
    return np.concatenate([labelled, others])


def share_done(step: int, max_iter: int, deadline: Deadline) -> float:
    """Return how far the walks are, 0 to 1: by their number, or by the time if that will end them clearly before."""
    by_number = step / max(max_iter - 1, 1)
    will_be_cut = step >= FEWEST_WALKS and deadline.share > CLEARLY_LATE * by_number
    return min(deadline.share, 1.0) if will_be_cut else by_number


def walking_epsilon(share: float) -> float:
    """Return the share of random actions when a share of the walks is done, falling linearly."""
    return FIRST_EPSILON + (LAST_EPSILON - FIRST_EPSILON) * share


class ForestReward:
    """Reward of a mask: the accuracy of a random forest on a quarter of the rows, trained on the others.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    positive : ndarray of bool, shape (n_rows,)
    n_estimators : int
    n_jobs : int or None
    task : RankingTask
        Provides the split and the seed, the same for all masks.
    """

    def __init__(
        self, X: NDArray[np.float64], positive: BoolArray, n_estimators: int, n_jobs: int | None, task: RankingTask
    ) -> None:
        self.X = X.astype(np.float32)  # as the trees want it
        self.positive = positive
        self.trained, self.scored = split_rows(positive, task.rng)
        self.forest = RandomForestClassifier(n_estimators, random_state=task.seed, n_jobs=n_jobs)
        self.known: dict[bytes, float] = {}

    def __call__(self, mask: BoolArray) -> float:
        """Return the accuracy with the columns of `mask`, 0 without any."""
        if not mask.any():
            return 0.0
        key = np.packbits(mask).tobytes()
        if key not in self.known:
            X = self.X[:, mask]
            forest = self.forest.fit(X[self.trained], self.positive[self.trained])
            self.known[key] = float(forest.score(X[self.scored], self.positive[self.scored]))
        return self.known[key]


def split_rows(positive: BoolArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return three quarters of the rows and the rest, drawn at random with equal shares of labelled rows.

    Unlike a stratified `train_test_split`, it works with a single labelled row.
    """
    order = rng.permutation(len(positive))
    order = order[np.argsort(positive[order], kind="stable")]
    scored = np.arange(len(order)) % 4 == 1
    return order[~scored], order[scored]
