"""What features are ranked by when the search is over."""

import numpy as np
import pytest

from puselect import FSCPU
from puselect.objective.evidence import DOUBT, NO_DIFFERENCE_ROOT, Evidence


def test_what_labelled_rows_say_beyond_doubt():
    labelled = np.array([0.0, (NO_DIFFERENCE_ROOT + DOUBT) ** 2, (NO_DIFFERENCE_ROOT + DOUBT + 4) ** 2])
    evidence = Evidence(labelled, labelled, labelled_weight=0.15, cotrained_weight=0.75, n_found=10)
    assert evidence.beyond_doubt == pytest.approx([0, 0, 0.6 * 4 / 2])


def test_it_counts_in_the_ranking(monkeypatch):
    """A column that labelled rows speak for, but not the rows that many others find."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 12)), np.arange(600) < 40
    X[:120, :8] += 1.5
    X[y, 8] += 1.0
    found = FSCPU(8, max_iter=20, random_state=0).fit(X, y)
    assert np.flatnonzero(found.evidence_.beyond_doubt[8:]).tolist() == [0]
    monkeypatch.setattr(Evidence, "beyond_doubt", property(lambda self: 100.0 * (np.arange(len(self.labelled)) == 11)))
    other = FSCPU(8, max_iter=20, random_state=0).fit(X, y)
    assert other.ranking_[11] < found.ranking_[11]


def test_nothing_is_beyond_doubt_on_shuffled_labels():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(800, 20)), np.arange(800) < 40
    assert FSCPU(5, max_iter=5, random_state=0).fit(X, y).evidence_.beyond_doubt.max() < 0.1
