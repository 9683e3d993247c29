"""Make the tasks of a domain: candidates in child processes on all cores, those that are proven kept in their order.

A candidate depends on its id alone, so the tasks are the same for any number of processes.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from generator.gates.worth import Worth, measure_worth
from generator.isolation.job import ProvingLimits, job
from generator.isolation.process import run_job, run_jobs
from generator.tasks.aim import FailedPart, RunAim, read_aim
from generator.tasks.compose import Composer, composable_scenarios, forms_of
from generator.tasks.find_interlocks import find_interlocks
from generator.tasks.interlocks import read_interlocks
from generator.tasks.mix import Mix
from generator.tasks.plan import EXPERT, SIZES, TIMED, MadeOf, plan_task
from generator.tasks.proofs.all import Proven, fault_of_conversation, prove_candidate
from generator.tasks.proofs.replayer import Candidate, CandidateCounts, Proof
from generator.tasks.proofs.shortcuts import ShortcutCounts
from generator.tasks.telling import CannotCompose, calls_of
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.graph import read_graph
from runtime.sandbox.files import replacing
from runtime.task.task import Task
from runtime.task.task_file import parse_task, read_tasks, task_line
from runtime.task.user import Form
from runtime.wording import counted

MOST_TASKS = 100_000
MOST_SEED = 1_000_000
_TRIED_PER_TASK = 10  # before it is given up
_TRIED_AT_LEAST = 100
_MOST_IN_SHARE = 40  # places; progress is seen when a process ends
_FEWEST_IN_SHARE = 6  # places; a process takes a second to start and to study its first world
_WORK = {1: 1.0, 2: 1.3, 3: 2.0, 4: 4.0, 5: 7.0, EXPERT: 12.0, TIMED: 6.0}  # of a candidate, by level, as measured
_ROWS_LIKE_A_TASK = 1_000  # rows, beyond those of its complexity, that take as much as the least candidate
_SAME = "the same chain and rows as another task"
_CROWDED = "a scenario that enough tasks have"
_SHORTCUT = "a row that a shortcut takes too often"


@dataclass(frozen=True)
class Making:
    """What to make."""

    folder: Path
    count: int
    seed: int = 1
    least: int | None = None  # tasks that must hold; all of them if None
    complexity: int | None = None  # drawn for each task
    rows: int | None = None  # of each world; those of its level if nothing is asked for
    unverified: bool = False  # everything that can be composed is kept (the paper's ablation "w/o EV")
    processes: int | None = None  # all cores
    beside: tuple[Task, ...] = ()  # in the file that the tasks go to, if that is not the domain's own
    replace: bool = False  # the domain's own tasks are not kept, so nobody reads them
    aim: Path | None = None  # a run store: more of what its agent fails


@dataclass
class Made:
    """What was made: the lines of `tasks.jsonl` in order, and the counts of all candidates."""

    lines: list[str] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    tally: CandidateCounts = field(default_factory=CandidateCounts)
    first_reasons: dict[str, str] = field(default_factory=dict)  # by the proof that refused
    first_details: dict[tuple[str | None, str], str] = field(default_factory=dict)  # by scenario and reason
    tried: int = 0
    tools: list[str] = field(default_factory=list)  # of the domain
    kept: list[str] = field(default_factory=list)  # lines of the domain's own tasks that were not made again
    seconds: float = 0.0
    shortcuts: ShortcutCounts = field(default_factory=ShortcutCounts)
    worth: Worth = field(default_factory=Worth)
    unmet: list[str] = field(default_factory=list)  # what the set lacks, and why, a sentence each
    aimed: list[FailedPart] = field(default_factory=list)  # what the agent of a run fails, where that was aimed at

    @property
    def covered(self) -> list[str]:
        """The tools that a chain calls."""
        return sorted({step.tool for task in self.tasks for step in task.chain})

    @property
    def missing(self) -> list[str]:
        """The tools that no chain calls."""
        return sorted(set(self.tools) - set(self.covered))

    @property
    def executable(self) -> list[int]:
        """How many tools can be executed in the world of each task, the fewest first."""
        return sorted(len(task.explorable) for task in self.tasks)

    @property
    def rejections(self) -> list[str]:
        """For each reason why candidates were rejected, how many were, and what was said of the first."""
        counts = sorted(self.tally.rejected.items(), key=lambda entry: (-entry[1], entry[0]))
        firsts = {reason: f"; the first: {first}" for reason, first in self.first_reasons.items()}
        return [f"  {count:>6}  {reason}{firsts.get(reason, '')}" for reason, count in counts]

    @property
    def per_second(self) -> float:
        """How many tasks were kept in a second."""
        return len(self.lines) / self.seconds if self.seconds else 0.0


def make_tasks(making: Making, say: Callable[[str], None] = lambda _: None) -> Made:
    """Make tasks in child processes; errors: UsageError if too few candidates hold, BrokenDomain."""
    started = time.perf_counter()
    say("reading the domain")
    asked = DescribeRequest(making.folder, making.replace, making.complexity == TIMED, making.aim)
    described = run_job(describe_tasks, asked, limits_of(100, 10_000))
    linked = described.linked
    if making.complexity == EXPERT and linked is None:
        linked = sorted(find_interlocks(making.folder, making.processes, say).partners)
    made = Made(tools=described.tools, aimed=described.aim.parts)
    seen = {each.key: task_id for task_id, each in described.existing.items()}
    seen |= {chain_and_rows(task): task.id for task in making.beside}
    weights = {(each.lead, each.denied): each.weight for each in described.aim.scenarios}
    level, rows = making.complexity, making.rows
    mix = Mix(making.count, described.forms, level, making.seed, rows, frozenset(linked or ()), weights)
    most = max(_TRIED_AT_LEAST, _TRIED_PER_TASK * making.count)
    denied_by: set[str] = set()
    while len(made.lines) < making.count:
        say(f"{len(made.lines)} of {making.count} tasks after {made.tried} candidates")
        places = mix.next_round(most - made.tried)
        if not places:
            break
        for composed in compose_all(making, places, partial(_tell_share, say, made, making.count), mix.crowded):
            made.tried += 1
            denied_by.update(composed.denied_by)
            mix.count(composed.made, composed.scenarios, _refused(composed, made, seen, mix))
    if len(made.lines) < (making.count if making.least is None else making.least):
        raise UsageError(_why_too_few(making, made))
    ids = {task.id for task in made.tasks}
    made.kept = [each.line for task_id, each in described.existing.items() if task_id not in ids]
    made.seconds = time.perf_counter() - started
    made.worth = run_job(measure_lines, WorthRequest(making.folder, made.lines), limits_of(made.tried, 100))
    made.unmet = [*mix.unmet(), *_rules_unmet(made.worth, denied_by)]
    return made


def _rules_unmet(worth: Worth, denied_by: Set[str]) -> Iterator[str]:
    for code, use in worth.rules.items():
        if not use.denied:
            tried = "each candidate in which it denied one was rejected" if code in denied_by else "no scenario asks it"
            yield f"rule {code}: denies no request; {tried}"


@dataclass(frozen=True)
class ExistingTask:
    """A task that a domain has already: its line, and what tells it from others."""

    line: str
    key: str


@dataclass(frozen=True)
class TasksReport:
    """The tools of a domain, the tasks that it has by id, and its scenarios."""

    tools: list[str]
    existing: dict[str, ExistingTask]
    forms: dict[str, Form]  # of its scenarios
    linked: list[str] | None  # those that decide others, or are decided by one; None if that is not known
    aim: RunAim  # empty where no run is aimed at


@dataclass(frozen=True)
class DescribeRequest:
    """A domain folder, whether its tasks are to be replaced, and its scenarios those with a clock.

    `aim` is the run store that is aimed at, if any.
    """

    folder: Path
    replace: bool
    timed: bool
    aim: Path | None = None


@job("describe tasks")
def describe_tasks(asked: DescribeRequest) -> TasksReport:
    """Read a domain whose tasks are to be made; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    scenarios = composable_scenarios(domain, timed=asked.timed)
    read_graph(asked.folder)
    existing = {} if asked.replace else read_tasks(domain)
    forms = forms_of(scenarios)
    return TasksReport(
        tools=list(domain.tools),
        existing={name: ExistingTask(task_line(task), chain_and_rows(task)) for name, task in existing.items()},
        linked=_linked(domain),
        forms=forms,
        aim=RunAim() if asked.aim is None else read_aim(asked.aim, domain, forms),
    )


