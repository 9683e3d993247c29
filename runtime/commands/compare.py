"""`worldsmith compare`: whether one run is better than another."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.terminal import print_lines


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "compare",
        help="compare two runs task by task (no model needed)",
        description="Pair two runs by task: the difference of their mean rewards with an interval, an exact sign test, "
        "and the tasks that only one of them solves.",
    )
    parser.add_argument("first", type=Path, metavar="A.db", help="the store of a run")
    parser.add_argument("second", type=Path, metavar="B.db", help="the store of another run over the same tasks")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison."""
    from runtime.harness.evaluation.compare import compare, describe
    from runtime.harness.evaluation.store import read_run

    comparison = compare(read_run(arguments.first), read_run(arguments.second))
    if arguments.json:
        print(json.dumps(comparison.as_json(), ensure_ascii=False, indent=2))
    else:
        print_lines(describe(comparison))
    return 0
