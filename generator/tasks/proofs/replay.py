"""Replay: the chain runs from the start without a rejection, twice, to the same digest, and is rewarded 1."""

from __future__ import annotations

from collections.abc import Iterator

from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.task.judge import judge
from runtime.task.task import replay


def try_replay(replayer: TaskReplayer) -> Iterator[Trial]:
    """Two runs and a verdict; errors: EnvironmentFault, UndecidedVerdict."""
    if not replayer.task.chain:
        yield Trial("solution", "It has no reference chain.")
        return
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
