"""All proofs of a task, the cheapest first; the first that fails ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations

from generator.tasks.proofs.basic import (
    ExampleFinder,
    try_explorability,
    try_inert,
    try_necessity,
    try_replay,
    try_sensitivity,
    try_tolerance,
)
from generator.tasks.proofs.changed_worlds import try_counterfactuals, try_luck
from generator.tasks.proofs.detours import try_detours
from generator.tasks.proofs.documented import try_documented, try_sufficiency
from generator.tasks.proofs.identifiability import try_identifiability
from generator.tasks.proofs.knowledge import ToldKnowledge
from generator.tasks.proofs.mistakes import MistakeFinder, try_checks, try_known_mistakes, try_mistakes
from generator.tasks.proofs.replayer import Candidate, Proof, ProofName, TaskReplayer, Trial, proof_of
from generator.tasks.proofs.shortcuts import ShortcutCounts, count_shortcuts
from generator.tasks.proofs.timing import try_haste, try_patience, try_quiet, try_settled, try_window
from generator.tasks.proofs.variations import try_asking, try_obedience, try_order
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.session.world import World
from runtime.task.task import Mistake, Task
from runtime.task.unproven import unjudged_cells
from runtime.verification.verify import is_rewarded

_WHERE_THEY_APPLY = frozenset(
    {
        "sufficiency",
        "identifiability",
        "documented",
        "obedience",
        "order",
        "asking",
        "mistakes",
        "checks",
        "ends",
        "counterfactuals",
        "detours",
        "luck",
        "settled",
        "patience",
        "haste",
        "window",
        "quiet",
    }
)
"""Proofs that not every task has something for."""

Trials = dict[ProofName, list[Trial]]


@dataclass(frozen=True)
class Proven:
    """Trials by proof, up to the first that fails; of a proven task its known mistakes, and what shortcuts hit."""

    trials: Trials
    mistakes: tuple[Mistake, ...] = ()
    shortcuts: ShortcutCounts = field(default_factory=ShortcutCounts)

    @property
    def proofs(self) -> dict[ProofName, Proof]:
        """The proofs by name; the task is proven if all of them hold."""
        return {name: proof_of(name, tried) for name, tried in self.trials.items()}

    @property
    def holds(self) -> bool:
        """Return True if every proof holds."""
        return all(proof.holds for proof in self.proofs.values())


def prove_candidate(candidate: Candidate) -> Proven:
    """Prove a candidate, up to the first proof that fails."""
    with TaskReplayer(candidate.domain, candidate.task, candidate.world, candidate.start) as replayer:
        finder, knowledge = MistakeFinder(replayer, candidate), ToldKnowledge(candidate)
        examples = ExampleFinder(replayer, candidate.examples, candidate.ran)
        found = _tried(
            {
                "replay": lambda: try_replay(replayer),
                "sufficiency": lambda: try_sufficiency(replayer, knowledge),
                "documented": lambda: try_documented(replayer),
                "inert": lambda: try_inert(replayer),
                "necessity": lambda: try_necessity(replayer),
                "identifiability": lambda: try_identifiability(replayer, knowledge),
                "obedience": lambda: try_obedience(replayer),
                "order": lambda: try_order(replayer),
                "asking": lambda: try_asking(replayer, candidate),
                "mistakes": lambda: try_mistakes(replayer, finder),
                "checks": lambda: try_checks(replayer, finder),
                "ends": lambda: try_ends(replayer),
                "counterfactuals": lambda: try_counterfactuals(replayer, candidate),
                "detours": lambda: try_detours(replayer, candidate),
                "luck": lambda: try_luck(replayer, candidate),
                **_of_time(replayer),
                "quiet": lambda: try_quiet(replayer, candidate),
                "tolerance": lambda: try_tolerance(replayer, knowledge),
                "sensitivity": lambda: try_sensitivity(replayer, examples, knowledge),
                "explorability": lambda: try_explorability(replayer, examples),
            }
        )
        if not Proven(found).holds:
            return Proven(found)
        return Proven(found, tuple(finder.known), count_shortcuts(replayer))


def prove_line(domain: Domain, task: Task, world: World) -> Proven:
    """Prove a task that no scenario makes: what is told and kept back is unknown."""
    with TaskReplayer(domain, task, world) as replayer:
        found = _tried(
            {
                "replay": lambda: try_replay(replayer),
                "documented": lambda: try_documented(replayer),
                "inert": lambda: try_inert(replayer),
                "necessity": lambda: try_necessity(replayer),
                "order": lambda: try_order(replayer),
                "mistakes": lambda: try_known_mistakes(replayer),
                "checks": lambda: try_checks(replayer),
                "ends": lambda: try_ends(replayer),
                **_of_time(replayer),
                "tolerance": lambda: try_tolerance(replayer),
                "sensitivity": lambda: chain(
                    (Trial("policy", f"It {fault}") for fault in unjudged_cells(task, domain) if not task.proofs),
                    try_sensitivity(replayer, ExampleFinder(replayer)),
                ),
            }
        )
        if not Proven(found).holds:
            return Proven(found)
        return Proven(found, (), count_shortcuts(replayer))


def _of_time(replayer: TaskReplayer) -> dict[ProofName, Callable[[], Iterator[Trial]]]:
    """Return the proofs of a clock that moves which need the line alone."""
    return {
        "settled": lambda: try_settled(replayer),
        "patience": lambda: try_patience(replayer),
        "haste": lambda: try_haste(replayer),
        "window": lambda: try_window(replayer),
    }


def fault_of_conversation(task: Task, domain: Domain, world: World) -> str:
    """Say why the reference conversation is not rewarded; empty if it is."""
    import asyncio  # only the few candidates that hold get so far

    from runtime.harness.agents.reference import ReferenceAgent
    from runtime.harness.play import Setting, play
    from runtime.harness.users.scripted import ScriptedKind

    setting = Setting(ReferenceAgent(), ScriptedKind())
    record = asyncio.run(play(task, domain, world, 0, setting))
    if record.reward == 1:
        return ""
    found = [each.sentence for each in record.differences] + [each.sentence for each in record.violations]
    return found[0] if found else record.why or f"The conversation ended: {record.end}."


def try_ends(replayer: TaskReplayer) -> Iterator[Trial]:
    """Whether every two ends are "apart", and each further one is proven as the first is."""
    task, domain = replayer.task, replayer.domain
    ends = replayer.judged.ends
    for one, other in combinations(range(len(ends)), 2):
        alike = is_rewarded(domain.schema, replayer.policies, ends[one], ends[other], dictated=replayer.dictated)
        yield Trial("apart", f"Ends {one} and {other} are the same." if alike else "")
    for number in range(1, len(ends)):
        with TaskReplayer(domain, task.to_end(number), replayer.world) as other_way:
            for attempt in (try_replay, try_documented, try_inert, try_necessity, try_obedience, try_tolerance):
                yield from attempt(other_way)


def _tried(proofs: Mapping[ProofName, Callable[[], Iterator[Trial]]]) -> Trials:
    """Return the trials of each proof that applies, up to the first proof that fails."""
    found: Trials = {}
    for name, attempt in proofs.items():
        trials = list(_guarded(attempt))
        if trials or name not in _WHERE_THEY_APPLY:
            found[name] = trials
        if not all(trial.passed for trial in trials):
            break
    return found


def _guarded(attempt: Callable[[], Iterator[Trial]]) -> Iterator[Trial]:
    """Yield the trials of a proof; an error is a failed trial."""
    try:
        yield from attempt()
    except (EnvironmentFault, Rejection, UsageError) as error:
        yield Trial("fault", str(error))
