"""Make raised tasks in a child process, and prove them as any others; each names its easier sibling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.isolation.job import job
from generator.tasks.compose import Composer
from generator.tasks.hardening.ways import Way
from generator.tasks.make import with_proofs
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.telling import Unfit
from runtime.domain.load import load_domain
from runtime.graph import read_graph
from runtime.task.task import Task
from runtime.task.task_file import task_line


@dataclass(frozen=True)
class RaiseProposal:
    """A task that is to be raised, by its id, and how."""

    easier: str
    way: Way


@dataclass(frozen=True)
class RaiseRequest:
    """Proposals for tasks of a domain folder."""

    folder: Path
    proposals: list[RaiseProposal]


@dataclass(frozen=True)
class RaisedLine:
    """What came of a proposal: the line of the raised task, or why there is none."""

    easier: str
    line: str = ""
    why_not: str = ""


@dataclass(frozen=True)
class RaisedLines:
    """What came of some proposals, in their order."""

    lines: list[RaisedLine]


@job("raise")
def raise_tasks(asked: RaiseRequest) -> RaisedLines:
    """Make and prove what is proposed; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    with Composer(domain, read_graph(asked.folder)) as composer:
        return RaisedLines([_raise(composer, each) for each in asked.proposals])


def _raise(composer: Composer, proposal: RaiseProposal) -> RaisedLine:
    try:
        candidate = composer.compose_of(proposal.way.made)
    except Unfit as unfit:
        return RaisedLine(proposal.easier, why_not=str(unfit))
    if lacking := _lacks(candidate.task, proposal):
        return RaisedLine(proposal.easier, why_not=lacking)
    proven = prove_candidate(candidate)
    failed = next((proof for proof in proven.proofs.values() if not proof.holds), None)
    if failed is not None:
        return RaisedLine(proposal.easier, why_not=failed.refusal)
    raised = with_proofs(candidate, proven).model_copy(update={"easier": proposal.easier})
    return RaisedLine(proposal.easier, task_line(raised))


def _lacks(task: Task, proposal: RaiseProposal) -> str:
    """What was asked for and did not come about; empty if it did."""
    forms: Sequence[str] = [wish.form for wish in task.user.wishes]
    if proposal.way.made.form is not None and proposal.way.made.form not in forms:
        return f"no scenario of the form {proposal.way.made.form} fits"
    if proposal.way.name == "denied twin" and not set(forms) & {"denied", "fallback"}:
        return "no row that the rules deny"
    return ""
