import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.checks.suitability import Suitability
from puselect.datasets import make_pu_clusters
from puselect.fscpu.auto_number import Path
from puselect.fscpu.prior import ClassPrior
from puselect.fscpu.stability import summarise_selections
from puselect.methods import YARDSTICKS
from puselect.report import Comparison, Selection, render, summarise, theme, write_report
from puselect.report.findings import Code
from puselect.report.selection import CandidateTable, Cluster, Clustering, Feature, Finding
from puselect.report.sentences import (
    PROXY,
    Standing,
    about_confidence,
    comparison_headline,
    comparison_lede,
    comparison_tiles,
    gathering,
    headline,
    label_first,
    lede,
    standing,
    tiles,
)
from puselect.report.stability_rows import again, shown

X, y, _ = make_pu_clusters("40/3/1", n_negative=100, n_positive=40, n_relevant=3, n_irrelevant=3, random_state=0)
HOSTILE = "</script><script>alert(1)</script>"

CLUSTERED = Selection(
    method="fscpu",
    selected=("a", "b"),
    n_features=10,
    clusterings=(Clustering(0.5, (Cluster(100, 45, True), Cluster(300, 5, False), Cluster(600, 0, False))),),
)

ALL, RANDOM, _, LEPAGE = YARDSTICKS.values()

LISTED = replace(CLUSTERED, candidates=CandidateTable((4, 7), (4.0, 1.0), (0.97, 0.2), ("a",), ((1.0,), (2.0,)), 2))


def html_of(**fields) -> str:
    return render.render(Selection(**{"method": "kbest", "selected": ("a",), "n_features": 3, **fields}))


