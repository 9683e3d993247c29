"""An agent whose every step is one run of the MCP Inspector: `... inspector_agent NODE ERA mcp.json TASK`.

It is the reference agent of a library task, and knows its world only by the config that it is given.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from runtime.domain.load import load_domain
from runtime.harness.agents.program import OVER
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.conversation import AgentContext, Message, at_once
from runtime.task.task_file import find_task
from tests.conformance.inspector import call_inspector, result_of
from tests.conformance.programs import ROOT


def main(node: str, era: str, config: str, task_id: str) -> int:
    """Greet, do and say what the reference agent does, and leave after the goodbye; 1 if a step failed."""
    domain = load_domain(ROOT / "domains" / "library")
    task = find_task(domain, task_id)
    context = AgentContext(domain, task, None, "", (), 1)  # type: ignore[arg-type]  # it does not look at the world
    agent = ReferenceAgent().begin(context)

    def make(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        asked = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        ended = call_inspector(node, ("--config", config, "--server", "world"), era, "tools/call", *asked)
        if OVER in ended.out + ended.err:
            sys.exit(0)
        if ended.code != 0:
            print(" ".join(ended.tail().split()), file=sys.stderr)
            sys.exit(1)
        return result_of(ended)

    def hear(message: str) -> Message:
        words = "".join(part["text"] for part in make("talk_to_user", {"message": message})["content"])
        wishes = tuple(number for number, said in enumerate(task.user.words) if said in words)
        return Message("user", words, wishes=wishes)

    messages = [hear("Hello!")]
    while True:
        turn = at_once(agent.act(messages))
        messages.append(Message("assistant", turn.text, turn.calls, by_agent=True))
        for call in turn.calls:
            result = make(call.name, call.arguments)["structuredContent"]
            messages.append(Message("tool", json.dumps(result), call_id=call.id))
        if not turn.calls:
            messages.append(hear(turn.text))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
