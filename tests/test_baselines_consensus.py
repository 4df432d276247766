"""Consensus: ranks of its parts, two of one and one of the other."""

from functools import partial

import numpy as np
import pytest
from ranking_contract import RankingContract, small_table

from puselect import FSCPU
from puselect.baselines import Consensus, PUBagging, consensus


class TestConsensus(RankingContract):
    @pytest.fixture(autouse=True)
    def quick_parts(self, monkeypatch):
        monkeypatch.setattr(consensus, "FSCPU", partial(FSCPU, max_iter=3))
        monkeypatch.setattr(consensus, "PUBagging", partial(PUBagging, n_estimators=5))

    def make(self, n_features_to_select=None, **options):
        return Consensus(n_features_to_select, **options)


class Fixed:
    """A part with a given ranking."""

    def __init__(self, ranking):
        self.ranking_ = np.array(ranking)

    def __call__(self, k, random_state):
        return self

    def fit(self, X, y):
        return self


def test_the_default_counts_twice_and_bagging_once(monkeypatch):
    monkeypatch.setattr(consensus, "FSCPU", Fixed([1, 2, 3, 4]))
    monkeypatch.setattr(consensus, "PUBagging", Fixed([4, 1, 2, 3]))
    X, y, _ = small_table(n_relevant=2, n_irrelevant=2)
    found = Consensus(2, random_state=0).fit(X, y)
    wanted = np.log(4) - np.log([1 * 1 * 4, 2 * 2 * 1, 3 * 3 * 2, 4 * 4 * 3]) / 3
    np.testing.assert_allclose(found.scores_, wanted)
    np.testing.assert_array_equal(found.get_support(), [True, True, False, False])
