"""Proofs that need a task's line alone: replay, inert, necessity, sensitivity, tolerance, explorability."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain

from generator.gates.calls.sample import Sampler
from generator.graph.experiment import TriedCall
from generator.tasks.proofs.knowledge import ToldKnowledge, tightenings
from generator.tasks.proofs.replayer import INVARIANT, TaskReplayer, Trial, that_matter, without
from runtime.domain.changes import Changes, RowChange, RowName, strip
from runtime.domain.domain import broken_invariants
from runtime.domain.people import is_desk_tool
from runtime.domain.policies import ColumnPolicy
from runtime.domain.schema import Row, Table, Value
from runtime.domain.waiting import WAIT
from runtime.task.origin import JsonPath, leaves_of
from runtime.task.task import replay


def try_replay(replayer: TaskReplayer) -> Iterator[Trial]:
    """Check the invariants, run the chain twice, and judge it; errors: EnvironmentFault, UndecidedVerdict."""
    if not replayer.task.chain:
        yield Trial("solution", "It has no reference chain.")
        return
    if replayer.domain.invariants:
        with closing(replayer.world.open()) as connection:
            broken = next(broken_invariants(connection, replayer.domain.invariants), "")
        yield Trial(INVARIANT, f"In its world {broken}." if broken else "")
    final = replayer.final
    replayer.session.reset()
    replay(replayer.session, replayer.task.chain)
    replayer.session.settle()
    first, again = (
        f"{changes.digest(replayer.world.digest, replayer.domain.policies):032x}"
        for changes in (final.changes, replayer.session.changes)
    )
    yield Trial("digest", "" if first == again else f"Two runs of the chain end in digests {first} and {again}.")
    verdict = replayer.judged.compare(final.changes)
    search = f"Telling the added rows apart takes a search of {verdict.search_steps} steps."
    yield Trial("search", search if verdict.search_steps else "")
    if verdict.differences:
        yield Trial("solution", f"The chain is not rewarded: {verdict.differences[0].sentence}")
    else:
        full = replayer.judged.judge(final.changes, replayer.told)
        why = full.differences[0].sentence if full.differences else ""
        yield Trial("solution", f"The chain and its answers are not rewarded: {why}" if why else "")


def try_inert(replayer: TaskReplayer) -> Iterator[Trial]:
    """Try "nothing" and each writing "step"."""
    yield Trial("nothing", "Doing nothing is rewarded." * replayer.reward(replayer.untouched.changes, {}))
    for step, ran in zip(replayer.plan, replayer.reference, strict=True):
        if step.writes and step.tool != WAIT:
            no_op = not _counts(replayer, ran.changes)
            yield Trial("step", f"Step {step.number} ({step.tool}) changes nothing that counts." * no_op)


def _counts(replayer: TaskReplayer, changes: Changes) -> bool:
    """Return True if a row of a compared table changed in more than generated columns."""
    policies = replayer.policies
    for (table, _), (before, after) in changes.rows.items():
        if table in policies.logs:
            continue
        ignored = policies.generated_positions[table]
        if before is None or after is None or strip(before, ignored) != strip(after, ignored):
            return True
    return False


def try_necessity(replayer: TaskReplayer) -> Iterator[Trial]:
    """Leave out each writing step with the steps that depend on its result.

    What was done for a wish that the user takes back later need not be done.
    """
    matter = that_matter(replayer.plan)
    amended = {wish.amends for wish in replayer.task.user.wishes}
    for step in matter:
        if step.writes and replayer.task.chain[step.number].wish not in amended:
            left = replayer.play(without(matter, step.number)).changes
            rewarded = replayer.judged.is_rewarded(left)
            yield Trial("step", f"Leaving out step {step.number} ({step.tool}) is rewarded." * rewarded)
    yield from _try_answers(replayer)


def _try_answers(replayer: TaskReplayer) -> Iterator[Trial]:
    """Leave out each answer; then tell the user only their own words."""
    told, user = replayer.told, replayer.task.user
    for name in told:
        enough = any(replayer.is_answer(name, value) for other, value in told.items() if other != name)
        yield Trial("answer", f"Not telling the {name} is rewarded: another answer is the same." * enough)
    if told:
        echo = [*user.words, *(fact.said for fact in user.facts)]
        echoed = all(any(replayer.is_answer(name, words) for words in echo) for name in told)
        yield Trial("answer", "Repeating the user's own words answers everything." * echoed)


_FAR = 1_000_003  # from any id that the chain makes


def try_sensitivity(
    replayer: TaskReplayer, examples: ExampleFinder, knowledge: ToldKnowledge | None = None
) -> Iterator[Trial]:
    """Try a "policy" that ignores a wish, a "row", a "value", a row "gone", an "extra" write."""
    yield from (Trial("policy") for _ in replayer.task.policies)
    for column in tightenings(replayer, knowledge) if knowledge is not None else ():
        yield Trial("policy", f"{column} holds what the user asked for, but no policy of the task counts it.")
    final = replayer.final.changes
    for name, change in final.rows.items():
        if name[0] not in replayer.policies.logs and not replayer.task.checks:
            yield from _try_row(replayer, final, name, change)
    yield from _try_rows_gone(replayer, final)
    yield from _try_extra_writes(replayer, examples)


def _try_row(replayer: TaskReplayer, final: Changes, name: RowName, change: RowChange) -> Iterator[Trial]:
    table = replayer.domain.schema.tables[name[0]]
    shown = f"{name[0]} {' / '.join(map(str, name[1]))}"
    if change.before is None or change.after is None:
        verb = "adding" if change.before is None else "removing"
        yield _judged(replayer, _replaced(final, name, None, None), "row", f"Not {verb} {shown}")
    if change.after is None:
        return
    for column, position in table.positions.items():
        policy, value = replayer.policies.of(table.name, column), change.after[position]
        if change.before is not None and change.before[position] == value:
            continue
        if policy.policy == "hard" or (policy.policy == "semantic" and value in replayer.dictated):
            other = None if policy.policy == "semantic" else _other(table, column, policy, value)
            after = (*change.after[:position], other, *change.after[position + 1 :])
            changes = _replaced(final, name, (name[0], table.key_of(after)), RowChange(change.before, after))
            yield _judged(replayer, changes, "value", f"{other!r} instead of {value!r} in {column} of {shown}")


def _other(table: Table, column: str, policy: ColumnPolicy, value: Value) -> Value:
    """Return another value of the same type, beyond the tolerance, that is not an existing id."""
    if isinstance(value, str):
        return f"{value}x"
    if value is None:
        return "x" if table.by_name[column].type == "TEXT" else 1
    refers = column in table.key_columns or any(column in key.columns for key in table.foreign_keys)
    more = _FAR if refers else 1 + 2 * (policy.tolerance or 0)
    return value + int(more) if isinstance(value, int) else value + more


def _replaced(final: Changes, name: RowName, other: RowName | None, change: RowChange | None) -> Changes:
    """Return the final changes with those of one row replaced or removed."""
    changes = final.copy()
    del changes.rows[name]
    if other is not None and change is not None:
        changes.record(*other, change.before, change.after)
    return changes


def _judged(replayer: TaskReplayer, changes: Changes, what: str, tried: str) -> Trial:
    return Trial(what, f"{tried} is rewarded." * replayer.judged.is_rewarded(changes))


def _try_rows_gone(replayer: TaskReplayer, final: Changes) -> Iterator[Trial]:
    """For each table that is compared, one more row is gone."""
    for name, rows in replayer.start.rows.items():
        key_of = replayer.domain.schema.tables[name].key_of
        row: Row | None = next((row for row in rows if (name, key_of(row)) not in final.rows), None)
        if (
            row is not None
            and name not in replayer.policies.logs
            and not {name, f"-{name}"} & set(replayer.task.may_change)
        ):
            damaged = final.copy()
            damaged.record(name, key_of(row), row, None)
            yield _judged(replayer, damaged, "gone", f"Removing {name} {' / '.join(map(str, key_of(row)))} as well")


def _try_extra_writes(replayer: TaskReplayer, examples: ExampleFinder) -> Iterator[Trial]:
    """For each table that tools write, one more accepted call that changes it; not all tables have such a call."""
    found: dict[str, Trial] = {}
    for tool in replayer.domain.tools.values():
        tables = tool.writes - replayer.policies.logs
        for call in examples.further(tool.name) if tables else ():
            if tables <= found.keys():
                break
            found = _extra_write(replayer, call) | found
    yield from (found[table] for table in sorted(found))


def _extra_write(replayer: TaskReplayer, call: TriedCall) -> dict[str, Trial]:
    """Make one more call after the chain; a trial for each table in which that counts."""
    final = replayer.final
    replayer.session.restore(final)
    if replayer.session.perform(call.tool, call.arguments).rejection is not None:
        return {}
    changes = replayer.session.changes
    tables = replayer.domain.tools[call.tool].writes - replayer.policies.logs
    tables -= {place.lstrip("+-").partition(".")[0] for place in replayer.task.may_change}
    changed = [table for table in tables if _has_more(replayer, final.changes, changes, table)]
    trial = _judged(replayer, changes, "extra", f"A further {call.tool}({call.text})") if changed else Trial("extra")
    return dict.fromkeys(changed, trial)


def _has_more(replayer: TaskReplayer, final: Changes, changes: Changes, table: str) -> bool:
    """Return True if a row of a table was added, removed, or changed in a hard column after the chain."""
    positions = replayer.domain.schema.tables[table].positions
    hard = [at for name, at in positions.items() if replayer.policies.of(table, name).policy == "hard"]
    for _, (before, after) in ((name, step) for name, step in final.steps_to(changes) if name[0] == table):
        if before is None or after is None or any(before[at] != after[at] for at in hard):
            return True
    return False


_IDS_MOVED = 1_000


REWORDED = ("Customer: {0}", "{0}, as they told us on the call", "(see the conversation)")


def try_tolerance(replayer: TaskReplayer, knowledge: ToldKnowledge | None = None) -> Iterator[Trial]:
    """Try other "ids" of new rows, and each way of putting the "text" that nobody dictated."""
    yield from _try_ids(replayer)
    loose = [] if knowledge is None else list(_loose_texts(replayer, knowledge))
    for words in REWORDED if loose else ():
        instead = {(number, leaf): words.format(text) for number, leaf, text in loose}
        performance = replayer.play(replayer.plan, instead=instead)
        if not performance.rejected:
            differences = replayer.judged.compare(performance.changes).differences
            why = f"With texts put as {words!r} it is not rewarded: {differences[0].sentence}" if differences else ""
            yield Trial("text", why)


def _loose_texts(replayer: TaskReplayer, knowledge: ToldKnowledge) -> Iterator[tuple[int, JsonPath, str]]:
    """Yield the arguments, by step and path, that end up as texts in words and that the user does not dictate."""
    for number, ran in enumerate(replayer.reference):
        for leaf, value in leaves_of(ran.arguments) if replayer.plan[number].writes else ():
            if value in replayer.dictated or not knowledge.is_prose(number, leaf, value):
                continue
            policies = [
                replayer.domain.policies.of(table, column)
                for (table, _), (_, after) in ran.changes.rows.items()
                for column, at in replayer.domain.schema.tables[table].positions.items()
                if after is not None and after[at] == value
            ]
            if policies and all(each.policy != "hard" and not each.spelled for each in policies):
                yield number, leaf, value


def _try_ids(replayer: TaskReplayer) -> Iterator[Trial]:
    performance = replayer.play(that_matter(replayer.plan), ids_from=replayer.world.counter + _IDS_MOVED)
    for number, rejection in performance.rejected.items():
        yield Trial("ids", f"With other ids, step {number} is rejected: {rejection.sentence}")
        return
    differences = replayer.judged.compare(performance.changes).differences
    yield Trial("ids", f"With other ids it is not rewarded: {differences[0].sentence}" if differences else "")


MOST_DRAWS = 400  # before a tool counts as one that cannot run here
_FEW_DRAWS = 60  # to find a call of a tool that changes something


class ExampleFinder:
    """Finds calls of each tool on a task's start; `known` are calls to try first, the tool's own last.

    What is found out about calls is kept in `ran`, which tasks of one world may share.
    """

    def __init__(
        self,
        replayer: TaskReplayer,
        known: Mapping[str, Sequence[Sequence[TriedCall]]] | None = None,
        ran: dict[tuple[str, ...], bool] | None = None,
    ) -> None:
        self._replayer = replayer
        self._known = known or {}
        self._ran = {} if ran is None else ran

    def runs(self, name: str) -> bool:
        """Return True if the tool runs at the start, or after the calls that are known to lead up to it."""
        singles = ([call] for call in self._calls(name, MOST_DRAWS))
        return any(self._run(calls) for calls in chain(self._known.get(name, ()), singles))

    def further(self, name: str) -> Iterator[TriedCall]:
        """Yield calls of a tool to make after the chain."""
        return self._calls(name, 0 if self._known else _FEW_DRAWS)

    def _calls(self, name: str, draws: int) -> Iterator[TriedCall]:
        """Yield calls to try: those of the chain, those that are known, and random ones."""
        told = [dict(step.arguments) for step in self._replayer.reference if step.tool == name]
        yield from (TriedCall(name, arguments) for arguments in told)
        yield from (calls[0] for calls in self._known.get(name, ()) if len(calls) == 1)
        if draws:
            chance = random.Random(f"{self._replayer.task.id} {name}")
            sampler = Sampler(self._replayer.domain.tools[name], self._replayer.start, told)
            for _ in range(draws):
                yield TriedCall(name, sampler.sample(chance, sampler.anchor(chance)))

    def _run(self, calls: Sequence[TriedCall]) -> bool:
        replayer, name = self._replayer, tuple(part for each in calls for part in (each.tool, each.text))
        if name not in self._ran:
            replayer.session.reset()
            self._ran[name] = all(
                replayer.session.perform(each.tool, each.arguments).rejection is None for each in calls
            )
        return self._ran[name]


LEAST_TOOLS = 20  # that can be used in a task's world; three in four, where a domain has few


def try_explorability(replayer: TaskReplayer, examples: ExampleFinder) -> Iterator[Trial]:
    """Try the "number" of tools that a task says can be used, and an "example" of each."""
    used = {step.tool for step in replayer.reference}
    tools, named = replayer.domain.tools, replayer.task.explorable
    found = [name for name in named if name in used or (name in tools and examples.runs(name))]
    least = min(LEAST_TOOLS, 3 * sum(not is_desk_tool(name) for name in tools) // 4)
    few = f"{len(found)} tools can be used in its world; at least {least} must be."
    yield Trial("number", "" if len(found) >= least else few)
    for name in named:
        yield Trial("example", "" if name in found else f"No call of {name} was found that runs.")
