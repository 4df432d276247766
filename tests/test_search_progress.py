import sys
import types

import numpy as np
import pytest

from puselect import FSCPU
from puselect.search.progress import Step, watching
from puselect.selectors.notebook import LiveProgress

X = np.random.default_rng(0).random((60, 6))
Y = np.arange(60) < 12


def search():
    return FSCPU(3, max_iter=6, random_state=0)


def test_observers_see_every_step_and_change_nothing():
    steps, same = [], []
    with watching(steps.append):
        watched = search().set_callbacks(same.append).fit(X, Y)
    assert steps == same
    alone = search().fit(X, Y)
    assert np.array_equal(watched.probabilities_, alone.probabilities_)
    assert [step.number for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [step.best for step in steps] == alone.history_.best.tolist()
    assert steps[-1].settled == alone.settled_
    assert (steps[0].seconds_left, steps[-1].seconds_left) == (np.inf, 0)


def test_an_observer_ends_the_search_by_true_or_ctrl_c():
    def interrupt(step):
        if step.number == 2:
            raise KeyboardInterrupt

    assert search().set_callbacks(lambda step: step.number == 2, lambda step: 1).fit(X, Y).n_iter_ == 2
    with watching(interrupt), pytest.warns(Warning, match="interrupted after 2"):
        assert search().fit(X, Y).n_iter_ == 2


def test_later_callbacks_replace_earlier_ones_and_an_error_leaves_no_observer():
    steps = []
    selector = search().set_callbacks(lambda step: 1 / 0)
    with pytest.raises(ZeroDivisionError), watching(steps.append):
        selector.fit(X, Y)
    selector.set_callbacks().fit(X, Y)
    assert len(steps) == 1
    with pytest.raises(ValueError, match="a callback must be a function, got 3"):
        search().set_callbacks(3)


def test_a_step_reads_well():
    assert str(Step(3, 9, 0.5, 0.25, 4.2, 2.1)) == (
        "step 3/9, best objective 0.5, 25% of the features decided, at most 4.2 s left"
    )
    assert "left" not in str(Step(1, 9, 0.5, 0.25, np.inf, 1.0))


def test_the_live_display_is_updated_in_place(monkeypatch):
    shown = []
    display = types.ModuleType("IPython.display")
    display.HTML = str
    display.display = lambda page, display_id: shown.append(page) or types.SimpleNamespace(update=shown.append)
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(ImportError, match="pip install ipython"):
        LiveProgress()
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    search().set_callbacks(LiveProgress()).fit(X, Y)
    assert "width:17%" in shown[0]
    assert "width:100%" in shown[-1]
