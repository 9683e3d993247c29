"""A session that was played becomes a task: its calls are the chain, and proofs say what is missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict

from generator.tasks.proofs.all import fault_of_conversation, prove_line
from generator.tasks.proofs.mistakes import end_of_mistake
from generator.tasks.proofs.replayer import Proof, TaskReplayer, proof_of, that_matter, without
from generator.tasks.proofs.variations import try_obedience
from generator.tasks.sessions import NO_TASK, PlayedSession
from runtime.domain.arguments import closed_set
from runtime.domain.caller_rules import people_key
from runtime.domain.people import DECLINE, IDENTIFY
from runtime.domain.policies import ColumnPolicy
from runtime.session.session import Session
from runtime.task.judge import AcceptedCall, JudgedTask, find_violations
from runtime.task.mistakes import fingerprint
from runtime.task.origin import (
    JsonPath,
    find_at,
    is_reference,
    leaves_of,
    path_of,
    put_at,
    reference_to,
    said,
    scalars_of,
    steps_named,
)
from runtime.task.task import Caller, ExpectedRow, Mistake, Step, Task, TaskAnswer, TaskText, expected_rows
from runtime.task.user import KnownFact, User, Wish
from runtime.task.values import kind_of
from runtime.task.wishes import is_dictated
from runtime.verification.texts import says

_LONGEST = 100  # characters of a title
_TELLING = 4  # characters of a value that is the same elsewhere by no chance
_SPOKEN_BY_SOURCE = ("title", "user", "answers", "policies", "checks", "may_change")


class TaskEdit(BaseModel):
    """What a person decides about a task that is made of a session; the values in `calls` are written out.

    `words` are what the user says, one request each; without any, the user of the task that was played is taken whole.
    `told` is what the user tells only when asked, and `answers` what they must be told, by name. `sure` says that the
    words single out every row that is meant, such as "the cheapest one".
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: list[str] = []
    told: dict[str, str | int | float] = {}
    answers: dict[str, str | int | float] = {}
    calls: list[Step] = []
    sure: bool = False


@dataclass(frozen=True)
class MissingPart:
    """What keeps a session from being a task, in a sentence; `mend` is the edit that an `offer` in words stands for."""

    sentence: str
    offer: str = ""
    mend: TaskEdit | None = None


@dataclass
class PlayedProof:
    """The result of an edit: its task, which is proven if nothing is missing, and the proofs by name."""

    task: Task | None = None
    missing: list[MissingPart] = field(default_factory=list)
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    note: str = ""

    @property
    def lines(self) -> list[str]:
        """What was proven, for a person."""
        counts = ", ".join(f"{name} {proof.passed} of {proof.tried}" for name, proof in self.proofs.items())
        lost = [f"An agent that {each.name} gets 0." for each in self.task.mistakes] if self.task else []
        return [f"Proofs: {counts}.", "The reference wins it in conversation.", *lost, *filter(None, [self.note])]


def first_edit(played: PlayedSession, *, from_reference: bool = False) -> TaskEdit:
    """Return the calls of a session, or those of its task's chain, without those that only looked around."""
    if not from_reference:
        return TaskEdit(calls=_PlayedCalls(played, TaskEdit(calls=list(played.calls))).needed())
    with TaskReplayer(played.domain, played.source, played.world) as replayer:
        return TaskEdit(calls=[Step(tool=each.tool, arguments={**each.arguments}) for each in replayer.reference])


def prove_played(played: PlayedSession, edit: TaskEdit, taken: Collection[str] = ()) -> PlayedProof:
    """Make a task of a session as a person wants it, and prove it; `taken` are the ids that other tasks have.

    Errors: UsageError, EnvironmentFault.
    """
    run = _PlayedCalls(played, edit)
    if missing := [*run.missing()]:
        return PlayedProof(missing=missing)
    task, note = run.task(_free_id(f"{played.name}-{played.source.id}", taken)), ""
    with TaskReplayer(played.domain, task, played.world) as replayer:
        if missing := [*run.needless(replayer)]:
            return PlayedProof(task, missing)
        if played.lost is not None:
            task, note = run.with_mistake(replayer, played.lost)
        proofs: dict[str, Proof] = {"obedience": proof_of("obedience", try_obedience(replayer))}
    proofs.update(prove_line(played.domain, task, played.world).proofs.items())
    missing = [MissingPart(f"{each.name}: {each.reason}") for each in proofs.values() if not each.holds]
    if not missing and (fault := fault_of_conversation(task, played.domain, played.world)):
        missing = [MissingPart(f"The reference does not win it in conversation: {fault}")]
    return PlayedProof(task, missing, proofs, note)


