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

from runtime.main import run_command  # noqa: E402

# Each command's module, which registers it, and its line in the list of commands.
COMMANDS = {
    "demo": ("generator.commands.demo", "compile a domain, play tasks on its server, judge the databases"),
    "new": ("generator.commands.new", "make a domain from a keyword (asks a model: some 200,000 tokens)"),
    "mine": ("generator.commands.mine", "find keywords for `new` in the texts of tasks (may ask a model)"),
    "farm": ("generator.commands.farm", "make the domains of a list, some at a time (asks a model)"),
    "forge": ("generator.commands.forge", "an MCP server: any client makes a domain by answering questions"),
    "twin": ("generator.commands.twin", "make a domain of a database, an API or an MCP server; needs no model"),
    "rule": ("generator.commands.rule", "write the first rule of a domain, and who calls, by a few questions"),
    "handbook": (
        "generator.commands.handbook",
        "write the rules of a domain as a handbook (asks a model once)",
    ),
    "mend": ("generator.commands.mend", "send what `check` complains of to a model until the domain passes"),
    "tasks": ("generator.commands.tasks", "make proven tasks from a domain's scenarios"),
    "check": ("generator.commands.check", "re-run every gate of a domain"),
    "audit": ("generator.commands.audit", "prove a task set, another's or ours, by execution"),
    "list": ("runtime.commands.show", "list the available domains"),
    "show": ("runtime.commands.show", "show a domain, a tool, a task or the tool graph"),
    "serve": ("runtime.commands.serve", "offer domains over MCP: one over stdio, any number over HTTP"),
    "compile": ("runtime.commands.serve", "write a standalone server and a desktop bundle"),
    "install": ("runtime.commands.install", "add a domain's server to a desktop client, or remove it"),
    "eval": ("generator.commands.evaluate", "run an agent over tasks and score it (may ask a model)"),
    "suite": ("generator.commands.suite", "show a suite of domains, split it, or make its days"),
    "study": ("generator.commands.study", "tables of a set of domains, and studies of the papers"),
    "report": ("runtime.commands.results", "write a run as one HTML page that opens from disk"),
    "compare": ("runtime.commands.results", "compare two runs task by task"),
    "rescore": ("runtime.commands.results", "judge a run again and list the verdicts that flip (may ask a model)"),
    "verify": ("runtime.commands.results", "judge a final database file by rule"),
    "export": ("worldsmith.export", "write a run for trainers, a domain for OpenEnv, or a task's world"),
    "studio": ("worldsmith.studio.command", "a local web page: look at domains, play tasks, watch evaluations"),
}

# What to type instead of commands and options of earlier versions.
GONE = {
    "init": "type `worldsmith new NAME --draft`.",
    "graph": "`worldsmith check DOMAIN --write-graph` writes graph.json, `worldsmith show DOMAIN --graph` shows it.",
    "calibrate": "type `worldsmith eval DOMAIN --rates`.",
    "export-env": "type `worldsmith export DOMAIN --format openenv --out DIR`.",
    "check --mutants": "type `worldsmith check DOMAIN --survivors`.",
    "eval --name": "type `--agent-name NAME`.",
    "eval --processes": "type `--concurrency N`: N episodes at a time, on as many cores as that pays for.",
    "eval --transport": "tools are called in the same way everywhere, so leave it out.",
    "install --name": "type `--server-name NAME`.",
    "new --no-scenarios": "delete scenarios.py and tasks.jsonl from the finished folder.",
    "rescore --suite": "name the domains that lie elsewhere: `--domain PATH`, once for each.",
    "show --policy": "type `worldsmith show DOMAIN --policy-text`.",
    "tasks --export": "type `worldsmith export DOMAIN --format world --task ID --out FILE.db`.",
    "tasks --raise": "make tasks of a level with `worldsmith tasks DOMAIN -n N --level L`.",
    "tasks --tasks": "`--out FILE` names a file for new tasks.",
    "verify --expected": "`worldsmith verify` judges against a task: `--task ID`.",
    "verify --start": "`worldsmith verify` judges against a task: `--task ID`.",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0 fine, 1 ran and something failed, 2 usage."""
    return run_command(COMMANDS, GONE, words)
