"""Prove the tasks of a folder again from their lines alone, a share of them at a time: those of a world together."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from generator.gates.request import ShareRequest, cut_in_shares
from generator.isolation.job import job
from generator.tasks.candidate import CandidateCounts, ProofName
from generator.tasks.proofs.all import count_proofs, try_line
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import read_lines
from runtime.session.opening import WorldCache
from runtime.task.task import read_tasks, start_world

MOST_AT_ONCE = 32  # tasks in one process

NO_TASK = "line"  # the reason for a line that is not a task; the others are proven all the same
NO_WORLD = "world"  # the reason for a task whose world cannot be built as it was


@dataclass(frozen=True)
class ProvenTasks:
    """What the proofs of a folder's tasks, or of a share of them, came to; a fault for each task that is not proven."""

    tasks: int
    kept: int
    rejected: dict[str, int]
    proofs: dict[ProofName, tuple[int, int]]  # passed and tried
    tools: list[str]  # of the chains that are proven
    unsolved: int
    idle_rewarded: int
    collateral_rewarded: int
    faults: list[str]


def shares_of_tasks(folder: Path) -> list[ShareRequest]:
    """The requests for all tasks of a folder: no share has more than fit a job's time, and each processor has one."""
    try:
        lines = sum(1 for _ in read_lines(folder / "tasks.jsonl", within=folder))
    except UsageError:
        lines = 0  # the job says why
    return cut_in_shares(folder, max(os.cpu_count() or 1, -(-lines // MOST_AT_ONCE)))


@job("tasks")
def recheck_tasks(asked: ShareRequest) -> ProvenTasks:
    """Prove each task of this share, in the order of their worlds; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    tally, trials, faults = CandidateCounts(), Counter[tuple[str, bool]](), []
    covered: set[str] = set()
    broken: list[str] = []
    every = sorted(read_tasks(domain, broken).values(), key=lambda task: (task.world.seed, task.world.size))
    first, end = (len(every) * share // asked.shares for share in (asked.share, asked.share + 1))
    worlds = WorldCache(most=1)
    for fault in broken if asked.share == 0 else ():
        tally.rejected[NO_TASK] = tally.rejected.get(NO_TASK, 0) + 1
        faults.append(fault)
    for task in every[first:end]:
        try:
            found = try_line(domain, task, start_world(task, domain, worlds))
        except (EnvironmentFault, UsageError) as error:
            tally.rejected[NO_WORLD] = tally.rejected.get(NO_WORLD, 0) + 1
            faults.append(f"task {task.id!r}: {error}")
            continue
        tally.add(proofs := count_proofs(found))
        trials.update((trial.what, trial.passed) for tried in found.values() for trial in tried)
        failed = next((proof for proof in proofs.values() if not proof.holds), None)
        if failed is None:
            tally.kept += 1
            covered.update(step.tool for step in task.chain)
        else:
            tally.rejected[failed.name] = tally.rejected.get(failed.name, 0) + 1
            faults.append(f"task {task.id!r}: {failed.name}: {failed.reason}")
    return ProvenTasks(
        tasks=end - first,
        kept=tally.kept,
        rejected=tally.rejected,
        proofs=tally.proofs,
        tools=sorted(covered),
        unsolved=tally.rejected.get("replay", 0) + tally.rejected.get(NO_WORLD, 0),
        idle_rewarded=trials["nothing", False] + trials["parrot", False] + trials["wiped", False],
        collateral_rewarded=trials["gone", False] + trials["extra", False],
        faults=faults,
    )
