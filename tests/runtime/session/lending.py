"""Random calls of the library's tools, most of them on rows that live now, the others wrong in some way."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from runtime.session.session import Session

ODD: tuple[Any, ...] = (
    None,
    "",
    "nobody",
    7,
    5.5,
    True,
    "0' OR 1=1",
    "\0",
    [],
    {},
    float("nan"),
    2**70,
    "２",
    "x" * 5_000,
)


def random_call(chance: random.Random, session: Session) -> tuple[str, dict[str, Any]]:
    """A tool and its arguments; the state that is there decides which ids live."""
    tool = chance.choice(sorted(session.domain.tools))
    schema = session.domain.tools[tool].arguments.schema
    arguments = {name: _likely(chance, session, name) for name in schema["properties"]}
    for name in set(arguments) - set(schema.get("required", ())):
        if chance.random() < 0.5:
            del arguments[name]
    if arguments and chance.random() < 0.08:
        arguments[chance.choice(sorted(arguments))] = chance.choice(ODD)
    if chance.random() < 0.02:
        arguments["unknown"] = 1
    if arguments and chance.random() < 0.02:
        del arguments[chance.choice(sorted(arguments))]
    return ("no_tool" if chance.random() < 0.01 else tool), arguments


def shown(session: Session, tool: str, arguments: Mapping[str, Any]) -> str:
    """What the agent reads in answer to a call."""
    return session.perform(tool, arguments).text


def _likely(chance: random.Random, session: Session, name: str) -> Any:
    session.open()
    connection = session.connection
    assert connection is not None
    if name in ("member_id", "book_id", "loan_id", "hold_id", "email"):
        table = "member" if name == "email" else name.removesuffix("_id")
        keys = [row[0] for row in connection.execute(f"SELECT {name} FROM {table} ORDER BY 1")]
        return chance.choice(keys) if keys and chance.random() < 0.9 else f"new{chance.randrange(50)}@example.org"
    if name == "only_available":
        return chance.random() < 0.5
    if name == "status":
        return chance.choice(["out", "returned"])
    if name.endswith("_on"):
        return f"2026-0{chance.randrange(1, 10)}-1{chance.randrange(10)}"
    return chance.choice(["on", "the", "history", "Ada Park", "Please call"])
