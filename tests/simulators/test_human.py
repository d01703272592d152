"""A person as the user, by scripted consoles: what is heard, what stands, what is shown."""

from typing import Any

import pytest

from catalogs.goal import targets
from dialogue.acts import ACCEPT, DETAILS, LIKE, QUIT, REJECT, SEEN, UserAct
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from language.llm.errors import RunStopped
from simulators.console import SYSTEM
from simulators.human import InputEnded
from tests.simulators.persons import Script
from tests.small_world import env_of, films, goal, index, world

CATALOG = films()
WISH = goal(CATALOG, "thriller|crime", "Otto Brand|Lee Park", "B. Tash")
TARGET, OTHER_TARGET, MISS = (index(CATALOG, name) for name in ("vault", "quay", "love"))
GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)


def talk(*lines: str, **settings: Any) -> tuple[CRSEnv, Script]:
    """A dialogue that has begun with the first line."""
    script = Script(lines)
    env = env_of(world(CATALOG, [WISH]), channel="text", simulator=script, **settings)
    env.reset(seed=0, options={"episode": 0})
    return env, script


def offer(env: CRSEnv, item: int) -> dict[str, Any]:
    return env.play(SystemTurn(RECOMMEND, ranking=(item,)))[4]


def kinds(env: CRSEnv) -> list[int]:
    """Kinds of the acts of the last turn as meant."""
    return [act.kind for act in env.conversation.steps[-1].said]


def test_the_person_is_told_what_to_look_for_and_the_system_is_not() -> None:
    env, script = talk("Hello, I am looking for a film.")
    told = script.said()
    for words in ("all of these genres: thriller, crime", "Otto Brand, Lee Park", "B. Tash"):
        assert words in told
    assert "/accept" in told
    assert script.system == []
    public = str(env.view.transcript())
    assert not any(word in public for word in ("thriller", "Otto", "Tash"))


def test_who_gives_up_at_once_is_not_asked_again() -> None:
    env, script = talk("/quit")
    terminated = env.play(GENRE)[2]
    assert terminated
    assert kinds(env) == [QUIT]
    assert env.conversation.steps[-1].exchange.user_text
    assert script.system == ["What genre are you in the mood for?"]


def test_free_text_is_heard_by_the_tracker_and_is_what_is_meant() -> None:
    env, _ = talk("Something with crime, please.", "I like Otto Brand.")
    env.play(STAR)
    step = env.conversation.steps[-1]
    crime, brand = CATALOG.value_index(0, "crime"), CATALOG.value_index(1, "Otto Brand")
    assert env.view.exchanges[0].acts == (UserAct(LIKE, 0, crime),)
    assert step.said == step.exchange.acts == (UserAct(LIKE, 1, brand),)
    assert step.exchange.user_text == "I like Otto Brand."
    assert step.overruled == ()
    assert env.view.state.likes == [(crime,), (brand,), ()]


def test_a_target_is_accepted_by_command_alone() -> None:
    env, script = talk("Hi, a film.", "Perfect, I'll take it!", "/accept")
    info = offer(env, TARGET)
    assert info["is_success"]
    assert env.conversation.terminated
    assert kinds(env) == [ACCEPT]
    assert "Type /accept if you do" in script.said()
    assert "Verified" in script.said()
    record = env.dialogue_record()
    assert (record["outcome"], record["success"], record["persona"]) == ("accepted", True, "human")
    assert record["turns"][-1]["heard"] == [["ACCEPT", None, None, "vault"]]


def test_accepting_what_is_no_target_is_overruled_and_reported() -> None:
    env, script = talk("Hi, a film.", "/accept", "/accept", "/no")
    info = offer(env, MISS)
    assert not info["is_success"]
    assert not env.conversation.terminated
    assert kinds(env) == [REJECT]
    assert env.conversation.steps[-1].overruled == ("false_accept",)
    assert "does not fit your genres or directors" in script.said()
    record = env.dialogue_record()
    assert record["turns"][0]["overruled"] == ["false_accept"]
    assert record["opening"]["overruled"] == []


