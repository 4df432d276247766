import pytest

from puselect.checks.leaks import Leak, LeakKind
from puselect.report.findings import table_findings
from puselect.tables.errors import CodeNote, FilledNote, IdentifierNote, LeakNote, SampleNote, SpikeNote, TwinNote

LEAK = Leak(0, LeakKind.VALUE, 1.0, 1.0, 60, 60, 20, 900, 1e-9)


@pytest.mark.parametrize(("notes", "level", "code", "named"), [
    ([LeakNote("truth", LEAK), LeakNote("case", LEAK, (), ("case_date",))], "warning", "leak", ["truth", "case_date"]),
    ([IdentifierNote("nr")], "note", "identifier", ["nr"]),
    ([CodeNote("age", "-9", 40), CodeNote("size", "99", 3)], "note", "missing-code", ["age", "size"]),
    ([SpikeNote("age", "41", 0.2)], "note", "spike", ["age"]),
    ([FilledNote("missing", {"age": 40, "size": 2})], "note", "filled", ["42", "age", "size"]),
    ([SampleNote(500, 9000, 20, "memory")], "note", "rows-sampled", ["500", "9,000", "20"]),
])  # fmt: skip
def test_notes_of_a_kind_are_one_finding_that_names_the_columns(notes, level, code, named):
    (found,) = table_findings(notes)
    assert (found.level, found.code) == (level, code)
    assert all(name in f"{found.title} {found.text}" for name in named)


def test_twins_are_found_in_the_features_anyway():
    assert table_findings([TwinNote(("a", "b"), 0.995)]) == ()
