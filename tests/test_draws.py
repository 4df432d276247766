from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare, kstest, norm

from puselect.draws import Stream, distinct, generator, hashes, normals, uniforms
from puselect.search.repair import Repair, draw_clocks

CHANCE = 1e-4  # below it a p-value is a failure; draws are fixed, so that a test that passes always does
N = 2**17
AXES = {
    "seed": lambda n: np.array([uniforms(seed, Stream.MASKS, 3, 1) for seed in range(n)]),
    "stream": lambda n: uniforms(7, np.arange(n), 3, 1, 2),
    "step": lambda n: uniforms(7, Stream.MASKS, np.arange(n), 1, 2),
    "mask": lambda n: uniforms(7, Stream.MASKS, 3, np.arange(n), 2),
    "feature": lambda n: uniforms(7, Stream.MASKS, 3, 1, np.arange(n)),
    "none: NumPy's": lambda n: np.random.default_rng(0).random(n),
}
"""Numbers along one part of the name."""


def cells_p_value(values, n_cells):
    """Uniform numbers are equally often in each of the cells."""
    return chisquare(np.bincount((values * n_cells).astype(int), minlength=n_cells)).pvalue


def pairs_p_value(first, second, n_cells=16):
    """Two independent uniform numbers are equally often in each of the squares."""
    return cells_p_value(((first * n_cells).astype(int) + second) / n_cells, n_cells**2)


def runs_p_value(values):
    """Numbers of runs above and below the median, of Wald and Wolfowitz."""
    above = values > np.median(values)
    n, n_above = len(values), int(above.sum())
    mean = 2 * n_above * (n - n_above) / n + 1
    n_runs = 1 + np.count_nonzero(above[1:] != above[:-1])
    return 2 * norm.sf(abs(n_runs - mean) / np.sqrt((mean - 1) * (mean - 2) / (n - 1)))


def correlation_p_value(first, second):
    return 2 * norm.sf(abs(np.corrcoef(first, second)[0, 1]) * np.sqrt(len(first)))


def battery(values):
    """The p-values of a row of uniform numbers, by test."""
    return {
        "cells": cells_p_value(values, 256),
        "low bits": cells_p_value((values * 2**20) % 1, 256),
        "law": kstest(values, "uniform").pvalue,
        "runs": runs_p_value(values),
        "neighbours": pairs_p_value(values[:-1], values[1:]),
        "every second": pairs_p_value(values[:-2], values[2:]),
        **{f"lag {lag}": correlation_p_value(values[:-lag], values[lag:]) for lag in (1, 2, 3, 64, 256)},
    }


def lcg(n):
    """The numbers of a generator that is known to be bad: a multiplier near the root of a small modulus."""
    word, words = 1, np.empty(n)
    for i in range(n):
        word = (word * 257 + 1) % 2**16
        words[i] = word / 2**16
    return words


@pytest.mark.parametrize(
    "bad",
    [
        lambda: lcg(N),
        lambda: np.arange(N) / N,
        lambda: (np.arange(N) * 0.6180339887498949) % 1,  # the increment without the mixing
        lambda: np.random.default_rng(0).random(N) ** 1.02,
        lambda: np.repeat(np.random.default_rng(0).random(N // 2), 2),
    ],
    ids=["small generator", "counter", "golden ratio", "bent", "twice"],
)
def test_the_battery_refuses_bad_numbers(bad):
    assert min(battery(bad()).values()) < CHANCE


@pytest.mark.parametrize("axis", AXES)
def test_numbers_along_each_part_of_the_name_are_independent_and_uniform(axis):
    values = AXES[axis](2**14 if axis == "seed" else N)
    assert {name: p for name, p in battery(values).items() if p < CHANCE} == {}


@pytest.mark.parametrize(
    "shift", [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 1, -1, 0), (0, 0, 1, -1), (1, -1, 0, 0)]
)
def test_names_that_differ_by_one_have_independent_numbers(shift):
    """Also where one part is larger by as much as another is smaller: sums of parts would be the same."""
    step, mask, feature = np.ogrid[10:42, 10:42, 10:74]
    moved = np.array(shift)[1:]
    here = uniforms(5, Stream.MASKS, step, mask, feature).ravel()
    there = uniforms(5 + shift[0], Stream.MASKS, step + moved[0], mask + moved[1], feature + moved[2]).ravel()
    assert pairs_p_value(here, there) > CHANCE
    assert correlation_p_value(here, there) > CHANCE
    assert correlation_p_value((here * 2**20) % 1, (there * 2**20) % 1) > CHANCE


def test_numbers_depend_on_their_name_alone_in_any_order_and_batch():
    whole = uniforms(3, Stream.MASKS, 9, np.arange(6)[:, None], np.arange(50))
    order = np.random.default_rng(0).permutation(50)
    np.testing.assert_array_equal(uniforms(3, Stream.MASKS, 9, np.arange(6)[:, None], order), whole[:, order])
    for mask in (5, 0, 3):
        np.testing.assert_array_equal(uniforms(3, Stream.MASKS, 9, mask, np.arange(50)), whole[mask])
        assert uniforms(3, Stream.MASKS, 9, np.int32(mask), np.uint8(17)) == whole[mask, 17]
    np.testing.assert_array_equal(normals(3, Stream.MASKS, 9, 2, np.arange(50)), norm.ppf(whole[2]))


def test_words_are_those_of_splitmix64_and_every_bit_of_a_name_changes_half_of_their_bits():
    """Of the seed 0, as its authors print them; they are also those of a name of zeros and ones alone."""
    assert int(hashes(0, 0)) == 0xE220A8397B1DCDAF
    assert int(hashes(0, 1)) == 0x6E789E6AA1B965F4
    assert int(hashes(0, 2)) == 0x06C45D188009454F
    words = hashes(0, Stream.MASKS, np.arange(2000))
    for bit in range(40):
        other = hashes(0, Stream.MASKS, np.arange(2000) ^ (1 << bit))
        flips = np.unpackbits((words ^ other).view(np.uint8)).mean()
        assert flips == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(2000 * 64))


