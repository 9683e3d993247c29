"""What must hold for shipped domains: each tool's cases; and that tasks are made again from their ids.

That the recorded answers build community_garden again is what the demo shows, which .ci/run runs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from generator.gates.cases.case import CaseBook, read_cases
from generator.gates.cases.run import CaseRunner
from generator.tasks.compose import Composer
from generator.tasks.plan import SIZES, read_task_id
from generator.tasks.proofs.recheck import remake, sets_of_tasks
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.graph import read_graph
from runtime.task.task_file import read_tasks
from tests.conftest import CHECKED, SHIPPED

EACH = 2  # tasks of a level
FEWEST = 12  # tasks of a set
BEFORE_ALL = ("community_garden", None)  # its build leaves out a scenario after its tasks are made


@cache
def _domain(name: str) -> tuple[Domain, CaseBook]:
    return load_domain(SHIPPED[name]), read_cases(SHIPPED[name] / "cases.jsonl")


def _tools() -> list[Any]:
    own = [(name, tool) for name in CHECKED for tool in _domain(name)[0].tools if not is_desk_tool(tool)]
    return [pytest.param(name, tool, id=f"{name}:{tool}") for name, tool in own]


@pytest.mark.parametrize("name", [name for name in CHECKED if name != "library"])
def test_what_a_model_made_has_about_as_many_tools_as_were_asked_for_and_rules(name: str) -> None:
    domain, _ = _domain(name)
    assert (SHIPPED[name] / "answers.jsonl").is_file()
    assert abs(len(domain.tools) - int(str(domain.card.provenance["tools"]))) <= 10
    assert 5 <= len(domain.schema.tables) <= 22
    assert domain.rules
    assert domain.people


@pytest.mark.parametrize(("name", "tool"), _tools())
def test_a_tool_does_what_its_cases_say(name: str, tool: str) -> None:
    domain, book = _domain(name)
    outcomes = [
        CaseRunner(domain, own.rows).run(case) for own in book.values() for case in own.cases if case.tool == tool
    ]
    assert [outcome.differences for outcome in outcomes if outcome.differences] == []
    assert "success" in [outcome.kind for outcome in outcomes]
    assert {outcome.observed.rejection for outcome in outcomes if outcome.observed} >= domain.tools[tool].rejects


@pytest.mark.parametrize("name", CHECKED)
def test_tasks_of_each_set_and_level_are_made_again_from_their_ids(name: str) -> None:
    domain, _ = _domain(name)
    with Composer(domain, read_graph(domain.path)) as composer:
        for file in sets_of_tasks(domain.path):
            if (name, file) == BEFORE_ALL:
                continue
            made = [
                task
                for task in read_tasks(domain, file=file).values()
                if read_task_id(task.id, [*composer.forms, *composer.timed])
            ]
            assert len(made) >= FEWEST
            for level in SIZES:
                for task in [task for task in made if task.level == level][:EACH]:
                    assert remake(composer, task).task == task
