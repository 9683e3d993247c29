"""`worldsmith calibrate`: how hard a domain's tasks are for an agent, kept as rates beside them."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.evaluate import play_as_asked
from runtime.commands.evaluation_options import add_evaluation_options
from runtime.domain.find import find_domain, find_folder, is_carried
from runtime.errors import UsageError
from runtime.harness.evaluation.rates import FILE, read_rates
from runtime.terminal import print_lines

if TYPE_CHECKING:
    from runtime.harness.evaluation.summary import Summary


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "calibrate",
        help="measure how often an agent solves each task (asks a model only if agent or user is one)",
        description="Play tasks as `worldsmith eval` does, into the same store, and keep of each how many trials had a "
        "verdict and how many were rewarded, in rates.jsonl in the domain's folder, or in rates/NAME.jsonl here if the "
        "domain belongs to the installed package. Prints Pass^1 and Pass^k by level and form, how many groups of 8 "
        "trials would be mixed, and the tasks that only the weaker of two measured agents solves. A rate whose task, "
        "tools or rules have changed since is never shown.",
    )
    parser.add_argument("domain", nargs=1, help="name or path of a domain")
    add_evaluation_options(parser, trials=8)
    parser.add_argument("--rates", type=Path, metavar="FILE", help="keep the rates in this file instead")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(run=run, suite=None)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Play what is owed, keep the rates and print what they say; 0 if every episode has a verdict."""
    path = _place_of_rates(arguments)
    read_rates(path)  # what cannot be added to is said before anything is played
    return play_as_asked(arguments, lambda summary: _keep_and_tell(arguments, path, summary))


def _keep_and_tell(arguments: argparse.Namespace, path: Path, asked: Summary) -> None:
    from runtime.harness.evaluation.calibration import Calibration, describe_calibration
    from runtime.harness.evaluation.rates import digests_of, find_inversions, fresh_rates, keep_rates, rates_of
    from runtime.harness.evaluation.summary import summarise
    from runtime.task.task_file import read_tasks

    domain = find_domain(arguments.domain[0])
    summary = summarise(asked.run, [name for name in asked.run.tasks if name[0] == domain.name])  # all of its trials
    measured = rates_of(summary.run, summary.tallies)
    rates = [each for each in keep_rates(path, measured) if each.domain == domain.name]
    files = [None, arguments.tasks] if arguments.tasks else [None]
    tasks = {(domain.name, name): task for file in files for name, task in read_tasks(domain, file=file).items()}
    fresh = fresh_rates(rates, digests_of(tasks, {domain.name: domain.digest}))
    inversions = find_inversions(fresh)
    calibration = Calibration(summary, path, measured, fresh, len(rates) - len(fresh), inversions)
    if arguments.json:
        print(json.dumps(calibration.as_json(), ensure_ascii=False, indent=2))
    else:
        print_lines(describe_calibration(calibration, shutil.get_terminal_size().columns))


def _place_of_rates(arguments: argparse.Namespace) -> Path:
    """What `--rates` names, else the usual place."""
    if arguments.rates is None:
        return place_of_rates(arguments.domain[0])
    path: Path = arguments.rates
    if not path.parent.is_dir():
        raise UsageError(f"--rates {str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    return path


def place_of_rates(name: str) -> Path:
    """The rates of a domain in its folder; what belongs to the package has its rates in a folder here."""
    folder = find_folder(name)
    return Path("rates") / f"{folder.name}.jsonl" if is_carried(name) else folder / FILE
