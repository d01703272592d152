"""The hand rule: each constant does what it says, and it is a pure function of the view."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.tuned_rule import NEVER, TunedRule, TunedRuleSettings
from catalogs.catalog import Catalog
from conf.policies import make_policy
from dialogue.acts import Kind
from dialogue.view import DialogueView
from envs.crs import CRSEnv
from envs.world import World
from tests.command_line import composed
from tests.planners.situations import act, go_on, hear, reach, view_of
from tests.small_world import env_of, index
from tests.strategies import turns, worlds

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
RNG = np.random.default_rng(0)


PLAIN: dict[str, Any] = {
    "order": "topics",
    "first": NEVER,
    "after_rejection": 1,
    "after_reason": 1,
    "after_seen": 1,
    "topic_values": 2,
    "people_values": 1,
    "ask_limit": 2,
    "evasions": 1,
    "ambiguous_first": True,
    "enough_candidates": 0,
    "last_turns": 0,
    "reflect": "reason",
}
"""Not the defaults, which a tuning may change."""


def decide(view: DialogueView, **changes: Any) -> int:
    return TunedRule(TunedRuleSettings(**(PLAIN | changes))).decide(view, RNG)


def opened(catalog: Catalog, *values: tuple[int, str]) -> DialogueView:
    view = view_of(catalog)
    hear(view, *(act(Kind.LIKE, f, catalog.value_index(f, name)) for f, name in values))
    return view


def refused(catalog: Catalog, kind: Kind = Kind.REJECT, facet: int = -1) -> DialogueView:
    view, item = opened(catalog), index(catalog, "clown")
    value = catalog.items[item].values[facet][0] if facet >= 0 else -1
    go_on(view, RECOMMEND, act(kind, facet, value, item), item=item)
    return view


@given(data=st.data(), place=worlds())
@settings(max_examples=40)
def test_at_any_view_its_action_is_legal(data: st.DataObject, place: World) -> None:
    env = env_of(place, max_turns=8)
    reach(env, data.draw(turns(env.catalog, longest=6)), data.draw(st.integers(0, 5)))
    rules = TunedRuleSettings(
        order=data.draw(st.sampled_from(["topics", "people", "reversed", "least_known"])),
        first=data.draw(st.integers(0, 4)),
        after_rejection=data.draw(st.integers(0, 3)),
        ask_limit=data.draw(st.integers(0, 3)),
        enough_candidates=data.draw(st.integers(0, 5)),
        reflect=data.draw(st.sampled_from(["never", "reason", "always"])),
        explain=data.draw(st.booleans()),
    )
    before = env.get_state()
    action = TunedRule(rules).decide(env.view, RNG)
    assert env.view.mask()[action]
    assert env.get_state() == before


def test_the_file_says_what_the_code_says() -> None:
    policy = make_policy(composed("planner=tuned_rule"))
    assert isinstance(policy, TunedRule)
    assert policy.settings == TunedRuleSettings()


@pytest.mark.parametrize(
    ("order", "facet"),
    [("topics", GENRE), ("people", STAR), ("reversed", DIRECTOR), ("least_known", STAR)],
)
def test_order(small: Catalog, order: str, facet: int) -> None:
    view = opened(small, (GENRE, "drama"))
    assert decide(view, order=order, topic_values=2) == facet


def test_questions_before_the_first_offer(small: Catalog) -> None:
    view = opened(small)
    for asked in range(3):
        assert decide(view, first=asked) == RECOMMEND
        assert decide(view, first=asked + 1) < REFLECT
        go_on(view, asked, act(Kind.EVADE, asked))
    assert decide(view, evasions=1) == RECOMMEND  # nothing is open any more
    assert decide(view, evasions=2) < REFLECT


@pytest.mark.parametrize(
    ("kind", "facet", "name"),
    [
        (Kind.REJECT, -1, "after_rejection"),
        (Kind.REJECT, GENRE, "after_reason"),
        (Kind.SEEN, -1, "after_seen"),
    ],
)
def test_questions_after_an_offer(small: Catalog, kind: Kind, facet: int, name: str) -> None:
    view = refused(small, kind, facet)
    others = {n: 0 for n in ("after_rejection", "after_reason", "after_seen") if n != name}
    assert decide(view, reflect="never", **{**others, name: 1}) < REFLECT
    nothing: dict[str, Any] = {**dict.fromkeys(others, NEVER), name: 0}
    assert decide(view, reflect="never", **nothing) == RECOMMEND


def test_impatience_shortens(small: Catalog) -> None:
    view = view_of(small)
    hear(view, act(Kind.SIGH, 2))
    assert decide(view, first=2, hurry=0) < REFLECT
    assert decide(view, first=2, hurry=1) == RECOMMEND


def test_what_is_known_well_enough_is_not_asked(small: Catalog) -> None:
    view = opened(small, (GENRE, "drama"), (STAR, "Ada Lind"))
    assert decide(view, topic_values=1, people_values=1) == DIRECTOR
    assert decide(view, topic_values=2, people_values=1) == GENRE
    assert decide(view, topic_values=1, people_values=2) == STAR
    assert decide(view, topic_values=2, ask_limit=0) == RECOMMEND
    hear(view, act(Kind.NOMORE, GENRE))
    assert decide(view, topic_values=2, people_values=1) == DIRECTOR


def test_an_unclear_word_comes_first(small: Catalog) -> None:
    view = view_of(small)
    action, thriller = (small.value_index(GENRE, name) for name in ("action", "thriller"))
    hear(view, act(Kind.VAGUE, GENRE, action, thriller))
    assert decide(view, order="people", ambiguous_first=True) == GENRE
    assert decide(view, order="people", ambiguous_first=False) == STAR


def test_when_it_is_sure_it_offers(small: Catalog) -> None:
    view = opened(small, (GENRE, "musical"))
    assert view.assess().candidates == 1
    assert decide(view, enough_candidates=1) == RECOMMEND
    assert decide(view, enough_candidates=0) < REFLECT
    assert decide(view, enough_facets=1) == RECOMMEND
    assert decide(view, enough_facets=2) < REFLECT
    torn = opened(small, (GENRE, "musical"), (GENRE, "war"))
    assert decide(torn, enough_facets=1, sure_score=0.4) == RECOMMEND
    assert decide(torn, enough_facets=1, sure_score=0.9) < REFLECT


def test_the_last_turns_are_for_offers(small: Catalog) -> None:
    view = opened(small)
    view.turn = view.max_turns - 2
    assert decide(view, last_turns=1) < REFLECT
    assert decide(view, last_turns=2) == RECOMMEND


def test_rejections_are_taken_up(small: Catalog) -> None:
    plain, reasoned = refused(small), refused(small, facet=GENRE)
    found = {
        rule: (decide(plain, reflect=rule), decide(reasoned, reflect=rule))
        for rule in ("never", "reason", "always")
    }
    assert found["never"][0] < REFLECT
    assert found["never"][1] < REFLECT
    assert found["reason"][0] < REFLECT
    assert found["reason"][1] == REFLECT
    assert found["always"] == (REFLECT, REFLECT)


def test_details_are_given_when_asked(small: Catalog) -> None:
    view, item = opened(small), index(small, "moth")
    go_on(view, RECOMMEND, act(Kind.DETAILS, other=item), item=item)
    assert decide(view) == EXPLAIN
    assert decide(view, explain=False) != EXPLAIN


def test_nothing_left_to_offer(small: Catalog) -> None:
    view = opened(small)
    view.offered = small.everything
    assert decide(view, first=0) < REFLECT
    assert decide(view, ask_limit=0) == GENRE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("order", "alphabet"),
        ("reflect", True),
        ("first", -1),
        ("first", 1.5),
        ("hurry", True),
        ("explain", 1),
        ("sure_score", 1.1),
        ("sure_score", "much"),
    ],
)
def test_constants_out_of_range_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"planner\.{name}"):
        TunedRuleSettings(**{name: value})


def test_it_beats_asking_all_on_train_goals(real_redial: str) -> None:
    """On dialogues that chose none of its constants (those were among the first 1,400)."""
    from baselines.references import AskAll
    from tests.dialogues import hold

    env = CRSEnv("redial", channel="acts", split="train", data_dir=real_redial)
    policies: list[Any] = [make_policy(composed("planner=tuned_rule")), AskAll()]
    wins = [
        sum(hold(env, policy, 0, 2000 + k, "train").success for k in range(100))
        for policy in policies
    ]
    assert wins[0] > wins[1]
