"""`worldsmith study ev`: ScaleEnv's ablation "without executable verification", for tasks: what would pass unproven."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass
from typing import Any, get_args

from generator.isolation.job import ProofFailed
from generator.tasks.make import MOST_TASKS, Making, make_tasks
from generator.tasks.proofs.replayer import ProofName
from runtime.commands import suite  # noqa: F401  registers the other studies
from runtime.commands.options import DOMAINS, JSON, command, int_option
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder
from runtime.errors import StageFailed
from runtime.harness.evaluation.opinions import Share
from runtime.text_table import table_lines
from runtime.wording import counted

_PROOFS = frozenset(get_args(ProofName))


@dataclass(frozen=True)
class UnprovenTasks:
    """Of the candidates of a domain that could be composed, those that hold, and the rest by the first failed proof."""

    domain: str
    usable: Share
    refused: dict[str, int]
    examples: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "usable": self.usable.as_json(),
            "refused": self.refused,
            "examples": self.examples,
        }


@command(
    "study ev",
    "What verification by execution keeps out of a set of tasks: compose tasks of these domains as `tasks "
    "--unverified` does, prove each, and print which share is usable and which proof refuses the rest. Tools, worlds "
    'and cases stay proven, so it is one part of ScaleEnv\'s ablation "w/o EV". Nothing is written.',
    DOMAINS,
    int_option("-n", "--count", said="proven tasks of each domain", within=(1, MOST_TASKS), default=64),
    int_option("--seed", said="of the tasks and their worlds", within=(0, 10**6), default=101, metavar="S"),
    int_option("--processes", said="child processes at a time (default: all cores)", within=(1, 256)),
    JSON,
)
def study_ev(arguments: argparse.Namespace) -> Result:
    """Prove candidates of each domain, and print what would have passed."""
    found = []
    for folder in dict.fromkeys(map(find_folder, arguments.domain)):
        making = Making(folder, arguments.count, arguments.seed, least=1, processes=arguments.processes, replace=True)
        try:
            with Progress(f"proving candidates of {folder.name}") as told:
                made = make_tasks(making, told.tell)
        except ProofFailed as failed:
            raise StageFailed(str(failed)) from failed
        refused = {name: count for name, count in sorted(made.tally.rejected.items()) if name in _PROOFS}
        examples = {name: made.first_reasons[name] for name in refused if name in made.first_reasons}
        usable = Share(made.tally.kept, made.tally.kept + sum(refused.values()))
        found.append(UnprovenTasks(folder.name, usable, refused, examples))
    total = sum((Counter(each.refused) for each in found), Counter[str]())
    every = Share(sum(each.usable.count for each in found), sum(each.usable.of for each in found))
    rows = [[each.domain, str(each.usable), _said(each.refused)] for each in found]
    rows += [["all", str(every), _said(total)]] * (len(found) > 1)
    lines = [
        *table_lines(["domain", "usable of what is composed", "refused first by"], rows),
        "",
        f"{counted(every.of, 'candidate')}; shares with Wilson's intervals at 95%.",
    ]
    return Result({"domains": found, "usable": every.as_json(), "refused": dict(total)}, lines)


def _said(refused: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(refused.items(), key=lambda each: -each[1])) or "-"
