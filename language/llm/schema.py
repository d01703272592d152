"""Strict JSON schemas from pydantic models, within what structured output supports everywhere."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

# What endpoints in strict mode refuse or ignore; pydantic checks it when the answer is read.
_DROPPED = frozenset({
    "title", "default", "examples", "format", "pattern", "minLength", "maxLength", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
    "uniqueItems", "minProperties", "maxProperties", "discriminator",
})  # fmt: skip


@functools.cache
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON schema of a model: closed objects, everything required, references inlined.

    Args:
        model: Of the answer. Kept per class: do not change what is returned.

    Returns:
        The schema. Only models that contain themselves keep ``$defs`` and ``$ref``.

    Raises:
        TypeError: A field has no strict schema (maps with free keys, tuples of several types).
    """
    full = model.model_json_schema()
    definitions = full.pop("$defs", {})
    if "$ref" in full:
        # A model that contains itself; endpoints want an object at the root.
        full = definitions[_target(full)]
    recursive = {name for name in definitions if _reaches(definitions, name)}
    schema = _strict(full, definitions, recursive, model.__name__)
    if recursive:
        schema["$defs"] = {
            name: _strict(definitions[name], definitions, recursive, name)
            for name in sorted(recursive)
        }
    return schema


@functools.cache
def schema_text(model: type[BaseModel]) -> str:
    """The strict schema as compact JSON, for messages."""
    return json.dumps(strict_schema(model), ensure_ascii=False, separators=(",", ":"))


SHORT_TEXT, SHORT_LIST = 80, 2
"""Longest texts (characters) and lists of a short answer."""


@functools.cache
def response_format(model: type[BaseModel], short: bool = False) -> dict[str, Any]:
    """The request's ``response_format`` for a model.

    Args:
        model: Of the answer.
        short: Whether the schema also bounds texts and lists. A model too small to know when to
            stop is then stopped by the grammar; few endpoints support these keywords.
    """
    schema = strict_schema(model)
    return {
        "type": "json_schema",
        "json_schema": {
            "name": model.__name__.strip("_")[:64],
            "strict": True,
            "schema": _bounded(schema) if short else schema,
        },
    }


def _bounded(node: Any) -> Any:
    """A copy of a schema whose texts and lists are bounded."""
    if isinstance(node, list):
        return [_bounded(part) for part in node]
    if not isinstance(node, dict):
        return node
    bounded = {key: _bounded(part) for key, part in node.items()}
    if node.get("type") == "string" and "enum" not in node:
        bounded["maxLength"] = SHORT_TEXT
    if node.get("type") == "array":
        bounded["maxItems"] = SHORT_LIST
    return bounded


def _reaches(definitions: Mapping[str, Any], start: str) -> bool:
    """Whether a definition contains itself."""
    seen: set[str] = set()
    todo = [definitions[start]]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, dict):
            if "$ref" in node and (name := _target(node)) not in seen:
                seen.add(name)
                todo.append(definitions[name])
            todo.extend(node.values())
    return start in seen


def _target(node: Mapping[str, Any]) -> str:
    return str(node["$ref"]).rsplit("/", 1)[-1]


def _strict(
    node: Mapping[str, Any], definitions: Mapping[str, Any], recursive: set[str], place: str
) -> dict[str, Any]:
    if "$ref" in node:
        name = _target(node)
        if name in recursive:
            return {"$ref": f"#/$defs/{name}"}
        return _strict(definitions[name], definitions, recursive, place)
    if len(node.get("allOf", ())) == 1:
        return _strict(node["allOf"][0], definitions, recursive, place)
    if "prefixItems" in node:
        raise TypeError(f"{place}: strict schemas have no tuples; use a model or a list")
    kept = {key: value for key, value in node.items() if key not in _DROPPED}
    if "const" in kept:
        kept["enum"] = [kept.pop("const")]
    for key in ("anyOf", "oneOf"):
        if key in kept:
            options = kept.pop(key)
            kept["anyOf"] = [_strict(n, definitions, recursive, place) for n in options]
    if "items" in kept:
        kept["items"] = _strict(kept["items"], definitions, recursive, place)
    if kept.get("type") == "object":
        return _closed(kept, definitions, recursive, place)
    return kept


def _closed(
    node: dict[str, Any], definitions: Mapping[str, Any], recursive: set[str], place: str
) -> dict[str, Any]:
    if node.get("additionalProperties") not in (None, False):
        raise TypeError(
            f"{place}: strict schemas have no maps with free keys; use a list of models"
        )
    properties = {
        name: _strict(child, definitions, recursive, f"{place}.{name}")
        for name, child in node.get("properties", {}).items()
    }
    return {
        **node,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
