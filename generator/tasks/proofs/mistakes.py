"""Wrong chains: what a mistaken agent does in place of the right thing is accepted by the tools, and not rewarded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from generator.tasks.proofs.replayer import Candidate, TaskReplayer, Trial
from generator.tasks.telling import (
    CannotCompose,
    NotThere,
    ScenarioPart,
    Telling,
    tell,
    tell_as_said,
    tell_without,
)
from runtime.domain.caller_rules import people_key, subjects_of
from runtime.domain.changes import Changes, RowChange, RowName
from runtime.domain.people import DECLINE, IDENTIFICATION, is_desk_tool
from runtime.errors import EnvironmentFault, Rejection
from runtime.task.judge import unmet_checks
from runtime.task.mistakes import (
    AS_SAID,
    CARELESS,
    COMPLIES,
    FIRST_ONLY,
    NEWEST,
    REFUSES,
    STALE,
    TRUSTS,
    fingerprint,
    mistaken,
    newest_first,
)
from runtime.task.origin import find_at, is_reference, leaves_of, path_of, put_at, reference_to
from runtime.task.script import Permission, Script
from runtime.task.task import EndCheck, Mistake, Step, bind, replay
from runtime.task.values import told_value

NEEDED = frozenset(
    {"ambiguous", "looked_up", "denied", "fallback", "mistaken", "conditional", "best_of", "all_but", "changed_mind"}
    | {"coupled", "each"}
)
"""The forms of which mistakes must be known."""

FEWEST = 2  # mistakes of such a scenario
_OTHERS_TRIED = 3  # entries of a list that are taken for the one that is meant


@dataclass(frozen=True)
class WrongWay:
    """A mistake in one scenario; those that are `derived` from its form need not be accepted by the tools."""

    mistake: Mistake  # without where it ends
    scenario: int
    derived: bool = True


@dataclass(frozen=True)
class WrongEnd:
    """The outcome of a mistake: a sentence on the rejected step, or the changes and what was told."""

    rejected: str
    changes: Changes
    told: Mapping[str, str]


class MistakeFinder:
    """The known mistakes of a candidate, each made once."""

    def __init__(self, replayer: TaskReplayer, candidate: Candidate) -> None:
        self._replayer, self._candidate = replayer, candidate

    @property
    def scripts(self) -> Sequence[Script]:
        """The scenarios of the candidate."""
        return self._candidate.scripts

    @property
    def parts(self) -> Sequence[ScenarioPart]:
        """The scenarios, each with its rows fixed."""
        return self._candidate.parts

    @cached_property
    def ends(self) -> list[tuple[WrongWay, WrongEnd]]:
        """Each mistake with its outcome; of those derived from a form, only those that the tools accept."""
        found: list[tuple[WrongWay, WrongEnd]] = []
        swapped: set[int] = set()  # scenarios in which one entry was taken for another
        for way in _wrong_ways(self._replayer, self._candidate):
            if way.mistake.name in _SWAPS and way.scenario in swapped:
                continue
            end = end_of_mistake(self._replayer, way.mistake)
            if end.rejected and way.derived:
                continue
            found.append((way, end))
            if way.mistake.name in _SWAPS:
                swapped.add(way.scenario)
        return found

    @property
    def known(self) -> list[Mistake]:
        """The mistakes with their fingerprints; of those that end alike, the first, and those of a careless player."""
        found: dict[tuple[str, str], Mistake] = {}
        for way, end in self.ends:
            if not end.rejected:
                mark = fingerprint(end.changes, end.told, self._replayer.domain.schema, self._replayer.policies)
                careless = way.mistake.name if way.mistake.name in CARELESS else ""
                found.setdefault((mark, careless), way.mistake.model_copy(update={"end": mark}))
        return list(found.values())


def empty_checks(replayer: TaskReplayer, finder: MistakeFinder | None = None) -> list[EndCheck]:
    """Return the checks of a task that hold at its start and after all its known mistakes, and so say nothing."""
    task, domain = replayer.task, replayer.domain
    ends = (
        [end_of_mistake(replayer, each) for each in task.mistakes]
        if finder is None
        else [end for _, end in finder.ends]
    )
    states = [Changes(), *(end.changes for end in ends if not end.rejected)]
    failed = {check.claim for state in states for check in unmet_checks(task, domain, replayer.world, state)}
    return [check for check in task.checks if check.claim not in failed]


def try_checks(replayer: TaskReplayer, finder: MistakeFinder | None = None) -> Iterator[Trial]:
    """Whether each "check" fails somewhere."""
    empty = empty_checks(replayer, finder) if replayer.task.checks else []
    for check in replayer.task.checks:
        fault = f"The check {check.claim!r} holds at the start and after each known mistake; it says nothing."
        yield Trial("check", fault if check in empty else "")


def try_mistakes(replayer: TaskReplayer, finder: MistakeFinder) -> Iterator[Trial]:
    """Whether each known mistake is "accepted" and not "rewarded", and whether each scenario has enough of them."""
    for number, script in enumerate(finder.scripts):
        if script.form in NEEDED:
            count = sum(way.scenario == number for way, _ in finder.ends)
            names = [way.mistake.name for way, _ in finder.ends if way.scenario == number]
            few = (
                f"Of a scenario of the form {script.form} only {count} of {FEWEST} mistakes are known"
                f"{f' ({names[0]!r})' if names else ''}; show another that the tools accept in "
                "`with story.wrong(...)`, in this branch, too."
            )
            yield Trial("known", few if count < FEWEST else "")
        if script.misremembered:
            yield from _try_misremembered(replayer, finder, number)
    for way, end in finder.ends:
        who = f"An agent that {way.mistake.name}"
        if end.rejected:
            yield Trial("accepted", f"{who}: {end.rejected}")
            continue
        rewarded = replayer.reward(end.changes, end.told)
        yield Trial("rewarded", f"{who} is rewarded." if rewarded else "")


def _try_misremembered(replayer: TaskReplayer, finder: MistakeFinder, number: int) -> Iterator[Trial]:
    """Whether what the user says wrong is seen to be wrong where it is "trusted", and the truth cannot be "guessed"."""
    script, wrong = finder.scripts[number], finder.scripts[number].misremembered
    fault = f"No look-up and no rule shows that {wrong!r} is wrong; go on with what `story.misremembers` returns."
    try:
        chain = _tell_trusting(replayer, finder.parts, number).chain
        yield Trial("trusted", "" if _is_forbidden(replayer, chain) else fault)
    except NotThere:
        yield Trial("trusted")
    except CannotCompose as unfit:
        yield Trial("trusted", f"Taking {wrong!r} for true does not show that it is wrong: {unfit}.")
    names = {*_SWAPS, *(each.name for each in script.wrong)} - {TRUSTS}
    guesses = [way.mistake for way, _ in finder.ends if way.scenario == number and way.mistake.name in names]
    guessed = any(not _is_forbidden(replayer, mistaken(replayer.task, [guess]).chain) for guess in guesses)
    few = f"Nothing else can be taken for what {wrong!r} is to be; show what a guess takes in `with story.wrong(...)`."
    yield Trial("guessed", "" if guessed else few)


def _tell_trusting(replayer: TaskReplayer, parts: Sequence[ScenarioPart], number: int) -> Telling:
    """Tell scenarios up to one in which what the user says wrong at first is taken for true.

    Errors: NotThere if a look-up finds nothing or a call is rejected before anything is changed, CannotCompose.
    """
    session, trusting = replayer.session, replace(parts[number], trusts=True, refuses=False, denied=None)
    before = _rows_changed(replayer, tell(session, parts[:number]).changes)
    try:
        return tell(session, [*parts[:number], trusting])
    except NotThere:
        if _rows_changed(replayer, session.changes) != before:
            raise CannotCompose("something is changed before it shows") from None
        raise


def _rows_changed(replayer: TaskReplayer, changes: Changes) -> dict[RowName, RowChange]:
    left_out = {*replayer.domain.policies.logs, IDENTIFICATION}
    return {name: change for name, change in changes.rows.items() if name[0] not in left_out}


def _is_forbidden(replayer: TaskReplayer, chain: Sequence[Step]) -> bool:
    """Return True if a rule forbids a step of a chain that the tools accept."""
    replayer.strict.reset()
    try:
        replay(replayer.strict, chain)
    except Rejection:
        return True
    return False


def try_known_mistakes(replayer: TaskReplayer) -> Iterator[Trial]:
    """Whether each mistake that a task's line holds ends as the line says and is not "rewarded"."""
    for mistake in replayer.task.mistakes:
        newest = [each for each in replayer.task.mistakes if (each.name, each.end) == (NEWEST, mistake.end)]
        end = _end_of_newest(replayer, newest) if newest else end_of_mistake(replayer, mistake)
        mark = fingerprint(end.changes, end.told, replayer.domain.schema, replayer.policies)
        fault = f"An agent that {mistake.name} is rewarded." if replayer.reward(end.changes, end.told) else ""
        yield Trial("rewarded", fault or f"An agent that {mistake.name} ends elsewhere." * (mark != mistake.end))


