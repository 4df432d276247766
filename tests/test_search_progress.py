import numpy as np
import pytest

from puselect import FSCPU
from puselect.search.progress import Step, watching

X = np.random.default_rng(0).random((60, 6))
Y = np.arange(60) < 12


def search():
    return FSCPU(3, max_iter=6, random_state=0)


def test_an_observer_sees_every_step_and_changes_nothing():
    steps, same = [], []
    with watching(steps.append), watching(same.append):
        watched = search().fit(X, Y)
    assert steps == same
    alone = search().fit(X, Y)
    assert np.array_equal(watched.probabilities_, alone.probabilities_)
    assert watched.objective_ == alone.objective_
    assert [step.number for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [step.best for step in steps] == alone.history_.best.tolist()
    assert steps[-1].settled == alone.settled_
    assert steps[0].seconds_left == np.inf
    assert steps[-1].seconds_left == 0


def test_observers_are_forgotten_at_the_end_of_the_block_even_after_an_error():
    steps = []
    with pytest.raises(ValueError, match="n_features_to_select"), watching(steps.append):
        FSCPU(99).fit(X, Y)
    search().fit(X, Y)
    assert steps == []


def test_an_observer_may_press_ctrl_c():
    def enough(step):
        if step.number == 2:
            raise KeyboardInterrupt

    with watching(enough), pytest.warns(Warning, match="interrupted after 2"):
        assert search().fit(X, Y).n_iter_ == 2


def test_a_step_reads_well():
    assert str(Step(3, 9, 0.5, 0.25, 4.2, 2.1)) == (
        "step 3/9, best objective 0.5, 25% of the features decided, about 4.2 s left"
    )
    assert "left" not in str(Step(1, 9, 0.5, 0.25, np.inf, 1.0))
