"""Saved results open, changed ones are one error."""

import json
import re

import pytest

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.report import Comparison, Selection, read_result, summarise
from puselect.report.render import render

X, y, _ = make_pu_clusters("40/3/1", n_negative=100, n_positive=40, n_relevant=3, n_irrelevant=3, random_state=0)
SAVED = {
    "selection": summarise(FSCPU("auto", n_searches=2, max_iter=2, random_state=0).fit(X, y), X, y),
    "comparison": Comparison.of({"a": ["x"], "b": ["y"]}, {"a": 1.0, "b": 2.0}, {"a": [0.5], "b": [1.0]}, seed="1"),
}


@pytest.mark.parametrize("name", SAVED)
def test_saved_results_open_however_the_file_is_laid_out(tmp_path, name):
    result, path = SAVED[name], tmp_path / "r.json"
    text = result.to_json()
    for layout in (text, json.dumps(dict(reversed(json.loads(text).items())))):
        path.write_text(layout)
        read = read_result(path)
        assert read == result
        assert render(read) == render(result)


def places(data, where=()):
    """Paths to all values; of a list, to its first item and its last."""
    yield where
    children = data.items() if isinstance(data, dict) else list(enumerate(data))[:: max(len(data) - 1, 1)]
    for key, value in children:
        yield from places(value, (*where, key)) if isinstance(value, dict | list) else [(*where, key)]


@pytest.mark.parametrize("name", SAVED)
def test_a_changed_result_is_refused(name):
    text = SAVED[name].to_json()
    for where in list(places(json.loads(text)))[1::3]:
        holder = data = json.loads(text)
        for key in where[:-1]:
            holder = holder[key]
        holder[where[-1]] = [holder[where[-1]]]
        with pytest.raises(ValueError, match=r"changed|schema"):
            type(SAVED[name]).from_data(data)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("not json", "JSON"),
        ("[1]", "object"),
        ('{"a":' * 100_000, "JSON"),
        ("{}", "schema"),
        ('{"schema": "puselect.selection/99"}', "schema"),
        (json.dumps({"schema": [["x"] * 500]}), "schema"),
        (f'{{"schema": "{Selection.schema}", "selected": 3}}', "damaged"),
        (f'{{"schema": "{Comparison.schema}"}}', "damaged"),
    ],
)
def test_other_files_are_refused_with_a_reason(tmp_path, text, fragment):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match=fragment) as refused:
        read_result(tmp_path / "x.json")
    assert re.fullmatch("cannot read .{1,300}", str(refused.value))
