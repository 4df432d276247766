"""Triton kernels of a step of searches by effects; `puselect.engines.gpu.fused_steps` starts them.

They do what `puselect.engines.gpu.steps` does in plain torch. A program has one mask or one search. All values are
float64, and sums do not depend on how many searches there are.
"""

import triton
import triton.language as tl

# places in `limits`, which holds in float64 what a kernel would be given as float32
EXPECTED, AFFORDABLE, CHANCE_MEAN, MARGIN, DECIDED, SMOOTHING = (tl.constexpr(i) for i in range(6))
HALVINGS, NEWTON_STEPS = tl.constexpr(12), tl.constexpr(5)


@triton.jit
def rank_of(values, own, n_values, P: tl.constexpr, J: tl.constexpr):
    """Return the place of each of `own` among the values in memory, the largest first, of equal ones the earlier."""
    place = tl.arange(0, P)
    rank = tl.zeros((P,), tl.int32)
    for first in range(0, n_values, J):
        other = first + tl.arange(0, J)
        value = tl.load(values + other, other < n_values, float("-inf"))
        ahead = (value[None, :] > own[:, None]) | ((value[None, :] == own[:, None]) & (other[None, :] < place[:, None]))
        rank += tl.sum((ahead & (other < n_values)[None, :]).to(tl.int32), axis=1)
    return rank


@triton.jit
def draw_kernel(
    theta, uniform, clocks, number, place_of, running, scratch, masks, columns, member,
    n_searches, n_masks, n_free, n_columns, n_taken, width, P: tl.constexpr, J: tl.constexpr,
):
    """Draw one mask and make it meet the budget; write it over the free features, and its columns in order.

    `place_of` has the place of each column among the free features, -1 for columns in no mask, -2 for those in all.
    """
    program = tl.program_id(0).to(tl.int64)
    search, column = program // n_masks, tl.arange(0, P)
    runs = tl.load(running + search)
    tl.store(member + program, runs)
    if runs == 0:
        return
    step = tl.load(number)
    place = tl.load(place_of + column, column < n_columns, -1)
    free = place >= 0
    probability = tl.load(theta + search * n_free + place, free, 0.5)
    line = (step * n_searches + search) * n_masks + program % n_masks
    drawn = tl.load(uniform + line * n_free + place, free, 0.0) < probability
    clock = (step * n_searches + search) * 2 * n_masks + program % n_masks
    going = tl.load(clocks + clock * n_free + place, free, 0.0) / (1 - probability)
    coming = tl.load(clocks + (clock + n_masks) * n_free + place, free, 0.0) / probability
    value = tl.where(free, tl.where(drawn, going, -coming), float("-inf"))
    tl.store(scratch + program * n_columns + column, value, column < n_columns)
    tl.debug_barrier()
    taken = free & (rank_of(scratch + program * n_columns, value, n_columns, P, J) < n_taken)
    tl.store(masks + program * n_free + place, taken.to(tl.float64), free)
    chosen = taken | (place == -2)
    tl.store(columns + program * width + tl.cumsum(chosen.to(tl.int32), axis=0) - 1, column.to(tl.int64), chosen)


@triton.jit
def score_kernel(
    counts, weight, number, running, limits, values, size_record, hits_record, value_record, lost_record,
    n_searches, n_masks, n_clusters, C: tl.constexpr,
):
    """Write recall times precision of the best clusters of one mask; of the first mask the counts too."""
    program = tl.program_id(0).to(tl.int64)
    search, mask, cluster = program // n_masks, program % n_masks, tl.arange(0, C)
    if tl.load(running + search) == 0:
        return
    there = cluster < n_clusters
    line = tl.load(number) * n_searches + search
    own = counts + program * (2 * n_clusters + 1)
    hits = tl.load(own + n_clusters + cluster, there, 0).to(tl.float64)
    rows = hits + tl.load(weight + line) * (tl.load(own + cluster, there, 0).to(tl.float64) - hits)
    share = tl.where(rows > 0, hits / tl.where(rows > 0, rows, 1.0), tl.where(there, -1.0, -2.0))
    beside, below = share[None, :], share[:, None]
    ahead = (beside > below) | ((beside == below) & (cluster[None, :] <= cluster[:, None]))
    extra = tl.load(limits + SMOOTHING) * tl.sum(rows, axis=0) / n_clusters
    rows_to_here = tl.sum(tl.where(ahead, rows[None, :], 0.0), axis=1) + extra
    hits_to_here = tl.sum(tl.where(ahead, hits[None, :], 0.0), axis=1)
    value = tl.where(rows_to_here > 0, hits_to_here * hits_to_here / tl.where(rows_to_here > 0, rows_to_here, 1.0), 0.0)
    total = tl.sum(hits, axis=0)
    score = tl.where(total > 0, tl.max(value, axis=0) / tl.where(total > 0, total, 1.0), 0.0)
    tl.store(values + program, score)
    tl.store(value_record + line * n_masks + mask, score)
    tl.store(lost_record + line * n_masks + mask, tl.load(own + 2 * n_clusters).to(tl.float64))
    if mask == 0:
        tl.store(size_record + line * n_clusters + cluster, rows, there)
        tl.store(hits_record + line * n_clusters + cluster, hits, there)


@triton.jit
def ndtr(x):
    """Return the standard normal distribution function, to within rounding of 1."""
    return 0.5 + 0.5 * tl.erf(x * 0.7071067811865476)


