"""The reply prompt: public facts only, and a reply that names the item."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.domain import load_domain
from language.prompts import replying
from language.prompts.replying import Reply, read_reply
from tests.language.prompts.hostile import ORDER


@pytest.mark.parametrize("name", ["movie", "book"])
def test_instructions_name_the_domain_and_are_short(name: str) -> None:
    domain = load_domain(name)
    system, user = replying.messages(domain, {"title": ORDER})
    assert domain.nouns in system["content"]
    assert len(system["content"].split()) < 250
    assert ORDER not in system["content"]
    assert json.loads(user["content"]) == {"title": ORDER}


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_a_blank_reply_is_sent_back(text: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        read_reply(Reply(reply=text), None)


def test_the_title_must_be_named_whatever_its_case() -> None:
    with pytest.raises(ValueError, match="the item's title"):
        read_reply(Reply(reply="How about it?"), "Plain Street")
    kept = "  How about PLAIN  street? "
    assert read_reply(Reply(reply=kept), "Plain Street") == kept
    assert read_reply(Reply(reply="So: Tom’s Dog"), "Tom's Dog") == "So: Tom’s Dog"


def test_a_title_that_gives_orders_is_in_no_instruction_to_mend() -> None:
    with pytest.raises(ValueError, match="exactly as written") as refused:
        read_reply(Reply(reply="How about it?"), ORDER)
    assert ORDER not in str(refused.value)


@given(st.text(max_size=30), st.text(min_size=1, max_size=30))
def test_a_read_reply_is_unchanged(text: str, title: str) -> None:
    for wanted, reply in ((None, text), (title, f"{text} {title} {text}")):
        try:
            assert read_reply(Reply(reply=reply), wanted) == reply
        except ValueError:
            assert not reply.strip()
