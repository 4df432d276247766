"""Steps that an engine does by itself end where steps of the host end; on torch's CPU device, and on a GPU."""

import os

import numpy as np
import pytest
from engine_contract import small_table
from scipy.special import ndtr

from puselect import FSCPU
from puselect.search.effects import cut_at
from puselect.selectors import lockstep
from puselect.selectors.clusterings import cluster_candidates
from puselect.selectors.confirmation import Inquiry, found_together
from puselect.selectors.many import Task, fit_together

torch = pytest.importorskip("torch", reason="the GPU engine needs torch: pip install 'puselect[gpu]'")

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is defined

from puselect.engines.gpu import GPUEngine, steps  # noqa: E402

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SHORT = {"max_iter": 40, "random_state": 0}


def fit(selectors, device="cpu", limit=None):
    """Fit each to a table of its own, with one engine."""
    tasks = [Task.of(selector, *small_table(selector.random_state)) for selector in selectors]
    X, positive = np.stack([t.problem.table for t in tasks]), np.stack([t.problem.positive for t in tasks])
    fit_together(tasks, GPUEngine(X, positive, tasks[0].settings.mixture, max_samples=limit, device=device))
    return selectors


@pytest.fixture
def on_the_host(monkeypatch):
    """Return a function that fits step by step."""

    def fit_there(selectors, *args):
        with monkeypatch.context() as patch:
            patch.setattr(lockstep, "device_searches", lambda *_: None)
            return fit(selectors, *args)

    return fit_there


@pytest.fixture
def counted(monkeypatch):
    """The sizes of the chunks that were run on the device."""
    sizes, launch = [], steps.EffectSteps.launch
    monkeypatch.setattr(
        steps.EffectSteps, "launch", lambda self, draws: (sizes.append(len(draws.uniform)), launch(self, draws))[1]
    )
    return sizes


def assert_same_search(ours, theirs):
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)
    np.testing.assert_allclose(ours.history_.theta, theirs.history_.theta, atol=1e-9)
    np.testing.assert_allclose(ours.history_.value, theirs.history_.value, atol=1e-12)
    np.testing.assert_allclose(ours.history_.settled, theirs.history_.settled)
    assert ours.weights_.search == pytest.approx(theirs.weights_.search, abs=1e-9)
    assert ours.n_degenerate_ == theirs.n_degenerate_
    assert ours.objective_ == theirs.objective_


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "parameters",
    [{}, {"always_keep": [2, 7], "never_select": [0]}, {"feature_costs": [2.0] * 12, "budget": 15.0}],
    ids=["half", "kept", "costs"],
)
def test_the_same_search(parameters, device, on_the_host, counted):
    if "budget" not in parameters:
        parameters = {"n_features_to_select": 5, **parameters}
    made = [[FSCPU(**parameters, max_iter=40, random_state=i) for i in range(2)] for _ in range(2)]
    ours, theirs = fit(made[0], device), on_the_host(made[1], device)
    assert counted == [32, 8]
    for one, other in zip(ours, theirs, strict=True):
        assert_same_search(one, other)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_features_to_select": 5},
        {"n_features_to_select": 9, "always_keep": [2, 7], "never_select": [0], "n_clusters": 4},
    ],
    ids=["some", "most"],
)
def test_kernels_do_the_steps_of_plain_torch(parameters, monkeypatch):
    pytest.importorskip("triton", reason="the kernels need Triton, which torch for Linux brings along")
    from puselect.engines.gpu.fused_steps import FusedEffectSteps

    made = [[FSCPU(**parameters, max_iter=6, random_state=i) for i in range(2)] for _ in range(2)]
    monkeypatch.setattr(GPUEngine, "effect_steps", lambda *args: steps.EffectSteps(*args))
    theirs = fit(made[1], DEVICE)
    monkeypatch.setattr(GPUEngine, "effect_steps", lambda *args: FusedEffectSteps(*args))
    for one, other in zip(fit(made[0], DEVICE), theirs, strict=True):
        assert_same_search(one, other)


@pytest.mark.parametrize("limit", [None, 150])
def test_the_engine_places_rows_as_the_mixtures_do(limit):
    task = Task.of(FSCPU(6, random_state=0), *small_table(0))
    problem, budget = task.problem, task.problem.budget
    X, positive = np.stack([problem.table] * 2), np.stack([problem.positive[::-1], problem.positive])
    engine = GPUEngine(X, positive, task.settings.mixture, max_samples=limit, device=DEVICE)
    inquiry = Inquiry.of(problem, budget, np.arange(12.0))
    for rows in (inquiry.rows, inquiry.rows[::3]):
        asked = inquiry._replace(rows=rows, known=problem.positive[rows])
        ours = found_together(task.settings, {1: asked}, engine)[1]
        assert any(len(each.rows) for each in ours)
        for mask, seeds, found in zip(asked.masks, asked.seeds, ours, strict=True):
            table = problem.table[rows][:, mask]
            theirs = cluster_candidates(task.settings, problem, engine, mask, seeds, table, asked.known, 1)
            np.testing.assert_array_equal(found.rows, theirs.rows)
            np.testing.assert_array_equal(found.confidence, theirs.confidence)


