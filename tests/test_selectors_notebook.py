import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.selectors.notebook import selected_html

X = np.random.default_rng(0).normal(size=(60, 30))
y = np.arange(60) < 20


@pytest.mark.parametrize("selector", [FSCPU(3, max_iter=2, random_state=0), KBest(3, random_state=0)])
def test_fitted_selectors_show_what_they_selected(selector):
    assert "features selected" not in selector._repr_html_()
    selector.fit(X, y)
    shown = selector._repr_mimebundle_()
    assert shown["text/plain"] == repr(selector)
    for html in (shown["text/html"], selector._repr_html_()):
        assert "3 of 30 features selected" in html
        assert all(f">{name}</td>" in html for name in selector.get_feature_names_out())
        assert "sk-container-id" in html


def test_long_lists_are_cut_and_names_escaped():
    selector = KBest(20, random_state=0).fit(X, y)
    selector.feature_names_in_ = np.array([f"<b>{i}</b>" for i in range(30)], dtype=object)
    html = selected_html(selector)
    assert "and 8 more" in html
    assert "&lt;b&gt;" in html
    assert "<b>1" not in html


def test_a_search_shows_how_often_features_were_selected_again_and_no_probability():
    plain = FSCPU(3, max_iter=2, random_state=0).fit(X, y)
    assert "probability" not in selected_html(plain)
    repeated = FSCPU(3, max_iter=2, n_searches=2, random_state=0).fit(X, y)
    assert "selected again, of 2" in selected_html(repeated)


def test_text_display_and_pipelines_are_left_alone():
    selector = KBest(3, random_state=0).fit(X, y)
    with config_context(display="text"):
        assert not hasattr(selector, "_repr_html_")
        assert set(selector._repr_mimebundle_()) == {"text/plain"}
    assert "KBest" in estimator_html_repr(make_pipeline(selector))


def test_a_group_is_one_line():
    groups = {"both": [0, 1], "others": [2, 3]}
    selector = FSCPU(2, groups=groups, always_keep=[1], max_iter=2, random_state=0).fit(X, y)
    html = selected_html(selector)
    assert "2 of 28 features selected" in html
    assert html.count(">both</td>") == 1
    assert ">x0</td>" not in html
