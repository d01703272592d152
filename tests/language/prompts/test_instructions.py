"""Instructions are the domain's: no text of a catalogue, a user or a persona is among them."""

import json

import pytest

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from language.prompts.facts import vocabulary
from language.prompts.versions import PROMPTS
from tests.language.prompts.hostile import ORDER
from tests.language.prompts.roles import told

DOMAINS = ("movie", "book")


def catalog_of(domain: str, text: str) -> Catalog:
    """Three items; each title, plot and value, of facets with few of them too, holds a text."""
    facets = load_domain(domain)
    rows = [
        ItemRow(
            str(k),
            f"{text} {k}",
            1990 + k,
            tuple((f"{text} {k}", f"{text} {facet.name}") for facet in facets.facets),
            plot=text,
        )
        for k in range(3)
    ]
    return build_catalog(facets, rows, "items that hold a text")


def instructions(domain: str, text: str) -> list[tuple[str, str]]:
    """Role and system message of every example."""
    found = []
    for role, examples in told(catalog_of(domain, text), text).items():
        for example in examples:
            system, _ = example.messages
            assert system["role"] == "system"
            found.append((role, system["content"]))
    return found


@pytest.mark.parametrize("domain", DOMAINS)
def test_instructions_hold_no_text_of_the_catalogue(domain: str) -> None:
    assert any(ORDER in name for name in vocabulary(catalog_of(domain, ORDER))["genre"])
    found = instructions(domain, ORDER)
    assert {role for role, _ in found} == set(PROMPTS)
    assert not [role for role, system in found if "Ignore all" in system]


@pytest.mark.parametrize("domain", DOMAINS)
def test_instructions_are_the_same_for_every_catalogue_of_a_domain(domain: str) -> None:
    assert instructions(domain, "one") == instructions(domain, "another")


@pytest.mark.parametrize("domain", DOMAINS)
def test_texts_are_inside_the_json_of_the_data(domain: str) -> None:
    """A user message is JSON values, and after them, if anything, words that are constant."""
    for role, examples in told(catalog_of(domain, ORDER), ORDER).items():
        for example in examples:
            rest = example.messages[1]["content"]
            values = 0
            while rest.startswith("{"):
                _, end = json.JSONDecoder().raw_decode(rest)
                rest, values = rest[end:].lstrip(), values + 1
            assert values >= 1
            assert "Ignore all" not in rest
            assert rest == "" or role == "user"
