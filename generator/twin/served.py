"""What an API or an MCP server offers, in one form, and the tables and operations that follow from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import inflection

from generator.twin.account import Part
from generator.twin.document import BadReference, DocumentNode, as_written
from generator.twin.meanings import CLOCK, EVERYTHING, FLAGS, NATURAL, PAGING, OpenOperation, role_of, state_of
from generator.twin.operations import fitting_name, refusal
from generator.twin.shapes import (
    Shape,
    folded,
    is_scalar,
    known_type,
    noun_of,
    only,
    properties_of,
    required_of,
    type_of,
    words_of,
)
from generator.twin.source import (
    Operation,
    OperationParameter,
    Reference,
    Role,
    SourceColumn,
    SourceTable,
    TwinSource,
    Verb,
)
from runtime.errors import UsageError

LONGEST_NAME = 60  # of a tool or parameter; clients take 64, and Python may need a sign more
ENDLESS = "its schemas contain themselves without end"
_LONGEST_WORDS = 400
_DEEPEST = 3  # levels of envelopes around rows
_KEYLIKE = {"id", "uuid", "guid", "sid", "gid", "key", "identifier"}
_OF_CALLS = {"request", "trace", "correlation"}  # whose ids stand in envelopes
_KINDS = {"string": ("text", "date", "timestamp", "time"), "integer": ("integer",), "boolean": ("boolean",)}
_KINDS |= {"number": ("real", "integer"), "object": ("json",)}

Path = tuple[str, ...]
"""What an operation is about: the segments of a path with every parameter as "{}", or the noun of a tool's name."""


@dataclass(frozen=True)
class Taken:
    """A parameter beside the body: it names the row, or one to which the row belongs, or says which rows are meant."""

    name: str
    place: Literal["row", "parent", "query"]
    schema: DocumentNode | None = None
    required: bool = True
    description: str = ""
    collection: Path = ()
    """Of a parent: where its rows are."""


@dataclass
class ServedOperation:
    """An operation of an API or a tool of a server."""

    said: str
    name: str
    description: str = ""
    verb: Verb | None = None
    resource: Path = ()
    action: str = ""
    """The state or column to which a `set` leads: "cancel"."""
    takes: list[Taken] = field(default_factory=list)
    body: DocumentNode | None = None
    """The schema of an object with the values that are written."""
    is_partial: bool = False
    """Whether nothing in the body must be given, as in a PATCH."""
    is_undone: bool = False
    """Whether a `set` takes its state back, as a DELETE of what POST turns on."""
    gives: DocumentNode | None = None
    """The schema of a row that it shows, lists or makes."""
    examples: list[Any] = field(default_factory=list)
    why: str = ""
    """Why it stays open whatever its tables are."""


def take_served(
    served: Sequence[ServedOperation], source: TwinSource, said: str, *, by_name: bool, needs: float
) -> None:
    """Fill a source with the tables and operations of what is served.

    `by_name` makes tables of nouns where no schema of a row is given. Errors: UsageError if less than the share `needs`
    of the operations can be tools, with the commonest reasons.
    """
    source.is_interface = True
    resources = Resources(served, source, by_name=by_name)
    for each in served:
        source.account.keep("operation", each.said)
        try:
            reading = _Reading(each, resources)
            source.operations.append(reading.operation())
        except (OpenOperation, BadReference, RecursionError) as reason:
            is_endless = isinstance(reason, RecursionError)
            source.opened[each.said] = ENDLESS if is_endless else str(reason).rstrip(".")
        else:
            for fate, name, why in reading.notes:
                fate("parameter", f"{each.said}: {name}", why)
    _open_unseen(resources, source)
    for each_said, why in source.opened.items():
        source.account.lose("operation", each_said, f"Operations that are not tools: {why.partition(' (')[0]}")
    if len(source.operations) < needs * len(served) or (needs and not source.operations):
        raise UsageError(refusal(said, len(served), source.opened))
    _name_apart(source)
    _drop_unused(source, is_needed=bool(needs))


def _open_unseen(resources: Resources, source: TwinSource) -> None:
    """Leave open what only makes rows that no other tool shows, changes or refers to."""
    for resource in resources.all:
        name = resource.table.name
        own = [each for each in source.operations if each.table == name]
        referred = any(key.table == name for each in resources.all for key in each.table.references)
        if resource.row is None and not referred and all(each.verb == "create" for each in own):
            for each in own:
                source.operations.remove(each)
                source.opened[each.said] = f"no other tool shows or changes what it makes ({name})"


