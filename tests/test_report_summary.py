from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from puselect import FSCPU, METHODS
from puselect.baselines import KBest
from puselect.datasets import make_pu_clusters
from puselect.methods import REGISTRY
from puselect.report import Selection, summarise

pytestmark = pytest.mark.usefixtures("remembered_fits")
SLOW = {"es-mcrfs", "lgbm-opt", "jsfs"}


def table(seed=0, **changes):
    sizes = {"n_negative": 200, "n_positive": 100, "n_relevant": 4, "n_irrelevant": 4}
    return make_pu_clusters("40/3/1", **{**sizes, **changes}, random_state=seed)[:2]


def fitted(X, y, **changes):
    return FSCPU(**{"n_features_to_select": 3, "max_iter": 20, "random_state": 0, **changes}).fit(X, y)


class TestAnyMethod:
    @pytest.mark.parametrize("name", [name for name in METHODS if name not in SLOW])
    def test_is_summarised_and_survives_json(self, name):
        X, y = table()
        quick = {"max_iter": 3} if "fscpu" in name else REGISTRY[name].quick
        selector = METHODS[name](3, random_state=0, **quick).fit(X, y)
        for selection in (summarise(selector, X, y, method=name), summarise(selector, method=name)):
            assert Selection.from_json(selection.to_json()) == selection
            assert selection.method == name
            assert [feature.rank for feature in selection.features] == list(range(1, 9))
            chosen = {feature.column for feature in selection.features if feature.selected}
            assert chosen == set(np.flatnonzero(selector.support_))
            assert set(selection.selected) == set(selector.get_feature_names_out())


class TestWhatIsKept:
    def test_values_near_the_largest_float_are_summarised_and_masked_ones_refused(self):
        X, y = table()
        huge = (X - X.mean(axis=0)) * 1e306
        selector = fitted(huge, y, max_iter=2)
        assert summarise(selector, huge, y).n_rows == len(X)
        with pytest.raises(ValueError, match="masked"):
            summarise(selector, np.ma.masked_array(huge, mask=huge > 1e307), y)

    def test_names_come_from_the_table_or_from_the_caller(self):
        X, y = table()
        frame = pd.DataFrame(X, columns=list("abcdefgh"))
        assert set(summarise(fitted(frame, y), frame, y).selected) <= set("abcdefgh")
        assert summarise(fitted(X, y), feature_names=["same"] * 8).selected == ("same",) * 3
        with pytest.raises(ValueError, match="each of the 8 features, got 2 names"):
            summarise(fitted(X, y), feature_names=["a", "b"])
        with pytest.raises(ValueError, match="8 columns the selector was fitted to, got 3"):
            summarise(fitted(X, y), X[:, :3], y)

    def test_candidates_carry_values_of_the_best_features(self):
        X, y = table()
        selector = fitted(X, y)
        listed = summarise(selector, X, y).candidates
        rows, lift, _ = selector.candidate_positives(X, y)
        assert listed.row == tuple(rows)
        assert listed.total == len(rows)
        np.testing.assert_allclose(listed.lift, lift)
        columns = [int(name[1:]) for name in listed.columns]
        np.testing.assert_allclose(listed.values, X[np.ix_(rows, columns)], rtol=1e-5)

    @pytest.mark.parametrize("names", [np.arange(300) * 7 + 3, np.array([f"id {i}" for i in range(300)])])
    def test_rows_go_by_the_names_given_or_by_the_index(self, names):
        X, y = table()
        selector = fitted(X, y)
        rows = selector.candidate_positives(X, y).rows
        given = summarise(selector, X, y, row_numbers=names)
        assert given.candidates.row == tuple(names[rows].tolist())
        assert dict(zip(given.view.row, given.view.kind, strict=True))[names[rows[0]]] == 2
        assert Selection.from_json(given.to_json()) == given
        frame = pd.DataFrame(X, index=names)
        assert summarise(fitted(frame, y), frame, y).candidates.row == given.candidates.row
        frame.index = pd.date_range("2024-01-01", periods=300)
        assert summarise(fitted(frame, y), frame, y).candidates.row == tuple(rows.tolist())
        for wrong in (np.zeros(300), np.arange(20)):
            with pytest.raises(ValueError, match=rf"each of the 300 rows .* got {wrong.dtype} of shape"):
                summarise(selector, X, y, row_numbers=wrong)

    def test_map_marks_every_row_of_a_small_table_and_a_sample_of_a_large_one(self):
        X, y = table(n_negative=6000, n_positive=2500)
        view = summarise(fitted(X, y, max_iter=2), X, y).view
        assert (len(view.x), view.n_rows, set(view.kind)) == (3000, 8500, {0, 1, 2})
        X, y = table()
        selector = fitted(X, y)
        found = summarise(selector, X, y)
        view, gathering = found.view, found.gathering
        assert (gathering.all_labelled, gathering.all_rows) == (y.sum(), len(y))
        assert gathering.labelled / gathering.all_labelled > gathering.rows / gathering.all_rows
        kinds = dict(zip(view.row, view.kind, strict=True))
        assert sorted(kinds) == list(range(300))
        assert {row for row, kind in kinds.items() if kind == 1} == set(np.flatnonzero(y))
        assert {row for row, kind in kinds.items() if kind == 2} == set(selector.candidate_positives(X, y).rows)

    def test_how_to_repeat_it(self):
        X, y = table()
        selector = fitted(X, y)
        selection = summarise(selector)
        assert selection.command == "FSCPU(n_features_to_select=3, max_iter=20, random_state=0).fit(X, y)"
        again = eval(selection.command, {"FSCPU": FSCPU, "X": X, "y": y})
        np.testing.assert_array_equal(again.probabilities_, selector.probabilities_)
        assert (selection.seed, selection.method) == (0, "FSCPU")
        assert selection.versions["puselect"]
        assert selection.settings["n_clusters"] == "10"
        assert summarise(selector, command="puselect select x.csv").command == "puselect select x.csv"
        assert summarise(KBest().fit(X, y)).command == "KBest().fit(X, y)"

    def test_later_set_params_changes_nothing(self):
        X, y = table()
        selector = fitted(X, y, feature_costs=[1.0] * 8, budget=3.0, n_features_to_select=None, max_samples=100)
        before = replace(summarise(selector, X, y), created="")
        assert {feature.cost for feature in before.features} == {1.0}
        later = {"feature_costs": None, "budget": None, "random_state": None, "pos_label": 0, "population_size": 40}
        selector.set_params(**later, max_samples=None, max_iter=1, n_clusters=3)
        assert replace(summarise(selector, X, y), created="") == before
        ranked = KBest(3, random_state=0).fit(X, y)
        before = replace(summarise(ranked, X, y), created="")
        ranked.set_params(random_state=None, pos_label=0, n_features_to_select=1)
        assert replace(summarise(ranked, X, y), created="") == before


def test_a_sparse_table_is_reported_like_a_dense_one_unless_it_is_vast():
    X = np.random.default_rng(0).normal(size=(60, 5)) * (np.arange(60) % 3 == 0)[:, None]
    y = np.arange(60) < 12
    selector = FSCPU(2, max_iter=2, random_state=0).fit(csr_matrix(X), y)
    frame = pd.DataFrame.sparse.from_spmatrix(csr_matrix(X))
    matrix, dense, framed = (summarise(selector, table, y) for table in (csr_matrix(X), X, frame))
    assert matrix.view == dense.view == framed.view
    with pytest.raises(ValueError, match="too large for a report"):
        summarise(selector, csr_matrix((10**9, 5)), y)
