"""The rows and values that a scenario is about: hidden knowledge, until it is told.

Values that the story hands out remember where they came from, so that a proof can ask whether an agent could have known
each argument.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from runtime.domain.arguments import add_days, add_minutes
from runtime.domain.people import People, can_call_in_sql, owner_in_sql
from runtime.domain.schema import Key, RowRef, Schema, Table, Value
from runtime.errors import EnvironmentFault
from runtime.session.session import Session, Snapshot
from runtime.task.origin import (
    AS_A_DAY,
    NOW,
    TODAY,
    ChoiceRef,
    ClockRef,
    Origin,
    computed,
    plain,
    spoken,
    traced,
)
from runtime.task.script import Identified, Script
from runtime.wording import said_money

Entry = dict[str, Any]

_MINUTES_PER_HOUR, _MINUTES_PER_DAY = 60, 1440


class NothingFound(EnvironmentFault):
    """A lookup finds nothing of what a user names."""


class NoSuchRow(Exception):
    """The world has no row that the scenario could be about; another world may have one.

    `is_settled` if no random choice came before, so that another seed would end here, too.
    """

    is_settled = False


class OtherAnswer(NoSuchRow):
    """The rules say of the rows that were picked what is not wanted; other rows may be what is."""


class RequestRefused(Exception):
    """A rule forbids a call that a scenario makes without asking; the refusal is recorded, and the scenario ends."""


class StoryPicks:
    """One run of one scenario on one world, as far as it picks rows and values."""

    def __init__(
        self,
        session: Session,
        seed: int,
        pins: Mapping[int, Sequence[Value]] | None = None,
        first_step: int = 0,
        first_wish: int = 0,
        outside: bool = True,
        caller: Key | None = None,
        identified: Identified | None = None,
        denied: bool | None = None,
        refuses: bool = False,
        again: bool = False,
        events: Literal["drawn", "flipped", "none"] = "drawn",
        trusts: bool = False,
    ) -> None:
        """`pins` fixes the rows of the first, second, ... pick by key, so that a rerun is about the same rows.

        `first_step` and `first_wish` are how many steps and wishes of earlier scenarios there are for the same user,
        `caller` is the key of who calls and `identified` where an earlier one found them; without `outside` this one
        does not ask for what is beyond the tools. `denied` is what the rules must say where they are asked about. With
        `refuses`, a call that a rule forbids is refused and recorded although the scenario does not ask. With `again`
        its request was refused before, so that a duty may forbid it now. `events` may flip which of those happen that
        only happen in half of the tasks, or leave out all. With `trusts`, what the user says wrong at first is taken
        for true.
        """
        self._script = Script(identified=identified, first_step=first_step, first_wish=first_wish)
        self.today = traced(session.domain.now[:10], TODAY)
        self.now = traced(session.domain.now, NOW)
        self._session = session
        self._seed, self._random = seed, random.Random(seed)
        self._events = events
        self._has_drawn = False  # whether another seed could come to something else
        self._pins = pins or {}
        self._first_step, self._first_wish = first_step, first_wish
        self._says_outside = outside
        self._caller = caller
        self._denied = denied
        self._refuses, self._again, self._trusts = refuses, again, trusts
        self._speaks_as_caller = False
        self._forks: dict[int, tuple[int, Snapshot]] = {}  # by wish, the calls and the state before its first change

    # Rows and choices: hidden knowledge, until it is told; rows are picked as they were at the start of the session

    @property
    def me(self) -> Entry:
        """The row of the person who calls, the same in the whole conversation. Errors: NoSuchRow."""
        people = self._people()
        self._speaks_as_caller = True
        if self._caller is None:
            table = self._table(people.table)
            can_call = can_call_in_sql(people, self._session.domain.now)
            query = f'SELECT {", ".join(table.primary_key)} FROM "{table.name}" WHERE {can_call} ORDER BY 1'
            keys = self._session.read_start(query)
            if not keys:
                raise NoSuchRow(
                    f"No {table.name} can call: each is a minor or lacks one of the columns that prove who they are."
                )
            self._caller = tuple(self._draw(keys))
        return self.row(people.table, *self._caller)

    def pick(
        self,
        table: str,
        where: str = "1",
        *values: Value,
        unique_by: Sequence[str] = (),
        latest_of: str | None = None,
        among: Sequence[str] = (),
        mine: bool = False,
    ) -> Entry:
        """One row of the world that meets a condition; with `mine` one of the caller's.

        No other row of the table has its values in the columns `unique_by`; "book_id.title" is a column of the row that
        `book_id` refers to, so ["member_id", "book_id.title", "status"] is what a member may call it by.
        Of the rows that share its values in the columns `among`, or of all, it alone has the highest value of
        `latest_of`, whatever condition the others meet. Errors: NoSuchRow.
        """
        only = {"unique_by": unique_by, "latest_of": latest_of, "among": among}
        return self.pick_several(table, 1, where, *values, mine=mine, **only)[0]

    def pick_several(
        self, table: str, count: int, where: str = "1", *values: Value, mine: bool = False, **only: Any
    ) -> list[Entry]:
        """Pick several different rows, as `pick` does. Errors: NoSuchRow."""
        where = narrow(self._session.domain.schema, self._table(table), where, **only)
        rows: list[Entry] = []
        taken: list[tuple[Value, ...]] = []
        for _ in range(count):
            rows.append(self._pick(table, where, values, taken, mine))
            taken.append(self._script.picks[-1][1])
        return rows

    def row(self, table: str, *key: Value) -> Entry:
        """The row with this key, such as the one that a picked row refers to. Errors: NoSuchRow."""
        declared = self._table(table)
        rows = self._session.read_start(declared.select_row, [plain(part) for part in key])
        if not rows:
            raise NoSuchRow(f"No {table} {plain(key)!r} exists.")
        row = rows[0]
        found = declared.key_of(row)
        return {
            column: traced(value, Origin(RowRef(table, found, column)))
            for column, value in zip(declared.column_names, row, strict=True)
        }

    def choose(self, name: str, options: Sequence[Any] | Mapping[str, Any]) -> Any:
        """One of several values that the user may have in mind; one option is a value that always stands.

        Values can be given by the words in which a person says them: {"with a balcony": True}.
        """
        if not options:
            raise NoSuchRow(f"There is nothing to choose {name!r} from.")
        option = self._draw(list(options))
        values = list(options.values()) if isinstance(options, Mapping) else list(options)
        chosen = options[option] if isinstance(options, Mapping) else option
        self._script.options[Origin(ChoiceRef(name))] = [plain(value) for value in values if value != chosen]
        if isinstance(options, Mapping):
            return spoken(traced(options[option], Origin(ChoiceRef(name))), str(option))
        return traced(option, Origin(ChoiceRef(name)))

    # Days, times, amounts: computed, and told as a person says them

    def day(self, offset: int) -> Any:
        """Return the date `offset` days from today; it is told as a weekday and a day of a month."""
        day = computed(add_days(str(self.today), int(offset)), self.today, f"{int(offset):+d}", offset)
        day.origin = Origin(ClockRef("today", int(offset)))
        return day

    def moment(self, day: Any, time: str) -> Any:
        """The date and time at a time of day ("14:00") on a day; told as "Monday, March 18 at 2 PM"."""
        start = self.day(day) if isinstance(day, int) else day
        return computed(f"{str(start)[:10]} {str(time)[:5]}:00", start, f"at {str(time)[:5]}", time)

    def after(self, value: Any, days: int = 0, hours: int = 0, minutes: int = 0) -> Any:
        """A date, or a date and time, moved on by days, hours and minutes; negative ones move it back."""
        moved = str(plain(value))
        if len(moved) == 10 and (hours or minutes):
            raise EnvironmentFault(f"{moved!r} is a day; hours can be added to a date and time.")
        minutes_in_all = int(days) * _MINUTES_PER_DAY + int(hours) * _MINUTES_PER_HOUR + int(minutes)
        moved = add_days(moved, int(days)) if len(moved) == 10 else add_minutes(moved, minutes_in_all)
        shown = " ".join(
            f"{int(amount):+d} {unit}"
            for amount, unit in ((days, "days"), (hours, "hours"), (minutes, "minutes"))
            if amount
        )
        return computed(moved, value, shown, *(amount for amount in (days, hours, minutes) if amount))

    def date_of(self, moment: Any) -> Any:
        """The day of a date and time."""
        return computed(str(plain(moment))[:10], moment, AS_A_DAY)

    def money(self, amount: int | float, currency: str = "", minor: int | None = None) -> Any:
        """The same amount, told as "$45.00"; `minor` is how many of its units make one, 1 for 45 or 45.0.

        Left out, they are those of the office: dollars and cents, unless its `locale` has others.
        """
        locale = self._session.domain.locale
        minor = locale.minor if minor is None else minor
        amount_said = spoken(amount, said_money(plain(amount), currency or locale.symbol, minor))
        amount_said.minor = minor
        return amount_said

    def _draw(self, options: Sequence[Any]) -> Any:
        self._has_drawn = self._has_drawn or len(options) > 1
        return self._random.choice(options)

    def _table(self, name: str) -> Table:
        tables = self._session.domain.schema.tables
        if name not in tables:
            raise EnvironmentFault(f"There is no table {name!r}; have: {', '.join(tables)}.")
        return tables[name]

    def _pick(self, table: str, where: str, values: Sequence[Value], taken: Sequence[Key], mine: bool) -> Entry:
        columns = self._table(table).primary_key
        if not isinstance(mine, bool):
            raise EnvironmentFault(
                f"A pick of {table} has mine={mine!r}; it is True or False, and `people` says whose a row is."
            )
        if mine:
            where, values = self._of_caller(table, where, values)
        keys = ", ".join(columns)
        pinned = self._pins.get(len(self._script.picks))
        if pinned is not None:  # of the one row that is wanted, not of all, the condition is asked
            where = " AND ".join([*(f'"{column}" = ?' for column in columns), f"({where})"])
            values = [*pinned, *values]
        query = f'SELECT {keys} FROM "{table}" WHERE {where} ORDER BY {keys}'
        try:
            rows = self._session.read_start(query, [plain(value) for value in values])
        except sqlite3.Error as error:
            raise EnvironmentFault(
                f"SQLite does not accept the pick of {table} by {_one_line(where)!r}: {error}."
            ) from error
        rows = [row for row in rows if tuple(row) not in taken]
        if not rows:
            raise NoSuchRow(f"No {'further ' if taken else ''}{table} meets {_one_line(where)!r}.")
        key = tuple(self._draw(rows))
        self._script.picks.append((table, key))
        if mine and self._caller is None:
            owner = owner_in_sql(self._session.domain.schema, self._people(), table)
            own = " AND ".join(f'"{column}" = ?' for column in columns)
            (found,) = self._session.read_start(f'SELECT {owner} FROM "{table}" WHERE {own}', key)
            self._caller = tuple(found)
        return self.row(table, *key)

    def _of_caller(self, table: str, where: str, values: Sequence[Value]) -> tuple[str, Sequence[Value]]:
        """A condition that also holds only of the caller's rows, or of those of anybody who can call."""
        schema, people = self._session.domain.schema, self._people()
        self._speaks_as_caller = True
        if people.way_of(table) is None:
            raise EnvironmentFault(f"Rows of {table} are nobody's; have: {', '.join((people.table, *people.owns))}.")
        owner = owner_in_sql(schema, people, table)
        if self._caller is not None:
            return f"({where}) AND {owner} = ?", [*values, *self._caller]
        (key,) = schema.tables[people.table].primary_key
        can_call = can_call_in_sql(people, self._session.domain.now)
        return (
            f'({where}) AND {owner} IN (SELECT "{key}" FROM "{people.table}" WHERE {can_call})',
            values,
        )

    def _people(self) -> People:
        people = self._session.domain.people
        if people is None:
            raise EnvironmentFault("The domain says nothing of the people who call; add `people` to domain.json.")
        return people


