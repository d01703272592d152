"""How the embedded user takes offers: acceptance, rejection, seen items, details, reasons."""

import pytest

from catalogs.catalog import Catalog, members
from catalogs.goal import targets
from dialogue.acts import Kind, UserAct
from simulators.user import GIVES_WISH
from tests.simulators.people import (
    EXPLAIN,
    GENRE,
    NO,
    RECOMMEND,
    REFLECT,
    STAR,
    YES,
    crime,
    kinds,
    share,
    user,
)
from tests.small_world import index

DRAWS = 2000


def test_only_targets_are_accepted(small: Catalog) -> None:
    met = targets(small, crime(small))
    assert {small.items[i].id for i in members(met)} == {"vault", "quay"}
    for item in range(len(small)):
        acts = user(small).respond(RECOMMEND, item)
        assert (acts == (UserAct(Kind.ACCEPT, -1, -1, item),)) == bool(met >> item & 1)


def test_a_seen_target_is_not_accepted_and_gets_no_reason(small: Catalog) -> None:
    vault = index(small, "vault")
    person = user(small, 0, None, 1 << vault, reason=1.0)
    assert person.respond(RECOMMEND, vault) == (UserAct(Kind.SEEN, -1, -1, vault),)
    assert person.respond(EXPLAIN, vault) == (UserAct(Kind.OTHER),)
    assert person.acceptable == 1 << index(small, "quay")


@pytest.mark.parametrize("rate", [0.0, 0.35, 1.0])
def test_details_then_the_decision(small: Catalog, rate: float) -> None:
    asked = []
    for seed in range(500):
        person = user(small, seed, details=rate)
        item = seed % len(small)
        acts = person.respond(RECOMMEND, item)
        asked.append(kinds(acts) == [Kind.DETAILS])
        if asked[-1]:
            assert acts[0].other == item
            (decision,) = person.respond(EXPLAIN, item)
            right = bool(person.acceptable >> item & 1)
            assert decision.kind == (Kind.ACCEPT if right else Kind.REJECT)
            assert decision.other == item
    assert share(asked) == pytest.approx(rate, abs=0.08)


def test_a_request_for_details_lapses(small: Catalog) -> None:
    """Another act in between: the explanation comes too late."""
    vault = index(small, "vault")
    for act in (GENRE, REFLECT):
        person = user(small, 0, details=1.0)
        person.respond(RECOMMEND, vault)
        person.respond(act, -1)
        assert Kind.OTHER in kinds(person.respond(EXPLAIN, vault))
    person = user(small, [YES, NO], details=0.5)
    person.respond(RECOMMEND, vault)
    assert kinds(person.respond(RECOMMEND, index(small, "quay"))) == [Kind.ACCEPT]


def test_how_often_a_reason_is_given(small: Catalog) -> None:
    cellar = index(small, "cellar")
    replies = [user(small, s, reason=0.4).respond(RECOMMEND, cellar) for s in range(DRAWS)]
    reasons = [acts[0].facet >= 0 for acts in replies]
    assert share(reasons) == pytest.approx(0.4, abs=0.04)
    wishes = [len(acts) == 2 for acts, given in zip(replies, reasons, strict=True) if given]
    assert share(wishes) == pytest.approx(GIVES_WISH, abs=0.07)
    assert all(len(acts) == 1 for acts, given in zip(replies, reasons, strict=True) if not given)


def test_a_reason_is_an_unmet_facet_and_a_value_that_the_item_really_has(small: Catalog) -> None:
    wanted, seen_facets = crime(small), set()
    for seed in range(DRAWS):
        item = small.items[seed % len(small)]
        if targets(small, wanted) >> item.index & 1:
            continue
        reject, *wish = user(small, seed, reason=1.0).respond(RECOMMEND, item.index)
        facet = reject.facet
        assert (reject.kind, reject.other) == (Kind.REJECT, item.index)
        own, goal = set(item.values[facet]), set(wanted.values[facet])
        assert not (goal <= own if small.domain.facets[facet].match == "all" else goal & own)
        seen_facets.add(facet)
        if reject.value >= 0:
            assert reject.value in own - goal
        else:
            assert own <= goal
        for act in wish:
            assert (act.kind, act.facet) == (Kind.LIKE, facet)
            assert act.value in goal - own or not goal - own
    assert seen_facets == {0, 1, 2}


def test_reflection_is_answered_with_what_is_wanted(small: Catalog) -> None:
    """About the facet complained about: a wanted value that the rejected item lacks."""
    wanted, cellar = crime(small), small.item("cellar")
    for seed in range(300):
        person = user(small, seed, reason=1.0)
        acts = person.respond(RECOMMEND, cellar.index)
        facet = acts[0].facet
        told = {act.value for act in acts[1:]}
        (answer,) = person.respond(REFLECT, -1)
        left = set(wanted.values[facet]) - told
        if not left:
            assert answer == UserAct(Kind.NOMORE, facet)
            continue
        assert (answer.kind, answer.facet) == (Kind.LIKE, facet)
        assert answer.value in left
        lacking = left - set(cellar.values[facet])
        assert answer.value in lacking or not lacking


def test_reflection_without_a_reason_asks_about_an_unmet_facet(small: Catalog) -> None:
    quay_like = index(small, "harbour")  # meets genre and star, not the director
    for seed in range(100):
        person = user(small, seed)
        person.respond(RECOMMEND, quay_like)
        (answer,) = person.respond(REFLECT, -1)
        assert (answer.kind, answer.facet) == (Kind.LIKE, 2)


def test_reflection_before_any_rejection_is_useless(small: Catalog) -> None:
    assert user(small).respond(REFLECT, -1) == (UserAct(Kind.OTHER),)


def test_a_slip_can_be_corrected_while_reacting(small: Catalog) -> None:
    vault, seen_kinds = index(small, "vault"), []
    for seed in range(50):
        person = user(small, seed, slip=1.0)
        person.respond(STAR, -1)
        seen_kinds.append(tuple(kinds(person.respond(RECOMMEND, vault))))
    assert set(seen_kinds) == {(Kind.CORRECT, Kind.ACCEPT), (Kind.ACCEPT,)}


def test_details_of_a_seen_item_end_in_saying_so(small: Catalog) -> None:
    """A model may let its user ask about what it has seen; the embedded user goes on from there."""
    vault = index(small, "vault")
    person = user(small, 0, None, 1 << vault, reason=1.0)
    person.asked_details = vault
    assert person.respond(EXPLAIN, vault) == (UserAct(Kind.SEEN, -1, -1, vault),)
