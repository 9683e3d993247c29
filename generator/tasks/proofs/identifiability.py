"""Identifiability: what the user tells singles out the rows that are meant; the best of several wins by a margin."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.gates.calls.sample import slots_of
from generator.tasks.proofs.knowledge import ToldKnowledge, literal_leaves
from generator.tasks.proofs.replayer import TaskReplayer, Trial
from runtime.domain.arguments import minutes_between
from runtime.domain.changes import RowName
from runtime.domain.schema import ForeignKey, Key, Row, Value
from runtime.task.origin import JsonPath, find_at, is_reference, leaves_of, path_of, steps_named
from runtime.task.task import Step

MOST_RIVALS = 40  # rows that are put in another one's place, or a few more
_MOST_SHOWN = 3  # columns that tell two rows apart
_DEPTH = 3  # how far the rows that a row refers to are looked at
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d.*)?")


@dataclass(frozen=True)
class _Clue:
    """Something the user says of a row: the references to follow, the column there, and its value."""

    way: tuple[ForeignKey, ...]
    column: str
    value: Value
    with_time: bool


def try_identifiability(replayer: TaskReplayer, knowledge: ToldKnowledge) -> Iterator[Trial]:
    """Yield one trial per row that is meant, and one that fails per superlative whose runner-up is too close."""
    named = _rows_named(replayer)
    apart = {name for name, own in named.items() if _is_told_apart(replayer, knowledge, own[0][0])}
    used = _steps_used(replayer, knowledge)
    places = {
        name: own
        for name, own in named.items()
        if name not in apart and any(number in used for number, _ in own)  # others are only looked at on the way
    }
    meant = dict.fromkeys([*places, *(pick for pick in knowledge.rows_picked if pick not in apart)])
    clues = {name: list(_clues_to(replayer, knowledge, name)) for name in meant}
    others = {name: _others_that_fit(replayer, name, clues[name]) for name in meant}
    known = _with_parents(replayer, [name for name in meant if clues[name] and not others[name]])
    for name in meant:
        fault = "" if name in known else _confused(replayer, name, clues[name], others[name], places)
        yield Trial("row", fault)
    for best in knowledge.extremes_taken():
        if is_near_tie(best.value, best.next):
            shown = f"{best.column} is {best.value!r}, and the next one {best.next!r}"
            yield Trial("margin", f"The best {shown}: alike for a person.")


def _steps_used(replayer: TaskReplayer, knowledge: ToldKnowledge) -> set[int]:
    """Return the steps that change something, and those whose results lead to a change or an answer."""
    chain = replayer.task.chain
    used = {number for number, step in enumerate(chain) if replayer.domain.tools[step.tool].writes}
    used |= knowledge.steps_used()
    for number in reversed(range(len(chain))):
        if number in used:
            used |= {*steps_named(chain[number].arguments)}
    return used


def _is_told_apart(replayer: TaskReplayer, knowledge: ToldKnowledge, number: int) -> bool:
    """Return True if a step names the extreme or only entry of a result (the cheapest), or all but some."""
    step = replayer.task.chain[number]
    told = {fact.value for fact in replayer.task.user.facts_until(step.wish)}
    return knowledge.is_told_apart(number) or _is_one_of_the_rest(replayer, step, told)


def _is_one_of_the_rest(replayer: TaskReplayer, step: Step, told: Container[Value]) -> bool:
    """Whether a step for "all but ..." names an entry of a list whose unnamed ones are each found by what was told."""
    if replayer.task.user.wishes[step.wish].form != "all_but":
        return False
    named: dict[tuple[int, JsonPath], set[int]] = {}
    for each in replayer.task.chain:
        for number, path in _entries_named(each):
            named.setdefault((number, path[:-1]), set()).add(int(path[-1]))
    for number, path in _entries_named(step):
        entries = find_at(replayer.reference[number].result, path[:-1])
        if isinstance(entries, list) and len(named[number, path[:-1]]) > 1:
            rest = [at for at in range(len(entries)) if at not in named[number, path[:-1]]]
            if rest and all(_is_found(entries, at, told) for at in rest):
                return True
    return False


def _entries_named(step: Step) -> Iterator[tuple[int, JsonPath]]:
    """Yield the entries of results that the arguments of a step name: by whose result, and the place in it."""
    for _, value in leaves_of(step.arguments):
        if is_reference(value):
            path = path_of(value)
            at = next((at for at, part in enumerate(path) if isinstance(part, int)), None)
            if at is not None:
                yield value["$step"], path[: at + 1]


def _is_found(entries: Sequence[Any], place: int, told: Container[Value]) -> bool:
    """Return True if what was told of an entry is true of no other one."""
    own = entries[place]
    if not isinstance(own, Mapping):
        return False
    by = {name: _as_told(value, told) for name, value in own.items() if _as_told(value, told) is not None}
    others = [other for at, other in enumerate(entries) if at != place]
    return bool(by) and not any(all(_as_told(other.get(name), told) == by[name] for name in by) for other in others)


def _as_told(value: Any, told: Container[Value]) -> Value:
    """Return the value if it was told, in full or by its day; else None."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return None
    if value in told:
        return value
    return value[:10] if isinstance(value, str) and value[:10] in told and _DATE.fullmatch(value) else None