def _name_apart(source: TwinSource) -> None:
    """Give operations and parameters names that Python and clients take, none twice."""
    names: set[str] = set()
    for at, operation in enumerate(source.operations):
        plain = "_".join(words_of(re.sub(r"\W+", "_", operation.name).strip("_")))
        name, why = fitting_name(plain, names, LONGEST_NAME)
        names.add(name)
        if why:
            source.account.change("operation", operation.said, f"Operations that are called differently: {why}")
        parameters: list[OperationParameter] = []
        for parameter in operation.parameters:
            new, why = fitting_name(parameter.name, {each.name for each in parameters}, LONGEST_NAME)
            if why:
                where = f"{operation.said}: {parameter.name} is {new}"
                source.account.change("parameter", where, f"Parameters that are called differently: {why}")
            parameters.append(replace(parameter, name=new))
        source.operations[at] = replace(operation, name=name, parameters=tuple(parameters))


def _drop_unused(source: TwinSource, *, is_needed: bool) -> None:
    """Drop the tables that no tool is about, unless rows of others refer to them."""
    used = {each.table for each in source.operations} if is_needed else {*source.tables}
    pending = [*used]
    while pending:
        for reference in source.tables[pending.pop()].references:
            if reference.table not in used:
                used.add(reference.table)
                pending.append(reference.table)
    for name, table in source.tables.items():
        if name in used:
            source.account.keep("table", name)
            for key in table.references:
                source.account.keep("reference", f"{name} ({', '.join(key.columns)}) -> {key.table}")
            continue
        source.account.lose("table", name, "Tables that no tool is about")
        for fact in [*source.account.facts.values()]:
            if fact.part not in ("operation", "parameter", "table") and fact.where.startswith(f"{name}."):
                del source.account.facts[fact.part, fact.where]
    source.tables = {name: table for name, table in source.tables.items() if name in used}


