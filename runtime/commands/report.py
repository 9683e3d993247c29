"""`worldsmith report`: a run as one HTML page that opens from disk."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.commands.output_file import PAGE, add_force, check_output, write_output
from runtime.errors import UsageError
from runtime.harness.evaluation.rates import Rate, read_rates
from runtime.harness.evaluation.store import read_run
from runtime.harness.report.figures import read_figures
from runtime.harness.report.page import MOST, page_parts
from runtime.wording import counted


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "report",
        help="write a run as one HTML page that opens from disk (no model needed)",
        description="Write a run as one HTML page: scores, failures by reason, and every told episode as a "
        "conversation with the final state beside the expected one. It loads nothing from anywhere.",
    )
    parser.add_argument("store", type=Path, metavar="STORE", help="the run store that `worldsmith eval` wrote")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE.html",
        help="default: beside the store, run.html for run.db",
    )
    parser.add_argument(
        "--most",
        type=int,
        default=MOST,
        metavar="N",
        help=f"tell at most N episodes in full, failures first; the list has all (default {MOST})",
    )
    parser.add_argument(
        "--rates",
        type=Path,
        metavar="FILE",
        help="say of which tasks these rates, as `worldsmith calibrate` keeps them, show that they may be at fault",
    )
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    if arguments.most < 0:
        raise UsageError(f"--most is {arguments.most}; it must be 0 or more")
    evaluation = read_run(arguments.store)
    path = arguments.out or _usual_page(arguments.store)
    if path.resolve() == arguments.store.resolve():
        raise UsageError(f"--out {str(path)!r} is the store itself")
    check_output(path, PAGE, force=arguments.force)
    figures = read_figures(evaluation, _rates_of(arguments))
    write_output(path, PAGE, page_parts(evaluation, figures, arguments.most), force=arguments.force)
    size = path.stat().st_size
    if arguments.json:
        print(json.dumps({"file": str(path), "bytes": size, "episodes": figures.episodes}))
    else:
        print(f"{path}: {counted(figures.episodes, 'episode')}, {size / 1024:,.0f} KiB")
    return 0


def _rates_of(arguments: argparse.Namespace) -> list[Rate]:
    if arguments.rates is None:
        return []
    if not arguments.rates.is_file():
        raise UsageError(f"There are no rates {str(arguments.rates)!r}; `worldsmith calibrate` writes some.")
    return read_rates(arguments.rates)


def _usual_page(store: Path) -> Path:
    """Beside the store; two stores that differ in their endings alone have two pages."""
    return store.with_suffix(".html") if store.suffix == ".db" else store.with_name(f"{store.name}.html")
