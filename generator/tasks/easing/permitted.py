"""A task in the twin of its world where the rules permit what they deny: one row is edited for each denied call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from generator.tasks.candidate import Candidate
from generator.tasks.describe import answers_of
from generator.tasks.easing.unease import Uneasy
from generator.tasks.proofs.edits import RowEdit
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.tightening import tightened
from generator.tasks.proofs.twins import find_twins
from generator.tasks.telling import Telling
from runtime.domain.schema import Schema
from runtime.errors import EnvironmentFault
from runtime.session.world import World
from runtime.task.script import Permission
from runtime.task.task import EditedRow, expected_rows


def permit(candidate: Candidate) -> Candidate:
    """The candidate with what its wishes of the form denied want permitted, and done. Errors: Uneasy."""
    denials = sum(len(script.permissions) for script in candidate.scripts)
    if next(_denied(candidate), None) is None:
        raise Uneasy("wants nothing that a rule denies: it is an allowed twin already")
    for _ in range(denials):
        first = next(_denied(candidate), None)
        if first is None:
            break
        candidate = _permitted(candidate, *first)
    try:
        task = candidate.task.model_copy(update={"policies": tightened(candidate)})
    except EnvironmentFault as error:
        raise Uneasy(f"cannot be done in its twin: {error}") from error
    return replace(candidate, task=task)


def _denied(candidate: Candidate) -> Iterator[tuple[int, Permission]]:
    """What is asked of the rules for wishes of the form denied, and denied, by the number of its scenario."""
    for number, script in enumerate(candidate.scripts):
        if script.form == "denied":
            for asked in script.permissions:
                if asked.rules:
                    yield number, asked


def _permitted(candidate: Candidate, number: int, asked: Permission) -> Candidate:
    rule = next(each for each in candidate.domain.rules.rules if each.code == asked.rules[0])
    if rule.no_twin:
        raise Uneasy(f"is denied by rule {rule.code}, which no one row decides: {rule.no_twin}")
    with TaskReplayer(candidate.domain, candidate.task, candidate.world) as replayer:
        for there, edit, telling in find_twins(replayer, candidate, number, asked, rule):
            return _in_twin(candidate, there.world, edit, telling)
    raise Uneasy(f"has no twin in which rule {rule.code} permits it with one row edited")


def _in_twin(candidate: Candidate, world: World, edit: RowEdit, telling: Telling) -> Candidate:
    """The candidate as its scenarios come to it in the twin of its world."""
    task, scripts = candidate.task, telling.scripts
    chain = telling.chain
    changes = expected_rows(telling.changes, candidate.domain)
    of_chain = {"steps": len(chain), "tools": len({step.tool for step in chain})}
    twin = task.model_copy(
        update={
            "world": task.world.model_copy(update={"digest": f"{world.digest:032x}"}),
            "edited": [*task.edited, _edited(edit, candidate.domain.schema)],
            "chain": chain,
            "expected": changes,
            "texts": {text: each for script in scripts for text, each in script.texts.items()},
            "answers": answers_of(scripts),
            "explorable": sorted({*task.explorable, *(step.tool for step in chain)}),
            "difficulty": {**task.difficulty, **of_chain, "tables": len({row.table for row in changes})},
        }
    )
    return replace(candidate, task=twin, world=world.named(task.id), scripts=scripts, picks=telling.picks)


def _edited(edit: RowEdit, schema: Schema) -> EditedRow:
    names = schema.tables[edit.table].column_names
    columns = {name: new for name, old, new in zip(names, edit.before, edit.after, strict=True) if old != new}
    return EditedRow(table=edit.table, key=list(edit.key), columns=columns)
