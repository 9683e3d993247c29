"""The scenarios about rows of a twin that belong to another one: the orders of a customer, the lines of an order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.twin.code import call, in_code, in_short, pick, wish
from generator.twin.naming import Named, parameter_of
from generator.twin.phrases import worded
from generator.twin.settled import SettledTable
from generator.twin.templates import Scene, TableTemplates, TwinAtHand
from generator.twin.words import money_minor, snake
from runtime.wording import a

FEW, MANY = 3, 8  # rows that a request is about


class ChildTemplates(TableTemplates):
    """The best one, all but one, one of several, their count and total, and whose one of them is."""

    def __init__(self, twin: TwinAtHand, table: SettledTable, parent: SettledTable, link: str, owner: Named) -> None:
        super().__init__(twin, table)
        self._parent, self._link, self._owner = parent, link, owner

    def scenes(self) -> Iterator[Scene]:
        if self._owner.variable == self.variable:
            return
        templates = (
            ("best_of", self._best, "the one with the most of something gets another value"),
            ("computed", self._total, "how many there are, and what they add up to"),
            ("ambiguous", self._one_of, "one of them gets another value, and which one is said when asked"),
            ("all_but", self._all_but, "all of them but one get another value"),
            ("looked_up", self._whose, "whose it is gets another value"),
        )
        for form, make, what in templates:
            if lines := make():
                says = f"Of the {self.table.nouns} of {a(self._parent.noun)}, {what}."
                name = f"{form}_{self.one}_of_{snake(self._parent.noun)}"
                yield self.scene(name, form, says, lines)

    def _pick(self, conditions: Sequence[str], values: Sequence[str] = (), only: Sequence[str] = ()) -> list[str]:
        """Code that picks one of the rows, and the one that it belongs to."""
        conditions = [*conditions, *self.twin.namer.only(self._parent, self._link)]
        own = f'{self._owner.variable} = story.row("{self._parent.name}", {self.variable}["{self._link}"])'
        return [*pick(self.variable, self.table.name, conditions, values, only), own]

    def _siblings(self, least: int, more: str = "") -> str:
        name = self.table.name
        count = f"(SELECT count(*) FROM {name} AS own WHERE own.{self._link} = {name}.{self._link}{more})"
        return f"{count} = 1" if more else f"{count} BETWEEN {least} AND {MANY}"

    def _listed(self) -> list[str]:
        key = f'{self._owner.entry}["{self._parent.key[0]}"]'
        return self.twin.namer.listed("found = ", self.table, self._link, key)

    def _told(self, name: str, column: str, **parts: str) -> Mapping[str, str]:
        return {"nouns": self.table.nouns, "column": self.words(column), "value": "{value}", **parts}

    def _best(self) -> list[str]:
        free = [each for each in self.free() if each[0] not in self.measures[:1]]
        if not self.measures or not free:
            return []
        measure, (column, new) = self.measures[0], free[0]
        said = f"the {self.table.noun} for {self._owner.said.words} with the highest {self.words(measure)}"
        conditions = [f"{column} IS NOT ?", self._siblings(2)]
        conditions.append(self._siblings(1, f" AND own.{measure} >= {self.table.name}.{measure}"))
        lines = [*new.lines, *self._pick(conditions, ["value"])]
        wording = worded("best", best=said, column=self.words(column), value="{value}")
        lines += [*wish(wording, {**self._owner.marks, "value": "value"}), *self._listed()]
        least, best = (f'story.{which}(found, "{measure}")' for which in ("lowest", "highest"))
        lines += ['with story.wrong("takes the other end of the list"):']
        lines += [f"    {line}" for line in self.update(least, {column: "value"})]
        lines += self.mix_ups({column: "value"}, best, count=1)
        return [*lines, *self.update(best, {column: "value"})]

    def _total(self) -> list[str]:
        if not self.measures:
            return []
        measure = self.measures[0]
        words = self.summed(measure)
        wording = worded("count", nouns=self.table.nouns, row=self._owner.said, column=words)
        lines = [*self._pick([self._siblings(2)]), *wish(wording, self._owner.marks), *self._listed()]
        lines.append(f'story.answer("{self.table.noun} count", story.count(found))')
        minor, total = money_minor(self.table.columns[measure]), f'story.total(found, "{measure}")'
        total = total if minor is None else f"story.money({total}, minor={minor})"
        return [*lines, f'story.answer("total {words}", {total})']

    def _one_of(self) -> list[str]:
        free = [each for each in self.free() if each[0] not in self.labels]
        if len(self.labels) != 1 or not free:
            return []
        (column, new), label = free[-1], self.labels[0]
        key = f'{self.variable}["{label}"]'
        wording = worded("one of", row=self._owner.said, item="{item}", **self._told("one of", column))
        marks = {**self._owner.marks, "value": "value"}
        conditions = [f"{column} IS NOT ?", self._siblings(2)]
        lines = [*new.lines, *self._pick(conditions, ["value"], [f'unique_by=["{label}"]'])]
        lines += wish(wording, marks, start="wanted = ", is_short=False)
        lines.append(f'story.keep_back("{self.words(label)}", {key})')
        lines += in_short("wanted", wording.short, {**marks, "item": key})
        lines += [*self._listed(), f"shown = story.find(found, {label}={key})"]
        return [*lines, *self.mix_ups({column: "value"}), *self.update("shown", {column: "value"})]

    def _all_but(self) -> list[str]:
        free = [each for each in self.free() if each[0] not in self.labels]
        if len(self.labels) != 1 or not free or len(self.table.key) != 1:
            return []
        (column, new), label, name = free[0], self.labels[0], self.table.name
        key = f'{self.variable}["{label}"]'
        same = f"own.{self._link} = {name}.{self._link} AND own.{column} IS ?"
        conditions = [f"NOT EXISTS (SELECT 1 FROM {name} AS own WHERE {same})", self._siblings(FEW)]
        wording = worded("all but", row=self._owner.said, item="{item}", **self._told("all but", column))
        lines = [*new.lines, *self._pick(conditions, ["value"], [f'unique_by=["{label}"]'])]
        lines += [*wish(wording, {**self._owner.marks, "value": "value", "item": key}), *self._listed()]
        each = [f"    {line}" for line in self.update("each", {column: "value"})]
        lines += [
            'with story.wrong("forgets the exception"):',
            "    for each in found:",
            *(f"    {line}" for line in each),
        ]
        return [*lines, f"for each in story.all_but(found, {label}={key}):", *each]

    def _whose(self) -> list[str]:
        """The row of the other table is named by one that belongs to it."""
        other = TableTemplates(self.twin, self._parent)
        free = [each for each in other.free() if each[0] not in other.labels]
        if not free or not self.labels or not self.table.columns[self._link].required:
            return []
        column, new = free[-1]
        key = self._parent.key[0]
        row = self.row([f"{self._link} IN (SELECT {key} FROM {self._parent.name} WHERE {column} IS NOT ?)"], ["value"])
        update = self.twin.offered.of("update", self._parent)
        if row is None or update is None:
            return []
        words = {"link": self.words(self._link), "column": other.words(column), "value": "{value}"}
        lines = [*new.lines, *row.lines]
        lines += wish(worded("by what is theirs", row=row.said, **words), {**row.marks, "value": "value"})
        lines.append(f"shown = {row.entry}")
        right = f'{{"{key}": shown["{self._link}"]}}'
        lines += other.mix_ups({column: "value"}, right)
        arguments = [f'{parameter_of(update, "key", key)}=shown["{self._link}"]']
        arguments.append(f"{parameter_of(update, 'value', column)}=value")
        return [*lines, *call("", "story.call", [in_code(update.name), *arguments])]
