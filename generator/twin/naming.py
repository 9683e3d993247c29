"""How people name a row of a twin, and how an agent finds it: by its label, or as the latest one of something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.twin.invented import NAMES
from generator.twin.operations import safe_name
from generator.twin.phrases import Phrase, in_code, pick
from generator.twin.source import Operation, Role, SettledTable, SourceSchema, Verb
from generator.twin.words import SAYS, column_words, free_texts, is_person, reference_of, snake, tokens
from runtime.wording import a

_FIRST_PAGE = 12  # rows, fewer than a page has, since tasks add rows of like names


@dataclass(frozen=True)
class Named:
    """A row that a request is about: code that picks it, words with marks for it, and code that finds it by tools."""

    variable: str
    lines: tuple[str, ...]
    said: Phrase
    marks: Mapping[str, str] = field(default_factory=dict)
    """The code of the value for each mark."""
    entry: str = ""
    """The row as a tool shows it."""
    is_latest: bool = False
    """Whether it is the latest of several: then it must be found last, right before the call that it is for."""


class Offered:
    """The operations of a twin by what they do, with the names of their parameters."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations

    def of(self, verb: Verb, table: SettledTable) -> Operation | None:
        """The operation of a table that does this and needs nothing but the row, or the values of a new one."""
        found = (each for each in self._operations if (each.verb, each.table) == (verb, table.name))
        return next((each for each in found if verb == "create" or _is_plain(each, table)), None)

    def listing(self, table: SettledTable, column: str) -> Operation | None:
        """The operation that lists the rows of a table that have this column's value, and needs no more than that."""
        for each in self._operations:
            needed = {given.column for given in each.parameters if given.required}
            is_listing = (each.verb, each.table) == ("find", table.name) and needed <= {column}
            if is_listing and parameter_of(each, "equals", column):
                return each
        return None

    def actions(self, table: SettledTable) -> Iterator[Operation]:
        """The operations that lead to a state, and need nothing but the row."""
        for each in self._operations:
            if (each.verb, each.table) == ("set", table.name) and _is_plain(each, table) and each.constants:
                yield each


def parameter_of(operation: Operation | None, role: Role, column: str | None) -> str | None:
    """The name of the parameter of an operation with this role for a column."""
    parameters = operation.parameters if operation is not None else ()
    return next((each.name for each in parameters if (each.role, each.column) == (role, column)), None)


