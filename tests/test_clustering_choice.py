"""Which engine "auto" takes."""

import numpy as np
import pytest

from puselect.clustering import choice
from puselect.clustering.choice import fastest_engine
from puselect.clustering.mixture import MixtureSpec

SHORT = MixtureSpec()


@pytest.fixture
def gpu(monkeypatch):
    """Return a function that says what there is."""

    def there_is(device, is_open=False):
        monkeypatch.setattr(choice, "gpu_is_there", lambda: device)
        monkeypatch.setattr(choice, "gpu_is_open", lambda: is_open)

    return there_is


def table(n_rows, n_columns=50):
    return np.broadcast_to(np.float32(0), (n_rows, n_columns))


def test_small_searches_do_not_pay_for_opening_the_gpu(gpu):
    gpu(True)
    assert fastest_engine(table(300), SHORT, None, 10, (8, 400), 2) == "cpu"
    assert fastest_engine(table(30_000), SHORT, None, 34, (8, 870), 2) == "gpu"


def test_an_open_gpu_wins_earlier(gpu):
    gpu(True, is_open=False)
    assert fastest_engine(table(4500), SHORT, None, 25, (8, 400), 4) == "cpu"
    gpu(True, is_open=True)
    assert fastest_engine(table(4500), SHORT, None, 25, (8, 400), 4) == "gpu"


def test_columns_of_a_mask_count_not_those_of_the_table(gpu):
    gpu(True)
    assert fastest_engine(table(4500, 2000), SHORT, None) == "gpu"
    assert fastest_engine(table(4500, 2000), SHORT, None, n_selected=10) == "cpu"
    assert fastest_engine(table(4500, 2000), SHORT, None, n_selected=1000) == "gpu"


def test_without_a_gpu_or_with_a_clusterer_of_ones_own(gpu):
    gpu(False)
    assert fastest_engine(table(30_000), SHORT, None, 34, (8, 870), 2) == "cpu"
    assert fastest_engine(table(10), object(), None) == "reference"


def test_samples_of_rows_and_soft_clusterings_count(gpu):
    gpu(True)
    soft = MixtureSpec(em_steps=100)
    assert fastest_engine(table(10**6), SHORT, 500, 10, (8, 400), 2) == "cpu"
    assert fastest_engine(table(4500), soft, None, 25, (2, 3000), 2) == "gpu"


def test_torch_is_not_imported_where_there_is_no_driver(monkeypatch):
    monkeypatch.setattr(choice, "GPU_DRIVERS", ())
    monkeypatch.setattr(choice.sys, "platform", "linux")
    monkeypatch.setitem(choice.sys.modules, "puselect.clustering.gpu.engine", None)  # importing it would raise
    monkeypatch.setattr(choice.importlib.util, "find_spec", lambda name: name)
    assert choice.gpu_is_there() is False
