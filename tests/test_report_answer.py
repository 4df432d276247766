from dataclasses import replace

import numpy as np
import pytest

from puselect.checks.suitability import Suitability
from puselect.fscpu.auto_number import Path
from puselect.fscpu.problem import ChoiceCode
from puselect.fscpu.row_model import ClassPrior
from puselect.fscpu.stability import summarise_selections
from puselect.report import Selection
from puselect.report.answer import (
    Standing,
    are_alike,
    efforts,
    feature_lines,
    first_rows,
    headline,
    hidden,
    how_many,
    lift_range,
    next_step,
    standing,
    trust,
    warnings,
    what_again_means,
)
from puselect.report.direction import Direction
from puselect.report.findings import Code
from puselect.report.panels import Panel
from puselect.report.selection import CandidateTable, Feature, Finding, Gathering

FEATURES = tuple(Feature(name, i, i + 1, i < 2, 0.9, None) for i, name in enumerate("abcd"))
SELECTION = Selection(
    method="fscpu",
    selected=("a", "b"),
    n_features=4,
    n_rows=1000,
    n_labelled=50,
    features=FEATURES,
    gathering=Gathering(1, 3, 45, 50, 100, 1000),
    candidates=CandidateTable((4, 7, 9), (9.0, 6.0, 1.0), (0.9, 0.6, 0.1), ("a",), ((1.0,), (2.0,), (3.0,)), 3),
)
EVERYWHERE = Finding("warning", "t", "", Code.POSITIVE_EVERYWHERE)


def checked(code, p_value=0.025, **changes):
    return replace(SELECTION, suitability=Suitability(3, 1, 3.0, 39, code, p_value, 3.0, (2.0, 4.0)), **changes)


def number(code, n_features=2, n_enough=2, n_related=3):
    values = [(1.0, 2.0), (0.4, 0.5), (0.7, 0.8), (0.1, 0.1), (0.0, 0.1)]
    return Path(code, n_features, n_enough, n_related, (1, 3), 0.3, (1, 2), *values)


NOTHING, FEW, CHOSEN = (number(code) for code in ("nothing_beyond_chance", "too_few_labels", "chosen"))


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (checked("holds"), Standing.CLEAR),
        (checked("holds", findings=(EVERYWHERE,)), Standing.WEAK),
        (checked("weak"), Standing.WEAK),
        (checked("does_not_hold", 0.5), Standing.CHANCE),
        (checked("too_few_labels", 0.5), Standing.CHANCE),
        (checked("too_few_labels", 0.5, n_labelled=12), Standing.UNTOLD),
        (checked("holds", n_labelled=3), Standing.UNTOLD),
        (checked("holds", n_labelled=1000), Standing.UNTOLD),
        (SELECTION, Standing.UNCHECKED),
        (replace(SELECTION, findings=(EVERYWHERE,)), Standing.WEAK),
        (replace(SELECTION, path=CHOSEN), Standing.UNCHECKED),
        (replace(SELECTION, path=NOTHING), Standing.CHANCE),
        (replace(SELECTION, path=FEW), Standing.UNTOLD),
        (replace(SELECTION, gathering=None), Standing.RANKED),
    ],
)
def test_there_is_one_verdict_and_rows_are_named_only_where_it_allows(selection, expected):
    found = trust(selection)
    assert standing(selection) is found.standing is expected
    assert found.title and found.text.endswith(".")
    assert bool(first_rows(selection)) != expected.is_doubtful
    if expected.is_doubtful:
        told = replace(selection, prior=ClassPrior("estimated", 0.2, (0.1, 0.3), 190))
        assert hidden(told) == "" and efforts(told) == []
        page = f"{headline(told)}{found}{next_step(told)}"
        assert "%" not in page


def test_every_standing_has_a_headline_of_its_own_and_the_verdict_effect_and_p_value():
    cases = [checked("holds"), checked("weak"), SELECTION, replace(SELECTION, gathering=None)]
    cases += [checked("does_not_hold", 0.5), checked("does_not_hold", 0.5, path=CHOSEN)]
    cases += [replace(SELECTION, n_labelled=3), replace(SELECTION, n_labelled=1000)]
    assert len({headline(each) for each in cases}) == len(cases)
    found = trust(checked("holds"))
    assert "3.0 times" in found.text and "p = 0.025" in found.text
    assert ". " not in found.text


@pytest.mark.parametrize(
    ("names", "begin"),
    [(("a",), "a sets "), (("a", "b"), "a and b set "), (tuple("abcd"), "a, b, c and d set "),
     (tuple("abcdef"), "a, b, c and others set "), (("x" * 40,), f"{'x' * 15}…{'x' * 12} sets ")],
)  # fmt: skip
def test_the_headline_names_the_first_features(names, begin):
    features = tuple(Feature(name, i, i + 1, True, 0.9, None) for i, name in enumerate(names))
    assert headline(replace(checked("holds"), features=features)).startswith(begin)


