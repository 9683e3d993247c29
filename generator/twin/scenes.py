"""What people ask of a twin: shapes of requests, each tried wherever people would have words for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import inflection

from generator.author.draft import Draft
from generator.scenarios.scenario import ScenarioDesign
from generator.twin.code import call, in_code, in_short, pick, wish
from generator.twin.naming import Named, Namer, Offered, parameter_of
from generator.twin.operations import safe_name
from generator.twin.phrases import Phrase, Wording, doing, worded
from generator.twin.settled import SettledTable, SourceSchema
from generator.twin.source import Operation
from generator.twin.wanted import NewValue, wanted
from generator.twin.words import (
    capital,
    column_words,
    free_texts,
    is_note,
    is_person,
    is_technical,
    listed,
    money_minor,
    reference_of,
    referring,
    snake,
    tokens,
)
from runtime.task.user import Form
from runtime.wording import a

_MOST = 80  # scenarios of a twin
_CHANGES = 3  # columns of a table that people change
_LEAST_KEPT_BACK = 4  # values that one may be kept back of
_MOST_TOLD = 5  # values that a new row is told with
_MOST_COLUMNS = 5  # of a link: two references and little else
_LONGEST_NAME = 36  # of a scenario, so that the ids of its tasks are its own
_VALUE = {"value": "value"}  # the mark of a new value
_FEW, _MANY = 3, 8  # rows that a request is about

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


class ScenarioBook:
    """The scenarios of a twin; those that turn out faulty are left out by name."""

    def __init__(self, settled: SourceSchema, operations: Sequence[Operation], rows: Rows) -> None:
        """`rows` are those of a world, whose values people mention."""
        offered = Offered(operations)
        self._namer = Namer(settled, offered)
        twin = TwinAtHand(settled, offered, self._namer, rows)
        by_table = [list(_scenes_of(twin, table)) for table in settled.tables.values()]
        in_turn = sorted((rank, at) for at, own in enumerate(by_table) for rank in range(len(own)))
        kept = {*in_turn[:_MOST]}
        self._scenes: dict[str, ScenarioDesign] = {}
        for at, own in enumerate(by_table):
            for rank, scene in enumerate(own):
                if (rank, at) in kept:
                    self._scenes.setdefault(scene.name, scene)

    def added_to(self, draft: Draft, without: Collection[str] = ()) -> Draft:
        """Return a draft with these scenarios, but for some, and with the functions that they call."""
        scenes = [scene for name, scene in self._scenes.items() if name not in without]
        used = [scene.body for scene in scenes]
        helpers: list[str] = []
        for name, lines in reversed(self._namer.helpers.items()):  # one is used by those that were added after it
            if any(f"{name}(" in text for text in used):
                helpers.insert(0, "\n".join(lines))
                used += lines[1:]
        return replace(draft, scenarios=tuple(scenes), scenario_helpers=tuple(helpers))


def _scenes_of(twin: TwinAtHand, table: SettledTable) -> Iterator[ScenarioDesign]:
    """Yield the scenarios about a table, those first that people would ask for most."""
    if links := _Links.of(twin, table):
        yield from links.scenes()
        return
    own = list(_OfRows(twin, table).scenes())
    yield from own[:2]
    owner = twin.namer.name(table) if twin.namer.labels(table) else None
    for child, link in twin.namer.children(table) if owner is not None else ():
        assert owner is not None
        yield from _OfChildren(twin, child, table, link, owner).scenes()
    yield from own[2:]


@dataclass(frozen=True)
class TwinAtHand:
    """What all shapes look at."""

    settled: SourceSchema
    offered: Offered
    namer: Namer
    rows: Rows
    """Those of a world, whose values people mention."""


class _Unsaid(Exception):
    """People have no words for something that a shape needs, or no tool does it."""


def _needed(found: Any) -> Any:
    """Return what was found; raise `_Unsaid` where nothing was."""
    if not found:
        raise _Unsaid
    return found


class _Scene:
    """One scenario while it is written: lines of code."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, *parts: NewValue | Named | Sequence[str]) -> None:
        """Add code: of a choice, of a pick, or lines."""
        for part in parts:
            self.lines += part.lines if isinstance(part, NewValue | Named) else part

    def wish(
        self,
        saying: str,
        *named: Named,
        start: str = "",
        function: str = "story.wish",
        first: str = "",
        kept_back: str = "",
        parts: Mapping[str, str | Phrase] | None = None,
        marks: Mapping[str, str] | None = None,
    ) -> Wording:
        """Add a request about named rows, the first of which is its `<row>`; `marks` are the code of its values."""
        row = {"row": named[0].said} if named else {}
        told = {mark: f"{{{mark}}}" for mark in (*(marks or {}), *([kept_back] if kept_back else []))}
        wording = worded(saying, {**row, **told, **(parts or {})})
        given = {mark: code for each in named for mark, code in each.marks.items()} | dict(marks or {})
        self.lines += wish(wording, given, start=start, function=function, first=first, is_short=not kept_back)
        return wording


