"""The prompts of the comparators are pinned by their versions, like those of the roles.

A step is pinned by the name that its calls have in records, ``method/step/version``. What counts is
what a model is told, is given and must answer; rules and data of a dialogue do not.
"""

import hashlib
import json
from dataclasses import replace

import pytest
from pydantic import BaseModel

from baselines.methods import STEPS
from baselines.steps import RULES, Step
from language.llm.schema import strict_schema
from retrieval.situation import read_situation
from tests.baselines.texts_only import opened
from tests.small_world import films

PINNED = {
    "macrs/profile/1": "5075f8485418020f",
    "macrs/strategy/1": "a9a5851ac5e44be9",
    "macrs/ask/1": "b1ff57fb885372c6",
    "macrs/recommend/1": "7a84bdd05de1a8cc",
    "macrs/chat/1": "edc35fd0c3a7fa08",
    "macrs/plan/1": "56ce019b846f047b",
    "chat_crs/goal/1": "19b12cd100ff2216",
    "chat_crs/knowledge/1": "0ac02f9cf989d7d4",
    "chat_crs/reply/1": "8883acc8b62005f1",
    "sapient_llm/track/1": "080289df72a35378",
    "sapient_llm/say/2": "148d64ef23f28d1a",
    "t_epl/read/1": "e3eff85aef84c509",
    "t_epl/realise/2": "b7623650385bfc94",
    "pc_crs/decide/2": "6e3d72cad671b28c",
    "pc_crs/strategy/1": "b426417bc7d4fe4c",
    "pc_crs/explain/1": "bbb398a6ada7b7da",
    "pc_crs/check/1": "5d3fbd6e6f666d11",
    "pc_crs/refine/1": "d08fcec3b5029ba5",
    "ra_crs/intents/1": "5007847a21eb4e21",
    "ra_crs/hard/1": "e408cc5acd00865f",
    "ra_crs/soft/1": "38f4ba28f6a0809e",
    "ra_crs/items/1": "3918135677d1c903",
    "ra_crs/ask/1": "2a681f5d3843954b",
    "ra_crs/query/1": "263d584badcfef3b",
    "ra_crs/explain/1": "54b70973b0cc3c8c",
    "ra_crs/answer/1": "e49f08f1444160bf",
}
"""Of each step's present prompt: instructions, what is given, shape of the answer."""

METHODS = {name.partition("/")[0] for name in PINNED}
OURS = [name for name in STEPS if name.partition("/")[0] in METHODS]
SITUATION = read_situation(opened(films(), "Something with rain, please."))


def fingerprint(step: Step[BaseModel, BaseModel]) -> str:
    """Of all that a model reads of a step, whatever the dialogue."""
    given = strict_schema(step.given)
    shown = {name: shape for name, shape in given["properties"].items() if name != RULES}
    parts = [step._instructions(SITUATION), shown, strict_schema(step.result)]
    text = json.dumps(parts, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", OURS)
def test_a_change_of_words_is_a_change_of_version(name: str) -> None:
    step = STEPS[name]
    found = fingerprint(step)
    if PINNED.get(step.prompt) == found:
        return
    if step.prompt in PINNED:
        pytest.fail(
            f"what {name} is told, given or asked for is no longer {step.prompt}. Raise its "
            f'version, and here replace its line by "{name}/{step.version + 1}": "{found}"'
        )
    pytest.fail(f'{step.prompt} is new: replace its predecessor by "{step.prompt}": "{found}"')


def test_nothing_else_is_pinned() -> None:
    assert sorted(PINNED) == sorted(STEPS[name].prompt for name in OURS)


@pytest.mark.parametrize("name", OURS)
def test_the_pin_sees_every_part(name: str) -> None:
    step = STEPS[name]
    other = STEPS["macrs/plan" if name != "macrs/plan" else "macrs/profile"]
    changed = [
        replace(step, task=f"{step.task} Please."),
        replace(step, given=other.given),
        replace(step, result=other.result),
    ]
    assert len({fingerprint(each) for each in (step, *changed)}) == 4


@pytest.mark.parametrize("name", OURS)
def test_instructions_are_filled_in_and_say_what_to_answer(name: str) -> None:
    step = STEPS[name]
    text = step._instructions(SITUATION)
    assert "{" not in text
    assert "movie" in text
    for field in step.result.model_fields:
        assert field in text
