"""What a system turn costs in model calls' time: ``python -m benchmarks.llm_speed``.

Starts ``python -m serving`` with a latency of 200 ms and a capacity of 32, and measures in the same
run, first, the unit (the median wall time of one model call, one at a time, through the client),
and then, at the median over dialogues, the wall time of a system turn: the policy's decision, the
system's words, and the tracking of the reply. The simulated user is embedded, so that the system's
side alone is measured; what it computes is part of the time. A row holds a ratio against its limit:

Dreams with rollouts on the model, n(El) = 5, k(El) = 3, n(Ex) = 3 (dreams Table 10): 6.0 calls;
Dreams with embedded rollouts at their default number: 3.0; the single-call policy: 1.15, and its
throughput with 32 dialogues at a time at least 20 times that of one.

The real catalogue is used where ``CRS_DATA`` has it, else the bundled one. The exit code is 1 when
a limit does not hold.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.endpoint_runs import configuration, hold, stats, verdict
from conf.environments import make_env
from conf.models import model_settings
from conf.policies import make_policy
from dialogue.streams import Role, generator
from dialogue.view import SystemTurn
from language.llm.roles import open_roles
from language.llm.usage import collect
from language.model_responder import ModelResponder
from serving.background import start_process
from serving.settings import ServingSettings

USER = "llm.roles.user.backend=embedded"
DREAMS = ("planner=dreams", "planner.n_el=5", "planner.k_el=3", "planner.n_ex=3", USER)
EMBEDDED = ("planner=dreams", "llm.roles.imagine.backend=embedded", USER)
# A policy that reads the texts has no use for tracked acts.
SINGLE = ("planner=inter_crs", "llm.roles.track.backend=embedded", USER)
ROWS = (
    ("Dreams, rollouts on the model (5, 3, 3)", DREAMS, 6.0),
    ("Dreams, embedded rollouts", EMBEDDED, 3.0),
    ("inter_crs", SINGLE, 1.15),
)
AT_ONCE = 32
SPEEDUP = 20.0


@dataclass(slots=True)
class Turns:
    """System turns that were timed.

    Attributes:
        whole: Seconds of each, from the decision's start to the tracked reply.
        deciding: Seconds of each decision alone.
        offers: Whether each offered an item.
        calls: Model calls of each dialogue, the opening's included.
        tokens: Tokens of each dialogue.
    """

    whole: list[float] = field(default_factory=list)
    deciding: list[float] = field(default_factory=list)
    offers: list[bool] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def median(self, offers: bool) -> float:
        """Median seconds of the turns that offer an item, or of those that do not."""
        found = [s for s, offer in zip(self.whole, self.offers, strict=True) if offer == offers]
        return statistics.median(found) if found else float("nan")


class Unit:
    """The wall time of one model call.

    It is measured before every row, so that a machine that is slow for a while is slow for both.

    Args:
        config: A configuration in which a model plays the role ``reply``.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        env: Any = make_env(config).unwrapped
        roles = open_roles(model_settings(config))
        self._responder = ModelResponder(env.catalog, env.world.text.responder, roles)
        env.reset(seed=0, options={"episode": 0})
        self._view = env.view
        self.seconds: list[float] = []

    def measure(self, count: int) -> None:
        """Make calls, one after another; the first, which opens a connection, does not count."""
        turn, view = SystemTurn(0), self._view
        self._responder.respond(turn, -1, view)
        for _ in range(count):
            started = time.perf_counter()
            self._responder.respond(turn, -1, view)
            self.seconds.append(time.perf_counter() - started)

    @property
    def median(self) -> float:
        """Seconds."""
        return statistics.median(self.seconds)


