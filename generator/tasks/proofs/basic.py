"""The basic proofs: the chain replays, doing nothing earns nothing, and no step can be left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from generator.tasks.candidate import INVARIANT, Trial
from generator.tasks.proofs.plan import that_matter, without
from generator.tasks.proofs.replayer import TaskReplayer
from runtime.domain.changes import Changes, RowName, strip
from runtime.domain.invariants import broken_invariants
from runtime.domain.schema import Value
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


def try_necessity(replayer: TaskReplayer, scenario_ends: Sequence[int] = ()) -> Iterator[Trial]:
    """Each writing step is left out, with the steps that depend on its result; `scenario_ends` are step numbers.

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
    yield from _try_agreement(replayer, scenario_ends or (len(replayer.reference),))


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


def _try_agreement(replayer: TaskReplayer, ends: Sequence[int]) -> Iterator[Trial]:
    """What a scenario changed must be there in the end; only a number may have moved on."""
    final = replayer.final.changes
    begin = 0
    for end in ends:
        own = Changes()
        for step in replayer.reference[begin:end]:
            own.merge(step.changes)
        begin = end
        for name, (before, after) in own.rows.items():
            if name[0] not in replayer.policies.logs:
                yield Trial("goal", _undone(replayer, name, before, after, final))


def _undone(
    replayer: TaskReplayer,
    name: RowName,
    before: tuple[Value, ...] | None,
    after: tuple[Value, ...] | None,
    final: Changes,
) -> str:
    """Which change of one row by a scenario is missing in the end, in a sentence; empty if none is."""
    table, key = name
    row = f"{table} {' / '.join(map(str, key))}"
    if before is None and after is None:
        return ""
    if name not in final.rows:
        return f"{row} is in the end as it was at the start, although a goal changes it."
    ends_as = final.rows[name].after
    if after is None or ends_as is None:
        return "" if after == ends_as else f"{row} is {'there' if ends_as else 'gone'} in the end, against a goal."
    for column, position in replayer.domain.schema.tables[table].positions.items():
        wanted, found = after[position], ends_as[position]
        if (before is not None and before[position] == wanted) or wanted == found:
            continue
        policy = replayer.policies.of(table, column).policy
        moved_on = isinstance(wanted, int | float) and before is not None and found != before[position]
        if policy in ("hard", "semantic") and not moved_on:
            return f"{row}: one goal sets {column} to {wanted!r}, and another one leaves it at {found!r}."
    return ""
