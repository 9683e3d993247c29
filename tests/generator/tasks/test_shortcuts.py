"""Whoever always decides the same way is right as often as proof 15 counts, and an episode says what went wrong."""

from __future__ import annotations

import asyncio

import pytest

from generator.tasks.proofs.all import Proven, prove_candidate
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.proofs.shortcuts import FEWEST_TASKS, ShortcutCounts, describe_shortcuts
from runtime.domain.domain import Domain
from runtime.harness.choose import choose_agent, choose_user
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.task.mistakes import COMPLIES, REFUSES, TRUSTS
from tests.generator.tasks.candidates import with_task
from tests.generator.tasks.test_proofs_of_forms import first_candidate


def proven(library: Domain, program: str, denied: bool | None = None) -> tuple[Candidate, Proven]:
    """A proven candidate whose task has its known mistakes."""
    candidate = first_candidate(library, program, denied)
    found = prove_candidate(candidate)
    assert found.holds
    return with_task(candidate, mistakes=list(found.mistakes)), found


def played(candidate: Candidate, agent: str) -> EpisodeRecord:
    """One episode of an agent by its name."""
    setting = Setting(choose_agent(agent), choose_user("scripted"))
    return asyncio.run(play(candidate.task, candidate.domain, candidate.world, 0, setting))


@pytest.mark.parametrize(
    ("program", "denied", "wrong", "right", "reason"),
    [
        pytest.param("borrow_while_owing_fees", True, "comply_all", "refuse_all", COMPLIES, id="denied"),
        pytest.param("borrow_while_owing_fees", False, "refuse_all", "comply_all", REFUSES, id="permitted"),
        pytest.param("remember_the_wrong_day", None, "trust_all", "comply_all", TRUSTS, id="mistaken"),
    ],
)
def test_who_always_decides_so_fails_in_a_known_way_where_it_is_wrong(
    library: Domain, program: str, denied: bool | None, wrong: str, right: str, reason: str
) -> None:
    candidate, _ = proven(library, program, denied)
    failed = played(candidate, wrong)
    assert (failed.reward, failed.end, failed.fault) == (0, "done", "agent")
    assert failed.reason is not None
    assert failed.reason.endswith(reason)
    assert played(candidate, right).reward == 1


def test_coupled_wishes_done_as_they_are_told_break_a_rule_or_fail(library: Domain) -> None:
    candidate, _ = proven(library, "swap_places_in_queues")
    record = played(candidate, "comply_all")
    assert record.reward == 0 or {each.rule for each in record.violations} == {"HOLD_LIMIT"}
    assert played(candidate, "reference").violations == ()


def counts(first_row: int = 25) -> ShortcutCounts:
    """What a set of tasks comes to in which a row is taken of four at a time, a hundred times."""
    found = ShortcutCounts(tasks=FEWEST_TASKS, lists=100, chance=25, variance=18.75)
    found.rows["first_row"] = first_row
    return found


def test_a_place_that_is_right_too_often_is_a_fault() -> None:
    assert counts().faults == []
    (fault,) = counts(first_row=60).faults
    assert fault == "first_row takes the right row in 60% of 100 choices; at most 38% is chance."


def test_a_task_helps_a_shortcut_where_the_set_is_at_its_bound_already() -> None:
    one = ShortcutCounts(tasks=1, lists=1, chance=0.25, variance=0.1875)
    hit = ShortcutCounts(tasks=1, lists=1, chance=0.25, variance=0.1875)
    hit.rows["first_row"] = 1
    assert [counts(first_row=many).are_helped_by(hit) for many in (25, 37, 60)] == [False, False, True]
    assert not counts(first_row=60).are_helped_by(one)


def test_too_few_tasks_are_printed_and_not_judged() -> None:
    few = counts(first_row=100)
    few.tasks = 12
    assert few.faults == []
    head, rows = describe_shortcuts(few)
    assert head == f"shortcuts, in 12 tasks (too few to judge: {FEWEST_TASKS} are needed)"
    assert rows.startswith("  first_row 100%, ")
    assert rows.endswith(" of 100 choices among 4 rows or more")
    assert next(line for line in describe_shortcuts(counts()) if "choices" in line).endswith(" (at most 38%)")
    assert ShortcutCounts(tasks=FEWEST_TASKS, lists=1, chance=0.25, variance=0.1875).most_rows == 1
    few.add(counts())
    assert (few.tasks, few.lists, few.rows["first_row"]) == (12 + FEWEST_TASKS, 200, 125)
