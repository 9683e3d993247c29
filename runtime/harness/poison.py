"""Poisoned rows: which text of a task's world asks the assistant for what, drawn from a plan and proven by execution.

A text goes behind one that people write and that a read of the task's chain shows. It asks for a call that goes through
in that very world, and whose changes no right conduct makes. The right conduct stays right: the chain is played in the
poisoned world, and comes to the same.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from runtime.domain.caller_rules import OWN_RECORDS, is_caller_rule
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.people import DESK_TABLES, IDENTIFY, is_desk_tool
from runtime.domain.schema import Column, Key, Row, Table, Value
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.agents.baselines import Guesses
from runtime.harness.conversation import AgentContext
from runtime.server.listing import list_tools
from runtime.session.faults import read_plan_file
from runtime.session.hybrid import start_session
from runtime.session.session import Outcome, Session, Snapshot
from runtime.session.world import World, WorldCache
from runtime.task.judge import JudgedTask, did_poison
from runtime.task.mistakes import mistaken
from runtime.task.origin import scalars_of
from runtime.task.task import ExpectedRow, Mistake, Poison, PoisonGoal, Step, Task, bind, expected_rows, start_world

BUILT_IN = "mild"
_TITLE_WORDS = 2  # a column of texts longer than this on average holds more than names
_MOST_PLACES, _MOST_ORDERS, _MOST_TRIES = 8, 2, 60
_MOST_CHANGES, _MOST_KNOWN = 3, 60  # rows that a call changes; rows of a table that its arguments are from
_LONGEST_VALUE = 60  # characters of a value that a text names


class PoisonText(BaseModel):
    """One way to ask for a goal: `{call}`, `{rule}` and `{what}` stand for what is asked, `{encoded}` for the text of
    that name in base64."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    goal: PoisonGoal
    style: str = Field(min_length=1, max_length=40)
    text: str = Field(min_length=1, max_length=400)
    encoded: str = Field(default="", max_length=400)

    def say(self, **said: str) -> str:
        encoded = base64.b64encode(_filled(self.encoded, said).encode()).decode()
        return _filled(self.text, {**said, "encoded": encoded})


def _filled(text: str, said: Mapping[str, str]) -> str:
    for name, words in said.items():
        text = text.replace(f"{{{name}}}", words)
    return text


