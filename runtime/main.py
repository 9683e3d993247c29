"""The command line: the commands that need no generator, how one is run and how its errors are reported."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from runtime.errors import EnvironmentFault, ModelFailed, StageFailed, UsageError
from runtime.wording import words_only

# Each command's module, whose function add_NAME adds its parser, and its line in the list of commands.
COMMANDS = {
    "list": ("runtime.commands.show", "list the available domains"),
    "show": ("runtime.commands.show", "show a domain, a tool, a task or the tool graph"),
    "serve": ("runtime.commands.serve", "offer domains over MCP: one over stdio, any number over HTTP"),
    "compile": ("runtime.commands.serve", "write a standalone server and a desktop bundle"),
    "install": ("runtime.commands.install", "add a domain's server to a desktop client, or remove it"),
    "eval": ("runtime.commands.evaluate", "run an agent over tasks and score it (may ask a model)"),
    "calibrate": ("runtime.commands.evaluate", "measure how often an agent solves each task (may ask a model)"),
    "suite": ("runtime.commands.suite", "show a suite of domains, or split it into nested parts"),
    "study": ("runtime.commands.suite", "tables and pictures of a set of domains"),
    "report": ("runtime.commands.results", "write a run as one HTML page that opens from disk"),
    "compare": ("runtime.commands.results", "compare two runs task by task"),
    "rescore": ("runtime.commands.results", "judge a run again and list the verdicts that flip (may ask a model)"),
    "export": ("runtime.commands.results", "write the episodes of a run as JSON Lines for trainers"),
    "verify": ("runtime.commands.results", "judge a final database file by rule"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one of these commands, as child processes and desktop clients do."""
    return run_command(COMMANDS, words)


def run_command(known: Mapping[str, tuple[str, str]], words: Sequence[str] | None = None) -> int:
    """Run one of several commands; exit status 0 fine, 1 ran and something failed, 2 usage."""
    with words_only():
        return _run_command(known, words)


def _run_command(known: Mapping[str, tuple[str, str]], words: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="worldsmith",
        description="Make and run verified tool-use worlds for AI agents. Commands that ask a model say so.",
    )
    words = sys.argv[1:] if words is None else words
    parser.add_argument("--version", action="version", version=_version(words))
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    asked = next((word for word in words if not word.startswith("-")), "")
    for name, (module, line) in known.items():
        if name == asked:  # only this one is imported: a server starts without the generator
            getattr(import_module(module), f"add_{name.replace('-', '_')}")(commands)
        else:
            commands.add_parser(name, help=line)
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


def _version(words: Sequence[str]) -> str:
    """Return the installed version where it is asked for: to look it up takes a while."""
    if "--version" not in words:
        return ""
    from importlib.metadata import version

    return f"worldsmith {version('worldsmith')}"
