"""What records say about models, and how many calls a user takes."""

from typing import Any

import pytest

from envs.crs import CRSEnv
from envs.voices import models_in_record
from language.llm.settings import read_settings
from simulators.model_user import ModelUser

OPENAI: dict[str, Any] = {"backend": "openai", "base_url": "http://127.0.0.1:9/v1"}


def test_records_name_who_is_asked_in_a_dialogue() -> None:
    """Nothing is opened to say so, not even where a cache could not be."""
    llm = OPENAI | {"roles": {"reply": {"model": "another"}}, "cache": "/proc/no folder"}
    found = models_in_record(llm)["llm"]
    assert list(found) == ["reply", "track", "user"]
    assert [found[role]["model"] for role in found] == ["another", "gpt-4o-mini", "gpt-4o-mini"]
    assert all(found[role]["prompt"].startswith(f"{role}/") for role in found)
    assert set(models_in_record(llm, ("judge", "embed"))["llm"]) == {"embed", "judge"}


@pytest.mark.parametrize("llm", [None, {}, {"roles": {"judge": {"backend": "openai"}}}])
def test_an_embedded_dialogue_names_none(llm: dict[str, Any] | None) -> None:
    assert models_in_record(llm) == {}


@pytest.mark.parametrize(
    ("given", "calls"), [({}, 1), ({"user_calls": None}, 1), ({"user_calls": 3}, 3)]
)
def test_the_calls_of_a_user_are_those_of_the_settings(
    no_data: str, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], calls: int
) -> None:
    found: list[int] = []

    class Heard(Exception):  # noqa: N818
        pass

    def init(self: ModelUser, *args: Any) -> None:
        found.append(args[-1])
        raise Heard

    monkeypatch.setattr(ModelUser, "__init__", init)
    env = CRSEnv("redial", llm=OPENAI | given)
    with pytest.raises(Heard):
        env.reset(seed=0, options={"episode": 0, "split": "test"})
    assert found == [calls] == [read_settings(OPENAI | given).user_calls]
