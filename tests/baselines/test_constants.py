"""Constants of every method: a wrong kind or range is one line that names the key."""

from dataclasses import fields
from typing import Any

import pytest

from baselines.chat_crs import ChatCRSSettings
from baselines.inter_crs import InterCRSSettings
from baselines.macrs import MACRSSettings
from baselines.pc_crs import PCCRSSettings
from baselines.ra_crs import RACRSSettings
from baselines.sapient_llm import SapientSettings
from baselines.t_epl import TEPLSettings
from baselines.tuned_rule import TunedRuleSettings

ALL = (
    InterCRSSettings, MACRSSettings, ChatCRSSettings, PCCRSSettings, RACRSSettings, SapientSettings,
    TEPLSettings, TunedRuleSettings,
)  # fmt: skip
WRONG: dict[str, tuple[Any, ...]] = {
    "int": ("abc", 1.5, -7, None, True, [2]),
    "float": ("abc", -7000.0, None, True, float("nan"), float("inf")),
    "bool": ("abc", 1, None),
}
"""By annotation; words are the remaining ones."""


@pytest.mark.parametrize("settings", ALL)
def test_every_constant_of_a_wrong_kind_is_named(settings: Any) -> None:
    for field in fields(settings):
        for value in WRONG.get(str(field.type), ("abc", 3, None, True)):
            with pytest.raises(ValueError, match=rf"^planner\.{field.name} must be ") as raised:
                settings(**{field.name: value})
            assert "\n" not in str(raised.value)
            assert str(raised.value).endswith(f", not {value!r}")


@pytest.mark.parametrize("settings", ALL)
def test_the_defaults_are_in_range(settings: Any) -> None:
    assert settings() == settings()