def _linked(domain: Domain) -> list[str] | None:
    """Return the scenarios that interlock, as far as that was found in what the domain is now."""
    try:
        return sorted(read_interlocks(domain).partners)
    except UsageError:
        return None


@dataclass(frozen=True)
class ComposeRequest:
    """Places of a domain's tasks, each with candidates of which the first that holds fills it."""

    folder: Path
    places: list[list[MadeOf]]
    unverified: bool
    crowded: list[str] = field(default_factory=list)  # scenarios that enough tasks have


@dataclass(frozen=True)
class Composed:
    """One candidate: a task with its proofs, or why none could be composed."""

    made: MadeOf
    task: Task | None = None
    scenarios: list[str] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    reason: str = ""
    detail: str = ""  # of the reason
    denied_by: list[str] = field(default_factory=list)  # rules, of its requests
    shortcuts: ShortcutCounts = field(default_factory=ShortcutCounts)

    @property
    def holds(self) -> bool:
        """Return True for a task of which every proof holds."""
        return self.task is not None and all(proof.holds for proof in self.proofs)


@dataclass(frozen=True)
class ComposedShare:
    """The candidates that were tried, in their order."""

    candidates: list[Composed]


@job("compose")
def compose_share(asked: ComposeRequest) -> ComposedShare:
    """Compose candidates and prove them; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    with Composer(domain, read_graph(asked.folder)) as composer:
        share = ComposedShare([])
        for place in asked.places:
            for made in place:
                share.candidates.append(_compose_one(composer, made, asked.unverified, asked.crowded))
                if share.candidates[-1].holds:
                    break
        return share


@dataclass(frozen=True)
class WorthRequest:
    """New tasks of a domain folder."""

    folder: Path
    lines: list[str]


@job("worth of new tasks")
def measure_lines(asked: WorthRequest) -> Worth:
    """Measure tasks that need not be in the domain's own file; errors: BrokenDomain."""
    return measure_worth(load_domain(asked.folder), [parse_task(line) for line in asked.lines])


