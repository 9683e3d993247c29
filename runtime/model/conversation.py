"""How a request reads as a conversation: the question, each earlier answer, and what was wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from runtime.model.model import Request


def open_conversation(request: Request, *, show_schema: bool) -> list[dict[str, Any]]:
    """The turns so far, the last one the user's; the shared prefix is a block of its own, marked for the cache."""
    asked = request.prompt if not show_schema else f"{request.prompt}\n\n{_schema_wanted(request.schema)}"
    question: list[dict[str, Any]] = [{"type": "text", "text": asked}]
    if request.prefix:
        question.insert(0, {"type": "text", "text": request.prefix, "cache_control": {"type": "ephemeral"}})
    turns: list[dict[str, Any]] = [{"role": "user", "content": question}]
    for turn in request.earlier:
        answer = json.dumps(dict(turn.answer), ensure_ascii=False)
        turns += correct(
            answer, "This answer was checked, and these complaints came back:", turn.complaints, request.repair
        )
    return turns


def correct(
    answer: str, verdict: str, complaints: Iterable[str], wanted: str = "Give the whole corrected answer."
) -> list[dict[str, Any]]:
    """Two more turns: an answer, and why another one is wanted; an empty answer cannot be sent, so it is named."""
    asked = "\n".join([verdict, *(f"- {line}" for line in complaints), "", wanted])
    return [
        {"role": "assistant", "content": answer.strip() or "(an empty answer)"},
        {"role": "user", "content": asked},
    ]


def _schema_wanted(schema: Mapping[str, Any]) -> str:
    return (
        "Answer with exactly one JSON object and nothing else: no code fence, no words around it. "
        f"It must fit this JSON Schema:\n\n{json.dumps(dict(schema), ensure_ascii=False)}"
    )
