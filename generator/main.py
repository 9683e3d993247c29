"""The `worldsmith` command: assembled from the commands of both packages."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.main import COMMANDS as RUNTIME_COMMANDS
from runtime.main import run_command

COMMANDS = {
    "demo": "generator.commands.demo",
    "new": "generator.commands.new",
    "tasks": "generator.commands.tasks",
    "check": "generator.commands.check",
    **RUNTIME_COMMANDS,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0 fine, 1 ran and something failed, 2 usage."""
    return run_command(COMMANDS, words)
