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
from puselect.report.findings import Code
from puselect.report.selection import NOTE, WARNING
from puselect.report.sentences import about_ranking, ending

pytestmark = pytest.mark.usefixtures("remembered_fits")
SLOW = {"es-mcrfs", "lgbm-opt", "jsfs"}


def table(seed=0, **changes):
    sizes = {"n_negative": 200, "n_positive": 100, "n_relevant": 4, "n_irrelevant": 4}
    return make_pu_clusters("40/3/1", **{**sizes, **changes}, random_state=seed)[:2]


def fitted(X, y, **changes):
    return FSCPU(**{"n_features_to_select": 3, "max_iter": 20, "random_state": 0, **changes}).fit(X, y)


def codes(selection):
    return {finding.code for finding in selection.findings}


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

    def test_first_fields_are_for_people(self):
        X, y = table()
        text = summarise(fitted(X, y), X, y).to_json()
        places = [text.index(f'"{name}"') for name in ("schema", "method", "selected", "n_features", "features")]
        assert places == sorted(places)

    def test_names_come_from_the_table_or_from_the_caller(self):
        X, y = table()
        frame = pd.DataFrame(X, columns=list("abcdefgh"))
        assert set(summarise(fitted(frame, y), frame, y).selected) <= set("abcdefgh")
        assert summarise(fitted(X, y), feature_names=["same"] * 8).selected == ("same",) * 3
        with pytest.raises(ValueError, match="each of the 8 features, got 2 names"):
            summarise(fitted(X, y), feature_names=["a", "b"])
        with pytest.raises(ValueError, match="8 columns the selector was fitted to, got 3"):
            summarise(fitted(X, y), X[:, :3], y)

    @pytest.mark.parametrize("changes", [{}, {"criterion": "cluster"}, {"preset": "published"}])
    def test_the_kind_of_search_is_told(self, changes):
        X, y = table()
        selector = fitted(X, y, **changes)
        selection = summarise(selector)
        assert selection.search.optimizer == ("igo" if "preset" in changes else "effects")
        assert selection.search.masks_per_step == (2 if "preset" in changes else 8)
        assert Selection.from_json(selection.to_json()) == selection

    def test_track_of_a_search_ends_at_its_probabilities(self):
        X, y = table()
        selector = fitted(X, y, always_keep=[0], never_select=[1], max_iter=200, preset="published")
        search = summarise(selector).search
        assert len(search.step) <= 160
        assert (search.step[0], search.step[-1]) == (1, 200)
        assert set(search.columns) == set(range(2, 8))
        for column, theta in zip(search.columns, search.theta, strict=True):
            assert theta[-1] == pytest.approx(selector.probabilities_[column], abs=5e-4)
        assert search.settled[-1] == pytest.approx(selector.settled_, abs=1e-4)
        assert search.n_iter == 200

    def test_a_search_without_a_choice_has_no_steps(self):
        X, y = table()
        selection = summarise(fitted(X, y, n_features_to_select=8), X, y)
        assert selection.search.step == ()
        assert len(selection.selected) == 8
        assert Selection.from_json(selection.to_json()) == selection

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

    def test_rows_must_each_have_a_name(self):
        X, y = table()
        with pytest.raises(ValueError, match=r"each of the 300 rows by an integer or a string, got float64 of shape"):
            summarise(fitted(X, y), X, y, row_numbers=np.zeros(300))
        with pytest.raises(ValueError, match=r"each of the 300 rows .* got int64 of shape \(20,\)"):
            summarise(fitted(X, y), X, y, row_numbers=np.arange(20))

    def test_map_marks_every_row_of_a_small_table(self):
        X, y = table()
        selector = fitted(X, y)
        view = summarise(selector, X, y).view
        kinds = dict(zip(view.row, view.kind, strict=True))
        assert sorted(kinds) == list(range(300))
        assert {row for row, kind in kinds.items() if kind == 1} == set(np.flatnonzero(y))
        assert {row for row, kind in kinds.items() if kind == 2} == set(selector.candidate_positives(X, y).rows)

    def test_map_of_a_large_table_is_a_sample_with_all_kinds(self):
        X, y = table(n_negative=6000, n_positive=2500)
        view = summarise(fitted(X, y, max_iter=2), X, y).view
        assert len(view.x) == 3000
        assert view.n_rows == 8500
        assert set(view.kind) == {0, 1, 2}

    def test_costs_are_kept_by_name(self):
        X, y = table()
        frame = pd.DataFrame(X, columns=list("abcdefgh"))
        costs = {name: 1.0 + i for i, name in enumerate("abcdefgh")}
        selector = FSCPU(feature_costs=costs, budget=9.0, max_iter=3, random_state=0).fit(frame, y)
        assert {f.name: f.cost for f in summarise(selector).features} == costs

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
        later = {"feature_costs": None, "budget": None, "random_state": None, "pos_label": 0, "population_size": 40}
        selector.set_params(**later, max_samples=None, max_iter=1, n_clusters=3)
        assert replace(summarise(selector, X, y), created="") == before
        ranked = KBest(3, random_state=0).fit(X, y)
        before = replace(summarise(ranked, X, y), created="")
        ranked.set_params(random_state=None, pos_label=0, n_features_to_select=1)
        assert replace(summarise(ranked, X, y), created="") == before


