"""Requests for tests, and how to put them."""

from __future__ import annotations

import asyncio
from typing import Any

from runtime.model.model import Answer, Model, Request

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "tools": {"type": "array", "items": {"$ref": "#/$defs/Tool"}, "minItems": 1},
    },
    "required": ["title", "tools"],
    "$defs": {
        "Tool": {
            "type": "object",
            "properties": {"name": {"type": "string", "pattern": "^[a-z_]+$"}, "reads": {"type": "integer"}},
            "required": ["name"],
            "additionalProperties": False,
        }
    },
}
GOOD = {"title": "Hotel", "tools": [{"name": "book_room", "reads": 2}]}


def a_request(**changes: Any) -> Request:
    """A question about tools; any part can be another."""
    parts: dict[str, Any] = {
        "role": "designer",
        "stage": "tools",
        "key": "hotel",
        "attempt": 1,
        "prefix": "All about hotels.",
        "prompt": "Name the tools.",
        "schema": SCHEMA,
    }
    return Request(**(parts | changes))


def ask(model: Model, request: Request | None = None) -> Answer:
    """Put one question and wait for the answer."""
    return asyncio.run(model.answer(request or a_request()))
