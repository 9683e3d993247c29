"""An agent whose every step is one run of the MCP Inspector: `... inspector_agent NODE ERA mcp.json TASK`.

It plays the reference chain of a library task and knows its world only by the config that it is given.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from runtime.domain.load import load_domain
from runtime.task.task import bind
from runtime.task.task_file import find_task
from tests.conformance.inspector import call_inspector, result_of
from tests.conformance.programs import ROOT


def main(node: str, era: str, config: str, task_id: str) -> int:
    """Greet, do what each wish needs, report it, and leave; 1 if the Inspector says that a step failed."""
    task = find_task(load_domain(ROOT / "domains" / "library"), task_id)
    results: list[Mapping[str, Any]] = []

    def make(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        asked = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        ended = call_inspector(node, ("--config", config, "--server", "world"), era, "tools/call", *asked)
        if ended.code != 0:
            print(" ".join(ended.tail().split()), file=sys.stderr)
            sys.exit(1)
        return result_of(ended)

    def say(words: str) -> None:
        make("talk_to_user", {"message": words})

    say("Hello!")
    for wish in range(len(task.user.words)):
        for step in task.chain:
            if step.wish == wish:
                results.append(make(step.tool, bind(step.arguments, results))["structuredContent"])
        answers = [f"The {answer.name} is {answer.value}." for answer in task.answers if answer.wish == wish]
        say(" ".join(["That is done.", *answers]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
