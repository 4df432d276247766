
import numpy as np
import pytest

from puselect import FSCPU


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.random((60, 6)), np.arange(60) < 15


def test_a_function_is_called_after_every_step_and_changes_nothing(data):
    steps = []
    settings = {"max_iter": 5, "random_state": 0}
    watched = FSCPU(3, **settings).set_callbacks(steps.append).fit(*data)
    assert [step.number for step in steps] == [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(watched.probabilities_, FSCPU(3, **settings).fit(*data).probabilities_)


def test_a_function_that_returns_true_ends_the_search(data):
    assert FSCPU(3, random_state=0).set_callbacks(lambda step: step.number == 2).fit(*data).n_iter_ == 2


def test_later_callbacks_replace_earlier_ones_and_an_error_leaves_no_observer(data):
    steps = []

    def broken(step):
        raise RuntimeError("broken")

    selector = FSCPU(3, max_iter=3, random_state=0).set_callbacks(broken)
    with pytest.raises(RuntimeError):
        selector.fit(*data)
    selector.set_callbacks(steps.append).fit(*data)
    assert len(steps) == selector.n_iter_
    FSCPU(3, max_iter=3, random_state=0).fit(*data)
    assert len(steps) == selector.n_iter_
