"""Compose tasks of several offices: scenarios of each, told by one caller whom each of them knows, proven by execution.

plan -> a task of each office in a world in which its caller is the same person, proven as any other -> all as one
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from generator.hybrid.person import details_of, fit_person, joined
from generator.hybrid.ties import details_said, is_as_right, tied_by_condition, tied_by_value, with_words
from generator.hybrid.unite import OfficeTask, Place, Union, prefixed
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
from runtime.task.task import ExpectedRow, Task, bind, expected_rows, replay, start_world
from runtime.task.task_file import parse_task, task_line
from runtime.task.user import KnownFact
from runtime.wording import counted

LEVELS = (4, 5, EXPERT)
ROWS = 1_000  # of each office's world
_OTHERS = (4, 3, 2)  # levels of the tasks of the second, the third, ... office
_PER_POOL = 500  # numbers that share a few worlds
_TRIES = 8  # of an office, for a caller whom the others can know
_TRIED_PER_TASK, _TRIED_AT_LEAST = 6, 20  # before it is given up
_MOST_TIES = 6  # tried, until one is proven
_WITH_VALUE, _SEARCHES = 3, 4
_MOST_KNOWN = 40  # candidates of offices
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
        self._known: dict[str, OfficeTask | CannotCompose] = {}
        self._composers = {prefix: Composer(part, read_graph(part.path)) for prefix, part in domain.parts.items()}

    def compose(self, number: int, level: int) -> Task:
        """Compose and prove the task of a number: the same in every process. Errors: CannotCompose.

        In every third one of two offices a value that one tells and the other needs is looked for, among more requests.
        """
        prefixes = list(self._domain.parts)
        first, *others = [*prefixes[(at := number % len(prefixes)) :], *prefixes[:at]]
        person: dict[str, Value] = {}
        lead = self._office_task(first, number, 0, level, person)
        reason = CannotCompose("requests of the offices do not go together")
        searches = _SEARCHES if number % _WITH_VALUE == 0 and len(prefixes) == 2 else 1
        for attempt in range(searches):
            known = dict(person)
            tasks = {first: lead}
            for place, prefix in enumerate(others, 1):
                tasks[prefix] = self._office_task(prefix, number, place, _OTHERS[place - 1], known, attempt)
            union = Union(self._domain, tasks)
            ways = [tied_by_value(union), self._tied_by_contact(union)]
            if attempt < searches - 1:
                ties = [*islice(chain(*ways), _MOST_TIES)]
            else:
                ties = [*islice(chain(*ways, tied_by_condition(union, number)), _MOST_TIES), union]
            for tied in ties:
                try:
                    return _whole(tied, _id_of(number, level), level)
                except CannotCompose as unfit:
                    reason = unfit
        raise reason

    def _office_task(
        self, prefix: str, number: int, place: int, level: int, person: dict[str, Value], skipped: int = 0
    ) -> OfficeTask:
        """Return a proven task of one office whose caller is a person, and add to what is known of them.

        Numbers of the same world and way of speaking are tried in turn. Errors: CannotCompose with the last reason.
        """
        pool, within = divmod(number, _PER_POOL)
        cycle, own = divmod(within, CYCLE)
        own = own - own % 2 + (own + place) % 2  # one office allows what the next denies
        cycles = _PER_POOL // CYCLE
        reason = CannotCompose("no scenario is usable")
        for attempt in range(skipped, skipped + _TRIES):
            made = MadeOf(pool * _PER_POOL + (cycle + attempt) % cycles * CYCLE + own, level, rows=ROWS)
            try:
                return self._as_person(prefix, made, person)
            except CannotCompose as unfit:
                reason = unfit
        raise reason

    def _as_person(self, prefix: str, made: MadeOf, person: dict[str, Value]) -> OfficeTask:
        """Return the task of an office as `_office_task` does, of one candidate, which may come up again."""
        name = repr((prefix, made, person))
        if name not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            try:
                self._known[name] = self._composed_as(prefix, made, person)
            except CannotCompose as unfit:
                self._known[name] = unfit
        found = self._known[name]
        if isinstance(found, CannotCompose):
            raise found
        caller = found.task.caller
        if caller is not None:
            for detail, value in details_of(self._domain.parts[prefix], found.world, tuple(caller.key)).items():
                if value is not None:
                    person.setdefault(detail, value)
        return found

    def _composed_as(self, prefix: str, made: MadeOf, person: Mapping[str, Value]) -> OfficeTask:
        candidate = self._composers[prefix].compose(made)
        caller = candidate.task.caller
        if candidate.task.ends or candidate.task.checks:
            raise CannotCompose("more than one end is right")
        if caller is not None and caller.role != "customer":
            raise CannotCompose("a caller who is not a customer")
        if caller is None or not person:
            return OfficeTask(_proven(candidate), candidate.world, (), made, candidate)
        return self._with_details(prefix, OfficeTask(candidate.task, candidate.world, (), made, candidate), person)

    def _with_details(self, prefix: str, own: OfficeTask, person: Mapping[str, Value]) -> OfficeTask:
        """Return the task of an office, composed and proven anew where its caller has the details of a person."""
        caller = own.task.caller
        assert caller is not None
        world, rows = fit_person(self._domain.parts[prefix], own.world, tuple(caller.key), person)
        with self._composers[prefix].compose_on(world, own.made, own.candidate) as candidate:
            return replace(own, task=_proven(candidate), world=candidate.world, fitted=joined([*own.fitted, *rows]))

    def _tied_by_contact(self, union: Union) -> Iterator[Union]:
        """Yield the tasks with a detail of the caller, such as a new phone number, that another office has on file."""
        for prefix, own in union.tasks.items():
            for number, wish in enumerate(own.task.user.wishes):
                for fact in wish.facts:
                    for source in union.tasks:
                        for detail in details_said(own.task, number, fact) if source != prefix else ():
                            with suppress(CannotCompose):
                                yield from self._with_contact(union, source, detail, (prefix, number), fact)

    def _with_contact(self, union: Union, source: str, detail: str, wish: Place, fact: KnownFact) -> Iterator[Union]:
        domain, teller, (prefix, number) = self._domain.parts[source], union.tasks[source], wish
        people, own = domain.people, union.tasks[prefix]
        if people is None or teller.task.caller is None or detail == people.born:
            return
        if detail not in {*people.found_by, *people.proven_by}:
            return
        label = people.proven_by.get(detail, detail.replace("_", " "))
        words = f"the {label} that {domain.card.title} has on file for me"
        told = self._with_details(source, teller, {detail: fact.value})
        key = tuple(teller.task.caller.key)
        value = details_of(domain, told.world, key)[detail]
        if value == details_of(domain, teller.world, key)[detail]:
            return
        made = with_words(own, number, fact, words)
        if made is not None and is_as_right(self._domain.parts[prefix], own, number, fact.value, value):
            yield Union(self._domain, {**union.tasks, source: told, prefix: made}, tied="value")

    def close(self) -> None:
        """Let all worlds go."""
        for composer in self._composers.values():
            composer.close()

    def __enter__(self) -> HybridComposer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _whole(union: Union, name: str, level: int) -> Task:
    """Return a proven task of several offices; errors: CannotCompose."""
    task, domain = union.task(name, level), union.domain
    world = start_world(task, domain)
    recipe = task.world.model_copy(update={"digest": f"{world.digest:032x}"})
    task = task.model_copy(update={"world": recipe, "expected": _expected(union, task, world)})
    _prove_none_left_out(union, task, world)
    task = task.model_copy(update={"mistakes": list(union.mistakes(task, world))})
    _prove_played(domain, task, world)
    return task.model_copy(update={"proofs": _proofs_of(union.tasks.values())})


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


def _expected(union: Union, task: Task, world: World) -> list[ExpectedRow]:
    """Execute the chain, and return what it comes to: in each office what its own task comes to alone.

    Only a request that depends on another office may be missing. Errors: CannotCompose.
    """
    with start_session(union.domain, world, strict=True) as session:
        try:
            replay(session, task.chain)
        except (Rejection, EnvironmentFault) as error:
            raise CannotCompose("a call is rejected among those of other offices", str(error)) from None
        rows = expected_rows(session.changes, union.domain)
    for prefix, own in union.tasks.items():
        found = {row.model_dump_json() for row in rows if row.table.startswith(prefix)}
        alone = {prefixed(prefix, row).model_dump_json() for row in own.task.expected}
        if found != alone and not union.has_dropped(prefix):
            raise CannotCompose("an office comes to something else among the others")
    return rows


def _prove_none_left_out(union: Union, task: Task, world: World) -> None:
    """Prove that an agent who serves all offices but one is not rewarded; errors: CannotCompose."""
    judged = JudgedTask(task, union.domain, world)
    for prefix, own in union.tasks.items():
        with start_session(union.domain, world) as session:
            results: dict[int, Mapping[str, Any]] = {}
            for number, step in enumerate(task.chain):
                if not step.tool.startswith(prefix):
                    results[number] = session.call(step.tool, **bind(step.arguments, results))
            if not own.task.own_answers and judged.is_rewarded(session.changes):
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
