"""Domains: what follows from a description, and what a wrong one is told."""

from pathlib import Path
from typing import Any

import pytest

from catalogs.domain import DomainError, load_domain, parse_domain

GOOD: dict[str, Any] = {
    "name": "game",
    "noun": "game",
    "facets": [
        {"name": "play_style", "match": "all", "synonyms": {"co-op": ["together"]}},
        {"name": "studio", "match": "any", "person": True, "goal_size": 2, "plural": "studios"},
    ],
}


def changed(**keys: Any) -> dict[str, Any]:
    return {**GOOD, **keys}


def with_facet(**keys: Any) -> dict[str, Any]:
    return changed(facets=[{**GOOD["facets"][0], **keys}])


def test_actions_follow_from_the_facets() -> None:
    domain = parse_domain(GOOD)
    assert domain.actions == (
        "PlayStyleInquiry",
        "StudioInquiry",
        "FailureReflection",
        "ItemRec",
        "ItemExplanation",
    )
    assert domain.actions[domain.reflect] == "FailureReflection"
    assert domain.actions[domain.recommend] == "ItemRec"
    assert domain.actions[domain.explain] == "ItemExplanation"
    assert domain.facet_index("studio") == 1
    assert domain.nouns == "games"
    assert domain.facets[0].synonyms == {"co-op": ("together",)}


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("movie", ("GenreInquiry", "StarInquiry", "DirectorInquiry")),
        ("book", ("GenreInquiry", "WriterInquiry")),
    ],
)
def test_bundled_domains(name: str, actions: tuple[str, ...]) -> None:
    domain = load_domain(name)
    assert domain.actions == (*actions, "FailureReflection", "ItemRec", "ItemExplanation")
    assert [facet.match for facet in domain.facets] == ["all"] + ["any"] * (len(actions) - 1)
    vague = domain.facets[0].vague
    assert vague
    assert all(len(values) == 2 for values in vague.values())


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([], "d: expected a mapping, found list"),
        (None, "d: expected a mapping, found NoneType"),
        (changed(facets=[]), "d: 'facets' must be a list with at least one facet"),
        (changed(facets={}), "d: 'facets' must be a list with at least one facet"),
        (changed(facets=["genre"]), r"d: facets\[0\]: expected a mapping, found str"),
        (changed(name=" "), "d: 'name' must be a non-empty text"),
        (changed(noun=None), "d: 'noun' must be a non-empty text"),
        (changed(facets=GOOD["facets"] * 2), "d: two facets share a name: play_style, studio"),
        (with_facet(name=3), r"d: facets\[0\]: 'name' must be a non-empty text"),
        (with_facet(match="some"), r"d: facets\[0\]: 'match' must be all or any, not 'some'"),
        (with_facet(matches="all"), r"facets\[0\]: unknown key 'matches'; known: goal_min"),
        (with_facet(goal_size=-1), "'goal_size' must be a whole number in 0..100, not -1"),
        (with_facet(goal_min=True), "'goal_min' must be a whole number in 0..100, not True"),
        (with_facet(synonyms=["x"]), "synonyms: expected a mapping, found list"),
        (with_facet(vague={"dark": "crime"}), r"vague\['dark'\] must be a list of texts"),
        (with_facet(vague={"dark": [1]}), r"vague\['dark'\] must be a list of texts"),
        (with_facet(person="no"), r"facets\[0\]: 'person' must be true or false, not 'no'"),
        (with_facet(singular=3), r"facets\[0\]: 'singular' must be a non-empty text"),
        (with_facet(plural=""), r"facets\[0\]: 'plural' must be a non-empty text"),
        (with_facet(inquiry="ItemRec"), "'ItemRec' is an action of every domain"),
        (with_facet(inquiry=None), r"facets\[0\]: 'inquiry' must be a non-empty text"),
        ({**with_facet(), "facet": []}, "d: unknown key 'facet'; known: facets, name"),
        (changed(nouns=3), "d: 'nouns' must be a non-empty text"),
        (changed(facets=[{3: 4, "zz": 5}]), r"facets\[0\]: unknown key 3; known: goal_min"),
    ],
)
def test_wrong_description(raw: Any, reason: str) -> None:
    with pytest.raises(DomainError, match=reason):
        parse_domain(raw, "d")


def test_two_facets_cannot_share_an_inquiry() -> None:
    facets = [{"name": n, "match": "any", "inquiry": "Ask"} for n in ("one", "two")]
    with pytest.raises(DomainError, match=r"two facets share .* inquiry: Ask, Ask"):
        parse_domain(changed(facets=facets))


def test_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="give a YAML file or one of: book, movie"):
        load_domain("film")
    with pytest.raises(DomainError, match=r"none\.yaml; give a YAML file"):
        load_domain(tmp_path / "none.yaml")
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(DomainError, match="cannot be read: Is a directory"):
        load_domain(tmp_path / "folder.yaml")
    path = tmp_path / "d.yaml"
    path.write_text("name: [", encoding="utf-8")
    with pytest.raises(DomainError, match=r"d\.yaml: not a YAML file of UTF-8 text"):
        load_domain(path)
    path.write_bytes("noun: \xe9".encode("latin-1"))
    with pytest.raises(DomainError, match=r"d\.yaml: not a YAML file of UTF-8 text"):
        load_domain(path)
    path.write_text("name: x\nnoun: y\nfacets: [{name: a, match: none}]", encoding="utf-8")
    with pytest.raises(DomainError, match=r"d\.yaml: facets\[0\]: 'match' must be all or any"):
        load_domain(path)
