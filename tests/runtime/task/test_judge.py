"""Claims about judging the library's tasks: by the final state and by what the user was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.judge import judge
from runtime.task.task import EndCheck, Step, Task, expected_changes, expected_rows, replay, start_world
from runtime.task.task_file import read_tasks
from runtime.verification.verdict import Verdict, Violation
from tests.conftest import SHIPPED_LIBRARY
from tests.making import world_of

TOLD = {"keep-a-book": {"new due date": "April 3"}, "card-and-queue": {}, "late-and-next": {"late fee": "$0.50"}}
TASK_IDS = list(TOLD)


@pytest.fixture(scope="session")
def tasks(library: Domain) -> dict[str, Task]:
    return read_tasks(library)


def perform(library: Domain, world: World, chain: Sequence[Step], *others: tuple[str, dict[str, Any]]) -> Changes:
    """Replay a chain and some calls more."""
    with Session(library, world) as session:
        replay(session, chain)
        for tool, arguments in others:
            session.call(tool, **arguments)
        return session.changes


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_the_reference_chain_reaches_the_stored_rows_and_the_reward(
    library: Domain, tasks: dict[str, Task], task_id: str
):
    task = tasks[task_id]
    world = start_world(task, library)
    actual = perform(library, world, task.chain)
    compared = [row for row in expected_rows(actual, library) if row.table not in library.policies.logs]
    assert compared == task.expected
    verdict = judge(task, library, world, actual, TOLD[task_id])
    assert (verdict.reward, verdict.progress, verdict.differences) == (1, 1.0, ())
    assert expected_rows(expected_changes(task, library, world), library) == task.expected


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_doing_and_saying_nothing_is_worth_nothing(library: Domain, world: World, tasks: dict[str, Task], task_id: str):
    verdict = judge(tasks[task_id], library, world, Changes())
    assert (verdict.reward, verdict.progress, verdict.made) == (0, 0.0, 0)
    assert judge(tasks[task_id], library, world, Changes(), TOLD[task_id]).reward == 0


def test_a_text_that_the_agent_words_is_not_judged(library: Domain, tasks: dict[str, Task]):
    task = tasks["card-and-queue"]
    [composed] = task.texts_said("composed")
    world = start_world(task, library)
    chain = [Step.model_validate_json(step.model_dump_json().replace(composed, "Comes soon")) for step in task.chain]
    assert judge(task, library, world, perform(library, world, chain)).reward == 1


def test_the_parts_of_a_goal_say_which_request_was_missed_and_are_all_reached_with_the_reward(
    library: Domain, tasks: dict[str, Task]
):
    task = tasks["late-and-next"]
    world, told = start_world(task, library), TOLD[task.id]
    parts = {"identified", "request_1", "request_2", "answers", "rules", "nothing_else"}

    def missed(chain: Sequence[Step], told: Mapping[str, str], *broken: Violation) -> set[str]:
        verdict = judge(task, library, world, perform(library, world, chain), told, violations=broken)
        assert verdict.components.keys() == parts
        assert verdict.reward == all(verdict.components.values())
        return {name for name, made in verdict.components.items() if not made}

    assert missed(task.chain, told) == set()
    assert missed(task.chain, told, Violation("LOAN_LIMIT", 1, "borrow_book")) == {"rules"}
    assert missed([each for each in task.chain if each.wish == 0], {}) == {"request_2", "answers"}
    assert missed([], {}) == {"identified", "request_1", "request_2", "answers"}


def test_other_ids_and_another_order_of_the_same_calls_reach_the_reward(
    library: Domain, world: World, tasks: dict[str, Task]
):
    task = tasks["card-and-queue"]
    with Session(library, world) as session:
        for number in range(3):  # ids that a refused or later undone call has taken
            with pytest.raises(Rejection):
                session.call("register_member", name="Tomas Lindqvist", email=f"nobody{number}")
        taken = session.call("register_member", name="Too Early", email="early@example.org")
        replay(session, task.chain)
        changes = session.changes
    changes.rows.pop(("member", (taken["member_id"],)))
    assert {key for _, (key,) in changes.rows} != {row.key[0] for row in task.expected}
    assert judge(task, library, world, changes).reward == 1


def with_note(library: Domain, world: World, task: Task, note: str | None) -> Changes:
    *first, last = task.chain
    return perform(library, world, [*first, last.model_copy(update={"arguments": {**last.arguments, "note": note}})])


@pytest.mark.parametrize(
    ("note", "reward"),
    [
        pytest.param("On Saturdays only, after 14:00", 0, id="other_words"),
        pytest.param("can only pick up on  saturdays after 2 PM.", 1, id="other_letters"),
        pytest.param("[cancelled] Can only pick up on Saturdays after 2 PM", 0, id="framed"),
        pytest.param("Can only pick up on Saturdays after 3 PM", 0, id="wrong_time"),
        pytest.param("Can only pick up on Sundays after 2 PM", 0, id="wrong_day"),
        pytest.param("Can not pick up on Saturdays after 2 PM", 0, id="denied"),
        pytest.param("Can only pick up on Saturdays", 0, id="half_of_it"),
        pytest.param(None, 0, id="none"),
    ],
)
def test_a_dictated_note_counts_word_for_word_and_a_composed_one_not_at_all(
    library: Domain, world: World, tasks: dict[str, Task], note: str | None, reward: int
):
    task = tasks["card-and-queue"]
    actual = with_note(library, world, task, note)
    ((text, composed),) = task.texts.items()
    dictated = task.model_copy(update={"texts": {text: composed.model_copy(update={"said": "dictated"})}})
    assert judge(dictated, library, world, actual).reward == reward
    assert judge(task, library, world, actual).reward == 1


def test_an_answer_left_out_or_wrong_is_a_difference_beside_those_of_the_state(
    library: Domain, world: World, tasks: dict[str, Task]
):
    task = tasks["keep-a-book"]
    actual = perform(library, world, task.chain)
    for told, kind in (({}, "missing_answer"), ({"new due date": "April 12"}, "wrong_answer")):
        verdict = judge(task, library, world, actual, told)
        assert [difference.kind for difference in verdict.differences] == [kind]
        assert (verdict.expected, verdict.made, verdict.progress) == (4, 3, 0.75)
    told_only = judge(task, library, world, Changes(), {"new due date": "2026-04-03"})
    assert (told_only.reward, told_only.expected, told_only.made) == (0, 4, 1)


def test_a_name_that_is_not_an_answers_is_a_usage_error(library: Domain, world: World, tasks: dict[str, Task]):
    with pytest.raises(UsageError, match="requires no answer 'due date'; .*new due date"):
        judge(tasks["keep-a-book"], library, world, Changes(), {"due date": "April 3"})


def test_a_task_that_does_not_fit_its_world_is_a_usage_error(library: Domain, tasks: dict[str, Task]):
    other = world_of(library, 4, 10)
    with pytest.raises(UsageError, match=r"expects loan \['LOAN-0016'\] to be changed, but it does not exist"):
        judge(tasks["keep-a-book"], library, other, Changes())


def test_a_task_that_asks_for_nothing_that_counts_is_refused(library: Domain, tasks: dict[str, Task]):
    task = tasks["keep-a-book"].model_copy(update={"expected": [], "answers": []})
    with pytest.raises(UsageError, match="it would reward an agent that does nothing"):
        judge(task, library, start_world(task, library), Changes())


@pytest.fixture(scope="session")
def shipped(library: Domain) -> dict[str, Task]:
    """All of the library's tasks."""
    return read_tasks(library, file=SHIPPED_LIBRARY / "tasks.jsonl")