class Resources:
    """The tables of what is served, found by path or noun, or by the schema of their rows."""

    def __init__(self, served: Sequence[ServedOperation], source: TwinSource, *, by_name: bool) -> None:
        self.served, self.source, self.by_name = served, source, by_name
        self.by_path: dict[Path, Shape] = {}
        self._by_identity: dict[str, Shape] = {}
        for verb in ("get", "find", "create"):
            for each in served:
                if each.verb == verb and each.gives is not None and not each.why:
                    self._find(each, each.gives)
        for each in served if by_name else ():
            is_evidence = each.verb == "create" or any(taken.place == "row" for taken in each.takes)
            if each.resource and is_evidence and not each.why and each.resource not in self.by_path:
                self.by_path[each.resource] = self._new(each.resource[-1], None)
        self.all = list({id(each): each for each in self.by_path.values()}.values())
        for resource in self.all:
            self._set_key(resource)
        for resource in self.all:
            self._set_columns(resource)
        tables = {each.table.name: each.table for each in self.all}
        for resource in self.all:
            self._set_defaults(resource)
            resource.refer_by_name(tables)
        source.tables = tables
        self._add_rows()

    def of(self, schema: DocumentNode | None) -> Shape | None:
        """The table whose rows a schema describes."""
        return None if schema is None else self._by_identity.get(only(schema).address)

    def about(self, resource: Shape, *verbs: Verb) -> Iterator[ServedOperation]:
        """The operations on the rows of a table."""
        for each in self.served:
            if self.by_path.get(each.resource) is resource and not each.why and (each.verb in verbs or not verbs):
                yield each

    def body_of(self, operation: ServedOperation, resource: Shape) -> DocumentNode | None:
        """The schema of what is written, without an envelope, unless what is wrapped is a part of the row."""
        body = operation.body
        if body is None or any(resource.places.get(folded(each)) for each in properties_of(body)):
            return body
        return unwrapped(body)

    def _new(self, name: str, row: DocumentNode | None) -> Shape:
        table = SourceTable(name, {}, comment=row.text("description") if row is not None else "")
        return Shape(table, self.source.account, row)

    def _find(self, operation: ServedOperation, gives: DocumentNode) -> None:
        path, row = operation.resource, only(gives)
        known = self.by_path.get(path) or self._by_identity.get(row.address or "none") or self._alike(path, row)
        noun = noun_of(path[-1])
        if operation.verb == "create" and not self.by_name and path not in self.by_path:
            has_rows = any(each.resource == path and each is not operation and not each.why for each in self.served)
            if not (has_rows and names_key(row) or known is not None and known.table.name == noun):
                return  # a POST whose answer has a row may do anything: log in, search
        if known is None:
            named = noun_of(row.name) if row.address and not self.by_name else noun
            names = [noun] if {*words_of(noun)} <= {*words_of(named)} else []  # "user" of /users, not "user_public"
            known = self._new(self._free_name([*names, named], path), row)
        self.by_path.setdefault(path, known)
        if row.address:
            known.identities.add(row.address)
            self._by_identity.setdefault(row.address, known)

    def _alike(self, path: Path, row: DocumentNode) -> Shape | None:
        """The table of /articles for the rows of /articles/feed, if they hold the same."""
        above = self.by_path.get(path[:-1])
        if above is None or above.row is None or path[-1] == "{}":
            return None
        own, theirs = {*properties_of(row)}, {*properties_of(above.row)}
        return above if len(own & theirs) * 4 >= len(own | theirs) * 3 else None

    def _free_name(self, names: Sequence[str], path: Path) -> str:
        taken = {each.table.name for each in self.by_path.values()}
        longer = "_".join(noun_of(each) for each in path if each != "{}")
        names = [*names, longer, *(f"{names[0]}_{number}" for number in range(2, len(taken) + 3))]
        return next(each for each in names if each not in taken)

    def _set_key(self, resource: Shape) -> None:
        """Choose the key first, since other tables' columns refer to it."""
        noun = resource.table.name
        given = {taken.name: taken for each in self.about(resource) for taken in each.takes if taken.place == "row"}
        properties = properties_of(resource.row) if resource.row is not None else {}
        by_fold = {folded(name): name for name in properties}
        wanted = ["id", folded(noun) + "id", *map(folded, given), *(words_of(each)[-1] for each in given)]
        wanted += [*NATURAL, *(folded(noun) + each for each in NATURAL)]
        for each in wanted:
            if each in by_fold and known_type(properties[by_fold[each]]) in ("string", "integer"):
                resource.add(by_fold[each], properties[by_fold[each]], True)
                resource.table.key = (by_fold[each],)
                break
        if resource.table.key or not self.by_name:
            return
        for name, taken in given.items():
            if taken.schema is not None and type_of(taken.schema) in ("string", "integer"):
                resource.add(name, taken.schema, True)
                resource.table.key = (name,)
                return
        resource.put(f"{noun}_id", SourceColumn(f"{noun}_id", "integer", True))
        resource.table.key = (f"{noun}_id",)
        self.source.account.change("column", f"{noun}.{noun}_id", "Keys that no tool of the source shows")

    def _set_columns(self, resource: Shape) -> None:
        def table_of(schema: DocumentNode) -> SourceTable | None:
            found = self.of(schema)
            return found.table if found is not None and found.table.key else None

        key = resource.table.key
        if resource.row is not None:
            properties = {name: node for name, node in properties_of(resource.row).items() if name not in key}
            resource.add_all(properties, required_of(resource.row), table_of)
            return
        for each in self.about(resource, "create", "update", "find"):
            properties = properties_of(each.body) if each.body is not None else {}
            if each.verb == "find":
                properties = {taken.name: taken.schema for taken in each.takes if taken.schema is not None}
            fresh, required = {}, set()
            for name, node in properties.items():
                if folded(name) in ("id", folded(resource.table.name) + "id", *map(folded, key)):
                    resource.places.setdefault(folded(name), [*key])
                elif folded(name) not in {*resource.places} | PAGING | FLAGS and (
                    each.verb != "find" or _is_state(node)
                ):
                    fresh[name] = node
                    is_told = each.verb == "create" and each.body is not None and name in required_of(each.body)
                    required |= {name} if is_told or (each.verb != "create" and _is_state(node)) else set()
            resource.add_all(fresh, required, table_of)
        for column in resource.table.columns.values():
            where = f"{resource.table.name}.{column.name}"
            if column.kind == "text" and words_of(column.name)[-1] == "date" and column.name not in key:
                column.kind = "date"
                self.source.account.change("column", where, "Texts that are dates by their names, as YYYY-MM-DD")
            if EVERYTHING & {*column.choices}:
                column.choices = tuple(each for each in column.choices if each not in EVERYTHING)
                column.default = None if column.default in EVERYTHING else column.default

    def _set_defaults(self, resource: Shape) -> None:
        """Say where a new row gets what no request gives, and keep what is given and never shown."""
        creates = [self.body_of(each, resource) for each in self.about(resource, "create")]
        taken, asked = set(), set()
        for body in creates:
            if body is None:
                continue
            is_row = only(body).address in resource.identities and only(body).address != ""
            needed = required_of(body)
            for name, schema in properties_of(body).items():
                column = resource.column_for(name)
                if column is None and name in needed and resource.row is not None and is_scalar(schema):
                    resource.add(name, schema, False)
                    column = resource.table.columns[name]
                    column.hidden = True
                    where = f"{resource.table.name}.{name}"
                    self.source.account.change("column", where, "Values that are given and never shown")
                places = {*resource.places.get(folded(name), ()), *([column.name] if column is not None else [])}
                if not schema.flag("readOnly"):
                    taken |= places
                    asked |= places if name in needed and not (is_row and words_of(name)[-1] in _KEYLIKE) else set()
        for column in resource.table.columns.values():
            where = f"{resource.table.name}.{column.name}"
            if column.name in resource.table.key:
                column.required, column.made = True, "" if column.name in asked or not creates else "counter"
            elif column.name in taken or not creates:
                continue
            elif column.kind == "timestamp" and (
                resource.row is None or column.required and CLOCK & {*words_of(column.name)}
            ):
                column.made = "clock"
            elif column.default is None and column.required and (column.choices or column.kind == "boolean"):
                column.default = column.choices[0] if column.choices else False
                why = "Values of new rows that the source does not fix: the first of the list, or false"
                self.source.account.change("default", where, why)
            elif column.default is None:
                column.required = False

    def _add_rows(self) -> None:
        """Take the examples of a document as rows."""
        for resource in self.all:
            if resource.row is not None:
                single = resource.row.get("example")
                for node in [*resource.row.entries("examples"), *([single] if single is not None else [])]:
                    _add_row(resource, node.value)
            for each in self.about(resource, "get", "find", "create"):
                for example in each.examples:
                    for row in _rows_in(example, resource):
                        _add_row(resource, row)


