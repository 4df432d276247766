import numpy as np
import pytest

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.fscpu.final_clusters import Candidates
from puselect.report import panels
from puselect.report.panels import Rows, feature_panels
from puselect.report.summary import summarise
from puselect.selectors.result import Unit

N = 2000


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng, np.where(np.arange(N) < 100, 1, np.where(np.arange(N) < 300, 2, 0))


def panel_of(column, kind, members=()):
    table = np.column_stack(np.atleast_2d(column))
    unit = Unit("f", 0, tuple(range(table.shape[1])), members)
    return feature_panels(table, Rows.of(kind), [unit])[0]


def test_shares_of_each_group_add_up_and_the_direction_is_that_of_known_rows(rows):
    rng, kind = rows
    column = rng.normal(size=N)
    column[kind == 1] += 3
    panel = panel_of(column, kind)
    assert panel.phrase == str(panel.direction) == "very high"
    for shares in (panel.labelled, panel.candidates, panel.others):
        assert sum(shares) == pytest.approx(1, abs=0.01)


def test_two_values_are_shown_like_categories(rows):
    _, kind = rows
    panel = panel_of(np.where(kind == 1, 1.0, np.arange(N) % 10 == 0), kind)
    assert panel.members == ("no", "yes")
    assert panel.labelled == (0, 1)
    assert panel.phrase == "all 100 known have it"


def test_a_category_is_one_panel_without_the_name_of_its_column(rows):
    _, kind = rows
    web = np.where(kind == 1, np.arange(N) % 4 > 0, np.arange(N) % 5 == 0).astype(float)
    panel = panel_of([web, (1 - web) * (np.arange(N) % 2)], kind, ("f=web", "f=app"))
    assert panel.members == ("web", "app", "other")
    assert panel.phrase == "more often web"
    assert panel.direction.n_inside == 75


def test_a_feature_of_several_columns_shows_the_one_that_differs(rows):
    rng, kind = rows
    columns = [rng.normal(size=N), rng.normal(size=N) + 2 * (kind == 1)]
    panel = panel_of(columns, kind, ("f", "f (hour)"))
    assert (panel.column, panel.phrase) == ("f (hour)", "f (hour): very high")


def test_values_of_a_column_with_few_are_its_bins_and_tails_are_cut(rows):
    rng, kind = rows
    assert panel_of(rng.integers(0, 3, N).astype(float), kind).edges == (0, 1, 2)
    tail = rng.lognormal(0, 3, N)
    assert panel_of(tail, kind).edges[-1] < tail.max() / 2
    rare = np.where(np.arange(N) < 8, -np.arange(N), 0.0) + np.where(np.arange(N) >= N - 8, np.arange(N), 0.0)
    assert panel_of(rare, kind).edges[:: panels.N_BINS] == (-7, N - 1)
    many = np.where(np.arange(60_000) < 9000, 1, 0)
    rows = Rows.of(many)  # of a large table known positives are not thinned
    assert (len(rows.known), len(rows.others)) == (9000, 20_000 // 3)


def test_candidates_are_among_the_others_in_proportion(rows):
    """They are like the known positives by choice: without them any column would seem to differ."""
    rng, _ = rows
    column = rng.normal(size=N)
    kind = np.where(np.arange(N) < 100, 1, np.where(column > 0.5, 2, 0))
    assert not panel_of(column, kind).direction.is_clear
    large = np.where(np.arange(90_000) < 9000, 2, 0)
    assert (large[Rows.of(large).others] == 2).mean() == pytest.approx(0.1, abs=0.02)


def test_without_known_rows_there_is_nothing_to_compare():
    assert feature_panels(np.eye(4), Rows.of(np.zeros(4)), [Unit("f", 0, (0,), ())]) == ()


def test_what_marks_a_cluster_is_said_in_words():
    X, y, _ = make_pu_clusters(
        "40/3/1", n_negative=300, n_positive=60, n_relevant=4, n_irrelevant=2, n_redundant=0, random_state=0
    )
    X[y == 1, 0] += 50
    selector = FSCPU(4, always_keep=[0], max_iter=30, n_clusters=20, random_state=0).fit(X, y)
    found = summarise(selector, X, y).portraits
    assert found
    assert found[0].labelled >= max(cluster.labelled for cluster in found)
    assert "x0 very high" in str(found[0])
    assert all(len(cluster.marks) <= panels.MOST_MARKS for cluster in found)
    assert summarise(FSCPU(4, max_iter=2, n_clusters=1, random_state=0).fit(X, y), X, y).portraits == ()


def test_a_category_is_marked_by_its_share():
    mark = panels._mark(np.repeat([0.0, 1.0, 0.0], [10, 50, 140]), np.arange(200) < 60, "city=Rome", ())
    assert (str(mark), mark.figures) == ("city=Rome mostly", "83% here, 25% in all rows")


def test_candidates_as_rows_of_a_frame():
    import pandas as pd
    import polars as pl

    found = Candidates(np.array([2, 0]), np.array([9.0, 4.0]), np.array([0.9, 0.4]))
    rows = {"name": ["Ann", "Bob", "Cleo"]}
    for frame in (found.to_frame(pd.DataFrame(rows)), found.to_frame(pl.DataFrame(rows))):
        assert list(frame["name"]) == ["Cleo", "Ann"]
        assert list(frame["confidence"]) == [0.9, 0.4]
    with pytest.raises(ValueError, match="confidence"):
        found.to_frame(pd.DataFrame({"confidence": [1, 2, 3]}))
    with pytest.raises(ValueError, match="list"):
        found.to_frame([1, 2, 3])
