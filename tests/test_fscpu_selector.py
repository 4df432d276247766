import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from small_tables import AWKWARD, small_table

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.exceptions import FewerFeaturesWarning, FewLabelsWarning
from puselect.fscpu.settings import Settings
from puselect.report import summarise
from puselect.search.progress import watching

X, y, relevant = small_table()
NAMED = pd.DataFrame(X, columns=list("abcdefghij"))
FREE = {"n_features_to_select": None, "budget": 3}


def quick(**changes):
    return FSCPU(**{"n_features_to_select": 5, "max_iter": 10, "random_state": 0, **changes})


class TestScikitLearn:
    @pytest.mark.parametrize("selector", [FSCPU(max_iter=3), FSCPU.published(max_iter=2)])
    def test_passes_every_check(self, selector):
        check_estimator(selector, on_skip=None)

    @pytest.mark.parametrize(
        ("share", "n_selected"), [(0.2, 2), (0.01, 1), (0.99, 10), (np.float32(0.5), 5), (None, 5), (10, 10)]
    )
    def test_a_number_or_a_share_of_the_features(self, share, n_selected):
        assert FSCPU(share, max_iter=1, random_state=0).fit(X, y).support_.sum() == n_selected

    @pytest.mark.parametrize(("column", "kind"), [
        (["x", "y"] * 180, "text in 'odd'"),
        (pd.date_range("2024-01-01", periods=360), "dates in 'odd'"),
        ([np.inf, *range(359)], "infinite values in 'odd'"),
    ], ids=["text", "dates", "infinite"])  # fmt: skip
    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_columns_that_are_not_finite_numbers_are_named(self, frame, column, kind):
        table = frame({**{f"x{j}": X[:, j] for j in range(3)}, "odd": list(column)}, **(
            {"strict": False} if frame is pl.DataFrame else {}))
        with pytest.raises(ValueError, match=kind):
            FSCPU(2).fit(table, y)

    @pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")  # with scikit-learn before 1.9
    def test_complex_objects_and_lazy_frames_are_refused(self):
        with pytest.raises(ValueError, match="collect"):
            FSCPU(2).fit(pl.DataFrame(X).lazy(), y)
        with pytest.raises(ValueError, match="X must hold finite numbers"):
            FSCPU(2).fit(pd.DataFrame(X).astype(object).map(np.complex64), y)

    def test_pipeline_and_grid_search_over_k(self):
        pipeline = make_pipeline(quick(), LogisticRegression())
        grid = GridSearchCV(pipeline, {"fscpu__n_features_to_select": [2, 4]}, cv=2, scoring="roc_auc").fit(X, y)
        assert grid.best_params_["fscpu__n_features_to_select"] in (2, 4)

    def test_row_groups_are_metadata_that_pipelines_route(self):
        groups = np.arange(len(y)) // 2
        with config_context(enable_metadata_routing=True):
            selector = quick().set_fit_request(row_groups=True)
            fitted = make_pipeline(StandardScaler(), selector).fit(X, y, row_groups=groups)
        assert fitted[-1].has_row_groups_
        assert not quick().fit(X, y).has_row_groups_
        with pytest.raises(ValueError, match="one group for each of the 360 rows"):
            quick().fit(X, y, row_groups=groups[:5])

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_frames_in_and_out(self, frame):
        table = frame({f"column {i}": X[:, i] for i in range(10)})
        selector = quick().set_output(transform="pandas" if frame is pd.DataFrame else "polars").fit(table, y)
        chosen = selector.transform(table)
        assert isinstance(chosen, frame)
        assert list(chosen.columns) == list(selector.get_feature_names_out())
        np.testing.assert_array_equal(chosen.to_numpy(), X[:, selector.get_support()])

    def test_missing_labels_and_other_words_mean_unlabelled(self):
        expected = quick().fit(X, y).support_
        for labels in (np.where(y == 1, 1.0, np.nan), pd.Series(np.where(y == 1, 1.0, np.nan))):
            np.testing.assert_array_equal(quick().fit(X, labels).support_, expected)
        for other in ("unknown", np.nan):
            words = np.array(["fraud" if labelled else other for labelled in y], dtype=object)
            np.testing.assert_array_equal(quick(pos_label="fraud").fit(X, words).support_, expected)


