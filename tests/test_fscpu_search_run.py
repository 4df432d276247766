import errno
import logging
import os
import signal
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from programs import start

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.exceptions import CheckpointWarning
from puselect.fscpu import search_run

FIT = """
import sys, time
import numpy as np
from puselect.search.progress import watching
from puselect.fscpu import search_run
from puselect import FSCPU
from puselect.datasets import make_pu_clusters
search_run.SAVE_SECONDS = 0.02
X, y, _ = make_pu_clusters("40/3/1", n_negative=240, n_positive=60, n_relevant=5, n_irrelevant=5, random_state=0)
make = FSCPU.published if sys.argv[1] == "published" else FSCPU
settings = {"criterion": "cluster+mi"} if sys.argv[1] == "published" else {}
with watching(lambda step: time.sleep(float(sys.argv[5]))):
    s = make(5, max_iter=40, random_state=int(sys.argv[4]), checkpoint=sys.argv[2],
             **settings).fit(X, y)
np.savez(sys.argv[3], theta=s.probabilities_, support=s.support_, ranking=s.ranking_, value=s.objective_,
         steps=s.history_.step, path=s.history_.theta, degenerate=s.n_degenerate_)
"""


def load(path):
    with np.load(path) as saved:
        return {name: saved[name] for name in saved.files}


@pytest.mark.parametrize("preset", ["default", "published"])
def test_killed_at_a_random_moment_it_resumes_and_ends_as_if_it_had_not_been(tmp_path, preset, monkeypatch):
    state = tmp_path / "state"
    process = start(FIT, preset, state, tmp_path / "resumed.npz", 5, 0.05)
    while not state.exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(np.random.default_rng().uniform(0, 1))
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not (tmp_path / "resumed.npz").exists()
    monkeypatch.setattr(search_run, "SAVE_SECONDS", search_run.SAVE_SECONDS)  # FIT sets another
    for checkpoint, result in ((state, "resumed.npz"), (tmp_path / "other", "whole.npz")):
        monkeypatch.setattr(sys, "argv", ["-c", preset, checkpoint, tmp_path / result, 5, 0])
        exec(FIT, {})
    resumed, whole = load(tmp_path / "resumed.npz"), load(tmp_path / "whole.npz")
    for name, value in whole.items():
        np.testing.assert_array_equal(resumed[name], value, err_msg=name)


X, y, _ = make_pu_clusters("40/3/1", n_negative=200, n_positive=40, n_relevant=4, n_irrelevant=4, random_state=0)
TABLE = pd.DataFrame(X, columns=list("abcdefgh"))


def quick(**changes):
    return FSCPU(**{"n_features_to_select": 4, "max_iter": 10, "random_state": 0, **changes})


