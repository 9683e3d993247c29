"""What people ask of a twin: the shapes of `sayings.toml`, each tried wherever people would have words for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import inflection

from generator.author.draft import Draft
from generator.scenarios.scenario import ScenarioDesign
from generator.twin.invented import NewValue, wanted
from generator.twin.naming import Named, Namer, Offered, parameter_of
from generator.twin.operations import safe_name
from generator.twin.phrases import NOTHING, SHAPES, Part, Parts, Phrase, filled, in_code, pick, requested
from generator.twin.source import Operation, SettledTable, SourceSchema
from generator.twin.words import (
    column_words,
    doing,
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
from runtime.wording import a

_MOST = 80  # scenarios of a twin
_CHANGES = 3  # columns of a table that people change
_LEAST_KEPT_BACK = 4  # values that one may be kept back of
_MOST_TOLD = 5  # values that a new row is told with
_MOST_COLUMNS = 5  # of a link: two references and little else
_LONGEST_NAME = 36  # of a scenario, so that the ids of its tasks are its own
_FEW, _MANY = 3, 8  # rows that a request is about
_VALUE = {"value": "value"}  # the mark of a new value

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
Shape = Callable[[], ScenarioDesign]
Found = TypeVar("Found")


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


def _needed(found: Found | None) -> Found:
    """Return what was found; raise `_Unsaid` where nothing was."""
    if not found:
        raise _Unsaid
    return found


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
            try:
                yield shape()
            except _Unsaid:
                continue

    def shapes(self) -> Iterator[Shape]:
        raise NotImplementedError

    def scene(
        self,
        shape: str,
        *named: Named,
        saying: str = "",
        field: str = "",
        new: Sequence[NewValue] = (),
        marks: Mapping[str, str] = {},
        kept_back: Mapping[str, str] = {},
        parts: Parts = NOTHING,
    ) -> ScenarioDesign:
        """Return a scenario of a shape about named rows, the first of which is its `<row>`, and a column of the table.

        `marks` are the code of the values in its request, those `kept_back` the code of what is told when asked.
        """
        own, noun = SHAPES[shape], self.table.noun
        told: dict[str, Part] = {"one": self.one, "noun": noun, "nouns": self.table.nouns, "a noun": a(noun)}
        if field:
            column = self.words(field)
            told |= {"field": field, "column": column, "another": f"{a(noun)} gets another {column}"}
        told |= parts
        if "where" in own and not named:
            named = (self.row([filled(each, told) for each in own["where"]], own.get("given", ())),)
        given = {mark: code for each in named for mark, code in each.marks.items()} | dict(marks)
        shown = {mark: f"{{{mark}}}" for mark in (*marks, *kept_back)}
        told = {
            "choose": [line for each in new for line in each.lines],
            "pick": [line for each in named for line in each.lines],
            "entry": named[0].entry if named else "",
            **requested(saying or shape, shown | told, named[0].said if named else None, given, kept_back),
            **{verb: partial(self.call, verb) for verb in ("get", "delete")},
            "set": partial(self.set, field),
            "mix up": partial(self.mix_up, field),
            **told,
        }
        return ScenarioDesign.model_construct(
            name=safe_name(snake(filled(own["name"], told))[:_LONGEST_NAME].strip("_")),
            form=own.get("form", "direct"),
            role="customer",
            wish=filled(own["says"], told),
            body=filled(own["body"], told),
        )

    def row(self, conditions: Sequence[str] = (), values: Sequence[str] = ()) -> Named:
        return _needed(self.twin.namer.name(self.table, conditions, values))

    def offered(self, verb: Any, table: SettledTable | None = None) -> Operation:
        return _needed(self.twin.offered.of(verb, table or self.table))

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

    def money(self, column: str, code: str) -> str:
        """The code for an amount of a column, if it is one of money."""
        minor = money_minor(self.table.columns[column])
        return code if minor is None else f"story.money({code}, minor={minor})"

    def calling(self, operation: Operation, *arguments: str) -> list[str]:
        return [f"story.call({', '.join([in_code(operation.name), *arguments])})"]

    def call(self, what: str | Operation, entry: str) -> list[str]:
        """The call of an operation that needs nothing but a row, or of the one that does this."""
        operation = self.offered(what) if isinstance(what, str) else what
        return self.calling(operation, *self.key(operation, entry))

    def set(self, column: str, entry: str, value: str, wish: str = "") -> list[str]:
        """The call that gives the column of a row this value."""
        operation = self.offered("update")
        named = f"{parameter_of(operation, 'value', column)}={value}"
        return self.calling(operation, *([f"wish={wish}"] if wish else []), *self.key(operation, entry), named)

    def key(self, operation: Operation, entry: str) -> list[str]:
        """The arguments that name a row, from an entry of a result."""
        return [f'{each.name}={entry}["{each.column}"]' for each in operation.parameters if each.role == "key"]

    def mix_up(self, column: str, right: str, value: str, count: str = "2", wish: str = "") -> list[str]:
        """What an agent does that takes another row for the one that is meant."""
        lines: list[str] = []
        for number in range(int(count)):
            if other := self.twin.namer.another(self.table, right, number):
                name = f"takes {'yet ' * number}another {self.table.noun}"
                lines += [
                    f"with story.wrong({in_code(name)}):",
                    *(f"    {each}" for each in self.set(column, other, value, wish)),
                ]
        return lines

    def _wanted_changes(self) -> Iterator[tuple[str, NewValue]]:
        operation = self.twin.offered.of("update", self.table)
        for column in self.table.columns:
            if column not in self.labels and parameter_of(operation, "value", column):
                new = self.wanted(column, "value")
                if new is not None:
                    yield column, new


class _OfRows(_Shapes):
    """The scenarios about single rows, those first that people would ask for most."""

    def shapes(self) -> Iterator[Shape]:
        for column, new in self.changeable[:_CHANGES]:
            yield partial(self.scene, "change", saying=new.wording, field=column, new=[new], marks=_VALUE)
        yield from (partial(self._act, action) for action in self.twin.offered.actions(self.table))
        for number, make in enumerate((self._withhold, self._take_back, self._decide, self._look_up)):
            free = self.free(_LEAST_KEPT_BACK if make == self._withhold else 3)
            yield from (partial(make, *each) for each in free[number % max(1, len(free)) :][:1])
        yield from (self._switch, self._add, self._remove)
        yield from (partial(self._ask, group) for group in self._groups())
        plain = [(column, new) for column, new in self.changeable if new.wording not in ("note", "day", "mark")]
        yield from (partial(self._change_and_ask, *each) for each in plain[-1:])

    def _act(self, action: Operation) -> ScenarioDesign:
        verb = _needed(_verb_of(action, self.table))
        different = " OR ".join(f"{name} IS NOT {_sql(value)}" for name, value in action.constants.items())
        do = partial(self.call, action)
        parts: Parts = {"action": action.name, "different": different, "verb": verb, "doing": doing(verb), "do": do}
        return self.scene("do", parts=parts)

    def _withhold(self, column: str, new: NewValue) -> ScenarioDesign:
        return self.scene("withhold", field=column, new=[new], kept_back=_VALUE)

    def _take_back(self, column: str, new: NewValue) -> ScenarioDesign:
        values = [new, _needed(self.wanted(column, "other"))]
        told = {"column": self.words(column), "value": "{value}"}
        correction = requested("take back", told, given={"value": "other"})["request"]
        parts = {"correction": correction}
        return self.scene("take back", saying=new.wording, field=column, new=values, marks=_VALUE, parts=parts)

    def _decide(self, column: str, new: NewValue) -> ScenarioDesign:
        measure = _needed(next((name for name in self.measures if name != column), None))
        values = [new, _needed(self.wanted(column, "other")), _needed(self.wanted(measure, "limit"))]
        marks = {name: name for name in ("limit", "value", "other")}
        parts = {"measure": measure, "measure words": self.words(measure)}
        return self.scene("if", field=column, new=values, marks=marks, parts=parts)

    def _look_up(self, column: str, new: NewValue) -> ScenarioDesign:
        listing = self.offered("find")
        search = _needed(self.labels and parameter_of(listing, "search", None))
        texts = [name for name in free_texts(self.table) if name not in (*self.labels, column)]
        known = _needed(next((each for each in texts if self._is_unique(each) or each in ("phone", "email")), None))
        clue, conditions = f'{self.variable}["{known}"]', [f"{known} IS NOT NULL", f"{column} IS NOT ?"]
        parts: dict[str, Part] = {
            "pick": [pick(self.variable, self.table.name, conditions, ["value"], [f'unique_by=["{known}"]'])],
            "find": self.calling(listing, f"{search}={clue}"),
            "rows": safe_name(snake(self.table.nouns)),
            "known": self.words(known),
            "known field": known,
            "clue of it": clue,
        }
        return self.scene("by another", field=column, new=[new], marks={"clue": clue, **_VALUE}, parts=parts)

    def _switch(self) -> ScenarioDesign:
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
            parts: dict[str, Part] = {"value": other.said, "other": other.entry, "their key": parent.key[0]}
            parts["pick"] = [*other.lines, *row.lines]
            return self.scene("switch", row, other, field=column, parts=parts)
        raise _Unsaid

    def _add(self) -> ScenarioDesign:
        create = self.offered("create")
        needed = [each for each in create.parameters if each.required]
        _needed(needed and len(needed) <= _MOST_TOLD)
        marks: dict[str, str] = {}
        lines: list[str] = []
        arguments: list[str] = []
        called, owner, told = "", None, list[tuple[str, str | Phrase]]()
        for each in needed:
            column = each.column or ""
            reference, variable = reference_of(self.table, column), safe_name(column)
            if reference is not None:
                parent = self.twin.settled.tables[reference.table]
                other = _needed(self.twin.namer.name(parent, variable=f"its_{snake(parent.noun)}"))
                _needed(reference.theirs == parent.key and {*other.marks}.isdisjoint(marks))
                lines += other.lines
                marks |= other.marks
                # What is the latest of something is found last, right before the call.
                place = len(arguments) if other.is_latest else 0
                arguments.insert(place, f'{each.name}={other.entry}["{parent.key[0]}"]')
                told += [(self.words(column), other.said)] if owner is not None else []
                owner = owner or other.said
                continue
            lines += _needed(self.wanted(column, variable)).lines
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
        parts: dict[str, Part] = {"pick": lines, "new": whole, "a new": new, "details": _details(told)}
        parts["add"] = self.calling(create, *arguments)
        return self.scene("add", saying="add" if told else "add nothing else", marks=marks, parts=parts)

    def _remove(self) -> ScenarioDesign:
        name, free = self.table.name, []
        for child in self.twin.settled.tables.values():
            for reference in child.references:
                if reference.table == name:
                    pairs = zip(reference.columns, reference.theirs, strict=True)
                    same = " AND ".join(f"own.{mine} = {name}.{theirs}" for mine, theirs in pairs)
                    free.append(f"NOT EXISTS (SELECT 1 FROM {child.name} AS own WHERE {same})")
        return self.scene("remove", self.row(free))

    def _groups(self) -> list[list[str]]:
        """Two values of a row that people ask for, or three where these are words that many rows have."""
        asked = [name for name in self.table.columns if self._is_asked(name)]
        telling = [
            each
            for each in asked
            if self._is_unique(each) or self.table.columns[each].kind in ("real", "date", "timestamp")
        ]
        weak = [name for name in asked if name not in telling]
        groups = [[*pair] for pair in zip(telling, [*weak, *telling[::-1]], strict=False) if pair[0] != pair[1]]
        return groups[:2] or ([weak[:3]] if len(weak) > 1 else [])

    def _ask(self, group: Sequence[str]) -> ScenarioDesign:
        row = self.row([f"{name} IS NOT NULL" for name in group if not self.table.columns[name].required])
        asked = listed([self.words(name) for name in group])
        parts: dict[str, Part] = {"asked": asked, "answers": [self._answer(name) for name in group]}
        return self.scene("ask", row, field=group[0], parts=parts)

    def _change_and_ask(self, column: str, new: NewValue) -> ScenarioDesign:
        """A question that comes with a change, since its answer alone could be guessed."""
        asked = _needed([name for name in self.table.columns if name != column and self._is_asked(name)])[-1]
        parts: dict[str, Part] = {"asked": self.words(asked), "asked field": asked, "answers": [self._answer(asked)]}
        return self.scene("change and ask", field=column, new=[new], marks=_VALUE, parts=parts)

    def _is_asked(self, name: str) -> bool:
        column = self.table.columns[name]
        is_text = column.kind == "text" and name in free_texts(self.table)
        is_plain = name not in (*self.labels, *self.table.key, *referring(self.table)) and not is_technical(column)
        return is_plain and not is_note(column) and (is_text or column.kind in ("integer", "real", "date", "timestamp"))

    def _is_unique(self, name: str) -> bool:
        return (name,) in self.table.uniques

    def _answer(self, name: str) -> str:
        words, value = self.words(name), f'shown["{name}"]'
        if self.table.columns[name].kind == "timestamp":
            return f'story.answer("{words}", story.date_of({value}))'
        return f'story.answer("{words}", {self.money(name, value)}, source="{self.table.name}.{name}")'


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

    def shapes(self) -> Iterator[Shape]:
        try:
            self._some, self._absent, self._present = self._holder(), self._item("NOT IN"), self._item("IN")
            linked = self._holder(1)
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
        yield partial(self._about, "take", linked, self._present)
        yield self._all_but
        yield from [partial(self._regulate, *amount), partial(self._take_and_count, amount[0])] if amount else []

    def _about(self, shape: str, holder: Named, item: Named, parts: Parts = NOTHING, **more: Any) -> ScenarioDesign:
        """A scenario about an item of a holder."""
        words: Parts = {"item": self._present.said, "a inner": a(self._inner.noun), "a outer": a(self._outer.noun)}
        return self.scene(shape, holder, item, parts={"link": self._link, **words, **parts}, **more)

    def _put(self) -> ScenarioDesign:
        _needed(self._required() == {*self.table.key})
        return self._about("put", self._some, self._absent)

    def _put_some(self, column: str, new: NewValue) -> ScenarioDesign:
        is_given = parameter_of(self.offered("create"), "value", column)
        _needed(is_given and self._required() <= {*self.table.key, column})
        return self._about("put some", self._some, self._absent, field=column, new=[new], marks=_VALUE)

    def _all_but(self) -> ScenarioDesign:
        kept = f'{self._inner_column}=kept["{self._inner.key[0]}"]'
        each = self._link("delete", *(f'{name}=each["{name}"]' for name in self.table.key))
        parts = {"take": each, "kept": self._present.entry, "exception": kept, "list": self._listed(self._some)}
        return self._about("take all but", self._holder(_FEW), self._present, parts)

    def _regulate(self, column: str, new: NewValue) -> ScenarioDesign:
        _needed(parameter_of(self.offered("update"), "value", column))
        item = self._item("IN", f" AND {column} IS NOT ?", ["value"])
        return self._about("regulate", self._holder(1), item, field=column, new=[new], marks=_VALUE)

    def _take_and_count(self, column: str) -> ScenarioDesign:
        many = self._holder(_FEW)
        parts = {"column": self.summed(column), "list": self._listed(many)}
        return self._about("take and count", many, self._present, parts, field=column)

    def _required(self) -> set[str | None]:
        return {each.column for each in self.offered("create").parameters if each.required}

    def _holder(self, least: int = 0) -> Named:
        """The row that holds others, with so many of them at least."""
        same = f"own.{self._outer_column} = {self._outer.name}.{self._outer.key[0]}"
        count = f"(SELECT count(*) FROM {self.table.name} AS own WHERE {same}) BETWEEN {least} AND {_MANY}"
        return _needed(self.twin.namer.name(self._outer, [count] if least else []))

    def _item(self, which: str, more: str = "", values: Sequence[str] = ()) -> Named:
        """What the holder that was picked has, or has not."""
        holder = self._holder()
        _needed(len(self._inner.key) == 1)
        theirs = f"SELECT {self._inner_column} FROM {self.table.name} WHERE {self._outer_column} = ?{more}"
        picked = [f'{holder.variable}["{self._outer.key[0]}"]', *values]
        return _needed(self.twin.namer.name(self._inner, [f"{self._inner.key[0]} {which} ({theirs})"], picked))

    def _listed(self, holder: Named) -> list[str]:
        _needed(parameter_of(self.offered("find"), "equals", self._outer_column))
        key = f'{holder.entry}["{self._outer.key[0]}"]'
        return self.twin.namer.listed("found = ", self.table, self._outer_column, key)

    def _link(self, verb: str, *values: str) -> list[str]:
        """The call of an operation about the link, with these values, and its key unless this is one of them."""
        operation = self.offered(verb)
        names = {each.column: each.name for each in operation.parameters if each.role in ("key", "value")}
        given = self._keys if verb != "delete" or not values else {}
        told = [*(each.partition("=")[::2] for each in values), *given.items()]
        return self.calling(operation, *(f"{names[name]}={value}" for name, value in told))


class _OfChildren(_Shapes):
    """The best one, all but one, one of several, their count and total, and whose one of them is."""

    def __init__(self, twin: TwinAtHand, table: SettledTable, parent: SettledTable, link: str, owner: Named) -> None:
        super().__init__(twin, table)
        self._parent, self._link, self._owner = parent, link, owner

    def shapes(self) -> Iterator[Shape]:
        if self._owner.variable != self.variable:
            yield from (self._best, self._total, self._one_of, self._all_but, self._whose)

    def _of(
        self, shape: str, conditions: Sequence[str], only: Sequence[str] = (), parts: Parts = NOTHING, **more: Any
    ) -> ScenarioDesign:
        """A scenario about one of the rows that belong to another, both of which are picked."""
        conditions = [*conditions, *self.twin.namer.only(self._parent, self._link)]
        own = f'{self._owner.variable} = story.row("{self._parent.name}", {self.variable}["{self._link}"])'
        picked = pick(self.variable, self.table.name, conditions, ["value"] if "new" in more else [], only)
        key = f'{self._owner.entry}["{self._parent.key[0]}"]'
        found = self.twin.namer.listed("found = ", self.table, self._link, key)
        whole = {"pick": [picked, own], "list": found, **self._parent_words, **parts}
        return self.scene(shape, self._owner, parts=whole, **more)

    @property
    def _parent_words(self) -> dict[str, Part]:
        return {"parent": snake(self._parent.noun), "a parent": a(self._parent.noun)}

    def _siblings(self, least: int, more: str = "") -> str:
        name = self.table.name
        count = f"(SELECT count(*) FROM {name} AS own WHERE own.{self._link} = {name}.{self._link}{more})"
        return f"{count} = 1" if more else f"{count} BETWEEN {least} AND {_MANY}"

    def _best(self) -> ScenarioDesign:
        measure = _needed(self.measures)[0]
        column, new = _needed([each for each in self.free() if each[0] != measure])[0]
        said = f"the {self.table.noun} for {self._owner.said.words} with the highest {self.words(measure)}"
        conditions = [f"{column} IS NOT ?", self._siblings(2)]
        conditions.append(self._siblings(1, f" AND own.{measure} >= {self.table.name}.{measure}"))
        return self._of(
            "best", conditions, (), {"best": said, "measure": measure}, field=column, new=[new], marks=_VALUE
        )

    def _total(self) -> ScenarioDesign:
        measure = _needed(self.measures)[0]
        total = self.money(measure, f'story.total(found, "{measure}")')
        return self._of("count", [self._siblings(2)], parts={"column": self.summed(measure), "total": total})

    def _one_of(self) -> ScenarioDesign:
        return self._labeled("one of", -1, ["{} IS NOT ?", self._siblings(2)])

    def _all_but(self) -> ScenarioDesign:
        name = self.table.name
        _needed(len(self.table.key) == 1)
        same = f"own.{self._link} = {name}.{self._link} AND own.{{}} IS ?"
        conditions = [f"NOT EXISTS (SELECT 1 FROM {name} AS own WHERE {same})", self._siblings(_FEW)]
        return self._labeled("all but", 0, conditions)

    def _labeled(self, shape: str, which: int, conditions: Sequence[str]) -> ScenarioDesign:
        """A scenario in which one of the rows is told by its label; `{}` in a condition is the column that changes."""
        _needed(len(self.labels) == 1)
        column, new = _needed([each for each in self.free() if each[0] not in self.labels])[which]
        label, item = self.labels[0], f'{self.variable}["{self.labels[0]}"]'
        parts: dict[str, Part] = {"label": label, "label words": self.words(label), "item of it": item}
        said = (
            {"marks": _VALUE, "kept_back": {"item": item}} if shape == "one of" else {"marks": {**_VALUE, "item": item}}
        )
        conditions = [each.format(column) for each in conditions]
        return self._of(shape, conditions, [f'unique_by=["{label}"]'], parts, field=column, new=[new], **said)

    def _whose(self) -> ScenarioDesign:
        """The row of the other table is named by one that belongs to it."""
        other = _Shapes(self.twin, self._parent)
        free = [each for each in other.free() if each[0] not in other.labels]
        _needed(free and self.labels and self.table.columns[self._link].required)
        column, new = free[-1]
        key = self._parent.key[0]
        row = self.row([f"{self._link} IN (SELECT {key} FROM {self._parent.name} WHERE {column} IS NOT ?)"], ["value"])
        update = self.offered("update", self._parent)
        parts: Parts = {
            "key": key,
            "link field": self._link,
            "link": self.words(self._link),
            "column": other.words(column),
            "call": in_code(update.name),
            "key name": parameter_of(update, "key", key) or "",
            "value name": parameter_of(update, "value", column) or "",
            "mix up": partial(other.mix_up, column),
            **self._parent_words,
        }
        return self.scene("by what is theirs", row, new=[new], marks=_VALUE, parts=parts)


def _details(told: Sequence[tuple[str, str | Phrase]]) -> Phrase:
    said = [(column, Phrase(each, each) if isinstance(each, str) else each) for column, each in told]
    words = [f"the {column} is {each.words.removeprefix(f'the {column} ')}" for column, each in said]
    short = [f"the {column} is {each.short.removeprefix(f'the {column} ')}" for column, each in said]
    return Phrase(listed(words), listed(short))


def _sql(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else str(int(value))


def _verb_of(action: Operation, table: SettledTable) -> str:
    """Return the verb in an action's name: cancel in cancel_order and orders_cancel; "" if there is more in it."""
    nouns = {inflection.singularize(each) for each in (*tokens(table.name), *table.noun.split())}
    verbs = [each for each in tokens(action.name) if inflection.singularize(each) not in nouns]
    return verbs[0] if len(verbs) == 1 and verbs[0].isalpha() else ""
