import gzip
import json

import pytest

from puselect_paper.studies.cells import Cell
from puselect_paper.studies.journal import Journal, Row, read_rows


def row(seed=0, fsr=0.5, **fields):
    cell = Cell("recall", "kbest", {"alpha": 0.1}, {"condition": "10/8/2"}, seed)
    return Row(cell, **{"values": {"fsr": fsr}, "seconds": 1.5, "versions": {"numpy": "2"}, **fields})


def failed(seed=0):
    return row(seed, values=None, error="ValueError: no")


def write(folder, *rows):
    with Journal(folder) as journal:
        for each in rows:
            journal.append(each)
    return journal.path


def test_rows_come_back_as_they_were(tmp_path):
    rows = [row(0), row(1, engine="gpu"), failed(2)]
    path = write(tmp_path, *rows)
    assert read_rows(tmp_path) == rows
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == [row.cell.key for row in rows]
    path.write_text(path.read_text().replace("\n", "\n\n"))
    assert read_rows(tmp_path) == rows


@pytest.mark.parametrize("n_rows", [1, 3])
@pytest.mark.parametrize("lost", [1, 2, 30])
def test_a_last_line_that_was_cut_is_lost_and_no_other(tmp_path, lost, n_rows):
    path = write(tmp_path, *map(row, range(n_rows)))
    path.write_bytes(path.read_bytes()[:-lost])
    kept = n_rows if lost == 1 else n_rows - 1  # without its end alone, the line is whole
    assert [r.cell.seed for r in read_rows(tmp_path)] == list(range(kept))
    write(tmp_path, row(7))
    assert [r.cell.seed for r in read_rows(tmp_path)] == [*range(kept), 7]
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_the_last_result_counts_but_a_failure_does_not_undo_one(tmp_path):
    write(tmp_path, failed(0), row(0, 0.3), row(1, 0.4), failed(1), failed(2), failed(2))
    found = {r.cell.seed: r for r in read_rows(tmp_path)}
    assert found[0].values == {"fsr": 0.3}
    assert found[1].values == {"fsr": 0.4}
    assert not found[2].finished


def test_rows_made_elsewhere_are_read_from_files_beside(tmp_path):
    write(tmp_path, row(0))
    fields = json.loads(row(5, engine="gpu").to_json())
    del fields["key"]
    (tmp_path / "results-gpu.jsonl").write_text(json.dumps(fields) + "\n")
    (tmp_path / "results-old.jsonl.gz").write_bytes(gzip.compress((row(6).to_json() + "\n").encode()))
    assert {r.cell.seed: r.engine for r in read_rows(tmp_path)} == {0: None, 5: "gpu", 6: None}


def test_only_one_run_writes_at_a_time(tmp_path):
    with Journal(tmp_path), pytest.raises(BlockingIOError, match="another run"), Journal(tmp_path):
        pass
    write(tmp_path, row(0))


def damaged_lines():
    """Lines that are JSON, or nearly, and not rows."""
    good = json.loads(row().to_json())
    cell = good["cell"]
    yield from ("[]", "null", '"text"', "[" * 100_000, json.dumps(good)[:20], '{"cell": {}}')
    changes = [
        *({"cell": value} for value in (None, [], {**cell, "more": 1}, {**cell, "seed": "0"})),
        *({"cell": {**cell, "settings": value}} for value in (None, {"alpha": float("nan")})),
        {"cell": {**cell, "method": "\ud800"}},
        *({"values": value} for value in (None, [], "x", {}, {"fsr": None}, {"fsr": "1"}, {"fsr": float("nan")})),
        *({"seconds": value} for value in ("1", 10**400, float("inf"), True)),
        {"versions": 5}, {"error": "and values"},
    ]  # fmt: skip
    for measure, values in {
        "downstream": [{"auc": 0.5}, {"auc": {}}, {"auc": {"logistic": None}}],
        "convergence": [{"fsr": 0.5}, {"fsr": 0.5, "evaluations": [1], "theta": [0.5], "relevant": [0]}],
        "counts": [{"instances": 3}],
    }.items():
        changed = {**cell, "measure": measure, "data": {"models": ["logistic"]}}
        changes += [{"cell": changed, "values": each} for each in values]
    yield from (json.dumps({**good, **change}) for change in changes)


def test_a_damaged_line_is_one_error_with_file_and_number(tmp_path):
    path = write(tmp_path, row(0))
    first = path.read_text()
    for line in damaged_lines():
        path.write_text(first + line + "\n" + first)
        with pytest.raises(ValueError, match=r"line 2 of .*results\.jsonl"):
            read_rows(tmp_path)


def test_a_damaged_archive_is_an_error_that_names_it(tmp_path):
    whole = gzip.compress((row(6).to_json() + "\n").encode() * 100)
    for content in (b"no gzip", whole[:-10], whole[:30] + b"\0" * 30 + whole[60:]):
        (tmp_path / "results-old.jsonl.gz").write_bytes(content)
        with pytest.raises(ValueError, match=r"results-old\.jsonl\.gz"):
            read_rows(tmp_path)
