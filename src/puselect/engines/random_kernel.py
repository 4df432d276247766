"""Random numbers in compiled code, those of ``Generator(PCG64(seed))``.

PCG64 is M. E. O'Neill's generator of 128 bits (xsl-rr), bounded numbers are D. Lemire's (ACM TOMACS 29, 2019). A state
is an array of six words: high and low, the increment, high and low, a half that is kept, and whether one is.
"""

from typing import Any

import numpy as np

from puselect.engines.cpu.kernels import Array, inner_kernel, kernel
from puselect.seeding import PCG64_MULTIPLIER

LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
MULTIPLIER_HIGH, MULTIPLIER_LOW = np.uint64(PCG64_MULTIPLIER >> 64), np.uint64(PCG64_MULTIPLIER & (1 << 64) - 1)


@inner_kernel
def high_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return the upper 64 bits of a product."""
    low, left = (a & LOW_HALF) * (b & LOW_HALF), (a >> HALF) * (b & LOW_HALF)
    right, high = (a & LOW_HALF) * (b >> HALF), (a >> HALF) * (b >> HALF)
    middle = (low >> HALF) + (left & LOW_HALF) + (right & LOW_HALF)
    return high + (left >> HALF) + (right >> HALF) + (middle >> HALF)


@inner_kernel
def advance(state: Array) -> None:
    """Multiply the state, which comes as high, low and the increment, high, low, and add the increment."""
    high, low = state[0], state[1]
    product = low * MULTIPLIER_LOW
    state[1] = product + state[3]
    carry = np.uint64(1) if state[1] < product else np.uint64(0)
    state[0] = high_product(low, MULTIPLIER_LOW) + high * MULTIPLIER_LOW + low * MULTIPLIER_HIGH + state[2] + carry


@inner_kernel
def begin(state: Array, seeded: Array) -> None:
    """Set the state of ``PCG64(seed)``; see `puselect.seeding.seeded_words`."""
    high, low, sequence_high, sequence_low = seeded
    state[2] = (sequence_high << np.uint64(1)) | (sequence_low >> np.uint64(63))
    state[3] = (sequence_low << np.uint64(1)) | np.uint64(1)
    state[1] = state[3] + low
    state[0] = state[2] + high + (np.uint64(1) if state[1] < low else np.uint64(0))
    advance(state)
    state[5] = np.uint64(0)


@inner_kernel
def next_bits(state: Array) -> Any:
    """Return 64 random bits."""
    advance(state)
    mixed, turn = state[0] ^ state[1], state[0] >> np.uint64(58)
    return (mixed >> turn) | (mixed << (np.uint64(64) - turn & np.uint64(63)))


@inner_kernel
def next_float(state: Array) -> Any:
    """Return a random number in [0, 1)."""
    return (next_bits(state) >> np.uint64(11)) * 2.0**-53


@inner_kernel
def next_half(state: Array) -> Any:
    """Return 32 random bits: the lower half of 64 and, at the next call, the upper one, which is kept in the state."""
    if state[5]:
        state[5] = np.uint64(0)
        return state[4]
    bits = next_bits(state)
    state[4], state[5] = bits >> HALF, np.uint64(1)
    return bits & LOW_HALF


@inner_kernel
def bounded(state: Array, most: int) -> Any:
    """Return a random number from 0 to `most`."""
    if most == 0:
        return 0
    n_values = np.uint64(most + 1)
    product = next_half(state) * n_values
    if product & LOW_HALF < n_values:
        least = (LOW_HALF - np.uint64(most)) % n_values
        while product & LOW_HALF < least:
            product = next_half(state) * n_values
    return np.int64(product >> HALF)


@kernel
def draw_steps(rng: np.random.Generator, uniform: Array, clocks: Array) -> None:
    """Write the random numbers of steps of a search: `uniform` ones, then exponential `clocks`, step by step.

    The same as by NumPy's ``random`` and ``standard_exponential``, but Python's lock is given away once, not twice in
    every step, after which this thread would have to wait for others.
    """
    n_steps, n_masks, n_features = uniform.shape
    for step in range(n_steps):
        for mask in range(n_masks):
            for i in range(n_features):
                uniform[step, mask, i] = rng.random()
        for kind in range(2):
            for mask in range(n_masks):
                for i in range(n_features):
                    clocks[step, kind, mask, i] = rng.standard_exponential()
