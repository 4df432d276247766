"""Nothing that a selector returns may change unnoticed; where a change is meant, run tests/golden.py."""

import golden
import numpy as np
import pytest


@pytest.fixture(scope="module")
def kept():
    with np.load(golden.FILE) as file:
        return {key: file[key] for key in file.files}


def test_the_file_holds_these_problems_and_no_others(kept):
    assert {key.split("/")[0] for key in kept} == set(golden.PROBLEMS)


@pytest.mark.parametrize("problem", golden.PROBLEMS)
def test_the_result_is_the_kept_one_to_the_last_bit(kept, problem):
    expected = {key.split("/")[1]: array for key, array in kept.items() if key.split("/")[0] == problem}
    found = golden.fit(problem)
    assert found.keys() == expected.keys()
    different = [part for part in found if not np.array_equal(found[part], expected[part])]
    assert not different, f"{problem}: {', '.join(different)} differ from {golden.FILE.name}"
