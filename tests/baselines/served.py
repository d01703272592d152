"""What ``llm=server`` does with a step: its rules, from the request alone, through JSON."""

import json
from typing import Any

from baselines.methods import STEPS
from catalogs.catalog import Catalog
from language.llm.call import Call
from language.prompts.single_call import Situation


def served_answer(catalog: Catalog, call: Call[Any]) -> Any:
    """The answer of a step of any comparator."""
    inputs = json.loads(json.dumps(call.inputs(), allow_nan=False))
    step = STEPS[inputs["step"]]
    situation = Situation(
        catalog,
        tuple((speaker, text) for speaker, text in inputs["lines"]),
        tuple(inputs["candidates"]),
        int(inputs["offered"], 16),
        inputs["last_offer"],
        tuple(inputs["legal"]),
    )
    return step.rules(situation, step.given.model_validate(inputs["given"])).model_dump(mode="json")
