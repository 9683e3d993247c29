"""Whether the rows of a world are in time: what tools stamp is not later than now, and events follow each other.

Which columns are stamps, and which come before which, is found by execution: calls are made on other clocks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import permutations, product
from typing import Any

from generator.gates.calls.start import Start
from generator.gates.constraints import choices_in
from generator.gates.past.calls import SIZE, Record, SeenCall, Write, written
from runtime.domain.domain import Domain
from runtime.wording import counted

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?")
_LEAST_FLIPS, _MOST_FLIPS = 2, 6  # calls that a limit in time is seen in
_MOST_TRIED = 12  # ways to bring about the opposite of an order

Place = tuple[str, str]  # a table and a column


@dataclass(frozen=True)
class Broken:
    """A claim about rows in words, how many rows it is about, how many break it, and one that does."""

    claim: str
    rows: int
    broken: int
    such_as: str = ""

    @property
    def line(self) -> str:
        """The figure in words."""
        return f"{self.claim}: {self.broken} of {self.rows} rows break it{f', as {self.such_as}' * bool(self.such_as)}"


@dataclass
class CalendarReport:
    """How many claims hold for how many rows, and those that do not."""

    claims: int = 0
    rows: int = 0
    broken: list[Broken] = field(default_factory=list)

    @property
    def broken_rows(self) -> int:
        """Rows that break a claim, once for each."""
        return sum(each.broken for each in self.broken)

    @property
    def figure(self) -> str:
        """The figures in words."""
        share = f" ({self.broken_rows / self.rows:.1%})" if self.rows else ""
        return f"{counted(self.claims, 'claim')} about {counted(self.rows, 'row')}, {self.broken_rows:,} broken{share}"

    @property
    def faults(self) -> list[str]:
        """A sentence for each claim that does not hold."""
        return [f"worlds of size {SIZE}: {each.line}" for each in self.broken]


@dataclass(frozen=True)
class Order:
    """That one column is never later than another, of the same row or of the parent that `by` refers to."""

    early: Place
    late: Place
    by: str = ""  # the foreign key column of the row, where one of the two is its parent's
    days_only: bool = False


def read_calendar(domain: Domain, calls: Sequence[SeenCall], starts: Sequence[Start]) -> CalendarReport:
    """Compare the rows of a domain's worlds with what these calls of its tools write."""
    writes = [write for call in calls for write in call.writes]
    stamps = stamps_of(writes)
    orders = [*_orders(domain, calls, stamps), *_limits(domain, calls, stamps, starts[0])]
    report = CalendarReport()
    for table, column in sorted(stamps):
        rows = [row for start in starts for row in _records(domain, start, table) if row[column] is not None]
        late = [row for row in rows if row[column] > domain.now]
        _count(report, f"{table}.{column}, which tools fill from the clock, is later than now", rows, late, column)
    for order in sorted(set(orders), key=repr):
        pairs = [pair for start in starts for pair in _pairs(domain, start, order)]
        wrong = [row for row, early, late in pairs if _is_later(early, late, order.days_only)]
        claim = f"{_dotted(order.early)} is later than {_dotted(order.late)}"
        _count(report, f"{claim}, which no tool brings about", pairs, wrong, order.by or order.late[1])
    for table, column, state, stamp in sorted(_stamped_states(domain, writes, stamps)):
        rows = [row for start in starts for row in _records(domain, start, table) if row[column] == state]
        bare = [row for row in rows if row[stamp] is None]
        _count(report, f"{table}.{column} is {state!r} without {stamp}, which tools fill along with it", rows, bare, "")
    return report


def _count(report: CalendarReport, claim: str, rows: Sequence[Any], broken: Sequence[Record], column: str) -> None:
    report.claims += 1
    report.rows += len(rows)
    if broken:
        row = broken[0]
        shown = ", ".join(
            f"{name} {value!r}" for name, value in row.items() if isinstance(value, str) and _DAY.fullmatch(value)
        )
        report.broken.append(Broken(claim, len(rows), len(broken), f"{next(iter(row.values()))!r} ({shown})"))


def stamps_of(writes: Sequence[Write]) -> set[Place]:
    """Return the columns that calls fill from the clock and from nothing else."""
    clocked = {(write.table, name) for write in writes for name in write.set_columns & write.clocked}
    given = {(write.table, name) for write in writes for name in write.set_columns - write.clocked}
    return clocked - given


