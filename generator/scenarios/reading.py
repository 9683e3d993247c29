"""Read scenarios as an agent does: conversations whose writing calls are left open, and whether a reader fills them in.

The reader sees the words, what the calls before returned, and the arguments that stand in those results. What is left
is what the user tells, or keeps to themself: whoever reads the words must arrive at the very arguments of the scenario.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from generator.design import Part
from generator.scenarios.proof import SEEDS, SIZES
from generator.tasks.proofs.leaves import is_reference, leaves_of
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.task.scenarios import Program, load_scenarios
from runtime.task.story import NoSuchRow, Script, TracedCall, tell_story
from runtime.task.task import bind
from runtime.verification.text import match_text

_MOST_ENTRIES = 3  # of a list in a result that are shown, besides those that later calls use
_LONGEST = 100  # characters of a text in a result that are shown
_ONLY = "say it so that only one reading is left"


class CallReading(Part):
    """What a reader passes to one call, besides the arguments that are given."""

    call: int = Field(description="its number in the conversation")
    arguments: dict[str, Any] = {}


class Reading(Part):
    """How one conversation is read."""

    name: str
    calls: list[CallReading]


class Readings(Part):
    """What a reader answers."""

    readings: list[Reading]


@dataclass(frozen=True)
class _OpenCall:
    """A writing call of a conversation: what is given, what the scenario passes, and what of it is text in words."""

    tool: str
    given: Mapping[str, Any]
    passed: Mapping[str, Any]
    texts: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _Conversation:
    text: str
    calls: Sequence[_OpenCall]


def write_conversations(folder: str) -> dict[str, dict[str, Any]]:
    """For each scenario that has a writing call: its conversation, and the tools called; in a child process."""
    return {
        name: {"text": each.text, "tools": [call.tool for call in each.calls]}
        for name, each in _conversations(load_domain(Path(folder)), Path(folder))
    }


def judge_readings(folder: str, readings: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """For each scenario that was read: `misfits` of the reading itself, and `doubts`, where it differs."""
    domain = load_domain(Path(folder))
    read = {each.name: each for each in map(Reading.model_validate, readings)}
    return {
        name: _judged(domain, conversation, read[name])
        for name, conversation in _conversations(domain, Path(folder))
        if name in read
    }


def _conversations(domain: Domain, folder: Path) -> Iterator[tuple[str, _Conversation]]:
    worlds: list[World] = []
    for name, program in load_scenarios(folder).items():
        for number, (size, seed) in enumerate((size, seed) for size in SIZES for seed in SEEDS):
            if number == len(worlds):
                worlds.append(build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size))
            conversation = _told(domain, program, worlds[number], seed)
            if conversation is not None:
                if conversation.calls:
                    yield name, conversation
                break


def _told(domain: Domain, program: Program, world: World, seed: int) -> _Conversation | None:
    """A scenario as a conversation; None if the world has no row for it."""
    try:
        with Session(domain, world) as session:
            script = tell_story(program, session, seed)
    except (NoSuchRow, EnvironmentFault):
        return None
    lines: list[str] = []
    calls: list[_OpenCall] = []
    results: dict[int, Any] = {}
    said = -1
    with Session(domain, world) as session:
        for number, call in enumerate(script.calls):
            lines += [f"The user: {words}" for words in script.words[said + 1 : call.wish + 1]]
            said = max(said, call.wish)
            before = session.open().changes.copy()
            arguments = bind(call.step.arguments, results)
            results[number] = session.call(call.step.tool, **arguments)
            used = _used_of(script, number)
            if domain.tools[call.step.tool].writes:
                given = {name: value for name, value in arguments.items() if _is_from_results(call, name)}
                texts = _texts_in(domain, script, arguments, before.steps_to(session.open().changes))
                calls.append(_OpenCall(call.step.tool, given, arguments, texts))
                lines.append(f"**Call {len(calls)}**: {call.step.tool}({_listed(given)}{', ' * bool(given)}...)")
                kept = {path: value for leaf, value in leaves_of(results[number]) if (path := _dotted(leaf)) in used}
                lines += [f"  returns {_json(kept)}"] if kept else []
            else:
                lines.append(f"- {call.step.tool}({_listed(arguments)}) returns {_json(_cut(results[number], used))}")
    while lines and lines[-1].startswith("- "):
        lines.pop()  # what is looked up after the last call serves answers only
    lines += [f"The user: {words}" for words in script.words[said + 1 :]]
    return _Conversation("\n".join(lines), calls)


def _used_of(script: Script, number: int) -> frozenset[str]:
    """The places in the result of a call that later calls refer to."""
    return frozenset(
        str(value["path"])
        for call in script.calls
        for _, value in leaves_of(call.step.arguments)
        if is_reference(value) and value["$step"] == number
    )


def _is_from_results(call: TracedCall, name: str) -> bool:
    """Whether all of an argument stands in results."""
    origins = [origin for path, origin in call.origins.items() if path.partition(" by ")[0].partition(".")[0] == name]
    return bool(origins) and all(origin is not None and origin.kind == "result" for origin in origins)


def _texts_in(domain: Domain, script: Script, arguments: Mapping[str, Any], steps: Any) -> dict[str, Sequence[str]]:
    """The arguments that become texts in words, with the facts that the scenario declares of them."""
    written: set[Value] = set()
    for (table, _), change in steps:
        record = domain.schema.tables[table].record(change.after) if change.after is not None else {}
        written |= {value for name, value in record.items() if domain.policies.of(table, name).policy == "semantic"}
    return {
        value: script.texts.get(value, ())
        for _, value in leaves_of(arguments)
        if isinstance(value, str) and (value in written or value in script.texts)
    }


def _cut(value: Any, used: frozenset[str], path: str = "") -> Any:
    """A result without nulls, with long texts cut, and long lists cut down to the entries that later calls use."""
    if isinstance(value, Mapping):
        return {name: _cut(part, used, f"{path}{name}.") for name, part in value.items() if part is not None}
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}..."
    if isinstance(value, list):
        needed = {at for at in range(len(value)) if any(each.startswith(f"{path}{at}.") for each in used)}
        shown = sorted(needed | set(range(len(value))[:_MOST_ENTRIES]))
        cut = [_cut(value[at], used, f"{path}{at}.") for at in shown]
        return [*cut, f"{len(value) - len(cut)} more"] if len(cut) < len(value) else cut
    return value


def _judged(domain: Domain, conversation: _Conversation, reading: Reading) -> dict[str, list[str]]:
    numbers = [each.call for each in reading.calls]
    if numbers != list(range(1, len(conversation.calls) + 1)):
        have = ", ".join(map(str, range(1, len(conversation.calls) + 1)))
        return {"misfits": [f"the calls are {', '.join(map(str, numbers)) or 'none'}; answer for {have}"], "doubts": []}
    misfits, doubts = [], []
    for call, read in zip(conversation.calls, reading.calls, strict=True):
        try:
            found = domain.tools[call.tool].arguments.check_untrusted({**read.arguments, **call.given})
        except (OverflowError, ValueError) as error:
            misfits.append(f"call {read.call} of {call.tool}: {error}")
            continue
        for name, declared in domain.tools[call.tool].arguments.schema["properties"].items():
            here, there = (each.get(name, declared.get("default")) for each in (call.passed, found))
            if not _agree(here, there, call.texts):
                doubts.append(_doubt(call.tool, name, here, there))
    return {"misfits": misfits, "doubts": doubts}


def _agree(wanted: Any, found: Any, texts: Mapping[str, Sequence[str]]) -> bool:
    if isinstance(wanted, list) and isinstance(found, list):
        return sorted(map(_json, wanted)) == sorted(map(_json, found))
    if isinstance(wanted, str) and isinstance(found, str) and wanted in texts:
        return match_text(wanted, found, texts[wanted]).same
    return bool(wanted == found)


def _doubt(tool: str, name: str, wanted: Any, found: Any) -> str:
    reader = f"passes {name} = {found!r} to" if found is not None else f"leaves {name} out of"
    scenario = f"passes {wanted!r}" if wanted is not None else "leaves it out"
    return f"whoever reads the words {reader} {tool}, and the scenario {scenario}; {_ONLY}"


def _listed(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_json(value)}" for name, value in arguments.items())


def _dotted(leaf: Sequence[str | int]) -> str:
    return ".".join(map(str, leaf))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
