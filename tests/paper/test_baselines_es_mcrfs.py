
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from small_tables import small_table

from puselect.selectors.ranking import RankingTask
from puselect_paper.baselines.agent import MEMORY, STOP_BELOW, TARGET_EPSILON, Agent, russian_roulette
from puselect_paper.baselines.es_mcrfs import ESMCRFS, ForestReward, split_rows, walking_epsilon
from puselect_paper.baselines.q_network import Batch, QNetwork, loss, loss_gradient


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def some_batch(rng, n_decisions=8, n_inputs=5):
    weights = rng.uniform(0.1, 3, n_decisions)
    states = rng.normal(size=(n_decisions, n_inputs))
    return Batch(states, rng.integers(2, size=n_decisions), rng.random(n_decisions), weights)


def test_the_gradient_of_the_network_is_that_of_finite_differences(rng):
    batch = some_batch(rng)
    parameters = [p + rng.normal(0, 0.1, p.shape) for p in QNetwork(5, rng).parameters]
    step = 1e-6
    for parameter, gradient in zip(parameters, loss_gradient(parameters, batch), strict=True):
        for place in np.ndindex(parameter.shape):
            was = parameter[place]
            parameter[place] = was + step
            above = loss(parameters, batch)
            parameter[place] = was - step
            below = loss(parameters, batch)
            parameter[place] = was
            assert gradient[place] == pytest.approx((above - below) / (2 * step), abs=1e-8)


def test_the_first_step_of_adam_moves_every_parameter_by_the_learning_rate(rng):
    batch, network = some_batch(rng), QNetwork(5, rng)
    before = [p.copy() for p in network.parameters]
    gradients = loss_gradient(before, batch)
    network.learn(batch)
    for old, new, gradient in zip(before, network.parameters, gradients, strict=True):
        clear = np.abs(gradient) > 1e-5
        np.testing.assert_allclose((old - new)[clear], 1e-3 * np.sign(gradient[clear]), rtol=1e-2)


@pytest.mark.parametrize("weight", [0.01, 0.2, 0.5, 3.0])
def test_stopping_leaves_the_expected_weight_as_it_is(weight):
    outcomes = [russian_roulette(weight, chance) for chance in (np.arange(10_000) + 0.5) / 10_000]
    assert np.mean([left for _, left in outcomes]) == pytest.approx(weight, rel=1e-2)
    assert any(stopped for stopped, _ in outcomes) == (weight < STOP_BELOW)


def test_walks_are_consistent_and_value_every_feature_without_bias(rng):
    # Over many walks of a fixed policy the weights of the t-th decision, 0 after a stop, average to 1.
    agent = Agent(rng.random((30, 6)), 3, rng)
    total = np.zeros(6)
    for _ in range(2000):
        weights = agent.walk(0.5).weights
        total[: len(weights)] += weights
    np.testing.assert_allclose(total / 2000, 1, atol=0.15)
    agent = Agent(rng.random((30, 9)), 4, rng)
    for _ in range(50):
        walk = agent.walk(0.5)
        n_visits = len(walk.visited)
        assert len(np.unique(walk.visited)) == n_visits
        np.testing.assert_array_equal(np.sort(walk.visited[walk.actions == 1]), np.flatnonzero(walk.mask))
        np.testing.assert_allclose(walk.states[:, 64:72], agent.columns[walk.visited])
        np.testing.assert_allclose(walk.states[:, 72], np.arange(n_visits) / 9)
        np.testing.assert_allclose(walk.states[:, 73], (np.cumsum(walk.actions) - walk.actions) / 4)
        assert (walk.states[0, :64] == 0).all()
        assert (np.abs(walk.advantages) < 1).all()
        agent.learn(walk, 0.5)


def test_the_memory_keeps_the_latest_decisions(rng):
    agent = Agent(rng.random((30, 50)), 25, rng)
    for step in range(100):
        agent.learn(agent.walk(TARGET_EPSILON), step / 100)
    assert agent.n_decisions == 100 * 50
    kept = MEMORY // 50
    np.testing.assert_allclose(np.unique(agent.memory.returns), np.arange(100 - kept, 100) / 100)


def test_the_agent_learns_which_feature_pays(rng):
    agent = Agent(rng.random((30, 4)) * [1.0, 0.5, 2.0, 0.1], 2, rng)
    for step in range(1500):
        walk = agent.walk(walking_epsilon(step / 1499))
        agent.learn(walk, float(walk.mask[2]))
    assert agent.advantages().argmax() == 2


def test_the_reward_is_the_accuracy_of_a_forest_and_known_masks_are_not_trained_again(rng):
    X, y, _ = small_table()
    positive = y == 1
    reward = ForestReward(X, positive, 5, None, RankingTask(X, positive, 5, rng))
    mask = np.arange(10) % 2 == 0
    forest = RandomForestClassifier(5, random_state=reward.forest.random_state)
    forest.fit(X[reward.trained][:, mask], positive[reward.trained])
    accuracy = forest.score(X[reward.scored][:, mask], positive[reward.scored])
    assert reward(mask) == pytest.approx(accuracy)
    reward.forest = None
    assert reward(mask.copy()) == pytest.approx(accuracy)
    assert reward(np.zeros(10, dtype=bool)) == 0
    assert len(reward.known) == 1


def test_a_quarter_of_both_kinds_of_rows_is_scored(rng):
    positive = rng.random(400) < 0.1
    trained, scored = split_rows(positive, rng)
    assert len(scored) == 100
    np.testing.assert_array_equal(np.sort(np.concatenate([trained, scored])), np.arange(400))
    assert positive[scored].sum() == pytest.approx(positive.sum() / 4, abs=1)


def test_the_answer_is_the_last_walk_of_the_wanted_size(monkeypatch):
    X, y, _ = small_table()
    walks = []
    walk = Agent.walk
    shares = []

    def watched(agent, epsilon):
        shares.append(epsilon)
        walks.append(walk(agent, epsilon))
        return walks[-1]

    monkeypatch.setattr(Agent, "walk", watched)
    selector = ESMCRFS(3, max_iter=60, n_estimators=2, random_state=0).fit(X, y)
    exact = [w.mask for w in walks if w.mask.sum() == 3]
    assert selector.exact_
    np.testing.assert_allclose(shares, np.linspace(0.5, 0.2, 60))
    np.testing.assert_array_equal(selector.get_support(), exact[-1])
    assert selector.n_forests_ == len({w.mask.tobytes() for w in walks if w.mask.any()})


def test_without_such_a_walk_the_scores_decide():
    X, y, _ = small_table()
    selector = ESMCRFS(9, max_iter=2, n_estimators=2, random_state=0).fit(X, y)
    assert not selector.exact_
    assert selector.get_support().sum() == 9
    assert (np.abs(selector.scores_) < 1).all()
