import sys
from collections.abc import Iterator

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from puselect import FSCPU, assess_stability, plots
from puselect.baselines import KBest
from puselect.datasets import make_pu_clusters

matplotlib.use("Agg")

X, y, relevant = make_pu_clusters("40/3/1", n_negative=200, n_positive=80, n_relevant=4, n_irrelevant=4, random_state=0)
FRAME = pd.DataFrame(X, columns=[f"price in ${i}$" for i in range(8)])


@pytest.fixture(scope="module")
def selector() -> FSCPU:
    return FSCPU(4, max_iter=20, random_state=0).fit(FRAME, y)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def test_what_cannot_be_drawn_is_said(selector: FSCPU, monkeypatch: pytest.MonkeyPatch) -> None:
    ranked = KBest(3).fit(X, y)
    for draw, wrong, said in (
        (plots.path, (selector,), "auto"),
        (plots.stability, (ranked,), "n_searches=8"),
    ):
        with pytest.raises(ValueError, match=said):
            draw(*wrong)
    assert plots.ranking(ranked).get_xlabel() == "score"
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plots.ranking(selector)


def test_ranking_draws_the_best_first_with_their_names(selector: FSCPU) -> None:
    ax = plots.ranking(selector, most=5)
    ax.figure.canvas.draw()
    assert len(ax.patches) == 5
    first = int(np.argmin(selector.ranking_))
    assert ax.get_yticklabels()[0].get_text() == FRAME.columns[first].replace("$", r"\$")
    assert ax.patches[0].get_width() == selector.probabilities_[first]
    assert ax.yaxis.get_inverted()
    assert to_rgba(ax.patches[4].get_facecolor()) == to_rgba(plots.QUIET)
    own = plt.subplots()[1]
    assert plots.ranking(selector, ax=own) is own
    grouped = plots.ranking(FSCPU(2, groups={"pair": [3, 7]}, max_iter=1, random_state=0).fit(X, y))
    names = [label.get_text() for label in grouped.get_yticklabels()]
    assert len(names) == 7 and "pair" in names and not {"x3", "x7"} & set(names)


@pytest.mark.parametrize("candidates", [True, False])
def test_clusters_draws_every_row_once(selector: FSCPU, candidates: bool) -> None:
    drawn = selector if candidates else KBest(4, random_state=0).fit(FRAME, y)
    ax = plots.clusters(drawn, FRAME, y)
    assert sum(len(dots.get_offsets()) for dots in ax.collections) == len(X)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"known positive ({y.sum()})" in labels
    assert any(label.startswith("candidate") for label in labels) == candidates


def test_the_path_has_three_lines_and_stability_a_bar_and_an_interval_for_each_feature() -> None:
    chosen = FSCPU("auto", max_iter=10, random_state=0).fit(X, y)
    ax = plots.path(chosen)
    assert [len(line.get_xdata()) for line in ax.lines[:3]] == 3 * [len(chosen.path_.size)]
    assert ax.lines[3].get_xdata()[0] == chosen.support_.sum()
    selector = KBest(3).fit(X, y)
    found = assess_stability(selector, X, y, n_searches=3)
    ax = plots.stability(selector, most=4)
    widths = [bar.get_width() for bar in ax.patches[:4]]
    order = np.argsort(selector.ranking_)[:4]
    assert widths == [found.frequency[j] for j in order]
    assert len(ax.collections[0].get_segments()) == 4