def test_how_many_and_why():
    assert how_many(replace(SELECTION, path=CHOSEN)) == str(CHOSEN)
    assert how_many(replace(SELECTION, path=CHOSEN, n_labelled=3)) != str(CHOSEN)
    assert "asked for" in how_many(SELECTION)
    assert "asked for" not in how_many(replace(SELECTION, settings={"n_features_to_select": "'auto'"}))
    priced = tuple(replace(feature, cost=1.5) for feature in FEATURES)
    assert "3" in how_many(replace(SELECTION, features=priced))
    assert "More than half" in how_many(replace(SELECTION, selected=tuple("abc")))
    assert "only one" in how_many(replace(SELECTION, n_features=1))
    related = str(number(ChoiceCode.CHOSEN.value, 3, 1, 3))
    assert "3 (at least 1)" in related and "best 1 separates" in related


def test_where_hardly_any_row_is_positive_none_is_named():
    listing = replace(SELECTION.candidates, confidence=(0.004, 0.0, 0.0))
    assert first_rows(replace(SELECTION, candidates=listing)) == []
    assert "Hardly any" in next_step(replace(SELECTION, candidates=listing))
    assert len(first_rows(replace(SELECTION, candidates=replace(listing, confidence=())))) == 3


def test_each_feature_says_where_it_differs_and_how_often_it_was_selected_again():
    drawn = np.array([[True, True, False, False], [True, False, True, False], [True, False, True, False]])
    panel = Panel("a", (), (0.0, 1.0), (1.0,), (1.0,), (1.0,), Direction("high", 0.5))
    found = replace(SELECTION, stability=summarise_selections(drawn, ((1, 2),)), panels=(panel,))
    lines = feature_lines(found)
    assert [line.again for line in lines] == ["3 of 3", "1 of 3", "2 of 3", "0 of 3"]
    assert [line.twin for line in lines] == ["", "3 of 3 with its twin c", "3 of 3 with its twin b", ""]
    assert [(line.phrase, line.is_clear) for line in lines[:2]] == [("high", True), ("", False)]
    twins = replace(SELECTION, stability=summarise_selections(drawn[[0, 0]], ((0, 1),)))
    assert [line.twin for line in feature_lines(twins)[:2]] == ["twin of b", "twin of a"]
    assert [line.share for line in feature_lines(SELECTION)] == [None] * 4
    rare = replace(checked("holds"), stability=summarise_selections(drawn[[2, 2, 0]][:, [1, 0, 2, 3]]))
    assert headline(rare).startswith("b sets"), "what rarely came back is not claimed"


def test_a_feature_is_sure_if_it_is_selected_and_in_the_core_and_the_check_holds():
    drawn = np.array([[True, True, True, True]] * 8)
    found = summarise_selections(drawn, (), drawn & [True, False, False, True])
    lines = feature_lines(replace(checked("holds"), stability=found))
    assert [line.is_sure for line in lines] == [True, False, False, False], "the last is not selected"
    assert "Sure" in what_again_means(replace(checked("holds"), stability=found))
    doubtful = replace(checked("does_not_hold"), stability=found)
    assert not any(line.is_sure for line in feature_lines(doubtful))
    assert "Sure" not in what_again_means(doubtful)


def test_rows_that_are_alike_share_one_reason():
    assert [row.row for row in first_rows(SELECTION)] == [4, 7, 9]
    assert not are_alike(first_rows(SELECTION))
    alike = CandidateTable((4, 7), (9.0, 9.0), (), ("a",), ((1.0,), (2.0,)), 2, "customer")
    told = next_step(replace(SELECTION, candidates=alike))
    assert "9.0 times (" in told and "customer" in told and "confidence" not in told
    assert lift_range(replace(SELECTION, candidates=many(38))) == "2.5 to 8.4"  # 10 of 50 known in 38 of 950 rows
    assert len(first_rows(replace(SELECTION, candidates=many(30)))) == 10


def many(n):
    return CandidateTable(tuple(range(n)), (5.0,) * n, (0.5,) * n, (), ((),) * n, n)


def test_effort_counts_positives_with_the_interval_of_their_share():
    told = replace(SELECTION, candidates=many(120), prior=ClassPrior("estimated", 0.1, (0.05, 0.3), 95))
    assert [tuple(effort) for effort in efforts(told)] == [(50, 25, 12, 50), (100, 50, 25, 100)]
    assert hidden(told) == "About 95 of the other 950 rows are positive (48 to 280)."
    untold = replace(told, prior=ClassPrior("not_separated"))
    assert efforts(untold) == []
    assert hidden(untold) == str(untold.prior)


def test_warnings_do_not_repeat_the_verdict():
    few, leak = Finding("warning", "f", "", Code.FEW_LABELS), Finding("warning", "l", "", Code.LEAK)
    found = replace(SELECTION, findings=(EVERYWHERE, few, leak, Finding("note", "n", "")))
    assert warnings(found) == [few, leak]
    assert warnings(replace(found, n_labelled=3)) == [leak]
