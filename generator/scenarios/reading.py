"""Read scenarios as an agent does: conversations whose writing calls are left open, and whether a reader fills them in.

The reader sees the words, what the calls before returned, and the arguments that stand in those results. What is left
is what the user tells, or keeps to themself: whoever reads the words must arrive at the very arguments of the scenario.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from generator.build.design import DesignPart
from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from generator.scenarios.run import SEEDS, SIZES
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.domain.schema import Key, Value
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.task.paths import JsonPath, dotted, is_reference, leaves_of, path_of
from runtime.task.picks import NoSuchRow
from runtime.task.script import Script, TracedCall
from runtime.task.story import load_scenarios, tell_story
from runtime.task.task import bind
from runtime.verification.texts import match_dictated

_MOST_ENTRIES = 3  # of a list in a result that are shown, besides those that later calls use
_LONGEST = 100  # characters of a text in a result that are shown
_ONLY = "say it so that only one reading is left"


class Other(DesignPart):
    """Another value that an argument may as well have."""

    argument: str
    value: Any = Field(default=None, description="null: it may as well be left out")


class CallReading(DesignPart):
    """What a reader passes to one call, besides the arguments that are given."""

    call: int = Field(description="its number in the conversation")
    arguments: dict[str, Any] = {}
    as_well: list[Other] = Field(
        default=[], description="values that at least one in five careful assistants would pass instead; usually none"
    )


class ScenarioReading(DesignPart):
    """How one conversation is read."""

    name: str
    calls: list[CallReading]


class Readings(DesignPart):
    """What a reader answers."""

    readings: list[ScenarioReading]


@dataclass(frozen=True)
class OpenConversation:
    """A conversation as a reader sees it, and the tools whose calls are left open in it."""

    text: str
    tools: list[str]


@dataclass(frozen=True)
class OpenConversations:
    """The conversation of each scenario that has a writing call."""

    by_scenario: dict[str, OpenConversation]


@job("conversations")
def write_conversations(asked: FolderRequest) -> OpenConversations:
    """Tell each scenario of a folder; errors: BrokenDomain."""
    told = _tell(load_domain(asked.folder), asked.folder, {})
    return OpenConversations({name: OpenConversation(each.text, each.tools) for name, each in told if each.tools})


@dataclass(frozen=True)
class ReadingsRequest:
    """How the scenarios of a domain folder were read."""

    folder: Path
    readings: list[ScenarioReading]


@dataclass(frozen=True)
class JudgedReading:
    """`misfits` of the reading itself, and `doubts`: where it differs from the scenario."""

    misfits: list[str]
    doubts: list[str]


@dataclass(frozen=True)
class JudgedReadings:
    """What became of each scenario that was read."""

    by_scenario: dict[str, JudgedReading]


@job("readings")
def judge_readings(asked: ReadingsRequest) -> JudgedReadings:
    """Compare how scenarios were read with what they pass; errors: BrokenDomain."""
    read = {each.name: each for each in asked.readings}
    told = _tell(load_domain(asked.folder), asked.folder, read)
    return JudgedReadings({name: JudgedReading(each.misfits, each.doubts) for name, each in told if name in read})


def _tell(domain: Domain, folder: Path, read: Mapping[str, ScenarioReading]) -> Iterator[tuple[str, _ToldScenario]]:
    """Each scenario on the first world that has the rows for it."""
    worlds: list[World] = []
    for name, program in load_scenarios(folder).items():
        for number, (size, seed) in enumerate((size, seed) for size in SIZES for seed in SEEDS):
            if number == len(worlds):
                worlds.append(build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size))
            try:
                with Session(domain, worlds[number]) as session:
                    script = tell_story(program, session, seed)
            except (NoSuchRow, EnvironmentFault):
                continue
            with Session(domain, worlds[number]) as session:
                yield name, _ToldScenario(session, script, read.get(name))
            break


class _ToldScenario:
    """A script as its reader sees it, and what became of the reading."""

    def __init__(self, session: Session, script: Script, reading: ScenarioReading | None) -> None:
        self.tools: list[str] = []
        self.misfits: list[str] = []
        self.doubts: list[str] = []
        self._session = session
        self._domain = session.domain
        self._script = script
        read = reading.calls if reading else []
        self._reading = {each.call: each for each in read}
        self._lines: list[str] = []
        self._tell()
        wanted = list(range(1, len(self.tools) + 1))
        if reading and sorted(each.call for each in read) != wanted:
            have, want = (", ".join(map(str, each)) or "none" for each in (sorted(each.call for each in read), wanted))
            self.misfits.insert(0, f"it answers for the calls {have}; there are {want}")

    @property
    def text(self) -> str:
        """What was said and done, and the calls that are left open."""
        return "\n".join(self._lines)

    def _tell(self) -> None:
        results: dict[int, Any] = {}
        last = max((n for n, call in enumerate(self._script.calls) if self._writes(call)), default=-1)
        said = 0
        proofs = self._proofs()
        for number, call in enumerate(self._script.calls):
            for wish in self._script.wishes[said : call.wish + 1]:
                self._lines.append(f"The user: {wish.words[0]}")
                self._lines += [
                    f"The user, asked for the {fact.name}: {fact.said}"
                    for fact in wish.facts
                    if fact.withheld and fact.value not in proofs
                ]
            said = max(said, call.wish + 1)
            arguments = bind(call.step.arguments, results)
            if self._writes(call):
                self._leave_open(call, arguments)
            results[number] = self._session.call(call.step.tool, **arguments)
            used = self._used_of(number)
            if self._writes(call):
                kept = {dotted(path): value for path, value in leaves_of(results[number]) if path in used}
                self._lines += [f"  returns {_json(kept)}"] if kept else []
            elif number < last:
                shown = _json(_cut(results[number], used))
                self._lines.append(f"- {call.step.tool}({_listed(arguments)}) returns {shown}")
            else:  # it serves answers only
                self._lines.append(f"- {call.step.tool}(...)")
        self._lines += [f"The user: {words}" for words in self._script.words[said:]]

    def _writes(self, call: TracedCall) -> bool:
        return bool(self._domain.tools[call.step.tool].writes) and not is_desk_tool(call.step.tool)

    def _used_of(self, number: int) -> frozenset[JsonPath]:
        """The places in the result of a call that later writing calls refer to."""
        return frozenset(
            path_of(value)
            for call in self._script.calls
            for _, value in leaves_of(call.step.arguments)
            if self._writes(call) and is_reference(value) and value["$step"] == number
        )

    def _proofs(self) -> frozenset[Value]:
        """The values that say who calls, which are asked for in every conversation."""
        people, caller = self._domain.people, self._script.caller
        if people is None or caller is None:
            return frozenset()
        with closing(self._session.world.open()) as world:
            return frozenset(world.execute(self._domain.schema.tables[people.table].select_row, caller).fetchone())

    def _leave_open(self, call: TracedCall, arguments: Mapping[str, Any]) -> None:
        required = self._domain.tools[call.step.tool].arguments.schema.get("required", ())
        given = {name: value for name, value in arguments.items() if name in required and _is_from_results(call, name)}
        alike = sum(each.step.tool == call.step.tool for each in self._script.calls)
        if self._domain.people is not None and alike == 1:
            given = {}  # the reader chooses the row, too; of several calls of a tool the order is nobody's choice
        self.tools.append(call.step.tool)
        number = len(self.tools)
        self._lines.append(f"**Call {number}**: {call.step.tool}({_listed(given)}{', ' * bool(given)}...)")
        if number in self._reading:
            self._judge(call.step.tool, given, arguments, self._reading[number])

    def _judge(self, tool: str, given: Mapping[str, Any], arguments: Mapping[str, Any], reading: CallReading) -> None:
        border = self._domain.tools[tool].arguments
        named = [*reading.arguments, *(other.argument for other in reading.as_well)]
        self.misfits += [
            f"call {reading.call}: {tool} has no argument {name!r}" for name in named if name not in border.names
        ]
        read = {**reading.arguments, **given}
        others = [{**read, other.argument: other.value} for other in reading.as_well if other.argument not in given]
        for number, each in enumerate([read, *others]):
            found = {name: value for name, value in each.items() if value is not None and name in border.names}
            try:
                border.check_untrusted(found)
            except (OverflowError, ValueError) as error:
                self.misfits.append(f"call {reading.call} of {tool}: {error}")
                continue
            self.doubts += [
                doubt
                for name in border.names
                if (doubt := self._doubt(tool, name, arguments, found, as_well=number > 0)) not in ("", *self.doubts)
            ]

    def _doubt(
        self, tool: str, name: str, arguments: Mapping[str, Any], found: Mapping[str, Any], *, as_well: bool
    ) -> str:
        """Why the words leave an argument open; empty if the reader passes what the scenario does."""
        default = self._domain.tools[tool].arguments.schema["properties"][name].get("default")
        wanted, read = (each.get(name, default) for each in (arguments, found))
        if self._agree(tool, arguments, wanted, read):
            return ""
        if name not in arguments and self._counted(tool, arguments) == self._counted(tool, {**arguments, name: read}):
            return ""
        reader = f"{'passes' if not as_well else 'may as well pass'} {name} = {read!r} to"
        if read is None:
            reader = f"{'leaves' if not as_well else 'may as well leave'} {name} out of"
        scenario = f"passes {wanted!r}" if wanted is not None else "leaves it out"
        return f"whoever reads the words {reader} {tool}, and the scenario {scenario}; {_ONLY}"

    def _agree(self, tool: str, arguments: Mapping[str, Any], wanted: Any, read: Any) -> bool:
        if isinstance(wanted, list) and isinstance(read, list):
            return sorted(map(_json, wanted)) == sorted(map(_json, read))
        if (
            isinstance(wanted, str)
            and isinstance(read, str)
            and wanted != read
            and self._is_text(tool, arguments, wanted)
        ):
            text = self._script.texts.get(wanted)
            return (text is not None and text.said == "composed") or match_dictated(wanted, read).same
        return bool(wanted == read)

    def _is_text(self, tool: str, arguments: Mapping[str, Any], value: str) -> bool:
        """Whether a value is a text in words: the scenario writes it, or a column of such texts takes it."""
        written = self._counted(tool, arguments)
        return value in self._script.texts or any(
            each == value and self._domain.policies.of(table, column).policy == "semantic"
            for (table, _, column), each in (written or {}).items()
        )

    def _counted(self, tool: str, arguments: Mapping[str, Any]) -> dict[tuple[str, Key, str], Value] | None:
        """What a call writes to columns that every task counts; None if it is rejected, or crashes."""
        here = self._session.snapshot()
        before = self._session.changes
        try:
            rejection = self._session.perform(tool, arguments).rejection
        except EnvironmentFault:
            return None
        finally:
            after = self._session.changes
            self._session.restore(here)
        if rejection is not None:
            return None
        return {
            (table, key, column): change.after[at] if change.after is not None else None
            for (table, key), change in before.steps_to(after)
            for column, at in self._domain.schema.tables[table].positions.items()
            if self._domain.policies.of(table, column).policy in ("hard", "semantic")
        }


def _is_from_results(call: TracedCall, name: str) -> bool:
    """Whether all of an argument stands in results."""
    origins = [origin for path, own in call.origins.items() if path[0] == name for origin in own]
    return bool(origins) and all(origin is not None and origin.kind == "result" for origin in origins)


def _cut(value: Any, used: frozenset[JsonPath], path: JsonPath = ()) -> Any:
    """A result without nulls, with long texts cut, and long lists cut down to the entries that later calls use."""
    if isinstance(value, Mapping):
        return {name: _cut(part, used, (*path, name)) for name, part in value.items() if part is not None}
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}..."
    if isinstance(value, list):
        needed = {at for at in range(len(value)) if any(each[: len(path) + 1] == (*path, at) for each in used)}
        shown = sorted(needed | set(range(len(value))[:_MOST_ENTRIES]))
        cut = [_cut(value[at], used, (*path, at)) for at in shown]
        return [*cut, f"{len(value) - len(cut)} more"] if len(cut) < len(value) else cut
    return value


def _listed(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_json(value)}" for name, value in arguments.items())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
