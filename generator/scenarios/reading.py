"""Read scenarios as an agent does: conversations whose writing calls are left open, and whether a reader fills them in.

The reader sees the words in one register, what earlier calls returned, and the arguments that stand in those results.
The rest is what the user tells or keeps back: a reader must arrive at the very arguments of the scenario. Where these
are told as they are, and the form does not make the words hard, nothing is in doubt, and nobody is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from generator.author.design import DesignPart
from generator.gates.calls.start import world_on
from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from generator.scenarios.lint import SEEDS, SIZES
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.origin import JsonPath, dotted, is_reference, leaves_of, path_of, said
from runtime.task.picks import NoSuchRow
from runtime.task.script import Script, TracedCall
from runtime.task.story import load_scenarios, tell_story
from runtime.task.task import bind
from runtime.verification.texts import match_dictated

_MOST_ENTRIES = 3  # of a list in a result that are shown
_MOST_CANDIDATES = 50  # of a list from which a later call takes an entry
_LONGEST = 100  # characters of a text in a result that are shown
_HARD_TO_READ = frozenset({"looked_up", "mistaken", "conditional", "best_of", "all_but", "computed"})
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
class OpenCall:
    """A call that a reader fills in: the arguments that are given, what the scenario passes, and the defaults."""

    tool: str
    given: list[str]
    wanted: dict[str, Any]
    defaults: dict[str, Any]


@dataclass(frozen=True)
class OpenConversation:
    """A conversation as a reader sees it, its open calls, and which texts the scenario composes or dictates."""

    text: str
    calls: list[OpenCall]
    texts: Mapping[str, str]
    in_doubt: bool = True

    def misfits(self, reading: ScenarioReading) -> list[str]:
        """Say why a reading does not answer for the open calls."""
        numbers = sorted(each.call for each in reading.calls)
        if numbers != list(range(1, len(self.calls) + 1)):
            return [f"it answers for the calls {numbers}; there are {len(self.calls)}, numbered from 1"]
        return [
            f"call {each.call}: {self.calls[each.call - 1].tool} has no argument {name!r}"
            for each in reading.calls
            for name in (*each.arguments, *(other.argument for other in each.as_well))
            if name not in self.calls[each.call - 1].defaults
        ]

    def doubts(self, reading: ScenarioReading) -> list[str]:
        """Say where a reading that fits differs from the scenario."""
        return list(dict.fromkeys(doubt for each in reading.calls for doubt in self._doubts_of(each)))

    def _doubts_of(self, reading: CallReading) -> Iterator[str]:
        call = self.calls[reading.call - 1]
        read = [(name, reading.arguments.get(name), False) for name in call.defaults]
        read += [(other.argument, other.value, True) for other in reading.as_well]
        for name, value, as_well in read:
            value = call.defaults[name] if value is None else value
            wanted = call.wanted.get(name, call.defaults[name])
            if name in call.given or self._agree(wanted, value):
                continue
            reader = f"{'may as well pass' if as_well else 'passes'} {name} = {value!r} to"
            if value is None:
                reader = f"{'may as well leave' if as_well else 'leaves'} {name} out of"
            scenario = f"passes {wanted!r}" if wanted is not None else "leaves it out"
            yield f"whoever reads the words {reader} {call.tool}, and the scenario {scenario}; {_ONLY}"

    def _agree(self, wanted: Any, read: Any) -> bool:
        if isinstance(wanted, list) and isinstance(read, list):
            return sorted(map(_json, wanted)) == sorted(map(_json, read))
        kind = self.texts.get(wanted) if isinstance(wanted, str) else None
        if kind is not None and isinstance(read, str):
            return kind == "composed" or match_dictated(wanted, read)
        return bool(wanted == read)


@dataclass(frozen=True)
class OpenConversations:
    """The conversation of each scenario that has a writing call."""

    by_scenario: dict[str, OpenConversation]


@job("conversations")
def write_conversations(asked: FolderRequest) -> OpenConversations:
    """Tell each scenario of a folder on the first world that has the rows for it; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    worlds: list[World] = []
    found: dict[str, OpenConversation] = {}
    for register, (name, program) in enumerate(load_scenarios(asked.folder).items()):
        for number, (size, seed) in enumerate((size, seed) for size in SIZES for seed in SEEDS):
            if number == len(worlds):
                worlds.append(world_on(domain, seed, size))
            try:
                with Session(domain, worlds[number]) as session:
                    script = tell_story(program, session, seed)
            except (NoSuchRow, EnvironmentFault):
                continue
            with Session(domain, worlds[number]) as session:
                conversation = _open(session, script, register)
            if conversation.calls:
                found[name] = conversation
            break
    return OpenConversations(found)


