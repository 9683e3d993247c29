"""Proofs of time: each defect is planted in a sound task, and refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.tasks.compose import Composer
from generator.tasks.plan import TIMED, MadeOf
from generator.tasks.proofs.all import prove_candidate, prove_line
from generator.tasks.proofs.recheck import remake
from generator.tasks.proofs.replayer import Candidate, TaskReplayer, Trial
from generator.tasks.proofs.timing import try_haste, try_patience, try_quiet, try_settled, try_window
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.graph import Graph, read_graph
from runtime.session.clock import ClockPlan
from runtime.session.session import Session
from runtime.task.story import Story
from runtime.task.task import Step, Task, expected_rows, replay, start_world
from runtime.task.task_file import read_tasks
from tests.conftest import SHIPPED

LEADS = {
    "later": "take_the_copy_that_comes_back",
    "if_it_happens": "one_book_or_the_other",
    "before_it_closes": "the_last_copy_first",
}
LATE = "2026-03-16 12:59:00"


@pytest.fixture(scope="module")
def sound(composer: Composer) -> dict[str, Candidate]:
    """A candidate of each form, all of whose proofs hold."""
    found = {form: composer.compose(MadeOf(1_000_002, TIMED, lead)) for form, lead in LEADS.items()}
    for form, candidate in found.items():
        proven = prove_candidate(candidate)
        assert proven.holds, (form, [proof.reason for proof in proven.proofs.values() if not proof.holds])
        assert {"settled", "patience", "haste", "window", "quiet"} <= proven.proofs.keys()
    return found


def test_what_is_proven_of_a_line_alone_holds_too(sound: dict[str, Candidate], library: Domain) -> None:
    for candidate in sound.values():
        assert prove_line(library, candidate.task, candidate.world).holds


def test_both_ways_of_what_may_happen_are_composed(composer: Composer) -> None:
    made = [composer.compose(MadeOf(1_000_000 + at, TIMED, LEADS["if_it_happens"])) for at in range(6)]
    events = [each.task.clock.events for each in made if each.task.clock is not None]
    assert {any(event.id == "first-handed-in" for event in own) for own in events} == {True, False}


def edited(task: Task, domain: Domain, **parts: Any) -> Task:
    """The task with other parts, and the end that its chain then has."""
    changed = task.model_copy(update=parts)
    with Session(domain, start_world(changed, domain)) as session:
        replay(session, changed.chain)
        session.settle()
        return changed.model_copy(update={"expected": expected_rows(session.changes, domain)})


def plan_with(task: Task, change: Callable[[list[dict[str, Any]]], Any]) -> ClockPlan:
    """The plan of a task with its events changed."""
    assert task.clock is not None
    told = task.clock.model_dump(mode="json", exclude_defaults=True)
    change(told["events"])
    return ClockPlan.model_validate(told)


def named(events: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(each for each in events if each["id"] == name)


def without(*names: str) -> Callable[[list[dict[str, Any]]], Any]:
    def change(events: list[dict[str, Any]]) -> None:
        events[:] = [each for each in events if each["id"] not in names]

    return change


def returned_twice(events: list[dict[str, Any]]) -> None:
    events.append(named(events, "handed-in") | {"id": "again", "at": LATE})


def never_due(events: list[dict[str, Any]]) -> None:
    events.append({"id": "never", "after": {"tool": "renew_loan"}, "notice": "A loan was renewed."})


def taken_at_once(events: list[dict[str, Any]]) -> None:
    named(events, "taken-by-another")["when"]["seconds"] = 300


def at_hand(task: Task) -> dict[str, Any]:
    """The chain of the same request for a book that is in all the time."""
    last = task.chain[-1].model_copy(update={"arguments": {**task.chain[-1].arguments, "book_id": "BOOK-AT-HAND"}})
    return {"chain": [*task.chain[:-1], last]}


def past_the_notice(task: Task) -> dict[str, Any]:
    """The chain with a wait past what is waited for, to something that has nothing to do with it."""
    noise = {"id": "noise", "at": "2026-03-16 11:50:00", "notice": "The coffee machine is out of order."}
    waits = [step for step in task.chain if step.tool == "wait"]
    longer = waits[0].model_copy(update={"arguments": {"until": LATE, "until_notice": False}})
    chain = [longer if step in waits else step for step in task.chain]
    return {"chain": chain, "clock": plan_with(task, lambda events: events.append(noise))}


Try = Callable[[TaskReplayer], Iterator[Trial]]
DEFECTS: dict[str, tuple[str, Callable[[Task], dict[str, Any]], Try, str]] = {
    "refused": (
        "later",
        lambda task: {"clock": plan_with(task, returned_twice)},
        try_settled,
        "The event 'again' is refused: FAILED_PRECONDITION",
    ),
    "never": (
        "later",
        lambda task: {"clock": plan_with(task, never_due)},
        try_settled,
        "The event 'never' never happens",
    ),
    "open": (
        "later",
        lambda task: {"clock": plan_with(task, without("taken-by-another"))},
        try_patience,
        "Waiting to the end is rewarded.",
    ),
    "no wait": (
        "later",
        lambda task: {"chain": [step for step in at_hand(task)["chain"] if step.tool != "wait"]},
        try_patience,
        "Nobody has to wait for anything",
    ),
    "at hand": ("later", at_hand, try_patience, "Never waiting is rewarded."),
    "needless": ("later", past_the_notice, try_haste, "can wait until a second before anything happens"),
    "too soon": (
        "later",
        lambda task: {"clock": plan_with(task, taken_at_once)},
        try_window,
        "Beginning a second before the event 'taken-by-another' is not rewarded.",
    ),
    "stays open": (
        "before_it_closes",
        lambda task: {"clock": plan_with(task, without("last-copy-taken", "taken-by-another"))},
        try_window,
        "Nothing closes while the chain is not played.",
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_refused(defect: str, sound: dict[str, Candidate], library: Domain) -> None:
    form, edit, attempt, said = DEFECTS[defect]
    task = sound[form].task
    with Session(library, start_world(task, library)) as session:
        book = "SELECT book_id FROM book WHERE copies > (SELECT count(*) FROM loan WHERE loan.book_id = book.book_id)"
        at_hand = session.read_start(f"{book} ORDER BY 1")[0][0]
    parts = edit(task)
    lines = [step.model_dump_json().replace("BOOK-AT-HAND", str(at_hand)) for step in parts.get("chain", task.chain)]
    chain = [Step.model_validate_json(line) for line in lines]
    wrong = edited(task, library, **{**parts, "chain": chain})
    with TaskReplayer(library, wrong, start_world(wrong, library)) as replayer:
        faults = [trial.fault for trial in attempt(replayer) if trial.fault]
    assert any(said in fault for fault in faults), faults


def test_an_event_that_breaks_a_rule_of_its_own_office_is_refused(sound: dict[str, Candidate], library: Domain) -> None:
    """The desk lends to somebody who owes more than its own rule allows, and the tool takes the call."""
    task = sound["later"].task
    with Session(library, start_world(task, library)) as session:
        owing = "SELECT member_id FROM member WHERE status = 'active' AND owed_cents > 1000 ORDER BY 1"
        members = [str(row[0]) for row in session.read_start(owing)]
    assert members
    broken = []
    for member in members:
        assert task.clock is not None
        told = task.clock.model_dump(mode="json", exclude_defaults=True)
        named(told["events"], "taken-by-another")["call"]["arguments"]["member_id"] = member
        wrong = edited(task, library, clock=ClockPlan.model_validate(told))
        with TaskReplayer(library, wrong, start_world(wrong, library)) as replayer:
            broken += [trial.fault for trial in try_settled(replayer) if trial.fault]
    assert "The event 'taken-by-another' breaks DEBT_LIMIT, a rule of its own office." in broken, broken


@pytest.mark.parametrize("form", ["later", "if_it_happens"])
def test_a_chain_that_is_right_whatever_happens_is_refused(form: str, sound: dict[str, Candidate]) -> None:
    candidate = sound[form]
    (part,) = candidate.parts

    def deaf(story: Story) -> None:
        story._events = "drawn"  # so that it comes as it came, whatever is asked for
        part.program(story)

    changed = replace(candidate, parts=(replace(part, program=deaf),))
    with TaskReplayer(candidate.domain, candidate.task, candidate.world) as replayer:
        faults = [trial.fault for trial in try_quiet(replayer, changed) if trial.fault]
    assert "The chain is right whatever happens." in faults


def test_what_a_list_shows_only_after_the_wait_can_be_looked_up_then() -> None:
    domain = load_domain(SHIPPED["second_hand_marketplace"])
    lines = read_tasks(domain, file=Path("time")).values()
    task = next(each for each in lines if each.id.startswith("one-listing-or-the-other"))
    with Composer(domain, read_graph(domain.path)) as own:
        made = remake(own, task)
        assert made.task == task
        proven = prove_candidate(made)
    assert proven.holds, [proof.reason for proof in proven.proofs.values() if not proof.holds]


def untold(story: Story) -> None:
    """Somebody who wants to be called back, and does not say when."""
    me = story.pick("member", "status = 'active'", mine=True)
    story.event("quiet", at=story.moment(0, "11:00"), notice="It is eleven.")
    story.tell("Please change my phone number to {phone} later.", phone=story.choose("phone", ("(614) 555-0172",)))
    key = story.identify()
    story.wait(until=story.moment(0, "12:00"))
    story.call("change_phone", member_id=key, phone="(614) 555-0172")
    assert me


def test_a_wait_to_a_moment_that_nobody_told_is_refused(library: Domain, graph: Graph) -> None:
    untold.__dict__["form"] = "later"
    with Composer(library, graph) as own:
        own.__dict__["timed"] = {"untold": untold}
        proven = prove_candidate(own.compose(MadeOf(1_000_002, TIMED, "untold")))
    assert "2 (wait)" in proven.proofs["sufficiency"].reason