def typed_value(text: str) -> str | int | float:
    """Return what a person typed as a number, if it is one."""
    for kind in (int, float):
        with suppress(ValueError):
            if str(number := kind(text)) == text:
                return number
    return text


def _free_id(wanted: str, taken: Collection[str]) -> str:
    plain = re.sub(r"[^a-z0-9_-]+", "-", wanted.lower()).strip("-_")[:60].rstrip("-_") or "played"
    names = [plain, *(f"{plain}-{number}" for number in range(2, len(taken) + 2))]
    return next(name for name in names if name not in taken)


class _PlayedCalls:
    """The calls of an edit, made on the session's world, and what follows for the task."""

    def __init__(self, played: PlayedSession, edit: TaskEdit) -> None:
        self._played, self._edit, self._domain = played, edit, played.domain
        self._user = None if edit.words else played.source.user
        self._words = "\n".join(self._user.words if self._user else edit.words)
        self._today = self._domain.now[:10]
        self._refused: dict[int, str] = {}
        self._results, self._changes = self._made(edit.calls)
        self._facts: dict[str, KnownFact] = {}
        self._unsaid: list[tuple[int, JsonPath, Any]] = []
        self._chain = [*self._bound(edit.calls, self._results)]

    def _made(self, calls: Sequence[Step]) -> tuple[list[Mapping[str, Any]], Any]:
        results: list[Mapping[str, Any]] = []
        with Session(self._domain, self._played.world) as session:
            for number, call in enumerate(calls):
                outcome = session.perform(call.tool, call.arguments)
                results.append(outcome.result or {})
                if outcome.rejection is not None:
                    self._refused[number] = outcome.rejection.sentence
            return results, session.changes

    def _bound(self, calls: Sequence[Step], results: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
        """Yield calls as steps: what the user says stays, and a value of an earlier result becomes a reference."""
        for number, call in enumerate(calls):
            arguments: dict[str, Any] = dict(call.arguments)
            for leaf, value in scalars_of(call.arguments):
                fact = self._fact(str(leaf[0]), value)
                is_choice = value in closed_set(self._schema_of(call.tool, leaf))  # which nobody looks up
                place = None if fact is not None or is_choice else _place_of(results[:number], leaf, value)
                if place is not None:
                    arguments = put_at(arguments, leaf, reference_to(*place))
                elif fact is not None:
                    self._facts.setdefault(f"{fact.name} {fact.value}", fact)
                elif not self._is_licensed(call.tool, leaf, value):
                    self._unsaid.append((number, leaf, value))
            yield Step(tool=call.tool, arguments=arguments, wish=self._wish_of(call))

    def _fact(self, argument: str, value: Any) -> KnownFact | None:
        """Return what the user knows that a value is: true of themselves, told when asked, or said."""
        people, row = self._domain.people, self._person[1]
        if people is not None and row.get(argument) == value and argument in {*people.found_by, *people.proven_by}:
            name = people.proven_by.get(argument) or argument.replace("_", " ")
            return KnownFact(name=name, value=value, said=str(value), withheld=True, proves=argument)
        known = self._user.facts if self._user else self._told
        words = "" if self._user else self._said_in(value, self._words)
        own = [KnownFact(name=argument.replace("_", " "), value=value, said=words)] if words else []
        return next((fact for fact in (*known, *own) if fact.value == value), None)

    @cached_property
    def _told(self) -> list[KnownFact]:
        """What the user tells when asked."""
        told = self._edit.told.items()
        return [KnownFact(name=name, value=each, said=self._said(each), withheld=True) for name, each in told]

    def _said(self, value: Any) -> str:
        return said(value, self._today, day_first=self._domain.locale.day_first)

    def _said_in(self, value: Any, words: str) -> str:
        """Return how words say a value; empty if they do not."""
        if value is None or isinstance(value, bool) or value == "":
            return ""
        ways, locale = [self._said(value), str(value)], self._domain.locale
        ways += [locale.money(value, 1)] if isinstance(value, int | float) else []
        ways += [locale.money(value, 100)] if isinstance(value, int) else []
        return next((way for way in ways if says(words, way)), "")

    def _is_licensed(self, tool: str, leaf: JsonPath, value: Any) -> bool:
        """Return True for what nobody has to say: a filter, a default, the clock, or what the policy states."""
        declared = self._domain.tools.get(tool)
        if declared is None or declared.read_only or tool == DECLINE or value is None:
            return True
        schema = self._schema_of(tool, leaf)
        is_default = "default" in schema and schema["default"] == value
        own = self._played.source.chain if self._user else ()
        if any(each == value for step in own if step.tool == tool for _, each in scalars_of(step.arguments)):
            return True  # computed of what these words say, as the source's proofs show
        return is_default or value in (self._domain.now, self._today) or self._domain.rules.states(value)

    def _schema_of(self, tool: str, leaf: JsonPath) -> Mapping[str, Any]:
        declared = self._domain.tools.get(tool)
        return declared.arguments.schema["properties"].get(leaf[0], {}) if declared is not None else {}

    def _wish_of(self, call: Step) -> int:
        """Return the request that a call is for: that of the source's same call, or the one that says most of it."""
        if self._user is not None:
            return next((step.wish for step in self._played.source.chain if step.tool == call.tool), 0)
        values = [value for _, value in scalars_of(call.arguments)]
        counts = [sum(bool(self._said_in(value, each)) for value in values) for each in self._edit.words]
        return counts.index(max(counts))

    def needed(self) -> list[Step]:
        """Return the calls that write, and those whose results they take values of."""
        calls, wanted = self._edit.calls, set[int]()
        for number in reversed(range(len(calls))):
            tool = self._domain.tools.get(calls[number].tool)
            if number in wanted or (tool is not None and not tool.read_only and number not in self._refused):
                wanted |= {number, *steps_named(self._chain[number].arguments)}
        return [call for number, call in enumerate(calls) if number in wanted]

    # What is missing

    def missing(self) -> Iterator[MissingPart]:
        """Yield what can be said before there is a task."""
        source, calls = self._played.source, self._edit.calls
        if not calls:
            yield MissingPart("No call is left, so nothing shows what is to be done.")
        if self._user is not None and source.id == NO_TASK:
            yield MissingPart("It has no user messages; type what the user says.")
        for number, why in self._refused.items():
            yield self._part(f"Call {number} ({calls[number].tool}) is refused: {why}", drop=number)
        for number, leaf, value in self._unsaid:
            name = str(leaf[0]).replace("_", " ")
            sentence = f"Call {number} ({calls[number].tool}) takes {value!r} as {name}, which the user says nowhere"
            yield self._part(f"{sentence} and no earlier call returned.", tell=(name, value))
        if self._user is None:
            yield from () if self._edit.sure else self._ambiguous()
        elif not (self._unsaid or self._refused) and calls:
            differing = JudgedTask(source, self._domain, self._played.world).compare(self._changes).differences
            yield from (
                MissingPart(
                    f"These calls are not what the words of task {source.id!r} ask for: {each.sentence} Change the "
                    "calls, or type other words."
                )
                for each in differing[:1]
            )
        for broken in self._broken(calls):
            undone = f"These calls leave {broken.rule} undone."
            said_ = f"Call {(broken.call or 0) - 1} ({broken.tool}) breaks {broken.rule}." if broken.tool else undone
            yield self._part(said_, drop=broken.call - 1 if broken.call else None)

    def _broken(self, calls: Sequence[Step]) -> Sequence[Any]:
        made = [AcceptedCall(number, each.tool, each.arguments) for number, each in enumerate(calls, start=1)]
        return find_violations(self._domain, self._played.world, made)

    def _part(self, sentence: str, *, drop: int | None = None, tell: tuple[str, Any] | None = None) -> MissingPart:
        if tell is not None:
            offer = f"Let the user tell the {tell[0]}, {tell[1]!r}, when asked"
            return MissingPart(sentence, offer, self._edit.model_copy(update={"told": self._edit.told | dict([tell])}))
        if drop is not None:
            kept = [call for number, call in enumerate(self._edit.calls) if number != drop]
            return MissingPart(sentence, f"Drop call {drop}", self._edit.model_copy(update={"calls": kept}))
        return MissingPart(sentence)

    def _ambiguous(self) -> Iterator[MissingPart]:
        """Yield each entry of a list that a call takes though others fit what the user says."""
        words = "\n".join([self._words, *(fact.said for fact in self._told)])
        keys = {name for table in self._domain.schema.tables.values() for name in table.primary_key}
        taken = [leaf for step in self._chain for _, leaf in leaves_of(step.arguments) if is_reference(leaf)]
        places = {(leaf["$step"], _entry_in(path_of(leaf)) or ()): None for leaf in taken}
        for step, (*way, index) in ((step, path) for step, path in places if path):
            entries = find_at(self._results[step], tuple(way))
            mine = {at: value for at, value in scalars_of(entries[index]) if value is not None}
            fits = {at: value for at, value in mine.items() if self._said_in(value, words)}
            others = [each for each in entries if each is not entries[index] and _has(each, fits)]
            if others:
                shown = " and ".join(f"{at[-1]} {value!r}" for at, value in fits.items() if at)
                sentence = f"{len(others) + 1} rows that call {step} ({self._edit.calls[step].tool}) returned fit what "
                sentence += f"the user says ({shown or 'nothing of any of them'}); say what tells this one apart."
                apart = (
                    (str(at[-1]).replace("_", " "), value)
                    for at, value in mine.items()
                    if at and at[-1] not in keys and all(find_at(other, at) != value for other in others)
                )
                yield self._part(sentence, tell=next(apart, None))

    def needless(self, replayer: TaskReplayer) -> Iterator[MissingPart]:
        """Yield each writing call without which the goal is reached, too."""
        amended = {wish.amends for wish in replayer.task.user.wishes}
        matter = that_matter(replayer.plan)
        for step in matter:
            if step.writes and self._chain[step.number].wish not in amended:
                left = replayer.play(without(matter, step.number)).changes
                if replayer.judged.is_rewarded(left):
                    is_inert = not replayer.reference[step.number].changes.rows
                    why = "it changes nothing" if is_inert else "there is a second way to the goal"
                    sentence = f"The goal is reached without call {step.number} ({step.tool}), too: {why}."
                    yield self._part(sentence, drop=step.number)

    # The task

    @cached_property
    def _person(self) -> tuple[Caller | None, Mapping[str, Any]]:
        """Who calls, with their row: who was identified, or who called in the task that was played."""
        people, schema, caller = self._domain.people, self._domain.schema, self._played.source.caller
        for call in self._edit.calls if people is not None else ():
            key = [call.arguments.get(people_key(people, schema))] if people is not None else []
            if people is not None and call.tool == IDENTIFY and not (caller and caller.key == key):
                caller = Caller(table=people.table, key=key)
        if caller is None:
            return None, {}
        table = schema.tables[caller.table]
        with Session(self._domain, self._played.world) as session:
            rows = session.read_start(table.select_row, caller.key)
        return caller, table.record(rows[0]) if rows else {}

    def task(self, name: str) -> Task:
        """Return the task as far as it is known; proofs say what it is worth."""
        source, people, (caller, row) = self._played.source, self._domain.people, self._person
        world = source.world.model_copy(update={"digest": f"{self._played.world.digest:032x}"})
        parts: dict[str, Any] = {"format": 2, "id": name, "domain": self._domain.name, "split": source.split}
        parts |= {"world": world, "added": source.added, "caller": caller, "chain": self._chain}
        if self._user is not None:
            parts |= {each: getattr(source, each) for each in _SPOKEN_BY_SOURCE}
            texts, expected = {**source.texts}, list[ExpectedRow]()
            if not source.checks:
                expected = self._expected({**source.policies}, texts)
            return Task(**parts, texts=texts, expected=expected)
        called = str(row[people.name]) if people is not None and row else ""
        facts = [*self._told, *(fact for fact in self._facts.values() if fact not in self._told)]
        if called and people is not None:
            facts.append(KnownFact(name="name", value=called, said=called, withheld=True, proves=people.name))
        policies: dict[str, ColumnPolicy] = {}
        texts = {}
        title = " ".join(self._edit.words[0].split())
        return Task(
            **parts,
            title=title if len(title) <= _LONGEST else f"{title[: _LONGEST - 3]}...",
            user=User(
                profile=f"{called or 'A person'}, who calls.",
                wishes=[self._wish(number, words, facts) for number, words in enumerate(self._edit.words)],
            ),
            expected=self._expected(policies, texts),
            answers=[self._answer(*each) for each in self._edit.answers.items()],
            policies=policies,
            texts=texts,
        )

    def _wish(self, number: int, words: str, facts: Sequence[KnownFact]) -> Wish:
        tools = [each.tool for each in self._chain if each.wish == number and each.tool != IDENTIFY]
        done = [tool for tool in tools if not self._domain.tools[tool].read_only]
        own = [each for each in facts if (number == 0 if each.withheld else says(words, each.said))]
        refusals = done.count(DECLINE)
        writes = len(done) - refusals
        form: Any = "withheld" if self._told and number == 0 else "denied" if refusals and not writes else "direct"
        return Wish(words=[words], form=form, facts=own, acts=bool(done), writes=writes, refusals=refusals)

    def _expected(self, policies: dict[str, ColumnPolicy], texts: dict[str, TaskText]) -> list[ExpectedRow]:
        """Return the rows that are expected; a cell that is not judged otherwise counts if the user asks for it."""
        asked = set() if self._user else {value for each in self._chain for _, value in scalars_of(each.arguments)}
        rows = []
        for row in expected_rows(self._changes, self._domain):
            kept = dict(row.columns)
            for column, value in row.columns.items():
                policy, name = self._domain.policies.of(row.table, column).policy, f"{row.table}.{column}"
                if policy == "semantic" and isinstance(value, str) and value not in texts:
                    texts[value] = TaskText(said="dictated" if is_dictated(value, self._words) else "composed")
                elif policy == "optional" and value is not None and value in asked:
                    policies.setdefault(name, ColumnPolicy(policy="hard", reason="the user asks for it"))
                elif policy == "optional" and name not in policies:
                    del kept[column]
            rows += [row.model_copy(update={"columns": kept})] if kept or row.kind != "changed" else []
        return rows

    def _answer(self, name: str, value: str | int | float) -> TaskAnswer:
        """Return an answer; a text is one of the column that the results name it by."""
        named = [
            str(path[-1]) for result in self._results for path, each in scalars_of(result) if path and each == value
        ]
        columns = self._domain.policies.by_table.items()
        source: Any = next((f"{table}.{each}" for each in named for table, own in columns if each in own), None)
        return TaskAnswer(
            name=name, kind=kind_of(value), value=value, source=source if kind_of(value) == "text" else None
        )

    def with_mistake(self, replayer: TaskReplayer, lost: Sequence[Step]) -> tuple[Task, str]:
        """Return the task with what lost as a mistake that it knows; or without it, and a sentence on why."""
        task, name = replayer.task, f"does what lost in {self._played.name}"[:_LONGEST]
        told = {each.name: self._played.told.get(each.name, "") for each in task.answers}
        turn = [*self._bound(lost, self._made(lost)[0])]
        mistake = Mistake(name=name, start=0, stop=len(task.chain), turn=turn, told=told, end="")
        end = end_of_mistake(replayer, mistake)
        if replayer.reward(end.changes, end.told) and (broken := self._broken(lost)):
            return task, f"What lost ends as it should and only broke {broken[0].rule}, so no wrong chain is kept."
        mark = fingerprint(end.changes, end.told, self._domain.schema, replayer.policies)
        return task.model_copy(update={"mistakes": [mistake.model_copy(update={"end": mark})]}), ""


def _has(entry: Any, values: Mapping[JsonPath, Any]) -> bool:
    return all(find_at(entry, path) == value for path, value in values.items())


def _entry_in(path: JsonPath) -> JsonPath | None:
    """Return the path of the entry of a list that a path leads into."""
    return next((path[: at + 1] for at, part in enumerate(path) if isinstance(part, int)), None)


def _place_of(results: Sequence[Mapping[str, Any]], leaf: JsonPath, value: Any) -> tuple[int, JsonPath] | None:
    """Return where an earlier result has a value: first under the argument's own name, a small number nowhere else."""
    name = next((str(part) for part in reversed(leaf) if isinstance(part, str)), "")
    found = [
        (number, path)
        for number, result in enumerate(results)
        for path, each in scalars_of(result)
        if path and type(each) is type(value) and each == value and not isinstance(value, bool)
    ]
    alike = [place for place in found if _is_alike(name, str(place[1][-1]))]
    return next(iter(alike or (found if len(str(value)) >= _TELLING else ())), None)


def _is_alike(argument: str, column: str) -> bool:
    return argument in (column, f"{column}s") or (column == "id" and argument.endswith(("_id", "_ids")))