def _end_of_newest(replayer: TaskReplayer, pair: Sequence[Mistake]) -> WrongEnd:
    """Play a day with the newest message first, in which one of two senders gets what the other one wrote for first."""
    session = replayer.session
    session.reset()
    replay(session, newest_first(mistaken(replayer.task, pair)).chain)
    return WrongEnd("", session.changes, replayer.told)


def _wrong_ways(replayer: TaskReplayer, candidate: Candidate) -> Iterator[WrongWay]:
    """Yield the mistakes that follow from what rules say and from the forms, and those that the scenarios show."""
    first = 0
    for number, script in enumerate(candidate.scripts):
        ways = _Ways(replayer, candidate, number, first)
        made = (*ways.of_rules(), *ways.shown(), *ways.of_form(), *ways.of_trust(number), *ways.of_links(number))
        for mistake, derived in made:
            yield WrongWay(mistake, number, derived)
        first += len(script.calls)


FIRST, ANOTHER = "takes the first that fits", "takes another than is meant"
_SWAPS = (FIRST, ANOTHER)


class _Ways:
    """The mistakes that can be made in one scenario."""

    def __init__(self, replayer: TaskReplayer, candidate: Candidate, number: int, first: int) -> None:
        self._replayer, self._candidate, self._domain = replayer, candidate, candidate.domain
        self._script, self._first = (script := candidate.scripts[number]), first
        self._is_made_again = candidate.is_made_again(number)
        self._chain = script.chain
        logs = candidate.domain.policies.logs
        tools = candidate.domain.tools
        self._writes = [
            at
            for at, step in enumerate(self._chain)
            if tools[step.tool].writes - logs and not is_desk_tool(step.tool) and script.calls[at].changes
        ]

    def of_rules(self) -> Iterator[tuple[Mistake, bool]]:
        """Complying where a rule denies, at once or when the user insists; refusing what is permitted."""
        if self._script.form == "each":
            yield from self._of_set(self._script.permissions)
            return
        for asked in self._script.permissions:
            call = asked.call.step
            rules = [rule.code for rule in self._domain.rules.on(call.tool)][::-1]
            if asked.rules:
                yield self._instead(COMPLIES, asked.after, [call]), False
                if not self._is_made_again:  # then the same may be done at last, and only the call itself is wrong
                    yield self._instead("gives in after refusing", len(self._chain), [call]), True
            elif rules and (refusal := self._refused(call, rules[0])) is not None:
                yield self._instead(REFUSES, asked.after, [refusal]), False
            others = [code for code in rules[not asked.rules :] if code not in asked.rules]
            if others and (refusal := self._refused(call, others[0])) is not None:
                yield self._instead("refuses under another rule", asked.after, [refusal]), True

    def _of_set(self, asked: Sequence[Permission]) -> Iterator[tuple[Mistake, bool]]:
        """Deciding wrongly of one record of a set, and deciding of all as of the first one."""
        first, like_first = asked[0], list(self._chain[asked[0].after :])
        for each in asked:
            code = first.rules[0] if first.rules else ""
            other = each.call.step if each.rules else self._refused(each.call.step, code)
            if other is not None:
                rest = self._chain[each.after + 1 :]
                yield self._instead(COMPLIES if each.rules else REFUSES, each.after, [other, *rest]), False
                if bool(each.rules) != bool(first.rules):
                    like_first[each.after - first.after] = other
        if len({bool(each.rules) for each in asked}) > 1:
            yield self._instead(FIRST_ONLY, first.after, like_first), True

    def shown(self) -> Iterator[tuple[Mistake, bool]]:
        """Yield what the scenario itself shows."""
        for chain in self._script.wrong:
            told = {name: told_value(answer) for name, answer in chain.told.items()}
            yield self._instead(chain.name, chain.after, chain.turn, told), False

    def of_form(self) -> Iterator[tuple[Mistake, bool]]:
        """Yield what the form of the scenario leads to."""
        form, writes = self._script.form, self._writes
        if form == "coupled":
            for wish in dict.fromkeys(self._chain[at].wish for at in writes):
                first = next(at for at in writes if self._chain[at].wish == wish)
                rest = [step for step in self._chain[first:] if step.wish != wish]
                yield self._instead("leaves a wish out", first, rest), True
        elif form == "changed_mind" and writes:
            yield self._instead("does not hear the change of mind", writes[-1], []), False
        elif form == "all_but" and len(writes) > 1:
            yield self._instead("stops before the last one", writes[-1], []), True
        if form != "direct":
            yield from self._swaps()
        if form in NEEDED and not self._script.permissions and self._chain:
            last = writes[-1] if writes else len(self._chain) - 1
            refusal = self._refused(self._chain[last])
            if refusal is not None:
                yield self._instead(REFUSES, last if writes else last + 1, [refusal], silent=True), True

    def of_trust(self, number: int) -> Iterator[tuple[Mistake, bool]]:
        """Yield acting on what the user says wrong at first, where the tools accept it."""
        if self._script.misremembered:
            with suppress(CannotCompose):
                there = _tell_trusting(self._replayer, self._candidate.parts, number).scripts[number]
                answers = {answer.name: told_value(answer) for answer in there.answers}
                yield self._instead(TRUSTS, 0, there.chain, answers), False

    def of_links(self, number: int) -> Iterator[tuple[Mistake, bool]]:
        """Yield what would be right without an earlier request: an agent decides so that looked before it wrote."""
        parts, told = self._candidate.parts, tell(self._replayer.session, self._candidate.parts).parts
        for link in self._candidate.links:
            if link.later == number and link.kind == "order":
                with suppress(CannotCompose):
                    as_said = tell_as_said(self._replayer.session, parts, link.earlier)
                    start = self._first - len(told[link.earlier].script.calls)
                    turn = [step for each in as_said.scripts[link.earlier : number + 1] for step in each.chain]
                    answers = {each.name: told_value(each) for script in as_said.scripts for each in script.answers}
                    stop = self._first + len(self._chain)
                    yield Mistake(name=AS_SAID, start=start, stop=stop, turn=turn, told=answers, end=""), True
            elif link.later == number:
                with suppress(CannotCompose):
                    there = tell_without(self._replayer.session, parts, told, link.earlier, number)
                    answers = {answer.name: told_value(answer) for answer in there.answers}
                    yield self._instead(STALE, 0, there.chain, answers), True

    def _swaps(self) -> Iterator[tuple[Mistake, bool]]:
        """Yield the first writing step that takes an entry of a list, with another entry of it."""
        for at in self._writes:
            for _, value in leaves_of(self._chain[at].arguments):
                if not is_reference(value):
                    continue
                path = path_of(value)
                place = next((n for n, part in enumerate(path) if isinstance(part, int)), None)
                if place is None:
                    continue
                step, index = value["$step"], path[place]
                entries = find_at(self._replayer.reference[step].result, path[:place]) or []
                others = [number for number in range(len(entries)) if number != index][:_OTHERS_TRIED]
                for other in others:
                    place_now, place_then = (*path[:place], index), (*path[:place], other)
                    turn = [_swapped(each, step, place_now, place_then) for each in self._chain[at:]]
                    yield self._instead(FIRST if other == 0 else ANOTHER, at, turn), True
                if others:
                    return

    def _instead(
        self, name: str, after: int, turn: Sequence[Step], told: Mapping[str, str] | None = None, silent: bool = False
    ) -> Mistake:
        """Return a mistake with which the scenario ends."""
        if silent:
            told = {answer.name: "" for answer in self._script.answers}
        start, stop = self._first + after, self._first + len(self._chain)
        return Mistake(name=name, start=start, stop=stop, turn=list(turn), told=dict(told or {}), end="")

    def _refused(self, call: Step, code: str = "") -> Step | None:
        """Return the note of a refusal of a call: under a rule that it was judged by, or else under any."""
        domain, people, rules = self._domain, self._domain.people, self._domain.rules.on(call.tool)
        caller = self._replayer.task.caller
        if people is None or DECLINE not in domain.tools or caller is None or not domain.rules.rules:
            return None
        key = people_key(people, domain.schema)
        free = [each for each in domain.rules.rules if key in subjects_of(each, people, domain.schema)]
        if not rules and not free:
            return None
        rule = next((each for each in rules if each.code == code), rules[-1] if rules else free[-1])
        about = rule.on.get(call.tool)
        named = (value for path, value in leaves_of(call.arguments) if path and path[0] == about)
        noted: dict[str, Any] = {
            key: caller.key[0],
            "subject_id": next(named, caller.key[0]),  # of a batch its first item
            "rule_code": rule.code,
        }
        return Step(tool=DECLINE, arguments=noted, wish=call.wish)


