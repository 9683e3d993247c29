"""Decide what people ask of a twin: scenarios by templates, wherever one sounds like something a person would say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from generator.build.draft import Draft
from generator.twin.code import call, in_code, in_short, pick, wish
from generator.twin.naming import Named, Namer, Offered, parameter_of
from generator.twin.phrases import worded
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation
from generator.twin.templates import Rows, RowTemplates, Scene, TableTemplates, TwinAtHand
from generator.twin.words import money_minor, snake
from runtime.task.user import Form
from runtime.wording import a

_MOST = 80  # scenarios of a twin


class ScenarioBook:
    """The scenarios of a twin; those that turn out faulty are left out of the text by name."""

    def __init__(self, settled: Settled, operations: Sequence[Operation], rows: Rows) -> None:
        """`rows` are those of a world, whose values people mention."""
        offered = Offered(operations)
        self._namer = Namer(settled, offered)
        twin = TwinAtHand(settled, offered, self._namer, rows)
        by_table = [list(_scenes_of(twin, table)) for table in settled.tables.values()]
        longest = max(map(len, by_table), default=0)
        in_turn = [own[rank] for rank in range(longest) for own in by_table if rank < len(own)]
        kept = {id(scene) for scene in in_turn[:_MOST]}
        self._scenes: dict[str, Scene] = {}
        for scene in (scene for own in by_table for scene in own if id(scene) in kept):
            self._scenes.setdefault(scene.name, scene)

    def added_to(self, draft: Draft, without: Collection[str] = ()) -> Draft:
        """Return a draft with these scenarios, but for some, and with the functions that they call."""
        scenes = [scene for name, scene in self._scenes.items() if name not in without]
        used = [line for scene in scenes for line in scene.lines]
        helpers: list[str] = []
        for name, lines in reversed(self._namer.helpers.items()):  # one is used by those that were added after it
            if any(f"{name}(" in line for line in used):
                helpers.insert(0, "\n".join(lines))
                used += lines[1:]
        return replace(draft, scenarios=tuple(scene.design for scene in scenes), scenario_helpers=tuple(helpers))


def _scenes_of(twin: TwinAtHand, table: SettledTable) -> Iterator[Scene]:
    """The scenarios about a table, those first that people would ask for most."""
    links = LinkTemplates.of(twin, table)
    if links is not None:
        yield from links.scenes()
        return
    own = list(RowTemplates(twin, table).scenes())
    yield from own[:2]
    owner = twin.namer.name(table) if twin.namer.labels(table) else None
    for child, link in twin.namer.children(table) if owner is not None else ():
        assert owner is not None
        yield from ChildTemplates(twin, child, table, link, owner).scenes()
    yield from own[2:]


_MOST_COLUMNS = 5  # of a link: two references and little else


class LinkTemplates(TableTemplates):
    """What is put on, taken off, counted and changed of one row, the holder, by another, the item."""

    def __init__(
        self, twin: TwinAtHand, table: SettledTable, holder: tuple[SettledTable, str], item: tuple[SettledTable, str]
    ) -> None:
        super().__init__(twin, table)
        (self._outer, self._outer_column), (self._inner, self._inner_column) = holder, item

    @classmethod
    def of(cls, twin: TwinAtHand, table: SettledTable) -> LinkTemplates | None:
        """The templates of a table that links two others, one of which people can name; None of any other table."""
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

    def scenes(self) -> Iterator[Scene]:
        holder, linked = self._holder(), self._holder(1)
        absent, item = self._item("NOT IN"), self._item("IN")
        if None in (holder, linked, absent, item):
            return
        assert holder is not None
        assert linked is not None
        assert absent is not None
        assert item is not None
        if not {*item.marks}.isdisjoint(holder.marks):
            return
        create, delete, update = (self.twin.offered.of(verb, self.table) for verb in ("create", "delete", "update"))
        marks = {**holder.marks, **item.marks}
        # What is the latest of something is found last, right before the call.
        both = sorted((item, holder), key=lambda each: each.is_latest)
        keys = {self._column_of(each, holder): f'{each.entry}["{self._key_of(each, holder)}"]' for each in both}
        amount = next(
            (
                (name, new)
                for name, column in self.table.columns.items()
                if column.kind in ("integer", "real") and name not in self.table.key
                if (new := self.wanted(name, "value")) is not None
            ),
            None,
        )
        needed = {each.column for each in create.parameters if each.required} if create is not None else set()
        if create is not None and needed == {*self.table.key}:
            lines = [*holder.lines, *absent.lines, *wish(worded("put", item=item.said, row=holder.said), marks)]
            yield self.scene(f"put_{self.one}", "direct", self._says("put on"), [*lines, *_link(create, keys)])
        if create is not None and amount is not None and parameter_of(create, "value", amount[0]):
            column, new = amount
            wording = worded("put some", item=item.said, row=holder.said, column=self.words(column), value="{value}")
            lines = [*new.lines, *holder.lines, *absent.lines, *wish(wording, {**marks, "value": "value"})]
            lines += _link(create, {column: "value", **keys})
            if needed <= {*self.table.key, column}:
                yield self.scene(f"put_{self.one}_{column}", "direct", self._says("put on"), lines)
        if delete is not None:
            lines = [*linked.lines, *item.lines, *wish(worded("take", item=item.said, row=holder.said), marks)]
            yield self.scene(f"take_{self.one}", "direct", self._says("taken off"), [*lines, *_link(delete, keys)])
            yield from self._all_but(delete, holder, item, marks)
        if update is not None and amount is not None and parameter_of(update, "value", amount[0]):
            column, new = amount
            other = self._item("IN", f" AND {column} IS NOT ?", ["value"])
            if other is not None:
                wording = worded(
                    "regulate", item=item.said, row=holder.said, column=self.words(column), value="{value}"
                )
                lines = [*new.lines, *linked.lines, *other.lines, *wish(wording, {**marks, "value": "value"})]
                lines += _link(update, {column: "value", **keys})
                yield self.scene(f"change_{self.one}_{column}", "direct", self._says("changed on"), lines)
        if delete is not None and amount is not None:
            yield from self._total(delete, amount[0], item, keys)

    def _all_but(self, delete: Operation, holder: Named, item: Named, marks: Mapping[str, str]) -> Iterator[Scene]:
        many = self._holder(FEW)
        if many is None or not self._is_listed:
            return
        lines = [*many.lines, *item.lines, *wish(worded("take all but", item=item.said, row=holder.said), marks)]
        lines += [f"kept = {item.entry}", *self._listed(holder)]
        each = [f"    {line}" for line in _link(delete, {name: f'each["{name}"]' for name in self.table.key})]
        lines += [
            'with story.wrong("forgets the exception"):',
            "    for each in found:",
            *(f"    {line}" for line in each),
        ]
        kept = f'{self._inner_column}=kept["{self._inner.key[0]}"]'
        lines += [f"for each in story.all_but(found, {kept}):", *each]
        yield self.scene(f"take_all_but_one_{self.one}", "all_but", self._says("taken off, all but one,"), lines)

    def _total(self, delete: Operation, column: str, item: Named, keys: Mapping[str, str]) -> Iterator[Scene]:
        many = self._holder(FEW)
        if many is not None and self._is_listed:
            words = self.summed(column)
            wording = worded("take and count", nouns=self.table.nouns, row=many.said, item=item.said, column=words)
            lines = [*many.lines, *item.lines, *wish(wording, {**many.marks, **item.marks})]
            lines += [*_link(delete, keys), *self._listed(many)]
            lines.append(f'story.answer("{self.table.noun} count", story.count(found))')
            lines.append(f'story.answer("total {words}", story.total(found, "{column}"))')
            yield self.scene(f"take_and_count_{self.one}", "computed", self._says("taken off"), lines)

    def _holder(self, least: int = 0) -> Named | None:
        """The row that holds others, with so many of them at least."""
        same = f"own.{self._outer_column} = {self._outer.name}.{self._outer.key[0]}"
        count = f"(SELECT count(*) FROM {self.table.name} AS own WHERE {same}) BETWEEN {least} AND {MANY}"
        return self.twin.namer.name(self._outer, [count] if least else [])

    def _item(self, which: str, more: str = "", values: Sequence[str] = ()) -> Named | None:
        """What the holder that was picked has, or has not."""
        holder = self._holder()
        if holder is None or len(self._inner.key) != 1:
            return None
        theirs = f"SELECT {self._inner_column} FROM {self.table.name} WHERE {self._outer_column} = ?{more}"
        of_holder = f'{holder.variable}["{self._outer.key[0]}"]'
        return self.twin.namer.name(self._inner, [f"{self._inner.key[0]} {which} ({theirs})"], [of_holder, *values])

    @property
    def _is_listed(self) -> bool:
        return bool(parameter_of(self.twin.offered.of("find", self.table), "equals", self._outer_column))

    def _listed(self, holder: Named) -> list[str]:
        key = f'{holder.entry}["{self._outer.key[0]}"]'
        return self.twin.namer.listed("found = ", self.table, self._outer_column, key)

    def _column_of(self, each: Named, holder: Named) -> str:
        return self._outer_column if each is holder else self._inner_column

    def _key_of(self, each: Named, holder: Named) -> str:
        return (self._outer if each is holder else self._inner).key[0]

    def _says(self, done: str) -> str:
        return f"A {self._inner.noun} is {done} a {self._outer.noun}."


def _link(operation: Operation, values: Mapping[str, str]) -> list[str]:
    names = {each.column: each.name for each in operation.parameters if each.role in ("key", "value")}
    arguments = [f"{names[name]}={value}" for name, value in values.items()]
    return call("", "story.call", [in_code(operation.name), *arguments])


FEW, MANY = 3, 8  # rows that a request is about


class ChildTemplates(TableTemplates):
    """The best one, all but one, one of several, their count and total, and whose one of them is."""

    def __init__(self, twin: TwinAtHand, table: SettledTable, parent: SettledTable, link: str, owner: Named) -> None:
        super().__init__(twin, table)
        self._parent, self._link, self._owner = parent, link, owner

    def scenes(self) -> Iterator[Scene]:
        if self._owner.variable == self.variable:
            return
        templates: tuple[tuple[Form, Callable[[], list[str]], str], ...] = (
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
