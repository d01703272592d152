"""The plumbing on a real model: transport, structured output, accounts, a whole dialogue.

The model is at chance, so nothing here looks at what it says, only at what becomes of it.
"""

from typing import Any

import openai
import pytest
from pydantic import BaseModel
from pydantic_core import from_json

from baselines.inter_crs import InterCRS
from dialogue.view import SystemTurn
from language.llm.errors import DialogueFailed
from language.llm.local_server import CONTEXT, MODEL, start_local_server
from language.llm.roles import Roles
from language.llm.schema import response_format, strict_schema
from language.llm.usage import collect
from language.prompts.imagining import PlyResult
from language.prompts.judging import Judged
from language.prompts.refining import RefineResult
from language.prompts.replying import Reply
from language.prompts.scoring import ScoreResult
from language.prompts.single_call import Decision, Situation, answer_model, policy_call
from language.prompts.tracking import TrackedAndScored
from language.prompts.user import Turn
from tests.dialogues import hold
from tests.small_world import env_of, films, goal, world

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(600)]

RESULTS: dict[str, type[BaseModel]] = {
    "track": TrackedAndScored,
    "score": ScoreResult,
    "user": Turn,
    "imagine": PlyResult,
    "refine": RefineResult,
    "reply": Reply,
    "policy": answer_model(("GenreInquiry", "ItemRec")),
    "judge": Judged,
}
EMBEDDED: dict[str, Any] = {
    "backend": "embedded",
    "temperature": 0.0,
    "max_attempts": 2,
    "timeout_s": 300.0,
}
STOOD_IN = Decision(0, 0, "The embedded role stood in.")


def roles_of(*models: str) -> dict[str, Any]:
    """Settings with these roles on the local model, all others embedded."""
    return {**EMBEDDED, "roles": {role: {"backend": "local"} for role in models}}


def situation(text: str) -> Situation:
    return Situation(films(), (("user", text),), (0, 1), 0, -1, (0, 4))


def test_one_server_in_a_process(address: str) -> None:
    assert start_local_server() == address
    client = openai.OpenAI(base_url=address, api_key="none", max_retries=0)
    assert [model.id for model in client.models.list().data] == [MODEL]


@pytest.mark.parametrize("role", RESULTS)
def test_answers_keep_to_the_schema(address: str, role: str) -> None:
    """Every result's schema is understood; an answer that is cut off is a beginning of one."""
    client = openai.OpenAI(base_url=address, api_key="none", max_retries=0)
    wanted: Any = response_format(RESULTS[role])
    answer = client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "Answer in JSON about a film."}],
        response_format=wanted,
        temperature=0.0,
        max_tokens=60,
    )
    text = answer.choices[0].message.content or ""
    found = from_json(text, allow_partial="trailing-strings")
    names = list(strict_schema(RESULTS[role])["properties"])
    assert list(found) == names[: len(found)]
    assert found or answer.choices[0].finish_reason == "length"
    if answer.choices[0].finish_reason == "stop":
        RESULTS[role].model_validate(found)


def test_calls_are_counted(address: str) -> None:
    roles = Roles(roles_of("policy"))
    call = policy_call(situation("A drama, please."), 10, 1, {})
    with collect() as usage:
        decision = roles.ask(call, lambda: STOOD_IN)
    roles.close()
    counts = usage.by_role()["policy"]
    assert (decision is STOOD_IN) == bool(counts["fallbacks"])
    assert counts["calls"] == 1 + counts["repairs"]
    assert counts["tokens_in"] > 300
    assert 0 < counts["tokens_out"] <= 3 * call.max_tokens
    assert counts["cost_usd"] == 0.0


def test_what_is_too_long_fails_the_dialogue(address: str) -> None:
    """At once, without a second try: no repair and no fallback could help."""
    roles = Roles(roles_of("policy"))
    long = Situation(films(), (("user", "a b " * 350),) * 15, (0,), 0, -1, (0, 4))
    with collect() as usage, pytest.raises(DialogueFailed) as failed:
        roles.ask(policy_call(long, 4, 7, {}), lambda: pytest.fail("an overflow fell back"))
    roles.close()
    assert failed.value.reason == "context_overflow"
    assert str(CONTEXT) in str(failed.value)
    assert usage.by_role().get("policy", {}).get("retries", 0) == 0


def test_a_dialogue_of_two_models(address: str) -> None:
    """A single-call policy and a simulated user, both the model: the outcome is verified."""
    settings = roles_of("policy", "user")
    catalog = films()
    wanted = goal(catalog, "thriller|crime|drama", "Ada Lind", "I. Corvo")
    env = env_of(world(catalog, [wanted]), channel="text", max_turns=2, llm=settings)
    roles = Roles(settings)
    with collect() as usage:
        outcome = hold(env, InterCRS(roles=roles), 0, 0)
    roles.close()
    counts = usage.by_role()
    assert set(counts) == {"policy", "user"}
    assert 1 <= outcome.turns <= 2
    assert counts["policy"]["calls"] == outcome.turns + counts["policy"]["repairs"]
    assert counts["user"]["calls"] >= 1 + outcome.turns
    assert env.view.invalid == 0
    talk = env.conversation
    turns = [turn for turn in outcome.decisions if isinstance(turn, SystemTurn)]
    offers = [turn.ranking[0] for turn in turns if turn.ranking]
    assert outcome.success == any(talk.user.acceptable >> item & 1 for item in offers)
    record = env.dialogue_record()
    # The environment names its own roles; a run's record has those of the policy too.
    assert {role: made["model"] for role, made in record["llm"].items()} == {"user": MODEL}
