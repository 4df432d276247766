"""The ablations of the published method: they change what they say, and are run once."""

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import ablation
from several_tables import SeveralTables

from puselect.datasets import make_pu_clusters

SMALL = partial(make_pu_clusters, n_negative=150, n_positive=60, n_relevant=4, n_irrelevant=4)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(ablation, "make_pu_clusters", SMALL)


def test_variants_are_run_once_and_summed_up(small, tmp_path, capsys):
    words = ["--conditions", "40/1/2", "--seeds", "3-4", "--max-iter", "3", "--out", str(tmp_path / "rows")]
    ablation.main(words)
    first = capsys.readouterr()
    assert "12 of 12" in first.err
    assert all(f"| {variant} | " in first.out for variant in ablation.VARIANTS)
    ablation.main(words)
    assert capsys.readouterr() == (first.out, "")


def test_small_tables_are_small():
    X, _, relevant = ablation.Cell("biased", "small", "40/1/2", 2, 0).draw()
    assert (X.shape, relevant.sum()) == ((1000, 20), 10)


def test_masks_share_random_numbers_as_their_variant_says(small, monkeypatch):
    seen = []

    def watched(settings, problem):
        engine = problem_engine(settings, problem)
        cluster = engine.cluster

        def note(masks, seeds, targets=None):
            seen.append(np.asarray(seeds))
            return cluster(masks, seeds, targets)

        engine.cluster = note
        return engine

    problem_engine = ablation.problem_engine
    for module in (ablation, sys.modules["puselect.selectors.fscpu"]):
        monkeypatch.setattr(module, "problem_engine", watched)
    for variant, n_in_a_pair, n_in_two in (("published", 1, 2), ("independent", 2, 4), ("fixed", 1, 1)):
        seen.clear()
        ablation.measure(ablation.Cell(variant, "paper", "40/1/2", 2, 0))
        assert [len(set(seeds)) for seeds in seen[:2]] == [n_in_a_pair, n_in_a_pair]
        assert len(set(np.concatenate(seen[:2]))) == n_in_two


@pytest.mark.parametrize("variant", ["published", "fixed"])
def test_in_lockstep_a_search_finds_what_it_finds_alone(variant, small, monkeypatch):
    monkeypatch.setattr(ablation, "shared_engine", SeveralTables)
    cells = [ablation.Cell(variant, "paper", "40/1/2", 3, seed) for seed in range(2)]
    ask = ablation.in_lockstep(cells)
    assert [ask(cell)["fsr"] for cell in cells] == [ablation.measure(cell)["fsr"] for cell in cells]


def test_recall_after_so_many_steps_is_that_of_the_most_probable_features():
    values = {"evaluations": [2, 20], "theta": [[0.9, 0.8, 0.1], [0.1, 0.9, 0.8]], "relevant": [0, 1]}
    assert [ablation.recall_after(values, steps, 2) for steps in (1, 9, 10, 11)] == [1.0, 1.0, 0.5, None]
