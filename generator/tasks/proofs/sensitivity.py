"""Sensitivity: another value that counts, a text that says something else, a row too few or too many: no reward."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from generator.graph.experiment import TriedCall
from generator.tasks.candidate import Trial
from generator.tasks.proofs.edits import hostile_ways
from generator.tasks.proofs.examples import ExampleFinder
from generator.tasks.proofs.knowledge import ToldKnowledge
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.tightening import tightenings
from runtime.domain.changes import Changes, RowChange, RowName
from runtime.domain.policies import ColumnPolicy
from runtime.domain.schema import Row, Table, Value

_FAR = 1_000_003  # from any id that the chain makes
_MOST_CALLS = 25  # of a tool, to find one that writes to a table


def try_sensitivity(
    replayer: TaskReplayer, examples: ExampleFinder, knowledge: ToldKnowledge | None = None
) -> Iterator[Trial]:
    """What is tried: a "policy" that ignores a wish, a "row", a "value", a "text", a row "gone", an "extra" write."""
    yield from (Trial("policy") for _ in replayer.task.policies)
    for column in tightenings(replayer, knowledge) if knowledge is not None else ():
        yield Trial("policy", f"{column} holds what the user asked for, but no policy of the task counts it.")
    final = replayer.final.changes
    for name, change in final.rows.items():
        if name[0] not in replayer.policies.logs:
            yield from _try_row(replayer, final, name, change)
    yield from _try_texts(replayer)
    yield from _try_rows_gone(replayer, final)
    yield from _try_extra_writes(replayer, examples)


def _try_row(replayer: TaskReplayer, final: Changes, name: RowName, change: RowChange) -> Iterator[Trial]:
    table = replayer.domain.schema.tables[name[0]]
    shown = f"{name[0]} {' / '.join(map(str, name[1]))}"
    if change.before is None or change.after is None:
        verb = "adding" if change.before is None else "removing"
        yield _judged(replayer, _replaced(final, name, None, None), "row", f"Not {verb} {shown}")
    if change.after is None:
        return
    for column, position in table.positions.items():
        policy, value = replayer.policies.of(table.name, column), change.after[position]
        if change.before is not None and change.before[position] == value:
            continue
        if value in replayer.composed:
            continue
        if policy.policy == "hard" or (policy.policy == "semantic" and value):
            other = None if policy.policy == "semantic" else _other(table, column, policy, value)
            after = (*change.after[:position], other, *change.after[position + 1 :])
            changes = _replaced(final, name, (name[0], table.key_of(after)), RowChange(change.before, after))
            yield _judged(replayer, changes, "value", f"{other!r} instead of {value!r} in {column} of {shown}")


@dataclass(frozen=True)
class DictatedCell:
    """A text that the task sets and that counts."""

    row: RowName
    position: int
    text: str


def dictated_cells(replayer: TaskReplayer) -> Iterator[DictatedCell]:
    """Every text in words that the chain sets, but for those that nobody dictates."""
    for name, change in replayer.final.changes.rows.items():
        if name[0] in replayer.policies.logs or change.after is None:
            continue
        for column, position in replayer.domain.schema.tables[name[0]].positions.items():
            text = change.after[position]
            is_new = change.before is None or change.before[position] != text
            counts = replayer.policies.of(name[0], column).policy == "semantic" and text not in replayer.composed
            if is_new and counts and isinstance(text, str) and text:
                yield DictatedCell(name, position, text)


def replaced_cell(replayer: TaskReplayer, cell: DictatedCell, text: Value) -> Changes:
    """The final changes with another text in a cell."""
    final = replayer.final.changes
    change = final.rows[cell.row]
    assert change.after is not None
    after = (*change.after[: cell.position], text, *change.after[cell.position + 1 :])
    return _replaced(final, cell.row, cell.row, RowChange(change.before, after))


def _try_texts(replayer: TaskReplayer) -> Iterator[Trial]:
    for cell in dictated_cells(replayer):
        declared = replayer.task.texts.get(cell.text)
        for way, text in hostile_ways(cell.text, declared.facts if declared else ()):
            yield _judged(replayer, replaced_cell(replayer, cell, text), "text", f"{text!r} ({way})")


def _other(table: Table, column: str, policy: ColumnPolicy, value: Value) -> Value:
    """Another value of the same type, beyond the tolerance, and no id that there is."""
    if isinstance(value, str):
        return f"{value}x"
    if value is None:
        return "x" if table.by_name[column].type == "TEXT" else 1
    refers = column in table.key_columns or any(column in key.columns for key in table.foreign_keys)
    more = _FAR if refers else 1 + 2 * (policy.tolerance or 0)
    return value + int(more) if isinstance(value, int) else value + more


def _replaced(final: Changes, name: RowName, other: RowName | None, change: RowChange | None) -> Changes:
    """The final changes with those of one row replaced, or forgotten."""
    changes = final.copy()
    del changes.rows[name]
    if other is not None and change is not None:
        changes.record(*other, change.before, change.after)
    return changes


def _judged(replayer: TaskReplayer, changes: Changes, what: str, tried: str) -> Trial:
    return Trial(what, f"{tried} is rewarded." * replayer.is_rewarded(changes))


def _try_rows_gone(replayer: TaskReplayer, final: Changes) -> Iterator[Trial]:
    """For each table that is compared, one more row is gone."""
    for name, rows in replayer.start.rows.items():
        key_of = replayer.domain.schema.tables[name].key_of
        row: Row | None = next((row for row in rows if (name, key_of(row)) not in final.rows), None)
        if row is not None and name not in replayer.policies.logs:
            damaged = final.copy()
            damaged.record(name, key_of(row), row, None)
            yield _judged(replayer, damaged, "gone", f"Removing {name} {' / '.join(map(str, key_of(row)))} as well")


def _try_extra_writes(replayer: TaskReplayer, examples: ExampleFinder) -> Iterator[Trial]:
    """For each table that tools write, one more accepted call that changes it; not all tables have such a call."""
    tools = replayer.domain.tools.values()
    writes = {tool.name: tool.writes - replayer.policies.logs for tool in tools if tool.writes}
    found: dict[str, Trial] = {}
    for name, tables in writes.items():
        call = None if tables <= found.keys() else examples.find(name)
        if call is not None:
            found = _extra_write(replayer, call) | found
    for name, tables in writes.items():
        chance = random.Random(f"{replayer.task.id} {name} once more")
        for call in islice(examples.draw(name, chance), 0 if tables <= found.keys() else _MOST_CALLS):
            found = _extra_write(replayer, call) | found
            if tables <= found.keys():
                break
    yield from (found[table] for table in sorted(found))


def _extra_write(replayer: TaskReplayer, call: TriedCall) -> dict[str, Trial]:
    """Make one more call after the chain; a trial for each table in which that counts."""
    final = replayer.final
    if replayer.call(call.tool, call.arguments, final) is None:
        return {}
    changes = replayer.session.changes
    tables = replayer.domain.tools[call.tool].writes - replayer.policies.logs
    changed = [table for table in tables if _has_more(replayer, final.changes, changes, table)]
    trial = _judged(replayer, changes, "extra", f"A further {call.tool}({call.text})") if changed else Trial("extra")
    return dict.fromkeys(changed, trial)


def _has_more(replayer: TaskReplayer, final: Changes, changes: Changes, table: str) -> bool:
    """Whether a row of a table was added, removed, or changed in a hard column after the chain was done."""
    positions = replayer.domain.schema.tables[table].positions
    hard = [at for name, at in positions.items() if replayer.policies.of(table, name).policy == "hard"]
    for _, (before, after) in ((name, step) for name, step in final.steps_to(changes) if name[0] == table):
        if before is None or after is None or any(before[at] != after[at] for at in hard):
            return True
    return False