class _Reading:
    """One operation: what its parameters and body say about a table."""

    def __init__(self, served: ServedOperation, resources: Resources) -> None:
        self.served, self.resources, self.account = served, resources, resources.source.account
        self.notes: list[tuple[Callable[[Part, str, str], None], str, str]] = []
        if served.why:
            raise OpenOperation(served.why)
        found = resources.by_path.get(served.resource)
        if found is None:
            if served.verb == "create" and not resources.by_name:
                raise OpenOperation("its path leads to no table, so the document does not say what it changes")
            raise OpenOperation("no other operation shows or makes such rows")
        self.resource, self.table = found, found.table
        if found.row is None:
            columns, key = found.table.columns, found.table.key
            is_given = any(resources.about(found, "create")) and columns[key[0]].made == ""
            if not is_given and all(each.kind == "json" or name in key for name, each in columns.items()):
                raise OpenOperation(f"no schema says what its rows hold ({found.table.name})")

    def operation(self) -> Operation:
        served, verb = self.served, self.served.verb
        constants: dict[str, Any] = {}
        values: list[OperationParameter] = []
        assert verb is not None
        if verb == "find":
            parameters = [*self._parents("equals"), *self._filters()]
            self._refuse_part(parameters)
        elif verb == "create":
            if served.body is None:
                raise OpenOperation("it makes a row of nothing that is said")
            parents = self._parents("value")
            parameters = [*parents, *self._values(parents)]
        else:
            keys = self._keys()
            if verb == "set":
                values, constants = self._act(keys)
            elif verb == "update":
                values = self._values(keys)
                if not values:
                    raise OpenOperation("its body gives no column but the key")
            parameters = [*keys, *values]
        if verb != "find":
            self._leave_out_queries()
        words = served.description[:_LONGEST_WORDS]
        return Operation(served.name, verb, self.table.name, tuple(parameters), constants, words, served.said)

    def _refuse_part(self, parameters: Sequence[OperationParameter]) -> None:
        """Refuse a second list of the same rows without a filter: which of them does /articles/feed list?"""
        lists = [each.resource for each in self.resources.about(self.resource, "find")]
        if self.served.resource != min(lists, key=len) and all(each.role in ("limit", "offset") for each in parameters):
            raise OpenOperation("it lists some of the rows, and no column says which")

    def _act(self, keys: Sequence[OperationParameter]) -> tuple[list[OperationParameter], dict[str, Any]]:
        """What an action writes: the column that it is called by, or the state that it leads to."""
        last, body = self.served.action, self.served.body
        properties = properties_of(body) if body is not None else {}
        names = [last, *(f"{last}_{name}" for name in properties)] if len(properties) == 1 else [last]
        column = next((each for name in names if (each := self.resource.column_for(name)) is not None), None)
        if column is not None and column.name not in self.table.key and len(properties) == 1:
            ((name, schema),) = properties.items()  # {"status": ...}, {"value": ...}, assignee: {"login": ...}
            if _fits(column, schema):
                return [OperationParameter(name, "value", column.name, True, schema.text("description"))], {}
        if self.served.is_undone:
            name, value = state_of(last, self.table)
            if value is not True:
                raise OpenOperation("it takes away a part of a row that no column holds")
            return [], {name: False}
        values = self._values(keys) if body is not None else []
        if column is not None and any(each.column == column.name for each in values):
            return values, {}
        name, value = state_of(last, self.table)
        return [each for each in values if each.column != name], {name: value}

    def _keys(self) -> list[OperationParameter]:
        """The parameters that name the row: its key or another column, and those of the rows it belongs to."""
        own = next((each for each in self.served.takes if each.place == "row"), None)
        if own is None:
            return [self._key_in_body()]
        column = self._named_by(self.resource, own)
        key = OperationParameter(own.name, "key", column.name, True, own.description)
        keys = [key, *self._parents("key")]
        columns = tuple(dict.fromkeys(each.column or "" for each in keys))
        if column.name not in self.table.key and columns not in self.table.uniques:
            self.table.uniques.append(columns)
            where = f"{self.table.name} ({', '.join(columns)})"
            self.account.change("unique", where, "Columns that are unique, since a path finds one row by them")
        return keys

    def _key_in_body(self) -> OperationParameter:
        """The key of a row that no path names: PUT /pet with the whole pet."""
        body = self.resources.body_of(self.served, self.resource)
        for name, schema in properties_of(body).items() if body is not None else ():
            column = self.resource.column_for(name)
            if column is not None and (column.name,) == self.table.key:
                return OperationParameter(name, "key", column.name, True, schema.text("description"))
        raise OpenOperation("none of its parameters names a row")

    def _named_by(self, resource: Shape, taken: Taken) -> SourceColumn:
        """The column by whose value a parameter finds a row: a column of that name, or the key."""
        table = resource.table
        if len(table.key) != 1:
            raise OpenOperation("the rows that its path names have no key")
        segments = [*taken.collection[-1:], self.served.resource[-1]]
        nouns = {*words_of(table.name), *(inflection.singularize(word) for each in segments for word in words_of(each))}
        rest = [each for each in words_of(taken.name) if each not in nouns]
        for name in (folded(taken.name), "".join(rest)):
            places = resource.places.get(name, [])
            if len(places) == 1:
                column = table.columns[places[0]]
                break
        else:
            column = table.columns[table.key[0]]
            if rest and rest[-1] not in _KEYLIKE and rest != words_of(column.name):
                raise OpenOperation(f"it finds a row by a value that no column holds ({taken.name})")
        if not _fits(column, taken.schema):
            raise OpenOperation(f"it finds a row by a value of another type than the rows hold ({taken.name})")
        return column

    def _parents(self, role: Role) -> list[OperationParameter]:
        """The parameters that name the rows to which this table's rows belong."""
        parents = [each for each in self.served.takes if each.place == "parent"]
        return [
            OperationParameter(each.name, role, self._parent_column(each), True, each.description) for each in parents
        ]

    def _parent_column(self, taken: Taken) -> str:
        parent, table = self.resources.by_path.get(taken.collection), self.table
        theirs = self._named_by(parent, taken) if parent is not None else None
        if parent is not None and theirs is not None and (theirs.name,) == parent.table.key:
            for reference in table.references:
                if reference.table == parent.table.name:
                    return reference.columns[0]
        column = self.resource.column_for(taken.name)
        is_plain = not {*words_of(taken.name)} <= _KEYLIKE  # /orders/{id}/lines: not the id of a line
        if column is not None and is_plain and column.name not in table.key and _fits(column, taken.schema):
            return column.name
        lists = self.resources.about(self.resource, "find", "create")
        elsewhere = any(each.resource != self.served.resource for each in lists)
        is_key = theirs is None or parent is not None and (theirs.name,) == parent.table.key
        if parent is self.resource or elsewhere or not is_key:
            raise OpenOperation(f"no column says to which row of its path a row belongs ({taken.name})")
        owner = parent.table.name if parent is not None else noun_of(taken.name)
        is_number = taken.schema is not None and type_of(taken.schema) == "integer"
        added = SourceColumn(taken.name, "integer" if is_number else "text", True)
        if parent is not None and theirs is not None:
            name = taken.name if folded(taken.name) != folded(theirs.name) else f"{owner}_{theirs.name}"
            added = SourceColumn(name, theirs.kind, True)
            table.references.append(Reference((name,), parent.table.name, parent.table.key))
        if added.name in table.columns:
            raise OpenOperation(f"no column says to which row of its path a row belongs ({taken.name})")
        added.comment = f"The {' '.join(words_of(owner))} that it belongs to"
        table.columns[added.name] = added
        self.resource.places.setdefault(folded(taken.name), []).append(added.name)
        self.account.change("column", f"{table.name}.{added.name}", "Columns that only the path of an operation names")
        return added.name

    def _filters(self) -> Iterator[OperationParameter]:
        for each in self.served.takes:
            if each.place != "query":
                continue
            role, about = role_of(each.name, self.resource)
            column = self.table.columns[about] if about is not None else None
            if column is not None and each.schema is not None and type_of(each.schema) == "array":
                if role == "equals" and _fits(column, only(each.schema).get("items")):
                    self._change(each.name, "Parameters that take one value, and several in the source")
                    yield OperationParameter(each.name, role, about, each.required, each.description)
                    continue
            elif role is not None and (column is None or _fits(column, each.schema)):
                yield OperationParameter(each.name, role, about, each.required, each.description)
                continue
            if each.required and folded(each.name) not in PAGING:
                raise OpenOperation(f"it needs a parameter that is not a column ({each.name})")
            self._leave_out(each.name)

    def _values(self, others: Sequence[OperationParameter]) -> list[OperationParameter]:
        """What a body gives beside what the path gives; errors: OpenOperation if it needs more than the rows hold."""
        body = self.resources.body_of(self.served, self.resource)
        properties = properties_of(body) if body is not None else {}
        if body is None or not properties:
            raise OpenOperation("its body is a list or a free object")
        required = required_of(body) if not self.served.is_partial else set()
        taken, found = {each.column for each in others}, []
        for name, schema in properties.items():
            places, column = self.resource.places.get(folded(name), []), self.resource.column_for(name)
            if schema.flag("readOnly") or column is not None and column.name in taken:
                continue
            if column is not None and column.name in self.table.key and self.served.verb != "create":
                self._leave_out(name, "Keys in bodies, which no tool changes")
            elif column is not None and column.name in self.table.key and column.made == "counter":
                self._leave_out(name, "Keys that callers may give, and the twin counts")
            elif column is not None and (_fits(column, schema) or self._shows(column, schema)):
                found.append(
                    OperationParameter(name, "value", column.name, name in required, schema.text("description"))
                )
            elif len(places) > 1 and type_of(schema) == "object":
                inner = required_of(only(schema))
                for part, below in properties_of(only(schema)).items():
                    held = self.resource.places.get(folded(f"{name}_{part}"), [])
                    if len(held) == 1 and held[0] in places and held[0] not in taken | {each.column for each in found}:
                        is_needed = name in required and part in inner
                        words = below.text("description")
                        found.append(OperationParameter(f"{name}_{part}", "value", held[0], is_needed, words))
            elif name in required:
                what = "that no column holds" if column is None else "of another type than the rows hold"
                raise OpenOperation(f"it gives a value {what} ({name})")
            else:
                self._leave_out(name)
        return [each for at, each in enumerate(found) if each.column not in {other.column for other in found[:at]}]

    def _shows(self, column: SourceColumn, schema: DocumentNode) -> bool:
        """Whether a body has the whole row to which a column refers."""
        parent = self.resources.of(schema)
        is_it = parent is not None and any(
            each.columns == (column.name,) and each.table == parent.table.name for each in self.table.references
        )
        if is_it:
            self._change(column.name, "Parameters that take the key of a row, and the whole row in the source")
        return is_it

    def _leave_out_queries(self) -> None:
        for each in self.served.takes:
            if each.place == "query":
                if each.required and folded(each.name) not in PAGING | FLAGS:
                    many = each.schema is not None and type_of(each.schema) == "array"
                    what = "it takes several rows at once" if many else "it needs a parameter that is not a column"
                    raise OpenOperation(f"{what} ({each.name})")
                self._leave_out(each.name)

    def _leave_out(self, name: str, why: str = "Parameters that no tool takes") -> None:
        self.notes.append((self.account.lose, name, why))

    def _change(self, name: str, why: str) -> None:
        self.notes.append((self.account.change, name, why))


