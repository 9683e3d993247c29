"""Tools that the agent has to find: it is offered `find_tools` alone, and what that finds from then on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from runtime.domain.tool import first_sentence
from runtime.errors import EnvironmentFault
from runtime.harness.conversation import ToolCall
from runtime.harness.episode import FIND, ToolAnswer

MOST_FOUND = 8  # tools of a search
_LONGEST = 400  # characters of a query
_SEARCH = "SELECT rowid FROM tool WHERE tool MATCH ? ORDER BY bm25(tool, 3.0, 1.0, 1.0), rowid LIMIT ?"
_FIND_TOOL: Mapping[str, Any] = {
    "name": FIND,
    "description": (
        f"Find tools by what they do. Returns up to {MOST_FOUND} of them, best match first, with what each takes; "
        "from then on they can be called. Search again whenever no tool that you know does what you need."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": _LONGEST, "description": "What a tool should do"}
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
}


class ToolSearch:
    """The tools of one episode, of which `offered` are those that the agent has found by now."""

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """Errors: EnvironmentFault where this Python's SQLite has no full-text search."""
        self._tools = tools
        self._index = _index(tools)
        self.offered: list[Mapping[str, Any]] = [_FIND_TOOL]

    def answer(self, call: ToolCall) -> ToolAnswer:
        """Answer a call of `find_tools`, and offer what it finds."""
        query = call.arguments.get("query") if isinstance(call.arguments, Mapping) else None
        if not isinstance(query, str) or not 0 < len(query) <= _LONGEST or len(call.arguments) > 1:
            return ToolAnswer(f"INVALID_ARGUMENT: query must be a text of 1 to {_LONGEST} characters.", is_error=True)
        words = "".join(letter if letter.isalnum() else " " for letter in query).split()
        asked = " OR ".join(f'"{word}"' for word in words)
        rows = self._index.execute(_SEARCH, (asked, MOST_FOUND)).fetchall() if words else []
        found = [self._tools[number] for (number,) in rows]
        self.offered += [tool for tool in found if tool not in self.offered]
        told = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in found]
        return ToolAnswer(json.dumps({"tools": told}, ensure_ascii=False))

    def fork(self) -> ToolSearch:
        """The same tools with those found so far, to go on by itself."""
        fork = copy(self)
        fork.offered = list(self.offered)
        return fork


def _index(tools: Sequence[Mapping[str, Any]]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        index.execute("CREATE VIRTUAL TABLE tool USING fts5(name, does, takes, tokenize='porter unicode61')")
    except sqlite3.OperationalError as error:
        raise EnvironmentFault(f"The SQLite of this Python cannot search the tools: {error}.") from error
    rows = [
        (number, tool["name"].replace("_", " "), first_sentence(tool["description"]), _takes(tool))
        for number, tool in enumerate(tools)
    ]
    index.executemany("INSERT INTO tool (rowid, name, does, takes) VALUES (?, ?, ?, ?)", rows)
    return index


def _takes(tool: Mapping[str, Any]) -> str:
    given: Mapping[str, Mapping[str, Any]] = tool["inputSchema"].get("properties", {})
    return " ".join(f"{name.replace('_', ' ')} {each.get('description', '')}" for name, each in given.items())
