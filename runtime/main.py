"""How a command is run and how its errors are reported; and `serve`, which child processes and desktop clients run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from runtime.errors import EnvironmentFault, ModelFailed, StageFailed, UsageError
from runtime.wording import print_lines, words_only

if TYPE_CHECKING:  # `worldsmith --help` needs neither
    from runtime.commands.options import Command
    from runtime.commands.output import Result

# Each command's module, and its line in the list of commands. generator/main.py has all the others.
COMMANDS = {"serve": ("runtime.commands.serve", "offer domains over MCP: one over stdio, any number over HTTP")}


def main(words: Sequence[str] | None = None) -> int:
    """Serve, without the generator."""
    return run_command(COMMANDS, {}, words)


def run_command(
    known: Mapping[str, tuple[str, str]], gone: Mapping[str, str], words: Sequence[str] | None = None
) -> int:
    """Run one of several commands; exit status 0 fine, 1 ran and something failed, 2 usage.

    `gone` says, by a command of earlier versions or by a command and its option, what to type instead.
    """
    with words_only():
        try:
            return _run_command(known, gone, sys.argv[1:] if words is None else words)
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


def _run_command(known: Mapping[str, tuple[str, str]], gone: Mapping[str, str], words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="worldsmith",
        description="Make and run verified tool-use worlds for AI agents. Commands that ask a model say so.",
    )
    parser.add_argument("--version", action="version", version=_version(words))
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    asked = next((word for word in words if not word.startswith("-")), "")
    for old in (asked, *(f"{asked} {word.partition('=')[0]}" for word in words)):
        if old in gone:
            raise UsageError(f"`worldsmith {old}` is gone; {gone[old]}")
    for name, (module, line) in known.items():
        own = commands.add_parser(name, help=line)
        if name != asked:  # only this one is imported: a server starts without the generator
            continue
        import_module(module)
        from runtime.commands.options import REGISTRY

        if name in REGISTRY:
            _fill(own, REGISTRY[name])
            continue
        verbs = own.add_subparsers(metavar="VERB", required=True)
        for both, each in REGISTRY.items():
            if both.startswith(f"{name} "):
                _fill(verbs.add_parser(both.split()[1], help=each.description.partition(".")[0]), each)
    arguments = parser.parse_args(words)
    result: int | Result = arguments.run(arguments)
    from runtime.commands.output import Result, print_json

    if isinstance(result, Result):
        if arguments.json:
            print_json(result.content)
        else:
            print_lines(result.lines)
    sys.stdout.flush()
    return result.status if isinstance(result, Result) else result


def _fill(parser: argparse.ArgumentParser, command: Command) -> None:
    parser.description = command.description
    for part in command.parts:
        part(parser)
    parser.set_defaults(run=command.run)


def _version(words: Sequence[str]) -> str:
    """Return the installed version where it is asked for: to look it up takes a while."""
    if "--version" not in words:
        return ""
    from importlib.metadata import version

    return f"worldsmith {version('worldsmith')}"
