import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from puselect.search.igo import BernoulliIGO
from puselect.search.loop import rank_utilities
from puselect.search.repair import Repair


class NoRepair(Repair):
    """Leaves masks as they were drawn."""

    def repaired(self, masks, clocks):
        return masks.copy()


def optimizer(theta, population_size=2, learning_rate=0.05, margin=0.1, seed=0, repair=None):
    theta = np.asarray(theta)
    return BernoulliIGO(
        theta, population_size, learning_rate, margin, repair or NoRepair(np.ones(len(theta)), len(theta)), seed
    )


def test_two_masks_give_the_update_of_algorithm_2():
    theta = np.array([0.5, 0.3, 0.6, 0.2])
    masks = np.array([[1, 0, 1, 0], [0, 1, 1, 0]], dtype=bool)
    for values, sign in (([2.0, 1.0], 1), ([1.0, 2.0], -1), ([1.0, 1.0], 0)):
        igo = optimizer(theta)
        igo.tell(masks, np.array(values))
        expected = np.clip(theta + 0.05 * sign * (masks[0].astype(int) - masks[1]), 0.1, 0.9)
        np.testing.assert_allclose(igo.theta, expected)


def test_probabilities_stay_within_the_margins():
    igo = optimizer([0.0, 1.0, 0.5])
    assert igo.theta.tolist() == [0.1, 0.9, 0.5]
    for _ in range(30):
        igo.tell(np.array([[0, 1, 1], [1, 0, 0]], dtype=bool), np.array([1.0, 0.0]))
    np.testing.assert_allclose(igo.theta, [0.1, 0.9, 0.9])


def test_masks_follow_the_probabilities():
    theta = np.array([0.1, 0.35, 0.8])
    masks = optimizer(theta, population_size=20_000).ask(0)
    np.testing.assert_allclose(masks.mean(axis=0), theta, atol=0.02)
    assert abs(np.corrcoef(masks.T.astype(float))[np.triu_indices(3, 1)]).max() < 0.03


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_utilities_sum_to_zero_and_follow_the_order(values):
    values = np.array(values)
    utilities = rank_utilities(values)
    assert abs(utilities.sum()) < 1e-9
    assert (np.sign(np.subtract.outer(utilities, utilities)) == np.sign(np.subtract.outer(values, values))).all()


def test_masks_are_repaired_and_the_same_whenever_they_are_asked_for():
    igo = optimizer(np.full(10, 0.5), population_size=6, repair=Repair(np.ones(10), 3))
    masks = igo.ask(4)
    assert (masks.sum(axis=1) == 3).all()
    assert not np.array_equal(igo.ask(5), masks)
    np.testing.assert_array_equal(igo.ask(4), masks)
