"""The ten personas and the files that describe users."""

from dataclasses import asdict, fields
from pathlib import Path

import pytest
import yaml

from simulators.behaviour import PROBABILITIES, Behaviour, parse_behaviour
from simulators.personas import PERSONA_FILE, bundled_personas, load_personas
from tests.small_world import PLAIN


def test_ten_different_people() -> None:
    people = bundled_personas()
    assert len(people) == 10
    assert len({person.name for person in people}) == 10
    assert len({(person.style.emotion, person.style.age) for person in people}) == 10
    assert len({person.behaviour for person in people}) == 10
    assert all(person.description.strip() for person in people)


def test_they_span_what_makes_users_differ() -> None:
    """Each parameter varies by persona, in the ranges that the design names."""
    rows = [person.behaviour for person in bundled_personas()]
    for field in fields(Behaviour):
        assert len({getattr(row, field.name) for row in rows}) >= 3, field.name
    assert {row.fatigue for row in rows} >= {1, 2, 3}
    assert all(1 <= row.fatigue <= 7 and 1.5 <= row.patience <= 4 for row in rows)
    assert all(row.evade_topic <= row.evade_person or row.evade_person < 0.1 for row in rows)
    assert all(0.15 <= row.seen <= 0.6 for row in rows)


def test_the_order_is_the_files() -> None:
    raw = yaml.safe_load(PERSONA_FILE.read_text(encoding="utf-8"))["personas"]
    assert [person.name for person in bundled_personas()] == [entry["name"] for entry in raw]


@pytest.mark.parametrize("name", PROBABILITIES)
@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_a_probability_out_of_range(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a probability"):
        Behaviour(**{**asdict(PLAIN), name: value})


@pytest.mark.parametrize(("name", "value"), [("patience", 0), ("patience", -1), ("fatigue", -1)])
def test_patience_and_fatigue_out_of_range(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        Behaviour(**{**asdict(PLAIN), name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vague": None}, "here: .*"),
        ({"vague": "often"}, "here: .*often"),
        ({"mood": 0.5}, "here: unknown 'mood'; a behaviour has opens_topic,"),
        ({"seen": 2.0}, "here: .*seen must be a probability"),
    ],
)
def test_a_wrong_behaviour_names_the_place(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_behaviour({**asdict(PLAIN), **change}, "here")


def test_a_missing_field_is_named() -> None:
    raw = asdict(PLAIN)
    del raw["slip"]
    with pytest.raises(ValueError, match="here: missing 'slip'"):
        parse_behaviour(raw, "here")
    assert parse_behaviour(asdict(PLAIN), "here") == PLAIN


GOOD = {
    "name": "pat",
    "description": "Someone.",
    "emotion": "trust",
    "age": "adults",
    "behaviour": asdict(PLAIN),
}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([], "expected a list under 'personas'"),
        ({"personas": []}, "expected a list under 'personas'"),
        ({"personas": [GOOD, GOOD]}, "two personas share a name: pat, pat"),
        ({"personas": [{**GOOD, "behaviour": {}}]}, "persona 'pat': missing 'opens_topic'"),
        ({"personas": [{k: v for k, v in GOOD.items() if k != "age"}]}, "'pat': missing 'age'"),
        ({"personas": [{**GOOD, "emotion": "hunger"}]}, "no phrases for the emotion 'hunger'"),
        ({"personas": ["pat"]}, "a persona must be a mapping, not 'pat'"),
        ({"personas": [{**GOOD, "behaviour": 5}]}, "'pat': a behaviour must be a mapping, not 5"),
    ],
)
def test_a_wrong_file_names_itself(tmp_path: Path, raw: object, message: str) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        load_personas(path)
    assert str(path) in str(caught.value)


def test_people_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(yaml.safe_dump({"personas": [GOOD]}), encoding="utf-8")
    (pat,) = load_personas(path)
    assert (pat.name, pat.style.age, pat.behaviour) == ("pat", "adults", PLAIN)
