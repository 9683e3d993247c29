"""The agent `command:PROGRAM ARGS...`, any program that speaks MCP: which program it is, and what it is given."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from runtime.errors import UsageError
from runtime.harness.agent import Agent, AgentContext
from runtime.harness.agents.folder import PLACEHOLDERS
from runtime.harness.agents.given import Given, environment_of
from runtime.harness.agents.isolation import prepare_isolation
from runtime.harness.agents.program import find_program
from runtime.wording import have

_NAMES = re.compile(r"(?<!\$)\{([A-Za-z_]+)\}")  # in braces, as placeholders are


class CommandAgent:
    """`command:PROGRAM ARGS...`, words as a shell splits them, but no shell; `{config}` and the like are filled in."""

    def __init__(self, command: str, given: Given = Given()) -> None:  # noqa: B008  frozen
        """Errors: UsageError for a command that is none, and for what cannot be given."""
        self.name = f"command:{command}"
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"Agent {self.name!r} cannot be split into words: {error}.") from error
        if not self._words:
            raise UsageError("Agent 'command:' names no program; write for example 'command:my-agent --mcp {config}'.")
        for unknown in sorted(set(_NAMES.findall(command)) - set(PLACEHOLDERS)):
            there = {f"{{{name}}}" for name in PLACEHOLDERS}
            word = f"{{{unknown}}}"
            raise UsageError(
                f"Agent {self.name!r} has a placeholder {word!r}, which is not known; {have(word, sorted(there))}."
            )
        self._words[0] = find_program(self._words[0])
        self._given = given
        environment_of(given, os.environ, Path())
        self.isolation = prepare_isolation(self._words[0], given.pass_path) if given.isolate else None

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent, whose program starts with its first turn; errors: UsageError."""
        # Only who plays needs a server; an evaluation that leaves that to its workers starts without one.
        from runtime.harness.agents.program_agent import ProgramAgent
        from runtime.harness.agents.talk import Talk

        return ProgramAgent(self._words, Talk(context.domain, context.world), self._given, self.isolation)
