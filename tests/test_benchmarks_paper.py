"""The scripts behind the pages on the paper: they run, and compare what they say."""

import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import baselines
import blind_walks
import disagreements
import forest_reward
import whole_job

from puselect.datasets import make_pu_clusters
from puselect_paper.baselines import JSFS, es_mcrfs
from puselect_paper.studies.open_data import Split

SMALL = partial(make_pu_clusters, n_negative=150, n_positive=60, n_relevant=4, n_irrelevant=4)


def test_rewards_of_the_same_masks_are_shown_for_true_and_shuffled_labels(monkeypatch, capsys):
    monkeypatch.setattr(forest_reward, "make_pu_clusters", SMALL)
    forest_reward.main(["--conditions", "40/1/1", "--masks", "3", "--trees", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[2].strip() for line in lines[2:]] == ["true", "shuffled"]
    share, random, best = forest_reward.rewards("40/1/1", 0, 2, 3, shuffled=False)
    assert share == pytest.approx(186 / 210, abs=0.02)
    assert all(0 <= value <= 1 for value in [*random, best])


def test_walks_without_forests_fit_none(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(blind_walks, "make_pu_clusters", SMALL)
    monkeypatch.setattr("puselect_paper.baselines.es_mcrfs.RandomForestClassifier.fit", None)
    arguments = ["--conditions", "40/1/1", "--walks", "3", "--seeds", "0-1", "--out", str(tmp_path / "rows")]
    blind_walks.main(arguments)
    blind_walks.main(arguments)  # from the file
    first, second = capsys.readouterr().out.strip().split("| ES-MCRFS")[1:]
    assert first.strip() == second.strip()
    assert "without forests, 3 walks (2)" in first
    assert es_mcrfs.ForestReward is not blind_walks.ShareReward


def test_jsfs_by_signed_weight_takes_the_largest():
    X, y, _ = SMALL("40/1/1", random_state=0)
    selector = baselines.SignedJSFS(3).fit(X, y)
    chosen = selector.coef_[selector.get_support()]
    assert chosen.min() >= np.delete(selector.coef_, np.flatnonzero(selector.get_support())).max()
    assert (JSFS(3).fit(X, y).coef_ == selector.coef_).all()


def test_shuffled_labels_are_as_many_and_other_rows():
    X, y, _ = SMALL("40/1/1", random_state=0)
    seen = baselines.ShuffledSemiJMI(3, random_state=1).fit(X, y)
    shuffled = np.random.default_rng(1).permutation(y)
    assert (shuffled != y).any()
    assert (seen.get_support() == baselines.baselines.SemiJMI(3, random_state=1).fit(X, shuffled).get_support()).all()


def test_other_labels_of_one_split_leave_its_rows_alone(monkeypatch, tmp_path, capsys):
    def split(name, seed, rate=None):
        X, y, _, classes = SMALL("40/1/1", random_state=seed, return_classes=True)
        labels = classes.astype(np.int64) if rate == 1.0 else y
        return Split(X - X.min(), labels, X - X.min(), *[classes.astype(np.int64)] * 2)

    monkeypatch.setattr(disagreements, "split_open_data", split)
    first, second = (disagreements.Cell("kbest", "labels", number).split() for number in (0, 1))
    assert (first.X_train == second.X_train).all()
    assert (first.y_train != second.y_train).any()
    assert first.y_train.sum() == second.y_train.sum() == split("", 0).y_train.sum()
    disagreements.main(["--variants", "kbest", "--draws", "2", "--out", str(tmp_path / "rows")])
    assert "| kbest | spambase | splits | " in capsys.readouterr().out
    assert len((tmp_path / "rows").read_text().splitlines()) == 4


def test_whole_jobs_are_timed_and_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(whole_job, "make_pu_clusters", SMALL)
    out = tmp_path / "times.json"
    whole_job.main(["--tables", "Table 1", "--fits", "2", "--out", str(out)])
    (row,) = json.loads(out.read_text())
    assert row["table"] == "Table 1"
    assert capsys.readouterr().out.splitlines() == list(whole_job.table_lines([row]))


def test_ratios_are_of_six_thousand_fits():
    line = whole_job.Times("Spam", scikit_learn=1.5, published=0.25, default=20.0).line()
    assert line == "| Spam | 2.5 h | 25.0 min | 6.0 | 20.0 s | 450 |"
