"""The command line: the commands that need no generator, how one is run and how its errors are reported."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import NamedTuple

from runtime.errors import EnvironmentFault, ModelFailed, StageFailed, UsageError
from runtime.terminal import words_only


class Command(NamedTuple):
    """A command: the function that adds its parser, as `module:function`, and its line in the list of commands."""

    adder: str
    help: str


COMMANDS = {
    "list": Command("runtime.commands.show:add_list", "list the available domains"),
    "show": Command("runtime.commands.show:add_show", "show a domain, a tool, a task or the tool graph"),
    "serve": Command(
        "runtime.commands.serve:add_serve", "offer domains over MCP: one over stdio, any number over HTTP"
    ),
    "compile": Command("runtime.commands.serve:add_compile", "write a standalone server and a desktop bundle"),
    "install": Command(
        "runtime.commands.install:add_install", "add a domain's server to a desktop client, or remove it"
    ),
    "eval": Command(
        "runtime.commands.evaluate:add_eval",
        "run an agent over tasks and score it (asks a model if agent or user is one)",
    ),
    "calibrate": Command(
        "runtime.commands.evaluate:add_calibrate",
        "measure how often an agent solves each task (asks a model if agent or user is one)",
    ),
    "suite": Command("runtime.commands.suite:add_suite", "show a suite of domains, or split it into nested parts"),
    "study": Command("runtime.commands.suite:add_study", "tables and pictures of a set of domains"),
    "report": Command("runtime.commands.results:add_report", "write a run as one HTML page that opens from disk"),
    "compare": Command("runtime.commands.results:add_compare", "compare two runs task by task"),
    "rescore": Command(
        "runtime.commands.results:add_rescore",
        "judge a run again and list the verdicts that flip (asks a model only as --matcher)",
    ),
    "export": Command("runtime.commands.results:add_export", "write the episodes of a run as JSON Lines for trainers"),
    "verify": Command("runtime.commands.verify:add_verify", "judge a final database file by rule"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one of these commands, as child processes and desktop clients do."""
    return run_command(COMMANDS, words)


def run_command(known: Mapping[str, Command], words: Sequence[str] | None = None) -> int:
    """Run one of several commands; exit status 0 fine, 1 ran and something failed, 2 usage."""
    with words_only():
        return _run_command(known, words)


def _run_command(known: Mapping[str, Command], words: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="worldsmith",
        description="Make and run verified tool-use worlds for AI agents. Commands that ask a model say so.",
    )
    parser.add_argument("--version", action="version", version=f"worldsmith {version('worldsmith')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    words = sys.argv[1:] if words is None else words
    asked = next((word for word in words if not word.startswith("-")), "")
    for name, command in known.items():
        if name == asked:  # only this one is imported: a server starts without the generator
            module, _, function = command.adder.partition(":")
            getattr(import_module(module), function)(commands)
        else:
            commands.add_parser(name, help=command.help)
    arguments = parser.parse_args(words)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except UsageError as error:
        print("\n".join(f"error: {line}" for line in str(error).splitlines()), file=sys.stderr)
        return 2
    except (EnvironmentFault, ModelFailed, StageFailed) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, for example
        print(f"error: {error.filename or 'A file'} cannot be used: {error.strerror or error}.", file=sys.stderr)
        return 1
