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