def _orders(domain: Domain, calls: Sequence[SeenCall], stamps: set[Place]) -> Iterator[Order]:
    """Yield the orders of stamps: one is set while the other is there already, and never the other way round."""
    seen, against = set[tuple[Place, Place]](), set[tuple[Place, Place]]()
    restamped, moved = set[Place](), set[Place]()
    writes = [write for call in calls for write in call.writes]
    for write in writes:
        if write.before is None or write.after is None:
            continue
        own = [name for name in write.after if (write.table, name) in stamps]
        moved |= {(write.table, name) for name in write.changed}
        restamped |= {(write.table, name) for name in write.changed if (write.table, name) in stamps}
        for late, early in permutations(own, 2):
            if late in write.set_columns and early not in write.changed and write.after[early] is not None:
                seen.add(((write.table, early), (write.table, late)))
                against.add(((write.table, late), (write.table, early)))
    against |= _tried_against(domain, calls, seen - against)
    yield from (Order(early, late) for early, late in seen - against)
    made = {
        (write.table, name)
        for write in writes
        if write.before is None
        for name in write.set_columns
        if (write.table, name) in stamps - restamped
    }
    for child, late in made:
        for key in domain.schema.tables[child].foreign_keys:
            if len(key.columns) == 1 and (child, key.columns[0]) not in moved:
                for parent, early in made:
                    if parent == key.parent != child:
                        yield Order((parent, early), (child, late), key.columns[0])


def _tried_against(
    domain: Domain, calls: Sequence[SeenCall], pairs: set[tuple[Place, Place]]
) -> set[tuple[Place, Place]]:
    """Return the pairs of which a tool stamps the early one anew right after another tool stamped the late one."""
    against = set[tuple[Place, Place]]()
    for early, late in pairs:
        tried: dict[tuple[str, str], int] = defaultdict(int)
        for first, second in product(_stamping(calls, late), _stamping(calls, early)):
            tools = first[0].tool, second[0].tool
            tried[tools] += 1
            if tools[0] == tools[1] or tried[tools] > _MOST_TRIED:
                continue
            for world, key in ((first[0].world, first[1].key), (second[0].world, second[1].key)):
                steps = [(call.tool, _about(call.arguments, write.key, key)) for call, write in (first, second)]
                for each in written(domain, world, domain.now, *steps) or []:
                    if (each.table, each.key[0]) == (early[0], key) and {early[1], late[1]} <= each.changed.keys():
                        against.add((early, late))
    return against


def _about(arguments: Mapping[str, Any], was: Any, key: Any) -> dict[str, Any]:
    """Return the arguments of a call about another row."""
    return {name: key if value == was else value for name, value in arguments.items()}


def _stamping(calls: Sequence[SeenCall], place: Place) -> Iterator[tuple[SeenCall, Write]]:
    for call in calls:
        yield from ((call, write) for write in call.writes if write.table == place[0] and place[1] in write.changed)


def _limits(domain: Domain, calls: Sequence[SeenCall], stamps: set[Place], usual: Start) -> Iterator[Order]:
    """Yield the orders of a stamp and a day that tools keep to: on one side of that day they refuse the call."""
    moved = {(write.table, name) for call in calls for write in call.writes for name in write.changed}
    flips: dict[Order, int] = defaultdict(int)
    against = set[tuple[Place, Place, str]]()
    for call in calls:
        for write in call.writes:
            own = [name for name in write.set_columns if (write.table, name) in stamps and name in write.clocked]
            if write.after is None or not own:
                continue
            start = usual if call.world is usual.world else Start(domain, call.world)
            near = list(_days_near(start, write))
            for place, by, day in near:
                is_shared = sum(abs(_days_apart(day, other)) <= 1 for _, _, other in near) > 1
                if is_shared or place in stamps or (by and place in moved):
                    continue
                found = [Order(place, (write.table, name), by, True) for name in own]
                found += [Order((write.table, name), place, by, True) for name in own]
                if min(flips[order] for order in found) >= _MOST_FLIPS:
                    continue
                before, after = (_is_accepted_on(domain, call, day, step) for step in (-1, 1))
                for order in found:
                    is_late = order.early == place  # the stamp is not before that day
                    if after and not before:
                        flips[order] += is_late
                    elif before and not after:
                        flips[order] += not is_late
                    elif before and after:
                        against.add((order.early, order.late, by))
                    if _is_later(*_both(order, write.after, place, day), days_only=True):
                        against.add((order.early, order.late, by))
    for order, count in flips.items():
        if count >= _LEAST_FLIPS and (order.early, order.late, order.by) not in against:
            yield order