def test_a_finished_checkpoint_gives_the_result_at_once_and_keeps_the_seed_of_an_unseeded_search(tmp_path):
    first = quick(checkpoint=tmp_path / "state").fit(X, y)
    again = quick(checkpoint=str(tmp_path / "state"), n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(first.probabilities_, again.probabilities_)
    assert first.objective_ == again.objective_
    first, again = (quick(checkpoint=tmp_path / "unseeded", random_state=None).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.ranking_, again.ranking_)
    np.testing.assert_array_equal(first.probabilities_, again.probabilities_)
    assert first.objective_ == again.objective_


COSTS = {"n_features_to_select": None, "budget": 4.0}
OTHERS = {
    "data": (quick(), TABLE + np.eye(*X.shape), y),
    "labels": (quick(), TABLE, np.roll(y, 1)),
    "settings": (quick(n_clusters=5), TABLE, y),
    "seed": (quick(random_state=1), TABLE, y),
    "random state": (quick(random_state=np.random.RandomState(1)), TABLE, y),
    "costs": (quick(**COSTS, feature_costs=np.eye(8)[3] + 1), TABLE, y),
    "kept": (quick(always_keep=["a"]), TABLE.rename(columns={"a": "b", "b": "a"}), y),
}


@pytest.mark.parametrize("change", OTHERS)
def test_a_checkpoint_of_something_else_is_refused_and_left_alone(tmp_path, change):
    state = tmp_path / "state"
    first = {
        "random state": {"random_state": np.random.RandomState(0)},
        "costs": COSTS | {"feature_costs": np.ones(8)},
        "kept": {"always_keep": ["a"]},
    }.get(change, {})
    quick(**first, checkpoint=state).fit(TABLE, y)
    before = state.read_bytes()
    selector, *other = OTHERS[change]
    with pytest.raises(ValueError, match="other data or other settings"):
        selector.set_params(checkpoint=state).fit(*other)
    assert state.read_bytes() == before


def test_what_does_not_change_the_search_does_not_change_the_checkpoint(tmp_path):
    state = tmp_path / "state"
    first = quick(checkpoint=state, random_state=np.random.RandomState(0), always_keep=["a"]).fit(TABLE, y)
    renamed = TABLE.rename(columns={"a": "z"})
    again = quick(checkpoint=state, random_state=np.random.RandomState(0), always_keep=["z"]).fit(renamed, y)
    np.testing.assert_array_equal(first.probabilities_, again.probabilities_)


def test_a_full_disk_is_a_warning_and_the_search_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("puselect.fscpu.search_run.SAVE_SECONDS", 0.0)

    def full(path, state):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("puselect.fscpu.search_run.save_state", full)
    with pytest.warns(CheckpointWarning) as heard:
        selector = quick(checkpoint=tmp_path / "state").fit(X, y)
    assert len(heard) == 1, "said once, not at every step"
    np.testing.assert_array_equal(selector.probabilities_, quick().fit(X, y).probabilities_)


@pytest.mark.parametrize("name", ["search/optimizer/gain", "search/recorder/rows/step", "n_degenerate=json"])
def test_a_checkpoint_that_lacks_a_field_is_refused(tmp_path, name):
    state = tmp_path / "state"
    quick(checkpoint=state).fit(X, y)
    fields = load(state)
    del fields[name]
    with open(state, "wb") as file:
        np.savez(file, **fields)
    with pytest.raises(ValueError, match="another version of puselect"):
        quick(checkpoint=state).fit(X, y)


def test_threads_can_share_a_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr("puselect.fscpu.search_run.SAVE_SECONDS", 0.0)
    alone = quick().fit(X, y)
    with ThreadPoolExecutor(4) as pool, warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = list(pool.map(lambda _: quick(checkpoint=tmp_path / "state").fit(X, y), range(4)))
    for selector in fitted:
        np.testing.assert_array_equal(selector.probabilities_, alone.probabilities_)
    assert os.listdir(tmp_path) == ["state"]


def test_verbose_leaves_logging_as_it_was(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    quick(verbose=1).fit(X, y)
    assert "done after 10 steps" in capsys.readouterr().err
    logger = logging.getLogger("puselect")
    assert (logger.handlers, logger.level) == ([], logging.NOTSET)


def test_a_file_of_another_kind_is_not_overwritten(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("precious")
    with pytest.raises(ValueError, match="damaged or not a puselect checkpoint"):
        quick(checkpoint=path).fit(X, y)
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        (5, ValueError, "checkpoint must be a path"),
        (b"bytes", ValueError, "checkpoint must be a path"),
        (os.devnull, ValueError, "checkpoint must be a file"),  # /dev/zero would fill the memory
        (".", ValueError, "checkpoint must be a file"),
        (os.path.join("nowhere", "state"), OSError, "nowhere"),
    ],
)
def test_a_checkpoint_that_is_no_file_is_refused(path, error, message):
    with pytest.raises(error, match=message):
        quick(checkpoint=path).fit(X, y)


class Recorder:
    """A callback in scikit-learn's sense that asks to stop after a few steps."""

    def __init__(self, stop_after):
        self.steps, self.stop_after, self.events = 0, stop_after, []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        self.steps += context.task_name == "step"
        return self.steps >= self.stop_after


def test_scikit_learns_callbacks_see_every_step_and_can_stop_the_search():
    pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")
    callback = Recorder(stop_after=4)
    selector = quick().set_callbacks(callback).fit(X, y)
    assert selector.n_iter_ == callback.steps == 4
    assert callback.events == ["setup", "teardown"]