def test_numbers_are_never_zero_or_one(monkeypatch):
    for word, expected in ((0, 2.0**-53), (2**64 - 1, 1 - 2.0**-53)):
        monkeypatch.setattr("puselect.draws.hashes", lambda *_, word=word: np.array([word], dtype=np.uint64))
        (value,) = uniforms(0)
        assert value == expected
        assert np.isfinite(normals(0)).all()


@pytest.mark.parametrize("seed", [0, 2**31 - 1, 2**63, 2**64 - 1, 2**70 + 5, -3])
def test_any_integer_is_a_seed(seed):
    assert 0 < uniforms(seed, 1, 2) < 1
    assert uniforms(seed, 1, 2) == uniforms(seed % 2**64, 1, 2)


def test_streams_are_different_numbers_and_their_generators_the_same_again():
    assert len({stream.value for stream in Stream}) == len(Stream)
    drawn = np.stack([uniforms(0, stream, np.arange(5000)) for stream in Stream])
    among = np.corrcoef(drawn)[np.triu_indices(len(Stream), 1)]
    assert (2 * norm.sf(np.abs(among) * np.sqrt(5000))).min() > CHANCE / len(among)
    assert generator(3, Stream.HALVES).random() == generator(3, Stream.HALVES).random()
    first = {generator(3, stream).random() for stream in Stream} | {generator(4, Stream.HALVES).random()}
    assert len(first) == len(Stream) + 1


@pytest.mark.parametrize(("n", "size"), [(6, 1), (6, 2), (6, 3), (6, 5), (9, 2), (9, 4)])
def test_sets_of_distinct_numbers_are_equally_likely_and_so_are_their_orders(n, size):
    """By a permutation where many are wanted, and by drawing again where few are."""
    drawn = [distinct(n, size, seed, Stream.START_ROWS) for seed in range(12_000)]
    assert all(len(set(each.tolist())) == size for each in drawn)
    sets = Counter(tuple(sorted(each.tolist())) for each in drawn)
    assert chisquare([sets[each] for each in combinations(range(n), size)]).pvalue > CHANCE
    for place in range(size):
        assert chisquare(np.bincount([each[place] for each in drawn], minlength=n)).pvalue > CHANCE


@pytest.mark.parametrize(("n", "size"), [(0, 0), (1, 0), (1, 1), (5, 5), (10**9, 20), (10**6, 3000)])
def test_distinct_numbers_of_any_number(n, size):
    drawn = distinct(n, size, 4, Stream.SAMPLED_OTHERS)
    assert len(drawn) == len(np.unique(drawn)) == size
    assert ((drawn >= 0) & (drawn < n)).all()
    np.testing.assert_array_equal(distinct(n, size, 4, Stream.SAMPLED_OTHERS), drawn)


@pytest.mark.parametrize("start", [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], [1, 0, 1, 1, 0, 1]])
def test_repaired_masks_have_the_law_of_algorithm_3(start):
    """Literally: one feature after another is drawn anew, among those that are there or that still fit."""
    costs, budget = np.array([1.0, 2.0, 1.5, 0.7, 2.2, 1.0]), 4.0
    theta, mask, n = np.array([0.2, 0.5, 0.9, 0.4, 0.7, 0.1]), np.array(start, dtype=bool), 6000
    rng, repair = np.random.default_rng(1), Repair(costs, budget)

    def drawn(weight):
        return rng.choice(len(weight), p=weight / weight.sum())

    def literal():
        own = mask.copy()
        while own @ costs > budget:
            own[drawn(own * (1 - theta))] = False
        while (fits := ~own & (costs <= budget - own @ costs)).any():
            own[drawn(fits * theta)] = True
        return own.tobytes()

    slow = Counter(literal() for _ in range(n))
    fast = Counter(row.tobytes() for row in repair.repaired(np.tile(mask, (n, 1)), draw_clocks(n, theta, 2, step=0)))
    usual = [each for each in slow | fast if slow[each] + fast[each] >= 10]
    assert sum(slow[each] + fast[each] for each in usual) > 1.98 * n
    assert chi2_contingency([[law[each] for each in usual] for law in (slow, fast)]).pvalue > CHANCE
