"""Tell scenarios one after another on one session of a world, and join what they came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.domain.changes import Changes, RowName
from runtime.domain.people import IDENTIFICATION
from runtime.domain.schema import Key
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.task.paths import is_reference
from runtime.task.picks import NoSuchRow, OtherAnswer
from runtime.task.script import Script
from runtime.task.story import Program, tell_story
from runtime.task.task import Step

_CRASHES = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError, Rejection)


class Unfit(Exception):
    """No task comes of this number; its text is the reason, under which it is counted."""


class OtherBranch(Unfit):
    """The rules say of the rows that a scenario picked what is not planned; it may pick others."""


@dataclass(frozen=True)
class ScenarioPart:
    """A scenario of a task: its program, its seed, and the keys of the rows that it is about, by pick."""

    name: str
    program: Program
    seed: int
    pins: Mapping[int, Key] = field(default_factory=dict)
    outside: bool = True  # whether its wishes beyond the tools are told
    caller: Key | None = None  # who calls; drawn by the scenario if nobody is given
    denied: bool | None = None  # what the rules must say where they are asked about


@dataclass(frozen=True)
class ToldScenario:
    """What one scenario came to, and what it did to the state that it was told on."""

    script: Script
    picks: tuple[tuple[str, Key], ...]
    changed: frozenset[RowName]


@dataclass(frozen=True)
class Telling:
    """What the scenarios came to, one after another; step numbers count on through all of them."""

    parts: tuple[ToldScenario, ...]
    changes: Changes
    outcome: tuple[Any, ...]  # equal for two worlds exactly if the user says, gets and is told the same on both

    @property
    def picks(self) -> tuple[tuple[str, Key], ...]:
        """Every row that was picked, and that of the caller, once."""
        return tuple(dict.fromkeys(pick for part in self.parts for pick in part.picks))

    @property
    def caller(self) -> Key | None:
        """The key of who calls, where a scenario says so."""
        return next((script.caller for script in self.scripts if script.caller is not None), None)

    @property
    def scripts(self) -> tuple[Script, ...]:
        """The scripts in the order in which they were told."""
        return tuple(part.script for part in self.parts)

    @property
    def chain(self) -> list[Step]:
        """The reference chain of all."""
        return [step for script in self.scripts for step in script.chain]


def tell(session: Session, parts: Sequence[ScenarioPart], like: Telling | None = None) -> Telling:
    """Tell scenarios from the start of a session; picks read its world, calls run on what earlier scenarios left.

    Errors: Unfit, also at the first scenario that does not come to the same as in `like`.
    """
    told: list[ToldScenario] = []
    policies = session.domain.policies
    session.reset()
    for part in parts:
        before = dict(session.changes.rows)
        script, picks = _tell_one(session, part, told)
        changed = frozenset(
            name
            for name, change in session.changes.rows.items()
            if before.get(name) != change and name[0] not in {*policies.logs, IDENTIFICATION}
        )
        told.append(ToldScenario(script, picks, changed))
        if like is not None and _outcome_of(script) != like.outcome[0][len(told) - 1]:
            raise Unfit("a scenario comes to something else")
    changes = session.changes
    outcome = (tuple(_outcome_of(each.script) for each in told), changes.digest(0, policies))
    if like is not None and outcome != like.outcome:
        raise Unfit("the scenarios change something else")
    return Telling(tuple(told), changes, outcome)


def retell(parts: Sequence[ScenarioPart], session: Session, number: int) -> Telling | None:
    """The telling of scenarios whose rows are fixed, on another world; None if they cannot be told there.

    One of them may have picked its row by what is otherwise there: then it picks once more for the same caller.
    """
    free = [replace(part, pins={}) if at == number else part for at, part in enumerate(parts)]
    for each in (parts, free):
        try:
            return tell(session, each)
        except Unfit:
            continue
    return None


def said_alike(one: ToldScenario, other: ToldScenario) -> bool:
    """Whether a scenario came to the same words, answers and tools in two tellings."""
    one_said, other_said = (
        (tuple(each.words), _answers_of(each), _tools_of(each)) for each in (one.script, other.script)
    )
    return one_said == other_said


def _tell_one(
    session: Session, part: ScenarioPart, earlier: Sequence[ToldScenario]
) -> tuple[Script, tuple[tuple[str, Key], ...]]:
    steps = sum(len(each.script.calls) for each in earlier)
    wishes = sum(len(each.script.words) for each in earlier)
    identified = next((each.script.identified for each in reversed(earlier) if each.script.identified), None)
    try:
        script = tell_story(
            part.program,
            session,
            part.seed,
            pins=part.pins,
            outside=part.outside,
            caller=part.caller,
            denied=part.denied,
            identified=identified,
            first_step=steps,
            first_wish=wishes,
        )
    except OtherAnswer:
        raise OtherBranch(f"no row that the rules {'deny' if part.denied else 'permit'}") from None
    except NoSuchRow:
        raise Unfit("no row for the scenario") from None
    except EnvironmentFault:
        raise Unfit("a call is rejected") from None
    except _CRASHES:
        raise Unfit("the scenario crashes") from None
    people = session.domain.people
    own = () if script.caller is None or people is None else ((people.table, script.caller),)
    return script, tuple(dict.fromkeys((*script.picks, *own)))


def _outcome_of(script: Script) -> tuple[Any, ...]:
    return tuple(script.words), _answers_of(script), _calls_of(script)


def _answers_of(script: Script) -> tuple[Any, ...]:
    return tuple((answer.name, answer.value, answer.source) for answer in script.answers)


def _tools_of(script: Script) -> tuple[str, ...]:
    """The tools that are called, but for finding and identifying the caller, which the first scenario does."""
    known = script.identified.steps if script.identified is not None else ()
    first = script.first_step
    return tuple(call.step.tool for number, call in enumerate(script.calls, first) if number not in known)


def _calls_of(script: Script) -> tuple[Any, ...]:
    """The calls without the places that results stand at: these may differ, and what they hold shows in the rows."""
    return tuple(
        (call.step.tool, tuple((name, _literal(value)) for name, value in sorted(call.step.arguments.items())))
        for call in script.calls
    )


def _literal(value: Any) -> Any:
    if isinstance(value, Mapping):
        return "a result" if is_reference(value) else tuple((name, _literal(part)) for name, part in value.items())
    return tuple(map(_literal, value)) if isinstance(value, list) else value
