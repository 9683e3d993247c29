"""Inert: nothing is gained by doing nothing, wiping the database or reciting it; no writing step is a no-op."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from generator.tasks.proofs.examples import ExampleFinder
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.changes import Changes, RowChange, strip
from runtime.task.paths import leaves_of


def try_inert(replayer: TaskReplayer, examples: ExampleFinder) -> Iterator[Trial]:
    """What is tried: "nothing", "wiped", "parrot", and each writing "step"."""
    told = replayer.told
    yield Trial("nothing", "Doing nothing is rewarded." * replayer.reward(Changes(), {}))
    yield Trial("wiped", "A wiped database is rewarded." * replayer.reward(_wiped(replayer), told))
    recited = _recited(replayer, examples) if replayer.is_rewarded(Changes()) else []
    parrot = any(
        replayer.reward(Changes(), replayer.told_by([put(result) for result in recited]))
        for put in (_as_json, _in_words)
    )
    yield Trial("parrot", "Reciting every result without a change is rewarded." * parrot)
    for step, ran in zip(replayer.plan, replayer.reference, strict=True):
        if step.writes:
            no_op = not _counts(replayer, ran.changes)
            yield Trial("step", f"Step {step.number} ({step.tool}) changes nothing that counts." * no_op)


def _wiped(replayer: TaskReplayer) -> Changes:
    """The start without any of its rows."""
    tables = replayer.domain.schema.tables
    return Changes(
        {
            (name, tables[name].key_of(row)): RowChange(row, None)
            for name, rows in replayer.start.rows.items()
            for row in rows
        }
    )


def _recited(replayer: TaskReplayer, examples: ExampleFinder) -> list[Mapping[str, Any]]:
    """Every result that can be read: those of the chain, and of an example call of each reading tool."""
    reads = [step for step in replayer.plan if not step.writes]
    results = list(replayer.play(reads).results.values())
    for tool in replayer.domain.tools.values():
        call = examples.find(tool.name) if tool.read_only else None
        if call is not None:
            result = replayer.call(call.tool, call.arguments, replayer.beginning)
            results += [result] if result is not None else []
    return results


def _as_json(result: Mapping[str, Any]) -> str:
    return json.dumps(result, ensure_ascii=False)


def _in_words(result: Mapping[str, Any]) -> str:
    """A result as sentences: "The due on is 2026-04-02."."""
    said = ((str(leaf[-1]).replace("_", " "), value) for leaf, value in leaves_of(result) if leaf)
    return " ".join(f"The {name} is {value}." for name, value in said)


def _counts(replayer: TaskReplayer, changes: Changes) -> bool:
    """Whether a row changed in more than generated columns, in a table that is compared."""
    policies = replayer.policies
    for (table, _), (before, after) in changes.rows.items():
        if table in policies.logs:
            continue
        ignored = policies.generated_positions[table]
        if before is None or after is None or strip(before, ignored) != strip(after, ignored):
            return True
    return False
