"""The basic proofs: the chain replays, doing nothing earns nothing, and no step can be left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from generator.tasks.candidate import INVARIANT, Trial
from generator.tasks.proofs.plan import that_matter, without
from generator.tasks.proofs.replayer import TaskReplayer
from runtime.domain.changes import Changes, strip
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
        yield Trial(INVARIANT, f"In its world {broken}." if broken else "")
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


def try_inert(replayer: TaskReplayer) -> Iterator[Trial]:
    """Try "nothing" and each writing "step"."""
    yield Trial("nothing", "Doing nothing is rewarded." * replayer.reward(Changes(), {}))
    for step, ran in zip(replayer.plan, replayer.reference, strict=True):
        if step.writes:
            no_op = not _counts(replayer, ran.changes)
            yield Trial("step", f"Step {step.number} ({step.tool}) changes nothing that counts." * no_op)


def _counts(replayer: TaskReplayer, changes: Changes) -> bool:
    """Whether a row changed in more than generated columns, in a table that is compared."""
    policies = replayer.policies
    for (table, _), (before, after) in changes.rows.items():
        if table in policies.logs:
            continue
        ignored = policies.generated_positions[table]
        if before is None or after is None or strip(before, ignored) != strip(after, ignored):
            return True
    return False


def try_necessity(replayer: TaskReplayer) -> Iterator[Trial]:
    """Each writing step is left out, with the steps that depend on its result.

    What was done for a wish that the user takes back later need not be done.
    """
    matter = that_matter(replayer.plan)
    amended = {wish.amends for wish in replayer.task.user.wishes}
    for step in matter:
        if step.writes and replayer.task.chain[step.number].wish not in amended:
            left = replayer.play(without(matter, step.number)).changes
            rewarded = replayer.is_rewarded(left)
            yield Trial("step", f"Leaving out step {step.number} ({step.tool}) is rewarded." * rewarded)
    yield from _try_answers(replayer)


def _try_answers(replayer: TaskReplayer) -> Iterator[Trial]:
    """Each answer is left out; and nobody is told anything but their own words."""
    told, user = replayer.told, replayer.task.user
    for name in told:
        enough = any(replayer.is_answer(name, value) for other, value in told.items() if other != name)
        yield Trial("answer", f"Not telling the {name} is rewarded: another answer is the same." * enough)
    if told:
        echo = [*user.words, *(fact.said for fact in user.facts)]
        echoed = all(any(replayer.is_answer(name, words) for words in echo) for name in told)
        yield Trial("answer", "Repeating the user's own words answers everything." * echoed)
