"""The `worldsmith` command: assembled from the commands of all packages, each named by its module."""

from __future__ import annotations

from collections.abc import Sequence

from generator.shadowing import refuse_shadowed_packages

refuse_shadowed_packages()

from runtime.main import COMMANDS as RUNTIME_COMMANDS  # noqa: E402
from runtime.main import Command, run_command  # noqa: E402

COMMANDS = {
    "demo": Command(
        "generator.commands.demo:add_parser", "compile a domain, play tasks on its server, judge the databases"
    ),
    "new": Command(
        "generator.commands.new:add_parser", "make a domain from a keyword (asks a model: some 200,000 tokens)"
    ),
    "init": Command(
        "generator.commands.init:add_parser", "write a draft of a domain to fill in, from nothing or from a database"
    ),
    "tasks": Command(
        "generator.commands.tasks:add_parser", "make proven tasks from a domain's scenarios, or export a task's world"
    ),
    "check": Command("generator.commands.check:add_parser", "re-run every gate of a domain"),
    "graph": Command(
        "generator.commands.graph:add_parser", "find which tools depend on which, by execution, and write graph.json"
    ),
    **RUNTIME_COMMANDS,
    "export-env": Command("worldsmith.export_env:add_parser", "write a domain and its tasks as an OpenEnv environment"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0 fine, 1 ran and something failed, 2 usage."""
    return run_command(COMMANDS, words)
