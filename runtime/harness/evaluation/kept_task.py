"""A task as a run store keeps it: also one of the format before this one, whose runs can still be read."""

from __future__ import annotations

from typing import Any

from runtime.sandbox.files import parse_json
from runtime.task.answers import kind_of
from runtime.task.task import FORMAT, Task


def read_kept_task(line: str) -> Task:
    """The task of a line; errors: ValueError, KeyError, TypeError."""
    written = parse_json(line)
    return Task.model_validate(_as_now(written) if written["format"] == FORMAT - 1 else written)


def _as_now(written: dict[str, Any]) -> dict[str, Any]:
    """A task of format 1: its user had words and facts beside each other, its answers no kind."""
    user = written["user"]
    outside = user.get("outside", [])
    wishes = [
        {
            "words": [words],
            "form": "outside" if number in outside else "direct",
            "acts": number not in outside,
            "facts": [
                {name: part for name, part in fact.items() if name != "wish"}
                for fact in user.get("facts", [])
                if fact.get("wish", 0) == number
            ],
        }
        for number, words in enumerate(user["words"])
    ]
    answers = [
        {**{name: part for name, part in answer.items() if name != "at_most"}, "kind": kind_of(answer["value"])}
        for answer in written.get("answers", [])
    ]
    return {**written, "format": FORMAT, "user": {"profile": user["profile"], "wishes": wishes}, "answers": answers}