def row_of_list(schema: DocumentNode, noun: str = "", depth: int = 0) -> DocumentNode | None:
    """The schema of an entry: of an array, or of the one array of objects in an object, in envelopes or not."""
    if type_of(schema) == "array":
        return only(schema).get("items")
    if depth > _DEEPEST or names_key(schema):
        return None
    below = properties_of(schema)
    lists = {name: only(each).get("items") for name, each in below.items() if type_of(each) == "array"}
    rows = {name: each for name, each in lists.items() if each is not None and properties_of(each)}
    if len(rows) > 1:
        rows = {name: each for name, each in rows.items() if folded(name) == folded(noun)}
    if rows:
        return next(iter(rows.values())) if len(rows) == 1 else None
    inner = [
        found for each in below.values() if type_of(each) == "object" and (found := row_of_list(each, noun, depth + 1))
    ]
    return inner[0] if len(inner) == 1 else None


def unwrapped(schema: DocumentNode, depth: int = 0) -> DocumentNode:
    """The row itself, where an answer is an object of the row and at most a few words about it."""
    properties = properties_of(schema)
    objects = [each for each in properties.values() if type_of(each) == "object" and properties_of(each)]
    if depth > _DEEPEST or len(objects) != 1 or names_key(schema):
        return schema
    inner = unwrapped(objects[0], depth + 1)
    has_id = any(folded(name) in _KEYLIKE for name in properties_of(inner))
    return inner if len(properties) == 1 or has_id else schema