class Namer:
    """Names the rows of each table of a twin, as far as people can."""

    def __init__(self, settled: SourceSchema, offered: Offered) -> None:
        self._settled, self._offered = settled, offered
        self.helpers: dict[str, list[str]] = {}
        """Functions of scenarios.py that find what is named, by name, as they are needed."""

    def name(
        self, table: SettledTable, conditions: Sequence[str] = (), values: Sequence[str] = (), variable: str = ""
    ) -> Named | None:
        """A row of a table that meets these conditions; None if people have no words for one."""
        variable = variable or safe_name(snake(table.noun))
        if len(table.key) != 1:
            return None
        by_label = self._by_label(table, conditions, values, variable)
        return by_label or self._as_latest(table, conditions, values, variable)

    def labels(self, table: SettledTable) -> list[str]:
        """The columns that people say to name a row; empty if there are none that a search finds."""
        if self._search(table) is None:
            return []
        first = next((name for name in table.columns if name in NAMES["given"]), None)
        last = next((name for name in table.columns if name in NAMES["family"]), None)
        if first and last and is_person(table):
            return [first, last]
        return [table.label] if table.label and table.label in free_texts(table) else []

    def children(self, table: SettledTable) -> Iterator[tuple[SettledTable, str]]:
        """The tables whose rows belong to a row of this one and can be listed, with the column that refers to it."""
        for child in self._settled.tables.values():
            for reference in child.references if child is not table else ():
                column, is_whole = reference.columns[0], len(reference.columns) == 1 and reference.theirs == table.key
                if reference.table == table.name and is_whole and self._offered.listing(child, column):
                    yield child, column

    def listed(self, start: str, child: SettledTable, column: str, key: str) -> list[str]:
        """The code for the list of rows that belong to the row with this key."""
        listing = self._offered.listing(child, column)
        assert listing is not None
        parameter = parameter_of(listing, "equals", column)
        return [f'{start}story.call({in_code(listing.name)}, {parameter}={key})["{safe_name(snake(child.nouns))}"]']

    def only(self, table: SettledTable, column: str) -> list[str]:
        """The conditions that the row a column refers to is named like no other, and is found by its name."""
        labels = self.labels(table)
        first = self._on_first_page(table)
        shown = [f"{column} IN (SELECT {table.key[0]} FROM {table.name} WHERE {each})" for each in first]
        if any({*unique} <= {*labels} for unique in table.uniques):
            return shown
        grouped = f"SELECT min({table.key[0]}) FROM {table.name} GROUP BY {', '.join(labels)} HAVING count(*) = 1"
        return [*shown, f"{column} IN ({grouped})"]

    def another(self, table: SettledTable, right: str, number: int = 0) -> str | None:
        """The code for another row than the right one, as an agent takes it that mixes them up."""
        listing, one = self._offered.of("find", table), snake(table.noun)
        if listing is None or len(table.key) != 1:
            return None
        key, rows = table.key[0], safe_name(snake(table.nouns))
        self.helpers[f"another_{one}"] = [
            f"def another_{one}(story, right, number=0):",
            f'    """Another {table.noun} than the right one, for an agent that mixes them up."""',
            f'    found = story.call("{listing.name}")["{rows}"]',
            f'    return [each for each in found if each["{key}"] != right["{key}"]][number]',
        ]
        return f"another_{one}(story, {right}{f', {number}' if number else ''})"

    def _by_label(
        self, table: SettledTable, conditions: Sequence[str], values: Sequence[str], variable: str
    ) -> Named | None:
        labels = self.labels(table)
        if not labels:
            return None
        unique = ", ".join(f'"{name}"' for name in labels)
        marks = {(variable if len(labels) == 1 else f"{variable}_{name}"): f'{variable}["{name}"]' for name in labels}
        return Named(
            variable,
            (
                pick(
                    variable, table.name, [*conditions, *self._on_first_page(table)], values, [f"unique_by=[{unique}]"]
                ),
            ),
            self._said(table, labels, " ".join(f"{{{mark}}}" for mark in marks)),
            marks,
            f"{self._finder(table, labels)}(story, {variable})",
        )

    def _said(self, table: SettledTable, labels: Sequence[str], said: str) -> Phrase:
        parts = {*tokens(labels[0])}
        is_name = not SAYS["named"].isdisjoint(parts) and "user" not in parts
        if is_person(table) and (len(labels) > 1 or is_name):
            return Phrase(said, said, is_bare=True)
        words = f"the {table.noun} {said}" if is_name else f"{table.noun} {said}"
        if not is_name and parts.isdisjoint(SAYS["coded"]):
            words = f"the {table.noun} with the {column_words(table, labels[0], self._settled.tables)} {said}"
        return Phrase(words, words)

    def _finder(self, table: SettledTable, labels: Sequence[str]) -> str:
        search = self._search(table)
        assert search is not None
        operation, parameter = search
        asked = [f'{parameter}={safe_name(snake(table.noun))}["{labels[-1]}"]'] if parameter else []
        one, rows = safe_name(snake(table.noun)), safe_name(snake(table.nouns))
        wanted = ", ".join(f'{name}={one}["{name}"]' for name in labels)
        said = " and ".join(column_words(table, name, self._settled.tables) for name in labels)
        self.helpers[f"the_{one}"] = [
            f"def the_{one}(story, {one}):",
            f'    """The {table.noun} with this {said}, as the tools show it."""',
            f'    found = story.call({", ".join([in_code(operation.name), *asked])})["{rows}"]',
            f"    return story.find(found, {wanted})",
        ]
        return f"the_{one}"

    def _on_first_page(self, table: SettledTable) -> list[str]:
        """The condition that a row is among the first of a list that cannot be searched; none where it can."""
        search = self._search(table)
        if search is None or search[1]:
            return []
        column = table.label or table.key[0]
        before = f"SELECT count(*) FROM {table.name} AS own WHERE own.{column} < {table.name}.{column}"
        return [f"({before}) < {_FIRST_PAGE}"]

    def _search(self, table: SettledTable) -> tuple[Operation, str] | None:
        """The operation that finds a row by its label, and the parameter for it; empty if it can only be listed."""
        listing = self._offered.of("find", table)
        if listing is None:
            return None
        last = next((name for name in table.columns if name in NAMES["family"]), None)
        label = last if last and is_person(table) else table.label
        tried: tuple[tuple[Role, str | None], ...] = (("search", None), ("search", label), ("equals", label))
        for role, column in tried:
            parameter = parameter_of(listing, role, column)
            if parameter is not None and (column or label in free_texts(table)):
                return listing, parameter
        return (listing, "") if label in free_texts(table) else None

    def _as_latest(
        self, table: SettledTable, conditions: Sequence[str], values: Sequence[str], variable: str
    ) -> Named | None:
        """The latest row of another one, such as the latest order of a customer."""
        dates = [name for name, each in table.columns.items() if each.kind in ("date", "timestamp") and each.required]
        if not dates:
            return None
        for parent, column in self._parents(table):
            owner = self.name(parent) if self.labels(parent) else None
            if owner is None or owner.variable == variable or self._offered.listing(table, column) is None:
                continue
            one = safe_name(snake(table.noun))
            self.helpers[f"latest_{one}"] = [
                f"def latest_{one}(story, {owner.variable}):",
                f'    """The latest {table.noun} of {a(parent.noun)}, as the tools show it."""',
                *self.listed("    found = ", table, column, f'{owner.entry}["{parent.key[0]}"]'),
                f'    return story.highest(found, "{dates[0]}")',
            ]
            of_all = [f'latest_of="{dates[0]}"', f'among=["{column}"]']
            latest = f"latest {table.noun}"
            short = f"the {latest} for {owner.said.short}"
            return Named(
                variable,
                (
                    pick(variable, table.name, [*conditions, *self.only(parent, column)], values, of_all),
                    f'{owner.variable} = story.row("{parent.name}", {variable}["{column}"])',
                ),
                Phrase(f"{owner.said.words}'s {latest}" if owner.said.is_bare else short, short),
                owner.marks,
                f"latest_{one}(story, {owner.variable})",
                is_latest=True,
            )
        return None

    def _parents(self, table: SettledTable) -> list[tuple[SettledTable, str]]:
        """The tables that a row refers to by one column that must be there, people first."""
        found = [
            (self._settled.tables[reference.table], name)
            for name, column in table.columns.items()
            if (reference := reference_of(table, name)) is not None and reference.table != table.name
            if column.required and reference.theirs == self._settled.tables[reference.table].key
        ]
        return sorted(found, key=lambda each: not is_person(each[0]))


def _is_plain(operation: Operation, table: SettledTable) -> bool:
    """Whether a call needs nothing but what names the row."""
    needed = {each.column for each in operation.parameters if each.required}
    naming = {each.column for each in operation.parameters if each.role == "key"}
    return needed == naming and {*table.key} <= naming if operation.verb not in ("find", "create") else not needed
