"""Planning is worth something: Dreams beats asking about everything, on train goals."""

from statistics import mean

from baselines.references import AskAll
from envs.crs import CRSEnv
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from tests.dialogues import hold_many

DIALOGUES = 80


def test_dreams_beats_ask_all(no_data: str) -> None:
    """Same users and goals for both; the margin is far below what a full run shows."""
    env = CRSEnv("redial", channel="acts", split="train", data_dir=no_data)
    dreams = hold_many(env, Dreams(DreamsSettings(n_el=60)), [0], DIALOGUES, "train")
    ask_all = hold_many(env, AskAll(), [0], DIALOGUES, "train")
    gain = mean(a.earned - b.earned for a, b in zip(dreams, ask_all, strict=True))
    assert gain > 0.1
    assert sum(d.success for d in dreams) >= sum(a.success for a in ask_all)
