"""Compose expert tasks (level 6): requests of one caller of which some decide others, and a few beside them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from generator.tasks.fit import fit_in, with_rows_fixed
from generator.tasks.interlocks import Interlocks, Link, go_together, link_between, links_of, may_decide
from generator.tasks.plan import EACH, LOOK_UPS, RULED, TaskPlan, seed_of
from generator.tasks.studied_world import StudiedWorld
from generator.tasks.telling import CannotCompose, OtherBranch, ScenarioPart, Telling, ToldScenario, tell, tell_as_said
from runtime.domain.changes import RowName
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINED, is_desk_tool
from runtime.task.script import Script
from runtime.task.story import Program
from runtime.task.task import bind
from runtime.task.user import Form

FEWEST_LINKS = 1
_LINKS_VARY = 3  # two to four links are wanted
_REQUESTS = (5, 6, 7)  # scenarios of a task that are wanted, those that are not linked among them
_DENIED = (0, 1, 2, 2, 3, 4)  # requests of a task that are wanted to be denied, linked ones among them
_MADE_AGAIN = 1 / 3  # of the tasks in which a request could be refused at first, and made again
_FILLED_FROM = 18  # scenarios, so that those that fit anybody are not in every task
_CALLERS_TRIED = 10
_ROWS_TRIED = 8  # of the caller's, until a rule decides as is wanted


@dataclass(frozen=True)
class Interlocked:
    """Scenarios of one caller in the order in which they are told, and how they are linked; `lead` was chosen first."""

    lead: str
    parts: tuple[ScenarioPart, ...]
    telling: Telling
    links: tuple[Link, ...] = ()

    @property
    def has_rule(self) -> bool:
        """Return True if a rule decides otherwise of one since another one was done before."""
        return any(link.kind == "rule" for link in self.links)


class ExpertComposer:
    """Puts scenarios of a domain together so that some decide others."""

    def __init__(self, programs: Mapping[str, Program], forms: Mapping[str, Form], interlocks: Interlocks) -> None:
        self._programs, self._forms, self._partners = programs, forms, interlocks.partners
        self._by_rule = Interlocks(tuple(pair for pair in interlocks.pairs if pair.kind == "rule"), "").partners

    def choose(self, plan: TaskPlan, studied: StudiedWorld, leads: Sequence[str], usable: Sequence[str]) -> Interlocked:
        """Return the scenarios of a task, of `usable` ones; errors: CannotCompose."""
        wanted = 2 + plan.number % _LINKS_VARY
        reason = CannotCompose("no scenario that decides another one, or is decided by one", is_settled=True)
        found: list[Interlocked] = []
        for lead, attempt in product([name for name in leads if name in self._partners], range(_CALLERS_TRIED)):
            seed = seed_of(f"task {plan.number} {lead}") + 1_000 * attempt
            part = ScenarioPart(lead, self._programs[lead], seed, outside=False, refuses=True)
            try:
                fixed, telling = fit_in(studied, part, [], 0)
            except CannotCompose as unfit:
                reason = unfit
                if unfit.is_settled:
                    break
                continue
            found.append(self._linked(plan, studied, Interlocked(lead, (fixed,), telling), wanted, usable))
            if len(found[-1].links) >= wanted and (lead not in self._by_rule or found[-1].has_rule):
                break
        best = max(found, key=lambda each: (each.has_rule, len(each.links)), default=None)
        if best is None or len(best.links) < FEWEST_LINKS:
            raise CannotCompose("too few requests of the caller decide others") if found else reason
        if random.Random(f"repeated requests of task {plan.number}").random() < _MADE_AGAIN:
            best = next(_made_again(studied, best), best)
        best = next(_said_out_of_order(studied, best), best)
        best = self._filled(plan, studied, best, usable)
        if all(link.kind != "order" for link in best.links):
            best = next(_said_out_of_order(studied, best), best)
        asked = [bool(each.rules) for script in best.telling.scripts for each in script.permissions]
        if any(part.again and not _changed(best, at) for at, part in enumerate(best.parts)):
            raise CannotCompose("a request that is made again is decided as before")
        if all(asked) or not (any(asked) or any(link.kind == "order" for link in best.links)):
            raise CannotCompose("whoever allows all, or denies all, would be right")
        return best

    def _linked(
        self, plan: TaskPlan, studied: StudiedWorld, found: Interlocked, wanted: int, usable: Sequence[str]
    ) -> Interlocked:
        """Add scenarios that interlock with those that are there until `wanted` links hold."""
        tried = {part.name for part in found.parts}
        rng = random.Random(f"links of task {plan.number}")
        places = {name: rng.random() * len(self._partners.get(name, ())) for name in usable}  # few partners: early
        while len(found.links) < wanted:
            own = {part.name for part in found.parts}
            near = places.keys() & {other for name in own for other in self._partners[name]} - tried
            by_rule = {name for name in near if self._by_rule.get(name, frozenset()) & own}
            name = min(by_rule or near, key=places.__getitem__, default=None)
            if name is None:
                break
            tried.add(name)
            more = self._with(plan, studied, found, name, rng, are_linked=True)
            found = max([found, *more], key=lambda each: len(each.links))
        return found

    def _filled(self, plan: TaskPlan, studied: StudiedWorld, found: Interlocked, usable: Sequence[str]) -> Interlocked:
        """Add scenarios that need not be linked, so that not all requests depend on others; ruled ones come first."""
        rng = random.Random(f"requests of task {plan.number}")
        wanted, wanted_denied = rng.choice(_REQUESTS), rng.choice(_DENIED)
        ruled = [name for name in usable if self._forms[name] in RULED]
        others = sorted(usable[:_FILLED_FROM], key=lambda name: self._forms[name] in LOOK_UPS)
        for name, denied in (*((name, True) for name in ruled), *((name, False) for name in others)):
            if len(found.parts) >= wanted:
                break
            if name in {part.name for part in found.parts} or (denied and _denials(found) >= wanted_denied):
                continue
            way = None if self._forms[name] in EACH else denied
            found = next(self._with(plan, studied, found, name, rng, way, are_linked=False), found)
        return found

    def _with(
        self,
        plan: TaskPlan,
        studied: StudiedWorld,
        found: Interlocked,
        name: str,
        rng: random.Random,
        denied: bool | None = None,
        *,
        are_linked: bool,
    ) -> Iterator[Interlocked]:
        """Yield the scenarios with one more of the same caller, at places in random order, all said as before.

        With `are_linked` there is one link more at least, and otherwise as many as there were.
        """
        asked = self._asked(plan, studied, found, name, denied)
        if asked is None:
            return
        other, own = asked
        told = found.telling.parts
        for place in rng.sample(range(len(told) + 1), len(told) + 1):
            if place and found.parts[place - 1].said_later > 0:
                continue  # nothing comes between what is said in one message
            before, behind = told[:place], told[place:]
            decides = any(may_decide(each, own, studied.domain) for each in before) or any(
                may_decide(own, each, studied.domain) for each in behind
            )
            if are_linked and not decides:
                continue
            parts = (*found.parts[:place], other, *found.parts[place:])
            try:
                telling = tell(studied.session, parts)
            except CannotCompose:
                continue
            if _words_of(telling.parts) == _words_of((*before, own, *behind)):
                calls = _wanted(telling, place)
                if any(calls & _wanted(telling, at) for at in range(len(parts)) if at != place):
                    continue  # nobody asks for the same twice
                if _is_undone(studied, parts, telling, place):
                    continue
                pairs = [(min(at, place), max(at, place)) for at in range(len(parts)) if at != place]
                own_links = (link_between(studied, parts, telling, *pair) for pair in pairs)
                if any(kind is not None for kind in own_links) != are_linked:
                    continue
                links = _links(studied, parts, telling)
                if len(links) > len(found.links) or (not are_linked and len(links) == len(found.links)):
                    yield Interlocked(found.lead, parts, telling, links)

    def _asked(
        self, plan: TaskPlan, studied: StudiedWorld, found: Interlocked, name: str, denied: bool | None
    ) -> tuple[ScenarioPart, ToldScenario] | None:
        """Return a scenario as the caller of the others can tell it, with its rows fixed; None if they cannot."""
        part = ScenarioPart(
            name,
            self._programs[name],
            seed_of(f"task {plan.number} {name}"),
            outside=False,
            caller=found.parts[0].caller,
            denied=denied,
            refuses=True,
        )
        for attempt in range(1 if denied is None else _ROWS_TRIED):
            try:
                own = tell(studied.session, [replace(part, seed=part.seed + attempt)]).parts[0]
                if part.caller is None or not go_together(found.telling.parts, own, studied):
                    return None
                fixed, telling = with_rows_fixed(studied, part, own)
            except OtherBranch:
                continue  # other rows of the caller
            except CannotCompose:
                return None
            return fixed, telling.parts[0]
        return None


def _words_of(told: Sequence[ToldScenario]) -> list[list[str]]:
    return [each.script.words for each in told]


def _is_undone(studied: StudiedWorld, parts: Sequence[ScenarioPart], telling: Telling, place: int) -> bool:
    """Return True if a request at a place changes a row of another one, and without one of them it ends the same."""
    told = telling.parts
    meeting = [at for at, each in enumerate(told) if at != place and each.changed & told[place].changed]
    for at in sorted({*meeting, place}) if meeting else ():
        rest = [replace(part, said_later=0, joined=False) for number, part in enumerate(parts) if number != at]
        try:
            without = tell(studied.session, rest)
        except CannotCompose:
            continue
        if any(_end_of(telling, row) == _end_of(without, row) for row in told[at].changed):
            return True
    return False


def _end_of(telling: Telling, row: RowName) -> object:
    return telling.changes.rows[row][1] if row in telling.changes.rows else None


def _links(studied: StudiedWorld, parts: Sequence[ScenarioPart], telling: Telling) -> tuple[Link, ...]:
    """Return the links between scenarios; between two that are done in another order than said, it is their order."""
    order = [Link(at, at + 1, "order") for at, part in enumerate(parts) if part.said_later > 0]
    pairs = [(link.earlier, link.later) for link in order]
    others = [link for link in links_of(studied, parts, telling) if (link.earlier, link.later) not in pairs]
    return (*others, *order)


def _said_out_of_order(studied: StudiedWorld, found: Interlocked) -> Iterator[Interlocked]:
    """Yield the scenarios with two of them said in one message, in the order in which a rule denies one of them."""
    parts, told = found.parts, found.telling.parts
    repeated = {part.name for part in parts if part.again}
    for at in range(len(parts) - 1):
        if repeated & {part.name for part in parts[at : at + 2]}:
            continue
        if not all(_is_one_request(each.script) for each in told[at : at + 2]):
            continue
        for first, second in ((at, at + 1), (at + 1, at)):
            pair = replace(parts[first], said_later=1, joined=True), replace(parts[second], said_later=-1)
            ordered = (*parts[:at], *pair, *parts[at + 2 :])
            try:
                telling = tell(studied.session, ordered)
                as_said = tell_as_said(studied.session, ordered, at)
            except CannotCompose:
                continue
            own = [told[first], told[second]]
            is_told_alike = _words_of(telling.parts) == _words_of([*told[:at], *own, *told[at + 2 :]])
            if not is_told_alike or _words_of(as_said.parts[at : at + 2]) != _words_of(own[::-1]):
                continue
            if _are_denied(telling.scripts[at : at + 2]) or not _are_denied(as_said.scripts[at : at + 2]):
                continue
            if [_wanted(telling, at), _wanted(telling, at + 1)] == [_wanted(as_said, at + 1), _wanted(as_said, at)]:
                yield Interlocked(found.lead, ordered, telling, _links(studied, ordered, telling))


def _made_again(studied: StudiedWorld, found: Interlocked) -> Iterator[Interlocked]:
    """Yield the scenarios with one of them refused first, and made again once another one took the cause away.

    Then it is allowed, or a duty still forbids it. Where a duty about refusals reads what the rule reads and yet lets
    the call pass, its words might mean that call, too; no task hinges on that.
    """
    told = found.telling.parts
    for link in found.links:
        own = told[link.later].script
        if link.kind != "rule" or not _is_one_request(own) or len(own.permissions) != 1:
            continue
        if own.permissions[0].rules or found.parts[link.later].said_later or found.parts[link.earlier].said_later > 0:
            continue
        first = found.parts[link.later]
        parts = [*found.parts[: link.later], replace(first, again=True), *found.parts[link.later + 1 :]]
        parts.insert(link.earlier, first)
        try:
            telling = tell(studied.session, parts)
        except CannotCompose:
            continue
        refused, later = telling.parts[link.earlier].script, telling.parts[link.later + 1].script
        others = [each for at, each in enumerate(telling.parts) if at not in (link.earlier, link.later + 1)]
        rest = [each for at, each in enumerate(told) if at != link.later]
        if _words_of(others) != _words_of(rest) or refused.words != own.words or not _are_denied([refused]):
            continue
        is_open = not later.permissions[0].rules and _may_stay(studied.domain, refused.permissions[0].rules[0])
        if is_open or len(refused.wishes) > 1 or refused.answers:
            continue
        again = Interlocked(found.lead, tuple(parts), telling, _links(studied, parts, telling))
        if _changed(again, link.later + 1):
            yield again


def _changed(found: Interlocked, at: int) -> bool:
    """Return True if a request that was refused is decided differently when it is made again, or by a duty."""
    first = next(place for place, part in enumerate(found.parts) if part.name == found.parts[at].name)
    before, now = found.telling.scripts[first], found.telling.scripts[at]
    rules = [[asked.rules for asked in script.permissions] for script in (before, now)]
    depends = any((link.later, link.kind) == (at, "rule") for link in found.links)
    return depends and _are_denied([before]) and rules[0] != rules[1]


def _may_stay(domain: Domain, code: str) -> bool:
    """Return True if a duty about refusals reads a table of which a rule decides."""
    rule = next(each for each in domain.rules.rules if each.code == code)
    return any(DECLINED in duty.reads and duty.reads & rule.reads for duty in domain.rules.duties)


def _wanted(telling: Telling, at: int) -> set[str]:
    """Return the calls that a scenario makes or asks rules about; in another order it may mean other records."""
    results = {
        number: call.result
        for script in telling.scripts[: at + 1]
        for number, call in enumerate(script.calls, script.first_step)
    }
    script = telling.scripts[at]
    made = [call.step for call in script.calls if call.changes and not is_desk_tool(call.step.tool)]
    asked = [each.call.step for each in script.permissions]
    return {json.dumps([each.tool, bind(each.arguments, results)], sort_keys=True) for each in (*made, *asked)}


def _is_one_request(script: Script) -> bool:
    """Return True if a scenario is one request in one message."""
    return len(script.wishes) == 1


def _are_denied(scripts: Sequence[Script]) -> bool:
    return any(asked.rules for script in scripts for asked in script.permissions)


def _denials(found: Interlocked) -> int:
    return sum(_are_denied([script]) for script in found.telling.scripts)
