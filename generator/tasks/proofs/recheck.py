"""Prove the tasks of a folder again, made anew from their ids where these give the same line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from generator.gates.folder import ShareRequest
from generator.isolation.job import job
from generator.tasks.compose import Composer
from generator.tasks.plan import read_task_id
from generator.tasks.proofs.all import Proven, fault_of_conversation, prove_candidate, prove_line
from generator.tasks.proofs.replayer import Candidate, CandidateCounts, ProofName
from generator.tasks.proofs.shortcuts import ShortcutCounts
from generator.tasks.telling import CannotCompose
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.graph import read_graph
from runtime.sandbox.files import is_there, read_lines
from runtime.session.world import World, WorldCache
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks, task_line

MOST_AT_ONCE = 32  # tasks in one process
_NO_GRAPH = "the folder has no graph.json, which each of them depends on; `worldsmith check --write-graph` writes it"
_NO_SCENARIOS = "the folder has no scenarios.py to make it of"

NO_TASK = "line"  # the reason for a line that is not a task; the others are proven all the same
NOT_WON = "conversation"  # the reason for a task that the reference loses with the scripted user
NO_WORLD = "world"  # the reason for a task whose world cannot be built as it was


@dataclass(frozen=True)
class ProvenTasks:
    """The proofs of a folder's tasks, or of a share of them, with a fault for each task that is not proven."""

    tasks: int
    kept: int
    rejected: dict[str, int]
    proofs: dict[ProofName, tuple[int, int]]  # passed and tried
    tools: list[str]  # of the chains that are proven
    faults: list[str]
    remade: int  # of the tasks, those that were made again and proven as they were then
    not_remade: dict[str, str]  # why not, by the id of the task
    shortcuts: ShortcutCounts = field(default_factory=ShortcutCounts)  # of those that are proven
    lost: list[str] = field(default_factory=list)  # ids of those that are not


def sets_of_tasks(folder: Path) -> list[Path | None]:
    """Return the files of a folder's tasks: None for its own, if it has some, and those of its further sets."""
    own: list[Path | None] = [None] if (folder / "tasks.jsonl").is_file() else []
    return [*own, *sorted((folder / "tasks").glob("*.jsonl"))]


