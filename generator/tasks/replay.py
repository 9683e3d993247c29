"""The least that a task must pass: its chain runs, ends in the same state every time, and is rewarded."""

from __future__ import annotations

from generator.tasks.candidate import Candidate, Proof, ProofName
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.session.session import Session
from runtime.task.judge import judge
from runtime.task.task import replay
from runtime.verification.verdict import UndecidedVerdict


def prove_candidate(candidate: Candidate) -> dict[ProofName, Proof]:
    """The proofs of a candidate by name."""
    try:
        reason = _fault_of_replay(candidate)
    except (EnvironmentFault, Rejection, UndecidedVerdict, UsageError) as error:
        reason = str(error)
    return {"replay": Proof("replay", 0 if reason else 1, 1, reason)}


def _fault_of_replay(candidate: Candidate) -> str:
    task, domain = candidate.task, candidate.domain
    with Session(domain, candidate.world, principal=task.principal) as session:
        replay(session, task.chain)
        changes, digest = session.changes, session.digest()
        session.reset()
        replay(session, task.chain)
        if session.digest() != digest:
            return "Two replays of the chain end in different states."
    told = [f"The {answer.name} is {answer.value}." for answer in task.answers]
    verdict = judge(task, domain, candidate.world, changes, told)
    return "" if verdict.reward else f"The chain is not rewarded: {verdict.differences[0].sentence}"