class TestSelection:
    def test_finds_the_relevant_features(self):
        found = []
        for seed in range(8):
            *table, truth = small_table(seed)
            found.append(truth[FSCPU(5, random_state=seed).fit(*table).support_].mean())
        assert np.mean(found) >= 0.9

    def test_fitted_attributes_fit_together_and_all_features_need_no_search(self):
        selector = quick(max_iter=40).fit(X, y)
        assert selector.support_.sum() == 5
        assert sorted(selector.ranking_) == list(range(1, 11))
        np.testing.assert_array_equal(selector.support_, selector.ranking_ <= 5)
        drawn, chosen = selector.probabilities_, selector.support_  # clusters may decide otherwise on a close call
        assert drawn[chosen].mean() > drawn[~chosen].mean() + 0.5
        history = selector.history_
        assert history.step[-1] == selector.n_iter_ <= 40
        assert history.theta.shape == (selector.n_iter_, 10)
        np.testing.assert_array_equal(history.theta[-1], selector.probabilities_)
        assert (np.diff(history.best) >= 0).all()
        assert 0 <= selector.settled_ <= 1
        assert selector.converged_ is (selector.settled_ == 1)
        assert 0 < selector.objective_ <= 1
        assert selector.n_degenerate_ == 0
        kept = quick(n_features_to_select=10, always_keep=list(range(10))).fit(X, y)
        assert (kept.n_iter_, kept.settled_, kept.converged_) == (0, 1, True)
        selector = quick(n_features_to_select=10).fit(X, y)
        assert selector.support_.all()
        assert selector.n_iter_ == 0
        assert relevant[np.argsort(selector.ranking_)[:4]].all()

    def test_costs_and_budget(self):
        costs = np.array([1.0, 2.5, 0.3, 4.0, 1.0, 2.0, 0.5, 1.5, 3.0, 0.7])
        selector = FSCPU(feature_costs=costs, budget=4.2, max_iter=30, random_state=0).fit(X, y)
        spent = costs[selector.support_].sum()
        assert spent <= 4.2
        assert not (costs[~selector.support_] <= 4.2 - spent).any()

    def test_costs_by_name_follow_the_columns_whatever_their_order_and_must_be_complete(self):
        costs = pd.Series(np.linspace(0.5, 5, 10), index=list("abcdefghij"))
        chosen = [
            FSCPU(feature_costs=c, budget=6.0, max_iter=10, random_state=0).fit(NAMED, y).support_
            for c in (costs.to_numpy(), costs, costs[::-1], dict(costs[::-1]), costs.reset_index(drop=True))
        ]
        for support in chosen[1:]:
            np.testing.assert_array_equal(support, chosen[0])
        with pytest.raises(ValueError, match="cost for every column, got none for c, d"):
            FSCPU(feature_costs={name: 1.0 for name in "abefghij"}, budget=3).fit(NAMED, y)
        with pytest.raises(ValueError, match="need a table with column names"):
            FSCPU(feature_costs={"a": 1.0}, budget=3).fit(X, y)

    def test_keep_and_never_by_name_and_index(self):
        selector = quick(n_features_to_select=3, always_keep=["b", 9], never_select=[0, "c"]).fit(NAMED, y)
        assert selector.support_[[1, 9]].all()
        assert not selector.support_[[0, 2]].any()
        assert selector.support_.sum() == 3
        assert (selector.probabilities_[[1, 9]] == 1).all()
        assert (selector.probabilities_[[0, 2]] == 0).all()
        assert sorted(selector.ranking_[[1, 9]]) == [1, 2]

    def test_an_integer_is_a_name_where_names_are_integers(self):
        names = [9, 8, 7, 6, 5, 4, 3, 2, 1, 10]
        costs = dict(zip(names, [1.0, *[2.0] * 9], strict=True))
        frame, groups = pd.DataFrame(X, columns=names), {"pair": [9, 8]}
        changes = {"n_features_to_select": None, "budget": 5, "feature_costs": costs | {8: 1.0}, "groups": groups}
        selector = quick(always_keep=[9, np.int64(1)], never_select=[10, 2], **changes).fit(frame, y)
        assert selector.groups_ == {"pair": [0, 1]}
        assert selector.feature_costs_.tolist() == [1, 1, *[2] * 8]
        assert selector.support_[[0, 1, 8]].all() and selector.support_.sum() == 4
        assert not selector.support_[[7, 9]].any()
        assert {feature.cost for feature in summarise(selector).features} == {1.0, 2.0}
        with pytest.raises(ValueError, match="never_select must name columns of X, got 0"):
            quick(never_select=[0]).fit(frame, y)

    def test_mutual_information_criterion(self):
        selector = quick(criterion="cluster+mi", max_iter=150).fit(X, y)
        assert relevant[selector.support_].mean() >= 0.8
        assert not np.array_equal(selector.probabilities_, quick(max_iter=150).fit(X, y).probabilities_)

    def test_mutual_information_from_few_labels_is_warned_of(self):
        for n, is_warned in ((24, True), (25, False)):
            few = (np.arange(len(X)) < n).astype(int)
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always", FewLabelsWarning)
                quick(criterion="cluster+mi", max_iter=2).fit(X, few)
            assert [w.category for w in heard] == [FewLabelsWarning] * is_warned


