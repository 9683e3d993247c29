"""What a scenario is written against: pick rows, say what the user wants, call tools; every value keeps its origin.

A scenario is a seed tool chain as executable code (paper, section 4.2.1). Run on a world, it yields a script: words,
facts, chain, answers. Values that the story hands out remember where they came from, so that a proof can ask whether an
agent could have known each argument.
"""

from __future__ import annotations

import random
import sqlite3
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from runtime.domain.dates import add_days, add_minutes
from runtime.domain.rows import RowRef, read_column_ref
from runtime.domain.schema import Table, Value
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.task.answers import kind_of
from runtime.task.dictation import quoted
from runtime.task.origin import NOW, TODAY, ChoiceRef, ClockRef, ResultRef, base_of, computed, spoken
from runtime.task.origin import Origin as Origin
from runtime.task.origin import origin_of as origin_of
from runtime.task.origin import plain as plain
from runtime.task.origin import traced as traced
from runtime.task.paths import JsonPath, leaves_of, reference_to
from runtime.task.picking import narrow
from runtime.task.script import Lookup as Lookup
from runtime.task.script import Origins
from runtime.task.script import Script as Script
from runtime.task.script import TracedCall as TracedCall
from runtime.task.speech import said as said
from runtime.task.speech import said_money
from runtime.task.task import KnownFact, Step, TaskAnswer, TaskText, Wish

Function = TypeVar("Function", bound=Callable[..., None])
Entry = dict[str, Any]

_MINUTES_PER_HOUR, _MINUTES_PER_DAY = 60, 1440


class NoSuchRow(Exception):
    """The world has no row that the scenario could be about; another world may have one."""


