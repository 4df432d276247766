"""Random generators of many seeds at once: NumPy's ``SeedSequence`` for whole arrays.

A step of a search starts several generators from seeds of its own, which takes longer than drawing from them. The
algorithm is M. E. O'Neill's ``seed_seq``, and NumPy promises that it stays as it is.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import IntArray

Words = NDArray[np.uint32]
POOL = 4  # words that entropy is mixed into
SHIFT = np.uint32(16)
PCG64_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
MODULUS = 1 << 128


def spawned_seeds(keys: Sequence[tuple[int, int]], steps: IntArray) -> NDArray[np.int64]:
    """Return ``SeedSequence(entropy, spawn_key=(index, step)).generate_state(1)[0]`` for each of the steps.

    Parameters
    ----------
    keys : sequence of (int, int)
        Entropy and index of each search.
    steps : ndarray of int, shape (n_searches, n_steps)

    Examples
    --------
    >>> spawned_seeds([(7, 0)], np.arange(2)[None]).tolist()[0] == [
    ...     int(np.random.SeedSequence(7, spawn_key=(0, step)).generate_state(1)[0]) for step in range(2)
    ... ]
    True
    """
    lines = [_spawn_words(*key) for key in keys]
    seeds = np.empty(steps.shape, dtype=np.int64)
    for n_words in set(map(len, lines)):  # nearly always one
        own = [i for i, line in enumerate(lines) if len(line) == n_words]
        words = np.empty((len(own), steps.shape[1], n_words + 1), dtype=np.uint32)
        words[:, :, :-1] = np.array([lines[i] for i in own], dtype=np.uint32)[:, None, :]
        words[:, :, -1] = steps[own]
        seeds[own] = _generate(_mix(words.reshape(-1, n_words + 1)), 1).reshape(len(own), -1)
    return seeds


def _spawn_words(entropy: int, index: int) -> list[int]:
    words = _words_of(entropy)
    return [*words, *[0] * (POOL - len(words)), *_words_of(index)]


def seeded_generators(words: Words) -> Iterator[np.random.Generator]:
    """Yield ``Generator(PCG64(line))`` for every line: one generator, in another state each time.

    Examples
    --------
    >>> [float(rng.random()) for rng in seeded_generators(np.array([[3], [4]], dtype=np.uint32))] == [
    ...     float(np.random.Generator(np.random.PCG64(seed)).random()) for seed in (3, 4)
    ... ]
    True
    """
    bits = np.random.PCG64(0)
    rng = np.random.Generator(bits)
    state: Any = {"bit_generator": "PCG64", "state": {}, "has_uint32": 0, "uinteger": 0}
    for high, low, sequence_high, sequence_low in seeded_words(words).tolist():
        increment = ((sequence_high << 65) | (sequence_low << 1) | 1) % MODULUS
        begin = (increment + ((high << 64) | low)) * PCG64_MULTIPLIER + increment
        state["state"] = {"state": begin % MODULUS, "inc": increment}
        bits.state = state
        yield rng


def seeded_words(words: Words) -> NDArray[np.uint64]:
    """Return what ``PCG64(line)`` is seeded with: state and sequence, each as its high and its low word."""
    return _generate(_mix(words), 8).view(np.uint64)


def _words_of(number: int) -> list[int]:
    """Return the 32-bit words of a number, the lowest first; one word at least."""
    words: list[int] = []
    while number or not words:
        words.append(number & 0xFFFFFFFF)
        number >>= 32
    return words


class _Hash:
    """Hashes words with a constant that changes at every use."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self.constant, self.multiplier = constant, multiplier

    def __call__(self, words: Words) -> Words:
        hashed = words ^ np.uint32(self.constant)
        self.constant = self.constant * self.multiplier & 0xFFFFFFFF
        hashed = hashed * np.uint32(self.constant)
        return np.asarray(hashed ^ (hashed >> SHIFT))


def _mix(words: Words) -> list[Words]:
    """Return the pool of each line of words."""
    hashed, n_words = _Hash(0x43B0D7E5, 0x931E8875), words.shape[1]
    empty = np.zeros(len(words), dtype=np.uint32)
    pool = [hashed(words[:, i] if i < n_words else empty) for i in range(POOL)]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mixed(pool[target], hashed(pool[source]))
    for source in range(POOL, n_words):
        for target in range(POOL):
            pool[target] = _mixed(pool[target], hashed(words[:, source]))
    return pool


def _mixed(one: Words, other: Words) -> Words:
    mixed = one * np.uint32(0xCA01F9DD) - other * np.uint32(0x4973F715)
    return np.asarray(mixed ^ (mixed >> SHIFT))


def _generate(pool: list[Words], n_words: int) -> Words:
    """Return `n_words` words from the pool of each line, shape (n_lines, n_words)."""
    hashed = _Hash(0x8B51F9DD, 0x58F38DED)
    return np.ascontiguousarray(np.stack([hashed(pool[i % POOL]) for i in range(n_words)], axis=1))