class TestPublished:
    def test_every_number_is_the_papers(self):
        settings = Settings.of(FSCPU.published(25).get_params())
        mixture, preset = settings.mixture, settings.preset
        assert (mixture.n_clusters, settings.search.population_size, settings.most_steps(0.5, 50, 100)) == (10, 2, 3000)
        assert (mixture.em_steps, mixture.covariance_type) == (100, "full")
        assert (preset.cluster_choice, preset.smoothing, settings.criterion) == ("greedy", 0.0, "cluster")
        assert (settings.max_samples, settings.scale) == (None, "minmax")

    def test_step_size_start_and_margins_are_the_papers(self):
        selector = FSCPU.published(4, max_iter=30, random_state=0).fit(X, y)
        theta = selector.history_.theta
        assert selector.n_iter_ == 30, "it runs all its steps"
        steps = np.abs(np.diff(theta, axis=0))
        moved = steps[(theta[:-1] > 0.15) & (theta[:-1] < 0.85)]
        assert set(np.round(moved, 9)) == {0.0, 1 / 20}
        assert set(np.round(np.abs(theta[0] - 0.4), 9)) <= {0.0, 1 / 20}
        assert theta.min() >= 0.1 - 1e-12
        assert theta.max() <= 0.9 + 1e-12

    def test_fast_and_reference_engine_agree_on_the_whole_search(self):
        fast, slow = (
            FSCPU.published(5, max_iter=8, engine=engine, random_state=0).fit(X, y) for engine in ("cpu", "reference")
        )
        np.testing.assert_allclose(fast.probabilities_, slow.probabilities_, atol=1e-12)


class TestChance:
    @pytest.mark.parametrize("preset", [FSCPU, FSCPU.published])
    def test_same_seed_same_result_to_the_last_bit_for_any_number_of_threads(self, preset):
        *table, _ = make_pu_clusters("10/3/1", n_negative=900, n_positive=100, random_state=0)
        first, second = (preset(25, max_iter=3, n_jobs=n, random_state=3).fit(*table) for n in (1, 2))
        np.testing.assert_array_equal(first.probabilities_, second.probabilities_)
        assert first.objective_ == second.objective_
        np.testing.assert_array_equal(first.ranking_, second.ranking_)

    def test_other_seeds_give_other_results(self):
        results = {quick(random_state=seed, max_iter=5).fit(X, y).probabilities_.tobytes() for seed in range(4)}
        assert len(results) == 4

    def test_equal_probabilities_are_chosen_from_without_regard_to_the_column_order(self):
        constant, few = np.zeros((12, 10)), np.arange(12) < 4  # nothing to learn: probabilities stay as they start
        blind = {"preset": "published", "max_iter": 1, "n_clusters": 2}
        chosen = [quick(**blind, random_state=seed).fit(constant, few).support_ for seed in range(40)]
        share = np.mean(chosen, axis=0)
        assert abs(share - 0.5).max() < 4 * 0.5 / np.sqrt(40)


