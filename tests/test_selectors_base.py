import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from puselect import FSCPU, METHODS, Preparer
from puselect.datasets import make_pu_clusters

LOAD = """
import pickle, sys
sys.modules["puselect"] = None
with open(sys.argv[1], "rb") as file:
    transformer, table = pickle.load(file)
print(transformer.transform(table).tolist())
"""


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_pu_clusters("40/3/1", n_negative=300, n_positive=60, n_relevant=4, n_irrelevant=4, random_state=0)
    return X, y


def test_groups_are_selected_columns_by_their_name(data):
    X, y = data
    table = pd.DataFrame(X, columns=[*"abcdefgh"])
    selector = FSCPU(6, groups={"pair": ["b", "e"], "late": ["g", "h"]}, max_iter=2, random_state=0).fit(table, y)
    assert selector.selected_columns_ == ["a", "pair", "c", "d", "f", "late"]


@pytest.mark.parametrize("method", ["fscpu", "kbest"])
def test_prepared_features_count_as_the_column_they_were_made_of(data, method):
    X, y = data
    table = pd.DataFrame(X[:, :2], columns=["age", "income"]).assign(city=np.resize(["Oslo", "Rome", "Bonn"], len(X)))
    features = Preparer().fit(table, y).transform(table)
    selector = METHODS[method](0.999, random_state=0).fit(features, y)
    assert selector.support_.all()
    assert selector.selected_columns_ == ["age", "income", "city"]


def test_nothing_is_told_before_the_fit():
    with pytest.raises(NotFittedError):
        FSCPU(2).to_sklearn()
    with pytest.raises(NotFittedError):
        _ = FSCPU(2).selected_columns_


@pytest.mark.parametrize("method", ["fscpu", "kbest"])
def test_scikit_learn_selects_the_same_columns(data, method):
    X, y = data
    table = pd.DataFrame(X, columns=[*"abcdefgh"])
    selector = METHODS[method](3, random_state=0).fit(table, y)
    transformer = selector.to_sklearn()
    shuffled = table.assign(odd="text")[[*"hgfedcba", "odd"]]
    np.testing.assert_array_equal(transformer.transform(shuffled), selector.transform(table))
    np.testing.assert_array_equal(transformer.get_feature_names_out(), selector.get_feature_names_out())


def test_the_transformer_needs_no_puselect(data, tmp_path):
    X, y = data
    selector = METHODS["kbest"](3, random_state=0).fit(X, y)
    (tmp_path / "saved").write_bytes(pickle.dumps((selector.to_sklearn(), X[1:4])))
    run = [sys.executable, "-c", LOAD, str(tmp_path / "saved")]
    done = subprocess.run(run, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ""})
    assert done.stdout.strip() == str(X[1:4, selector.support_].tolist())
