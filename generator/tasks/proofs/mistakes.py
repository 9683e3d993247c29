"""Wrong chains: what a mistaken agent does in place of the right thing is accepted by the tools, and not rewarded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.changes import Changes
from runtime.errors import EnvironmentFault
from runtime.task.mistakes import fingerprint
from runtime.task.read_back import told_value
from runtime.task.script import Permission, Script
from runtime.task.task import Step, bind

NEEDED = frozenset(
    {"ambiguous", "looked_up", "denied", "fallback", "mistaken", "conditional", "best_of", "all_but", "changed_mind"}
    | {"coupled"}
)
"""The forms of which at least one mistake must be known."""


@dataclass(frozen=True)
class WrongWay:
    """A mistake: in one scenario, what is done after so many of its calls, and what is told instead."""

    name: str
    scenario: int
    after: int
    turn: tuple[Step, ...]
    told: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WrongEnd:
    """What a mistake came to: the step that was rejected in a sentence, or the changes and what was told."""

    rejected: str
    changes: Changes
    told: Mapping[str, str]


def try_mistakes(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """Whether each known mistake is "accepted" and not "rewarded", and whether each scenario has one that needs one."""
    ways = list(wrong_ways(candidate))
    for number, script in enumerate(candidate.scripts):
        if script.form in NEEDED:
            lacks = not any(way.scenario == number for way in ways)
            yield Trial("known", f"No mistake is known of a scenario of the form {script.form}." if lacks else "")
    for way in ways:
        end = play_wrong(replayer, candidate, way)
        if end.rejected:
            yield Trial("accepted", f"An agent that {way.name}: {end.rejected}")
        else:
            rewarded = replayer.reward(end.changes, end.told)
            yield Trial("rewarded", f"An agent that {way.name} is rewarded." if rewarded else "")


def fingerprints(replayer: TaskReplayer, candidate: Candidate) -> dict[str, str]:
    """The ends of a candidate's known mistakes, by name; those that end alike share the first one's."""
    found: dict[str, str] = {}
    for way in wrong_ways(candidate):
        end = play_wrong(replayer, candidate, way)
        mark = fingerprint(end.changes, end.told, replayer.domain.schema, replayer.policies)
        if not end.rejected and mark not in found.values():
            name = way.name if way.name not in found else f"{way.name}, {candidate.scripts[way.scenario].form}"
            found.setdefault(name, mark)
    return found


def wrong_ways(candidate: Candidate) -> Iterator[WrongWay]:
    """The mistakes that the scenarios show, and those that follow from their forms."""
    for number, script in enumerate(candidate.scripts):
        for chain in script.wrong:
            told = {name: told_value(answer) for name, answer in chain.told.items()}
            yield WrongWay(chain.name, number, chain.after, chain.turn, told)
        for asked in script.permissions:
            if asked.rules:
                yield WrongWay("complies against a rule", number, asked.after, (asked.call.step,))
            elif (refusal := _needless_refusal(candidate, script, asked)) is not None:
                yield WrongWay("refuses what is permitted", number, asked.after, (refusal,))
        if script.form in ("changed_mind", "coupled"):
            last = next((at for at in range(len(script.calls) - 1, -1, -1) if script.calls[at].changes), 0)
            name = "leaves a wish out" if script.form == "coupled" else "does not hear the change of mind"
            yield WrongWay(name, number, last, ())


def play_wrong(replayer: TaskReplayer, candidate: Candidate, way: WrongWay) -> WrongEnd:
    """Play the chain with a mistake in one scenario, which ends with it; the others go on as they are."""
    results: dict[int, Mapping[str, Any]] = {}
    replayer.go_to(replayer.beginning)
    replayer.leave()
    first, failed = 0, ""
    for number, script in enumerate(candidate.scripts):
        steps: Sequence[Step] = script.chain
        if number == way.scenario:
            steps = [*steps[: way.after], *way.turn]
        for at, step in enumerate(steps, first):
            try:
                arguments = bind(step.arguments, results)
            except (EnvironmentFault, KeyError):
                continue  # it needs what the mistaken agent never looked up
            outcome = replayer.session.perform(step.tool, arguments)
            if outcome.rejection is not None:
                failed = failed or f"step {at} ({step.tool}) is rejected: {outcome.rejection.sentence}"
            elif outcome.result is not None:
                results[at] = outcome.result
        first += len(script.calls)
    return WrongEnd(failed, replayer.session.changes, {**replayer.told, **way.told})


def _needless_refusal(candidate: Candidate, script: Script, asked: Permission) -> Step | None:
    """The note of a refusal under a rule that the call was judged by, although it permits it."""
    domain = candidate.domain
    refusal = domain.people.refusal if domain.people is not None else None
    rules = domain.rules.on(asked.call.step.tool)
    if refusal is None or script.caller is None or not rules:
        return None
    noted: dict[str, Any] = {**refusal.given, refusal.person: script.caller[0]}
    about = rules[-1].on[asked.call.step.tool]
    if refusal.row and about is not None:
        noted[refusal.row] = asked.call.step.arguments[about]
    if refusal.rule:
        noted[refusal.rule] = rules[-1].code
    return Step(tool=refusal.tool, arguments=noted, wish=asked.call.step.wish)