def test_there_is_nothing_to_accept_where_nothing_is_offered() -> None:
    env, script = talk("/accept", "Hi, a film.", "/accept", "/seen", "I like crime.")
    assert env.conversation.opening_overruled == ("false_accept",)
    env.play(GENRE)
    assert env.conversation.steps[-1].overruled == ("false_accept",)
    assert "/seen is about what is offered" in script.said()
    assert kinds(env) == [LIKE]


def test_every_item_that_meets_the_goal_is_a_target() -> None:
    """No seen items are drawn for a person: what it knows it says."""
    env, _ = talk("Hi, a film.", "/seen", "/accept")
    assert env.conversation.user.acceptable == targets(CATALOG, WISH)
    offer(env, TARGET)
    assert kinds(env) == [SEEN]
    assert offer(env, OTHER_TARGET)["is_success"]


def test_turning_a_target_down_is_the_persons_right() -> None:
    env, _ = talk("Hi, a film.", "/no", "/details")
    assert not offer(env, TARGET)["is_success"]
    assert env.conversation.steps[-1].overruled == ()
    offer(env, OTHER_TARGET)
    assert kinds(env) == [DETAILS]
    assert env.view.details == OTHER_TARGET


def test_giving_up_takes_the_command() -> None:
    env, script = talk("Hi, a film.", "Forget it, I'm done. Goodbye.", "/quit")
    env.play(GENRE)
    assert env.conversation.terminated
    assert kinds(env) == [QUIT]
    assert env.dialogue_record()["outcome"] == "left"
    assert "Type /quit if you do" in script.said()


def test_commands_that_only_show_something() -> None:
    lines = ("/help", "/goal", "/look", "", "   ", "/sing", "/accept this", "No thanks.")
    env, script = talk("Hi, a film.", *lines)
    before = len(script.shown)
    offer(env, MISS)
    shown = "\n".join(text for _, text in script.shown[before:])
    assert "Love, Mostly (1993)" in shown  # /look
    assert "- directors: I. Corvo" in shown
    assert shown.count("all of these genres") == 1
    assert shown.count("stand alone on a line") == 2
    assert shown.count("Say something") == 2
    assert kinds(env) == [REJECT]
    assert [text for speaker, text in env.view.transcript() if speaker == "user"][1:] == [
        "No thanks."
    ]


def test_the_last_turn_is_announced() -> None:
    env, script = talk("Hi, a film.", "I like crime.", max_turns=1)
    env.play(GENRE)
    assert env.conversation.truncated
    assert "turn 1, the last one" in script.said()


def test_the_end_of_the_input_stops_the_run() -> None:
    env, _ = talk("Hi, a film.")
    with pytest.raises(InputEnded, match="resume=true") as ended:
        env.play(GENRE)
    assert isinstance(ended.value, RunStopped)


def test_nothing_steers_the_terminal_or_the_transcript() -> None:
    """Neither what the system says, titles included, nor what the person types."""
    env, script = talk("Hi\x1b[2J, a film\x07.\n", "I like\u202e crime.")
    env.play(SystemTurn(GENRE, text="Which\x1b]0;title\x07 one?\nLine two"))
    assert script.system == ["Which ]0;title one? Line two"]
    said = [text for speaker, text in env.view.transcript() if speaker == "user"]
    assert said == ["Hi [2J, a film .", "I like crime."]
    assert all(text.isprintable() for _, text in script.shown)


def test_snapshots_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    env, _ = talk("Hi, a film.", "/no", "/no")
    offer(env, MISS)
    state = env.get_state()
    offer(env, index(CATALOG, "moth"))
    env.set_state(state)
    assert env.view.turn == 1
    assert env.get_state() == state


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"simulator": "robot"}, "simulator must be 'embedded', 'human' or a console"),
        ({"simulator": Script(()), "channel": "acts"}, "channel must be 'text'"),
    ],
)
def test_what_cannot_be_a_person(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        env_of(world(CATALOG, [WISH]), **{"channel": "text", **settings})


def test_another_front_end_gets_the_system_apart() -> None:
    env, script = talk("Hi, a film.", "I like crime.")
    env.play(GENRE)
    assert script.shown[-1][0] == SYSTEM
    assert script.system == [env.view.exchanges[-1].system_text]