class TestFindings:
    def test_clean_data_have_none(self):
        X, y = table()
        assert summarise(fitted(X, y, n_features_to_select=4, max_iter=None), X, y).findings == ()

    def test_that_a_search_converged_is_not_sold_as_evidence(self):
        selection = summarise(fitted(*table()))
        assert "no evidence" in ending(replace(selection, search=replace(selection.search, converged=True)))

    def test_columns(self):
        X, y = table()
        X[:, 1] = 3.0
        X[:, 2] = X[:, 4]
        X[:, 5] = np.arange(300) < 6
        found = codes(summarise(fitted(X, y), X, y))
        assert Code.CONSTANT_COLUMNS in found
        assert Code.DUPLICATE_COLUMNS in found
        assert Code.TIED_COLUMNS in found

    def test_repeated_rows(self):
        X, y = table()
        X[:30] = X[30:60]
        assert Code.DEPENDENT_ROWS in codes(summarise(fitted(X, y), X, y))

    def test_few_labels_and_no_seed(self):
        X, y = table()
        y = np.where(np.cumsum(y) <= 7, y, 0)
        selection = summarise(fitted(X, y, random_state=None), X, y)
        assert Code.FEW_LABELS in codes(selection)
        assert Code.NO_SEED in codes(selection)
        levels = [finding.level for finding in selection.findings]
        assert levels == sorted(levels, reverse=True), "warnings first"

    def test_leaks(self):
        X, y = table()
        X[:, 3] = -y + np.random.default_rng(0).normal(0, 0.01, 300)
        (finding,) = [f for f in summarise(fitted(X, y), X, y).findings if f.code == Code.LEAK]
        assert "x3" in finding.text

    def test_the_truth_left_in_and_interchangeable_columns(self):
        X, y = table()
        hidden = np.random.default_rng(0).random(300) < 0.03
        X[:, 3], X[:, 4] = y | hidden, np.exp(X[:, 2])
        selection = summarise(fitted(X, y, always_keep=[2]), X, y)
        (leak,) = [f for f in selection.findings if f.code == Code.LEAK]
        (twins,) = [f for f in selection.findings if f.code == Code.INTERCHANGEABLE]
        assert leak.level == "warning" and "x3" in leak.text
        assert twins.level == "note" and "x2 = x4" in twins.text

    def test_most_features_selected_and_ties_at_the_cut(self):
        X, y = table()
        assert Code.MANY_SELECTED in codes(summarise(fitted(X, y, n_features_to_select=6)))
        tied = KBest(3, random_state=0).fit(X, y)
        tied.scores_ = np.array([3.0, 2, 1, 1, 1, 0, 0, 0])
        tied.support_ = np.arange(8) < 3
        assert Code.TIED_SCORES in codes(summarise(tied))

    def test_labelled_rows_far_from_everything(self):
        X, y = table()
        X[np.flatnonzero(y)[:12]] += 200 * np.random.default_rng(1).normal(size=(12, 8))
        assert Code.REMOTE_LABELS in codes(summarise(fitted(X, y, max_iter=2), X, y))

    def test_positive_clusters_everywhere(self):
        X = np.random.default_rng(0).normal(size=(400, 6))
        y = np.arange(400) % 2
        assert Code.POSITIVE_EVERYWHERE in codes(summarise(fitted(X, y), X, y))

    def test_unsettled_search_and_degenerate_clusterings(self):
        X, y = table()
        assert Code.UNSETTLED in codes(summarise(fitted(X, y, max_iter=1, preset="published")))
        coarse = np.round(X / 8)
        assert Code.DEGENERATE in codes(summarise(fitted(coarse, y, n_clusters=60)))

    def test_a_search_by_effects_that_used_all_its_steps_is_no_failure(self):
        X, y = table()
        selector = fitted(X, y, max_iter=12)
        selector.settled_, selector.probabilities_[selector.support_] = 0.2, 0.9
        assert not codes(summarise(selector)) & {Code.UNSETTLED, Code.NEAR_CUT}

    @pytest.mark.parametrize(("n_near", "level"), [(1, NOTE), (2, WARNING)])
    def test_selected_features_near_the_cut(self, n_near, level):
        X, y = table()
        selector = fitted(X, y)
        chosen = np.flatnonzero(selector.support_)
        selector.probabilities_[chosen], selector.probabilities_[chosen[:n_near]] = 0.9, 0.8
        selection = summarise(selector)
        assert [f.level for f in selection.findings if f.code == Code.NEAR_CUT] == [level]
        assert selection.search.n_near_cut == n_near

    def test_random_labels(self):
        X = np.random.default_rng(0).normal(size=(200, 8))
        assert Code.NO_EVIDENCE in codes(summarise(fitted(X, np.arange(200) % 8 == 0)))
        assert Code.NO_EVIDENCE not in codes(summarise(fitted(*table())))

    @pytest.mark.parametrize("max_iter", [1, 2])
    def test_share_of_degenerate_clusterings_is_a_share(self, max_iter):
        X, y = table()
        selector = fitted(np.round(X / 8), y, n_clusters=60, max_iter=max_iter)
        (finding,) = [f for f in summarise(selector).findings if f.code == Code.DEGENERATE]
        assert 0.25 < float(finding.title.split()[-1].rstrip("%")) / 100 <= 1


