"""Prove a domain's tasks: the reference chain is rewarded; doing nothing, or one thing too much, is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.session.changes import Changes
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.judge import judge
from runtime.task.task import Task, read_tasks, replay, start_world
from runtime.verification.verdict import UndecidedVerdict


@dataclass
class _Proof:
    tasks: int = 0
    solved: int = 0
    idle_rewarded: int = 0
    collateral_tried: int = 0
    collateral_rewarded: int = 0
    differing_replays: int = 0
    faults: list[str] = field(default_factory=list)


def prove_tasks(folder: str) -> dict[str, Any]:
    """Replay and judge every task of a domain; errors: BrokenDomain, UsageError for a line that is no task."""
    domain = load_domain(Path(folder))
    proof = _Proof()
    for task in read_tasks(domain).values():
        proof.tasks += 1
        try:
            proof.faults += [f"task {task.id!r}: {fault}" for fault in _faults_of(task, domain, proof)]
        except (EnvironmentFault, Rejection, UndecidedVerdict, UsageError) as error:
            proof.faults.append(f"task {task.id!r}: {error}")
    return dict(vars(proof))


def _faults_of(task: Task, domain: Domain, proof: _Proof) -> Iterator[str]:
    world = start_world(task, domain)
    told = [f"The {answer.name} is {answer.value}." for answer in task.answers]
    if judge(task, domain, world, Changes(), []).reward:
        proof.idle_rewarded += 1
        yield "doing nothing is rewarded"
    if not task.chain:
        yield "it has no reference chain"
        return
    with Session(domain, world, principal=task.principal) as session:
        replay(session, task.chain)
        changes, digest = session.changes, session.digest()
        session.reset()
        replay(session, task.chain)
        if session.digest() != digest:
            proof.differing_replays += 1
            yield "two replays of its chain end in different states"
    verdict = judge(task, domain, world, changes, told)
    if not verdict.reward:
        yield f"its reference chain is not rewarded: {verdict.differences[0].sentence}"
        return
    proof.solved += 1
    for table, damaged in _damaged(domain, world, changes):
        proof.collateral_tried += 1
        if judge(task, domain, world, damaged, told).reward:
            proof.collateral_rewarded += 1
            yield f"its chain is rewarded although a row of {table} is gone that has nothing to do with it"


def _damaged(domain: Domain, world: World, changes: Changes) -> Iterator[tuple[str, Changes]]:
    """The final state with one more row removed, for each table that is compared."""
    with closing(world.open()) as connection:
        for table in domain.schema.tables.values():
            rows = [] if table.name in domain.policies.logs else connection.execute(table.select_all).fetchmany(50)
            row = next((row for row in rows if (table.name, table.key_of(row)) not in changes.rows), None)
            if row is not None:
                damaged = changes.copy()
                damaged.record(table.name, table.key_of(row), row, None)
                yield table.name, damaged
