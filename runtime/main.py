"""The command line: the commands that need no generator, and how one is run and its errors are said."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version

from runtime.errors import EnvironmentFault, ModelFailed, StageFailed, UsageError
from runtime.terminal import words_only

COMMANDS = {
    "list": "runtime.commands.list",
    "show": "runtime.commands.show",
    "serve": "runtime.commands.serve",
    "compile": "runtime.commands.compile",
    "install": "runtime.commands.install",
    "eval": "runtime.commands.evaluate",
    "calibrate": "runtime.commands.calibrate",
    "suite": "runtime.commands.suite",
    "study": "runtime.commands.study",
    "report": "runtime.commands.report",
    "compare": "runtime.commands.compare",
    "rescore": "runtime.commands.rescore",
    "export": "runtime.commands.export",
    "verify": "runtime.commands.verify",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one of these commands; child processes and desktop clients start a server so."""
    return run_command(COMMANDS, words)


def run_command(modules: Mapping[str, str], words: Sequence[str] | None = None) -> int:
    """Run one command of several, each by its module; exit status 0 fine, 1 ran and something failed, 2 usage."""
    with words_only():
        return _run_command(modules, words)


def _run_command(modules: Mapping[str, str], words: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="worldsmith", description="Make and run verified tool-use worlds for AI agents."
    )
    parser.add_argument("--version", action="version", version=f"worldsmith {version('worldsmith')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    words = sys.argv[1:] if words is None else words
    # A command needs only its own module, and the version none: a server starts without the generator.
    first = words[0] if words else ""
    needed = [modules[first]] if first in modules else [] if first == "--version" else modules.values()
    for module in needed:
        import_module(module).add_parser(commands)
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
