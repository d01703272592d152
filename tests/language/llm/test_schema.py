"""Strict schemas: closed, complete, inlined, and the same answers that pydantic accepts."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from language.llm.schema import response_format, schema_text, strict_schema
from language.prompts.acts import ActOut
from tests.language.llm.calls import Everything

_SUPPORTED = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref",
    "$defs", "description",
}  # fmt: skip


class Tree(BaseModel):
    name: str
    children: list[Tree]


class Bounded(BaseModel):
    """What bounds mean."""

    model_config = ConfigDict(extra="forbid")

    share: Annotated[float, Field(ge=0, le=1, description="in [0, 1]")] = 0.5
    names: Annotated[list[str], Field(min_length=1, max_length=3)]
    kind: Literal["one"]
    either: int | str | None = None


class Free(BaseModel):
    scores: dict[str, float]


class Pair(BaseModel):
    at: tuple[int, str]


def _nodes(node: Any, names: bool = False):
    if isinstance(node, dict):
        if not names:
            yield node
        for key, child in node.items():
            yield from _nodes(child, key in ("properties", "$defs") and not names)
    elif isinstance(node, list):
        for child in node:
            yield from _nodes(child)


@pytest.mark.parametrize("model", [Everything, Bounded, Tree, ActOut])
def test_every_object_is_closed_and_complete(model):
    schema = strict_schema(model)
    for node in _nodes(schema):
        assert set(node) <= _SUPPORTED
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
    assert json.loads(schema_text(model)) == schema


def test_references_are_inlined_where_they_can_be():
    assert "$ref" not in schema_text(Everything)
    tree = strict_schema(Tree)
    assert tree["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert tree["$defs"]["Tree"]["required"] == ["name", "children"]


def test_values_and_descriptions_stay():
    properties = strict_schema(Bounded)["properties"]
    assert list(properties) == ["share", "names", "kind", "either"]
    assert properties["share"] == {"type": "number", "description": "in [0, 1]"}
    assert properties["kind"]["enum"] == ["one"]
    assert [option["type"] for option in properties["either"]["anyOf"]] == [
        "integer", "string", "null",
    ]  # fmt: skip


def test_the_request_s_format_names_the_model():
    wanted = response_format(Everything)
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["name"] == "Everything"
    assert wanted["json_schema"]["strict"] is True
    assert wanted["json_schema"]["schema"] is strict_schema(Everything)


@pytest.mark.parametrize(("model", "place"), [(Free, r"Free\.scores"), (Pair, r"Pair\.at")])
def test_what_has_no_strict_schema_is_named(model, place):
    with pytest.raises(TypeError, match=place):
        strict_schema(model)
