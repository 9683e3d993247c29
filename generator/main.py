"""The `worldsmith` command: assembled from the commands of all packages, each named by its module."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path


def _refuse_shadowed_runtime() -> None:
    """Exit with status 2 and a sentence if Python finds another `runtime` than the one beside this package."""
    ours = Path(__file__).resolve().parents[1]
    spec = find_spec("runtime")
    found = Path(spec.origin).resolve() if spec is not None and spec.origin is not None else None
    if found is not None and found != ours / "runtime" / "__init__.py":
        print(
            f"error: {str(found)!r} hides the package 'runtime' of worldsmith, which is in {str(ours)!r}; rename it, "
            "or start worldsmith from another folder and without that folder in PYTHONPATH.",
            file=sys.stderr,
        )
        sys.exit(2)


_refuse_shadowed_runtime()

from runtime.main import COMMANDS as RUNTIME_COMMANDS  # noqa: E402
from runtime.main import run_command  # noqa: E402

COMMANDS = {
    "demo": ("generator.commands.demo", "compile a domain, play tasks on its server, judge the databases"),
    "new": ("generator.commands.new", "make a domain from a keyword (asks a model: some 200,000 tokens)"),
    "init": ("generator.commands.new", "write a draft of a domain to fill in"),
    "twin": (
        "generator.commands.twin",
        "make a domain of a database, an API or an MCP server; needs no model",
    ),
    "tasks": ("generator.commands.tasks", "make proven tasks from a domain's scenarios, or export a task's world"),
    "check": ("generator.commands.check", "re-run every gate of a domain"),
    "graph": ("generator.commands.graph", "find which tools depend on which, by execution, and write graph.json"),
    **RUNTIME_COMMANDS,
    "studio": ("worldsmith.studio.command", "a local web page: look at domains, play tasks, watch evaluations"),
    "export-env": ("worldsmith.export_env", "write a domain and its tasks as an OpenEnv environment"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0 fine, 1 ran and something failed, 2 usage."""
    return run_command(COMMANDS, words)