def _swapped(step: Step, number: int, now: tuple[str | int, ...], then: tuple[str | int, ...]) -> Step:
    """Return a step with what it takes of one place in a result taken of another one."""
    arguments: dict[str, Any] = dict(step.arguments)
    for leaf, value in list(leaves_of(step.arguments)):
        if is_reference(value) and value["$step"] == number and path_of(value)[: len(now)] == now:
            arguments = put_at(arguments, leaf, reference_to(number, (*then, *path_of(value)[len(now) :])))
    return step.model_copy(update={"arguments": arguments})


def end_of_mistake(replayer: TaskReplayer, mistake: Mistake) -> WrongEnd:
    """Play the chain with a mistake in it; what needs something that the mistaken agent never looked up is left out."""
    results: dict[int, Mapping[str, Any]] = {}
    own: dict[int, Mapping[str, Any]] = {}  # of the mistake's own steps
    steps = [
        *((each.number, each.tool, each.arguments, False) for each in replayer.plan[: mistake.start]),
        *((number, each.tool, each.arguments, True) for number, each in enumerate(mistake.turn, mistake.start)),
        *((each.number, each.tool, each.arguments, False) for each in replayer.plan[mistake.stop :]),
    ]
    replayer.session.reset()
    failed = ""
    for number, tool, written, is_own in steps:
        try:
            arguments = bind(written, {**results, **own} if is_own else results)
        except (EnvironmentFault, KeyError):
            continue
        outcome = replayer.session.perform(tool, arguments)
        if outcome.rejection is not None and (is_own or number < mistake.stop):  # what follows may be in its way
            failed = failed or f"step {number} ({tool}) is rejected: {outcome.rejection.sentence}"
        if outcome.result is not None:
            (own if is_own else results)[number] = outcome.result
    told = {name: value for name, value in {**replayer.told, **mistake.told}.items() if value}
    replayer.session.settle()
    return WrongEnd(failed, replayer.session.changes, told)
