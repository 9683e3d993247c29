"""The `worldsmith` command: assembled from the commands of all packages, each named by its module."""

from __future__ import annotations

from collections.abc import Sequence

from generator.shadowing import refuse_shadowed_packages

refuse_shadowed_packages()

from runtime.main import COMMANDS as RUNTIME_COMMANDS  # noqa: E402
from runtime.main import run_command  # noqa: E402

COMMANDS = {
    "demo": "generator.commands.demo",
    "new": "generator.commands.new",
    "init": "generator.commands.init",
    "tasks": "generator.commands.tasks",
    "check": "generator.commands.check",
    "graph": "generator.commands.graph",
    **RUNTIME_COMMANDS,
    "export-env": "worldsmith.export_env",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0 fine, 1 ran and something failed, 2 usage."""
    return run_command(COMMANDS, words)
