"""The scenarios about the rows of one table of a twin: what people change, add, remove, and ask about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import inflection

from generator.scenarios.scenario import ScenarioDesign
from generator.twin.code import call, in_code, in_short, pick, wish
from generator.twin.naming import Named, Namer, Offered, parameter_of
from generator.twin.operations import safe_name
from generator.twin.phrases import Said, doing, worded
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation
from generator.twin.wanted import Wanted, wanted
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

_CHANGES = 3  # columns of a table that people change
_LEAST_KEPT_BACK = 4  # values that one may be kept back of
_MOST_TOLD = 5  # values that a new row is told with
_LONGEST_NAME = 36  # of a scenario, so that the ids of its tasks are its own

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Scene:
    """One scenario as code."""

    name: str
    form: Form
    says: str
    """Its docstring."""
    lines: tuple[str, ...]

    @property
    def design(self) -> ScenarioDesign:
        """It as the forge's own author answers it."""
        return ScenarioDesign(name=self.name, form=self.form, wish=self.says, body="\n".join(self.lines))


@dataclass(frozen=True)
class TwinAtHand:
    """What all templates of a twin look at."""

    settled: Settled
    offered: Offered
    namer: Namer
    rows: Rows
    """Those of a world, whose values people mention."""


class TableTemplates:
    """What the templates about one table have in common."""

    def __init__(self, twin: TwinAtHand, table: SettledTable) -> None:
        self.twin, self.table = twin, table
        self.one = snake(table.noun)
        self.variable = safe_name(self.one)
        self.labels = twin.namer.labels(table)
        self.changeable = sorted(self._wanted_changes(), key=lambda each: each[1].rank)

    def row(self, conditions: Sequence[str] = (), values: Sequence[str] = ()) -> Named | None:
        return self.twin.namer.name(self.table, conditions, values)

    def words(self, column: str) -> str:
        return column_words(self.table, column, self.twin.settled.tables)

    def summed(self, column: str) -> str:
        """What a column adds up to, behind "total"."""
        words = self.words(column).removeprefix("total ")
        return "amount" if words == "total" else words

    def wanted(self, column: str, variable: str) -> Wanted | None:
        return wanted(self.table, column, self.words(column), self.twin.rows[self.table.name], variable)

    def free(self, least: int = 2) -> list[tuple[str, Wanted]]:
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

    def update(self, entry: str, values: Mapping[str, str], wish: str = "") -> list[str]:
        """The call that gives columns of a row these values."""
        operation = self.twin.offered.of("update", self.table)
        assert operation is not None
        named = [f"{parameter_of(operation, 'value', column)}={value}" for column, value in values.items()]
        return call(
            "",
            "story.call",
            [in_code(operation.name), *([f"wish={wish}"] if wish else []), *self.key(operation, entry), *named],
        )

    def key(self, operation: Operation, entry: str) -> list[str]:
        """The arguments that name a row, from an entry of a result."""
        names = {each.column: each.name for each in operation.parameters if each.role == "key"}
        return [f'{name}={entry}["{column}"]' for column, name in names.items()]

    def mix_ups(self, values: Mapping[str, str], right: str = "shown", count: int = 2, wish: str = "") -> list[str]:
        """What an agent does that takes another row for the one that is meant."""
        lines: list[str] = []
        for number in range(count):
            other = self.twin.namer.another(self.table, right, number)
            if other is not None:
                name = f"takes {'yet ' * number}another {self.table.noun}"
                lines += [f"with story.wrong({in_code(name)}):", *_indented(self.update(other, values, wish))]
        return lines

    def scene(self, name: str, form: Form, says: str, lines: Sequence[str]) -> Scene:
        return Scene(safe_name(snake(name)[:_LONGEST_NAME].strip("_")), form, says, tuple(lines))

    def _wanted_changes(self) -> Iterator[tuple[str, Wanted]]:
        operation = self.twin.offered.of("update", self.table)
        for column in self.table.columns:
            if column not in self.labels and parameter_of(operation, "value", column):
                new = self.wanted(column, "value")
                if new is not None:
                    yield column, new