def test_each_acceptable_end_is_rewarded_and_the_nearest_one_explains_a_failure(
    library: Domain, shipped: dict[str, Task]
) -> None:
    several = [task for task in shipped.values() if task.ends]
    assert len(several) >= 10
    task = next(task for task in several if task.id.startswith("leave-one-of-two-numbers-l1"))
    world = start_world(task, library)
    for number in range(len(task.ends) + 1):
        verdict = judge(task, library, world, perform(library, world, task.to_end(number).chain))
        assert (verdict.reward, verdict.nearest) == (1, number)
    identified = [step for step in task.ends[0].chain if step.tool != "change_phone"]
    failed = judge(task, library, world, perform(library, world, identified))
    assert (failed.reward, failed.progress, len(failed.differences)) == (0, 0.5, 1)


def test_a_task_of_checks_rewards_any_way_that_changes_nothing_else(library: Domain, shipped: dict[str, Task]) -> None:
    checked = [task for task in shipped.values() if task.checks]
    assert len(checked) >= 10
    task = next(task for task in checked if task.id.startswith("get-at-least-some-fees-waived-l1"))
    world = start_world(task, library)
    assert task.caller is not None
    mine = {"member_id": task.caller.key[0]}

    def ended(*calls: tuple[str, dict[str, Any]], made: int = len(task.chain)) -> Verdict:
        return judge(task, library, world, perform(library, world, task.chain[:made], *calls))

    assert ended(("forgive_debt", {**mine, "cents": 50})).reward == 1
    half = ended(("forgive_debt", {**mine, "cents": 1}), made=2)
    assert (half.reward, half.progress, half.differences[0].kind) == (0, 0.5, "failed_check")
    assert "It does not hold that the member owes less" in half.differences[0].sentence
    collateral = ended(("change_phone", {**mine, "phone": "(614) 555-0100"}))
    assert [each.kind for each in collateral.differences] == ["changed_value"]
    assert (collateral.reward, collateral.progress) == (0, 0.6667)


def test_a_check_that_runs_on_and_on_is_no_verdict(library: Domain, tasks: dict[str, Task]) -> None:
    sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n, loan WHERE x < 0"
    task = tasks["keep-a-book"].model_copy(update={"expected": [], "checks": [EndCheck(claim="x", sql=sql)]})
    with pytest.raises(EnvironmentFault, match="The check 'x' cannot be evaluated"):
        judge(task, library, start_world(task, library), Changes())
