import gzip
import json

import pytest

from puselect.studies.cells import Cell
from puselect.studies.journal import Journal, Row, read_rows


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
    write(tmp_path, *rows)
    assert read_rows(tmp_path) == rows


def test_a_line_tells_everything(tmp_path):
    line = json.loads(write(tmp_path, row(engine="gpu")).read_text())
    assert line["key"] == row().cell.key
    assert line["cell"] == row().cell.content
    assert (line["values"], line["seconds"], line["engine"]) == ({"fsr": 0.5}, 1.5, "gpu")


@pytest.mark.parametrize("lost", [1, 2, 30])
def test_a_last_line_that_was_cut_is_lost_and_no_other(tmp_path, lost):
    path = write(tmp_path, row(0), row(1), row(2))
    path.write_bytes(path.read_bytes()[:-lost])
    kept = 3 if lost == 1 else 2  # without its end alone, the line is whole
    assert [r.cell.seed for r in read_rows(tmp_path)] == list(range(kept))
    write(tmp_path, row(7))
    assert [r.cell.seed for r in read_rows(tmp_path)] == [*range(kept), 7]
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_journal_of_one_cut_line_starts_anew(tmp_path):
    path = write(tmp_path, row(0))
    path.write_bytes(path.read_bytes()[:20])
    write(tmp_path, row(1))
    assert [r.cell.seed for r in read_rows(tmp_path)] == [1]


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path):
    path = write(tmp_path, row(0), row(1), row(2))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[1][:20] + "\n" + lines[2])
    with pytest.raises(ValueError, match=r"line 2 of .*results\.jsonl is no result"):
        read_rows(tmp_path)


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
    with Journal(tmp_path), pytest.raises(RuntimeError, match="another run is writing"), Journal(tmp_path):
        pass
    write(tmp_path, row(0))
