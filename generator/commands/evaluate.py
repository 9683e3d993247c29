"""`worldsmith eval` with `--without FORM`: the tasks are made again with one mechanism off, and then played."""

from __future__ import annotations

import argparse
from typing import Any

from generator.commands.without import add_without, eased_as_asked
from runtime.commands import evaluate


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = evaluate.add_parser(commands)
    add_without(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play what is owed and print the scores; 0 if every episode has a verdict."""
    return evaluate.run(eased_as_asked(arguments))
