"""Necessity: no writing step and no answer can be left out, and no step is undone by a later one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.tasks.proofs.plan import that_matter, without
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.changes import Changes, RowName
from runtime.domain.schema import Value


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
