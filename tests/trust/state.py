"""Do a task rightly and something else besides, or less, and count what is rewarded: nothing must be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing

from runtime.domain.changes import Changes, RowName
from runtime.domain.find import find_domain
from runtime.domain.schema import Row, Value
from tests.trust.answers import DOMAINS, Measured
from tests.trust.texts import Judging, judged_tasks

State = Callable[[Judging], Iterator[Changes]]


def measure(sample: bool = False) -> tuple[Measured, ...]:
    """How often each kind of wrong state is rewarded."""
    tries: Counter[str] = Counter()
    rewarded: Counter[str] = Counter()
    for domain in map(find_domain, DOMAINS):
        for judging in judged_tasks(domain, sample):
            for kind, make in KINDS.items():
                for changes in make(judging):
                    tries[kind] += 1
                    rewarded[kind] += judging.reward(changes)
    return tuple(Measured(kind, rewarded[kind], tries[kind]) for kind in KINDS)


def _nothing(judging: Judging) -> Iterator[Changes]:
    if any(_counts(judging, name) for name in judging.final.rows):  # of what only asks, nothing may be all
        yield Changes()


def _a_row_less(judging: Judging) -> Iterator[Changes]:
    for name in judging.final.rows:
        changes = judging.final.copy()
        del changes.rows[name]
        if _counts(judging, name):
            yield changes


def _twice(judging: Judging) -> Iterator[Changes]:
    for name, change in judging.final.rows.items():
        if change.before is None and change.after is not None and _counts(judging, name):
            yield _with(judging, (name, None, change.after), anew=True)


def _others(judging: Judging, change: Callable[[Judging, RowName, Row], Iterator[Changes]]) -> Iterator[Changes]:
    """What is done to one row of each table that the task does not touch."""
    with closing(judging.world.open()) as connection:
        for name, table in judging.domain.schema.tables.items():
            for row in connection.execute(f"{table.select_all} LIMIT 20"):
                if (name, table.key_of(row)) not in judging.final.rows and name not in judging.policies.logs:
                    yield from change(judging, (name, table.key_of(row)), tuple(row))
                    break


def _extra(judging: Judging, name: RowName, row: Row) -> Iterator[Changes]:
    yield _with(judging, (name, None, row), anew=True)


def _removed(judging: Judging, name: RowName, row: Row) -> Iterator[Changes]:
    yield _with(judging, (name, row, None))


def _made_anew(judging: Judging, name: RowName, row: Row) -> Iterator[Changes]:
    changes = _with(judging, (name, None, row), anew=True)
    changes.record(name[0], name[1], row, None)
    yield changes


def _vandalised(judging: Judging, name: RowName, row: Row) -> Iterator[Changes]:
    for column, at in judging.domain.schema.tables[name[0]].positions.items():
        if _is_judged(judging, name[0], column, on_own=False):
            yield _with(judging, (name, row, (*row[:at], _other(row[at]), *row[at + 1 :])))


def _own_vandalised(judging: Judging) -> Iterator[Changes]:
    for name, column, value in _unasked(judging):
        yield judging.replaced(name, column, _other(value))


def _own_halved(judging: Judging) -> Iterator[Changes]:
    for name, column, value in _unasked(judging):
        if isinstance(value, str) and len(value) > 3:
            yield judging.replaced(name, column, value[: len(value) // 2])


def _own_emptied(judging: Judging) -> Iterator[Changes]:
    for name, column, value in _unasked(judging):
        if value is not None:
            yield judging.replaced(name, column, None)


def _own_shouted(judging: Judging) -> Iterator[Changes]:
    for name, column, value in _unasked(judging):
        semantic = judging.policies.of(name[0], column).policy == "semantic"
        if semantic and isinstance(value, str) and value.upper() != value:
            yield judging.replaced(name, column, value.upper())


def _own_made_anew(judging: Judging) -> Iterator[Changes]:
    for name, change in judging.final.rows.items():
        if change.before is not None and change.after is not None:
            changes = judging.final.copy()
            del changes.rows[name]
            changes.record(name[0], name[1], change.before, None)
            _add(judging, changes, name, change.after)
            yield changes


def _other_owner(judging: Judging) -> Iterator[Changes]:
    """An added row refers to another row than it should."""
    with closing(judging.world.open()) as connection:
        for name, change in judging.final.rows.items():
            table = judging.domain.schema.tables[name[0]]
            for foreign_key in table.foreign_keys if change.before is None and change.after is not None else ():
                column, parent = foreign_key.columns[0], foreign_key.parent_columns[0]
                at = table.positions[column]
                query = f'SELECT "{parent}" FROM "{foreign_key.parent}" WHERE "{parent}" <> ? ORDER BY 1 LIMIT 1'
                assert change.after is not None
                other = connection.execute(query, [change.after[at]]).fetchone()
                if other and _is_judged(judging, name[0], column, on_own=True):
                    yield judging.replaced(name, column, other[0])


KINDS: dict[str, State] = {
    "nothing is done": _nothing,
    "a row less": _a_row_less,
    "an added row twice": _twice,
    "an extra row": lambda judging: _others(judging, _extra),
    "a stranger's row removed": lambda judging: _others(judging, _removed),
    "a stranger's row deleted and added again": lambda judging: _others(judging, _made_anew),
    "a stranger's column vandalised": lambda judging: _others(judging, _vandalised),
    "the row deleted and added again": _own_made_anew,
    "another column of the row vandalised": _own_vandalised,
    "another text of the row cut in half": _own_halved,
    "another value of the row emptied": _own_emptied,
    "another text of the row in capitals": _own_shouted,
    "an added row of another owner": _other_owner,
}


def _with(judging: Judging, change: tuple[RowName, Row | None, Row | None], *, anew: bool = False) -> Changes:
    name, before, after = change
    changes = judging.final.copy()
    if anew:
        assert after is not None
        _add(judging, changes, name, after)
    else:
        changes.record(name[0], name[1], before, after)
    return changes


def _add(judging: Judging, changes: Changes, name: RowName, row: Row) -> None:
    """Add a row once more, under a key of its own."""
    table = judging.domain.schema.tables[name[0]]
    at = table.positions[table.primary_key[-1]]
    key: Value = f"{row[at]}-again" if isinstance(row[at], str) else 1_000_003
    again = (*row[:at], key, *row[at + 1 :])
    changes.record(name[0], table.key_of(again), None, again)


def _unasked(judging: Judging) -> Iterator[tuple[RowName, str, Value]]:
    """What the task leaves as it was on the rows that it changes, as far as it is judged."""
    for name, change in judging.final.rows.items():
        if change.before is None or change.after is None or not _counts(judging, name):
            continue
        for column, at in judging.domain.schema.tables[name[0]].positions.items():
            if change.before[at] == change.after[at] and _is_judged(judging, name[0], column, on_own=True):
                yield name, column, change.after[at]


def _counts(judging: Judging, name: RowName) -> bool:
    """Whether anything of a row that the task changes is judged."""
    change = judging.final.rows[name]
    positions = judging.domain.schema.tables[name[0]].positions
    return any(
        change.before is None or change.after is None or change.before[at] != change.after[at]
        for column, at in positions.items()
        if _is_judged(judging, name[0], column, on_own=True)
    )


def _is_judged(judging: Judging, table: str, column: str, *, on_own: bool) -> bool:
    policy = judging.policies.of(table, column).policy
    is_key = column in judging.domain.schema.tables[table].primary_key
    return (
        not is_key
        and table not in judging.policies.logs
        and policy not in (("generated", "optional") if on_own else ("generated",))
    )


def _other(value: Value) -> Value:
    if isinstance(value, str):
        return f"{value} vandalised"
    return "vandalised" if value is None else value + 7