class Story:
    """One run of one scenario on one world. `today` and `now` are the frozen clock.

    All that a scenario reaches by it is plain values: the script, which its tasks are made of, is behind an underscore.
    """

    def __init__(
        self,
        session: Session,
        seed: int,
        pins: Mapping[int, Sequence[Value]] | None = None,
        first_step: int = 0,
        first_wish: int = 0,
        outside: bool = True,
    ) -> None:
        """`pins` fixes the rows of the first, second, ... pick by key, so that a rerun is about the same rows.

        `first_step` and `first_wish` are how many steps and wishes of earlier scenarios there are for the same user;
        without `outside` this one does not ask for what is beyond the tools.
        """
        self._script = Script()
        self.today = traced(session.domain.now[:10], TODAY)
        self.now = traced(session.domain.now, NOW)
        self._session = session
        self._random = random.Random(seed)
        self._pins = pins or {}
        self._first_step, self._first_wish = first_step, first_wish
        self._says_outside = outside
        self._start = session.world.open()  # rows are picked as they were, not as an earlier scenario left them

    # Rows and choices: hidden knowledge, until it is told

    def pick(
        self,
        table: str,
        where: str = "1",
        *values: Value,
        unique_by: Sequence[str] = (),
        latest_of: str | None = None,
        among: Sequence[str] = (),
        alone_in: Sequence[str] = (),
    ) -> Entry:
        """One row of the world that meets a condition.

        No other row of the table has its values in the columns `unique_by` (or `alone_in`, as they were called before).
        Of the rows that share its values in the columns `among`, or of all, it alone has the highest value of
        `latest_of`, whatever condition the others meet. Errors: NoSuchRow.
        """
        where = narrow(self._table(table), where, unique_by or alone_in, latest_of, among)
        return self._pick(table, where, values, ())

    def pick_several(
        self,
        table: str,
        count: int,
        where: str = "1",
        *values: Value,
        unique_by: Sequence[str] = (),
        latest_of: str | None = None,
        among: Sequence[str] = (),
        alone_in: Sequence[str] = (),
    ) -> list[Entry]:
        """So many different rows, as `pick` finds them. Errors: NoSuchRow."""
        where = narrow(self._table(table), where, unique_by or alone_in, latest_of, among)
        rows: list[Entry] = []
        taken: list[tuple[Value, ...]] = []
        for _ in range(count):
            rows.append(self._pick(table, where, values, taken))
            taken.append(self._script.picks[-1][1])
        return rows

    def row(self, table: str, *key: Value) -> Entry:
        """The row with this key, such as the one that a picked row refers to. Errors: NoSuchRow."""
        declared = self._table(table)
        row = self._start.execute(declared.select_row, [plain(part) for part in key]).fetchone()
        if row is None:
            raise NoSuchRow(f"No {table} {plain(key)!r} exists.")
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
        option = self._random.choice(list(options))
        if isinstance(options, Mapping):
            return spoken(traced(options[option], Origin(ChoiceRef(name))), str(option))
        return traced(option, Origin(ChoiceRef(name)))

    def dictate(self, name: str, words: str, **values: Any) -> Any:
        """A text that the user dictates word for word, and the final state must hold; `{name}` stands for a value.

        Where it is told it stands in quotes, and the wish says "word for word".
        """
        text = self._write("dictated", words, values)
        return spoken(traced(text, Origin(ChoiceRef(name))), text)

    def compose(self, name: str, words: str, **values: Any) -> Any:
        """A text that the assistant puts in words of its own, out of values that were told; these are one way to.

        What anybody writes in its place is never rewarded nor refused, so what counts goes into other columns, too.
        """
        text = self._write("composed", words, values)
        first, *others = values.values() or (self.now,)
        return spoken(computed(text, first, f"as {name}", *others), text)

    def text(self, name: str, words: str, facts: Sequence[str] = (), otherwise: str = "", **values: Any) -> Any:
        """`dictate`, as it was called before; of its own facts and of another wording nothing depends any more."""
        return self.dictate(name, words, **values)

    def _write(self, said: Literal["dictated", "composed"], words: str, values: Mapping[str, Any]) -> str:
        _check_marks(words, values)
        rendered = {name: self._said(value) for name, value in values.items()}
        text = words.format(**rendered)
        self._script.texts[text] = TaskText(said=said, facts=list(rendered.values()))
        return text

    # Days, times, amounts: computed, and told as a person says them

    def day(self, offset: int) -> Any:
        """The date so many days from today; it is told as a weekday and a day of a month."""
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
        return computed(str(plain(moment))[:10], moment, "as a day")

    def money(self, amount: int, currency: str = "$", minor: int = 100) -> Any:
        """The same amount, told as "$45.00"; `minor` is how many of its units make one, 1 for whole ones."""
        return spoken(amount, said_money(int(amount), currency, minor))

    # Results: the entry that is meant, and what can be said of all entries

    def find(self, results: Sequence[Entry], **wanted: Any) -> Any:
        """The one entry of a result's list that has these values; without any, the only entry."""
        entries = self._entries(results)
        found = [each for each in entries if all(plain(each.get(name)) == plain(wanted[name]) for name in wanted)]
        if len(found) != 1:
            shown = (
                " and ".join(f"{name} {plain(value)!r}" for name, value in wanted.items()) or "nothing to tell it by"
            )
            raise EnvironmentFault(f"A lookup by {shown} finds {len(found)} of {len(entries)} entries, not one.")
        self._note_lookup(wanted)
        return found[0]

    def highest(self, results: Sequence[Entry], column: str) -> Any:
        """The one entry of a result's list with the greatest value: the latest, the most expensive."""
        return self._extreme(results, column, max)

    def lowest(self, results: Sequence[Entry], column: str) -> Any:
        """The one entry of a result's list with the least value: the earliest, the cheapest."""
        return self._extreme(results, column, min)

    def count(self, results: Sequence[Entry]) -> Any:
        """How many entries a result's list has, as an answer."""
        return self._summed(len(results), "count of entries")

    def total(self, results: Sequence[Entry], column: str) -> Any:
        """The sum of a column over the entries of a result's list, as an answer."""
        return self._summed(sum(plain(each[column]) or 0 for each in results), f"total of {column}")

    # What is said and done

    def tell(self, words: str, **values: Any) -> None:
        """Say a wish; each `{name}` stands for a value, which the user then knows and may repeat.

        A dictated text is put in quotes, with "word for word" behind it unless the words say so.
        """
        _check_marks(words, values)
        wish = self._first_wish + len(self._script.wishes)
        facts: list[KnownFact] = []
        rendered = {name: self._said(value) for name, value in values.items()}
        for name, value in values.items():
            parts = [(" ".join(map(str, path)), each) for path, each in _values_in(value, name)]
            for path, each in parts:
                if each is None:
                    raise EnvironmentFault(
                        f"The words {words!r} tell {path!r}, which is null in the row that was picked."
                    )
                facts.append(KnownFact(name=path, value=plain(each), said=self._said(each)))
                origin = origin_of(each)
                if origin is not None:
                    self._script.told.add(origin)
                    self._script.told_in.setdefault(origin, wish)
        told = {
            name: quoted(text, f"{{{name}}}", words) if self._is_dictated(text) else text
            for name, text in rendered.items()
        }
        self._script.wishes.append(Wish(words=[words.format(**told)], facts=facts))

    def outside(self, words: str) -> None:
        """Add a wish beyond the tools, which a good agent declines."""
        if self._says_outside:
            self._script.wishes.append(Wish(words=[words], form="outside", acts=False))

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool through the real path and return its result, traced; errors: EnvironmentFault.

        An optional argument that is None counts as left out.
        """
        declared = self._session.domain.tools.get(tool)
        if declared is not None:
            needed = declared.arguments.schema.get("required", [])
            arguments = {name: value for name, value in arguments.items() if value is not None or name in needed}
        number = self._first_step + len(self._script.calls)
        step = Step(
            tool=tool, arguments={name: _reference(value) for name, value in arguments.items()}, wish=self._wish_now
        )
        origins = self._origins(arguments)
        before = self._session.digest() if declared is not None and declared.writes else ""
        try:
            result = self._session.call(tool, **plain(arguments))
        except Rejection as rejection:
            raise EnvironmentFault(f"The scenario's call of {tool} was rejected: {rejection}") from rejection
        changes = bool(before) and self._session.digest() != before
        self._script.calls.append(TracedCall(step, origins, self._wish, changes))
        return _traced_result(result, number)

    def answer(self, name: str, value: Any, source: str | None = None) -> None:
        """State what the user must be told in the end."""
        if value is None or isinstance(plain(value), bool | list | dict):
            raise EnvironmentFault(f"The answer {name!r} is {plain(value)!r}; an answer is a text or a number.")
        column = None if source is None else read_column_ref(source)
        told = plain(value)
        self._script.answers.append(
            TaskAnswer(name=name, kind=kind_of(told), value=told, source=column, wish=self._wish_now)
        )
        origins = self._roots(value)
        self._script.answered.append(None if None in origins else origins[0])

    @property
    def _wish(self) -> int:
        return self._first_wish + len(self._script.wishes) - 1

    @property
    def _wish_now(self) -> int:
        """The wish that a step is for, be it before the first one is said."""
        return max(self._wish, self._first_wish)

    def _said(self, value: Any) -> str:
        return said(value, str(self.today))

    def _is_dictated(self, text: str) -> bool:
        return text in self._script.texts and self._script.texts[text].said == "dictated"

    def _table(self, name: str) -> Table:
        tables = self._session.domain.schema.tables
        if name not in tables:
            raise EnvironmentFault(f"There is no table {name!r}; have: {', '.join(tables)}.")
        return tables[name]

    def _pick(self, table: str, where: str, values: Sequence[Value], taken: Sequence[tuple[Value, ...]]) -> Entry:
        columns = self._table(table).primary_key
        keys = ", ".join(columns)
        pinned = self._pins.get(len(self._script.picks))
        if pinned is not None:  # of the one row that is wanted, not of all, the condition is asked
            where = " AND ".join([*(f'"{column}" = ?' for column in columns), f"({where})"])
            values = [*pinned, *values]
        query = f'SELECT {keys} FROM "{table}" WHERE {where} ORDER BY {keys}'
        try:
            rows = self._start.execute(query, [plain(value) for value in values]).fetchall()
        except sqlite3.Error as error:
            raise EnvironmentFault(
                f"SQLite does not accept the pick of {table} by {_one_line(where)!r}: {error}."
            ) from error
        rows = [row for row in rows if tuple(row) not in taken]
        if not rows:
            raise NoSuchRow(f"No {'further ' if taken else ''}{table} meets {_one_line(where)!r}.")
        key = tuple(self._random.choice(rows))
        self._script.picks.append((table, key))
        return self.row(table, *key)

    def _entries(self, results: Any) -> list[Entry]:
        if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
            raise EnvironmentFault("A lookup takes the list of entries in a result, as in found['loans'].")
        return results

    def _extreme(self, results: Any, column: str, which: Callable[[list[Any]], Any]) -> Entry:
        entries = [each for each in self._entries(results) if each.get(column) is not None]
        values = [plain(each[column]) for each in entries]
        if not values or values.count(which(values)) != 1:
            raise EnvironmentFault(f"Of {len(results)} entries, none or several have the utmost {column!r}, not one.")
        self._note_lookup({})
        return entries[values.index(which(values))]

    def _summed(self, number: int | float, what: str) -> Any:
        last = Origin(ResultRef(self._first_step + len(self._script.calls) - 1))
        return computed(number, traced(0, last) if self._script.calls else 0, what)

    def _note_lookup(self, wanted: Mapping[str, Any]) -> None:
        self._script.lookups.append(
            Lookup(self._origins(wanted), self._wish, self._first_step + len(self._script.calls))
        )

    def _origins(self, arguments: Mapping[str, Any]) -> Origins:
        """Where the values in arguments came from, by path."""
        return {
            path: tuple(self._roots(leaf))
            for name, value in arguments.items()
            for path, leaf in _values_in(value, name)
        }

    def _roots(self, value: Any) -> list[Origin | None]:
        """Where a value came from, or, if it was computed and not told itself, where that came from."""
        origin, base = origin_of(value), base_of(value)
        if origin is None or base is None or origin in self._script.told:
            return [origin]
        return [root for part in (base, *value.amounts) for root in self._roots(part)]


def scenario(function: Function) -> Function:
    """Mark a function of a domain's `scenarios.py` as a scenario; its docstring says what the user wants."""
    function.__dict__["is_scenario"] = True
    return function