def test_a_sparse_table_is_reported_like_a_dense_one_unless_it_is_vast():
    X = np.random.default_rng(0).normal(size=(60, 5)) * (np.arange(60) % 3 == 0)[:, None]
    y = np.arange(60) < 12
    selector = FSCPU(2, max_iter=2, random_state=0).fit(csr_matrix(X), y)
    frame = pd.DataFrame.sparse.from_spmatrix(csr_matrix(X))
    matrix, dense, framed = (summarise(selector, table, y) for table in (csr_matrix(X), X, frame))
    assert matrix.view == dense.view == framed.view
    with pytest.raises(ValueError, match="too large for a report"):
        summarise(selector, csr_matrix((10**9, 5)), y)


@pytest.mark.parametrize("selector", [FSCPU(2, max_iter=2), FSCPU.published(2, max_iter=2), KBest(2)])
def test_what_features_are_ranked_by_is_said_for_each_kind_of_method(selector):
    X = np.random.default_rng(0).random((60, 5))
    found = summarise(selector.set_params(random_state=0).fit(X, np.arange(60) < 12))
    if found.search is None:
        assert about_ranking(found).startswith("By the score of the method")
    else:
        is_effects = found.search.optimizer == "effects"
        assert about_ranking(found).startswith(f"By the {'score' if is_effects else 'probability'} at the end")
