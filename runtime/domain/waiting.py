"""The tools of a session whose clock moves: `wait` and `notices`, which the session itself answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from runtime.domain.arguments import Signature
from runtime.domain.tool import Tool

WAIT, NOTICES = "wait", "notices"
CLOCK = "clock"
"""What `wait` writes, in place of a table."""

MOST_MINUTES, MOST_SECONDS = 10_080, 600


class Notice(TypedDict):
    """A message that reached the office, and when."""

    at: str
    text: str


class ClockResult(TypedDict):
    """The time, and messages with it."""

    now: str
    notices: list[Notice]


def _clock_tool(name: str, description: str, writes: bool, arguments: Mapping[str, tuple[Any, Any]]) -> Tool:
    return Tool(
        name=name,
        description=description,
        file="",
        reads=frozenset(),
        writes=frozenset([CLOCK] if writes else []),
        rejects=frozenset(["FAILED_PRECONDITION"] if writes else []),
        arguments=Signature(f"{name}_arguments", arguments),
        result=Signature(f"{name}_result", ClockResult),
        function=_clock_tool,  # never called: the session answers
        operations=frozenset(["insert"]),
        defaults={each: default for each, (_, default) in arguments.items()},
    )


CLOCK_TOOLS: Mapping[str, Tool] = {
    WAIT: _clock_tool(
        WAIT,
        "Let time pass. The clock moves only when you wait.\n\n"
        "Give one of `minutes`, `until` and `seconds`. Waiting ends early at the first new notice, unless "
        "`until_notice` is false. The result has the time it is then, and the notices that are new.",
        True,
        {
            "minutes": (Annotated[int | None, "How many minutes to wait", Field(ge=1, le=MOST_MINUTES)], None),
            "until": (Annotated[str | None, "Wait until this date and time, as YYYY-MM-DD HH:MM"], None),
            "seconds": (Annotated[int | None, "How many seconds to wait", Field(ge=1, le=MOST_SECONDS)], None),
            "until_notice": (Annotated[bool, "Whether to stop at the first new notice"], True),
        },
    ),
    NOTICES: _clock_tool(NOTICES, "Tell what time it is, and list all notices that have come in.", False, {}),
}


class ToolTable(dict[str, Tool]):
    """The tools of a domain by name; a step that names `wait` or `notices` finds these where the domain has none."""

    def __missing__(self, name: str) -> Tool:
        return CLOCK_TOOLS[name]