class TestFile:
    def test_replaces_the_old_one_and_leaves_nothing_else(self, tmp_path):
        (tmp_path / "report.html").write_text("old")
        written = write_report(CLUSTERED, tmp_path / "report.html")
        assert written.read_text(encoding="utf-8").startswith("<!doctype html>")
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_a_failure_leaves_the_old_one(self, tmp_path, monkeypatch):
        (tmp_path / "report.html").write_text("old")

        def fail(*_):
            raise OSError("disk full")

        monkeypatch.setattr("puselect.atomic.os.replace", fail)
        with pytest.raises(OSError, match="disk full"):
            write_report(CLUSTERED, tmp_path / "report.html")
        assert (tmp_path / "report.html").read_text() == "old"
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_goes_into_a_folder_that_exists(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            write_report(CLUSTERED, tmp_path / "nowhere" / "report.html")

    def test_names_the_extra_it_needs(self, monkeypatch):
        theme.environment.cache_clear()
        monkeypatch.setitem(sys.modules, "jinja2", None)
        with pytest.raises(ImportError, match="pip install jinja2"):
            render.render(CLUSTERED)

    def test_needs_a_result(self, tmp_path):
        with pytest.raises(ValueError, match="at least one result, got none"):
            write_report([], tmp_path / "report.html")

    def test_is_written_by_every_selector(self, tmp_path):
        for selector in (FSCPU(3, max_iter=2, random_state=0), KBest(3)):
            selector.fit(X, y)
            full = selector.report(tmp_path / "full.html", X, y).read_text(encoding="utf-8")
            alone = selector.report(tmp_path / "alone.html").read_text(encoding="utf-8")
            assert 'data-part="map"' in full
            assert 'data-part="map"' not in alone
            assert 'data-part="ranking"' in alone

    def test_of_saved_json_is_the_same(self):
        selection = summarise(FSCPU(3, max_iter=2, random_state=0).fit(X, y), X, y)
        assert render.render(Selection.from_json(selection.to_json())) == render.render(selection)


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
            {"selected": (HOSTILE,)},
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


class TestSentences:
    def test_the_answer_is_counted_from_the_typical_clustering(self):
        found = gathering(CLUSTERED)
        assert (found.n_positive, found.n_clusters, found.n_labelled) == (1, 3, 50)
        assert (found.labelled_share, found.row_share, found.lift) == (0.9, 0.1, 9)
        assert re.findall(r"\d+", lede(CLUSTERED)[0]) == ["1", "3", "90", "50", "10"]
        assert tiles(CLUSTERED)[1].figure == "9.0×"

    def test_only_what_passed_the_check_is_claimed(self):
        passed = replace(LISTED, suitability=Suitability(3, 1, 3.0, 1))
        assert standing(passed) is Standing.PASSED
        assert tiles(passed)[-1][:2] == ("4.0×", "")
        told = replace(passed, prior=ClassPrior("estimated", 0.2, (0.1, 0.3), 40))
        assert tiles(told)[-1][:2] == ("40", "rows")
        assert "muted" not in [tile.kind for tile in tiles(passed)]

    def test_without_a_check_the_headline_says_so_and_how_to_check(self):
        assert standing(LISTED) is Standing.UNCHECKED
        assert "check_suitability" in lede(LISTED)[-1]
        assert "--suitability" in lede(replace(LISTED, from_command_line=True))[-1]
        assert tiles(LISTED)[-1].kind == "muted"

    def test_rows_to_label_are_those_least_known(self):
        table = CandidateTable((4, 7, 9), (9.0, 6.0, 1.0), (0.97, 0.6, 0.1), ("a",), ((1.0,), (2.0,), (3.0,)), 3)
        assert "rows 7, 9 and 4 next" in label_first(replace(LISTED, candidates=table))
        assert label_first(replace(LISTED, candidates=None)) == ""
        assert label_first(replace(LISTED, suitability=Suitability(1, 1, 1.0, 1))) == ""

    def test_the_answer_says_how_sure(self):
        features = tuple(Feature(name, i, i + 1, True, 0.9, None) for i, name in enumerate("ab"))
        found = summarise_selections(np.array([[True, False], [True, True], [True, False]]))
        told = lede(replace(LISTED, stability=found, features=features))
        assert any("Selected in half of them or less: b." in line for line in told)
        twins = summarise_selections(np.array([[True, False], [True, True], [True, False]]), ((0, 1),))
        assert any("instead of b." in line for line in lede(replace(LISTED, stability=twins, features=features)))

    def test_the_number_of_features_has_a_picture(self):
        values = [(1.0, 2.0), (0.4, 0.5), (0.7, 0.8), (0.1, 0.1), (0.0, 0.1)]
        path = Path("chosen", 2, 1, 2, (1, 3), 0.001, (1, 2), *values)
        page = render.render(replace(LISTED, path=path))
        assert 'data-part="number"' in page
        assert "2 are related to the labels (1 to 3)" in page
        assert 'data-part="number"' not in render.render(LISTED)

    def test_each_feature_says_how_often_it_was_selected_again(self):
        features = tuple(Feature(name, i, i + 1, i < 2, 0.9, None) for i, name in enumerate("abcd"))
        drawn = np.array([[True, True, False, False], [True, False, True, False], [True, False, True, False]])
        found = replace(LISTED, stability=summarise_selections(drawn, ((1, 2),)), features=features)
        rows = again(found)
        assert [row.count for row in rows] == ["3 of 3", "1 of 3", "2 of 3", "0 of 3"]
        assert rows[0].note == rows[3].note == ""
        assert rows[1].note == "3 of 3 with its twin c"
        assert rows[2].note == "its twin is selected: b"
        assert [row.name for row in shown(rows)] == ["a", "b", "c"]
        page = render.render(found)
        assert page.count("<dt>") == 3
        assert 'href="#r0-again"' in page
        assert again(LISTED) == []
        assert "r0-again" not in render.render(LISTED)

    def test_every_standing_has_words_of_its_own(self):
        passed, failed = (replace(LISTED, suitability=Suitability(ratio, 1, ratio, 1)) for ratio in (2.0, 1.0))
        assert len({headline(selection) for selection in (LISTED, passed, failed)}) == 3
        assert len({about_confidence(selection) for selection in (passed, failed)}) == 2

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"suitability": Suitability(1, 1, 1.0, 1)}, Standing.FAILED),
            ({"findings": (Finding("warning", "t", "", Code.POSITIVE_EVERYWHERE),)}, Standing.EVERYWHERE),
        ],
    )
    def test_doubt_is_in_the_headline_and_mutes_the_candidates(self, fields, expected):
        doubtful = replace(LISTED, **fields)
        assert standing(doubtful) is expected
        assert "alert" in [tile.kind for tile in tiles(doubtful)]
        assert ("4.0×", "", "muted") in [(tile.figure, tile.unit, tile.kind) for tile in tiles(doubtful)]

    def test_a_comparison_names_the_winner_only_where_it_is_clear(self):
        chosen, seconds = {"a": ["x"], "b": ["x"], "c": ["y"]}, dict.fromkeys("abc", 1.0)
        clear = Comparison.of(chosen, seconds, {"a": [0.9, 0.91, 0.9], "b": [0.5, 0.5, 0.51], "c": [0.1, 0.1, 0.1]})
        assert comparison_headline(clear) == "a scores clearly higher than all other methods."
        close = Comparison.of(chosen, seconds, {"a": [0.9, 0.7, 0.8], "b": [0.7, 0.9, 0.79], "c": [0.1, 0.1, 0.1]})
        assert comparison_headline(close) == "a scores highest, but not clearly higher than b."
        assert comparison_headline(Comparison.of(chosen, seconds)) == "3 methods, 0 features in common."

    def test_baselines_are_no_methods(self):
        chosen = {"a": ["x", "y"], "b": ["y", "z"], ALL: ["x", "y", "z"], RANDOM: ["z"]}
        seconds = {"a": 2.0, "b": 0.5, ALL: 1e-6, RANDOM: 5e-5}
        scores = {"a": [0.8, 0.81, 0.8], "b": [0.7, 0.7, 0.71], ALL: [0.9, 0.91, 0.92], RANDOM: [0.5, 0.6, 0.5]}
        found = Comparison.of(chosen, seconds, scores, n_features=3, score_is_proxy=True, notes=["else"])
        assert comparison_headline(found) == "a scores clearly higher than all other methods."
        shown = comparison_tiles(found)
        assert shown[0].figure == "2"
        assert shown[3][:2] == ("1", "of 3")
        assert shown[4][:2] == ("0.5", "s")
        assert PROXY in comparison_lede(found)
        page = render.render(found)
        assert page.count(PROXY) == 1
        assert PROXY not in render.render(replace(found, score_is_proxy=False))
        assert len(re.findall(r"<td style", page)) == 4, "the agreement of two methods"
        level = Comparison.of(chosen, seconds, {**scores, RANDOM: [0.8, 0.8, 0.81]})
        assert comparison_headline(level) == "No method is clearly better than random features."
        alone = Comparison.of({"a": ["x"], RANDOM: ["y"]}, seconds, {"a": [0.8, 0.81], RANDOM: [0.5, 0.51]})
        assert comparison_headline(alone) == "a scores clearly higher than random features."

    def test_a_simple_filter_that_is_as_good_is_named(self):
        chosen, seconds = {"a": ["x"], LEPAGE: ["x"]}, {"a": 1.0, LEPAGE: 0.01}
        level = Comparison.of(chosen, seconds, {"a": [0.8, 0.9, 0.8], LEPAGE: [0.8, 0.8, 0.85]})
        assert comparison_headline(level) == f"a scores highest, but not clearly higher than {LEPAGE}."
        better = Comparison.of(chosen, seconds, {"a": [0.8, 0.9, 0.8], LEPAGE: [0.9, 0.9, 0.85]})
        assert comparison_headline(better) == f"No method scores higher than {LEPAGE}."
