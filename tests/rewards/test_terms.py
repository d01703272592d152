"""Each reward term on transitions made by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from catalogs.goal import targets
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView
from retrieval.structured import StructuredRetriever
from rewards.terms import Accept, Attitude, Cost, Explore, Retrieve, overlap
from rewards.transition import Transition
from tests.small_world import films, goal, index
from tests.strategies import catalogs, goals


def transition(**facts: Any) -> Transition:
    """A legal turn in which nothing happened, with some facts changed."""
    catalog = films()
    made = Transition()
    defaults = {
        "view": DialogueView(catalog, StructuredRetriever(catalog), "acts", 10),
        "goal": goal(catalog, "thriller|crime|drama", "Ada Lind|Tom Hollis", "B. Tash"),
        "action": 0,
        "legal": True,
        "repeated": False,
        "acts": (),
        "accepted": False,
        "left": False,
        "best_before": 0.0,
        "overlap_before": 0.0,
        "overlap_after": 0.0,
    }
    for name, value in {**defaults, **facts}.items():
        setattr(made, name, value)
    return made


def acts(*kinds: Kind) -> tuple[UserAct, ...]:
    return tuple(UserAct(int(kind)) for kind in kinds)


def test_explore_pays_the_rise_of_the_best_confidence() -> None:
    made = transition(best_before=0.3)
    made.view.state.best = [0.6, 0.3, 0.0]
    assert Explore()(made) == pytest.approx((0.9 - 0.3) / 3)
    made.best_before = 0.9
    assert Explore()(made) == pytest.approx(0.0)


def test_explore_pays_nothing_for_toggling() -> None:
    made = transition()
    state = made.view.state
    like, dislike = ((UserAct(int(kind), 0, 1),) for kind in (Kind.LIKE, Kind.DISLIKE))
    paid = []
    for said in [like, dislike, like, dislike, like]:
        made.best_before = sum(state.best)
        state.update(said)
        paid.append(Explore()(made))
    assert paid == pytest.approx([0.2, 0, 0, 0, 0])


def test_retrieve_pays_the_change_but_not_on_acceptance() -> None:
    made = transition(overlap_before=0.25, overlap_after=0.75)
    assert Retrieve()(made) == 0.5
    made.overlap_after = 0.0
    assert Retrieve()(made) == -0.25
    made.accepted = True
    assert Retrieve()(made) == 0.0


@pytest.mark.parametrize(
    ("facts", "value"),
    [
        ({}, 0.0),
        ({"acts": acts(Kind.LIKE, Kind.EVADE, Kind.NOMORE, Kind.DETAILS)}, 0.0),
        ({"acts": acts(Kind.REJECT)}, -1.0),
        ({"acts": acts(Kind.SEEN, Kind.SIGH)}, -0.5),
        ({"acts": acts(Kind.REJECT, Kind.QUIT), "left": True}, -2.0),
        ({"acts": acts(Kind.ACCEPT), "accepted": True}, 1.0),
        ({"acts": acts(Kind.ACCEPT), "accepted": False}, 0.0),
    ],
)
def test_attitude(facts: dict[str, Any], value: float) -> None:
    assert Attitude()(transition(**facts)) == value


@pytest.mark.parametrize(
    ("facts", "value"),
    [
        ({}, -1.0),
        ({"repeated": True}, -2.0),
        ({"legal": False}, -2.0),
        ({"repeated": True, "legal": False}, -2.0),
    ],
)
def test_cost(facts: dict[str, Any], value: float) -> None:
    assert Cost()(transition(**facts)) == value


def test_accept_believes_the_verification_only() -> None:
    assert Accept()(transition(accepted=True)) == 1.0
    assert Accept()(transition(acts=acts(Kind.ACCEPT))) == 0.0


@pytest.mark.parametrize(
    ("key", "share"),
    [
        ("vault", 1.0),
        ("quay", 1.0),
        ("harbour", 2 / 3),  # all genres, an actor, another director
        ("parade", (1 / 3 + 1 + 1) / 3),
        ("moth", 0.0),
    ],
)
def test_overlap(small: Catalog, key: str, share: float) -> None:
    wanted = goal(small, "thriller|crime|drama", "Ada Lind|Tom Hollis", "B. Tash")
    assert overlap(small, wanted, index(small, key)) == pytest.approx(share)


def test_overlap_of_nothing(small: Catalog) -> None:
    wanted = goal(small, "thriller|crime", "", "")
    assert overlap(small, wanted, -1) == 0.0
    assert overlap(small, wanted, index(small, "vault2")) == 1.0
    assert overlap(small, goal(small, "", "", ""), 0) == 0.0


@given(data=st.data(), catalog=catalogs())
def test_overlap_is_full_exactly_for_targets(data: st.DataObject, catalog: Catalog) -> None:
    wanted = data.draw(goals(catalog))
    met = targets(catalog, wanted)
    for item in range(len(catalog)):
        found = overlap(catalog, wanted, item)
        assert 0.0 <= found <= 1.0
        if any(wanted.values):
            assert (found == 1.0) == bool(met >> item & 1)
