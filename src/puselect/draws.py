"""Random numbers by name: a hash of a seed and of the numbers that make up the name of a draw.

A draw depends on nothing but its name, so it is the same in any order, in any batch, after a resume, and with any
version of NumPy. The hash is the finaliser of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014), applied once for every part of the name.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from puselect.arrays import FloatArray, IntArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: the increment of SplitMix64
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
WORD = 2**64


class Stream(IntEnum):
    """The purposes of a fit's random numbers; no two share a stream."""

    STEP_SEEDS = 0
    EVIDENCE = 1
    NUMBER = 2
    SHUFFLES = 3
    PRIOR = 4
    HALVES = 5
    SPREAD = 6
    MASKS = 7
    CLOCKS = 8
    FINAL_SEEDS = 9
    START_ROWS = 11
    SAMPLED_LABELLED = 12
    SAMPLED_OTHERS = 13
    SAMPLED_CHECKED = 14
    INSPECTION = 15
    ROW_SAMPLE = 16


def hashes(seed: int, *name: int | IntArray) -> NDArray[np.uint64]:
    """Return a random word for each name; parts of names are integers or arrays of them, which are broadcast."""
    word = np.asarray(seed % WORD, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for part in name:
            word = _mixed(word + GOLDEN * (np.asarray(part).astype(np.uint64) + np.uint64(1)))
    return np.asarray(word)


def uniforms(seed: int, *name: int | IntArray) -> FloatArray:
    """Return numbers between 0 and 1, never 0 or 1 themselves; see `hashes`.

    Examples
    --------
    >>> bool(uniforms(0, Stream.MASKS, 5, np.arange(3))[2] == uniforms(0, Stream.MASKS, 5, 2))
    True
    """
    return np.asarray(((hashes(seed, *name) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)


def normals(seed: int, *name: int | IntArray) -> FloatArray:
    """Return standard normal numbers; see `hashes`."""
    return np.asarray(ndtri(uniforms(seed, *name)))


def distinct(n: int, size: int, seed: int, *name: int) -> IntArray:
    """Return `size` different numbers below `n`, each set of them equally likely, in random order.

    Examples
    --------
    >>> sorted(distinct(5, 5, 0).tolist())
    [0, 1, 2, 3, 4]
    """
    if 2 * size >= n:  # the first of a permutation
        return np.argsort(hashes(seed, *name, np.arange(n)), kind="stable")[:size]
    n_drawn = size + 8
    while True:
        number = np.arange(n_drawn)
        drawn = (uniforms(seed, *name, number) * n).astype(np.intp)
        first = np.empty(n, dtype=np.intp)  # place of the first draw of each number: the last that is assigned
        first[drawn[::-1]] = number[::-1]
        fresh = drawn[first[drawn] == number]
        if len(fresh) >= size:
            return np.asarray(fresh[:size])
        n_drawn *= 2


def generator(entropy: int, stream: Stream) -> np.random.Generator:
    """Return a NumPy generator for draws before or after a search."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(stream,)))


def _mixed(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    word = (word ^ (word >> np.uint64(30))) * FIRST
    word = (word ^ (word >> np.uint64(27))) * SECOND
    return np.asarray(word ^ (word >> np.uint64(31)))
