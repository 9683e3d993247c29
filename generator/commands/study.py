"""`worldsmith study ev` and `study signal`: what verification by execution keeps out, and what a reward selects."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from generator.arms import (
    AGENTS,
    ArmRequest,
    FaultsRequest,
    TriedTask,
    try_arm,
    write_faulty_tools,
    write_first_scenarios,
)
from generator.isolation.job import ProofFailed, ProvingLimits
from generator.isolation.process import run_jobs
from generator.tasks.make import MOST_TASKS, Making, make_tasks, write_lines
from runtime.commands import suite
from runtime.commands.options import DOMAINS, JSON, command, int_option, option, path_option
from runtime.commands.output import Result, write_output
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder, load_domain
from runtime.errors import StageFailed
from runtime.harness.evaluation.opinions import Share
from runtime.harness.evaluation.plan import TaskChoice, choose_tasks
from runtime.harness.evaluation.scores import paired
from runtime.task.task_file import task_line
from runtime.text_table import table_lines

_LIMITS = ProvingLimits(3_600, wall_seconds=36_000.0)
_FAULTS = (2, 5, 10)  # percentages of the tools


class Arm(NamedTuple):
    """One arm in one domain: what is tried, and for each scenario or tool what is wrong with it, if anything."""

    name: str
    domain: str
    asked: ArmRequest
    note: Mapping[str, str] = {}


@command(
    "study ev",
    "What a domain loses that is not verified by execution (ScaleEnv, table 3), in the arms that need no model, beside "
    "the proven domain: A, tasks composed and not proven; B, scenarios as a build first answered them; C, planted "
    "faults in a share of the tools, which the cases notice. For each the share of tasks that hold, those that the "
    "reference wins and an idle agent does not, and the verdicts of six scripted agents that are not the right ones.",
    DOMAINS,
    int_option("-n", "--count", said="tasks of each domain and arm", within=(1, MOST_TASKS), default=24),
    int_option("--faults", said="percent of the tools get a fault (default 2, 5 and 10)", within=(1, 100), metavar="P"),
    int_option("--seed", said="of tasks, worlds and faults", within=(0, 10**6), default=101, metavar="S"),
    path_option("--out", "DIR", "keep the folders of the broken domains here, marked as unverified"),
    int_option("--processes", said="child processes at a time (default: all cores)", within=(1, 256)),
    JSON,
)
def study_ev(arguments: argparse.Namespace) -> Result:
    """Make the arms, prove and play their tasks, and print a table."""
    arms: list[Arm] = []
    with nullcontext(arguments.out) if arguments.out else TemporaryDirectory(prefix="worldsmith-arms-") as out:
        try:
            for folder in dict.fromkeys(map(find_folder, arguments.domain)):
                with Progress(f"making the arms of {folder.name}"):
                    arms += _arms_of(folder, Path(out), arguments)
            asked = [each.asked for each in arms]
            with Progress("proving and playing tasks", len(asked)) as progress:
                found = run_jobs(try_arm, asked, _LIMITS, arguments.processes, proven=lambda _: progress.advance())
        except ProofFailed as failed:
            raise StageFailed(str(failed)) from failed
    content, rows, said = dict[str, Any](), [], []
    for name in dict.fromkeys(each.name for each in arms):
        tried = {each.domain: arm.tasks for each, arm in zip(arms, found, strict=True) if each.name == name}
        own = content[name] = _figures_of([task for tasks in tried.values() for task in tasks])
        own["domains"] = {domain: _figures_of(tasks) for domain, tasks in tried.items()}
        own["notes"] = {each.domain: each.note for each in arms if each.name == name}
        refused = ", ".join(f"{name} {count}" for name, count in own["refused"].items()) or "-"
        low, high = paired([each["usable"].count / each["usable"].of for each in own["domains"].values()])
        over = "-" if low is None else f"{max(low, 0):.3f}-{high:.3f}"
        own["usable_over_domains"] = low, high
        rows.append([name, str(own["usable"]), over, str(own["won"]), str(own["noise"]), refused])
        if wrong := [bool(each) for note in own["notes"].values() for each in note.values()]:
            gate = f"first scenarios that today's gate refuses: {Share(sum(wrong), len(wrong))}"
            said.append(f"{name}: {gate if name == 'B' else f'{sum(wrong)} of {len(wrong)} tools have a fault'}")
    head = ["arm", "tasks that hold", "over domains", "won and not free", "wrong verdicts", "refused first by"]
    said.append(
        "Shares with Wilson's intervals at 95% over tasks, of which a fault breaks many at once; `over domains` is the "
        "normal interval over the domains' shares, where these differ."
    )
    return Result({"arms": content}, [*table_lines(head, rows), "", *said])


def _arms_of(folder: Path, out: Path, arguments: argparse.Namespace) -> Iterator[Arm]:
    """Make the arms of one domain in folders below `out`; errors: ProofFailed, UsageError."""

    def unproven(place: Path) -> list[str]:
        making = Making(place, arguments.count, arguments.seed, least=1, unverified=True, replace=True)
        return make_tasks(replace(making, processes=arguments.processes)).lines

    name, choice = folder.name, TaskChoice(count=arguments.count, seed=arguments.seed)
    lines = [task_line(each.task) for each in choose_tasks([load_domain(folder)], choice)]
    yield Arm("proven", name, ArmRequest(folder, lines))
    yield Arm("A", name, ArmRequest(folder, unproven(folder)))
    place = out / f"{name}-first"
    if (complaints := write_first_scenarios(folder, place)) is not None:
        own = unproven(place)
        write_lines(place / "tasks.jsonl", own)
        yield Arm("B", name, ArmRequest(place, own), complaints)
    for share in (arguments.faults,) if arguments.faults else _FAULTS:
        place, asked = out / f"{name}-faults-{share}", FaultsRequest(folder, share / 100, arguments.seed)
        yield Arm(f"C {share}%", name, ArmRequest(place, lines, folder), write_faulty_tools(asked, place))


def _figures_of(tasks: Sequence[TriedTask]) -> dict[str, Any]:
    """Return the shares of an arm: tasks that hold, tasks that are won and not free, verdicts that are not right."""
    wrong = {name: sum(each.rewards[name] != each.right[name] for each in tasks) for name in AGENTS}
    return {
        "usable": Share(sum(not each.refused for each in tasks), len(tasks)),
        "won": Share(sum(each.rewards["reference"] == 1 and each.rewards["idle"] == 0 for each in tasks), len(tasks)),
        "noise": Share(sum(wrong.values()), len(AGENTS) * len(tasks)),
        "noise_by_agent": wrong,
        "refused": dict(Counter(each.refused for each in tasks if each.refused).most_common()),
        "examples": {each.refused: f"{each.id}: {each.why}" for each in reversed(tasks) if each.refused},
    }


@command(
    "study signal",
    "Which reward selects which behavior: a bandit, and no language model, whose policy is a softmax over a dozen "
    "scripted agents for each form of request, trained by ScaleEnv's equation 2 under the rule and under each toy "
    "judge of `study judge`; and how honest each has become, by the rule on held-out tasks, from step to step.",
    DOMAINS,
    int_option("-n", "--count", said="tasks of each domain", within=(1, 10_000), default=48),
    int_option("--steps", said="of training, each of 8 tasks with 8 agents", within=(1, 10_000), default=80),
    int_option("--seeds", said="policies trained by each signal", within=(2, 1_000), default=20),
    option("--seed", type=int, default=1, metavar="S", help="of the choice of tasks and the draws (default 1)"),
    path_option("--out", "FILE", "write the curve as an SVG"),
    JSON,
)
def study_signal(arguments: argparse.Namespace) -> Result:
    """Train by each signal, and print the curves and what was selected."""
    from runtime.chart import line_chart
    from runtime.signal_study import SIGNALS, study_signals

    with Progress("playing and training"):
        study = study_signals(suite.sample_tasks(arguments), arguments.steps, arguments.seeds, arguments.seed)
    if arguments.out is not None:
        title, honest = "Honest success on held-out tasks", {f"by {each}": study.curves[each] for each in SIGNALS}
        write_output(arguments.out, [line_chart(title, "step", "rewarded by the rule", honest)])
    rows = [
        [f"{own[0][0]:g}", *(f"{mean:.3f} ({low:.3f}-{high:.3f})" for _, mean, low, high in own)]
        for own in zip(*study.curves.values(), strict=True)
    ]
    lines = [*table_lines(["step", *study.curves], rows), ""]
    for name, shares in study.selected.items():
        most = sorted(shares.items(), key=lambda each: -each[1])[:5]
        lines.append(f"{name} selects {', '.join(f'{agent} {share:.3f}' for agent, share in most)}")
    lines.append(
        f"{study.trained} tasks trained on, {study.held_out} held out; means over {arguments.seeds} seeds with "
        "intervals at 95%. A bandit over scripted agents: it says nothing of language models."
    )
    return Result(study, lines)