def _rows_named(replayer: TaskReplayer) -> dict[RowName, list[tuple[int, JsonPath]]]:
    """Return the rows of the start that steps name by their ids, and where they do."""
    schema = replayer.domain.schema
    found: dict[RowName, list[tuple[int, JsonPath]]] = {}
    for number, step in enumerate(replayer.reference):
        keys = {slot.path: slot.keys for slot in slots_of(replayer.domain.tools[step.tool], schema)}
        literal = {leaf for leaf, _ in literal_leaves(replayer.task.chain[number])}  # a key that the user told
        for leaf, value in leaves_of(step.arguments):
            anywhere = tuple(0 if isinstance(part, int) else part for part in leaf)
            for table, column in keys.get(anywhere, ()):
                is_key = schema.tables[table].primary_key == (column,)
                if (
                    is_key
                    and leaf not in literal
                    and isinstance(value, str | int)
                    and replayer.row(table, (value,)) is not None
                ):
                    found.setdefault((table, (value,)), []).append((number, leaf))
    return found


def _clues_to(replayer: TaskReplayer, knowledge: ToldKnowledge, name: RowName) -> Iterator[_Clue]:
    """Yield what was told of a row and of the rows it refers to."""
    row = replayer.row(*name)
    pending: list[tuple[str, Row, tuple[ForeignKey, ...]]] = [(name[0], row, ())] if row is not None else []
    for table_name, found, way in pending:  # the loop appends to it
        table = replayer.domain.schema.tables[table_name]
        record = table.record(found)
        for column in knowledge.spoken_columns(table_name, table.key_of(found), record):
            yield _Clue(way, column.name, record[column.name], column.with_time)
        for foreign_key in table.foreign_keys if len(way) < _DEPTH else ():
            parent = _parent(replayer, table_name, found, foreign_key)
            if parent is not None:
                pending.append((foreign_key.parent, parent, (*way, foreign_key)))


def _others_that_fit(replayer: TaskReplayer, name: RowName, clues: Sequence[_Clue]) -> list[Key]:
    """Return the keys of the table's other rows that agree with everything told."""
    table = replayer.domain.schema.tables[name[0]]
    near_first = sorted(clues, key=lambda clue: len(clue.way))
    return [
        table.key_of(row)
        for row in replayer.start.rows[name[0]]
        if table.key_of(row) != name[1] and all(_fits(replayer, name[0], row, clue) for clue in near_first)
    ]


def _fits(replayer: TaskReplayer, table: str, row: Row, clue: _Clue) -> bool:
    found: Row | None = row
    for foreign_key in clue.way:
        assert found is not None
        found = _parent(replayer, table, found, foreign_key)
        table = foreign_key.parent
        if found is None:
            return False
    assert found is not None
    value = found[replayer.domain.schema.tables[table].positions[clue.column]]
    return _as_spoken(value, clue.with_time) == _as_spoken(clue.value, clue.with_time)


def _as_spoken(value: Value, with_time: bool) -> Value:
    """Return a value at the precision a person would say it: a moment by its day or minute, a text in any case."""
    if not isinstance(value, str):
        return value
    if _DATE.fullmatch(value):
        return value[:16].replace("T", " ") if with_time else value[:10]
    return " ".join(value.casefold().split())


def _parent(replayer: TaskReplayer, table: str, row: Row, foreign_key: ForeignKey) -> Row | None:
    """Return the row that a row refers to, if it refers by a primary key."""
    if foreign_key.parent_columns != replayer.domain.schema.tables[foreign_key.parent].primary_key:
        return None
    positions = replayer.domain.schema.tables[table].positions
    return replayer.row(foreign_key.parent, tuple(row[positions[name]] for name in foreign_key.columns))