class TestBadInput:
    def test_a_budget_far_above_all_costs_selects_everything(self):
        tiny = quick(n_features_to_select=None, feature_costs=np.full(10, 1e-300), budget=1e21)
        assert tiny.fit(X, y).support_.all()

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            *(({"n_features_to_select": wrong}, rf"an integer in 1\.\.10, a share .*, 'auto' or 'related', got {wrong}")
              for wrong in (0, 35, 2.5, True, 0.0, float("nan"))),
            ({"n_features_to_select": 3, "budget": 2}, "either n_features_to_select or a budget"),
            ({**FREE, "feature_costs": np.ones(10), "budget": None}, "need a budget"),
            ({**FREE, "feature_costs": np.ones(9)}, r"each of 10 features.*\(9,\)"),
            ({**FREE, "feature_costs": np.zeros(10)}, "positive and at most 1e.100, got 0"),
            ({**FREE, "feature_costs": np.full(10, np.nan)}, "got nan"),
            ({**FREE, "feature_costs": ["a"] * 10}, "must be numbers"),
            ({**FREE, "feature_costs": np.ones(10), "budget": 0.5}, r"got 0\.5.*costs 1"),
            *(({**FREE, "budget": wrong}, "budget must be positive and finite") for wrong in (np.inf, 10**400)),
            ({"always_keep": [1], "never_select": [1]}, "must not share features"),
            ({"always_keep": list(range(6))}, "always_keep must fit the budget of 5"),
            ({"never_select": list(range(10))}, "never_select leaves none"),
            ({"always_keep": ["nobody"]}, "must name columns of X, got 'nobody'"),
            ({"always_keep": [10]}, r"indices in 0\.\.9, got 10"),
            ({"always_keep": "abc"}, "a list of names or indices"),
            ({"population_size": 10**400}, "got one of 401 digits"),
            ({"population_size": 2**40}, "population_size must be an integer in"),
            ({"scale": False}, "scale must be one of 'auto', 'minmax', None, got False"),
            ({"n_jobs": "two"}, "n_jobs must be an integer"),
            ({"preset": "paper"}, "preset must be one of 'default', 'published', got 'paper'"),
            ({"preset": "published", "criterion": "cluster+evidence"}, "with preset='published'"),
            ({"criterion": "mi"}, "criterion must be one of 'auto', 'cluster\\+evidence', .*, got 'mi'"),
            ({"engine": "tpu"}, "engine must be one of"),
            ({"n_clusters": 0}, "n_clusters must be an integer of at least 1, got 0"),
            ({"max_iter": 0}, "max_iter"),
            ({"max_samples": "all"}, "max_samples"),
            ({"screen": 0}, "screen must be an integer of at least 1"),
            ({"verbose": "loud"}, "verbose"),
            ({"groups": "prepared"}, "groups.*column names"),
        ],
    )  # fmt: skip
    def test_parameters(self, changes, message):
        with pytest.raises(ValueError, match=message):
            quick(**changes).fit(X, y)

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda X, y: (pd.DataFrame(X, columns=[*"aabcdefghi"[:10]]), y), "several named 'a'"),
            (lambda X, y: (np.where(X[3, 3] == X, np.inf, X), y), "contains infinity"),
            (lambda X, y: (X.astype(str).astype(object) + "x", y), "could not convert"),
            (lambda X, y: (X, np.zeros_like(y)), "at least one labelled positive"),
            (lambda X, y: (X, np.ones_like(y)), "unlabelled rows"),
            (lambda X, y: (X, None), "requires y"),
        ],
    )
    def test_data(self, spoil, message):
        with pytest.raises(ValueError, match=message):
            quick().fit(*spoil(X, y))

    @pytest.mark.parametrize("kind", AWKWARD)
    @pytest.mark.parametrize("preset", [FSCPU, FSCPU.published])
    def test_awkward_tables_give_a_result_without_warnings(self, preset, kind):
        table = AWKWARD[kind](X)
        selector = preset(5, max_iter=4, random_state=0).fit(table, np.arange(len(table)) % 8 == 0)
        assert selector.support_.sum() == 5
        assert np.isfinite(selector.objective_)

    def test_degenerate_clusterings_are_counted(self):
        selector = quick(max_iter=3, preset="published").fit(np.zeros_like(X), y)
        assert selector.n_degenerate_ == selector.n_evaluations_ == 6, "those of the result are not counted among them"
        assert selector.clusterings_.degenerate.all()

    def test_masked_tables_are_refused(self):
        with pytest.raises(ValueError, match="masked"):
            quick().fit(np.ma.masked_greater(X, 5), y)
        np.testing.assert_array_equal(quick().fit(np.ma.array(X), y).support_, quick().fit(X, y).support_)


