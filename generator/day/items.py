"""Find what a day is made of in one world: proven tasks of different customers, and rivals for what is scarce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice, takewhile
from math import ceil
from pathlib import Path
from typing import Literal

from generator.day.arrivals import closing_of
from generator.day.messages import (
    Group,
    Rivals,
    Thread,
    beyond,
    denied_by,
    identifying,
    is_vague,
    repeated,
    rivals,
    single,
    split,
    split_at,
    unclear,
    withdrawn,
)
from generator.isolation.job import job
from generator.tasks.compose import Composer
from generator.tasks.fit import fit_in, with_pins
from generator.tasks.make import with_proofs
from generator.tasks.plan import LOOK_UPS, NUMBERS_PER_SEED, RULED, MadeOf, plan_task, seed_of
from generator.tasks.proofs.all import fault_of_conversation, prove_candidate
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.telling import CannotCompose, NotThere, ScenarioPart, ToldScenario, tell, tell_next
from runtime.domain.caller_rules import owners_of
from runtime.domain.changes import Changes, RowName
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.domain.schema import Key
from runtime.errors import EnvironmentFault, Rejection
from runtime.graph import read_graph
from runtime.session.clock import ClockPlan
from runtime.session.session import Session
from runtime.task.judge import JudgedTask
from runtime.task.mistakes import COMPLIES, mistaken
from runtime.task.story import Program
from runtime.task.task import Step, Task, bind, replay
from runtime.task.user import Form

Kind = Literal["corrected", "unclear", "beyond", "withdrawn", "repeated", "added", "denied", "allowed"]
"""What a task is told as; most have two messages of their sender."""

_SPARE: tuple[Kind, ...] = ("allowed", "denied")
_TWICE: frozenset[Kind] = frozenset({"corrected", "withdrawn", "repeated", "added", "beyond"})
_LEADS: Mapping[Kind, frozenset[Form]] = {
    "corrected": frozenset({"changed_mind"}),
    "unclear": frozenset({"withheld", "ambiguous"}),
    "beyond": frozenset({"outside"}),
    "withdrawn": LOOK_UPS,
    "repeated": LOOK_UPS,
    "denied": RULED,
}
"""The forms of the scenario that a task of a kind begins with, where it has one of its own."""

_NUMBERS = 500  # of tasks that share a few worlds
_OFTEN, _SHARE = 2, 0.15  # items that may have the same scenario
_TOLD = {"date", "money", "number", "text"}
_RIVALS_TRIED, _OTHERS_TRIED = 12, 4  # rows of a scenario, and callers who may want the same


@dataclass(frozen=True)
class ItemsRequest:
    """A domain folder, the number of a day, how many messages it has, and the rows of its world."""

    folder: Path
    seed: int
    day: int
    messages: int
    rows: int


@dataclass(frozen=True)
class FoundItems:
    """The tasks of a day by what they are told as, and its rivals."""

    items: dict[Kind, list[Task]] = field(default_factory=dict)
    rivals: list[Rivals] = field(default_factory=list)

    @property
    def messages(self) -> int:
        """How many messages these come to."""
        return 2 * len(self.rivals) + _messages_in({kind: len(each) for kind, each in self.items.items()})

    def part(self, messages: int) -> FoundItems:
        """Return the items of a shorter day: some of these, in the shares that a day of its own would have."""
        wanted, pairs = shares(messages), self.rivals[: messages // 20]
        wanted["allowed"] -= 2 * len(pairs)
        chosen = FoundItems({kind: self.items.get(kind, [])[:count] for kind, count in wanted.items()}, pairs)
        for kind in _SPARE:
            first = len(chosen.items[kind])
            chosen.items[kind].extend(self.items.get(kind, [])[first : first + messages - chosen.messages])
        return chosen

    def groups(self, office: Domain) -> Iterator[Group]:
        """Yield the threads of a day, rivals together."""
        tell: dict[Kind, Callable[[Task], Thread | None]] = {
            "corrected": split,
            "added": split,
            "unclear": unclear,
            "beyond": beyond,
            "withdrawn": withdrawn,
            "repeated": partial(repeated, office=office),
        }
        for kind, items in self.items.items():
            for item in items:
                yield (tell.get(kind, single)(item) or single(item),)
        yield from map(rivals, self.rivals)


def shares(messages: int) -> dict[Kind, int]:
    """Return how many items of each kind a day should have; what is missing of one is made up by the last two."""
    few = messages // 20
    found: dict[Kind, int] = {"corrected": few, "unclear": few, "withdrawn": few, "repeated": few, "added": few}
    found |= {"beyond": few, "denied": ceil(messages / 4)}
    return found | {"allowed": messages - _messages_in(found)}


def _messages_in(counts: Mapping[Kind, int]) -> int:
    return sum(count * (1 + (kind in _TWICE)) for kind, count in counts.items())


@job("items of a day")
def find_items(asked: ItemsRequest) -> FoundItems:
    """Find the items of a day, as many as there are; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    with Composer(domain, read_graph(asked.folder)) as composer:
        return _ItemSearch(domain, composer, asked).run()