def write_lines(path: Path, lines: Sequence[str]) -> None:
    """Replace a file in one step; errors: UsageError if it cannot be written."""
    try:
        with replacing(path) as file:
            file.writelines(f"{line}\n".encode() for line in lines)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


def chain_and_rows(task: Task) -> str:
    """Equal for two tasks of one world with the same calls on the same rows; new rows have no key of their own."""
    rows = sorted((row.table, row.kind, () if row.kind == "added" else tuple(row.key)) for row in task.expected)
    return repr((task.world.base, calls_of(task.chain), rows, [check.values for check in task.checks] or ""))


def _tell_share(say: Callable[[str], None], made: Made, wanted: int, ended: int, of: int) -> None:
    say(f"{len(made.lines)} of {wanted} tasks so far; {ended} of the next {counted(of, 'candidate')} tried")


def compose_all(
    making: Making,
    places: Sequence[Sequence[MadeOf]],
    done: Callable[[int, int], None],
    crowded: Sequence[str] = (),
) -> Iterator[Composed]:
    """Fill places, and yield the candidates that were tried, in order; those of one world in one process.

    `done` is called with the number of places that were tried and of all. Candidates with a scenario that is `crowded`
    besides their first are not proven.
    """
    processes = making.processes or os.cpu_count() or 1
    most = processes * math.ceil(len(places) / (processes * _MOST_IN_SHARE))
    shares = cut_shares(places, min(most, math.ceil(len(places) / _FEWEST_IN_SHARE)))
    asked = [ComposeRequest(making.folder, share, making.unverified, [*crowded]) for share in shares]
    candidates = max(sum(map(len, share)) for share in shares)
    limits = limits_of(candidates, max(made.rows or SIZES[made.complexity] for place in places for made in place))
    ended: list[int] = []

    def tell(at: int) -> None:
        ended.append(len(shares[at]))
        done(sum(ended), len(places))

    reports = run_jobs(
        compose_share,
        asked,
        limits,
        processes,
        proven=tell,
    )
    found = {composed.made: composed for report in reports for composed in report.candidates}
    return (found[made] for place in places for made in place if made in found)


def cut_shares(places: Sequence[Sequence[MadeOf]], most: int) -> list[list[list[MadeOf]]]:
    """Cut places into at most this many shares of about equal work; those of one world go together."""
    worlds: dict[tuple[int, int], list[list[MadeOf]]] = {}
    for place in places:
        plan = plan_task(place[0])
        worlds.setdefault((plan.size, plan.world_seed), []).append(list(place))
    shares: list[list[list[MadeOf]]] = [[] for _ in range(most)]
    loads = [0.0] * most
    for work, _, own in sorted(((sum(map(_work_of, own)), world, own) for world, own in worlds.items()), reverse=True):
        at = loads.index(min(loads))
        shares[at] += own
        loads[at] += work
    return [share for share in shares if share]


