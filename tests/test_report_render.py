import re
import sys
from dataclasses import replace

import pytest

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.datasets import make_pu_clusters
from puselect.fscpu.auto_number import Path
from puselect.fscpu.row_model import ClassPrior
from puselect.report import Comparison, Selection, render, write_report
from puselect.report.comparison import PROXY
from puselect.report.selection import CandidateTable, Feature, Finding, Gathering

X, y, _ = make_pu_clusters("40/3/1", n_negative=100, n_positive=40, n_relevant=3, n_irrelevant=3, random_state=0)
HOSTILE = "</script><script>alert(1)</script>"

CLUSTERED = Selection(
    method="fscpu",
    selected=("a", "b"),
    n_features=10,
    gathering=Gathering(1, 3, 45, 50, 100, 1000),
)

LISTED = replace(CLUSTERED, candidates=CandidateTable((4, 7), (4.0, 1.0), (0.97, 0.2), ("a",), ((1.0,), (2.0,)), 2))


def html_of(**fields) -> str:
    return render.render(Selection(**{"method": "kbest", "selected": ("a",), "n_features": 3, **fields}))


class TestFile:
    def test_names_the_extra_it_needs(self, monkeypatch, tmp_path):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            write_report(CLUSTERED, tmp_path / "nowhere" / "report.html")
        with pytest.raises(ValueError, match="at least one result, got none"):
            write_report([], tmp_path / "report.html")
        render.environment.cache_clear()
        monkeypatch.setitem(sys.modules, "jinja2", None)
        with pytest.raises(ImportError, match="pip install jinja2"):
            render.render(CLUSTERED)

    def test_is_written_by_every_selector(self, tmp_path):
        for selector in (FSCPU(3, max_iter=2, random_state=0), KBest(3)):
            selector.fit(X, y)
            full = selector.report(tmp_path / "full.html", X, y).read_text(encoding="utf-8")
            alone = selector.report(tmp_path / "alone.html").read_text(encoding="utf-8")
            assert 'data-part="map"' in full
            assert 'data-part="map"' not in alone
            assert 'data-part="ranking"' in alone

class TestSafety:
    @pytest.mark.parametrize(
        "fields",
        [
            {"method": HOSTILE},
            {"command": HOSTILE},
            {"seed": HOSTILE, "versions": {HOSTILE: HOSTILE}},
            {"notes": (HOSTILE,)},
            {"settings": {HOSTILE: HOSTILE}},
            {"findings": (Finding("warning", HOSTILE, HOSTILE),)},
            {"features": (Feature(HOSTILE, 0, 1, True, 1.0, None),)},
        ],
        ids=lambda fields: next(iter(fields)),
    )
    def test_no_field_can_close_the_script_or_open_one(self, fields):
        assert html_of(**fields).count("<script") == html_of().count("<script") == 2
        assert "<script>alert" not in html_of(**fields)

    def test_nothing_points_outside(self):
        addresses = re.findall(r"(?:src|href)=\"([^\"#][^\"]*)\"", html_of())
        assert all(address.startswith("data:") for address in addresses)
        assert "default-src 'none'" in html_of()


class TestSections:
    def test_rows_are_listed_only_where_they_mean_something(self):
        nothing = Path("nothing_beyond_chance", 2, 1, 2, (0, 3), 0.4, (1,), *[(0.5,)] * 5)
        assert 'href="#r0-candidates"' in render.render(LISTED)
        for doubtful in (replace(LISTED, path=nothing), replace(LISTED, n_labelled=3)):
            page = render.render(replace(doubtful, prior=ClassPrior("estimated", 0.2, (0.1, 0.3), 40)))
            assert "r0-candidates" not in page
            assert "r0-map" not in page
            assert "97%" not in page

    def test_what_a_comparison_is_judged_by_is_said_once(self):
        chosen, seconds = {"a": ["x", "y"], "b": ["y", "z"]}, {"a": 2.0, "b": 0.5}
        found = Comparison.of(chosen, seconds, {"a": [0.8, 0.81], "b": [0.7, 0.71]}, n_features=3, score_is_proxy=True)
        page = render.render(found)
        assert page.count(PROXY) == 1
        assert PROXY not in render.render(replace(found, score_is_proxy=False))
        assert re.findall(r'href="#r0-(\w+)"', page) == ["methods", "features", "repeat"]
