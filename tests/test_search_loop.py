import numpy as np
import pytest

from puselect.search import BernoulliIGO, EffectSearch, Repair, Search, run_searches
from puselect.search.checkpoint import load_state, save_state
from puselect.search.loop import MOST_RECORDS, Recorder, RunningScale


def new_search(seed=0, target=0, n_features=8, population_size=4, n_criteria=1):
    repair = Repair(np.ones(n_features), n_features // 2)
    optimizer = BernoulliIGO(np.full(n_features, 0.5), population_size, 0.05, 0.1, repair, seed)
    return Search(optimizer, target, n_criteria)


def noisy(masks, seeds, targets):
    """A value that depends on mask, seed and target, as an engine's would."""
    weight = np.linspace(-1, 1, masks.shape[1])
    keys = [[int(seed), *mask.astype(int)] for mask, seed in zip(masks, seeds, strict=True)]
    noise = [np.random.default_rng(key).normal() for key in keys]
    return (np.where(targets == 0, 1, -1) * (masks @ weight) + noise)[:, None]


def after(n):
    return lambda search: search.step >= n


def test_masks_of_a_step_share_a_seed_that_changes_and_a_step_can_end_the_run():
    seen = []

    def spy(masks, seeds, targets):
        seen.append(seeds)
        return noisy(masks, seeds, targets)

    run_searches([new_search()], spy, after(5))
    assert all(len(set(seeds.tolist())) == 1 for seeds in seen)
    assert len({int(seeds[0]) for seeds in seen}) == 5
    search = new_search()
    run_searches([search], noisy, after(10), after_step=lambda: search.step == 4)
    assert search.step == 4


def test_searches_in_lockstep_end_as_they_do_alone():
    def three():
        return [new_search(0), new_search(1, target=1), new_search(2, population_size=2)]

    together = three()
    run_searches(together, noisy, lambda search: search.step >= 10 + search.optimizer.seed)
    assert [search.step for search in together] == [10, 11, 12]
    for search, alone in zip(together, three(), strict=True):
        run_searches([alone], noisy, after(10 + alone.optimizer.seed))
        np.testing.assert_array_equal(search.optimizer.theta, alone.optimizer.theta)


@pytest.mark.parametrize("stop", [1, 3, 7])
def test_saved_and_restored_search_ends_as_if_nothing_had_happened(tmp_path, stop):
    whole, first, second = (new_search(n_criteria=2) for _ in range(3))

    def two(masks, seeds, targets):
        return np.hstack([noisy(masks, seeds, targets), 100 * noisy(masks, seeds + 1, targets)])

    run_searches([whole], two, after(12))
    run_searches([first], two, after(stop))
    save_state(tmp_path / "state", first.state())
    second.restore(load_state(tmp_path / "state"))
    run_searches([second], two, after(12))
    np.testing.assert_array_equal(whole.optimizer.theta, second.optimizer.theta)
    for a, b in zip(whole.recorder.history(), second.recorder.history(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_running_scale_is_the_standard_deviation_of_all_values_so_far():
    values = np.random.default_rng(0).normal(5, [1, 100], (57, 2))
    scale = RunningScale(2)
    for start in range(0, 57, 3):
        deviation = scale.update(values[start : start + 3])
    np.testing.assert_allclose(deviation, values.std(axis=0))
    assert RunningScale(1).update(np.full((4, 1), 3.0)) == [1.0], "what does not vary"


def test_history_is_bounded_and_evenly_spaced():
    recorder = Recorder()
    for step in range(1, 5001):
        recorder.add(step, np.array([step / 5000]), np.array([float(step % 7)]), step / 5000)
    history = recorder.history()
    assert len(history.step) <= MOST_RECORDS
    assert len(set(np.diff(history.step).tolist())) == 1
    np.testing.assert_allclose(history.theta[:, 0], history.step / 5000)
    assert history.best[-1] == 6


def search_for(n_features, n_wanted):
    """A search as FSCPU's, without evidence."""
    return Search(EffectSearch(np.zeros(n_features), Repair(np.ones(n_features), n_wanted), 8, seed=0))


@pytest.mark.parametrize(
    ("ratio", "n_wanted"), [(2, 1), (2, 10), (5, 3), (100, 1), (30, 10), (1000, 1)]
)
def test_a_search_runs_until_the_wanted_features_are_found_however_few_they_are(ratio, n_wanted):
    n_features = ratio * n_wanted
    search = search_for(n_features, n_wanted)

    def count_relevant(masks, seeds, targets):
        return masks[:, :n_wanted].sum(axis=1, keepdims=True).astype(float)

    assert search.settled < 1
    run_searches([search], count_relevant, lambda s: s.settled >= 1 or s.step >= 20_000)
    assert search.step < 20_000
    assert search.settled == 1
    assert (np.argsort(-search.optimizer.scores)[:n_wanted] < n_wanted).all()


def test_features_too_cheap_to_matter_do_not_keep_a_search_from_converging():
    repair = Repair(np.where(np.arange(100) == 99, 1e-3, 1.0), 10.5)
    search = Search(BernoulliIGO(np.where(np.arange(100) < 10, 0.95, 0.05), 2, 0.1, 0.01, repair, seed=0))
    assert search.settled == 1
    search.optimizer.theta = np.where(np.arange(100) < 9, 0.95, 0.05)
    assert search.settled == pytest.approx(9 / 10.5)