class _ItemSearch:
    """The items that were found so far, and a session on which all of them are done."""

    def __init__(self, domain: Domain, composer: Composer, asked: ItemsRequest) -> None:
        self._domain, self._composer, self._asked = domain, composer, asked
        self._first = asked.seed * NUMBERS_PER_SEED + asked.day * _NUMBERS
        self._plan = plan_task(MadeOf(self._first, 1, rows=asked.rows), True)
        self._studied = composer.world_of(self._plan)
        world = self._studied.world
        self._done, self._half_done = (Session(domain, world, strict=True) for _ in range(2))
        day = ClockPlan(until=str(closing_of(datetime.fromisoformat(domain.now))))
        self._evening = Session(domain, world.planned(day), strict=True)
        self._callers: set[str] = set()
        self._changed: set[RowName] = set()
        self._parents_taken: set[RowName] = set()
        self._told: Counter[str] = Counter()  # of scenarios
        self._found = FoundItems({kind: [] for kind in shares(asked.messages)})

    def run(self) -> FoundItems:
        with self._done, self._half_done, self._evening:
            few = self._asked.messages // 20
            self._found.rivals.extend(islice(self._rivals(), few))
            wanted = shares(self._asked.messages)
            wanted["allowed"] -= 2 * len(self._found.rivals)
            self._fill(wanted)
            missing = self._asked.messages - self._found.messages
            have = {kind: len(each) for kind, each in self._found.items.items()}
            for kind in _SPARE:
                if missing:
                    self._fill({kind: have[kind] + missing})
                    missing = self._asked.messages - self._found.messages
        return self._found

    def _numbers(self) -> Iterator[int]:
        """Yield the numbers of tasks of this world."""
        for number in range(self._first, self._first + _NUMBERS):
            if plan_task(MadeOf(number, 1)).world_seed == self._plan.world_seed:
                yield number

    def _fill(self, wanted: Mapping[Kind, int]) -> None:
        for turn, number in enumerate(self._numbers()):
            for kind, count in wanted.items():
                if len(self._found.items[kind]) < count:
                    task = self._task(kind, number, turn)
                    if task is not None:
                        self._found.items[kind].append(task)

    def _task(self, kind: Kind, number: int, turn: int) -> Task | None:
        """Compose and prove a task that can be told as a kind of item; None if it cannot be an item of this day."""
        made = self._made(kind, number, turn)
        often = max(_OFTEN, ceil(self._asked.messages * _SHARE))
        if made is None or self._told[made.lead] >= often:
            return None
        try:
            candidate = self._composer.compose(made)
        except CannotCompose:
            return None
        task, names = candidate.task, [part.name for part in candidate.parts]
        if str(task.caller) in self._callers or max(self._told[name] for name in names) >= often:
            return None
        if not can_be_told(kind, task, self._domain):
            return None
        proven = _proven(candidate)
        if proven is None or not self._holds_all_day(proven) or (kind == "unclear" and not self._leaves_open(proven)):
            return None
        if not self._goes(kind, proven):
            return None
        self._callers.add(str(task.caller))
        self._told.update(names)
        return proven

    def _made(self, kind: Kind, number: int, turn: int) -> MadeOf | None:
        """Return what a candidate of a kind is made of; where a rule denies something, half of them ask for more."""
        rows, forms = self._asked.rows, self._composer.forms
        leads = [name for name in sorted(forms) if forms[name] in _LEADS.get(kind, ())]
        if kind == "denied" and turn % 2:
            return MadeOf(number - number % 2, 4, rows=rows)
        if kind in _LEADS:
            return (
                MadeOf(number - (kind == "denied") * number % 2, 1, leads[turn % len(leads)], rows) if leads else None
            )
        return MadeOf(number | 1, 4 if kind == "added" else 2 + turn % 2, rows=rows)

    def _goes(self, kind: Kind, task: Task) -> bool:
        """Return True if a task changes on the day, after all others, what it changes alone."""
        chain = task.chain
        if kind in ("unclear", "withdrawn"):
            return True
        own = {(row.table, tuple(row.key)) for row in task.expected if row.kind != "added"}
        above = self._parents(task)
        if own & self._changed or above & self._parents_taken or not self._do(chain, task):
            return False
        self._parents_taken |= above
        return True

    def _parents(self, task: Task) -> set[RowName]:
        """Return the rows to which those that a task changes refer, such as a shift with so many places.

        What is right for two tasks of one such row may depend on which of them is done first.
        """
        found: set[RowName] = set()
        for row in task.expected:
            record = {**(self._studied.row(row.table, tuple(row.key)) or {}), **row.columns}
            for each in self._domain.schema.tables[row.table].foreign_keys:
                found.add((each.parent, tuple(record.get(column) for column in each.columns)))
        return {(table, key) for table, key in found if self._studied.row(table, key) is not None}

    def _holds_all_day(self, task: Task) -> bool:
        """Return True if a task ends at closing time as it does now, and what a rule denies now is denied then."""
        ended = self._at_closing(task.chain)
        if ended is None or not JudgedTask(task, self._domain, self._studied.world).is_rewarded(ended):
            return False
        complies = [each for each in task.mistakes if each.name == COMPLIES]
        return all(self._at_closing(mistaken(task, [each]).chain) is None for each in complies)

    def _leaves_open(self, task: Task) -> bool:
        """Return True if what is kept back could be something else: of what only one reading can be done is clear."""
        tools = self._domain.tools
        others = [
            each
            for each in task.mistakes
            if each.name != COMPLIES
            and any(tools[step.tool].writes and not is_desk_tool(step.tool) for step in each.turn)
        ]
        return not others or any(self._at_closing(mistaken(task, [each]).chain) is not None for each in others)

    def _at_closing(self, chain: Sequence[Step]) -> Changes | None:
        """Return what a chain changes if it is made when the office closes; None where a rule or a tool refuses it."""
        self._evening.reset()
        self._evening.settle()
        try:
            replay(self._evening, chain)
        except (Rejection, EnvironmentFault):
            return None
        return self._evening.changes

    def _do(self, chain: Sequence[Step], task: Task) -> bool:
        """Do a task after all others, and after all others as they are before a correction comes in."""
        state, before, half = self._done.snapshot(), self._done.changes, self._half_done.snapshot()
        amended = split_at(task) if any(wish.amends is not None for wish in task.user.wishes) else len(task.user.wishes)
        try:
            replay(self._done, chain)
            replay(self._half_done, list(takewhile(lambda step: step.wish < amended, chain)))
            made = dict(before.steps_to(self._done.changes))
        except (Rejection, EnvironmentFault):
            made = {}
        added = Counter(table for (table, _), change in made.items() if change.before is None)
        expected = Counter(row.table for row in task.expected if row.kind == "added")
        right = made and added == expected
        for row in task.expected if right else ():
            if row.kind != "added":
                change = made.get((row.table, tuple(row.key)))
                after = change and change.after
                record = (
                    dict(zip(self._domain.schema.tables[row.table].column_names, after, strict=True)) if after else {}
                )
                right = right and row.columns.items() <= record.items()
        if right:
            self._changed |= {name for name, change in made.items() if change.before is not None}
        else:
            self._done.restore(state)
            self._half_done.restore(half)
        return bool(right)

    def _rivals(self) -> Iterator[Rivals]:
        """Yield pairs of different callers who want the same: each can have it, but not after the other."""
        for name, program in sorted(self._composer.programs.items()):
            for turn, number in enumerate(islice(self._numbers(), _RIVALS_TRIED)):
                try:
                    found = self._rivals_for(name, program, number, turn)
                except CannotCompose:
                    continue
                except _NothingShared:
                    break
                if found is not None:
                    yield found
                    break

    def _rivals_for(self, name: str, program: Program, number: int, turn: int) -> Rivals | None:
        studied, session = self._studied, self._studied.session
        denied = False if self._composer.forms[name] in RULED else None
        part = ScenarioPart(name, program, seed_of(f"rivals {number} {name}"), outside=False, denied=denied)
        one, telling = fit_in(studied, part, [], 0)
        first = telling.parts[0]
        shared = self._shared(first)
        if not shared:
            raise _NothingShared
        if not self._wants_one_thing(first):
            return None
        for attempt in range(_OTHERS_TRIED):
            try:
                told = replace(part, seed=part.seed + 1 + attempt, pins=shared)
                second = tell(session, [told]).parts[0]
                if not self._wants_one_thing(second) or second.script.caller == first.script.caller:
                    continue
                other = with_pins(told, second)
                refused = [
                    self._refused(mine, theirs) for mine, theirs in (((other, second), one), ((one, first), other))
                ]
            except CannotCompose:
                continue
            if None in refused:
                return None
            plans = [replace(self._plan, number=number + shift) for shift in (0, 2 + turn % 2)]
            tasks = [
                _proven(self._composer.compose_part(each, plan)) for each, plan in zip((one, other), plans, strict=True)
            ]
            if not all(each and can_be_item(each) and self._holds_all_day(each) for each in tasks):
                continue
            (later, rule), (sooner, _) = refused  # type: ignore[misc]
            pair = Rivals(tasks[0], tasks[1], sooner, later, rule)  # type: ignore[arg-type]
            if self._do(pair.first.chain, pair.first):
                self._parents_taken |= self._parents(pair.first)
                self._callers |= {str(each.caller) for each in (pair.first, pair.second)}
                return pair
        return None

    def _shared(self, told: ToldScenario) -> dict[int, Key]:
        """Return the rows, by pick, that others may want, too."""
        people, schema = self._domain.people, self._domain.schema
        caller = told.script.caller
        found = {}
        for number, (table, key) in enumerate(told.script.picks):
            get = lambda name, value: self._studied.row(name, (value,))  # noqa: E731
            owners = owners_of(people, schema, get, table, key[0]) if people is not None and len(key) == 1 else []
            if people is not None and table != people.table and caller is not None and caller[0] not in owners:
                found[number] = key
        return found

    def _wants_one_thing(self, told: ToldScenario) -> bool:
        """Return True if a scenario has one request, which is done, of somebody who has no other message."""
        script = told.script
        key = None if script.caller is None else list(script.caller)
        is_free = key is not None and not any(str(key) in caller for caller in self._callers)
        return is_free and len(script.wishes) == 1 and not script.declined and bool(told.changed)

    def _refused(self, mine: tuple[ScenarioPart, ToldScenario], theirs: ScenarioPart) -> tuple[list[Step], str] | None:
        """Return what is done for a caller where another one was first, and by which rule; None if there is enough."""
        part, alone = mine
        session, tools, chain = self._studied.session, self._domain.tools, alone.script.chain
        writes = [n for n, step in enumerate(chain) if tools[step.tool].writes and not is_desk_tool(step.tool)]
        session.reset()
        results = replay(session, chain)
        tell(session, [theirs])
        try:
            script = tell_next(session, replace(part, refuses=True))
        except NotThere:
            tell(session, [theirs])
            replay(session, identifying(chain))
            if all(session.perform(chain[n].tool, bind(chain[n].arguments, results)).rejection is None for n in writes):
                raise
            return list(identifying(chain)), ""
        rules = [rule for asked in script.permissions for rule in asked.rules]
        if script.words != alone.script.words:
            raise CannotCompose("other words")
        is_refused = rules and script.declined and not script.answers
        return (list(script.chain), rules[0]) if is_refused else None