class RowTemplates(TableTemplates):
    """The scenarios about single rows, those first that people would ask for most."""

    def scenes(self) -> Iterator[Scene]:
        yield from self._changes()
        yield from self._actions()
        yield from self._forms()
        yield from self._switches()
        yield from self._additions()
        yield from self._removals()
        yield from self._questions()
        yield from self._change_and_ask()

    def _changes(self) -> Iterator[Scene]:
        for column, new in self.changeable[:_CHANGES]:
            row = self.row([f"{column} IS NOT ?"], ["value"])
            if row is not None:
                wording = worded(new.wording, row=row.said, column=self.words(column), value="{value}")
                lines = [*new.lines, *row.lines, *wish(wording, {**row.marks, "value": "value"})]
                lines += self.update(row.entry, {column: "value"})
                says = f"{capital(a(self.table.noun))} gets another {self.words(column)}."
                yield self.scene(f"change_{self.one}_{column}", "direct", says, lines)

    def _actions(self) -> Iterator[Scene]:
        for action in self.twin.offered.actions(self.table):
            verb = _verb_of(action, self.table)
            different = " OR ".join(f"{name} IS NOT {_sql(value)}" for name, value in action.constants.items())
            row = self.row([f"({different})"])
            if row is not None and verb:
                lines = [*row.lines, *wish(worded("do", verb=verb, doing=doing(verb), row=row.said), row.marks)]
                lines += call("", "story.call", [in_code(action.name), *self.key(action, row.entry)])
                says = f"Somebody wants to {verb} {a(self.table.noun)}."
                yield self.scene(snake(action.name), "direct", says, lines)

    def _forms(self) -> Iterator[Scene]:
        """A value that is kept back, corrected, or depends on an amount; a row that is known by another text."""
        made: tuple[tuple[Form, Callable[[str, Wanted], list[str]]], ...] = (
            ("withheld", self._withheld),
            ("changed_mind", self._taken_back),
            ("conditional", self._conditional),
            ("looked_up", self._looked_up),
        )
        for number, (form, make) in enumerate(made):
            free = self.free(_LEAST_KEPT_BACK if form == "withheld" else 3)
            for column, new in free[number % len(free) :][:1] if free else ():
                if lines := make(column, new):
                    says = f"{capital(a(self.table.noun))} gets another {self.words(column)}: {_FORMS[form]}."
                    yield self.scene(f"{form}_{self.one}_{column}", form, says, lines)

    def _withheld(self, column: str, new: Wanted) -> list[str]:
        row = self.row([f"{column} IS NOT ?"], ["value"])
        if row is None:
            return []
        wording = worded("withhold", row=row.said, column=self.words(column), value="{value}")
        lines = [*new.lines, *row.lines, *wish(wording, row.marks, start="wanted = ", is_short=False)]
        lines.append(f'story.keep_back("new {self.words(column)}", value)')
        lines += in_short("wanted", wording.short, {**row.marks, "value": "value"})
        return [*lines, *self.update(row.entry, {column: "value"})]

    def _taken_back(self, column: str, new: Wanted) -> list[str]:
        other = self.wanted(column, "other")
        differ = [f"{column} IS NOT ?", f"{column} IS NOT ?", "? <> ?"]
        row = self.row(differ, ["value", "other", "value", "other"])
        if row is None or other is None:
            return []
        first = worded(new.wording, row=row.said, column=self.words(column), value="{value}")
        then = worded("take back", column=self.words(column), value="{value}")
        lines = [*new.lines, *other.lines, *row.lines]
        lines += wish(first, {**row.marks, "value": "value"}, start="wanted = ")
        lines += wish(then, {"value": "other"}, start="instead = ", function="story.changes_mind", first="wanted")
        lines += [f"shown = {row.entry}", *self.mix_ups({column: "other"}, count=1, wish="instead")]
        lines += self.update("shown", {column: "value"}, wish="wanted")
        return [*lines, *self.update("shown", {column: "other"}, wish="instead")]

    def _looked_up(self, column: str, new: Wanted) -> list[str]:
        listing = self.twin.offered.of("find", self.table)
        search = parameter_of(listing, "search", None)
        known = next(
            (
                name
                for name in free_texts(self.table)
                if name not in (*self.labels, column) and ((name,) in self.table.uniques or name in ("phone", "email"))
            ),
            None,
        )
        if listing is None or search is None or known is None or not self.labels:
            return []
        parts = {"noun": self.table.noun, "a noun": a(self.table.noun), "known": self.words(known), "clue": "{clue}"}
        wording = worded("by another", column=self.words(column), value="{value}", **parts)
        conditions = [f"{known} IS NOT NULL", f"{column} IS NOT ?"]
        clue = f'{self.variable}["{known}"]'
        lines = [*new.lines, *pick(self.variable, self.table.name, conditions, ["value"], [f'unique_by=["{known}"]'])]
        lines += wish(wording, {"clue": clue, "value": "value"})
        found = call("found = ", "story.call", [in_code(listing.name), f"{search}={clue}"])
        lines += [*found[:-1], f'{found[-1]}["{safe_name(snake(self.table.nouns))}"]']
        lines += [f"shown = story.find(found, {known}={clue})", *self.mix_ups({column: "value"})]
        return [*lines, *self.update("shown", {column: "value"})]

    def _conditional(self, column: str, new: Wanted) -> list[str]:
        measure = next((name for name in self.measures if name != column), None)
        other, limit = self.wanted(column, "other"), self.wanted(measure, "limit") if measure else None
        differ = [f"{column} IS NOT ?", f"{column} IS NOT ?", "? <> ?"]
        row = self.row(differ, ["value", "other", "value", "other"])
        if row is None or other is None or limit is None or measure is None:
            return []
        measured = row.said.owns(self.words(measure))
        marks = {name: f"{{{name}}}" for name in ("limit", "value", "other")}
        wording = worded("if", measured=measured, column=self.words(column), **marks)
        lines = [*new.lines, *other.lines, *limit.lines, *row.lines]
        lines += wish(wording, {**row.marks, "limit": "limit", "value": "value", "other": "other"})
        lines.append(f"shown = {row.entry}")
        lines.append(f'right, wrong = (value, other) if shown["{measure}"] >= limit else (other, value)')
        lines += ['with story.wrong("takes the other branch"):', *_indented(self.update("shown", {column: "wrong"}))]
        return [*lines, *self.mix_ups({column: "right"}, count=1), *self.update("shown", {column: "right"})]

    def _switches(self) -> Iterator[Scene]:
        operation = self.twin.offered.of("update", self.table)
        for column in self.table.columns:
            reference = reference_of(self.table, column)
            if reference is None or reference.table == self.table.name or not parameter_of(operation, "value", column):
                continue
            parent = self.twin.settled.tables[reference.table]
            other = self.twin.namer.name(parent, variable="other") if self.twin.namer.labels(parent) else None
            row = self.row([f"{column} IS NOT ?"], [f'other["{parent.key[0]}"]'])
            if other is None or row is None or reference.theirs != parent.key:
                continue
            if row.is_latest and f'"{parent.name}"' in row.lines[-1]:
                continue  # "the bike of the latest order for bike X"
            wording = worded("switch", row=row.said, column=self.words(column), value=other.said)
            lines = [*other.lines, *row.lines, *wish(wording, {**row.marks, **other.marks})]
            lines += [f"shown = {other.entry}", *self.update(row.entry, {column: f'shown["{parent.key[0]}"]'})]
            says = f"{capital(a(self.table.noun))} gets another {self.words(column)}."
            yield self.scene(f"switch_{self.one}_{column}", "direct", says, lines)
            return

    def _additions(self) -> Iterator[Scene]:
        create = self.twin.offered.of("create", self.table)
        needed = [] if create is None else [each for each in create.parameters if each.required]
        if create is None or not needed or len(needed) > _MOST_TOLD:
            return
        lines: list[str] = []
        marks: dict[str, str] = {}
        arguments: list[str] = []
        called, owner, told = "", None, list[tuple[str, str | Said]]()
        for each in needed:
            column = each.column or ""
            reference, variable = reference_of(self.table, column), safe_name(column)
            if reference is not None:
                parent = self.twin.settled.tables[reference.table]
                other = self.twin.namer.name(parent, variable=f"its_{snake(parent.noun)}")
                if other is None or reference.theirs != parent.key or not {*other.marks}.isdisjoint(marks):
                    return
                lines += other.lines
                marks |= other.marks
                # What is the latest of something is found last, right before the call.
                arguments.insert(
                    0 if not other.is_latest else len(arguments), f'{each.name}={other.entry}["{parent.key[0]}"]'
                )
                told += [(self.words(column), other.said)] if owner is not None else []
                owner = owner or other.said
                continue
            value = self.wanted(column, variable)
            if value is None:
                return
            lines += value.lines
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
        owned = Said(f" for {owner.words}", f" for {owner.short}") if owner is not None else Said("", "")
        whole = Said(f"{new}{owned.words}{called}", f"{new}{owned.short}{called}")
        details = _details(told)
        wording = worded("add" if told else "add nothing else", new=whole, details=details)
        lines += wish(wording, marks)
        lines += call("", "story.call", [in_code(create.name), *arguments])
        yield self.scene(f"add_{self.one}", "direct", f"{capital(new)} is put on record.", lines)

    def _removals(self) -> Iterator[Scene]:
        delete = self.twin.offered.of("delete", self.table)
        name = self.table.name
        free = []
        for child in self.twin.settled.tables.values():
            for reference in child.references if reference_to(child, name) else ():
                if reference.table == name:
                    pairs = zip(reference.columns, reference.theirs, strict=True)
                    same = " AND ".join(f"own.{mine} = {name}.{theirs}" for mine, theirs in pairs)
                    free.append(f"NOT EXISTS (SELECT 1 FROM {child.name} AS own WHERE {same})")
        row = None if delete is None else self.row(free)
        if row is not None and delete is not None:
            lines = [*row.lines, *wish(worded("remove", row=row.said), row.marks)]
            lines += call("", "story.call", [in_code(delete.name), *self.key(delete, row.entry)])
            yield self.scene(f"remove_{self.one}", "direct", f"{capital(a(self.table.noun))} is deleted.", lines)

    def _questions(self) -> Iterator[Scene]:
        """Two values of a row, or three where these are words that many rows have."""
        get = self.twin.offered.of("get", self.table)
        asked = [name for name in self.table.columns if self._is_asked(name)]
        telling = [name for name in asked if self._is_telling(name)]
        weak = [name for name in asked if name not in telling]
        groups = [[*pair] for pair in zip(telling, [*weak, *telling[::-1]], strict=False) if pair[0] != pair[1]]
        for group in groups[:2] or ([weak[:3]] if len(weak) > 1 else []):
            row = self.row([f"{name} IS NOT NULL" for name in group if not self.table.columns[name].required])
            if get is None or row is None:
                return
            words = [self.words(name) for name in group]
            parts = row.said.owns(listed(words))
            lines = [*row.lines, *wish(worded("ask", parts=parts), row.marks)]
            lines += call("shown = ", "story.call", [in_code(get.name), *self.key(get, row.entry)])
            lines += [self._answer(name, said) for name, said in zip(group, words, strict=True)]
            says = f"Somebody asks about {a(self.table.noun)}."
            yield self.scene(f"ask_{self.one}_{group[0]}", "direct", says, lines)

    def _change_and_ask(self) -> Iterator[Scene]:
        """A question that comes with a change, since its answer alone could be guessed."""
        get = self.twin.offered.of("get", self.table)
        plain = [(column, new) for column, new in self.changeable if new.wording not in ("note", "day", "mark")]
        for column, new in plain[-1:]:
            asked = [name for name in self.table.columns if name != column and self._is_asked(name)][-1:]
            row = self.row([f"{column} IS NOT ?", *(f"{name} IS NOT NULL" for name in asked)], ["value"])
            if get is not None and row is not None and asked:
                words = self.words(asked[0])
                told = {"value": "{value}", "asked": f"{'their' if row.said.is_bare else 'its'} {words}"}
                wording = worded("change and ask", row=row.said, column=self.words(column), **told)
                lines = [*new.lines, *row.lines, *wish(wording, {**row.marks, "value": "value"})]
                lines += [f"found = {row.entry}", *self.update("found", {column: "value"})]
                lines += call("shown = ", "story.call", [in_code(get.name), *self.key(get, "found")])
                says = f"{capital(a(self.table.noun))} gets another {self.words(column)}, and somebody asks about it."
                lines.append(self._answer(asked[0], words))
                yield self.scene(f"change_and_ask_{self.one}", "direct", says, lines)

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


_FORMS: dict[Form, str] = {
    "withheld": "which one they say when they are asked",
    "changed_mind": "they correct themselves",
    "conditional": "which one depends on an amount",
    "looked_up": "they do not know its name",
}


def reference_to(child: SettledTable, table: str) -> bool:
    """Whether a table refers to another one."""
    return any(each.table == table for each in child.references)


def _details(told: Sequence[tuple[str, str | Said]]) -> Said:
    said = [(column, Said(each, each) if isinstance(each, str) else each) for column, each in told]
    words = [f"the {column} is {each.words.removeprefix(f'the {column} ')}" for column, each in said]
    short = [f"the {column} is {each.short.removeprefix(f'the {column} ')}" for column, each in said]
    return Said(listed(words), listed(short))


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _sql(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else str(int(value))


def _verb_of(action: Operation, table: SettledTable) -> str:
    """The verb in an action's name: cancel in cancel_order and orders_cancel; "" if there is more in the name."""
    nouns = {inflection.singularize(each) for each in (*tokens(table.name), *table.noun.split())}
    verbs = [each for each in tokens(action.name) if inflection.singularize(each) not in nouns]
    return verbs[0] if len(verbs) == 1 and verbs[0].isalpha() else ""
