import numpy as np
import pytest

from puselect.engines.mixture import MixtureSpec
from puselect.engines.sample import start_rows


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_start_rows_are_different_and_the_wanted_share_is_labelled(share):
    positive = np.arange(400) < 200
    spec = MixtureSpec(labelled_start=share)
    counts = []
    for seed in range(200):
        rows = start_rows(positive, spec, seed)
        assert len(set(rows.tolist())) == 10
        counts.append(positive[rows].sum())
    assert min(counts) >= round(share * 10)
    if share == 0:
        assert np.mean(counts) == pytest.approx(5, abs=0.3)


def test_start_rows_when_there_are_few():
    positive = np.array([True, False, False])
    assert sorted(start_rows(positive, MixtureSpec(), 0).tolist()) == [0, 1, 2]
