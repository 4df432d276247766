"""Saved results open, damaged ones are one error."""

import copy
import json
import re
from itertools import islice
from pathlib import Path

import pytest

from puselect.report import Comparison, Selection, read_result
from puselect.report.render import render

DATA = Path(__file__).parent / "data"
SAVED = {"selection.json": Selection, "comparison.json": Comparison}

DAMAGE = [None, True, -1, 2**70, 1e308, "text", "\ud800", [], [[]], {}, [None], {"a": 1}]


def places(data, where=()):
    """Paths to all values; of a list, to its first item and its last."""
    yield where
    if isinstance(data, dict):
        for key in data:
            yield from places(data[key], (*where, key))
    elif isinstance(data, list) and data:
        for i in {0, len(data) - 1}:
            yield from places(data[i], (*where, i))


def changed(data, where, change):
    """A copy in which `change` was called with the holder of a value and its key."""
    new = {"": copy.deepcopy(data)}
    holder, key = new, ""
    for step in where:
        holder, key = holder[key], step
    change(holder, key)
    return new.get("")


def damaged(data):
    """Copies with one value replaced, removed, repeated or cut short."""
    for where in places(data):
        for value in DAMAGE:
            yield changed(data, where, lambda holder, key, value=value: holder.__setitem__(key, value))
        yield changed(data, where, lambda holder, key: holder.pop(key))
        yield changed(data, where, lambda holder, key: isinstance(holder, list) and holder.append(holder[key]))


def small(name):
    """A saved result with its longest lists cut, to keep the number of pages small."""
    data = json.loads((DATA / name).read_text())
    if "search" in data:
        search = data["search"]
        search["step"] = search["step"][:3]
        search["theta"] = [track[:3] for track in search["theta"]]
    return data


@pytest.mark.parametrize("name", SAVED)
def test_saved_results_open(name):
    result = read_result(DATA / name)
    assert isinstance(result, SAVED[name])
    assert type(result).from_json(result.to_json()) == result
    assert len(render(result)) > 10_000


def test_fields_that_are_not_known_are_ignored():
    data = json.loads(Selection(method="kbest").to_json())
    assert Selection.from_data(data | {"later": 1}) == Selection(method="kbest")


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("not json", "JSON"),
        ("[1]", "object"),
        ("[" * 100_000, "JSON"),
        ('{"a":' * 100_000, "JSON"),
        ('{"schema": NaN}', "NaN"),
        ('{"schema": 1' + "0" * 5000 + "}", "JSON"),
        ("{}", "schema"),
        ('{"schema": "puselect.selection/99"}', "schema"),
        ('{"schema": "puselect.comparison/99"}', "schema"),
        ('{"schema": "puselect.selection/3", "selected": 3}', "selected"),
        ('{"schema": "puselect.comparison/1"}', "method"),
    ],
)
def test_other_files_are_refused_with_a_reason(tmp_path, text, fragment):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match=fragment) as refused:
        read_result(tmp_path / "x.json")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_an_odd_schema_is_not_repeated_at_length():
    with pytest.raises(ValueError) as error:
        Selection.from_data({"schema": [["x"] * 500]})
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("name", SAVED)
def test_a_damaged_result_is_an_error_or_a_whole_page(name):
    n_refused = n_shown = 0
    for data in islice(damaged(small(name)), 0, None, 4):
        try:
            result = SAVED[name].from_json(json.dumps(data))
        except ValueError as error:
            assert "\n" not in str(error)
            n_refused += 1
            continue
        page = render(result).partition("<main")[2].partition("</main>")[0]
        assert not re.search(r"\b(nan|inf|infinity)\b", page, re.IGNORECASE)
        page.encode()
        n_shown += 1
    assert n_refused > 120
    assert n_shown > 12
