"""Tasks are read with every fault named by line, start in their own world, and replay to their expected state."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.session.session import Session
from runtime.task.task import bind, start_world
from runtime.task.task_file import find_task, read_tasks, task_line
from runtime.task.user import KnownFact, User, Wish
from tests.conftest import LIBRARY

Change = Callable[[dict[str, Any]], object]
CHECK = {"claim": "x", "sql": "SELECT 1 FROM loan"}


@pytest.fixture
def changed(library_copy: Path) -> Callable[[Change], Domain]:
    """A copy of the library whose first task line was changed."""

    def change_line(change: Change) -> Domain:
        lines = (library_copy / "tasks.jsonl").read_text().splitlines()
        task = json.loads(lines[0])
        change(task)
        (library_copy / "tasks.jsonl").write_text("\n".join([json.dumps(task), *lines[1:]]) + "\n")
        return load_domain(library_copy)

    return change_line


@pytest.mark.parametrize("task_id", ["keep-a-book", "card-and-queue", "late-and-next"])
def test_a_task_is_written_as_it_was_read(library: Domain, task_id: str) -> None:
    lines = (LIBRARY / "tasks.jsonl").read_text().splitlines()
    assert task_line(find_task(library, task_id)) in lines


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param(
            lambda task: task.update(policies={"loan.due_on": {"policy": "optional"}}), "loosens column", id="loosened"
        ),
        pytest.param(lambda task: task.update(colour="red"), "tasks.jsonl:1: colour", id="unknown_key"),
        pytest.param(lambda task: task.update(id="card-and-queue"), "appears in an earlier line, too", id="same_id"),
        pytest.param(lambda task: task.update(domain="hotel"), "belongs to domain 'hotel'", id="other_domain"),
        pytest.param(lambda task: task["chain"][0].update(tool="fly"), "calls tool 'fly'", id="unknown_tool"),
        pytest.param(
            lambda task: task["chain"][0].update(arguments={"email": {"$step": 5, "path": "x"}}),
            "refers to step 5 in step 0; only earlier steps have results",
            id="future_step",
        ),
        pytest.param(
            lambda task: task["answers"][0].update(kind="text", value="soon", source=None),
            "name the column it comes from as its source",
            id="text_without_source",
        ),
        pytest.param(
            lambda task: task["user"]["wishes"][0].update(otherwise=0), "must be an earlier wish", id="otherwise_itself"
        ),
        pytest.param(
            lambda task: task.update(caller={"table": "staff", "key": ["S1"]}), "caller from table 'staff'", id="caller"
        ),
        pytest.param(lambda task: task["expected"][0].update(table="x"), "names x", id="unknown_table"),
        pytest.param(lambda task: task["world"].update(size=100_001), "world.size: Input should be less", id="large"),
        pytest.param(
            lambda task: task.update(checks=[CHECK]),
            "has checks and an expected state; it can have one or the other",
            id="checks_and_a_state",
        ),
        pytest.param(
            lambda task: task.update(expected=[], checks=[{"claim": "x", "sql": "DELETE FROM loan"}]),
            "has the check 'x', whose SELECT SQLite does not accept: it does more than a SELECT",
            id="check_that_writes",
        ),
        pytest.param(
            lambda task: task.update(expected=[], checks=[{"claim": "x", "sql": "SELECT 1"}]),
            "whose SELECT reads no table",
            id="check_of_nothing",
        ),
        pytest.param(
            lambda task: task.update(expected=[], checks=[CHECK], may_change=["loan.color"]),
            "lets 'loan.color' change",
            id="unknown_place",
        ),
    ],
)
def test_a_bad_line_is_named_with_its_number(changed: Callable[[Change], Domain], change: Change, fault: str) -> None:
    with pytest.raises(UsageError, match="tasks.jsonl:[12]:? ") as refused:
        read_tasks(changed(change))
    assert fault in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_world_that_is_no_longer_the_tasks_own_is_refused(changed: Callable[[Change], Domain]) -> None:
    domain = changed(lambda task: task["world"].update(digest="0" * 32))
    with pytest.raises(UsageError, match="world.py or schema.sql changed since the task was made"):
        start_world(find_task(domain, "keep-a-book"), domain)


def test_added_rows_are_copies_with_changed_columns(changed: Callable[[Change], Domain]) -> None:
    added = [{"table": "book", "source": ["BOOK-0001"], "columns": {"book_id": "BOOK-9001", "author": "Ann Other"}}]

    def add(task: dict[str, Any]) -> None:
        task.update(added=added)
        task["world"].update(digest="")

    domain = changed(add)
    with Session(domain, start_world(find_task(domain, "keep-a-book"), domain)) as session:
        books = session.call("search_books", words="Ann Other")["books"]
    assert [book["book_id"] for book in books] == ["BOOK-9001"]


def test_an_added_row_that_breaks_the_world_is_refused(changed: Callable[[Change], Domain]) -> None:
    added = [{"table": "loan", "source": ["LOAN-0001"], "columns": {"loan_id": "LOAN-9001", "book_id": "BOOK-9999"}}]
    domain = changed(lambda task: task.update(added=added))
    with pytest.raises(UsageError, match="The added rows do not fit the world"):
        start_world(find_task(domain, "keep-a-book"), domain)


def test_references_reach_into_lists_and_objects() -> None:
    results = [{"loans": [{"loan_id": "L1"}, {"loan_id": "L2"}]}]
    reference = {"$step": 0, "path": "loans.1.loan_id"}
    assert bind({"a": reference, "b": [reference], "c": {"d": reference}}, results) == {
        "a": "L2",
        "b": ["L2"],
        "c": {"d": "L2"},
    }


def test_what_the_user_knows_grows_with_the_wishes() -> None:
    facts = [KnownFact(name=name, value=name, said=name) for name in ("a", "b")]
    user = User(profile="Brief.", wishes=[Wish(words=[fact.name], facts=[fact]) for fact in facts])
    assert user.facts == facts
    assert user.facts_until(0) == facts[:1]


def test_a_text_that_is_said_as_it_is_is_not_written_twice() -> None:
    said = [
        KnownFact(name="title", value="Winters", said="Winters"),
        KnownFact(name="day", value="2026-03-16", said="today"),
    ]
    written = [each.model_dump(mode="json", exclude_defaults=True) for each in said]
    assert written == [{"name": "title", "value": "Winters"}, {"name": "day", "value": "2026-03-16", "said": "today"}]
    assert [KnownFact.model_validate(each) for each in written] == said
    with pytest.raises(ValidationError, match="said"):
        KnownFact.model_validate({"name": "days", "value": 7})


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, ""),
        ({"words": ["Renew a book."]}, "must say it, and withhold 'title'"),
        ({"short": "renewing On Lenses"}, "says it in short; say 'On Mirrors'"),
        ({"withheld": False}, "must say it, and withhold 'title'"),
    ],
)
def test_a_fact_corrects_what_the_words_say_and_the_short_form_does_not(changes: dict[str, Any], fault: str) -> None:
    known = {"name": "title", "value": "On Mirrors", "corrects": "On Lenses", "withheld": changes.pop("withheld", True)}
    wish = {"words": ["Renew On Lenses."], "short": "renewing On Mirrors", "facts": [known], **changes}
    faults = User.model_validate({"profile": "Brief.", "wishes": [wish]}).faults()
    assert [fault in each for each in faults] == [True] * bool(fault)