def _one_line(text: str) -> str:
    return " ".join(text.split())


def narrow(
    schema: Schema,
    table: Table,
    where: str,
    unique_by: Sequence[str] = (),
    latest_of: str | None = None,
    among: Sequence[str] = (),
) -> str:
    """A condition that also holds what `Story.pick` says of these; errors: EnvironmentFault."""
    if isinstance(unique_by, str) or isinstance(among, str):
        raise EnvironmentFault(f"A pick of {table.name} has a text as unique_by or among; give a list of columns.")
    for name in (*among, *filter(None, [latest_of])):
        _known_column(table, name)
    if among and latest_of is None:
        raise EnvironmentFault(f"A pick of {table.name} has among={list(among)!r} but no latest_of; give both.")
    if unique_by:
        key = ", ".join(f'"{name}"' for name in table.primary_key)
        only = ", ".join(f'max("{name}")' for name in table.primary_key)  # of a group of one row
        values = ", ".join(_value_at(schema, table, f'"{table.name}"', path) for path in unique_by)
        unique = f'SELECT {only} FROM "{table.name}" GROUP BY {values} HAVING count(*) = 1'
        where = f"({where}) AND ({key}) IN ({unique})"
    return where if latest_of is None else f"({where}) AND {_is_latest(table, latest_of, among)}"


