"""Requests whose decisions depend on each other: what one does turns what is right for another.

Found by execution: two requests of one caller are told with and without each other. Where the later one is said in the
same words, and a rule decides otherwise, or another answer or change is right, the two are linked. `interlocks.json` of
a domain names the pairs of scenarios that are linked somewhere; expert tasks are composed of these.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from generator.tasks.fit import fit_in, with_pins
from generator.tasks.studied_world import StudiedWorld
from generator.tasks.telling import (
    CannotCompose,
    ScenarioPart,
    Telling,
    ToldScenario,
    answers_in,
    calls_of,
    tell,
    tell_without,
    user_of,
)
from runtime.domain.domain import Domain
from runtime.domain.load import RULES
from runtime.domain.people import is_desk_tool
from runtime.errors import UsageError
from runtime.sandbox.files import files_in, is_there, read_text
from runtime.task.script import Script
from runtime.task.story import FILE as SCENARIOS
from runtime.task.story import Program
from runtime.wording import counted

FILE = "interlocks.json"
LinkKind = Literal["rule", "answer", "change", "order"]
_MOST_BYTES = 4 * 1024**2


@dataclass(frozen=True)
class Link:
    """Two scenarios of a task by their places: without the earlier one, something else is right for the later one.

    Those of the kind "order" are said in one message, the later one first, and in that order not both can be done.
    """

    earlier: int
    later: int
    kind: LinkKind


@dataclass(frozen=True, order=True)
class Pair:
    """Two scenarios of a domain, by name, that were found linked when told one after the other."""

    earlier: str
    later: str
    kind: LinkKind


@dataclass(frozen=True)
class Interlocks:
    """The pairs of a domain, as `interlocks.json` has them."""

    pairs: tuple[Pair, ...]
    of: str  # the digest of what they were found in

    @cached_property
    def partners(self) -> Mapping[str, frozenset[str]]:
        """The scenarios that decide each one, or that it decides."""
        found: dict[str, set[str]] = {}
        for pair in self.pairs:
            found.setdefault(pair.earlier, set()).add(pair.later)
            found.setdefault(pair.later, set()).add(pair.earlier)
        return {name: frozenset(others) for name, others in found.items()}

    @property
    def described(self) -> str:
        """How many pairs there are, in a line for a person."""
        kinds: Counter[str] = Counter(pair.kind for pair in self.pairs)
        shown = {"rule": "by a rule", "answer": "by an answer", "change": "by what is changed"}
        by_kind = ", ".join(f"{kinds[kind]} {words}" for kind, words in shown.items() if kinds[kind])
        return counted(len(self.pairs), "interlocking pair") + " of scenarios" + (f": {by_kind}" if by_kind else "")


def digest_for_interlocks(domain: Domain) -> str:
    """Return a digest of what links depend on: world, clock, people, tools, rules and scenarios; not policy.md."""
    files = [domain.path / name for name in (SCENARIOS, RULES) if is_there(domain.path / name)]
    people = domain.people.model_dump_json() if domain.people is not None else ""
    texts = [read_text(each) for each in (*files, *files_in(domain.path / "tools", ".py"))]
    return hashlib.sha256("\0".join([domain.world_digest, domain.now, people, *texts]).encode()).hexdigest()[:32]


def write_interlocks(found: Interlocks) -> str:
    """Return the text of `interlocks.json`, a pair a line."""
    pairs = ",\n".join(f"  {json.dumps([pair.earlier, pair.later, pair.kind])}" for pair in sorted(found.pairs))
    return f'{{"of": {json.dumps(found.of)}, "pairs": [\n{pairs}\n]}}'


def read_interlocks(domain: Domain) -> Interlocks:
    """Read `interlocks.json` of a domain; errors: UsageError if there is none, or one of other scenarios or tools."""
    path = domain.path / FILE
    again = f"`worldsmith check {domain.name} --write-graph` finds the requests that decide each other."
    if not is_there(path):
        raise UsageError(f"Domain {domain.name!r} has no {FILE}, which tasks of level 6 are made from; {again}")
    try:
        written = json.loads(read_text(path, _MOST_BYTES))
        found = Interlocks(tuple(Pair(*map(str, each)) for each in written["pairs"]), str(written["of"]))  # type: ignore[arg-type]
    except (ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{str(path)!r} does not name interlocking scenarios: {error}; {again}") from error
    if found.of != digest_for_interlocks(domain):
        raise UsageError(f"{str(path)!r} was found in other scenarios or tools than {domain.name!r} has now; {again}")
    return found


def find_pairs(studied: StudiedWorld, programs: Mapping[str, Program], seeds: Iterable[int]) -> Iterator[Pair]:
    """Yield the pairs of scenarios that are linked when callers tell them whom the seeds draw."""
    known: dict[str, ToldScenario] = {}  # what each of them does somewhere: tools, and tables that it changes
    for seed in seeds:
        for later in sorted(programs):
            part = ScenarioPart(later, programs[later], seed, outside=False, refuses=True)
            try:
                fixed, telling = fit_in(studied, part, [], 0)
            except CannotCompose:
                continue
            own = telling.parts[0]
            for earlier in sorted(programs) if fixed.caller is not None else ():
                before = known.get(earlier)
                if earlier == later or (before is not None and not may_decide(before, own, studied.domain)):
                    continue
                other = ScenarioPart(earlier, programs[earlier], seed, outside=False, caller=fixed.caller, refuses=True)
                kind = _linked(studied, other, fixed, own, known)
                if kind is not None:
                    yield Pair(earlier, later, kind)


def _linked(
    studied: StudiedWorld, other: ScenarioPart, fixed: ScenarioPart, own: ToldScenario, known: dict[str, ToldScenario]
) -> LinkKind | None:
    try:
        told = tell(studied.session, [other]).parts[0]
        known.setdefault(other.name, told)
        if not go_together([told], own, studied) or not may_decide(told, own, studied.domain):
            return None
        parts = [with_pins(other, told), fixed]
        telling = tell(studied.session, parts)
    except CannotCompose:
        return None
    if telling.parts[1].script.words != own.script.words:
        return None
    return link_between(studied, parts, telling, 0, 1)


def links_of(studied: StudiedWorld, parts: Sequence[ScenarioPart], telling: Telling) -> Iterator[Link]:
    """Yield the links between scenarios told one after another."""
    for later in range(1, len(parts)):
        for earlier in range(later):
            kind = link_between(studied, parts, telling, earlier, later)
            if kind is not None:
                yield Link(earlier, later, kind)


def link_between(
    studied: StudiedWorld, parts: Sequence[ScenarioPart], telling: Telling, earlier: int, later: int
) -> LinkKind | None:
    """Return what an earlier scenario changes of a later one that is said in the same words; None if nothing."""
    if not may_decide(telling.parts[earlier], telling.parts[later], studied.domain):
        return None
    here = telling.parts[later].script
    try:
        there = tell_without(studied.session, parts, telling.parts, earlier, later)
    except CannotCompose:
        return None
    if here.words != there.words:
        return None
    if calls_of(here.chain) == calls_of(there.chain) and answers_in(here) == answers_in(there):
        return None  # a refusal that is on record already, whatever keeps it
    if [asked.rules for asked in here.permissions] != [asked.rules for asked in there.permissions]:
        return "rule"
    if answers_in(here) != answers_in(there):
        return "answer"
    return "change" if _writes_of(here) - _writes_of(there) else None


def _writes_of(script: Script) -> set[Any]:
    return set(calls_of([call.step for call in script.calls if call.changes and not is_desk_tool(call.step.tool)]))


def may_decide(earlier: ToldScenario, later: ToldScenario, domain: Domain) -> bool:
    """Return True if one changes a table that a tool of the other, or a rule on one of its calls, reads."""
    asked = (each.call.step.tool for each in later.script.permissions)
    tools = {*(call.step.tool for call in later.script.calls), *asked}
    read = {table for name in tools for table in domain.tools[name].reads}
    read |= {table for name in tools for rule in domain.rules.on(name) for table in rule.reads}
    denied = {code for each in later.script.permissions for code in each.rules}
    read |= {table for duty in domain.rules.duties if duty.code in denied for table in duty.reads}
    return bool(read & {table for table, _ in earlier.changed})


def go_together(told: Sequence[ToldScenario], own: ToldScenario, studied: StudiedWorld) -> bool:
    """Return True if one user could ask for one more: no answer twice, no checks, and nothing twice of one record."""
    answers = [answer.name for each in (*told, own) for answer in each.script.answers]
    if len(set(answers)) < len(answers) or any(each.script.checks or not each.script.caller for each in (*told, own)):
        return False
    return not any(_is_repeated(each, own, studied) for each in told)


def _is_repeated(one: ToldScenario, other: ToldScenario, studied: StudiedWorld) -> bool:
    """Return True if both do the same kind of thing to one record: nobody asks for that twice in a conversation."""
    shared = set(one.picks) & set(other.picks) - user_of(one.script, studied.domain)
    return bool(shared and _tools_asked_for(one.script) & _tools_asked_for(other.script))


def _tools_asked_for(script: Script) -> set[str]:
    done = {call.step.tool for call in script.calls if call.changes and not is_desk_tool(call.step.tool)}
    return done | {asked.call.step.tool for asked in script.permissions}