def _both(order: Order, row: Record, place: Place, day: str) -> tuple[Any, Any]:
    return (day, row[order.late[1]]) if order.early == place else (row[order.early[1]], day)


def _is_accepted_on(domain: Domain, call: SeenCall, day: str, step: int) -> bool:
    """True if the call is accepted on the day before, or after."""
    other = str(date.fromisoformat(day[:10]) + timedelta(days=step)) + domain.now[10:]
    return written(domain, call.world, other, (call.tool, call.arguments)) is not None


def _days_near(start: Start, write: Write) -> Iterator[tuple[Place, str, str]]:
    """Yield the days that a row and its parents hold, each with its place and the foreign key that leads there."""
    assert write.after is not None
    before = write.before or write.after
    for name, value in write.after.items():
        if name not in write.clocked and before[name] == value and is_day(value):
            yield (write.table, name), "", value
    schema = start.domain.schema
    for key in schema.tables[write.table].foreign_keys:
        if len(key.columns) == 1 and key.parent != write.table:
            row = start.row(key.parent, (write.after[key.columns[0]],))
            for name, value in (schema.tables[key.parent].record(row) if row else {}).items():
                if is_day(value):
                    yield (key.parent, name), key.columns[0], str(value)


def is_day(value: Any) -> bool:
    """True for a date or a moment as columns hold them, with days before and after it."""
    if not isinstance(value, str) or _DAY.fullmatch(value) is None or not "0001" < value[:4] < "9999":
        return False
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return False
    return True


def _days_apart(one: str, other: str) -> int:
    return (date.fromisoformat(one[:10]) - date.fromisoformat(other[:10])).days


def _is_later(early: str, late: str, days_only: bool) -> bool:
    """True unless a moment is at or before another; a day has any time."""
    shown = 10 if days_only else min(len(early), len(late))
    return early[:shown] > late[:shown]


def _stamped_states(domain: Domain, writes: Sequence[Write], stamps: set[Place]) -> Iterator[tuple[str, str, str, str]]:
    """Yield each table, column and state that calls never leave without a stamp, which they set along with it."""
    choices = choices_in(domain.schema)
    together, apart = set[tuple[str, str, str, str]](), set[tuple[str, str, str, str]]()
    for write in writes:
        if write.after is None:
            continue
        for column in domain.schema.tables[write.table].by_name:
            state = write.after[column]
            if isinstance(state, str) and (write.table, column) in choices:
                for stamp in (name for name in write.after if (write.table, name) in stamps):
                    name = (write.table, column, state, stamp)
                    if write.after[stamp] is None:
                        apart.add(name)
                    elif write.before is not None and {column, stamp} <= write.set_columns:
                        together.add(name)
    yield from together - apart


def _pairs(domain: Domain, start: Start, order: Order) -> Iterator[tuple[Record, str, str]]:
    """Yield each row that has both values, with them."""
    child = (
        order.late[0] if order.late[0] == order.early[0] or _refers(domain, order.late[0], order) else order.early[0]
    )
    for row in _records(domain, start, child):
        rows: dict[str, Record] = {child: row}
        if order.by:
            key = next(each for each in domain.schema.tables[child].foreign_keys if each.columns == (order.by,))
            parent = start.row(key.parent, (row[order.by],)) if row[order.by] is not None else None
            if parent is None:
                continue
            rows[key.parent] = domain.schema.tables[key.parent].record(parent)
        early, late = rows[order.early[0]][order.early[1]], rows[order.late[0]][order.late[1]]
        if early is not None and late is not None:
            yield row, early, late


def _refers(domain: Domain, table: str, order: Order) -> bool:
    other = order.early[0] if order.late[0] == table else order.late[0]
    return any(key.columns == (order.by,) and key.parent == other for key in domain.schema.tables[table].foreign_keys)


def _records(domain: Domain, start: Start, table: str) -> Iterator[Record]:
    return map(domain.schema.tables[table].record, start.rows[table])


def _dotted(place: Place) -> str:
    return ".".join(place)
