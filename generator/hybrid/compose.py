"""Compose tasks of several offices: scenarios of each, told by one caller whom each of them knows, proven by execution.

plan -> a task of each office in a world in which its caller is the same person, proven as any other -> all as one
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.hybrid.person import details_of, fit_person
from generator.hybrid.unite import OfficeTask, Union
from generator.isolation.job import job
from generator.isolation.process import run_jobs
from generator.tasks.compose import Composer
from generator.tasks.make import chain_and_rows, limits_of, with_proofs
from generator.tasks.plan import CYCLE, EXPERT, NUMBERS_PER_SEED, MadeOf
from generator.tasks.proofs.all import fault_of_conversation, prove_candidate
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.telling import CannotCompose
from runtime.domain.hybrid import HybridDomain
from runtime.domain.load import load_domain
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.graph import read_graph
from runtime.harness.choose import choose_agent
from runtime.harness.play import Setting, play
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.hybrid import start_session
from runtime.session.world import World
from runtime.task.judge import JudgedTask
from runtime.task.task import FittedRow, Task, bind, start_world
from runtime.task.task_file import parse_task, task_line
from runtime.wording import counted

LEVELS = (4, 5, EXPERT)
ROWS = 1_000  # of each office's world
_OTHERS = (4, 3, 2)  # levels of the tasks of the second, the third, ... office
_PER_POOL = 500  # numbers that share a few worlds
_TRIES = 8  # of an office, for a caller whom the others can know
_TRIED_PER_TASK, _TRIED_AT_LEAST = 6, 20  # before it is given up
_WORK = 25  # of a candidate, beside one of a single office
_CARELESS = ("comply_all", "refuse_all")


@dataclass(frozen=True)
class HybridRequest:
    """The tasks of a hybrid domain to be made, each by its number and level."""

    folder: Path
    tasks: list[tuple[int, int]]


@dataclass(frozen=True)
class HybridShare:
    """For each task its line, or why there is none."""

    lines: list[str]
    reasons: list[str]


@job("compose tasks of several offices")
def compose_hybrids(asked: HybridRequest) -> HybridShare:
    """Compose and prove tasks; errors: BrokenDomain, UsageError."""
    share = HybridShare([], [])
    with HybridComposer(_load(asked.folder)) as composer:
        for number, level in asked.tasks:
            line = reason = ""
            try:
                line = task_line(composer.compose(number, level))
            except CannotCompose as unfit:
                reason = str(unfit)
            share.lines.append(line)
            share.reasons.append(reason)
    return share


@dataclass
class HybridMade:
    """What was made: the tasks in order, how many candidates were tried, and how many rejected by reason."""

    tasks: list[Task] = field(default_factory=list)
    tried: int = 0
    rejected: Counter[str] = field(default_factory=Counter)


def make_hybrids(
    folder: Path, count: int, seed: int, level: int | None, processes: int | None, say: Callable[[str], None]
) -> HybridMade:
    """Make tasks in child processes, the same for any number of these; errors: UsageError if too few hold."""
    _load(folder)
    made, workers, keys = HybridMade(), processes or os.cpu_count() or 1, set[str]()
    while len(made.tasks) < count and made.tried < max(_TRIED_AT_LEAST, _TRIED_PER_TASK * count):
        say(f"{len(made.tasks)} of {count} tasks after {counted(made.tried, 'candidate')}")
        numbers = range(made.tried, made.tried + count - len(made.tasks))
        places = [(seed * NUMBERS_PER_SEED + number, level or LEVELS[number % len(LEVELS)]) for number in numbers]
        made.tried += len(places)
        asked = [HybridRequest(folder, places[at::workers]) for at in range(min(workers, len(places)))]
        limits = limits_of(_WORK * math.ceil(len(places) / len(asked)), ROWS)
        shares = run_jobs(compose_hybrids, asked, limits, workers)
        for at in range(len(places)):
            share, place = shares[at % len(asked)], at // len(asked)
            if not share.lines[place]:
                made.rejected[share.reasons[place]] += 1
            elif (key := chain_and_rows(task := parse_task(share.lines[place]))) in keys:
                made.rejected["the same chain and rows as another task"] += 1
            else:
                keys.add(key)
                made.tasks.append(task)
    if len(made.tasks) < count:
        reasons = "; ".join(f"{reason}: {number}" for reason, number in made.rejected.most_common())
        raise UsageError(
            f"{len(made.tasks)} of {count} tasks of {folder.name} hold after {made.tried} candidates, so nothing was "
            f"written. Ask for fewer, or for another level. Why others were rejected: {reasons}."
        )
    return made


def _load(folder: Path) -> HybridDomain:
    domain = load_domain(folder)
    assert isinstance(domain, HybridDomain)
    return domain


class HybridComposer:
    """Composes the tasks of several domains as one."""

    def __init__(self, domain: HybridDomain) -> None:
        """Errors: UsageError if a domain has no scenarios."""
        self._domain = domain
        self._composers = {prefix: Composer(part, read_graph(part.path)) for prefix, part in domain.parts.items()}

    def compose(self, number: int, level: int) -> Task:
        """Compose and prove the task of a number: the same in every process. Errors: CannotCompose."""
        prefixes = list(self._domain.parts)
        first = number % len(prefixes)
        person: dict[str, Value] = {}
        tasks: dict[str, OfficeTask] = {}
        for place, prefix in enumerate([*prefixes[first:], *prefixes[:first]]):
            own_level = level if not place else _OTHERS[place - 1]
            tasks[prefix] = self._office_task(prefix, number, place, own_level, person)
        union = Union(self._domain, tasks)
        task = union.task(_id_of(number, level), level)
        world = start_world(task, self._domain)
        recipe = task.world.model_copy(update={"digest": f"{world.digest:032x}"})
        task = task.model_copy(update={"world": recipe})
        _prove_apart(union, task, world)
        task = task.model_copy(update={"mistakes": list(union.mistakes(task, world))})
        _prove_played(self._domain, task, world)
        return task.model_copy(update={"proofs": _proofs_of(tasks.values())})

    def _office_task(self, prefix: str, number: int, place: int, level: int, person: dict[str, Value]) -> OfficeTask:
        """Return a proven task of one office whose caller is a person, and add to what is known of them.

        Numbers of the same world and way of speaking are tried in turn. Errors: CannotCompose with the last reason.
        """
        pool, within = divmod(number, _PER_POOL)
        cycle, own = divmod(within, CYCLE)
        own = own - own % 2 + (own + place) % 2  # one office allows what the next denies
        cycles = _PER_POOL // CYCLE
        reason = CannotCompose("no scenario is usable")
        for attempt in range(_TRIES):
            made = MadeOf(pool * _PER_POOL + (cycle + attempt) % cycles * CYCLE + own, level, rows=ROWS)
            try:
                return self._as_person(prefix, made, person)
            except CannotCompose as unfit:
                reason = unfit
        raise reason

    def _as_person(self, prefix: str, made: MadeOf, person: dict[str, Value]) -> OfficeTask:
        domain, composer = self._domain.parts[prefix], self._composers[prefix]
        candidate = composer.compose(made)
        caller, fitted = candidate.task.caller, list[FittedRow]()
        if candidate.task.ends or candidate.task.checks:
            raise CannotCompose("more than one end is right")
        if caller is not None and caller.role != "customer":
            raise CannotCompose("a caller who is not a customer")
        with ExitStack() as held:
            if caller is not None and person:
                world, fitted = fit_person(domain, candidate.world, tuple(caller.key), person)
                candidate = held.enter_context(composer.compose_on(world, made, candidate))
            task = _proven(candidate)
            if caller is not None:
                person |= {
                    detail: value
                    for detail, value in details_of(domain, candidate.world, tuple(caller.key)).items()
                    if detail not in person and value is not None
                }
        return OfficeTask(task, fitted)

    def close(self) -> None:
        """Let all worlds go."""
        for composer in self._composers.values():
            composer.close()

    def __enter__(self) -> HybridComposer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _id_of(number: int, level: int) -> str:
    seed, within = divmod(number, NUMBERS_PER_SEED)
    return f"l{level}-s{seed}-{within:04d}"


def _proven(candidate: Candidate) -> Task:
    proven = prove_candidate(candidate)
    if not proven.holds:
        failed = next(proof for proof in proven.proofs.values() if not proof.holds)
        raise CannotCompose(f"a proof of one office fails: {failed.refusal}", failed.reason)
    return with_proofs(candidate, proven)


def _proofs_of(tasks: Iterable[OfficeTask]) -> dict[str, list[int]]:
    """Add up the trials of the proofs of all offices."""
    found: dict[str, list[int]] = {}
    for own in tasks:
        for name, (passed, tried) in own.task.proofs.items():
            earlier = found.get(name, [0, 0])
            found[name] = [earlier[0] + passed, earlier[1] + tried]
    return found


def _prove_apart(union: Union, task: Task, world: World) -> None:
    """Prove that all offices together come to what each comes to alone, and that none can be left out.

    Errors: CannotCompose.
    """
    judged = JudgedTask(task, union.domain, world)
    with start_session(union.domain, world) as session:
        for left_out in ("", *union.tasks):
            session.reset()
            results: dict[int, Mapping[str, Any]] = {}
            try:
                for number, step in enumerate(task.chain):
                    if not left_out or not step.tool.startswith(left_out):
                        results[number] = session.call(step.tool, **bind(step.arguments, results))
            except (Rejection, EnvironmentFault, KeyError) as error:
                raise CannotCompose("a call is rejected among those of other offices", str(error)) from None
            if not left_out:
                if session.changes.rows != judged.ends[0].rows:
                    raise CannotCompose("an office comes to something else among the others")
            elif not union.tasks[left_out].task.own_answers and judged.is_rewarded(session.changes):
                raise CannotCompose("an office can be left out")


def _prove_played(domain: HybridDomain, task: Task, world: World) -> None:
    """Prove that the reference is rewarded in conversation, and agents that always comply or refuse are not.

    Errors: CannotCompose.
    """
    if fault := fault_of_conversation(task, domain, world):
        raise CannotCompose("the reference does not win it in conversation", fault)
    for name in _CARELESS:
        record = asyncio.run(play(task, domain, world, 0, Setting(choose_agent(name), ScriptedKind())))
        if record.reward:
            raise CannotCompose(f"{name} is rewarded")