def test_samples_of_rows(on_the_host):
    ours, theirs = fit([FSCPU(5, **SHORT)], "cpu", 150), on_the_host([FSCPU(5, **SHORT)], "cpu", 150)
    np.testing.assert_array_equal(ours[0].support_, theirs[0].support_)
    np.testing.assert_allclose(ours[0].history_.value[:20], theirs[0].history_.value[:20])


def test_searches_end_when_each_has_settled(on_the_host, monkeypatch):
    made, sets, begin = [[FSCPU(6, random_state=i) for i in (0, 2)] for _ in range(2)], [], lockstep.Lockstep.__init__
    monkeypatch.setattr(
        lockstep.Lockstep, "__init__", lambda self, *args: (sets.append(args[1]), begin(self, *args))[1]
    )
    ours, theirs = fit(made[0]), on_the_host(made[1])
    assert ours[0].n_iter_ != ours[1].n_iter_
    for one, other in zip(ours, theirs, strict=True):
        assert_same_search(one, other)
    states = [[each.search.optimizer.rng.bit_generator.state for each in sessions] for sessions in sets]
    assert states[0] == states[1]  # after as many numbers, although whole chunks were drawn


@pytest.mark.parametrize("device", DEVICES)
def test_searches_take_the_places_of_those_that_are_over(device, monkeypatch, counted):
    """Two at a time, of different length: the same to the bit as all at once."""
    lengths = (70, 6, 40, 33, 64)
    made = [[FSCPU(6, max_iter=n, early_stopping=n == 40, random_state=i) for i, n in enumerate(lengths)] for _ in "ab"]
    at_once = fit(made[0], device)
    assert counted == [32, 32, 6]
    monkeypatch.setattr(GPUEngine, "most_searches", lambda *_: 2)
    for one, other in zip(fit(made[1], device), at_once, strict=True):
        assert_same_search(one, other)
        np.testing.assert_array_equal(one.history_.theta, other.history_.theta)
    assert len(counted) - 3 <= 6  # one after another, they would take nine chunks


@pytest.mark.parametrize("device", DEVICES)
def test_a_resumed_search_ends_as_one_that_was_not_stopped(device, tmp_path, counted):
    whole = fit([FSCPU(5, max_iter=45, early_stopping=False, random_state=3)], device)[0]
    path = str(tmp_path / "state")
    half = FSCPU(5, max_iter=45, early_stopping=False, random_state=3, checkpoint=path)

    class StoppedError(Exception):
        pass

    def stop(self, *_, real=lockstep.Lockstep._save):
        real(self)
        if 0 < self.sessions[0].search.step < 45:
            raise StoppedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lockstep, "SAVE_SECONDS", 0.0)
        patch.setattr(lockstep.Lockstep, "_save", stop)
        with pytest.raises(StoppedError):
            fit([half], device)
    counted.clear()
    fit([half], device)
    assert counted == [13]
    np.testing.assert_array_equal(half.probabilities_, whole.probabilities_)
    np.testing.assert_array_equal(half.ranking_, whole.ranking_)
    np.testing.assert_array_equal(half.history_.theta, whole.history_.theta)
    assert half.history_.step.tolist() == whole.history_.step.tolist()


@pytest.mark.parametrize(
    "parameters",
    [
        {"feature_costs": np.arange(1.0, 13.0), "budget": 20.0},
        {"n_features_to_select": 5, "max_time": 60},
        {"n_features_to_select": 5, "cluster_choice": "greedy"},
        {"n_features_to_select": 5, "criterion": "cluster"},
        {"n_features_to_select": 5, "groups": {"pair": [0, 1]}},
    ],
    ids=str,
)
def test_what_the_host_must_do(parameters, counted):
    (selector,) = fit([FSCPU(**parameters, max_iter=3, random_state=0)])
    assert counted == []
    assert selector.n_iter_ == 3


def test_the_cut():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 30)) * np.array([[0.0], [0.1], [3.0], [30.0]]).repeat(5, axis=0)
    for expected in (0.5, 7.0, 29.0):
        ours = steps.cut_at(torch.from_numpy(scores), expected).numpy()
        np.testing.assert_allclose(ndtr(scores - ours[:, None]).sum(axis=1), expected, atol=1e-9)
        theirs = [cut_at(line, np.ones(30), expected) for line in scores]
        np.testing.assert_allclose(ours[:15], theirs[:15], atol=1e-9)  # between distant scores any cut will do
