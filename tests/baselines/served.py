"""What ``llm=server`` does with a call: its rules, from the request alone, through JSON."""

import json
from typing import Any

from baselines.inter_crs.rules import DecisionRules, embedded_decision
from baselines.methods import STEPS
from catalogs.catalog import Catalog
from language.llm.call import Call
from language.prompts.single_call import Situation


def served_answer(catalog: Catalog, call: Call[Any]) -> Any:
    """The answer of the single call, or of a step of any comparator."""
    inputs = json.loads(json.dumps(call.inputs(), allow_nan=False))
    situation = Situation(
        catalog,
        tuple((speaker, text) for speaker, text in inputs["lines"]),
        tuple(inputs["candidates"]),
        int(inputs["offered"], 16),
        inputs["last_offer"],
        tuple(inputs["legal"]),
    )
    if "step" not in inputs:
        rules = DecisionRules.model_validate(inputs["rules"])
        return embedded_decision(situation, inputs["turns_left"], rules).model_dump(mode="json")
    step = STEPS[inputs["step"]]
    step.fits(situation, step.given.model_validate(inputs["given"]))
    return step.rules(situation, step.given.model_validate(inputs["given"])).model_dump(mode="json")
