"""Replay: the start is sound; the chain runs from it without a rejection, twice, to one digest, and is rewarded 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.invariants import broken_invariants
from runtime.task.judge import judge
from runtime.task.task import replay


def try_replay(replayer: TaskReplayer) -> Iterator[Trial]:
    """A world in which all holds that always does, two runs, a verdict; errors: EnvironmentFault, UndecidedVerdict."""
    if not replayer.task.chain:
        yield Trial("solution", "It has no reference chain.")
        return
    if replayer.domain.invariants:
        with closing(replayer.world.open()) as connection:
            broken = next(broken_invariants(connection, replayer.domain.invariants), "")
        yield Trial("world", f"In its world {broken}." if broken else "")
    first, final = replayer.first_run, replayer.final
    replayer.go_to(replayer.beginning)
    replay(replayer.session, replayer.task.chain)
    replayer.leave()
    again = replayer.session.digest()
    differ = f"Two runs of the chain end in digests {first.digest} and {again}."
    yield Trial("digest", "" if first.digest == again else differ)
    verdict = replayer.verdict(final.changes)
    search = f"Telling the added rows apart takes a search of {verdict.search_steps} steps."
    yield Trial("search", search if verdict.search_steps else "")
    if verdict.differences:
        yield Trial("solution", f"The chain is not rewarded: {verdict.differences[0].sentence}")
    else:
        full = judge(replayer.task, replayer.domain, replayer.world, final.changes, replayer.told)
        why = full.differences[0].sentence if full.differences else ""
        yield Trial("solution", f"The chain and its answers are not rewarded: {why}" if why else "")
