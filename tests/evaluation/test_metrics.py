"""The table of metrics: means, pooled ratios, and what exists for whom."""

import pytest

from evaluation.metrics import tallies
from evaluation.records import RecordError
from tests.evaluation.fakes import record, timing, turn
from tests.evaluation.test_exploitation import RIGHT, WHOLE, WRONG

OPENED = {"opening": {"user": "hello", "said": WHOLE, "heard": []}}
REJECTED = turn("ItemRec", item="a", said=[["REJECT", "genre", "horror", "a"]])
RECORDS = [
    # Success on turn 3; asks once while retrieval is right; one fine error of one.
    record(
        REJECTED,
        turn("StarInquiry", retrieved=["t"], search_changed=True),
        turn("ItemRec", item="t", search_changed=False),
        outcome="accepted",
    ),
    # One of two fine errors; nothing found although all is known.
    record(
        REJECTED,
        turn("StarInquiry", retrieved=["a"], search_changed=True),
        REJECTED,
        turn("GenreInquiry", retrieved=["b"]),
        WRONG,
        episode=1,
        **OPENED,
    ),
    record(RIGHT, episode=2, **OPENED),
    record(turn("GenreInquiry", retrieved=[]), episode=3),
]
TIMINGS = [timing(k, policy=0.5 * (k + 1), environment=0.1) for k in range(4)]
KNOWN = {
    "success_rate": 1 / 4,
    "target_offered_rate": 1 / 4,
    "average_turns": (3 + 5 + 1 + 1) / 4,
    "recall@1": 1 / 4,
    "recall@5": 2 / 4,
    "recall@10": 3 / 4,
    "recall@1_last_turn": 1 / 4,
    "return": -0.1 * 10 / 4,
    "reward_cost": -0.1 * 10 / 4,
    "reward_accept": 0.0,
    # Errors: offer of a, ask while right | offers of a, a, a | offer of a | none.
    "cge2": (2 + 3 + 1 + 0) / (3 + 5 + 1 + 1),
    # The wide reading forgives the offer of the third dialogue.
    "cge2_top5": (2 + 3 + 0 + 0) / 10,
    "fge2": 2 / 4,
    "fge2_turns": (1 + 1) / (1 + 2),
    "fge2_dialogue_share": (1 / 1 + 1 / 2) / 2,
    "pe2": 1 / 4,
    "pe2_eligible": 2 / 4,
    "pe2_among_eligible": 1 / 2,
    "pe2_loose": 1 / 4,
    "search_changed_decision": 2 / 3,
    "seconds_per_turn": (0.5 + 1.0 + 1.5 + 2.0) / 10,
    "environment_seconds_per_turn": 0.4 / 10,
}


@pytest.mark.parametrize("key", sorted(KNOWN))
def test_each_metric(key):
    assert tallies(RECORDS, TIMINGS)[key].value == pytest.approx(KNOWN[key])


def test_a_vector_has_an_entry_per_dialogue():
    assert {len(tally) for tally in tallies(RECORDS, TIMINGS).values()} == {4}


def test_a_policy_without_a_search_changes_nothing():
    assert tallies(RECORDS[3:], TIMINGS[3:])["search_changed_decision"].value is None


def test_reward_terms_of_a_user_get_a_key():
    played = turn("GenreInquiry", rewards={"novelty": 0.5, "explore": 0.25})
    found = tallies([record(played)], [timing()])
    assert found["reward_novelty"].value == 0.5
    assert found["reward_explore"].value == 0.25
    assert found["reward_accept"].value == 0.0


def test_episodes_without_dialogues_have_what_they_have():
    generic = {"schema": 1, "seed": 0, "return": 2.0, "length": 4}
    records = [
        generic | {"episode": k, "success": success} for k, success in enumerate([True, False])
    ]
    found = tallies(records, TIMINGS[:2])
    values = {key: tally.value for key, tally in found.items()}
    assert values == {
        "average_turns": 4.0,
        "return": 2.0,
        "success_rate": 0.5,
        "seconds_per_turn": pytest.approx(1.5 / 8),
        "environment_seconds_per_turn": pytest.approx(0.2 / 8),
    }
    unknown = [entry | {"success": None} for entry in records]
    assert "success_rate" not in tallies(unknown, TIMINGS[:2])


def test_mixed_or_unpaired_files_are_refused():
    generic = {"schema": 1, "seed": 0, "episode": 1, "return": 2.0, "length": 4, "success": None}
    with pytest.raises(RecordError, match="mixed"):
        tallies([RECORDS[0], generic], TIMINGS[:2])
    with pytest.raises(RecordError, match="1 timings"):
        tallies(RECORDS, TIMINGS[:1])
