"""Steps: rules without a model, one typed call with one, and the same from a request."""

from baselines.steps import Nothing, Shape, Step, Steps
from dialogue.view import DialogueView, Exchange
from language.prompts.single_call import Situation
from retrieval.build import make_retriever
from retrieval.situation import read_situation
from tests.language.script import Script
from tests.small_world import films


class Count(Shape):
    most: int


class Given(Shape):
    offset: int
    rules: Count


class Answer(Shape):
    lines: int


def count(situation: Situation, given: Given) -> Answer:
    return Answer(lines=min(given.rules.most, len(situation.lines) + given.offset))


def check(situation: Situation, given: Given, answer: Answer) -> None:
    if answer.lines < 0:
        raise ValueError("lines cannot be negative")


STEP = Step("counting/lines", 3, "Count the lines about {nouns}.\n{facets}\n{actions}", Given,
            Answer, count, check=check)  # fmt: skip
GIVEN = Given(offset=1, rules=Count(most=9))


class Players(Script):
    """Every role is a model that answers as a function says."""

    def is_model(self, role: str) -> bool:
        return True


def situation() -> Situation:
    catalog = films()
    view = DialogueView(catalog, make_retriever(catalog, "structured"), "text", 10)
    view.exchanges.append(Exchange(0, -1, -1, (), "", "Something with rain, please.", ()))
    return read_situation(view)


def test_without_a_model_the_rules_answer() -> None:
    assert Steps().run(STEP, situation(), GIVEN, 1) == Answer(lines=2)


def test_a_model_is_asked_for_the_step_and_sees_no_constants_of_the_rules() -> None:
    players = Players(lambda call: {"lines": 7})
    assert Steps(players).run(STEP, situation(), GIVEN, 4) == Answer(lines=7)
    call = players.calls[0]
    assert (call.role, call.prompt, call.turn) == ("policy", "counting/lines/3", 4)
    text = "".join(message["content"] for message in call.messages)
    assert '"offset": 1' in text
    assert "most" not in text
    assert call.inputs()["given"] == {"offset": 1, "rules": {"most": 9}}
    assert call.inputs()["step"] == "counting/lines"


def test_an_answer_that_breaks_a_rule_is_told_why() -> None:
    players = Players(lambda call: {"lines": -1})
    assert Steps(players).run(STEP, situation(), GIVEN, 1) == Answer(lines=2)
    assert players.errors == ["lines cannot be negative"] * 2


def test_jobs_keep_their_order() -> None:
    assert (
        Steps().map(str, [1, 2]) == Steps(Players(lambda call: {})).map(str, [1, 2]) == ["1", "2"]
    )


def test_a_step_that_is_given_nothing() -> None:
    assert Nothing().model_dump() == {}
