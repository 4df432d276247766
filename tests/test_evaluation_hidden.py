import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score

from puselect.evaluation import corrected_figures, corrected_precision, lee_liu
from puselect.fscpu.row_model import ClassPrior

SIZES = ((500, 2), (1000, 2), (4000, 0))
LABELLED, HIDDEN, NEGATIVES = (norm.ppf((np.arange(n) + 0.5) / n) + shift for n, shift in SIZES)
UNLABELLED, IS_HIDDEN = np.append(HIDDEN, NEGATIVES), np.arange(5000) < 1000


def test_precision_is_that_of_the_hidden_classes():
    for cut in (0.5, 1.5, 2.5):
        precision = corrected_precision((cut < LABELLED).mean(), (cut < UNLABELLED).mean(), 0.2)
        assert precision == pytest.approx(IS_HIDDEN[cut < UNLABELLED].mean(), abs=0.02)
    assert corrected_precision(0.5, 0.0, 0.2) == 0


def test_auc_and_average_precision_are_those_of_the_hidden_classes_and_carry_the_interval():
    found = corrected_figures(LABELLED, UNLABELLED, ClassPrior("estimated", 0.2, (0.15, 0.25)))
    assert found["auc"].value == pytest.approx(roc_auc_score(IS_HIDDEN, UNLABELLED), abs=0.01)
    assert found["average_precision"].value == pytest.approx(average_precision_score(IS_HIDDEN, UNLABELLED), abs=0.02)
    assert all(figure.low < figure.value < figure.high for figure in found.values())
    assert corrected_figures(LABELLED, UNLABELLED, ClassPrior("not_separated")) is None


def test_the_criterion_of_lee_and_liu_is_highest_where_precision_times_recall_is():
    cuts = np.linspace(-2, 4, 61)
    recall, predicted = ((part[:, None] > cuts).mean(axis=0) for part in (LABELLED, UNLABELLED))
    product = recall * np.array([IS_HIDDEN[cut < UNLABELLED].mean() for cut in cuts])
    assert abs(int(lee_liu(recall, predicted).argmax()) - int(product.argmax())) <= 3


def test_with_checked_negatives_the_auc_is_theirs_and_its_interval_holds():
    unknown = ClassPrior("not_separated")
    rng = np.random.default_rng(0)
    truth, found = norm.cdf(1.5 / np.sqrt(2)), []
    for _ in range(2000):
        found.append(corrected_figures(rng.normal(1.5, 1, 40), UNLABELLED[:1], unknown, rng.normal(size=60))["auc"])
    assert np.mean([each.low <= truth <= each.high for each in found]) >= 0.92  # of 95 %
    assert np.mean([each.value for each in found]) == pytest.approx(truth, abs=0.01)
    both = corrected_figures(LABELLED, UNLABELLED, ClassPrior("estimated", 0.2, (0.15, 0.25)), NEGATIVES[::40])
    assert both["auc"].value == pytest.approx(roc_auc_score(IS_HIDDEN, UNLABELLED), abs=0.01)
    assert "average_precision" in both