def _is_in_doubt(session: Session, script: Script, call: TracedCall) -> bool:
    """Return whether words are hard to read: by form, an argument said differently, or one that is left out."""
    today, declared = session.domain.now[:10], session.domain.tools[call.step.tool].arguments.schema["properties"]
    if script.form in _HARD_TO_READ or declared.keys() - call.step.arguments.keys():
        return True
    told = {fact.value: fact.said for fact in script.facts}
    values = [value for _, value in leaves_of(call.step.arguments) if isinstance(value, str | int | float)]
    texts = [value for value in values if value in script.texts and script.texts[value].said == "composed"]
    freely = [value for value in values if value in told and value not in script.texts]
    locale = session.domain.locale
    worded = [
        value for value in freely if told[value] not in (said(value, today, day_first=locale.day_first), f"{value}")
    ]
    return bool(texts) or any(
        isinstance(value, str | bool) or told[value] not in [locale.money(int(value), minor) for minor in (1, 100)]
        for value in worded
    )


def _open(session: Session, script: Script, register: int) -> OpenConversation:
    """Make the conversation of a script, whose calls are made once more in a session."""
    lines: list[str] = []
    calls: list[OpenCall] = []
    results: dict[int, Any] = {}
    writing = [number for number, call in enumerate(script.calls) if _writes(session, call)]
    heard = 0
    for number, call in enumerate(script.calls):
        for wish in script.wishes[heard : call.wish + 1]:
            lines.append(f"The user: {wish.words[register % len(wish.words)]}")
            kept_back = [fact for fact in wish.facts if fact.withheld and not fact.proves]
            lines += [f"The user, asked for the {fact.name}: {fact.in_full}" for fact in kept_back]
        heard = max(heard, call.wish + 1)
        tool, arguments = call.step.tool, bind(call.step.arguments, results)
        result = results[number] = session.call(tool, **arguments)
        used = frozenset(
            path_of(value)
            for later in writing
            for _, value in leaves_of(script.calls[later].step.arguments)
            if is_reference(value) and value["$step"] == number
        )
        if number in writing:
            given = _given(session, script, call, arguments)
            properties = session.domain.tools[tool].arguments.schema["properties"]
            defaults = {name: declared.get("default") for name, declared in properties.items()}
            calls.append(OpenCall(tool, list(given), arguments, defaults))
            lines.append(f"**Call {len(calls)}**: {tool}({_listed(given)}{', ' * bool(given)}...)")
            kept = {dotted(path): value for path, value in leaves_of(result) if path in used}
            lines += [f"  returns {_json(kept)}"] if kept else []
        elif number < max(writing, default=-1):
            lines.append(f"- {tool}({_listed(arguments)}) returns {_json(_cut(result, used))}")
        else:  # it serves answers only
            lines.append(f"- {tool}(...)")
    lines += [f"The user: {wish.words[register % len(wish.words)]}" for wish in script.wishes[heard:]]
    texts = {text: each.said for text, each in script.texts.items()}
    in_doubt = any(_is_in_doubt(session, script, script.calls[number]) for number in writing)
    return OpenConversation("\n".join(lines), calls, texts, in_doubt)


def _writes(session: Session, call: TracedCall) -> bool:
    return bool(session.domain.tools[call.step.tool].writes) and not is_desk_tool(call.step.tool)


def _given(session: Session, script: Script, call: TracedCall, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what duties state, and the required arguments of results; where people call, a reader chooses the row."""
    is_chosen = session.domain.people is not None and sum(e.step.tool == call.step.tool for e in script.calls) == 1
    required = session.domain.tools[call.step.tool].arguments.schema.get("required", ())  # of several calls of a tool
    from_results = () if is_chosen else required  # the order is nobody's choice
    return {
        name: value
        for name, value in arguments.items()
        if _comes_from(call, name, "duty") or (name in from_results and _comes_from(call, name, "result"))
    }


def _comes_from(call: TracedCall, name: str, kind: str) -> bool:
    """Return whether all of an argument comes from results, or from duties, which a reader is not shown."""
    origins = [origin for path, own in call.origins.items() if path[0] == name for origin in own]
    return bool(origins) and all(origin is not None and origin.kind == kind for origin in origins)


def _cut(value: Any, used: frozenset[JsonPath], path: JsonPath = ()) -> Any:
    """Return a result without nulls, with long texts cut, and lists from which no later call takes an entry."""
    if isinstance(value, Mapping):
        return {name: _cut(part, used, (*path, name)) for name, part in value.items() if part is not None}
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}..."
    if isinstance(value, list):
        needed = {at for at in range(len(value)) if any(each[: len(path) + 1] == (*path, at) for each in used)}
        shown = sorted(needed | set(range(len(value))[: _MOST_CANDIDATES if needed else _MOST_ENTRIES]))
        cut = [_cut(value[at], used, (*path, at)) for at in shown]
        return [*cut, f"{len(value) - len(cut)} more"] if len(cut) < len(value) else cut
    return value


def _listed(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_json(value)}" for name, value in arguments.items())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
