"""One trial of a proof, and the proof that many trials come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from generator.tasks.candidate import Proof, ProofName

UNDECIDED = "undecided"
"""What a trial is that came to no answer within its bound."""


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
    return Proof(name, passed, len(tried), failed.fault, undecided=failed.what == UNDECIDED)
