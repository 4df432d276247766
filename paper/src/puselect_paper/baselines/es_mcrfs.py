"""ES-MCRFS: an agent learns which features to take from the accuracy of a random forest."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.parameters import check_number
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.agent import Agent

FIRST_EPSILON, LAST_EPSILON = 0.5, 0.2  # share of random actions in walks, at the first and at the last step


class ESMCRFS(RankingSelector):
    """ES-MCRFS: Monte Carlo reinforced feature selection with early stopping.

    An agent visits the features one by one and takes or skips each. The reward of a walk is the accuracy of a random
    forest that separates labelled from unlabelled rows with the features taken. A small network learns the value of
    both actions from walks of an exploring policy, with importance weights towards a greedier one. Walks whose weight
    has become small are stopped at random; those that continue gain the weight of the stopped ones. The result is the
    last walk that took exactly the wanted number of features, or else the features of highest score.

    Only the idea and the numbers of network and search are published; the rest is reconstructed. A step is one walk and
    one forest. Features come in random order, as late ones are seldom reached. The state holds statistics of the
    columns taken and of the column at hand, how far the walk is and how much is taken. The reward is the accuracy on a
    quarter of the rows after training on the others, and comes at the end, undiscounted. Random actions are 10 % in the
    policy valued, 50 % falling to 20 % in the one that walks, and walks of weight below 0.5 may be stopped.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    max_iter : int, default=6000
        Number of walks, each with one forest.
    n_estimators : int, default=100
        Trees of a forest.
    n_jobs : int, optional
        Threads of a forest.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        How much more taking the feature was worth than skipping it, mean of the last 200 visits; 2 more for the
        features of the answer, -2 for constant columns.
    n_iter_ : int
        Walks done.
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
    n_forests_: int
    n_iter_: int

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        max_iter: int = 6000,
        n_estimators: int = 100,
        pos_label: object = 1,
        n_jobs: int | None = None,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.max_iter = max_iter
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

    def _score(self, task: RankingTask) -> FloatArray:
        check_number("max_iter", self.max_iter, 1, integer=True)
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        varies = np.ptp(task.X, axis=0) > 0
        scores = np.full(len(varies), -2.0)
        self.exact_, self.n_forests_, self.n_iter_ = False, 0, self.max_iter
        if varies.any():
            scores[varies] = self._search(task, np.flatnonzero(varies))
        return scores

    def _search(self, task: RankingTask, columns: IntArray) -> FloatArray:
        """Return the scores of `columns`, none of which is constant."""
        X = task.X[:, columns]
        n_select = min(task.n_select, len(columns))
        reward = ForestReward(X, task.positive, self.n_estimators, self.n_jobs, task)
        agent = Agent(X, n_select, task.rng)
        answer = np.zeros(len(columns), dtype=bool)
        for step in range(self.max_iter):
            walk = agent.walk(walking_epsilon(step / max(self.max_iter - 1, 1)))
            agent.learn(walk, reward(walk.mask))
            if walk.mask.sum() == n_select:
                answer = walk.mask
        self.exact_, self.n_forests_ = bool(answer.any()), len(reward.known)
        return agent.advantages() + np.where(answer, 2.0, 0.0)


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
        self, X: FloatArray, positive: BoolArray, n_estimators: int, n_jobs: int | None, task: RankingTask
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
