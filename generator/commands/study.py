"""`worldsmith study ev`: ScaleEnv's ablation "without executable verification", in the arms that need no model."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.arms import (
    AGENTS,
    ArmRequest,
    FaultsRequest,
    FirstScenarios,
    PlantedFaults,
    TriedTask,
    try_arm,
    write_faulty_tools,
    write_first_scenarios,
)
from generator.isolation.job import ProofFailed, ProvingLimits
from generator.isolation.process import run_jobs
from generator.tasks.make import MOST_TASKS, Making, make_tasks, write_lines
from runtime.commands import suite  # noqa: F401  registers the other studies
from runtime.commands.options import DOMAINS, JSON, command, int_option, option, path_option
from runtime.commands.output import Result, make_folder
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder, load_domain
from runtime.errors import StageFailed, UsageError
from runtime.harness.evaluation.opinions import Share
from runtime.harness.evaluation.plan import choose_tasks, draw
from runtime.task.task_file import task_line
from runtime.text_table import table_lines

PROVEN, UNPROVEN, FIRST = "proven", "A", "B"
_LIMITS = ProvingLimits(3_600, wall_seconds=36_000.0)


@dataclass(frozen=True)
class Arm:
    """One arm in one domain, and the tasks that are tried."""

    name: str
    domain: str
    asked: ArmRequest


@dataclass(frozen=True)
class ArmFigures:
    """An arm over some domains: tasks that hold, tasks that are won and not free, verdicts that are wrong."""

    tasks: Sequence[TriedTask]

    @property
    def usable(self) -> Share:
        """Of the tasks, those of which every proof holds."""
        return Share(sum(not each.refused for each in self.tasks), len(self.tasks))

    @property
    def won(self) -> Share:
        """Of the tasks, those that the reference wins and the idle agent does not."""
        won = sum(each.rewards["reference"] == 1 and each.rewards["idle"] == 0 for each in self.tasks)
        return Share(won, len(self.tasks))

    @property
    def noise(self) -> Share:
        """Of the pairs of a task and an agent, those with another verdict than the right one; a void one is another."""
        pairs = [(each.rewards[name], each.right[name]) for each in self.tasks for name in AGENTS]
        return Share(sum(reward != right for reward, right in pairs), len(pairs))

    @property
    def refused(self) -> Counter[str]:
        """How many tasks each proof is the first to refuse."""
        return Counter(each.refused for each in self.tasks if each.refused)

    def as_json(self) -> dict[str, Any]:
        shares = {name: getattr(self, name).as_json() for name in ("usable", "won", "noise")}
        by_agent = {name: sum(each.rewards[name] != each.right[name] for each in self.tasks) for name in AGENTS}
        examples = {each.refused: f"{each.id}: {each.why}" for each in reversed(self.tasks) if each.refused}
        return shares | {"noise_by_agent": by_agent, "refused": dict(self.refused), "examples": examples}

    @property
    def row(self) -> list[str]:
        """The figures for a person."""
        said = ", ".join(f"{name} {count}" for name, count in self.refused.most_common()) or "-"
        return [str(self.usable), str(self.won), str(self.noise), said]


@command(
    "study ev",
    "What a domain loses that is not verified by execution (ScaleEnv, table 3), in the arms that need no model, beside "
    "the proven domain: A, tasks composed and not proven; B, scenarios as a build first answered them; C, planted "
    "faults in a share of the tools, which the cases notice. For each the share of tasks that hold, those that the "
    "reference wins and an idle agent does not, and the verdicts of six scripted agents that are not the right ones.",
    DOMAINS,
    int_option("-n", "--count", said="tasks of each domain and arm", within=(1, MOST_TASKS), default=24),
    option("--faults", metavar="P,P", default="2,5,10", help="percentages of tools with a fault (default 2,5,10)"),
    int_option("--draws", said="of the faults, each with as many tasks", within=(1, 100), default=1),
    int_option("--seed", said="of tasks, worlds and faults", within=(0, 10**6), default=101, metavar="S"),
    path_option("--out", "DIR", "keep the folders of the broken domains here, marked as unverified"),
    int_option("--processes", said="child processes at a time (default: all cores)", within=(1, 256)),
    JSON,
)
def study_ev(arguments: argparse.Namespace) -> Result:
    """Make the arms, prove and play their tasks, and print a table."""
    making = _Making(arguments)
    with ExitStack() as held:
        out = arguments.out or Path(held.enter_context(TemporaryDirectory(prefix="worldsmith-arms-")))
        if arguments.out is not None:
            make_folder(out)
        try:
            for folder in dict.fromkeys(map(find_folder, arguments.domain)):
                with Progress(f"making the arms of {folder.name}"):
                    making.add(folder, out)
            asked = [each.asked for each in making.arms]
            with Progress("proving and playing tasks", len(asked)) as progress:
                found = run_jobs(try_arm, asked, _LIMITS, arguments.processes, proven=lambda _: progress.advance())
        except ProofFailed as failed:
            raise StageFailed(str(failed)) from failed
    tried = [(arm, each.tasks) for arm, each in zip(making.arms, found, strict=True)]
    figures = {
        name: ArmFigures([task for arm, own in tried if arm.name == name for task in own])
        for name in dict.fromkeys(arm.name for arm in making.arms)
    }
    by_domain: dict[str, dict[str, ArmFigures]] = {}
    for arm, own in tried:
        kept = by_domain.setdefault(arm.domain, {}).get(arm.name, ArmFigures([]))
        by_domain[arm.domain][arm.name] = ArmFigures([*kept.tasks, *own])
    head = ["arm", "tasks that hold", "won and not free", "wrong verdicts", "refused first by"]
    lines = [*table_lines(head, [[name, *each.row] for name, each in figures.items()]), "", *making.notes]
    lines.append("Shares with Wilson's intervals at 95%; verdicts are six of each task, so theirs are a little narrow.")
    content = {"arms": figures, "domains": by_domain, "first": making.first, "faults": making.faults}
    return Result(content, lines)


class _Making:
    """Makes the arms of domains, and counts what went into them."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arms: list[Arm] = []
        self.first: dict[str, FirstScenarios] = {}  # by domain
        self.faults: dict[str, dict[str, PlantedFaults]] = {}  # by arm, then by domain and draw
        self._asked = arguments
        self._shares = _shares(arguments.faults)

    def add(self, folder: Path, out: Path) -> None:
        """Make the arms of one domain, in folders below `out`; errors: UsageError, ProofFailed."""
        asked, name = self._asked, folder.name
        tasks = choose_tasks([load_domain(folder)])
        lines = [task_line(each.task) for each in draw(tasks, min(asked.count, len(tasks)), asked.seed)]
        self.arms.append(Arm(PROVEN, name, ArmRequest(folder, lines)))
        self.arms.append(Arm(UNPROVEN, name, ArmRequest(folder, self._unproven(folder))))
        first = write_first_scenarios(folder, out / f"{name}-first")
        if first is not None:
            self.first[name] = first
            own = self._unproven(out / f"{name}-first")
            write_lines(out / f"{name}-first" / "tasks.jsonl", own)
            self.arms.append(Arm(FIRST, name, ArmRequest(out / f"{name}-first", own)))
        for share in self._shares:
            for number in range(asked.draws):
                place = out / f"{name}-faults-{share:g}-{number + 1}"
                planted = write_faulty_tools(FaultsRequest(folder, share / 100, asked.seed + number), place)
                arm = f"C {share:g}%"
                self.faults.setdefault(arm, {})[place.name] = planted
                self.arms.append(Arm(arm, name, ArmRequest(place, lines, folder)))

    def _unproven(self, folder: Path) -> list[str]:
        making = Making(folder, self._asked.count, self._asked.seed, least=1, unverified=True, replace=True)
        return make_tasks(replace(making, processes=self._asked.processes)).lines

    @property
    def notes(self) -> Iterator[str]:
        """What went into the arms, for a person."""
        if self.first:
            missed, count = (
                sum(each) for each in zip(*((len(e.missed), e.count) for e in self.first.values()), strict=True)
            )
            yield f"B: today's gate of scenarios refuses {Share(missed, count)} of the first answers"
        for arm, planted in self.faults.items():
            count = sum(len(each.by_tool) for each in planted.values())
            yield f"{arm}: a fault in {count} of {sum(each.tools for each in planted.values())} tools"


def _shares(words: str) -> list[float]:
    """Read percentages of tools; errors: UsageError."""
    try:
        found = [float(each) for each in words.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 < each <= 100 for each in found):
        raise UsageError(f"--faults is {words!r}; give percentages of the tools with commas between, as in 2,5,10.")
    return found
