"""`show --task` says what a person needs to judge a task."""

from __future__ import annotations

from typing import Any

from runtime.commands.show_task import describe_task
from runtime.domain.domain import Domain
from runtime.task.task import Task
from runtime.task.task_file import find_task


def lines_of(domain: Domain, task_id: str, **changes: Any) -> list[str]:
    """The description of a task of the library, changed."""
    task = find_task(domain, task_id).model_dump() | changes
    return list(describe_task(Task.model_validate(task), domain))


def test_a_changed_row_is_shown_with_what_it_was(library: Domain) -> None:
    lines = lines_of(library, "keep-a-book")
    at = lines.index("  loan LOAN-0016 changed")
    assert lines[at + 1 : at + 3] == ["    due_on = '2026-04-03', was '2026-03-20'", "    renewals = 1, was 0"]
    assert "     the user is told the new due date: 2026-04-03" in lines


def test_the_chain_and_its_answers_stand_under_the_wish_that_they_are_for(library: Domain) -> None:
    task = find_task(library, "late-and-next").model_dump()
    wish = {"words": ["And recommend me a film."], "form": "outside", "acts": False}
    user = task["user"] | {"wishes": [*task["user"]["wishes"], wish]}
    chain = [step | {"wish": int(step["tool"] == "borrow_book")} for step in task["chain"]]
    lines = lines_of(library, "late-and-next", user=user, chain=chain)
    assert '  2. "And recommend me a film." (beyond the tools; to be declined)' in lines
    first, second = lines.index("  for request 0"), lines.index("  for request 1")
    answer = next(number for number, line in enumerate(lines) if "the user is told" in line)
    borrowing = next(number for number, line in enumerate(lines) if "borrow_book(" in line)
    assert first < answer < second < borrowing
    assert "  for request 2" not in lines


def test_what_a_task_tightens_is_shown_with_its_reason(library: Domain) -> None:
    lines = lines_of(library, "card-and-queue")
    at = lines.index("Judged more strictly than elsewhere")
    assert lines[at + 1] == "  member.phone is hard: the user gives a number for notices"
    texts = lines.index("Texts")
    assert lines[texts + 1].startswith("  'can only pick up on Saturdays after 2 PM': in the assistant's own words")


def test_distractors_are_shown_as_what_they_copy(library: Domain) -> None:
    copy = {"table": "loan", "source": ["LOAN-0016"], "columns": {"loan_id": "LOAN-9000", "due_on": "2026-03-20"}}
    world = {"seed": 3, "size": 100}
    lines = lines_of(library, "keep-a-book", added=[copy] * 25, world=world)
    assert "world: seed 3, size 100, 25 added rows" in lines
    assert "  loan: like LOAN-0016 but loan_id = 'LOAN-9000', due_on = '2026-03-20'" in lines
    assert "  and 5 more" in lines