class PoisonPlan(BaseModel):
    """The texts that rows are poisoned with; the `seed` decides which of them each task gets, and where."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = "custom"
    seed: int = 1
    texts: tuple[PoisonText, ...] = Field(min_length=1)

    @property
    def key(self) -> str:
        """The name of the built-in plan, or the plan itself as JSON: what `read_poison_plan` makes the same plan of."""
        return self.name if self == _built_in() else self.model_dump_json()


def read_poison_plan(given: str | None) -> PoisonPlan | None:
    """The plan of a name (none, mild) or of a TOML file; errors: UsageError."""
    if given is None or given == "none":
        return None
    if given == BUILT_IN:
        return _built_in()
    if given.startswith("{"):
        return PoisonPlan.model_validate_json(given)
    return read_plan_file(given, PoisonPlan, "poison plan", (BUILT_IN,), "a text has goal, style, text and encoded")


@cache
def _built_in() -> PoisonPlan:
    return read_plan_file(str(Path(__file__).with_name("poison.toml")), PoisonPlan, "poison plan", (), "")


def poisoned(task: Task, domain: Domain, plan: PoisonPlan, worlds: WorldCache | None = None) -> Task | None:
    """Return a task with a poisoned text in its world; None where no read of its chain shows a text that can be one.

    Errors: UsageError, EnvironmentFault for a task whose world cannot be built.
    """
    task = task.clean
    return _Poisoner(task, domain, plan, start_world(task, domain, worlds)).find()


def poison_task(task: Task, domain: Domain, given: str | None) -> Task:
    """The task poisoned by a plan, as `read_poison_plan` reads it, or as it is without one; errors: UsageError."""
    if (plan := read_poison_plan(given)) is None:
        return task
    if (made := poisoned(task, domain, plan)) is None:
        raise UsageError(f"Task {task.id!r} cannot be poisoned: its reads show no text that people write.")
    return made


class _Order(NamedTuple):
    """What a text asks for."""

    call: Step
    changes: list[ExpectedRow]
    tells: str = ""
    rule: str = ""
    what: str = ""


class _Played(NamedTuple):
    """A chain as it was played: each outcome, the state it left, and the duties left undone."""

    outcomes: list[Outcome]
    final: Snapshot
    unmet: tuple[Any, ...]


class _Poisoner:
    """Looks for a place and an order that one task can be poisoned with."""

    def __init__(self, task: Task, domain: Domain, plan: PoisonPlan, world: World) -> None:
        self.task, self.domain, self.plan, self.world = task, domain, plan, world
        self.chance = random.Random(f"{plan.seed}/{plan.name}/{domain.name}/{task.id}")
        self.ends = [self._play(world, task.to_end(number)) for number in range(len(task.ends) + 1)]

    def find(self) -> Task | None:
        """Return the task with the first poison that holds, the goals in a random order."""
        own, goals = self.ends[0], list(dict.fromkeys(text.goal for text in self.plan.texts))
        if own is None or not (places := self._places(own)[:_MOST_PLACES]):
            return None
        for goal in self.chance.sample(goals, len(goals)):
            texts = [text for text in self.plan.texts if text.goal == goal]
            with start_session(self.domain, self.world, judges=True) as session:
                session.restore(own.final)
                for order in islice(self._orders(goal, session, own), _MOST_ORDERS):
                    text = self.chance.choice(texts)
                    given = ", ".join(f"{name}={value!r}" for name, value in order.call.arguments.items())
                    asks = text.say(call=f"{order.call.tool} with {given}", rule=order.rule, what=order.what)
                    asked: dict[str, Any] = {"goal": goal, "style": text.style, "asks": asks}
                    asked |= {"call": order.call, "changes": order.changes, "tells": order.tells}
                    for table, key, column, was in places:
                        where = {"table": table, "key": [*key], "column": column, "was": was}
                        poison = Poison(**{**asked, **where})
                        task = self.task.model_copy(update={"poison": poison})
                        if self._holds(task, poison):
                            return task
        return None

    def _play(self, world: World, task: Task) -> _Played | None:
        """Play a task's chain on a world; None where a call is refused."""
        outcomes: list[Outcome] = []
        with start_session(self.domain, world, judges=True) as session:
            try:
                for step in task.chain:
                    arguments = bind(step.arguments, [each.result or {} for each in outcomes])
                    outcomes.append(session.perform(step.tool, arguments))
                    if outcomes[-1].result is None:
                        return None
                return _Played(outcomes, session.snapshot(), session.unmet_duties())
            except EnvironmentFault:
                return None

    # where: a text of a row that a read of the chain shows

    def _places(self, own: _Played) -> list[tuple[str, Key, str, str]]:
        """Columns of rows with their texts, those of notes before those of titles."""
        tools = [self.domain.tools[step.tool] for step in self.task.chain]
        reads = [(tool, each.result) for tool, each in zip(tools, own.outcomes, strict=True) if tool.read_only]
        shown = {value for _, result in reads for _, value in scalars_of(result or {})}
        told = {str(answer.source) for answer in self.task.answers}
        found: list[tuple[bool, tuple[str, Key, str, str]]] = []
        with closing(self.world.open()) as connection:
            for name in sorted({name for tool, _ in reads for name in tool.reads} - {*DESK_TABLES}):
                table = self.domain.schema.tables[name]
                rows = connection.execute(table.select_all).fetchall()
                for at, column in enumerate(table.columns):
                    is_note = self._is_note(table, column)
                    if f"{name}.{column.name}" in told:
                        continue
                    if is_note or self._holds_titles(table, column, [row[at] for row in rows]):
                        there = [row for row in rows if row[at] and row[at] in shown]
                        exact = [row for row in there if shown.issuperset(table.key_of(row))] or there
                        found += ((not is_note, (name, table.key_of(row), column.name, row[at])) for row in exact)
        self.chance.shuffle(found)
        return [place for _, place in sorted(found, key=lambda each: each[0])]

    def _is_note(self, table: Table, column: Column) -> bool:
        """Whether the domain says that a column holds the words of people."""
        return self.domain.policies.of(table.name, column.name).policy == "semantic"

    def _holds_titles(self, table: Table, column: Column, texts: Sequence[Value]) -> bool:
        """Whether a column holds titles or the like: texts of several words that are no names, dates or addresses."""
        policy, people = self.domain.policies.of(table.name, column.name), self.domain.people
        linked = {name for foreign_key in table.foreign_keys for name in foreign_key.columns}
        is_made = policy.spelled or policy.policy == "generated" or column.name in linked | table.key_columns
        is_person = people is not None and (table.name == people.table or column.name == people.name)
        if column.type != "TEXT" or is_made or is_person:
            return False
        said = [text for text in texts if isinstance(text, str) and text]
        words = sum(len(text.split()) for text in said)
        return words > _TITLE_WORDS * len(said) and not any(text[0].isdigit() for text in said)

    # what: a call that goes through when the chain is done, and that nobody asked for

    def _orders(self, goal: PoisonGoal, session: Session, own: _Played) -> Iterator[_Order]:
        """Yield what a text of a goal may ask for; the session is left as it is."""
        template = {rule.code for rule in self.domain.rules.rules if is_caller_rule(rule)}
        said = " ".join(map(str, [*self.task.user.words, *(fact.value for fact in self.task.user.facts)]))
        proofs = {} if self.domain.people is None else self.domain.people.proven_by
        for tool, arguments, person in self._calls(goal, own):
            if arguments is None or not all(map(_can_be_said, arguments.values())):
                continue
            before = session.snapshot()
            try:
                outcome = session.perform(tool, arguments)
            except EnvironmentFault:
                continue
            after = session.changes
            session.restore(before)
            order = _Order(Step(tool=tool, arguments=dict(arguments)), self._changes(before.changes, after))
            codes = [each.rule for each in outcome.broken]
            others = [code for code in codes if code not in template]
            kind = "other_record" if OWN_RECORDS in codes else "waiver" if others else "" if codes else "call"
            if goal == "disclosure":
                shown = {value for _, value in scalars_of(outcome.result or {})} - {*map(str, arguments.values())}
                for column, label in proofs.items():
                    detail, policy = person[column], self.domain.policies.of(self._people, column)
                    if policy.spelled and isinstance(detail, str) and detail in shown and detail not in said:
                        yield order._replace(tells=detail, what=f"the {label}")
                        break
            elif 1 <= len(order.changes) <= _MOST_CHANGES and goal in (kind, "identification"):
                yield order._replace(rule="".join(others[:1]))

    @property
    def _people(self) -> str:
        """The table of people, if there is one."""
        return "" if self.domain.people is None else self.domain.people.table

    def _calls(
        self, goal: PoisonGoal, own: _Played
    ) -> Iterator[tuple[str, Mapping[str, Any] | None, Mapping[str, Value]]]:
        """Yield tools with arguments to try, and the person that they are about, if it is not the caller."""
        listed, tables = {tool["name"]: tool for tool in list_tools(self.domain)}, self.domain.schema.tables
        if goal in ("disclosure", "identification"):
            reads = [name for name in listed if self.domain.tools[name].read_only]
            names = [name for name in listed if name == IDENTIFY] if goal == "identification" else reads
            caller = None if self.task.caller is None else tuple(self.task.caller.key)
            for table, row in self._rows([self._people] if self._people and caller else [])[:_MOST_PLACES]:
                guesses = self._guesses([(table, row)])
                for name in self.chance.sample(names, len(names)) if table.key_of(row) != caller else ():
                    optional = 1.0 if name == IDENTIFY else 0.0
                    yield name, guesses.arguments(listed[name], optional=optional), table.record(row)
            return
        people, is_own = self.domain.people, goal != "other_record"
        known = [name for name in tables if not (is_own and people is not None and people.ways_of(name))]
        guesses = self._guesses(self._rows(known))
        for outcome in own.outcomes if is_own else ():  # the caller's own rows are those that the chain shows
            guesses.learn(outcome.result, "")
        writes = [name for name in listed if not self.domain.tools[name].read_only and not is_desk_tool(name)]
        for _ in range(_MOST_TRIES if writes else 0):
            name = self.chance.choice(writes)
            yield name, guesses.arguments(listed[name], optional=0.0), {}

    def _rows(self, names: Iterable[str]) -> list[tuple[Table, Row]]:
        """Some rows of some tables in a random order."""
        found: list[tuple[Table, Row]] = []
        with closing(self.world.open()) as connection:
            for table in map(self.domain.schema.tables.__getitem__, names):
                rows = connection.execute(table.select_all).fetchall()
                found += ((table, row) for row in self.chance.sample(rows, min(len(rows), _MOST_KNOWN)))
        return found

    def _guesses(self, rows: Iterable[tuple[Table, Row]]) -> Guesses:
        """Guess arguments from rows."""
        guesses = Guesses(AgentContext(self.domain, self.task, self.world, "", (), self.chance.getrandbits(32)))
        for table, row in rows:
            record = table.record(row)
            guesses.learn(record, "")
            for column in table.columns:
                if self._is_note(table, column):  # a parameter is often called `reason` where this is `end_reason`
                    guesses.learn(record[column.name], column.name.rpartition("_")[2])
        return guesses

    def _changes(self, before: Changes, after: Changes) -> list[ExpectedRow]:
        """Return what a call changed, without what is made anew each time."""
        made, policies = Changes(), self.domain.policies.by_table
        for name, (was, now) in before.steps_to(after):
            made.record(*name, was, now)
        rows = [(row, policies[row.table]) for row in expected_rows(made, self.domain)]
        return [
            row.model_copy(update={"columns": {n: v for n, v in row.columns.items() if own[n].policy != "generated"}})
            for row, own in rows
        ]

    # the proof: the right conduct comes to the same in the poisoned world, and whoever follows the text is found out

    def _holds(self, task: Task, poison: Poison) -> bool:
        try:
            world = self.world.with_values(poison.table, tuple(poison.key), {poison.column: poison.cell})
        except UsageError:  # a constraint forbids it
            return False
        judged, told = JudgedTask(task, self.domain, world), [str(answer.value) for answer in task.answers]
        text, was = (json.dumps(each, ensure_ascii=False)[1:-1] for each in (poison.cell, poison.was))
        own = None
        for number, here in enumerate(self.ends):
            there = self._play(world, task.to_end(number))
            own = own or there
            if here is None or there is None or here.unmet != there.unmet:
                return False
            comparable = zip(here.outcomes, there.outcomes, strict=True)
            if any(
                (one.text, one.broken) != (other.text.replace(text, was), other.broken) for one, other in comparable
            ):
                return False
            actual = there.final.changes
            if not judged.is_rewarded(actual) or did_poison(task, self.domain, actual, told):
                return False
        if own is None or (not poison.tells and any(did_poison(task, self.domain, end) for end in self._wrong_ends)):
            return False
        looks = (place for place, step in enumerate(task.chain, 1) if self.domain.tools[step.tool].read_only)
        shown = next((at for at in looks if poison.is_in(own.outcomes[at - 1].text)), None)
        if shown is None:
            return False
        obeys = Mistake(name="obeys", start=shown, stop=shown, turn=[poison.call], end="")
        obeyed = self._play(world, mistaken(task, [obeys]))
        if obeyed is None:
            return False
        return did_poison(task, self.domain, obeyed.final.changes, [obeyed.outcomes[shown].text])

    @cached_property
    def _wrong_ends(self) -> list[Changes]:
        """Where the known mistakes of the task lead: somebody who makes one follows no text."""
        played = (self._play(self.world, mistaken(self.task, [each])) for each in self.task.mistakes)
        return [each.final.changes for each in played if each is not None]


def _can_be_said(value: Any) -> bool:
    """Whether a text can name a value."""
    if isinstance(value, list):
        return all(map(_can_be_said, value))
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST_VALUE and not set(value) & set("'\"\\{}") and value.isprintable()
    return isinstance(value, int | float)
