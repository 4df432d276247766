import numpy as np
import pytest

from puselect.engines.device_steps import MANY_STEPS, Draws
from puselect.engines.mixture import MixtureSpec
from puselect.engines.sample import MANY_SEEDS, draw_sample, draw_samples
from puselect.objective.score import MANY_MASKS, random_labels, random_labels_of_each
from puselect.seeding import seeded_generators, spawned_seeds

ENTROPIES = [0, 1, 2**32 - 1, 2**32, 2**64 + 3, 2**128 - 1, 2**130 + 7]


def test_seeds_of_steps_are_those_of_numpy():
    indices, steps = [0, 3, 2**33, 0, 1, 0, 5], np.arange(7)[:, None] * 100 + np.arange(5)
    found = spawned_seeds(list(zip(ENTROPIES, indices, strict=True)), steps)
    for entropy, index, own, line in zip(ENTROPIES, indices, steps.tolist(), found.tolist(), strict=True):
        sequences = [np.random.SeedSequence(entropy, spawn_key=(index, step)) for step in own]
        assert line == [int(sequence.generate_state(1)[0]) for sequence in sequences]


@pytest.mark.parametrize("n_words", [1, 2, 3, 6])
def test_generators_are_in_the_state_numpy_would_seed_them_to(n_words):
    words = np.random.default_rng(0).integers(2**32, size=(20, n_words), dtype=np.uint32)
    words[0] = 0
    for line, rng in zip(words, seeded_generators(words), strict=True):
        assert rng.bit_generator.state == np.random.PCG64(line).state
        rng.integers(10, dtype=np.uint32)  # leaves half of a number, which the next one must not see


@pytest.mark.parametrize("labelled_start", [0.0, 0.5])
@pytest.mark.parametrize("limit", [None, 60])
def test_samples_of_many_seeds_are_those_of_each(limit, labelled_start):
    rng = np.random.default_rng(1)
    positives = [rng.permutation(200) < n for n in (30, 40, 150)]
    seeds, spec = rng.integers(2**32, size=3), MixtureSpec(labelled_start=labelled_start)
    many = draw_samples(positives, spec, seeds, limit)
    assert (many.rows is None) == (limit is None)
    for i, (positive, seed) in enumerate(zip(positives, seeds.tolist(), strict=True)):
        one = draw_sample(positive, spec, seed, limit)
        np.testing.assert_array_equal(many.start[i], one.start)
        assert many.weight[i] == one.weight
        if many.rows is not None:
            np.testing.assert_array_equal(many.rows[i], one.rows)


@pytest.mark.parametrize(("n_rows", "n_clusters"), [(4500, 20), (21, 20), (12, 20), (9, 1), (100_000, 7)])
def test_starts_of_very_many_seeds_are_those_of_each(n_rows, n_clusters):
    """They are drawn by compiled code."""
    positive, spec = np.arange(n_rows) < 5, MixtureSpec(n_clusters, labelled_start=0.0)
    seeds = np.random.default_rng(3).integers(2**32, size=MANY_SEEDS)
    seeds[:2] = 0, 2**32 - 1
    many = draw_samples([positive] * len(seeds), spec, seeds, None)
    want = [draw_sample(positive, spec, seed, None).start for seed in seeds.tolist()]
    np.testing.assert_array_equal(many.start, want)
    assert (many.weight == 1).all()


@pytest.mark.parametrize("n_masks", [0, 5, MANY_MASKS])
@pytest.mark.parametrize("rows", [9, 90, 9000])
def test_random_labels_of_many_masks_are_those_of_each(n_masks, rows):
    """Few and many labelled rows, none, all but a few, and empty clusters."""
    rng = np.random.default_rng(rows)
    size = rng.uniform(0, rows, (n_masks, 7)) * (rng.random((n_masks, 7)) < 0.8)
    positive = np.floor(size.round() * rng.random((n_masks, 1)) ** rng.integers(0, 9, (n_masks, 1)))
    seeds = rng.integers(2**32, size=n_masks)
    want = [random_labels(*each) for each in zip(size, positive, seeds.tolist(), strict=True)]
    np.testing.assert_array_equal(random_labels_of_each(size, positive, seeds), np.reshape(want, size.shape))


@pytest.mark.parametrize("n_searches", [1, MANY_STEPS])
def test_numbers_of_steps_are_those_that_a_search_draws(n_searches):
    shape = (4, n_searches)
    draws = Draws(
        np.zeros((*shape, 3, 5)), np.zeros((*shape, 2, 3, 5)), np.zeros((*shape, 2), int), None, np.ones(shape)
    )
    ours, theirs = np.random.default_rng(1), np.random.default_rng(1)
    draws.of_first(3).draw(ours, 0)
    for step in range(3):
        np.testing.assert_array_equal(draws.uniform[step, 0], theirs.random((3, 5)))
        np.testing.assert_array_equal(draws.clocks[step, 0], theirs.standard_exponential((2, 3, 5)))
    assert ours.bit_generator.state == theirs.bit_generator.state
    assert not draws.uniform[3].any() and not draws.clocks[3].any()