def _with_parents(replayer: TaskReplayer, names: Iterable[RowName]) -> frozenset[RowName]:
    """Return rows that are known, and with them those they refer to."""
    known = dict.fromkeys(names)
    pending = list(known)
    for name in pending:  # the loop appends to it
        table, row = replayer.domain.schema.tables[name[0]], replayer.row(*name)
        for foreign_key in table.foreign_keys if row is not None else ():
            assert row is not None
            parent = _parent(replayer, name[0], row, foreign_key)
            if parent is not None:
                above = (foreign_key.parent, replayer.domain.schema.tables[foreign_key.parent].key_of(parent))
                if above not in known:
                    known[above] = None
                    pending.append(above)
    return frozenset(known)


def _confused(
    replayer: TaskReplayer,
    name: RowName,
    clues: Sequence[_Clue],
    others: Sequence[Key],
    places: Mapping[RowName, Sequence[tuple[int, JsonPath]]],
) -> str:
    """With which other row the one meant can be confused, in a sentence; empty if it does not matter."""
    tried = others[:: max(1, len(others) // MOST_RIVALS)]  # from everywhere in the table
    if name not in places:
        # No step names it: the calls are the same whichever row is meant, so only what they are for can differ.
        rivals = (key for key in tried if clues and _matters(replayer, name, key))
    else:
        rivals = (key for key in tried if _leads_elsewhere(replayer, name, key, places))
    rival = next(rivals, None)
    if rival is None:
        return ""
    shown, other = (" / ".join(map(str, key)) for key in (name[1], rival))
    told = ", ".join(f"{clue.column} {_as_spoken(clue.value, clue.with_time)!r}" for clue in clues)
    apart = _columns_apart(replayer, name, rival)
    better = f" Tell what differs: {', '.join(apart)}." if apart else ""
    at = places[name][-1][0] if name in places else None
    call = f"Step {at}, {replayer.task.chain[at].tool}, is about" if at is not None else "The scenario picks"
    return f"{call} {name[0]} {shown}: what the user tells ({told or 'nothing'}) fits {other} as well.{better}"


def _columns_apart(replayer: TaskReplayer, name: RowName, rival: Key) -> list[str]:
    """Return a few columns by which a person can tell two rows apart, with the value in the one that is meant."""
    table = replayer.domain.schema.tables[name[0]]
    row, other = replayer.row(*name), replayer.row(name[0], rival)
    assert row is not None
    assert other is not None
    fixed = {column for each in table.foreign_keys for column in each.columns} | table.key_columns
    return [
        f"{table.name}.{column} {_as_spoken(row[at], False)!r}"
        for column, at in table.positions.items()
        if column not in fixed
        and row[at] is not None
        and replayer.policies.of(table.name, column).policy != "generated"
        and _as_spoken(row[at], False) != _as_spoken(other[at], False)
    ][:_MOST_SHOWN]


def _matters(replayer: TaskReplayer, name: RowName, other: Key) -> bool:
    """Return True if a row that no step names is changed, or holds an answer that differs in the other row."""
    if name in replayer.final.changes.rows:
        return True
    row, rival = replayer.row(*name), replayer.row(name[0], other)
    assert row is not None
    assert rival is not None
    for answer in replayer.task.answers:
        if answer.source is not None and answer.source.table == name[0]:
            position = replayer.domain.schema.tables[name[0]].positions[answer.source.column]
            if row[position] == answer.value != rival[position]:
                return True
    return False


def _leads_elsewhere(
    replayer: TaskReplayer, name: RowName, key: Key, places: Mapping[RowName, Sequence[tuple[int, JsonPath]]]
) -> bool:
    """Return True if another row in the place of the one meant is accepted, and the task is not done then.

    If the other row is meant as well, the two are exchanged: "all of my bookings" names rows in any order.
    """
    instead = dict.fromkeys(places.get((name[0], key), ()), name[1][0]) | dict.fromkeys(places[name], key[0])
    named = {number for number, _ in instead}
    performance = replayer.play(replayer.plan, instead=instead)
    if named & performance.rejected.keys():
        return False
    if not replayer.judged.is_rewarded(performance.changes):
        return True
    read = [performance.results.get(number) for number in named]
    return bool(replayer.task.own_answers) and read != [replayer.reference[number].result for number in named]


LEAST_SHARE, LEAST_MINUTES = 0.02, 15  # of the greater number, between two moments

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?")


def is_near_tie(best: Value, other: Value) -> bool:
    """Return True if two values are the same for a person: 1,999 and 2,000 cents, 10:00 and 10:05; two days are not."""
    if isinstance(best, int | float) and isinstance(other, int | float):
        return abs(best - other) < LEAST_SHARE * max(abs(best), abs(other)) or best == other
    if isinstance(best, str) and isinstance(other, str):
        if _MOMENT.fullmatch(best) and _MOMENT.fullmatch(other):
            return abs(minutes_between(best, other)) < LEAST_MINUTES
        return best.casefold() == other.casefold()
    return False
