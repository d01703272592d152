"""What the tree search costs beside the model it searches.

Run from the checkout: `python -m benchmarks.search_overhead`. On a trivial model it prints the
simulations a second and how many times slower they are than a plain loop that makes the same
calls to the same model in the same process, and from the difference the microseconds that the
search itself spends on a level of the tree and on a ply of a rollout.
"""

import random
from collections.abc import Hashable, Sequence
from time import perf_counter

from search import UCT, UCTSettings
from search.priors import draw

REPEATS = 5


class Walk:
    """A world that counts its steps; observations are drawn from `n_observations` values."""

    def __init__(self, n_actions: int, n_observations: int) -> None:
        self.n_actions = n_actions
        self._n_observations = n_observations
        self._prior = tuple(1.0 + action for action in range(n_actions))

    def sample(self, rng: random.Random) -> list[int]:
        """Returns a fresh world."""
        return [0]

    def step(
        self, world: list[int], action: int, rng: random.Random
    ) -> tuple[Hashable, float, bool]:
        """Moves on; the reward is the share of the observation, so that returns differ."""
        world[0] += 1
        key = int(rng.random() * self._n_observations)
        return key, key / self._n_observations, False

    def prior(self, world: list[int]) -> Sequence[float]:
        """Returns constant weights."""
        return self._prior

    def value(self, world: list[int]) -> float:
        """Returns a constant."""
        return 0.5


class Counter(Walk):
    """Counts what a search asks of the model; never timed."""

    def __init__(self, n_actions: int, n_observations: int) -> None:
        super().__init__(n_actions, n_observations)
        self.steps = 0
        self.priors = 0

    def step(
        self, world: list[int], action: int, rng: random.Random
    ) -> tuple[Hashable, float, bool]:
        """Counts a step."""
        self.steps += 1
        return super().step(world, action, rng)

    def prior(self, world: list[int]) -> Sequence[float]:
        """Counts a request for a prior: one per ply of a rollout, and one for the root."""
        self.priors += 1
        return super().prior(world)


def search_seconds(model: Walk, settings: UCTSettings, simulations: int) -> float:
    """Seconds of one search."""
    planner = UCT(model, model, settings)
    start = perf_counter()
    planner.search(random.Random(0), simulations)
    return perf_counter() - start


def plain_seconds(model: Walk, levels: int, plies: int, simulations: int) -> float:
    """Seconds of the same calls without a tree: random steps, `plies` of them asking a prior."""
    rng = random.Random(0)
    total = sum(model.prior(model.sample(rng)))
    start = perf_counter()
    for count in range(simulations):
        world = model.sample(rng)
        for _ in range(_share(levels, count, simulations)):
            model.step(world, 0, rng)
        for _ in range(_share(plies, count, simulations)):
            model.step(world, draw(model.prior(world), total, rng), rng)
        model.value(world)
    return perf_counter() - start


def _share(total: int, part: int, parts: int) -> int:
    return total * (part + 1) // parts - total * part // parts


def measure(
    name: str, n_actions: int, n_observations: int, depth: int, simulations: int
) -> tuple[float, float, float]:
    """Prints a row and returns the overhead in microseconds, levels and plies per simulation."""
    settings = UCTSettings(depth=depth)
    counter = Counter(n_actions, n_observations)
    UCT(counter, counter, settings).search(random.Random(0), simulations)
    plies = counter.priors - 1
    levels = counter.steps - plies
    model = Walk(n_actions, n_observations)
    # The fastest of several alternating runs is the one that the machine disturbed least.
    searched = plain = float("inf")
    for _ in range(REPEATS):
        searched = min(searched, search_seconds(model, settings, simulations))
        plain = min(plain, plain_seconds(model, levels, plies, simulations))
    overhead = 1e6 * (searched - plain) / simulations
    print(
        f"{name:<34}{simulations / searched:>10,.0f}{simulations / plain:>12,.0f}"
        f"{searched / plain:>7.1f}{levels / simulations:>8.2f}{plies / simulations:>8.2f}"
        f"{overhead:>10.2f}"
    )
    return overhead, levels / simulations, plies / simulations


def main() -> None:
    """Measures a typical search and the two extremes that separate levels from plies."""
    print(
        f"{'':<34}{'searched/s':>10}{'plain/s':>12}{'ratio':>7}{'levels':>8}{'plies':>8}"
        f"{'us extra':>10}"
    )
    for simulations in (5, 400):
        measure(f"typical: depth 3, n = {simulations}", 5, 3, 3, simulations)
    tree, levels, _ = measure("all tree: depth 10, no surprise", 2, 1, 10, 20_000)
    rest, shallow, plies = measure("all rollout: depth 30, all new", 5, 10**9, 30, 5_000)
    per_level = tree / levels
    per_ply = (rest - shallow * per_level) / plies
    print(f"search's own time: {per_level:.2f} us a tree level, {per_ply:.2f} us a rollout ply")


if __name__ == "__main__":
    main()