_Shape = Callable[[_Scene], tuple[str, Form, str]]


class _Shapes:
    """What the shapes about one table have in common."""

    def __init__(self, twin: TwinAtHand, table: SettledTable) -> None:
        self.twin, self.table = twin, table
        self.one = snake(table.noun)
        self.variable = safe_name(self.one)
        self.labels = twin.namer.labels(table)
        self.changeable = sorted(self._wanted_changes(), key=lambda each: each[1].rank)

    def scenes(self) -> Iterator[ScenarioDesign]:
        for shape in self.shapes():
            scene = _Scene()
            try:
                name, form, says = shape(scene)
            except _Unsaid:
                continue
            name = safe_name(snake(name)[:_LONGEST_NAME].strip("_"))
            yield ScenarioDesign.model_construct(
                name=name, form=form, role="customer", wish=says, body="\n".join(scene.lines)
            )

    def shapes(self) -> Iterator[_Shape]:
        raise NotImplementedError

    def row(self, conditions: Sequence[str] = (), values: Sequence[str] = ()) -> Named:
        named: Named = _needed(self.twin.namer.name(self.table, conditions, values))
        return named

    def offered(self, verb: Any, table: SettledTable | None = None) -> Operation:
        operation: Operation = _needed(self.twin.offered.of(verb, table or self.table))
        return operation

    def words(self, column: str) -> str:
        return column_words(self.table, column, self.twin.settled.tables)

    def summed(self, column: str) -> str:
        """What a column adds up to, behind "total"."""
        words = self.words(column).removeprefix("total ")
        return "amount" if words == "total" else words

    def wanted(self, column: str, variable: str) -> NewValue | None:
        return wanted(self.table, column, self.words(column), self.twin.rows[self.table.name], variable)

    def free(self, least: int = 2) -> list[tuple[str, NewValue]]:
        """The columns that can be set to one of several values, for forms that need another row or value, too."""
        unique = {name for columns in self.table.uniques for name in columns}
        return [
            (column, new)
            for column, new in self.changeable
            if new.options >= least and new.wording != "note" and column not in unique
        ]

    @property
    def measures(self) -> list[str]:
        """The columns with amounts and numbers that people compare, money first."""
        found = [
            name
            for name, column in self.table.columns.items()
            if column.kind in ("integer", "real") and column.required and not is_technical(column)
            if name not in (*self.table.key, *referring(self.table)) and "year" not in tokens(name)
        ]
        return sorted(found, key=lambda name: money_minor(self.table.columns[name]) is None)

    def calling(self, operation: Operation, *arguments: str, start: str = "") -> list[str]:
        return call(start, "story.call", [in_code(operation.name), *arguments])

    def update(self, entry: str, values: Mapping[str, str], wish: str = "") -> list[str]:
        """The call that gives columns of a row these values."""
        operation = self.offered("update")
        named = [f"{parameter_of(operation, 'value', column)}={value}" for column, value in values.items()]
        return self.calling(operation, *([f"wish={wish}"] if wish else []), *self.key(operation, entry), *named)

    def key(self, operation: Operation, entry: str) -> list[str]:
        """The arguments that name a row, from an entry of a result."""
        names = {each.column: each.name for each in operation.parameters if each.role == "key"}
        return [f'{name}={entry}["{column}"]' for column, name in names.items()]

    def mix_ups(self, values: Mapping[str, str], right: str = "shown", count: int = 2, wish: str = "") -> list[str]:
        """What an agent does that takes another row for the one that is meant."""
        lines: list[str] = []
        for number in range(count):
            if other := self.twin.namer.another(self.table, right, number):
                name = f"takes {'yet ' * number}another {self.table.noun}"
                lines += _wrong(name, self.update(other, values, wish))
        return lines

    def another(self, column: str) -> str:
        return f"{capital(a(self.table.noun))} gets another {self.words(column)}"

    def _wanted_changes(self) -> Iterator[tuple[str, NewValue]]:
        operation = self.twin.offered.of("update", self.table)
        for column in self.table.columns:
            if column not in self.labels and parameter_of(operation, "value", column):
                new = self.wanted(column, "value")
                if new is not None:
                    yield column, new


