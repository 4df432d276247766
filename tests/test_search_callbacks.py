import sys
import types

import numpy as np
import pytest

from puselect import FSCPU
from puselect.selectors.notebook import LiveProgress


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


def test_the_live_display_is_updated_in_place(data, monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=shown.append)

    def display(page, display_id):
        shown.append(page)
        return handle

    module = types.ModuleType("IPython.display")
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    FSCPU(3, max_iter=4, random_state=0).set_callbacks(LiveProgress()).fit(*data)
    assert "width:25%" in shown[0]
    assert "width:100%" in shown[-1]


def test_without_ipython_the_display_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(ImportError, match="pip install ipython"):
        LiveProgress()
