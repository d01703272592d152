"""A wrong name is answered with the nearest right ones, before anything runs."""

import shlex

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from conf.overrides import OverrideError, check_overrides, check_single, spelled

WRONG = [
    ("planner=drems", "no 'planner=drems'; did you mean planner=dreams"),
    ("env=reddial", "did you mean env=redial"),
    ("logger=tensorbord", "did you mean logger=tensorboard"),
    ("experiment=smoak", "did you mean experiment=smoke"),
    ("planner=zzzz", "there are planner=a2c, planner=always_recommend"),
    ("planer=dreams", "no 'planer'; did you mean planner"),
    ("planner.n_ell=5", "did you mean planner.n_el"),
    ("planner.depth=5", "did you mean planner."),
    ("planner.scorer.explian=1", "did you mean planner.scorer.explain"),
    ("explain=1", "planner.scorer.explain"),
    ("epsiodes=3", "did you mean episodes"),
    ("experiment=null", "there are experiment="),
    ("reward.terms.acept=3", "did you mean reward.terms.accept"),
    ("env.max_turn=3", "did you mean env.max_turns"),
    ("resume=no", "resume must be true or false, not 'no'"),
    ("planner.trace=on", "planner.trace must be true or false, not 'on'"),
    ("dreams", "'dreams' sets nothing; did you mean planner=dreams?"),
    ("seed", "'seed' sets nothing; write group=option or key=value"),
    ("~seed", "~seed: a run needs seed; set it to something else, as in seed=VALUE"),
    ("~planner=dreams", "a run needs planner"),
    ("~planner.n_el", "a run needs planner.n_el"),
]


@pytest.mark.parametrize(("override", "answer"), WRONG)
def test_wrong_names(override: str, answer: str) -> None:
    with pytest.raises(OverrideError) as caught:
        check_overrides(["seed=1", override])
    assert answer in str(caught.value)
    assert "\n" not in str(caught.value)


RIGHT = [
    ["env=custom", "env.items=a=b.csv", "env.domain=book"],
    ["planner=maskable_ppo", "planner.hyperparameters.n_steps=64", "planner.total_timesteps=10"],
    ["planner.imagination.tiers=3", "reward.terms.accept=5", "seed=2"],
    ["experiment=smoke", "logger=none", "hydra.verbose=true"],
    ["--multirun", "planner=ask_all,random", "seed=1,2"],
    ["--cfg", "job", "seed=1"],
    ["resume=True", "planner.trace=false,true"],
    ["+reward.terms.mine={term: 'a:B'}", "~experiment", "++seed=3"],
    ["~reward.terms.accept", "~env.kwargs.mine"],
    [],
]


@pytest.mark.parametrize("overrides", RIGHT, ids=" ".join)
def test_right_names(overrides: list[str]) -> None:
    check_overrides(overrides)


def test_keys_are_those_of_the_chosen_planner() -> None:
    check_overrides(["planner=dreams", "planner.k_el=2"])
    with pytest.raises(OverrideError, match=r"no 'planner\.k_el'"):
        check_overrides(["planner=ask_all", "planner.k_el=2"])


UNREADABLE = [
    ("label=a(b", "label=a(b: no viable alternative at input 'a(b'; write \"label='a(b'\""),
    ("run_dir=/tmp/a=b", "write \"run_dir='/tmp/a=b'\""),
    ("seed=[1", "seed=[1: no viable alternative at input '[1'; close its quotes and brackets"),
    ("label='a", "close its quotes and brackets"),
    ("label=${x}", "Interpolation key 'x' not found"),
    ("+seed=3", "Could not append to config"),
    ("hydra=null", "must be a string or a list"),
]


@pytest.mark.parametrize(("override", "answer"), UNREADABLE)
def test_what_hydra_cannot_read_is_one_line(override: str, answer: str) -> None:
    with pytest.raises(OverrideError) as caught:
        check_single(["planner=random", override])
    assert answer in str(caught.value)
    assert "\n" not in str(caught.value)


def test_flags_leave_words_to_hydra() -> None:
    check_single(["--config-dir", "nowhere", "planner=random"])


@pytest.mark.parametrize(
    "text", ["runs/a-b", "a b", "2024", "a=b", "it's", "a(b", "$HOME", 'a"b', "a\\b", "ä ü"]
)
def test_a_text_is_spelled_so_that_it_is_read_back(text: str) -> None:
    (word,) = shlex.split(spelled("run_dir", text))
    assert str(OverridesParser.create().parse_override(word).value()) == text
