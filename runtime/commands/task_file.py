"""The option `--tasks FILE`: the same in every command that plays, shows or judges tasks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_tasks_file(parser: argparse.ArgumentParser | Any) -> None:
    """Add the option to a command or to a group of its options."""
    parser.add_argument(
        "--tasks", type=Path, metavar="FILE", help="take tasks from this file instead of the domain's tasks.jsonl"
    )
