"""Tuning on train goals, the same budget for every policy: ``python -m benchmarks.tuning``.

    python -m benchmarks.tuning planner=tuned_rule [trials=24] [episodes=60] [KEY=VALUE ...]

Draws settings of a planner from ``benchmarks/tuning/spaces/NAME.yaml``, tries each on train
dialogues, and tries the best again on more of them (:mod:`benchmarks.tuning.rounds`). Every trial
is a line of ``benchmarks/tuning/NAME.jsonl``, which is the record of what a policy's tuning has
cost; a tuning that was interrupted goes on from it. Roles are embedded. The defaults are trial 0 of
every round. Learning agents hold the same dialogues, after a sixteenth, an eighth and a quarter of
their training.

A log is history: it tells what was tried with the code and the defaults of its day. To tune again
after either has changed, give ``log=FILE``.
"""