def _work_of(place: Sequence[MadeOf]) -> float:
    """Return the relative work of a place."""
    made = place[0]
    further = max(0, (made.rows or 0) - SIZES[made.complexity])
    return _WORK[made.complexity] + further / _ROWS_LIKE_A_TASK


def _compose_one(composer: Composer, made: MadeOf, unverified: bool, crowded: Collection[str] = ()) -> Composed:
    try:
        candidate = composer.compose(made)
    except CannotCompose as unfit:
        return Composed(made, reason=str(unfit), detail=unfit.detail)
    names = list(dict.fromkeys(part.name for part in candidate.parts))
    if {*names} & {*crowded} - {made.lead}:
        return Composed(made, reason=_CROWDED)
    if unverified:
        task = candidate.task.model_copy(update={"proofs": {"unverified": True}})
        return Composed(made, task, names)
    proven = prove_candidate(candidate)
    task = with_proofs(candidate, proven)
    if proven.holds and (fault := fault_of_conversation(task, candidate.domain, candidate.world)):
        return Composed(made, reason=f"the reference does not win it in conversation: {fault}")
    proofs = list(proven.proofs.values())
    denied_by = [code for script in candidate.scripts for asked in script.permissions for code in asked.rules]
    return Composed(made, task, names, proofs, denied_by=denied_by, shortcuts=proven.shortcuts)


def with_proofs(candidate: Candidate, proven: Proven) -> Task:
    """Return the task with how many trials of each proof passed, and its known mistakes."""
    counts = {name: [proof.passed, proof.tried] for name, proof in proven.proofs.items()}
    return candidate.task.model_copy(update={"proofs": counts, "mistakes": list(proven.mistakes)})


def _refused(composed: Composed, made: Made, seen: dict[str, str], mix: Mix) -> str:
    """Keep a candidate that holds, or count and return why it does not."""
    asked, task = composed.made, composed.task
    if task is None:
        where = f"scenario {asked.lead} at level {asked.complexity}"
        if not composed.detail:
            return _reject(made, composed.reason, where)
        _reject(made, composed.reason, f"{where}: {composed.detail}")
        detail = made.first_details.setdefault((asked.lead, composed.reason), composed.detail)
        return f"{composed.reason}: {detail.removesuffix('.')}"
    proofs = {proof.name: proof for proof in composed.proofs}
    made.tally.add(proofs)
    failed = next((proof for proof in proofs.values() if not proof.holds), None)
    if failed is not None:
        return _reject(made, failed.refusal, f"{task.id}: {failed.reason}")
    key = chain_and_rows(task)
    if seen.get(key, task.id) != task.id:
        return _reject(made, _SAME, f"{task.id} and {seen[key]}")
    if mix.can_choose(asked):
        if mix.is_crowded(composed.scenarios):
            return _reject(made, _CROWDED, task.id)
        if made.shortcuts.are_helped_by(composed.shortcuts):
            return _reject(made, _SHORTCUT, task.id)
    seen[key] = task.id
    made.tally.kept += 1
    made.shortcuts.add(composed.shortcuts)
    made.tasks.append(task)
    made.lines.append(task_line(task))
    return ""


def _reject(made: Made, reason: str, example: str) -> str:
    made.tally.rejected[reason] = made.tally.rejected.get(reason, 0) + 1
    made.first_reasons.setdefault(reason, example)
    return reason


def _why_too_few(making: Making, made: Made) -> str:
    shortly = (
        f"{len(made.lines)} of {making.count} tasks hold after {made.tried} candidates, so nothing was written. "
        f"Ask for fewer, add scenarios, or see with `worldsmith check {making.folder.name}` what is wrong with those "
        "that are there."
    )
    return "\n".join([shortly, *made.rejections])


def limits_of(candidates: int, size: int) -> ProvingLimits:
    """Return the limits of a child process for a number of candidates and rows of their worlds."""
    seconds = 120 + candidates * (2 + size // _ROWS_LIKE_A_TASK)
    return ProvingLimits(cpu_seconds=seconds, wall_seconds=20.0 * seconds, answer_bytes=256 * 1024**2)