@triton.jit
def cut_at(drawn_by, there, n_expected):
    """Return the cut at which `n_expected` features are drawn on average: bisection, then Newton's method."""
    low = tl.min(tl.where(there, drawn_by, float("inf")), axis=0) - 9
    high = tl.max(tl.where(there, drawn_by, float("-inf")), axis=0) + 9
    for _ in range(HALVINGS):
        cut = (low + high) / 2
        is_low = tl.sum(tl.where(there, ndtr(drawn_by - cut), 0.0), axis=0) > n_expected
        low, high = tl.where(is_low, cut, low), tl.where(is_low, high, cut)
    cut = (low + high) / 2
    for _ in range(NEWTON_STEPS):
        gap = drawn_by - cut
        density = tl.sum(tl.where(there, tl.exp(-0.5 * gap * gap), 0.0), axis=0) * 0.3989422804014327
        excess = tl.sum(tl.where(there, ndtr(gap), 0.0), axis=0) - n_expected
        cut = tl.minimum(tl.maximum(cut + excess / tl.maximum(density, 1e-300), low), high)
    return cut


@triton.jit
def learn(
    masks, values, gain, variance, n_free, n_masks, search, P: tl.constexpr, M: tl.constexpr,
):
    """Add the masks of a step to the regression of one search."""
    feature, mask = tl.arange(0, P), tl.arange(0, M)
    there = mask < n_masks
    value = tl.load(values + search * n_masks + mask, there, float("-inf"))
    both = there[:, None] & there[None, :]
    worse = tl.sum(((value[:, None] > value[None, :]) & both).to(tl.float64), axis=1)
    equal = tl.sum(((value[:, None] == value[None, :]) & both).to(tl.float64), axis=1)
    utility = tl.where(there, (2 * worse + equal - 1) / (n_masks - 1) - 1, 0.0)
    inside = there[:, None] & (feature[None, :] < n_free)
    drawn = tl.load(masks + (search * n_masks + mask[:, None]) * n_free + feature[None, :], inside, 0.0)
    centred = tl.where(inside, drawn - (tl.sum(drawn, axis=0) / n_masks)[None, :], 0.0)
    more = tl.sum(utility[:, None] * centred, axis=0)
    spread = tl.sum(utility * utility, axis=0) * tl.sum(centred * centred, axis=0) / (n_masks - 1)
    own = search * n_free + feature
    before = tl.load(gain + own, feature < n_free, 0.0)
    tl.store(gain + own, before + more, feature < n_free)
    before = tl.load(variance + own, feature < n_free, 0.0)
    tl.store(variance + own, before + spread, feature < n_free)


@triton.jit
def update_kernel(
    masks, values, gain, variance, support, theta, scratch, running, n_done, most, may_stop, number, limits,
    theta_record, settled_record, done_record, n_searches, n_masks, n_free, n_tail, fewest_steps,
    P: tl.constexpr, M: tl.constexpr, J: tl.constexpr, wants_most: tl.constexpr, learns: tl.constexpr,
):
    """Learn from the masks of a step, set the probabilities of one search, and end it if it has settled."""
    search, feature = tl.program_id(0).to(tl.int64), tl.arange(0, P)
    runs = tl.load(running + search)
    line = tl.load(number) * n_searches + search
    if learns:
        tl.store(done_record + line, runs.to(tl.float64))
        if runs == 0:
            return
        learn(masks, values, gain, variance, n_free, n_masks, search, P, M)
        tl.debug_barrier()
    there, own = feature < n_free, search * n_free + feature
    error = tl.sqrt(tl.load(variance + own, there, 0.0))
    z = tl.where(error > 0, tl.load(gain + own, there, 0.0) / tl.where(error > 0, error, 1.0), 0.0)
    tl.store(scratch + own, z, there)
    tl.debug_barrier()
    rank = tl.where(there, rank_of(scratch + search * n_free, z, n_free, P, J), n_free)
    centre = tl.where((rank == (n_free - 1) // 2) | (rank == n_free // 2), z, 0.0)
    median = tl.sum(centre, axis=0) / tl.where(n_free % 2 == 0, 2, 1)
    if wants_most:
        mean = tl.sum(tl.where(there & (rank >= n_free - n_tail), z, 0.0), axis=0) / n_tail - median
    else:
        mean = median - tl.sum(tl.where(rank < n_tail, z, 0.0), axis=0) / n_tail
    ratio = tl.load(limits + CHANCE_MEAN) / tl.where(mean < 0, mean, -1.0)
    share = tl.where(mean < 0, tl.maximum(1 - ratio * ratio, 0.0), 0.0)
    drawn_by = share * share * (z - median) + tl.load(support + own, there, 0.0)
    distance = drawn_by - cut_at(drawn_by, there, tl.load(limits + EXPECTED))
    margin = tl.load(limits + MARGIN)
    probability = tl.minimum(tl.maximum(ndtr(distance), margin), 1 - margin)
    tl.store(theta + own, probability, there)
    if learns:
        decided = there & (tl.abs(distance) >= tl.load(limits + DECIDED))
        spent = tl.sum((decided & (probability > 0.5)).to(tl.float64), axis=0)
        n_affordable = tl.load(limits + AFFORDABLE)
        share_spent = tl.where(n_affordable - spent < 1, 1.0, spent / n_affordable)
        settled = tl.minimum(tl.sum(decided.to(tl.float64), axis=0) / n_free, share_spent)
        tl.store(theta_record + line * n_free + feature, probability, there)
        tl.store(settled_record + line, settled)
        done = tl.load(n_done + search) + 1
        tl.store(n_done + search, done)
        is_over = (tl.load(may_stop + search) != 0) & (done >= fewest_steps) & (settled >= 1)
        tl.store(running + search, (done < tl.load(most + search)) & (not is_over))