def shares_of_tasks(folder: Path, file: Path | None = None) -> list[ShareRequest]:
    """The requests for the tasks of a folder or of a file: one per processor, and none too long for a job's time."""
    try:
        lines = sum(1 for _ in read_lines(file or folder / "tasks.jsonl"))
    except UsageError:
        lines = 0  # the job says why
    shares = max(os.cpu_count() or 1, -(-lines // MOST_AT_ONCE))
    return [ShareRequest(folder, share, shares, file) for share in range(shares)]


@job("tasks")
def recheck_tasks(asked: ShareRequest) -> ProvenTasks:
    """Prove each task of this share, in the order of their worlds; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    tally, faults = CandidateCounts(), list[str]()
    covered: set[str] = set()
    shortcuts = ShortcutCounts()
    broken: list[str] = []
    every = sorted(read_tasks(domain, broken, asked.file).values(), key=lambda task: task.world.base)
    first, end = (len(every) * share // asked.shares for share in (asked.share, asked.share + 1))
    for fault in broken if asked.share == 0 else ():
        tally.rejected[NO_TASK] = tally.rejected.get(NO_TASK, 0) + 1
        faults.append(fault)
    not_remade: dict[str, str] = {}
    lost: list[str] = []
    with _TaskProver(domain) as prover:
        for task in every[first:end]:
            try:
                proven = prover.prove(task)
            except (EnvironmentFault, UsageError) as error:
                tally.rejected[NO_WORLD] = tally.rejected.get(NO_WORLD, 0) + 1
                lost.append(task.id)
                faults.append(f"task {task.id!r}: {error}")
                continue
            tally.add(proofs := proven.proofs)
            failed = next((proof for proof in proofs.values() if not proof.holds), None)
            if failed is None and (fault := prover.converse(task)):
                tally.rejected[NOT_WON] = tally.rejected.get(NOT_WON, 0) + 1
                lost.append(task.id)
                faults.append(f"task {task.id!r}: the reference does not win it in conversation: {fault}")
            elif failed is None:
                tally.kept += 1
                shortcuts.add(proven.shortcuts)
                covered.update(step.tool for step in task.chain)
            else:
                tally.rejected[failed.name] = tally.rejected.get(failed.name, 0) + 1
                lost.append(task.id)
                faults.append(f"task {task.id!r}: {failed.name}: {failed.reason}")
        not_remade = prover.not_remade
    return ProvenTasks(
        tasks=end - first,
        kept=tally.kept,
        rejected=tally.rejected,
        proofs=tally.proofs,
        tools=sorted(covered),
        faults=faults,
        remade=end - first - len(not_remade),
        not_remade=not_remade,
        shortcuts=shortcuts,
        lost=lost,
    )


class _TaskProver:
    """Proves tasks in the order of their worlds; `not_remade` says which by their lines alone, and why."""

    def __init__(self, domain: Domain) -> None:
        self.not_remade: dict[str, str] = {}
        self._domain = domain
        self._worlds = WorldCache(most=1)
        self._world: World  # of the task that was proven last
        self._composer: Composer | None = None
        self._why_none = _NO_GRAPH
        try:
            if not is_there(domain.path / "scenarios.py"):
                self._why_none = _NO_SCENARIOS
            elif is_there(domain.path / "graph.json"):
                self._composer = Composer(domain, read_graph(domain.path))
        except UsageError as error:
            self._why_none = str(error)

    def prove(self, task: Task) -> Proven:
        """Return the proofs of a task; errors: UsageError if its world is another one now, EnvironmentFault."""
        try:
            if self._composer is None:
                raise CannotCompose(self._why_none)
            candidate = remake(self._composer, task)
            proven = prove_candidate(candidate)
            if proven.mistakes and list(proven.mistakes) != task.mistakes:
                raise CannotCompose("its number makes a task with other mistakes")
            self._world = candidate.world
            return proven
        except CannotCompose as unfit:
            self.not_remade[task.id] = str(unfit)
            self._world = start_world(task, self._domain, self._worlds)
            return prove_line(self._domain, task, self._world)

    def converse(self, task: Task) -> str:
        """Say why the reference does not win the task that was proven last in conversation; empty if it does."""
        return fault_of_conversation(task, self._domain, self._world)

    def __enter__(self) -> _TaskProver:
        return self

    def __exit__(self, *_: object) -> None:
        if self._composer is not None:
            self._composer.close()


def remake(composer: Composer, task: Task) -> Candidate:
    """Return the candidate whose line this is, byte for byte except for what does not change it; errors: CannotCompose.

    That is its title, which tools can be used in its world besides, and what was found out about it afterwards.
    """
    made_of = read_task_id(task.id, [*composer.forms, *composer.timed])
    if made_of is None:
        raise CannotCompose("its id is not that of a task which these scenarios make")
    try:
        candidate = composer.compose(made_of)
    except CannotCompose as unfit:
        raise CannotCompose(f"of its number no task is made: {unfit}") from unfit
    except (EnvironmentFault, UsageError) as error:
        raise CannotCompose(f"of its number no task is made: {error}") from error
    as_written = {name: getattr(task, name) for name in ("proofs", "mistakes", "title", "explorable")}
    chains = {name: number for name, number in task.difficulty.items() if name == "chains"}
    own = candidate.task.model_copy(update={**as_written, "difficulty": {**candidate.task.difficulty, **chains}})
    if own.id != task.id:
        raise CannotCompose(f"its number makes {own.id!r}")
    if task_line(own) != task_line(task):
        differing = (name for name in Task.model_fields if getattr(own, name) != getattr(task, name))
        raise CannotCompose(f"its number makes a task with another {next(differing, 'line')}")
    return replace(candidate, task=own)
