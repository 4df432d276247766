import math
import os
import signal
import threading

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.utils import Bunch
from threadpoolctl import threadpool_info, threadpool_limits

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.datasets import make_pu_clusters
from puselect.evaluation import DOWNSTREAM
from puselect.evaluation.holdout import compile_kernels
from puselect_paper.report.table2 import PRINTED
from puselect_paper.studies import open_data
from puselect_paper.studies.cells import Cell
from puselect_paper.studies.measures import measure, undisturbed
from puselect_paper.studies.open_data import n_selected, split_open_data

SMALL = {"condition": "40/1/2", "n_negative": 400, "n_positive": 100, "n_relevant": 5, "n_irrelevant": 7}
# rows, positives, features, share labelled; then of the paper's Table 2: labelled for training, positives for testing
PAPER_DATA = {
    "spambase": (4601, 1813, 57, 0.03, 40, 453, 29),
    "ionosphere": (351, 126, 34, 0.10, 9, 31, 17),
    "rt_iot2022": (28458, 1536, 67, 0.02, 23, 384, 34),
}


def cell(measure, method="fscpu", settings=None, seed=0, **data):
    return Cell(measure, method, settings or {}, data or SMALL, seed)


@pytest.fixture
def stand_ins(monkeypatch):
    """Data sets of the shape of the paper's, with a signal in the first five columns."""

    def load(name):
        n_rows, n_positive, n_features, rate, *_ = PAPER_DATA[name]
        rng = np.random.default_rng(1)
        target = rng.permutation(np.arange(n_rows) < n_positive).astype(np.int64)
        data = rng.normal(3, 2, (n_rows, n_features))
        data[:, :5] += 4 * target[:, None]
        return Bunch(data=data, target=target, label_rate=rate)

    monkeypatch.setattr(open_data, "_load", load)
    return load


class TestArtificial:
    def test_recall_is_that_of_the_method_on_the_data_set_of_the_seed(self):
        row = measure(cell("recall", "kbest", seed=3))
        values = row.values
        X, y, relevant = make_pu_clusters(**SMALL, random_state=3)
        support = KBest(5, random_state=3).fit(X, y).get_support()
        assert values["selected"] == np.flatnonzero(support).tolist()
        assert values["fsr"] == relevant[support].sum() / 5
        assert {"Python", "puselect", "numpy", "scikit-learn"} <= set(row.versions)

    def test_convergence_keeps_the_last_probabilities(self):
        values = measure(cell("convergence", settings={"max_iter": 100})).values
        X, y, relevant = make_pu_clusters(**SMALL, random_state=0)
        selector = FSCPU(5, max_iter=100, random_state=0).fit(X, y)
        assert np.allclose(values["theta"][-1], selector.probabilities_, atol=0.0006)
        assert values["evaluations"][-1] == selector.n_evaluations_ == selector.n_iter_ * 8
        assert values["relevant"] == np.flatnonzero(relevant).tolist()
        assert len(values["theta"]) == len(values["evaluations"]) <= 80

    def test_an_error_becomes_a_row_that_tells_where_such_as_the_convergence_of_a_filter(self):
        row = measure(cell("recall", "kbest", condition="nonsense"))
        assert not row.finished
        assert "Traceback" in row.error
        assert "condition must look like" in row.error.splitlines()[-1]
        assert "kbest" in measure(cell("convergence", "kbest")).error.splitlines()[-1]

    def test_a_search_cut_short_by_ctrl_c_is_no_result(self):
        compile_kernels("fscpu-published")
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            measure(cell("recall", "fscpu-published", {"max_iter": 10**6}))


class TestOpenData:
    @pytest.mark.parametrize("name", PAPER_DATA)
    def test_counts_are_those_of_the_papers_table_2(self, name, stand_ins):
        n_rows, n_positive, n_features, _, labelled, tested, k = PAPER_DATA[name]
        split = split_open_data(name, 0)
        assert (split.y_train.sum(), split.y_test.sum()) == (labelled, tested)
        assert len(split.y_train) + len(split.y_test) == n_rows
        assert len(split.y_test) == math.floor(n_positive / 4) + math.floor((n_rows - n_positive) / 4)
        assert n_selected(n_features, 0.5) == k
        values = measure(Cell("counts", "all", {}, {"name": name}, 0)).values
        assert values == {what: counts[name] for what, counts in PRINTED.items()}

    def test_splits_are_paired_scaled_by_their_training_rows_and_may_have_another_rate_of_labels(self, stand_ins):
        first, again, other = (split_open_data("ionosphere", seed) for seed in (0, 0, 1))
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
        assert not np.array_equal(first.X_test, other.X_test)
        assert first.X_train.min(axis=0) == pytest.approx(0)
        assert first.X_train.max(axis=0) == pytest.approx(1)
        assert first.X_test.max() > 1
        assert first.classes[first.y_train == 1].all(), "only positives are labelled"
        assert split_open_data("ionosphere", 0, rate=0.5).y_train.sum() == 47

    def test_auc_is_that_of_the_procedure_step_by_step(self, stand_ins):
        data = {"name": "ionosphere", "share": 0.2, "models": ["lightgbm", "logistic"]}
        values = measure(Cell("downstream", "kbest", {}, data, 2)).values
        split = split_open_data("ionosphere", 2)
        support = KBest(7, random_state=2).fit(split.X_train, split.y_train).get_support()
        assert values["selected"] == np.flatnonzero(support).tolist()
        for name in data["models"]:
            model = DOWNSTREAM[name](random_state=2).fit(split.X_train[:, support], split.y_train)
            scores = model.predict_proba(split.X_test[:, support])[:, 1]
            assert values["auc"][name] == roc_auc_score(split.y_test, scores)

    def test_yardsticks_are_all_features_and_random_ones(self, stand_ins):
        data = {"name": "ionosphere", "share": 0.1, "models": ["logistic"]}
        assert len(measure(Cell("downstream", "all", {}, data, 0)).values["selected"]) == 34
        drawn = [measure(Cell("downstream", "random", {}, data, seed)).values["selected"] for seed in range(9)]
        assert {len(each) for each in drawn} == {4}
        assert len({column for each in drawn for column in each}) > 12


def test_every_thread_pool_has_one_thread_while_a_cell_runs():
    def most_threads():
        return max(pool["num_threads"] for pool in threadpool_info())

    with threadpool_limits(2):
        with undisturbed():
            assert most_threads() == 1
        assert most_threads() == 2
