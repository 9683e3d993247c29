"""Proofs of tasks with a clock that moves: that waiting is needed, how long, for what news, and when it is too late."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from generator.tasks.proofs.replayer import Candidate, PlannedStep, TaskReplayer, Trial
from generator.tasks.telling import CannotCompose, Telling, tell
from runtime.domain.caller_rules import IDENTIFIED_FIRST, OWN_RECORDS
from runtime.domain.changes import Changes
from runtime.domain.waiting import WAIT
from runtime.errors import EnvironmentFault
from runtime.session.clock import ClockPlan, ClockState, Event
from runtime.session.session import Session
from runtime.task.origin import steps_named
from runtime.task.task import bind
from runtime.verification.verify import is_rewarded


class _LawfulOffice(Session):
    """A session that notes which of its own rules the office breaks by what it does by itself, by event."""

    def __init__(self, replayer: TaskReplayer) -> None:
        super().__init__(replayer.domain, replayer.world)
        self.broken: dict[str, str] = {}

    def apply_event(self, event: Event) -> str:
        if event.call is not None:
            self._show_time()
            for each in self.forbidding(event.call.tool, event.call.arguments):
                if each.rule not in (IDENTIFIED_FIRST, OWN_RECORDS):  # nobody has to tell the office who they are
                    self.broken.setdefault(event.id, each.rule)
        return super().apply_event(event)


def try_settled(replayer: TaskReplayer) -> Iterator[Trial]:
    """Whether each "event" happens with the chain or without it, is never refused, and breaks no rule of its own office
    where it is a call; and the same in another "life": parked after each step, and forked before it."""
    if replayer.task.clock is None:
        return
    final, untouched = replayer.final.clock, replayer.untouched.clock
    happened = {each.event for each in (*final.fired, *untouched.fired)}
    broken = dict[str, str]()
    for steps in (replayer.plan, ()):
        office = _LawfulOffice(replayer)
        with office:
            _play(office, steps)
            broken |= office.broken
    for event in replayer.task.clock.events:
        faults = [each.fault for each in (*final.fired, *untouched.fired) if each.event == event.id and each.fault]
        never = f"The event {event.id!r} never happens, whether the chain is played or not."
        said = [f"The event {event.id!r} is refused: {fault}" for fault in faults]
        if event.id in broken:
            said.append(f"The event {event.id!r} breaks {broken[event.id]}, a rule of its own office.")
        yield Trial("event", next(iter(said), "" if event.id in happened else never))
    with Session(replayer.domain, replayer.world) as first:
        session, results = first, list[Mapping[str, Any]]()
        for step in replayer.task.chain:
            session = session.fork()
            results.append(session.call(step.tool, **bind(step.arguments, results)))
            session.park()
        session.settle()
        same = (session.changes, session.clock.state) == (replayer.final.changes, final)
        session.close()
    yield Trial("life", "" if same else "Forked and parked between its steps, the chain ends elsewhere.")


def try_patience(replayer: TaskReplayer) -> Iterator[Trial]:
    """Try the chain of an "eager" agent, which never waits, and of a "sleeper", who waits to the end first.

    An inbox may be left until the evening: no message in it closes.
    """
    if replayer.task.clock is None:
        return
    waits = [step for step in replayer.plan if step.tool == WAIT]
    yield Trial("waits", "" if waits else "Nobody has to wait for anything: the chain has no wait.")
    eager = [step for step in replayer.plan if step.tool != WAIT]
    yield _refused(replayer, eager, "eager", "Never waiting is rewarded.")
    if replayer.domain.card.desk == "inbox":
        return
    yield _refused(replayer, _after(replayer, replayer.task.clock.until), "sleeper", "Waiting to the end is rewarded.")


def try_haste(replayer: TaskReplayer) -> Iterator[Trial]:
    """Try each "wait" of the chain one second shorter than what it waits for."""
    for step in replayer.plan if replayer.task.clock is not None else ():
        if step.tool != WAIT:
            continue
        before, after = (replayer.state_before(number).clock for number in (step.number, step.number + 1))
        moment = _last_of(before, after)
        if moment is None:
            yield Trial("wait", f"Nothing happens during step {step.number}, which waits.")
            continue
        until = _moment(replayer, moment - 1)
        shorter = replace(step, arguments={"until": until, "until_notice": False})
        steps = [shorter if each is step else each for each in replayer.plan]
        fault = f"Step {step.number} can wait until a second before anything happens, and is rewarded."
        yield _refused(replayer, steps, "wait", fault)


def try_window(replayer: TaskReplayer) -> Iterator[Trial]:
    """For each event that the chain forestalls: beginning a second before it is "early" enough, and at it "late"."""
    if replayer.task.clock is None:
        return
    done = {each.event for each in replayer.final.clock.fired}
    closing = [each for each in replayer.untouched.clock.fired if each.event not in done]
    forms = {wish.form for wish in replayer.task.user.wishes}
    if "before_it_closes" in forms:
        yield Trial("closes", "" if closing else "Nothing closes while the chain is not played.")
    for each in closing[:1]:  # those after it need not hinder anybody
        early = replayer.play(_after(replayer, _moment(replayer, each.at - 1))).changes
        fault = f"Beginning a second before the event {each.event!r} is not rewarded."
        yield Trial("early", "" if replayer.judged.is_rewarded(early) else fault)
        late = _after(replayer, _moment(replayer, each.at))
        yield _refused(replayer, late, "late", f"Beginning at the event {each.event!r} is rewarded.")


def try_quiet(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """Where the events that may happen do not, or do, or where nothing ever happens, the "chain" is wrong.

    Of events that may happen or not, what is right where it comes "differently" is wrong "here".
    """
    for number, script in enumerate(candidate.scripts):
        if not script.until:
            continue
        parts = list(candidate.parts)
        parts[number] = replace(parts[number], events="flipped" if script.has_maybe else "none")
        telling: Telling | None = None
        with Session(replayer.domain, replayer.world) as there:
            try:
                telling = tell(there, parts)
            except CannotCompose as unfit:
                if script.has_maybe:
                    yield Trial("differently", f"Where it comes differently nothing is right: {unfit}.")
                    continue
            there.reset()
            there.plan_for(telling.plan if telling is not None else ClockPlan(until=script.until))
            left, accepted = _play(there, replayer.plan)
        right = accepted and (telling is None or _is_right(replayer, telling, left))
        yield Trial("chain", "The chain is right whatever happens." * right)
        if telling is None or not script.has_maybe:
            continue
        alike = [each.wishes for each in telling.scripts] == [each.wishes for each in candidate.scripts]
        yield Trial("differently", "" if alike else "Where it comes differently the user says something else.")
        steps = [
            PlannedStep(at, step.tool, step.arguments, frozenset(steps_named(step.arguments)), writes=True)
            for at, step in enumerate(telling.chain)
        ]
        fault = "What is right where it comes differently is rewarded here, too."
        yield _refused(replayer, steps, "here", fault)


def _is_right(replayer: TaskReplayer, telling: Telling, actual: Changes) -> bool:
    schema, dictated = replayer.domain.schema, replayer.dictated
    return is_rewarded(schema, replayer.policies, telling.changes, actual, dictated=dictated)


def _play(session: Session, steps: Sequence[PlannedStep]) -> tuple[Changes, bool]:
    """Return the end of an agent that goes on when it is refused or does not find what it looks for, and whether all
    was accepted."""
    results: dict[int, Mapping[str, Any]] = {}
    for step in steps:
        if not step.needs <= results.keys():
            continue
        try:
            arguments = bind(step.arguments, results)
        except EnvironmentFault:  # an earlier list does not show it here
            continue
        outcome = session.perform(step.tool, arguments)
        if outcome.result is not None:
            results[step.number] = outcome.result
    session.settle()
    return session.changes, len(results) == len(steps)


def _refused(replayer: TaskReplayer, steps: Sequence[PlannedStep], what: str, fault: str) -> Trial:
    """Try an agent that is bound by the rules; it passes if the end is not rewarded."""
    replayer.strict.reset()
    left, _ = _play(replayer.strict, steps)
    return Trial(what, fault * replayer.judged.is_rewarded(left))


def _after(replayer: TaskReplayer, moment: str) -> list[PlannedStep]:
    """Return the chain after a wait until a moment, whatever comes in until then."""
    wait = PlannedStep(-1, WAIT, {"until": moment, "until_notice": False}, frozenset(), writes=True)
    return [wait, *replayer.plan]


def _last_of(before: ClockState, after: ClockState) -> int | None:
    """Return when the last event between two states happened, in seconds since the start."""
    return max((each.at for each in after.fired[len(before.fired) :]), default=None)


def _moment(replayer: TaskReplayer, seconds: int) -> str:
    return str(datetime.fromisoformat(replayer.domain.now) + timedelta(seconds=seconds))
