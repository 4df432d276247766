import pytest
from typer.testing import CliRunner

from puselect import cli
from puselect.report import Comparison, Selection
from puselect.report.selection import Feature


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.json", Comparison.of({"a": ["x", "y"]}, {"a": 1.0}).to_json(), None),
        ("x.json", "{", "x.json: not JSON"),
        ("x.json", f'{{"schema": "{Selection.schema}", "selected": 3}}', "damaged"),
        ("x.json", None, "x.json: no such file"),
        (".", None, ".: is a directory"),
    ],
)
def test_results_become_one_page_and_what_is_none_is_refused_in_one_line(tmp_path, monkeypatch, name, content, message):
    monkeypatch.chdir(tmp_path)
    feature = Feature("signal 0", 0, 1, True, 1.0, None)
    (tmp_path / "s.json").write_text(Selection(method="kbest", features=(feature,)).to_json())
    if content is not None:
        (tmp_path / name).write_text(content)
    done = CliRunner().invoke(cli.app, ["report", "s.json", name, "-o", "r.html"])
    assert done.exit_code == (0 if message is None else 1)
    assert (message or "written: r.html") in done.stderr
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "r.html").exists() == (message is None)
    if message is None:
        assert "signal 0" in (tmp_path / "r.html").read_text()