def names_key(schema: DocumentNode) -> bool:
    """Whether a property is called as keys are."""
    names = [words_of(name) for name in properties_of(schema)]
    return any(each[-1] in ("id", "sid", "gid", "uuid") and each[0] not in _OF_CALLS for each in names)


def _fits(column: SourceColumn, schema: DocumentNode | None) -> bool:
    """Whether a value of a schema is one of a column."""
    stated = "any" if schema is None else type_of(schema)
    return column.kind == "json" or stated in ("any", "union") or column.kind in _KINDS.get(stated, ())


def _is_state(node: DocumentNode) -> bool:
    value = node.value if isinstance(node.value, dict) else {}
    return bool(value.get("enum")) or type_of(node) == "boolean" and not isinstance(value.get("default"), bool)


def _rows_in(example: Any, resource: Shape, depth: int = 0) -> list[Any]:
    """The rows of an example answer, in whatever envelopes."""
    if isinstance(example, list):
        return example
    if not isinstance(example, dict) or depth > _DEEPEST:
        return []
    if all(each in example for each in resource.table.key):
        return [example]
    found = [rows for each in example.values() if (rows := _rows_in(each, resource, depth + 1))]
    return found[0] if len(found) == 1 else []


def _add_row(resource: Shape, given: Any) -> None:
    """Add an example as a row, if it has the key and no row with that key is there."""
    row: dict[str, Any] = {}
    for name, value in given.items() if isinstance(given, dict) else ():
        for place in resource.places.get(folded(name), []):
            column = resource.table.columns[place]
            part = value
            if isinstance(value, dict) and column.kind != "json":
                parts = {folded(f"{name}_{each}"): inner for each, inner in value.items()}
                part = parts.get(folded(place))
            if column.kind == "json" and part is not None and not isinstance(part, str):
                part = json.dumps(part)
            elif column.kind not in ("integer", "real", "boolean") and isinstance(part, int | float):
                part = as_written(part)
            if part is not None or place not in row:
                row[place] = part
    key = resource.table.key
    is_new = all(row.get(each) is not None for each in key) and all(
        any(other.get(each) != row[each] for each in key) for other in resource.table.rows
    )
    if key and is_new:
        resource.table.rows.append(row)
