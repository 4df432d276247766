import numpy as np
import pytest

from puselect import FSCPU, check_suitability
from puselect.datasets import make_pu_clusters
from puselect.fscpu import auto_number
from puselect.search import progress
from puselect.search.progress import Deadline, watching

X, Y, _ = make_pu_clusters("40/3/1", n_negative=200, n_positive=60, n_relevant=5, n_irrelevant=5, random_state=0)


class Clock:
    """A clock that goes on by so much with every look at it."""

    def __init__(self, seconds_per_look):
        self.now = 0.0
        self.seconds_per_look = seconds_per_look

    def __call__(self):
        self.now += self.seconds_per_look
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock(0.1)
    monkeypatch.setattr(progress.time, "monotonic", made)
    monkeypatch.setattr(progress.time, "process_time", lambda: 0.0)
    return made


def search(**changes):
    return FSCPU(**{"n_features_to_select": 5, "max_iter": 40, "random_state": 0, **changes})


@pytest.fixture(scope="module")
def unlimited():
    return search().fit(X, Y)


def test_a_search_that_ends_earlier_is_not_changed_by_the_limit(unlimited):
    limited = search(max_time=600.0).fit(X, Y)
    assert not limited.timed_out_
    assert np.array_equal(limited.probabilities_, unlimited.probabilities_)
    assert np.array_equal(limited.ranking_, unlimited.ranking_)
    assert (limited.objective_, limited.n_iter_) == (unlimited.objective_, 40)


def test_the_limit_ends_the_search_with_time_for_the_final_clusterings(clock):
    begin = clock.now
    limited = search(max_time=20.0, max_iter=1000).fit(X, Y)
    assert limited.timed_out_
    assert not limited.converged_
    assert 2 <= limited.n_iter_ < 100
    assert clock.now - begin <= 20
    assert limited.support_.sum() == 5


def test_a_limited_search_is_resumed_for_longer_and_ends_as_if_there_had_been_no_limit(clock, tmp_path, unlimited):
    first = search(max_time=8.0, checkpoint=tmp_path / "state").fit(X, Y)
    assert 0 < first.n_iter_ < 40
    resumed = search(checkpoint=tmp_path / "state").fit(X, Y)
    assert resumed.n_iter_ == 40
    assert np.array_equal(resumed.probabilities_, unlimited.probabilities_)
    assert resumed.objective_ == unlimited.objective_


def test_the_path_of_a_chosen_number_ends_in_time():
    whole = search(n_features_to_select="auto").fit(X, Y)
    kept = search(n_features_to_select="auto", max_time=600.0).fit(X, Y)
    assert kept.path_ == whole.path_
    late = search(n_features_to_select="auto", max_time=1e-9).fit(X, Y)
    assert (late.timed_out_, late.path_) == (True, None)
    assert late.support_.sum() == whole.support_.sum()


def test_a_path_that_takes_too_long_is_shortened(clock, monkeypatch):
    clock.seconds_per_look = 0.0
    score = auto_number.score_features

    def slow_score(*arguments):
        clock.now += 4.0
        return score(*arguments)

    monkeypatch.setattr(auto_number, "score_features", slow_score)
    whole = search(n_features_to_select="auto").fit(X, Y).path_
    short = search(n_features_to_select="auto", max_time=1.0).fit(X, Y).path_
    assert short.size == tuple(size for size in whole.size if size <= whole.n_features)
    assert short.size != whole.size


def test_without_time_for_a_single_step_evidence_alone_decides():
    limited = search(max_time=1e-9).fit(X, Y)
    assert (limited.timed_out_, limited.n_iter_) == (True, 0)
    expected = np.zeros(10, dtype=bool)
    expected[np.argsort(-limited.evidence_.z_scores)[:5]] = True
    assert np.array_equal(limited.support_, expected)
    assert limited.n_evaluations_ == 0


def test_progress_shows_the_time_left_instead_of_steps():
    steps = []
    with watching(steps.append):
        search(max_time=600.0, max_iter=3).fit(X, Y)
    assert steps[0].is_limited
    assert 0 < steps[0].seconds_left <= 600
    assert "/" not in str(steps[0]).partition(",")[0]


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), "soon", True])
def test_a_limit_that_is_no_time_is_refused(bad):
    with pytest.raises(ValueError, match="max_time must be a number above 0"):
        FSCPU(5, max_time=bad).fit(X, Y)


def test_a_check_in_time_needs_fewer_shuffles_and_its_p_value_is_larger(clock):
    whole = check_suitability(X, Y, n_shuffles=19)
    short = check_suitability(X, Y, n_shuffles=19, max_time=1.5)
    assert whole.n_shuffles == 19
    assert short.n_shuffles < 19
    assert short.p_value > whole.p_value
    assert check_suitability(X, Y, n_shuffles=19, max_time=1e5) == whole


def test_steps_of_several_threads_count_by_the_time_of_all_and_the_first_says_how_long_they_take(clock, monkeypatch):
    clock.seconds_per_look = 0.0
    end = Deadline(10.0)
    assert not end.is_too_close(3)
    clock.now += 6.0
    assert end.is_too_close(3)
    assert end.lap_seconds == 6
    wall, work = Clock(0.0), Clock(0.0)
    monkeypatch.setattr(progress.time, "monotonic", wall)
    monkeypatch.setattr(progress.time, "process_time", work)
    end = Deadline(10.0)
    for _ in range(4):
        assert not end.is_too_close(3)
        wall.now, work.now = wall.now + 0.1, work.now + 0.4
    assert end.lap_seconds == pytest.approx(0.4)
    wall.now = 8.3
    assert end.is_too_close(3)