class TestConstantColumns:
    constant = np.isin(np.arange(10), [0, 3, 4, 7])
    table = np.where(constant, 2.5, X)

    @pytest.mark.parametrize("changes", [{}, {"criterion": "cluster+mi"}, {"scale": None}, {"engine": "reference"}])
    def test_they_rank_last_and_are_not_searched_over(self, changes):
        selector = quick(max_iter=3, **changes).fit(self.table, y)
        assert selector.ranking_[self.constant].min() > selector.ranking_[~self.constant].max()
        assert (selector.probabilities_[self.constant] == 0).all()
        np.testing.assert_array_equal(selector.searched_, np.flatnonzero(~self.constant))
        assert selector.history_.theta.shape[1] == 6

    def test_always_keep_wins_and_otherwise_only_columns_that_vary_are_selected(self):
        with pytest.warns(FewerFeaturesWarning, match="6 instead of 8"):
            selector = quick(n_features_to_select=8).fit(self.table, y)
        np.testing.assert_array_equal(selector.support_, ~self.constant)
        assert selector.converged_
        assert quick(always_keep=[3], max_iter=3).fit(self.table, y).support_[3]
        with pytest.warns(FewerFeaturesWarning, match="7 instead of 9"):
            selector = quick(n_features_to_select=9, always_keep=[3]).fit(self.table, y)
        np.testing.assert_array_equal(selector.support_, ~self.constant | (np.arange(10) == 3))
        never = np.flatnonzero(~self.constant)[:1].tolist()
        with pytest.warns(FewerFeaturesWarning, match="5 instead of 6"):
            selector = quick(n_features_to_select=6, never_select=never).fit(self.table, y)
        assert selector.support_.sum() == 5
        with pytest.raises(ValueError, match="varies"):
            quick().fit(np.ones_like(X), y)

    def test_the_paper_makes_no_difference(self):
        published = FSCPU.published(8, max_iter=3, random_state=0).fit(self.table, y)
        assert published.support_.sum() == 8
        assert len(published.searched_) == 10


def test_what_a_fit_was_made_with_is_kept():
    selector = quick(max_iter=3, clusterer=KMeans(3, n_init=1)).fit(X, y)
    selector.set_params(population_size=99, clusterer__n_clusters=7, pos_label="other")
    assert selector.fit_settings_["population_size"] is None
    assert selector.fit_settings_["clusterer"].n_clusters == 3
    assert selector.fit_settings_["pos_label"] == 1


def test_costs_many_orders_of_magnitude_apart():
    costs = [1, 10, 1e20, 1, 2, 1e100, 3, 1, 1, 1]
    selector = quick(n_features_to_select=None, feature_costs=costs, budget=5).fit(X, y)
    assert 0 < np.array(costs)[selector.support_].sum() <= 5
    with pytest.raises(ValueError, match="feature_costs"):
        quick(n_features_to_select=None, feature_costs=[1e200] * 10, budget=5).fit(X, y)


def test_interrupt_keeps_the_best_so_far():
    def interrupt(step):
        if step.number == 5:
            raise KeyboardInterrupt

    with watching(interrupt), pytest.warns(ConvergenceWarning, match="interrupted after 5 of at most 10 steps"):
        selector = quick().fit(X, y)
    assert selector.n_iter_ == 5
    assert selector.support_.sum() == 5
    assert len(selector.clusterings_.score) == 1, "a person who pressed Ctrl-C waits"


def test_labels_without_checked_negatives_are_read_as_before():
    """A label that is not `neg_label` means unlabelled; and selectors that were stored before there were any work."""
    checked = np.where(y == 1, 1, 0)
    checked[np.flatnonzero(y != 1)[::7]] = -1
    expected, found = quick().fit(X, y), quick().fit(X, checked)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    assert found.objective_ == expected.objective_
    assert not np.array_equal(quick(neg_label=-1).fit(X, checked).probabilities_, expected.probabilities_)
    candidates = found.candidate_positives(X, y)
    for stored in (found.__dict__, found.fit_settings_):
        stored.pop("neg_label")
    del found.n_negative_
    assert found.get_params()["neg_label"] is None
    assert found.result_.n_negative == 0
    np.testing.assert_array_equal(found.candidate_positives(X, y).rows, candidates.rows)
    assert "neg_label" not in summarise(found, X, y).command
