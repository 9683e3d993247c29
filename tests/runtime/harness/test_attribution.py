from __future__ import annotations

from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.domain.schema import RowRef
from runtime.harness.conversation import Message, ToolCall
from runtime.harness.outcome import attribute
from runtime.harness.record import EpisodeRecord
from runtime.task.task import Task
from runtime.task.task_file import find_task
from runtime.verification.verdict import Difference, Violation


@pytest.fixture
def task(library: Domain) -> Task:
    """A task of two wishes, for which nothing needs to be written."""
    return find_task(library, "late-and-next").model_copy(update={"chain": [], "expected": []})


def difference(kind: Any, column: str | None = None) -> Difference:
    """A difference of a verdict that is about a loan."""
    return Difference(kind, RowRef("loan", ("LOAN-0001",), column), 1, 2)


def record(task: Task, said: tuple[int, ...] = (0, 1), **parts: Any) -> EpisodeRecord:
    """A failed episode in which the user said these wishes."""
    chosen: dict[str, Any] = {"end": "done", "reward": 0, "said": said, **parts}
    return EpisodeRecord(task.domain, task.id, 0, **chosen)


CHANGED = ({"table": "loan", "key": ["LOAN-0001"], "before": None, "after": None},)


@pytest.mark.parametrize(
    ("kinds", "final", "reason"),
    [
        pytest.param(["missing_row"], CHANGED, "missing change in loan", id="a row was not added"),
        pytest.param(["wrong_value"], CHANGED, "wrong value in loan.due_on", id="a row was changed wrongly"),
        pytest.param(["extra_row"], CHANGED, "collateral change in loan", id="a row too many"),
        pytest.param(["extra_row", "missing_row"], CHANGED, "missing change in loan", id="what is missing weighs more"),
        pytest.param(["wrong_pattern"], CHANGED, "wrong value in loan.due_on", id="rows refer otherwise"),
    ],
)
def test_a_wrong_final_state_is_the_agents_and_grouped_by_what_is_wrong(
    task: Task, library: Domain, kinds: list[str], final: Any, reason: str
) -> None:
    found = [difference(kind, column="due_on") for kind in kinds]
    assert attribute(record(task, differences=tuple(found), final=final), task, library) == ("agent", reason)


@pytest.mark.parametrize(
    ("calls", "final", "tables", "reason"),
    [
        ((), (), ["loan"], "never wrote anything"),
        (("return_book", "borrow_book"), CHANGED, ["identification"], "never identified the caller"),
        (("note_identification", "return_book"), CHANGED, ["loan"], "request 2 not carried out"),
        (("return_book", "borrow_book"), CHANGED, ["declined_request"], "refusal not recorded"),
        (("return_book", "borrow_book"), CHANGED, ["loan"], "missing change in loan"),
    ],
)
def test_what_was_not_done_is_said_in_the_users_terms(
    library: Domain, calls: tuple[str, ...], final: Any, tables: list[str], reason: str
) -> None:
    task = find_task(library, "late-and-next")
    made = tuple(ToolCall(name, name, {}) for name in calls)
    answered = [Message("tool", "{}", call_id=name) for name in calls]
    messages = (Message("assistant", "", calls=made), *answered) if calls else ()
    missing = tuple(Difference("missing_row", RowRef(table, ("1",))) for table in tables)
    found = attribute(record(task, differences=missing, final=final, messages=messages), task, library)
    assert found == ("agent", reason)


def test_a_rule_that_was_broken_is_named_with_what_else_is_wrong(task: Task, library: Domain) -> None:
    broken = (Violation("LOAN_LIMIT", 3, "borrow_book", "BOOK-0001"),)
    assert attribute(record(task, violations=broken), task, library) == ("agent", "broke LOAN_LIMIT")
    found = attribute(record(task, violations=broken, end="gave_up"), task, library)
    assert found == ("agent", "broke LOAN_LIMIT; gave up")


def test_a_user_who_ends_before_the_last_wish_is_to_blame(task: Task, library: Domain) -> None:
    found = attribute(record(task, (0,), differences=(difference("missing_row"),)), task, library)
    assert found == ("user", "a wish was never said")