def time_turns(config: dict[str, Any], episodes: range) -> Turns:
    """Hold dialogues, one at a time, and time their turns."""
    env: Any = make_env(config).unwrapped
    policy, seed, found = make_policy(config), config["seed"], Turns()
    for episode in episodes:
        with collect() as usage:
            env.reset(seed=seed, options={"episode": episode, "split": config["split"]})
            policy.reset(env.view, generator(seed, episode, Role.POLICY, 0))
            over, number = False, 0
            while not over:
                number += 1
                rng = generator(seed, episode, Role.POLICY, number)
                started = time.perf_counter()
                chosen = policy.decide(env.view, rng)
                decided = time.perf_counter()
                _, _, terminated, truncated, _ = env.play(chosen)
                found.whole.append(time.perf_counter() - started)
                found.deciding.append(decided - started)
                found.offers.append(chosen.action == env.domain.recommend)
                over = terminated or truncated
        roles = usage.by_role().values()
        found.calls.append(sum(role["calls"] for role in roles))
        found.tokens.append(sum(role["tokens_in"] + role["tokens_out"] for role in roles))
    return found


def row(name: str, config: dict[str, Any], dialogues: int, unit: Unit, limit: float) -> bool:
    """Measure and print one policy; returns whether its limit holds."""
    time_turns(config, range(1))  # opens the catalogue on both sides
    unit.measure(10)
    turns = time_turns(config, range(1, 1 + dialogues))
    unit.measure(10)
    seconds = statistics.median(turns.whole)
    ratio = seconds / unit.median
    print(
        f"{name}: {ratio:.2f} calls' time a system turn, limit {limit:g}: "
        f"{verdict(ratio <= limit)}\n"
        f"    {seconds:.3f} s at the median of {len(turns.whole)} turns, the policy's own share "
        f"{statistics.median(turns.deciding):.3f} s; one call {unit.median:.3f} s\n"
        f"    {turns.median(True):.3f} s in the {sum(turns.offers)} turns that offer an item, "
        f"{turns.median(False):.3f} s in the others\n"
        f"    {statistics.mean(turns.calls):.1f} calls and {statistics.mean(turns.tokens):,.0f} "
        f"tokens a dialogue",
        flush=True,
    )
    return ratio <= limit


def parallel(config: dict[str, Any], base_url: str, alone: int, together: int) -> bool:
    """Compare throughputs of inter_crs; returns whether the limit holds."""
    one = hold(config, alone, threads=1)
    many = hold(config, together, threads=AT_ONCE)
    ratio = many.turns_per_second / one.turns_per_second
    print(
        f"inter_crs, {AT_ONCE} dialogues at a time: {ratio:.1f} times the throughput of one, limit "
        f"{SPEEDUP:g}: {verdict(ratio >= SPEEDUP)}\n"
        f"    {many.turns_per_second:.1f} system turns/s ({many.turns} in {many.seconds:.1f} s, "
        f"{together} dialogues) against {one.turns_per_second:.2f} ({one.turns} in "
        f"{one.seconds:.1f} s, {alone} dialogues); this process computes "
        f"{1000 * many.computing / many.turns:.1f} ms a turn; at most {stats(base_url)['peak']} "
        f"calls at a time\n"
        f"    {many.mean('calls'):.1f} calls and {many.mean('tokens'):,.0f} tokens a dialogue",
        flush=True,
    )
    return ratio >= SPEEDUP


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.llm_speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--env", default="redial")
    add("--latency", type=float, default=0.2, help="seconds of a call (default: %(default)s)")
    add("--capacity", type=int, default=32, help="calls served at a time (default: %(default)s)")
    add("--dialogues", type=int, default=16, help="timed for a row (default: %(default)s)")
    add(
        "--together",
        type=int,
        default=320,
        help=f"dialogues, {AT_ONCE} at a time; with too few, start and end dominate "
        f"(default: %(default)s)",
    )
    return parser.parse_args()


def main() -> None:
    """Command line."""
    args = _arguments()
    served = ServingSettings(latency_s=args.latency, capacity=args.capacity)
    with start_process(served) as (_, base_url):
        server = (f"env={args.env}", "llm=server", f"llm.base_url={base_url}")
        unit = Unit(configuration(*server))
        holds = []
        for name, overrides, limit in ROWS:
            config = configuration(*server, *overrides)
            holds.append(row(name, config, args.dialogues, unit, limit))
        config = configuration(*server, *SINGLE)
        holds.append(parallel(config, base_url, args.dialogues, args.together))
    sys.exit(not all(holds))


if __name__ == "__main__":
    main()