def _value_at(schema: Schema, table: Table, row: str, path: str, depth: int = 1) -> str:
    """The SQL of a column of a row, or of one that its foreign keys lead to: "book_id.title"."""
    name, _, rest = path.partition(".")
    column = f'{row}."{_known_column(table, name)}"'
    if not rest:
        return column
    parent = next((key.parent for key in table.foreign_keys if key.columns == (name,)), None)
    if parent is None:
        raise EnvironmentFault(f"Column {name!r} of {table.name} refers to no table, so {path!r} leads nowhere.")
    above = schema.tables[parent]
    inner = _value_at(schema, above, f"above{depth}", rest, depth + 1)
    return f'(SELECT {inner} FROM "{parent}" AS above{depth} WHERE above{depth}."{above.primary_key[0]}" = {column})'


def _known_column(table: Table, name: str) -> str:
    if name not in table.positions:
        raise EnvironmentFault(f"Table {table.name} has no column {name!r}.")
    return name


def _is_latest(table: Table, column: str, among: Sequence[str]) -> str:
    own = f'"{table.name}"."{column}"'
    shared = [f'later."{name}" IS "{table.name}"."{name}"' for name in among]
    same = " AND ".join(f'later."{name}" IS "{table.name}"."{name}"' for name in table.primary_key)
    others = " AND ".join([*shared, f'later."{column}" >= {own}', f"NOT ({same})"])
    return f'{own} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "{table.name}" AS later WHERE {others})'
