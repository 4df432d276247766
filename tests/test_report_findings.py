import pytest

from puselect.checks.leaks import Leak, LeakKind
from puselect.report.findings import table_findings
from puselect.tables.errors import CodeNote, FilledNote, IdentifierNote, LeakNote, SampleNote, SpikeNote, TwinNote

LEAK = Leak(0, LeakKind.VALUE, 1.0, 1.0, 0.02)


@pytest.mark.parametrize(("notes", "level", "code", "named"), [
    ([LeakNote("truth", LEAK, True), LeakNote("case", LEAK, True)], "note", "leak", ["truth", "case"]),
    ([IdentifierNote("nr")], "note", "identifier", ["nr"]),
    ([IdentifierNote("nr", sorts_labels=True)], "warning", "identifier", ["nr"]),
    ([CodeNote("age", "-9", 40), CodeNote("size", "99", 3)], "note", "missing-code", ["age", "size"]),
    ([SpikeNote("age", "41", 0.2)], "note", "spike", ["age"]),
    ([FilledNote("missing", {"age": 40, "size": 2})], "note", "filled", ["42", "age", "size"]),
    ([SampleNote(500, 9000, 20, "memory")], "note", "rows-sampled", ["500", "9,000", "20"]),
])  # fmt: skip
def test_notes_of_a_kind_are_one_finding_that_names_the_columns(notes, level, code, named):
    (found,) = table_findings(notes)
    assert (found.level, found.code) == (level, code)
    assert all(name in f"{found.title} {found.text}" for name in named)


def test_what_is_found_in_the_features_anyway_or_left_out_is_not_told_twice():
    notes = [TwinNote(("a", "b"), 0.995), LeakNote("truth", LEAK), IdentifierNote("nr", True, is_left_out=True)]
    assert table_findings(notes) == ()
