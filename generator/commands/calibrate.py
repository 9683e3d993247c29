"""`worldsmith calibrate` with `--without FORM`: the rates of tasks with one mechanism off, beside those with it."""

from __future__ import annotations

import argparse
from typing import Any

from generator.commands.without import add_without, eased_as_asked
from runtime.commands import calibrate


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = calibrate.add_parser(commands)
    add_without(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play what is owed, keep the rates and print what they say; 0 if every episode has a verdict."""
    return calibrate.run(eased_as_asked(arguments))
