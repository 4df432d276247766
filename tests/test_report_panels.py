import json

import numpy as np
import pytest

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.fscpu.final_clusters import Candidates
from puselect.report import panels
from puselect.report.insight import panel_word, portrait
from puselect.report.panels import Unit, degree, feature_panels, rank_shares
from puselect.report.selection import Selection
from puselect.report.summary import summarise

N = 2000


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng, np.where(np.arange(N) < 100, 1, np.where(np.arange(N) < 300, 2, 0))


def panel_of(column, kind, members=()):
    table = np.column_stack(np.atleast_2d(column))
    unit = Unit("f", 0, tuple(range(table.shape[1])), members)
    return feature_panels(table, kind, [unit])[0]


@pytest.mark.parametrize(("values", "word"), [
    (lambda rng, n: rng.normal(0, 1, n), "similar"),
    (lambda rng, n: rng.normal(0.8, 1, n), "high"),
    (lambda rng, n: rng.normal(-3, 1, n), "very low"),
    (lambda rng, n: rng.normal(0, 0.2, n), "in the middle"),
    (lambda rng, n: rng.choice([-3, 3], n) + rng.normal(0, 0.2, n), "very low or very high"),
])  # fmt: skip
def test_words_say_where_known_positives_are(rows, values, word):
    rng, kind = rows
    column = rng.normal(size=N)
    column[kind == 1] = values(rng, 100)
    panel = panel_of(column, kind)
    assert panel.word == panel_word(panel) == word
    for shares in (panel.labelled, panel.candidates, panel.others):
        assert sum(shares) == pytest.approx(1, abs=0.01)


def test_a_spike_at_zero_among_skewed_counts_is_low(rows):
    rng, kind = rows
    column = np.floor(rng.lognormal(1, 1.3, N))
    column[kind == 1] = rng.random(100) < 0.2
    assert panel_of(column, kind).word in ("low", "very low")


def test_values_of_a_column_with_few_are_its_bins_and_tails_are_cut(rows):
    rng, kind = rows
    assert panel_of(rng.integers(0, 3, N).astype(float), kind).edges == (0, 1, 2)
    tail = rng.lognormal(0, 3, N)
    assert panel_of(tail, kind).edges[-1] < tail.max() / 2


def test_rank_shares_are_those_of_all_pairs(rows):
    rng, _ = rows
    a, b = rng.integers(0, 9, 50).astype(float), rng.integers(0, 9, 70).astype(float)
    pairs = (a[:, None] > b).mean(axis=1) + (a[:, None] == b).mean(axis=1) / 2
    np.testing.assert_allclose(rank_shares(a, b), pairs)
    assert degree(pairs)[0] == pytest.approx(2 * pairs.mean() - 1)


def test_what_marks_a_cluster_is_said_in_words():
    X, y, _ = make_pu_clusters(
        "40/3/1", n_negative=300, n_positive=60, n_relevant=4, n_irrelevant=2, n_redundant=0, random_state=0
    )
    X[y == 1, 0] += 50
    selector = FSCPU(4, always_keep=[0], max_iter=30, n_clusters=20, random_state=0).fit(X, y)
    found = summarise(selector, X, y).portraits
    assert found
    assert found[0].labelled >= max(cluster.labelled for cluster in found)
    assert "x0 very high" in portrait(found[0])


@pytest.fixture
def clusters(rows):
    """600 columns, of which ten mark one of three clusters; the last hundred hold zeros and ones."""
    rng, _ = rows
    place = rng.integers(0, 3, 120)
    table = np.c_[rng.normal(size=(120, 500)), rng.random((120, 100)) < 0.4]
    table[:, :5] += 3 * (place == 0)[:, None]
    table[place == 1, 500:505] = 1
    units = [Unit(f"c{j}", j, (j,), ()) for j in range(596)]
    units.append(Unit("last", 596, tuple(range(596, 600)), tuple("abcd")))
    return table, place == np.arange(3)[:, None], units


def test_clarity_is_that_of_each_column_alone(clusters):
    table, inside, _ = clusters
    found = panels._clarity(table, inside, list(range(600)))
    for c, rows in enumerate(inside):
        for j in range(0, 500, 7):
            difference, word = degree(rank_shares(table[rows, j], table[:, j]))
            assert found[c, j] == pytest.approx(-1 if word == "similar" else abs(difference))
        for j in range(500, 600, 7):
            share = abs(table[rows, j].mean() - table[:, j].mean())
            assert found[c, j] == pytest.approx(share if share >= 0.2 else -1)


def test_only_what_is_shown_of_a_cluster_is_looked_at_closely(clusters, monkeypatch):
    table, inside, units = clusters
    looked_at = []
    closely = panels._mark
    monkeypatch.setattr(panels, "_mark", lambda *given: looked_at.append(given[2]) or closely(*given))
    found = list(panels._marks(table, inside, units, panels._clarity(table, inside, list(range(600)))))
    assert {mark.feature for mark in found[0]} < {f"c{j}" for j in range(5)}
    assert {mark.feature for mark in found[1]} < {f"c{j}" for j in range(500, 505)}
    assert [mark.word for mark in found[0]] == ["very high"] * 4
    assert len(looked_at) == sum(map(len, found)) <= 3 * panels.MOST_MARKS


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


def test_more_panels_than_selected_features_are_refused():
    X, y, _ = make_pu_clusters("40/1/1", n_negative=60, n_positive=20, n_relevant=3, n_irrelevant=3, random_state=0)
    selector = FSCPU(3, n_clusters=4, max_iter=3, random_state=0).fit(X, y)
    data = json.loads(summarise(selector, X, y).to_json())
    data["panels"] *= 2
    with pytest.raises(ValueError, match="panels"):
        Selection.from_json(json.dumps(data))
