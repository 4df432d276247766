"""Searches in lockstep end as each would alone. Needs no GPU: any engine bound to several tables will do."""

import importlib.util

import numpy as np
import pytest
from several_tables import SeveralTables

from puselect import FSCPU, fit_many
from puselect.datasets import make_pu_clusters
from puselect.exceptions import InterruptedSearchWarning
from puselect.fscpu import settings
from puselect.fscpu.fit_many import PendingFit, are_alike, fit_together
from puselect.fscpu.row_model import RowModel


def small_data(n):
    sizes = {"n_negative": 300, "n_positive": 60, "n_relevant": 6, "n_irrelevant": 6}
    return [make_pu_clusters("40/3/1", random_state=seed, **sizes) for seed in range(n)]


def make_default(seed, **changes):
    return FSCPU(6, random_state=seed, **changes)


def make_published(seed, **changes):
    return FSCPU.published(6, max_iter=15, random_state=seed, **changes)


@pytest.mark.parametrize("make", [make_default, make_published])
@pytest.mark.parametrize("criterion", ["auto", "cluster+mi"])
def test_a_search_in_lockstep_ends_as_it_would_alone(make, criterion, monkeypatch):
    monkeypatch.setattr(settings, "MOST_STEPS", 15)
    data = small_data(3)
    alone = [make(i, criterion=criterion, engine="cpu").fit(X, y) for i, (X, y, _) in enumerate(data)]
    together = [make(i, criterion=criterion) for i in range(3)]
    tasks = [PendingFit.of(selector, X, y) for selector, (X, y, _) in zip(together, data, strict=True)]
    fit_together(tasks, SeveralTables(tasks))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.probabilities_, other.probabilities_)
        np.testing.assert_array_equal(one.ranking_, other.ranking_)
        assert one.objective_ == other.objective_
        assert one.n_iter_ == other.n_iter_
        assert one.n_degenerate_ == other.n_degenerate_
        X = data[0][0]
        np.testing.assert_array_equal(one.candidate_positives(X).rows, other.candidate_positives(X).rows)


def test_a_lockstep_that_was_stopped_goes_on_from_its_checkpoints(tmp_path, monkeypatch):
    monkeypatch.setattr("puselect.fscpu.search_run.SAVE_SECONDS", 0.0)
    data, cluster = small_data(2), SeveralTables.cluster

    def fitted(most_calls=1000, **settings):
        left = iter(range(most_calls))

        def interrupted(engine, *arguments):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return cluster(engine, *arguments)

        monkeypatch.setattr(SeveralTables, "cluster", interrupted)
        selectors = [make_default(i, max_iter=40, **{name: path / str(i) for name, path in settings.items()})
                     for i in range(2)]  # fmt: skip
        tasks = [PendingFit.of(selector, X, y) for selector, (X, y, _) in zip(selectors, data, strict=True)]
        fit_together(tasks, SeveralTables(tasks))
        return [selector.probabilities_ for selector in selectors]

    with pytest.warns(InterruptedSearchWarning, match="interrupted after 11 of at most 40 steps"):
        fitted(11, checkpoint=tmp_path)
    assert (tmp_path / "1").exists()
    np.testing.assert_array_equal(fitted(checkpoint=tmp_path), fitted())


def test_a_lockstep_leaves_the_models_of_rows_to_their_first_use(monkeypatch):
    fitted, really_fit = [], RowModel.of
    monkeypatch.setattr(RowModel, "of", lambda rows: fitted.append(rows) or really_fit(rows))
    selectors = [make_default(i, max_iter=3) for i in range(2)]
    tasks = [PendingFit.of(selector, X, y) for selector, (X, y, _) in zip(selectors, small_data(2), strict=True)]
    fit_together(tasks, SeveralTables(tasks))
    assert not fitted
    assert selectors[1].prior_ is selectors[1].row_model_.prior
    assert len(fitted) == 1


def test_without_a_gpu_selectors_are_fitted_one_after_another_each_with_its_table():
    data = small_data(2)
    selectors = [make_default(i, max_iter=5, engine="cpu") for i in range(2)]
    fitted = fit_many(selectors, [X for X, _, _ in data], [y for _, y, _ in data])
    assert fitted[0] is selectors[0]
    assert [selector.n_iter_ for selector in fitted] == [5, 5]
    with pytest.raises(ValueError, match="as many tables and label vectors as selectors, got 2, 1 and 1"):
        fit_many([FSCPU(), FSCPU()], [np.zeros((4, 2))], [np.zeros(4)])


def test_only_what_one_engine_can_serve_runs_together():
    (X, y, _), (Z, z, _) = small_data(2)
    flat = np.column_stack([Z[:, :-1], np.ones(len(Z))])

    def alike(table=Z, labels=z, **changes):
        other = FSCPU(**{"n_features_to_select": 6, **changes})
        return are_alike(PendingFit.of(FSCPU(6), X, y), PendingFit.of(other, table, labels))

    assert alike()
    assert alike(max_iter=3, random_state=1, population_size=4, n_features_to_select=4, checkpoint="file")
    assert not alike(n_clusters=4)
    assert not alike(preset="published")
    assert not alike(always_keep=[1])
    assert not alike(table=flat), "another column may be selected"
    assert not alike(table=Z[:200], labels=z[:200])


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed here")
def test_without_torch_the_error_names_the_extra_and_auto_does_without():
    X, y, _ = small_data(1)[0]
    with pytest.raises(ImportError, match="engine='gpu' needs torch: pip install torch"):
        FSCPU(2, engine="gpu").fit(X, y)
    assert FSCPU(2, engine="auto", max_iter=2).fit(X, y).n_iter_ == 2
