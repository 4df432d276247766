"""Coverage of the paper's tables, and its hypotheses, from made-up figures."""

import pytest

from puselect_paper.report.coverage import Coverage, coverage_of, coverage_table
from puselect_paper.report.hypotheses import HYPOTHESES, contrast, hypothesis_table
from puselect_paper.report.paper import Figure, paper_figures
from puselect_paper.studies.study import load_study

METHODS = {method.id: method for method in load_study("table1").methods}
PAPER = paper_figures("fsr")
CONDITIONS = [condition for name, condition in PAPER if name == "lasso"]


def own(name, shift=0.0, n=5, id=None, conditions=CONDITIONS):
    """Figures of ours that are the paper's, shifted."""
    return {
        (id or name, condition): Figure(PAPER[name, condition].mean + shift, 0.05, n) for condition in conditions
    }


class TestCoverage:

    def test_cells_are_in_full_or_shortened_within_or_outside(self):
        methods = [METHODS[id] for id in ("lasso", "kbest", "es-mcrfs-short", "dt-rfe")]
        figures = {
            **own("lasso"),
            **own("kbest", shift=0.3),
            **own("es-mcrfs", id="es-mcrfs-short", conditions=CONDITIONS[:4]),
            **own("dt-rfe", n=4),
        }
        rows = coverage_of(methods, figures, "fsr")
        assert rows["lasso"] == Coverage(10, 0, 0, 10, 0)
        assert rows["kbest"] == Coverage(10, 0, 0, 0, 10)
        assert rows["es-mcrfs"] == Coverage(0, 4, 6, 4, 0)
        assert rows["dt-rfe"] == Coverage(0, 10, 0, 10, 0), "with fewer data sets than the paper"
        assert rows["jsfs"] == Coverage(0, 0, 10, 0, 0)
        last = coverage_table(methods, figures, "fsr").lines[-1]
        assert [entry.text for entry in last] == ["all", "110", "20", "14", "76", "24", "10"]

    def test_a_method_in_full_counts_before_its_short_version(self):
        methods = [METHODS[id] for id in ("es-mcrfs-short", "es-mcrfs")]
        figures = {**own("es-mcrfs", shift=0.4, id="es-mcrfs-short"), **own("es-mcrfs")}
        assert coverage_of(methods, figures, "fsr")["es-mcrfs"] == Coverage(10, 0, 0, 10, 0)


class TestHypotheses:
    @pytest.fixture
    def row(self):
        return {condition: Figure(0.5, 0.1, 4) for condition in CONDITIONS}

    @pytest.mark.parametrize(
        ("number", "raised", "value"),
        [(0, lambda c: "outlier" not in c, 1), (1, lambda c: c.startswith("10/"), 1),
         (2, lambda c: c.endswith("/2"), 1), (3, lambda c: "/8/" in c, -1)],
    )  # fmt: skip
    def test_each_contrast_sees_its_own_conditions_only(self, row, number, raised, value):
        changed = {c: Figure(f.mean + 0.2 * raised(c), f.sd, f.n) for c, f in row.items()}
        for i, hypothesis in enumerate(HYPOTHESES):
            if i > 0 or number == 0:  # the first compares all that has clusters with what has none
                assert contrast(hypothesis, changed).value == pytest.approx(0.2 * value if i == number else 0)
            n = (8, 2) if i == 0 else (4, 4)
            assert contrast(hypothesis, row).error == pytest.approx((0.1**2 / 4 * (1 / n[0] + 1 / n[1])) ** 0.5)

    def test_the_paper_stands_beside_the_rerun_and_its_claims_hold_there(self):
        figures = {key: value for key, value in PAPER.items() if key[0] not in ("mrmr", "es-mcrfs")}
        methods = [METHODS[id] for id in ("kbest", "lasso", "dt-rfe", "semi-jmi", "fscpu-published")]
        table = hypothesis_table(methods, figures)
        assert len(table.header[0]) == 4
        for line in table.lines:
            assert line[1] == line[3], "the same figures"
            assert line[1].text.endswith(", holds")

    def test_without_the_methods_it_is_relative_to_the_second_is_not_told(self):
        table = hypothesis_table([METHODS["fscpu"]], own("fscpu-published", id="fscpu"))
        assert table.lines[1][-1].text == "—"

    def test_a_search_that_lacks_conditions_is_left_out(self):
        figures = own("fscpu-published", id="fscpu", conditions=CONDITIONS[:9])
        assert hypothesis_table([METHODS["fscpu"]], figures) is None