class _NothingShared(Exception):
    """A scenario is about its caller's own rows alone."""


def _proven(candidate: Candidate) -> Task | None:
    """Return the task of a candidate of which every proof holds."""
    proven = prove_candidate(candidate)
    task = with_proofs(candidate, proven)
    return None if not proven.holds or fault_of_conversation(task, candidate.domain, candidate.world) else task


def can_be_told(kind: Kind, task: Task, domain: Domain) -> bool:
    """Return True if a task can be told as a kind of item."""
    wishes = task.user.wishes
    if kind == "unclear":
        return task.caller is not None and is_vague(task)
    if kind == "beyond":
        kept = task.model_copy(update={"user": task.user.model_copy(update={"wishes": wishes[:-1]})})
        return len(wishes) > 1 and task.user.outside == [len(wishes) - 1] and can_be_item(kept)
    if not can_be_item(task):
        return False
    if kind == "corrected":
        return wishes[split_at(task)].amends is not None and split(task) is not None
    if kind == "added":
        return split_at(task) > 0 and split(task) is not None
    if kind in ("withdrawn", "repeated"):
        writes = any(domain.tools[step.tool].writes and not is_desk_tool(step.tool) for step in task.chain)
        answers = bool(task.answers) and kind == "withdrawn"
        return len(wishes) == 1 and bool(wishes[0].short) and writes and not denied_by(task) and not answers
    return all(wish.amends is None for wish in wishes) and bool(denied_by(task)) == (kind == "denied")


def can_be_item(task: Task) -> bool:
    """Return True if all of a task can be told in messages, and its answers given in a closed form."""
    wishes = task.user.wishes
    told = [answer.kind for answer in task.answers if answer.kind != "account"]
    return (
        task.caller is not None
        and not (task.added or task.ends or task.checks)
        and all(wish.otherwise is None and wish.form != "outside" for wish in wishes)
        and set(told) <= _TOLD
        and len(set(told)) == len(told)
        and all(answer.kind != "money" or answer.minor == 100 for answer in task.answers)
        and all(answer.kind != "number" or isinstance(answer.value, int) for answer in task.answers)
    )
