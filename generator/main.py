"""The `worldsmith` command: assembled from the commands of both packages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from runtime.commands import compile, demo, install, list, serve, show, tasks, verify
from runtime.errors import EnvironmentFault, UsageError

COMMANDS = (list, show, serve, compile, install, tasks, verify, demo)


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0 fine, 1 ran and something failed, 2 usage."""
    parser = argparse.ArgumentParser(
        prog="worldsmith", description="Make and run verified tool-use worlds for AI agents."
    )
    parser.add_argument("--version", action="version", version=f"worldsmith {version('worldsmith')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    arguments = parser.parse_args(words)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except UsageError as error:
        print("\n".join(f"error: {line}" for line in str(error).splitlines()), file=sys.stderr)
        return 2
    except EnvironmentFault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