class _OfRows(_Shapes):
    """The scenarios about single rows, those first that people would ask for most."""

    def shapes(self) -> Iterator[_Shape]:
        yield from (partial(self._change, column, new) for column, new in self.changeable[:_CHANGES])
        yield from (partial(self._act, action) for action in self.twin.offered.actions(self.table))
        for number, make in enumerate((self._withhold, self._take_back, self._decide, self._look_up)):
            free = self.free(_LEAST_KEPT_BACK if make == self._withhold else 3)
            yield from (partial(make, *each) for each in free[number % max(1, len(free)) :][:1])
        yield from (self._switch, self._add, self._remove)
        yield from (partial(self._ask, group) for group in self._groups())
        plain = [(column, new) for column, new in self.changeable if new.wording not in ("note", "day", "mark")]
        yield from (partial(self._change_and_ask, *each) for each in plain[-1:])

    def _change(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        row = self.row([f"{column} IS NOT ?"], ["value"])
        scene.add(new, row)
        scene.wish(new.wording, row, parts={"column": self.words(column)}, marks=_VALUE)
        scene.add(self.update(row.entry, {column: "value"}))
        return f"change_{self.one}_{column}", "direct", f"{self.another(column)}."

    def _act(self, action: Operation, scene: _Scene) -> tuple[str, Form, str]:
        verb = _needed(_verb_of(action, self.table))
        different = " OR ".join(f"{name} IS NOT {_sql(value)}" for name, value in action.constants.items())
        row = self.row([f"({different})"])
        scene.add(row)
        scene.wish("do", row, parts={"verb": verb, "doing": doing(verb)})
        scene.add(self.calling(action, *self.key(action, row.entry)))
        return snake(action.name), "direct", f"Somebody wants to {verb} {a(self.table.noun)}."

    def _withhold(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        row = self.row([f"{column} IS NOT ?"], ["value"])
        scene.add(new, row)
        parts = {"column": self.words(column)}
        wording = scene.wish("withhold", row, start="wanted = ", kept_back="value", parts=parts)
        scene.add([f'story.keep_back("new {self.words(column)}", value)'])
        scene.add(in_short("wanted", wording.short, {**row.marks, "value": "value"}))
        scene.add(self.update(row.entry, {column: "value"}))
        return self._as("withheld", column, "which one they say when they are asked")

    def _take_back(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        other, row = self._two(column)
        scene.add(new, other, row)
        parts = {"column": self.words(column)}
        scene.wish(new.wording, row, start="wanted = ", parts=parts, marks=_VALUE)
        scene.wish(
            "take back",
            start="instead = ",
            function="story.changes_mind",
            first="wanted",
            parts=parts,
            marks={"value": "other"},
        )
        scene.add([f"shown = {row.entry}"], self.mix_ups({column: "other"}, count=1, wish="instead"))
        scene.add(self.update("shown", {column: "value"}, wish="wanted"))
        scene.add(self.update("shown", {column: "other"}, wish="instead"))
        return self._as("changed_mind", column, "they correct themselves")

    def _decide(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        measure = _needed(next((name for name in self.measures if name != column), None))
        limit = _needed(self.wanted(measure, "limit"))
        other, row = self._two(column)
        scene.add(new, other, limit, row)
        parts: dict[str, str | Phrase] = {"measured": row.said.owns(self.words(measure)), "column": self.words(column)}
        scene.wish("if", row, parts=parts, marks={name: name for name in ("limit", "value", "other")})
        scene.add([f"shown = {row.entry}"])
        scene.add([f'right, wrong = (value, other) if shown["{measure}"] >= limit else (other, value)'])
        scene.add(_wrong("takes the other branch", self.update("shown", {column: "wrong"})))
        scene.add(self.mix_ups({column: "right"}, count=1), self.update("shown", {column: "right"}))
        return self._as("conditional", column, "which one depends on an amount")

    def _two(self, column: str) -> tuple[NewValue, Named]:
        """A second value for a column, and a row that has neither."""
        differ = [f"{column} IS NOT ?", f"{column} IS NOT ?", "? <> ?"]
        row = self.row(differ, ["value", "other", "value", "other"])
        other: NewValue = _needed(self.wanted(column, "other"))
        return other, row

    def _look_up(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        listing = self.offered("find")
        search = _needed(self.labels and parameter_of(listing, "search", None))
        texts = [name for name in free_texts(self.table) if name not in (*self.labels, column)]
        telling = (name for name in texts if (name,) in self.table.uniques or name in ("phone", "email"))
        known = _needed(next(telling, None))
        clue, conditions = f'{self.variable}["{known}"]', [f"{known} IS NOT NULL", f"{column} IS NOT ?"]
        scene.add(new, pick(self.variable, self.table.name, conditions, ["value"], [f'unique_by=["{known}"]']))
        noun = self.table.noun
        parts = {"column": self.words(column), "noun": noun, "a noun": a(noun), "known": self.words(known)}
        scene.wish("by another", parts=parts, marks={"clue": clue, **_VALUE})
        (found,) = self.calling(listing, f"{search}={clue}", start="found = ")
        scene.add([f'{found}["{safe_name(snake(self.table.nouns))}"]', f"shown = story.find(found, {known}={clue})"])
        scene.add(self.mix_ups({column: "value"}), self.update("shown", {column: "value"}))
        return self._as("looked_up", column, "they do not know its name")

    def _as(self, form: Form, column: str, how: str) -> tuple[str, Form, str]:
        return f"{form}_{self.one}_{column}", form, f"{self.another(column)}: {how}."

    def _switch(self, scene: _Scene) -> tuple[str, Form, str]:
        operation = self.twin.offered.of("update", self.table)
        for column in self.table.columns:
            reference = reference_of(self.table, column)
            if reference is None or reference.table == self.table.name or not parameter_of(operation, "value", column):
                continue
            parent = self.twin.settled.tables[reference.table]
            other = self.twin.namer.name(parent, variable="other") if self.twin.namer.labels(parent) else None
            row = self.twin.namer.name(self.table, [f"{column} IS NOT ?"], [f'other["{parent.key[0]}"]'])
            if other is None or row is None or reference.theirs != parent.key:
                continue
            if row.is_latest and f'"{parent.name}"' in row.lines[-1]:
                continue  # "the bike of the latest order for bike X"
            scene.add(other, row)
            scene.wish("switch", row, other, parts={"column": self.words(column), "value": other.said})
            scene.add([f"shown = {other.entry}"], self.update(row.entry, {column: f'shown["{parent.key[0]}"]'}))
            return f"switch_{self.one}_{column}", "direct", f"{self.another(column)}."
        raise _Unsaid

    def _add(self, scene: _Scene) -> tuple[str, Form, str]:
        create = self.offered("create")
        needed = [each for each in create.parameters if each.required]
        _needed(needed and len(needed) <= _MOST_TOLD)
        marks: dict[str, str] = {}
        arguments: list[str] = []
        called, owner, told = "", None, list[tuple[str, str | Phrase]]()
        for each in needed:
            column = each.column or ""
            reference, variable = reference_of(self.table, column), safe_name(column)
            if reference is not None:
                parent = self.twin.settled.tables[reference.table]
                other: Named = _needed(self.twin.namer.name(parent, variable=f"its_{snake(parent.noun)}"))
                _needed(reference.theirs == parent.key and {*other.marks}.isdisjoint(marks))
                scene.add(other)
                marks |= other.marks
                # What is the latest of something is found last, right before the call.
                arguments.insert(
                    0 if not other.is_latest else len(arguments), f'{each.name}={other.entry}["{parent.key[0]}"]'
                )
                told += [(self.words(column), other.said)] if owner is not None else []
                owner = owner or other.said
                continue
            scene.add(_needed(self.wanted(column, variable)))
            marks[variable] = variable
            arguments.insert(0, f"{each.name}={variable}")
            if len(self.labels) > 1 and column in self.labels:
                named = [safe_name(each) for each in self.labels]
                called = ", " + " ".join(f"{{{each}}}" for each in named if each in marks)
            elif column == self.table.label and tokens(column)[-1] in ("name", "title"):
                called = f", {{{variable}}}" if is_person(self.table) else f" called {{{variable}}}"
            else:
                told.append((self.words(column), f"{{{variable}}}"))
        new = a(f"new {self.table.noun}")
        owned = Phrase(f" for {owner.words}", f" for {owner.short}") if owner is not None else Phrase("", "")
        whole = Phrase(f"{new}{owned.words}{called}", f"{new}{owned.short}{called}")
        scene.wish("add" if told else "add nothing else", parts={"new": whole, "details": _details(told)}, marks=marks)
        scene.add(self.calling(create, *arguments))
        return f"add_{self.one}", "direct", f"{capital(new)} is put on record."

    def _remove(self, scene: _Scene) -> tuple[str, Form, str]:
        delete, name = self.offered("delete"), self.table.name
        free = []
        for child in self.twin.settled.tables.values():
            for reference in child.references:
                if reference.table == name:
                    pairs = zip(reference.columns, reference.theirs, strict=True)
                    same = " AND ".join(f"own.{mine} = {name}.{theirs}" for mine, theirs in pairs)
                    free.append(f"NOT EXISTS (SELECT 1 FROM {child.name} AS own WHERE {same})")
        row = self.row(free)
        scene.add(row)
        scene.wish("remove", row)
        scene.add(self.calling(delete, *self.key(delete, row.entry)))
        return f"remove_{self.one}", "direct", f"{capital(a(self.table.noun))} is deleted."

    def _groups(self) -> list[list[str]]:
        """Two values of a row that people ask for, or three where these are words that many rows have."""
        asked = [name for name in self.table.columns if self._is_asked(name)]
        telling = [name for name in asked if self._is_telling(name)]
        weak = [name for name in asked if name not in telling]
        groups = [[*pair] for pair in zip(telling, [*weak, *telling[::-1]], strict=False) if pair[0] != pair[1]]
        return groups[:2] or ([weak[:3]] if len(weak) > 1 else [])

    def _ask(self, group: Sequence[str], scene: _Scene) -> tuple[str, Form, str]:
        get = self.offered("get")
        row = self.row([f"{name} IS NOT NULL" for name in group if not self.table.columns[name].required])
        words = [self.words(name) for name in group]
        scene.add(row)
        scene.wish("ask", row, parts={"parts": row.said.owns(listed(words))})
        scene.add(self.calling(get, *self.key(get, row.entry), start="shown = "))
        scene.add([self._answer(name, said) for name, said in zip(group, words, strict=True)])
        return f"ask_{self.one}_{group[0]}", "direct", f"Somebody asks about {a(self.table.noun)}."

    def _change_and_ask(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        """A question that comes with a change, since its answer alone could be guessed."""
        get = self.offered("get")
        (asked,) = _needed([name for name in self.table.columns if name != column and self._is_asked(name)][-1:])
        row = self.row([f"{column} IS NOT ?", f"{asked} IS NOT NULL"], ["value"])
        scene.add(new, row)
        told = f"{'their' if row.said.is_bare else 'its'} {self.words(asked)}"
        scene.wish("change and ask", row, parts={"column": self.words(column), "asked": told}, marks=_VALUE)
        scene.add([f"found = {row.entry}"], self.update("found", {column: "value"}))
        scene.add(self.calling(get, *self.key(get, "found"), start="shown = "))
        scene.add([self._answer(asked, self.words(asked))])
        return f"change_and_ask_{self.one}", "direct", f"{self.another(column)}, and somebody asks about it."

    def _is_asked(self, name: str) -> bool:
        column = self.table.columns[name]
        is_text = column.kind == "text" and name in free_texts(self.table)
        is_plain = name not in (*self.labels, *self.table.key, *referring(self.table)) and not is_technical(column)
        return is_plain and not is_note(column) and (is_text or column.kind in ("integer", "real", "date", "timestamp"))

    def _is_telling(self, name: str) -> bool:
        is_unique = any(columns == (name,) for columns in self.table.uniques)
        return is_unique or self.table.columns[name].kind in ("real", "date", "timestamp")

    def _answer(self, name: str, words: str) -> str:
        column, value = self.table.columns[name], f'shown["{name}"]'
        if column.kind == "timestamp":
            return f'story.answer("{words}", story.date_of({value}))'
        minor = money_minor(column)
        value = value if minor is None else f"story.money({value}, minor={minor})"
        return f'story.answer("{words}", {value}, source="{self.table.name}.{name}")'


class _Links(_Shapes):
    """What is put on, taken off, counted and changed of one row, the holder, by another, the item."""

    def __init__(
        self, twin: TwinAtHand, table: SettledTable, holder: tuple[SettledTable, str], item: tuple[SettledTable, str]
    ) -> None:
        super().__init__(twin, table)
        (self._outer, self._outer_column), (self._inner, self._inner_column) = holder, item

    @classmethod
    def of(cls, twin: TwinAtHand, table: SettledTable) -> _Links | None:
        """Return the shapes of a table that links two others, one of which people can name; None of any other."""
        whole = [each for each in table.references if len(each.columns) == 1 and each.columns[0] in table.key]
        if len(table.key) != 2 or len(whole) != 2 or len(table.columns) > _MOST_COLUMNS:
            return None
        both = [(twin.settled.tables[each.table], each.columns[0]) for each in whole]
        holder, item = sorted(both, key=lambda each: table.key.index(each[1]))
        if holder[0].name == item[0].name:
            return None
        if twin.namer.labels(holder[0]) and not twin.namer.labels(item[0]):
            holder, item = item, holder
        return cls(twin, table, holder, item)

    def shapes(self) -> Iterator[_Shape]:
        try:
            self._some, self._linked, self._absent = self._holder(), self._holder(1), self._item("NOT IN")
            self._present = self._item("IN")
        except _Unsaid:
            return
        if not {*self._present.marks}.isdisjoint(self._some.marks):
            return
        # What is the latest of something is found last, right before the call.
        both = sorted((self._present, self._some), key=lambda each: each.is_latest)
        self._keys = {
            self._outer_column if each is self._some else self._inner_column: f'{each.entry}["{table.key[0]}"]'
            for each in both
            for table in [self._outer if each is self._some else self._inner]
        }
        amounts = (
            (name, new)
            for name, column in self.table.columns.items()
            if column.kind in ("integer", "real") and name not in self.table.key
            if (new := self.wanted(name, "value")) is not None
        )
        amount = next(amounts, None)
        yield self._put
        yield from [partial(self._put_some, *amount)] if amount else []
        yield from (self._take, self._all_but)
        yield from [partial(self._regulate, *amount), partial(self._take_and_count, amount[0])] if amount else []

    def _put(self, scene: _Scene) -> tuple[str, Form, str]:
        create = self.offered("create")
        _needed({each.column for each in create.parameters if each.required} == {*self.table.key})
        scene.add(self._some, self._absent)
        self._wish(scene, "put")
        scene.add(self._link(create, self._keys))
        return f"put_{self.one}", "direct", self._says("put on")

    def _put_some(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        create = self.offered("create")
        needed = {each.column for each in create.parameters if each.required}
        _needed(parameter_of(create, "value", column) and needed <= {*self.table.key, column})
        scene.add(new, self._some, self._absent)
        self._wish(scene, "put some", column=self.words(column), marks=_VALUE)
        scene.add(self._link(create, {column: "value", **self._keys}))
        return f"put_{self.one}_{column}", "direct", self._says("put on")

    def _take(self, scene: _Scene) -> tuple[str, Form, str]:
        delete = self.offered("delete")
        scene.add(self._linked, self._present)
        self._wish(scene, "take")
        scene.add(self._link(delete, self._keys))
        return f"take_{self.one}", "direct", self._says("taken off")

    def _all_but(self, scene: _Scene) -> tuple[str, Form, str]:
        delete = self.offered("delete")
        many = self._holder(_FEW)
        scene.add(many, self._present)
        self._wish(scene, "take all but")
        scene.add([f"kept = {self._present.entry}"], self._listed(self._some))
        each = _indented(self._link(delete, {name: f'each["{name}"]' for name in self.table.key}))
        scene.add(_wrong("forgets the exception", ["for each in found:", *each]))
        kept = f'{self._inner_column}=kept["{self._inner.key[0]}"]'
        scene.add([f"for each in story.all_but(found, {kept}):", *each])
        return f"take_all_but_one_{self.one}", "all_but", self._says("taken off, all but one,")

    def _regulate(self, column: str, new: NewValue, scene: _Scene) -> tuple[str, Form, str]:
        update = self.offered("update")
        _needed(parameter_of(update, "value", column))
        scene.add(new, self._linked, self._item("IN", f" AND {column} IS NOT ?", ["value"]))
        self._wish(scene, "regulate", column=self.words(column), marks=_VALUE)
        scene.add(self._link(update, {column: "value", **self._keys}))
        return f"change_{self.one}_{column}", "direct", self._says("changed on")

    def _take_and_count(self, column: str, scene: _Scene) -> tuple[str, Form, str]:
        delete, many, words = self.offered("delete"), self._holder(_FEW), self.summed(column)
        scene.add(many, self._present)
        parts: dict[str, str | Phrase] = {"nouns": self.table.nouns, "item": self._present.said, "column": words}
        scene.wish("take and count", many, self._present, parts=parts)
        scene.add(self._link(delete, self._keys), self._listed(many))
        scene.add([f'story.answer("{self.table.noun} count", story.count(found))'])
        scene.add([f'story.answer("total {words}", story.total(found, "{column}"))'])
        return f"take_and_count_{self.one}", "computed", self._says("taken off")

    def _wish(self, scene: _Scene, saying: str, column: str = "", marks: Mapping[str, str] | None = None) -> None:
        parts = {"item": self._present.said} | ({"column": column} if column else {})
        scene.wish(saying, self._some, self._present, parts=parts, marks=marks)

    def _holder(self, least: int = 0) -> Named:
        """The row that holds others, with so many of them at least."""
        same = f"own.{self._outer_column} = {self._outer.name}.{self._outer.key[0]}"
        count = f"(SELECT count(*) FROM {self.table.name} AS own WHERE {same}) BETWEEN {least} AND {_MANY}"
        named: Named = _needed(self.twin.namer.name(self._outer, [count] if least else []))
        return named

    def _item(self, which: str, more: str = "", values: Sequence[str] = ()) -> Named:
        """What the holder that was picked has, or has not."""
        holder = self._holder()
        _needed(len(self._inner.key) == 1)
        theirs = f"SELECT {self._inner_column} FROM {self.table.name} WHERE {self._outer_column} = ?{more}"
        picked = [f'{holder.variable}["{self._outer.key[0]}"]', *values]
        named: Named = _needed(self.twin.namer.name(self._inner, [f"{self._inner.key[0]} {which} ({theirs})"], picked))
        return named

    def _listed(self, holder: Named) -> list[str]:
        _needed(parameter_of(self.offered("find"), "equals", self._outer_column))
        key = f'{holder.entry}["{self._outer.key[0]}"]'
        return self.twin.namer.listed("found = ", self.table, self._outer_column, key)

    def _link(self, operation: Operation, values: Mapping[str, str]) -> list[str]:
        names = {each.column: each.name for each in operation.parameters if each.role in ("key", "value")}
        return self.calling(operation, *(f"{names[name]}={value}" for name, value in values.items()))

    def _says(self, done: str) -> str:
        return f"A {self._inner.noun} is {done} a {self._outer.noun}."


class _OfChildren(_Shapes):
    """The best one, all but one, one of several, their count and total, and whose one of them is."""

    def __init__(self, twin: TwinAtHand, table: SettledTable, parent: SettledTable, link: str, owner: Named) -> None:
        super().__init__(twin, table)
        self._parent, self._link, self._owner = parent, link, owner

    def shapes(self) -> Iterator[_Shape]:
        if self._owner.variable != self.variable:
            yield from (self._best, self._total, self._one_of, self._all_but, self._whose)

    def _as(self, form: Form, what: str) -> tuple[str, Form, str]:
        of = f"Of the {self.table.nouns} of {a(self._parent.noun)}, {what}."
        return f"{form}_{self.one}_of_{snake(self._parent.noun)}", form, of

    def _pick(self, conditions: Sequence[str], values: Sequence[str] = (), only: Sequence[str] = ()) -> list[str]:
        """Code that picks one of the rows, and the one that it belongs to."""
        conditions = [*conditions, *self.twin.namer.only(self._parent, self._link)]
        own = f'{self._owner.variable} = story.row("{self._parent.name}", {self.variable}["{self._link}"])'
        return [*pick(self.variable, self.table.name, conditions, values, only), own]

    def _siblings(self, least: int, more: str = "") -> str:
        name = self.table.name
        count = f"(SELECT count(*) FROM {name} AS own WHERE own.{self._link} = {name}.{self._link}{more})"
        return f"{count} = 1" if more else f"{count} BETWEEN {least} AND {_MANY}"

    def _listed(self) -> list[str]:
        key = f'{self._owner.entry}["{self._parent.key[0]}"]'
        return self.twin.namer.listed("found = ", self.table, self._link, key)

    def _told(self, column: str) -> dict[str, str | Phrase]:
        return {"nouns": self.table.nouns, "column": self.words(column)}

    def _best(self, scene: _Scene) -> tuple[str, Form, str]:
        measure = _needed(self.measures)[0]
        column, new = _needed([each for each in self.free() if each[0] != measure])[0]
        said = f"the {self.table.noun} for {self._owner.said.words} with the highest {self.words(measure)}"
        conditions = [f"{column} IS NOT ?", self._siblings(2)]
        conditions.append(self._siblings(1, f" AND own.{measure} >= {self.table.name}.{measure}"))
        scene.add(new, self._pick(conditions, ["value"]))
        scene.wish("best", self._owner, parts={"best": said, "column": self.words(column)}, marks=_VALUE)
        scene.add(self._listed())
        least, best = (f'story.{which}(found, "{measure}")' for which in ("lowest", "highest"))
        scene.add(_wrong("takes the other end of the list", self.update(least, {column: "value"})))
        scene.add(self.mix_ups({column: "value"}, best, count=1), self.update(best, {column: "value"}))
        return self._as("best_of", "the one with the most of something gets another value")

    def _total(self, scene: _Scene) -> tuple[str, Form, str]:
        measure = _needed(self.measures)[0]
        words = self.summed(measure)
        scene.add(self._pick([self._siblings(2)]))
        scene.wish("count", self._owner, parts={"nouns": self.table.nouns, "column": words})
        scene.add(self._listed(), [f'story.answer("{self.table.noun} count", story.count(found))'])
        minor, total = money_minor(self.table.columns[measure]), f'story.total(found, "{measure}")'
        total = total if minor is None else f"story.money({total}, minor={minor})"
        scene.add([f'story.answer("total {words}", {total})'])
        return self._as("computed", "how many there are, and what they add up to")

    def _one_of(self, scene: _Scene) -> tuple[str, Form, str]:
        column, new, label, key = self._labeled(-1)
        scene.add(new, self._pick([f"{column} IS NOT ?", self._siblings(2)], ["value"], [f'unique_by=["{label}"]']))
        wording = scene.wish(
            "one of", self._owner, start="wanted = ", kept_back="item", parts=self._told(column), marks=_VALUE
        )
        scene.add([f'story.keep_back("{self.words(label)}", {key})'])
        scene.add(in_short("wanted", wording.short, {**self._owner.marks, "value": "value", "item": key}))
        scene.add(self._listed(), [f"shown = story.find(found, {label}={key})"])
        scene.add(self.mix_ups({column: "value"}), self.update("shown", {column: "value"}))
        return self._as("ambiguous", "one of them gets another value, and which one is said when asked")

    def _all_but(self, scene: _Scene) -> tuple[str, Form, str]:
        column, new, label, key = self._labeled(0)
        name = self.table.name
        _needed(len(self.table.key) == 1)
        same = f"own.{self._link} = {name}.{self._link} AND own.{column} IS ?"
        conditions = [f"NOT EXISTS (SELECT 1 FROM {name} AS own WHERE {same})", self._siblings(_FEW)]
        scene.add(new, self._pick(conditions, ["value"], [f'unique_by=["{label}"]']))
        scene.wish("all but", self._owner, parts=self._told(column), marks={**_VALUE, "item": key})
        scene.add(self._listed())
        each = _indented(self.update("each", {column: "value"}))
        scene.add(_wrong("forgets the exception", ["for each in found:", *each]))
        scene.add([f"for each in story.all_but(found, {label}={key}):", *each])
        return self._as("all_but", "all of them but one get another value")

    def _labeled(self, which: int) -> tuple[str, NewValue, str, str]:
        """A column with its new value, the label of the rows, and the code of the picked row's."""
        _needed(len(self.labels) == 1)
        column, new = _needed([each for each in self.free() if each[0] not in self.labels])[which]
        return column, new, self.labels[0], f'{self.variable}["{self.labels[0]}"]'

    def _whose(self, scene: _Scene) -> tuple[str, Form, str]:
        """The row of the other table is named by one that belongs to it."""
        other = _Shapes(self.twin, self._parent)
        free = [each for each in other.free() if each[0] not in other.labels]
        _needed(free and self.labels and self.table.columns[self._link].required)
        column, new = free[-1]
        key = self._parent.key[0]
        row = self.row([f"{self._link} IN (SELECT {key} FROM {self._parent.name} WHERE {column} IS NOT ?)"], ["value"])
        update = self.offered("update", self._parent)
        scene.add(new, row)
        parts = {"link": self.words(self._link), "column": other.words(column)}
        scene.wish("by what is theirs", row, parts=parts, marks=_VALUE)
        scene.add([f"shown = {row.entry}"])
        scene.add(other.mix_ups({column: "value"}, f'{{"{key}": shown["{self._link}"]}}'))
        arguments = [f'{parameter_of(update, "key", key)}=shown["{self._link}"]']
        scene.add(self.calling(update, *arguments, f"{parameter_of(update, 'value', column)}=value"))
        return self._as("looked_up", "whose it is gets another value")


def _details(told: Sequence[tuple[str, str | Phrase]]) -> Phrase:
    said = [(column, Phrase(each, each) if isinstance(each, str) else each) for column, each in told]
    words = [f"the {column} is {each.words.removeprefix(f'the {column} ')}" for column, each in said]
    short = [f"the {column} is {each.short.removeprefix(f'the {column} ')}" for column, each in said]
    return Phrase(listed(words), listed(short))


def _wrong(name: str, lines: Sequence[str]) -> list[str]:
    return [f"with story.wrong({in_code(name)}):", *_indented(lines)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _sql(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else str(int(value))


def _verb_of(action: Operation, table: SettledTable) -> str:
    """Return the verb in an action's name: cancel in cancel_order and orders_cancel; "" if there is more in it."""
    nouns = {inflection.singularize(each) for each in (*tokens(table.name), *table.noun.split())}
    verbs = [each for each in tokens(action.name) if inflection.singularize(each) not in nouns]
    return verbs[0] if len(verbs) == 1 and verbs[0].isalpha() else ""
