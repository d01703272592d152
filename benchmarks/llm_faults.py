"""Dreams against an endpoint that fails often: ``python -m benchmarks.llm_faults``.

Every role is played through ``python -m serving``, first without faults and then with 5 % 429, 5 %
500, 2 % hanging requests, 5 % broken JSON, 2 % truncated, 1 % empty answers and 0.1 % refusals,
drawn from a fixed seed in the order of arrival. Printed, and checked line by line: no dialogue is
lost; success differs by at most 0.03 (the embedded role that stands in is the one that the endpoint
serves, so the records should be the same); what the client counted is what the endpoint injected,
kind by kind; and the accounts of retries, repairs, fallbacks, calls and tokens agree.

The exit code is 1 when a line does not hold. The timeout is short so that hanging requests cost
little time; on a machine so busy that the endpoint needs longer for an answer, more timeouts are
counted than were injected: raise ``--timeout`` there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.endpoint_runs import Run, configuration, hold, stats, verdict
from evaluation.failures import counted, is_failed
from evaluation.model_usage import usage_summary
from serving.background import start_process
from serving.faults import COUNTED_AS
from serving.settings import ServingSettings

FAULTS = {
    "rate_limit": 0.05,
    "server_error": 0.05,
    "hang": 0.02,
    "broken_json": 0.05,
    "truncated": 0.02,
    "empty": 0.01,
    "refusal": 0.001,
}
TRANSPORT = ("rate_limit", "server_error", "timeout", "connection")
LIMIT = 0.03
RETRY_AFTER_S = 0.1
PLAIN = ServingSettings()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result, and whether it is as it must be."""

    text: str
    holds: bool


def success(run: Run) -> float:
    """Success rate of the dialogues that were not lost."""
    records = counted(run.records)
    return sum(bool(record["success"]) for record in records) / max(1, len(records))


def outcome_lines(plain: Run, faulty: Run) -> Iterator[Line]:
    """What became of the dialogues."""
    lost = [record for record in faulty.records if is_failed(record)]
    why = "".join(f"; {record['failure']['message']}" for record in lost)
    yield Line(
        f"{len(faulty.records) - len(lost)} dialogues finished, {len(lost)} lost{why}", not lost
    )
    without, with_faults = success(plain), success(faulty)
    yield Line(
        f"success {with_faults:.3f} with faults, {without:.3f} without; apart by at most {LIMIT}",
        abs(with_faults - without) <= LIMIT,
    )
    pairs = zip(plain.records, faulty.records, strict=True)
    same = sum(one == other for one, other in pairs)
    yield Line(
        f"{same} of {len(plain.records)} records are those of the run without faults",
        same == len(plain.records),
    )


def fault_lines(usage: Mapping[str, Any], served: Mapping[str, Any]) -> Iterator[Line]:
    """Each kind of fault: injected by the endpoint, counted by the client."""
    for kind, name in COUNTED_AS.items():
        injected, met = served["faults"].get(kind, 0), usage[f"llm_faults/{name}"]
        alias = "" if name == kind else f" as {name}"
        yield Line(f"{kind}: {injected} injected, {met} counted{alias}", injected == met)
    schema = usage["llm_faults/schema"]
    yield Line(f"schema: never injected, {schema} counted", schema == 0)


def account_lines(
    usage: Mapping[str, Any], served: Mapping[str, Any], fallbacks: list[str]
) -> Iterator[Line]:
    """What follows from the faults: retries, repairs, fallbacks, calls and tokens.

    Args:
        usage: Totals of the client, by the keys of ``summary.json``.
        served: What the endpoint counted.
        fallbacks: The fault of each fallback.
    """
    met = {name: usage[f"llm_faults/{name}"] for name in COUNTED_AS.values()}
    transport = sum(met[name] for name in TRANSPORT)
    retries, repairs, calls = (usage[f"llm_{name}"] for name in ("retries", "repairs", "calls"))
    yield Line(f"{retries} retries for {transport} faults of transport", retries == transport)
    refused = fallbacks.count("refusal")
    unmended = len(fallbacks) - refused
    spoilt = sum(met[name] for name in ("malformed", "truncated", "empty"))
    yield Line(
        f"{spoilt} unusable answers: {repairs} sent back to be mended, {unmended} in vain",
        spoilt == repairs + unmended,
    )
    yield Line(
        f"{usage['llm_fallbacks']} fallbacks: {unmended} after a repair in vain, {refused} for "
        f"{met['refusal']} refusals",
        usage["llm_fallbacks"] == len(fallbacks) and refused == met["refusal"],
    )
    requests, answered = (sum(served[name].values()) for name in ("requests", "answered"))
    yield Line(
        f"{requests} requests arrived, {calls} calls and {retries} retries were made",
        requests == calls + retries,
    )
    yield Line(f"{answered} answers went out, {calls} calls were counted", answered == calls)
    for way in ("tokens_in", "tokens_out"):
        sent, counted_tokens = served[way], usage[f"llm_{way}"]
        yield Line(f"{way}: {sent:,} and {counted_tokens:,}", sent == counted_tokens)


def check(plain: Run, faulty: Run, served: Mapping[str, Any]) -> list[Line]:
    """Everything that must hold of a run with faults beside one without."""
    usage = usage_summary(faulty.records, faulty.timings)
    fallbacks = [each["fault"] for timing in faulty.timings for each in timing["fallbacks"]]
    return [
        *outcome_lines(plain, faulty),
        *fault_lines(usage, served),
        *account_lines(usage, served, fallbacks),
    ]


def run(
    settings: ServingSettings, overrides: tuple[str, ...], dialogues: int, threads: int
) -> tuple[Run, dict[str, Any]]:
    """Hold the dialogues with an endpoint of their own; returns them with its counts."""
    with start_process(settings) as (_, base_url):
        config = configuration(*overrides, "llm=server", f"llm.base_url={base_url}")
        return hold(config, dialogues, threads), stats(base_url)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.llm_faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--env", default="redial")
    add("--dialogues", type=int, default=150, help="default: %(default)s")
    add("--parallel", type=int, default=8, help="dialogues at a time (default: %(default)s)")
    add("--timeout", type=float, default=3.0, help="seconds of a call (default: %(default)s)")
    add("--seed", type=int, default=0, help="of the faults (default: %(default)s)")
    return parser.parse_args()


def main() -> None:
    """Command line."""
    args = _arguments()
    overrides = (
        f"env={args.env}",
        "planner=dreams",
        f"llm.timeout_s={args.timeout}",
        "llm.backoff_s=0.05",
    )
    faulty_settings = ServingSettings(faults=FAULTS, seed=args.seed, retry_after_s=RETRY_AFTER_S)
    plain, _ = run(PLAIN, overrides, args.dialogues, args.parallel)
    faulty, served = run(faulty_settings, overrides, args.dialogues, args.parallel)
    lines = check(plain, faulty, served)
    for line in lines:
        print(f"{line.text}: {verdict(line.holds)}")
    print(
        f"{faulty.seconds:.0f} s with faults, {plain.seconds:.0f} s without; "
        f"{faulty.mean('calls'):.1f} calls and {faulty.mean('tokens'):,.0f} tokens a dialogue with "
        f"faults, {plain.mean('calls'):.1f} and {plain.mean('tokens'):,.0f} without"
    )
    sys.exit(not all(line.holds for line in lines))


if __name__ == "__main__":
    main()
