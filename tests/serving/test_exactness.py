"""What comes through HTTP and JSON is what the embedded role finds in the process, bit by bit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.inter_crs import InterCRSSettings
from baselines.inter_crs.rules import embedded_decision
from catalogs.catalog import Catalog
from envs.world import World
from envs.worlds import open_world
from evaluation.judge import EmbeddedJudge, write_judgement
from language.prompts.acts import ActOut, read_acts
from language.prompts.scoring import ActionScore, read_scores
from language.prompts.single_call import Situation
from serving.background import running
from tests.serving.asking import Endpoint
from tests.serving.dialogues import play
from tests.strategies import turns, worlds

PLACES: dict[str, World] = {}


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with running(worlds=lambda origin: PLACES[origin["name"]]) as base_url:
        found = Endpoint(base_url)
        yield found
        found.client.close()


def register(place: World) -> None:
    """Give the world's catalogue a name that the endpoint knows."""
    name = str(len(PLACES))
    PLACES[name] = place
    place.catalog.origin = {"name": name, "n_items": len(place.catalog)}


class Comparison:
    """Asks the endpoint for everything that a dialogue computes, and compares."""

    def __init__(self, served: Endpoint, catalog: Catalog) -> None:
        self.served = served
        self.catalog = catalog
        self.count: Counter[str] = Counter()

    def __call__(self, role: str, inputs: dict[str, Any], expected: Mapping[str, Any]) -> None:
        self.count[role] += 1
        found = self.served.result(role, inputs)
        assert set(found) >= {"reply"} or role == "track"
        assert found.get("reply") == expected.get("reply")
        if role == "reply":
            return
        view = inputs["view"]
        written = [
            ActOut.model_validate(act) for act in found.get("acts") or found.get("meaning", [])
        ]
        item = view["offers"][-1][0] if view["last_action"] > self.catalog.domain.n_facets else -1
        assert read_acts(self.catalog, written, item) == expected["acts"]
        if role == "track":
            scores = [ActionScore.model_validate(entry) for entry in found["scores"]]
            assert list(read_scores(self.catalog.domain, scores)) == expected["scores"]
            return
        steps = {
            step: self.served.result("user", {**inputs, "step": step})
            for step in ("feeling", "insight", "reply")
        }
        assert {**steps["feeling"], **steps["insight"], **steps["reply"]} == found
        assert found["feeling"].strip()
        assert found["insight"].strip()


@given(data=st.data(), seed=st.integers(0, 10**30))
@settings(max_examples=30)
def test_random_dialogues_over_random_catalogues(
    served: Endpoint, data: st.DataObject, seed: int
) -> None:
    place = data.draw(worlds())
    register(place)
    taken = data.draw(turns(place.catalog))
    play(place, data.draw(st.integers(0, 20)), seed, taken, Comparison(served, place.catalog))


@pytest.mark.parametrize("name", ["sample_movie", "sample_book"])
def test_dialogues_over_the_samples(served: Endpoint, name: str) -> None:
    place = open_world(name)
    PLACES[name] = place
    comparison = Comparison(served, place.catalog)
    domain = place.catalog.domain
    script = [0, domain.recommend, domain.reflect, 1, domain.recommend, domain.explain] * 2
    for episode in range(12):
        play(place, episode, 3, script, comparison)
    assert min(comparison.count.values()) > 60
    assert set(comparison.count) == {"reply", "user", "track"}


def test_the_single_call_policy(served: Endpoint) -> None:
    place = open_world("sample_movie")
    PLACES["sample_movie"] = place
    catalog = place.catalog
    label = catalog.items[5].label
    lines = [
        ["user", "Hello!"],
        ["system", "Which genres would you like?"],
        ["user", f"Something like {catalog.value(0, 0)}"],
        ["system", f"How about {label}?"],
        ["user", "Tell me more about it."],
    ]
    rules, actions = InterCRSSettings(opening=1, sure=0).rules(), set()
    for cut in range(len(lines) + 1):
        said = tuple((speaker, text) for speaker, text in lines[:cut])
        situation = Situation(catalog, said, (1, 2, 3), 1 << 5, 5, (0, 1, 2, 4, 5))
        inputs = {"turns_left": 5, "rules": rules.model_dump(mode="json"), **situation.inputs()}
        found = served.result("policy", inputs)
        assert found == embedded_decision(situation, 5, rules).model_dump()
        actions.add(found["action"])
    assert actions >= {"ItemRec", "ItemExplanation"}
    assert len(actions) > 2


def test_the_judge(served: Endpoint) -> None:
    place = open_world("sample_movie")
    PLACES["sample_movie"] = place
    catalog = place.catalog
    judge = EmbeddedJudge(catalog)
    found: list[tuple[str, str]] = []

    def note(role: str, inputs: dict[str, Any], expected: Mapping[str, Any]) -> None:
        if role != "track":
            found.append(("system" if role == "reply" else "user", expected["reply"]))

    intents = set()
    for episode in range(8):
        found.clear()
        play(place, episode, 3, [0, 4, 3, 1, 4, 4, 2, 4], note)
        labels = served.result("judge", {"catalog": dict(catalog.origin), "lines": found})
        assert labels == write_judgement(judge.judge(found))
        assert len(labels["turns"]) == sum(speaker == "system" for speaker, _ in found)
        intents |= {turn["intent"] for turn in labels["turns"]}
    assert intents >= {"ask", "recommend"}
