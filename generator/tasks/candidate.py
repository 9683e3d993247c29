"""A task candidate, and the proofs that its trials come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generator.tasks.telling import Telling
from runtime.domain.domain import Domain
from runtime.domain.schema import Key
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.script import Script
from runtime.task.task import Task

ProofName = Literal[
    "replay",
    "inert",
    "necessity",
    "sensitivity",
    "tolerance",
    "sufficiency",
    "documented",
    "identifiability",
    "explorability",
    "obedience",
    "asking",
    "order",
    "mistakes",
    "twins",
    "detours",
    "luck",
]


@dataclass(frozen=True)
class Candidate:
    """A composed task with what its line does not hold: its start, its scripts with origins, the rows picked."""

    domain: Domain
    task: Task
    world: World
    scripts: tuple[Script, ...]  # of its scenarios, in their order; step numbers count on through all of them
    picks: tuple[tuple[str, Key], ...]  # table and key of every row that a scenario picked
    retell: Callable[[Session, int], Telling | None]  # its scenarios on a world that is otherwise for one of them
    names: tuple[str, ...] = ()  # of its scenarios
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # arguments that run at the start, by tool


@dataclass(frozen=True)
class Proof:
    """What one proof came to: how many of its trials passed, and the first that did not in one sentence."""

    name: ProofName
    passed: int
    tried: int
    reason: str = ""
    failed: str = ""  # what was tried first that did not pass

    @property
    def refusal(self) -> str:
        """As what a candidate that it refuses is counted."""
        return f"{self.name}, {self.failed}" if self.failed == INVARIANT else self.name

    @property
    def holds(self) -> bool:
        """Whether every trial passed."""
        return self.passed == self.tried and not self.reason


@dataclass
class CandidateCounts:
    """What became of many candidates: how many were kept, and why the others were not."""

    kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)  # by the proof or rule that refused them
    proofs: dict[ProofName, tuple[int, int]] = field(default_factory=dict)  # passed and tried

    def add(self, proofs: Mapping[ProofName, Proof]) -> None:
        """Count the trials of one candidate's proofs."""
        for name, proof in proofs.items():
            passed, tried = self.proofs.get(name, (0, 0))
            self.proofs[name] = (passed + proof.passed, tried + proof.tried)


INVARIANT = "broken invariant"
"""What a trial is that looks at a task's world."""


@dataclass(frozen=True)
class Trial:
    """Something that was tried: what it was, in one word, and the sentence that says why it did not pass."""

    what: str
    fault: str = ""

    @property
    def passed(self) -> bool:
        """Whether it came out as it must."""
        return not self.fault


def proof_of(name: ProofName, trials: Iterable[Trial]) -> Proof:
    """Count trials; the first that did not pass is the reason."""
    tried = list(trials)
    failed = next((trial for trial in tried if trial.fault), None)
    passed = sum(trial.passed for trial in tried)
    if failed is None:
        return Proof(name, passed, len(tried))
    return Proof(name, passed, len(tried), failed.fault, failed.what)