def tell_story(program: Callable[[Story], None], session: Session, seed: int, **options: Any) -> Script:
    """Run a scenario on a session; `options` are those of `Story`. Errors: NoSuchRow, EnvironmentFault."""
    story = Story(session, seed, **options)
    try:
        program(story)
    finally:
        close_story(story)
    return script_of(story)


def script_of(story: Story) -> Script:
    """What a story came to so far; no method of it, since a scenario could change it."""
    return story._script


def close_story(story: Story) -> None:
    """Let the world of a story go."""
    story._start.close()


def _check_marks(words: str, values: Mapping[str, Any]) -> None:
    try:
        named = {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}
    except ValueError as error:
        raise EnvironmentFault(f"The words {words!r} cannot be filled in: {error}.") from error
    if named != set(values):
        odd = sorted(named ^ set(values))[0]
        raise EnvironmentFault(f"The words {words!r} and their values do not fit: {odd!r}.")


def _values_in(value: Any, name: str) -> Iterator[tuple[JsonPath, Any]]:
    """The values in an argument with their paths; an empty list holds none."""
    return ((path, leaf) for path, leaf in leaves_of(value, (name,)) if not isinstance(leaf, list | tuple | Mapping))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _reference(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _reference(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_reference(item) for item in value]
    origin = origin_of(value)
    if origin is not None and isinstance(origin.source, ResultRef) and base_of(value) is None:
        return reference_to(origin.source.step, origin.source.path)
    return plain(value)


def _traced_result(value: Any, step: int, path: JsonPath = ()) -> Any:
    if isinstance(value, Mapping):
        return {name: _traced_result(item, step, (*path, name)) for name, item in value.items()}
    if isinstance(value, list):
        return [_traced_result(item, step, (*path, number)) for number, item in enumerate(value)]
    return traced(value, Origin(ResultRef(step, path)))
