"""What an API or an MCP server offers, in one form, and the tables and operations that follow from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import inflection

from generator.twin.account import Part
from generator.twin.document import NOTHING, BadReference, DocumentNode, as_written
from generator.twin.operations import fitting_name, refusal
from generator.twin.shapes import (
    CLOCK,
    EVERYTHING,
    FLAGS,
    NATURAL,
    PAGING,
    OpenOperation,
    Shape,
    fits,
    reason,
    role_of,
    state_of,
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
from generator.twin.words import folded, noun_of, snake, tokens
from runtime.errors import UsageError

LONGEST_NAME = 60  # of a tool or parameter; clients take 64, and Python may need a sign more
NO_TABLE = "its path leads to no table, so the document does not say what it changes"
_LONGEST_WORDS = 400
_DEEPEST = 3  # levels of envelopes around rows
_KEYLIKE = {"id", "uuid", "guid", "sid", "gid", "key", "identifier"}
_OF_CALLS = {"request", "trace", "correlation"}  # whose ids stand in envelopes

Path = tuple[str, ...]
"""What an operation is about: the segments of a path with every parameter as "{}", or the noun of a tool's name."""


@dataclass(frozen=True)
class Taken:
    """A parameter beside the body: it names the row, or one to which the row belongs, or says which rows are meant."""

    name: str
    place: Literal["row", "parent", "query"]
    schema: DocumentNode = NOTHING
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
    body: DocumentNode = NOTHING
    """The schema of an object with the values that are written."""
    is_partial: bool = False
    """Whether nothing in the body must be given, as in a PATCH."""
    gives: DocumentNode = NOTHING
    """The schema of a row that it shows, lists or makes."""
    examples: list[Any] = field(default_factory=list)
    why: str = ""
    """Why it stays open whatever its tables are."""

    @property
    def offered(self) -> dict[str, Any]:
        """The operation with all of its parameters, as plain values: what `--diff` compares."""
        parts: list[tuple[str, str, DocumentNode, bool, str]]
        parts = [(each.name, each.place, each.schema, each.required, each.description) for each in self.takes]
        with suppress(BadReference):
            own, required = self.body.properties, self.body.required
            parts += [(name, "body", node, name in required, node.text("description")) for name, node in own.items()]
        parameters = {}
        for name, place, node, is_required, said in parts:
            choices = [as_written(each) for each in node.choices] if node.known_type else []
            facts = {"place": place, "type": node.known_type, "choices": choices, "description": said}
            parameters[name] = facts | {"required": is_required}
        return {"name": self.name, "verb": self.verb, "description": self.description, "parameters": parameters}

    def taking(self, place: str) -> list[Taken]:
        """Return the parameters of a place."""
        return [each for each in self.takes if each.place == place]


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
        source.offered[each.said] = each.offered
        try:
            reading = _Reading(each, resources)
            source.operations.append(reading.operation())
        except (OpenOperation, BadReference, RecursionError) as error:
            source.opened[each.said] = reason(error)
        else:
            for fate, name, why in reading.notes:
                fate("parameter", f"{each.said}: {name}", why)
    for each_said, why in source.opened.items():
        source.account.lose("operation", each_said, f"Operations that are not tools: {why.partition(' (')[0]}")
    if len(source.operations) < needs * len(served) or (needs and not source.operations):
        raise UsageError(refusal(said, len(served), source.opened))
    _name_apart(source)
    _drop_unused(source, is_needed=bool(needs))


def _name_apart(source: TwinSource) -> None:
    """Give operations and parameters names that Python and clients take, none twice."""
    names: set[str] = set()
    for at, operation in enumerate(source.operations):
        name, why = fitting_name(snake(operation.name), names, LONGEST_NAME)
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
    for _ in source.tables:
        used |= {key.table for name in used for key in source.tables[name].references}
    for name, table in source.tables.items():
        if name in used:
            source.account.keep("table", name)
            for key in table.references:
                source.account.keep("reference", f"{name} ({', '.join(key.columns)}) -> {key.table}")
        else:
            source.account.lose("table", name, "Tables that no tool is about")
    source.tables = {name: table for name, table in source.tables.items() if name in used}


class Resources:
    """The tables of what is served, found by path or noun, or by the schema of their rows."""

    def __init__(self, served: Sequence[ServedOperation], source: TwinSource, *, by_name: bool) -> None:
        self.served, self.source, self.by_name = [each for each in served if not each.why], source, by_name
        self.by_path: dict[Path, Shape] = {}
        self._by_identity: dict[str, Shape] = {}
        for verb in ("get", "find", "create"):
            for each in self.served:
                if each.verb == verb and each.gives:
                    self._find(each, each.gives.only())
        for each in self.served if by_name else ():
            if each.resource and (each.verb == "create" or each.taking("row")) and each.resource not in self.by_path:
                self.by_path[each.resource] = self._new(each.resource[-1], NOTHING)
        self.all = list({id(each): each for each in self.by_path.values()}.values())
        source.tables = {each.table.name: each.table for each in self.all}
        for step in (self._set_key, self._set_columns, self._widen_key, self._set_defaults, self._add_rows):
            for resource in self.all:
                step(resource)
        for resource in self.all:
            resource.refer_by_name(source.tables)

    def about(self, resource: Shape, *verbs: Verb) -> Iterator[ServedOperation]:
        """Return the operations on the rows of a table."""
        for each in self.served:
            if self.by_path.get(each.resource) is resource and (each.verb in verbs or not verbs):
                yield each

    def body_of(self, operation: ServedOperation, resource: Shape) -> DocumentNode:
        """Return the schema of what is written, without an envelope, unless what is wrapped is a part of the row."""
        body = operation.body
        return body if any(resource.places.get(folded(each)) for each in body.properties) else unwrapped(body)

    def _new(self, name: str, row: DocumentNode) -> Shape:
        table = SourceTable(name, {}, comment=row.text("description"))
        return Shape(table, self.source.account, self._by_identity, row)

    def _find(self, operation: ServedOperation, row: DocumentNode) -> None:
        path, noun = operation.resource, noun_of(operation.resource[-1])
        known = self.by_path.get(path) or self._by_identity.get(row.address or "none") or self._alike(path, row)
        if operation.verb == "create" and not self.by_name and path not in self.by_path:
            has_rows = any(each.resource == path and each is not operation for each in self.served)
            if not (has_rows and names_key(row) or known is not None and known.table.name == noun):
                return  # a POST whose answer has a row may do anything: log in, search
        if known is None:
            named = noun_of(row.name) if row.address and not self.by_name else noun
            names = [noun] if {*tokens(noun)} <= {*tokens(named)} else []  # "user" of /users, not "user_public"
            longer = "_".join(noun_of(each) for each in path if each != "{}")
            taken = {each.table.name for each in self.by_path.values()}
            names += [named, longer, *(f"{(names or [named])[0]}_{number}" for number in range(2, len(taken) + 3))]
            known = self._new(next(each for each in names if each not in taken), row)
        self.by_path.setdefault(path, known)
        if row.address:
            self._by_identity.setdefault(row.address, known)

    def _alike(self, path: Path, row: DocumentNode) -> Shape | None:
        """Return the table of /articles for the rows of /articles/feed, if they hold the same."""
        above = self.by_path.get(path[:-1])
        if above is None or path[-1] == "{}":
            return None
        own, theirs = {*row.properties}, {*above.row.properties}
        return above if len(own & theirs) * 4 >= len(own | theirs) * 3 else None

    def _set_key(self, resource: Shape) -> None:
        """Choose the key first, since other tables' columns refer to it."""
        noun, table = resource.table.name, resource.table
        given = {taken.name: taken.schema for each in self.about(resource) for taken in each.taking("row")}
        by_fold = {folded(name): (name, schema) for name, schema in resource.row.properties.items()}
        wanted = ["id", folded(noun) + "id", *map(folded, given), *(tokens(each)[-1] for each in given)]
        wanted += [*NATURAL, *(folded(noun) + each for each in NATURAL)]
        candidates = [by_fold[each] for each in wanted if each in by_fold] + [*given.items()] * self.by_name
        for name, schema in candidates:
            if schema.known_type in ("string", "integer"):
                resource.add(name, schema, True)
                table.key = (name,)
                return
        if self.by_name:
            resource.put(f"{noun}_id", SourceColumn(f"{noun}_id", "integer", True))
            table.key = (f"{noun}_id",)
            self.source.account.change("column", f"{noun}.{noun}_id", "Keys that no tool of the source shows")

    def _set_columns(self, resource: Shape) -> None:
        key, table = resource.table.key, resource.table
        if resource.row:
            properties = {name: node for name, node in resource.row.properties.items() if name not in key}
            resource.add_all(properties, resource.row.required)
            return
        for each in self.about(resource, "create", "update", "find"):
            is_find, is_create, fresh = each.verb == "find", each.verb == "create", {}
            given = {taken.name: taken.schema for taken in each.takes if taken.schema} if is_find else {}
            for name, node in (given or each.body.properties).items():
                if folded(name) in ("id", folded(table.name) + "id", *map(folded, key)):
                    resource.places.setdefault(folded(name), [*key])
                elif folded(name) not in {*resource.places} | PAGING | FLAGS and (not is_find or _is_state(node)):
                    fresh[name] = node
            told = each.body.required if is_create else {name for name, node in fresh.items() if _is_state(node)}
            resource.add_all(fresh, told)
        for column in table.columns.values():
            if column.kind == "text" and tokens(column.name)[-1] == "date" and column.name not in key:
                column.kind, where = "date", f"{table.name}.{column.name}"
                self.source.account.change("column", where, "Texts that are dates by their names, as YYYY-MM-DD")
            column.choices = tuple(each for each in column.choices if each not in EVERYTHING)
            column.default = None if column.default in EVERYTHING else column.default

    def _widen_key(self, resource: Shape) -> None:
        """Make a key that names another table's row, as of /projects/{}/users/{}, one together with the parents'."""
        table, noun = resource.table, "_".join(tokens("".join(resource.table.key))[:-1])
        is_theirs = any(
            noun in (each.table.name, noun_of(path[-1])) and each is not resource and each.table.key
            for path, each in self.by_path.items()
        )
        parents = [taken for each in self.about(resource) if each.taking("row") for taken in each.taking("parent")]
        if is_theirs and parents:
            names = [f"{noun_of(each.collection[-1])}_{tokens(each.name)[-1]}" for each in parents]
            columns = map(resource.column_for, [*names, *(each.name for each in parents if each.name not in _KEYLIKE)])
            found = [each.name for each in columns if each is not None]
            table.key = tuple(dict.fromkeys([*found, *table.key])) if found else ()

    def _set_defaults(self, resource: Shape) -> None:
        """Say where a new row gets what no request gives, and keep what is given and never shown."""
        table, account = resource.table, self.source.account
        creates = [self.body_of(each, resource) for each in self.about(resource, "create")]
        taken, asked = set(), set()
        for body in creates:
            address = body.only().address
            is_row = address != "" and self._by_identity.get(address) is resource
            for name, schema in body.properties.items():
                column, is_needed = resource.column_for(name), name in body.required
                if column is None and is_needed and resource.row and schema.is_scalar:
                    resource.add(name, schema, False)
                    column = table.columns[name]
                    column.hidden = True
                    account.change("column", f"{table.name}.{name}", "Values that are given and never shown")
                places = {*resource.places.get(folded(name), ()), *([column.name] if column is not None else [])}
                if not schema.flag("readOnly"):
                    taken |= places
                    asked |= places if is_needed and not (is_row and tokens(name)[-1] in _KEYLIKE) else set()
        for column in table.columns.values():
            is_clock = not resource.row or column.required and CLOCK & {*tokens(column.name)}
            if column.name in table.key:
                is_counted = creates and len(table.key) == 1 and column.name not in asked
                column.required, column.made = True, "counter" if is_counted else ""
            elif column.name in taken or not creates:
                continue
            elif column.kind == "timestamp" and is_clock:
                column.made = "clock"
            elif column.default is None and column.required and (column.choices or column.kind == "boolean"):
                column.default = column.choices[0] if column.choices else False
                why = "Values of new rows that the source does not fix: the first of the list, or false"
                account.change("default", f"{table.name}.{column.name}", why)
            elif column.default is None:
                column.required = False

    def _add_rows(self, resource: Shape) -> None:
        """Take the examples of a document as rows."""
        for node in [*resource.row.entries("examples"), resource.row.get("example")]:
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
            is_post = served.verb == "create" and not resources.by_name
            raise OpenOperation(NO_TABLE if is_post else "no other operation shows or makes such rows")
        self.resource, self.table, self.body = found, found.table, resources.body_of(served, found)
        if not found.row:
            columns, key = found.table.columns, found.table.key
            is_given = any(resources.about(found, "create")) and columns[key[0]].made == ""
            if not is_given and all(each.kind == "json" or name in key for name, each in columns.items()):
                raise OpenOperation(f"no schema says what its rows hold ({found.table.name})")
            referred = [key for table in resources.source.tables.values() for key in table.references]
            is_seen = any(each.verb != "create" for each in resources.about(found))
            if not is_seen and all(key.table != found.table.name for key in referred):
                raise OpenOperation(f"no other tool shows or changes what it makes ({found.table.name})")

    def operation(self) -> Operation:
        served, verb = self.served, self.served.verb
        constants: dict[str, Any] = {}
        assert verb is not None
        if verb == "find":
            parameters = [*self._parents("equals"), *self._queries()]
            lists = [each.resource for each in self.resources.about(self.resource, "find")]
            if served.resource != min(lists, key=len) and all(each.role in ("limit", "offset") for each in parameters):
                raise OpenOperation("it lists some of the rows, and no column says which")
        elif verb == "create":
            if not served.body:
                raise OpenOperation("it makes a row of nothing that is said")
            parents = self._parents("value")
            parameters = [*parents, *self._values(parents)]
        else:
            keys, values = self._keys(), list[OperationParameter]()
            if verb == "set":
                values, constants = self._act(keys)
            elif verb == "update":
                values = self._values(keys)
                if not values:
                    raise OpenOperation("its body gives no column but the key")
            parameters = [*keys, *values]
        if verb != "find":
            parameters += self._queries()
        words = served.description[:_LONGEST_WORDS]
        return Operation(served.name, verb, self.table.name, tuple(parameters), constants, words, served.said)

    def _act(self, keys: Sequence[OperationParameter]) -> tuple[list[OperationParameter], dict[str, Any]]:
        """Return what an action writes: the column that it is called by, or the state that it leads to."""
        last, properties = self.served.action, self.served.body.properties
        names = [last, *(f"{last}_{name}" for name in properties)] if len(properties) == 1 else [last]
        column = next((each for name in names if (each := self.resource.column_for(name)) is not None), None)
        if column is not None and column.name not in self.table.key and len(properties) == 1:
            ((name, schema),) = properties.items()  # {"status": ...}, {"value": ...}, assignee: {"login": ...}
            if fits(column, schema):
                return [OperationParameter(name, "value", column.name, True, schema.text("description"))], {}
        values = self._values(keys) if self.served.body else []
        if column is not None and any(each.column == column.name for each in values):
            return values, {}
        name, value = state_of(last, self.table)
        return [each for each in values if each.column != name], {name: value}

    def _keys(self) -> list[OperationParameter]:
        """Return the parameters that name the row: its key or another column, and those of the rows it belongs to."""
        own = self.served.taking("row")
        if not own:
            return [self._key_in_body()]
        column = self._named_by(self.resource, own[0])
        keys = [OperationParameter(own[0].name, "key", column.name, True, own[0].description), *self._parents("key")]
        columns = tuple(dict.fromkeys(each.column or "" for each in keys))
        if len(self.table.key) > 1 and not {*self.table.key} <= {*columns}:
            raise OpenOperation(f"its path names only a part of the key ({', '.join(self.table.key)})")
        if column.name not in self.table.key and columns not in self.table.uniques:
            self.table.uniques.append(columns)
            where = f"{self.table.name} ({', '.join(columns)})"
            self.account.change("unique", where, "Columns that are unique, since a path finds one row by them")
        return keys

    def _key_in_body(self) -> OperationParameter:
        """Return the key of a row that no path names: PUT /pet with the whole pet."""
        for name, schema in self.body.properties.items():
            column = self.resource.column_for(name)
            if column is not None and (column.name,) == self.table.key:
                return OperationParameter(name, "key", column.name, True, schema.text("description"))
        raise OpenOperation("none of its parameters names a row")

    def _named_by(self, resource: Shape, taken: Taken) -> SourceColumn:
        """Return the column by whose value a parameter finds a row: a column of that name, or the key."""
        table = resource.table
        if not table.key:
            raise OpenOperation("the rows that its path names have no key")
        segments = [*taken.collection[-1:], self.served.resource[-1]]
        nouns = {*tokens(table.name), *(inflection.singularize(word) for each in segments for word in tokens(each))}
        rest = [each for each in tokens(taken.name) if each not in nouns]
        places = [resource.places.get(name, []) for name in (folded(taken.name), "".join(rest))]
        column = table.columns[next((each[0] for each in places if len(each) == 1), table.key[-1])]
        is_found = any(len(each) == 1 for each in places)
        if not is_found and rest and rest[-1] not in _KEYLIKE and rest != tokens(column.name):
            raise OpenOperation(f"it finds a row by a value that no column holds ({taken.name})")
        if not fits(column, taken.schema):
            raise OpenOperation(f"it finds a row by a value of another type than the rows hold ({taken.name})")
        return column

    def _parents(self, role: Role) -> list[OperationParameter]:
        """Return the parameters that name the rows to which this table's rows belong."""
        return [
            OperationParameter(each.name, role, self._parent_column(each), True, each.description)
            for each in self.served.taking("parent")
        ]

    def _parent_column(self, taken: Taken) -> str:
        """Return the column that holds the row of a path to which a row belongs; add it if nothing contradicts that."""
        parent, table = self.resources.by_path.get(taken.collection), self.table
        theirs = self._named_by(parent, taken) if parent is not None else None
        is_key = parent is None or theirs is None or (theirs.name,) == parent.table.key
        for reference in table.references:
            if parent is not None and is_key and reference.table == parent.table.name:
                return reference.columns[0]
        column = self.resource.column_for(taken.name)
        is_plain = not {*tokens(taken.name)} <= _KEYLIKE  # /orders/{id}/lines: not the id of a line
        if column is not None and is_plain and fits(column, taken.schema) and (column.name,) != table.key:
            return column.name
        lists = self.resources.about(self.resource, "find", "create")
        elsewhere = any(each.resource != self.served.resource for each in lists)
        owner = parent.table.name if parent is not None else noun_of(taken.name)
        added = SourceColumn(taken.name, "integer" if taken.schema.type == "integer" else "text", True)
        if theirs is not None:
            added.kind = theirs.kind
            added.name = taken.name if folded(taken.name) != folded(theirs.name) else f"{owner}_{theirs.name}"
        if parent is self.resource or elsewhere or not is_key or added.name in table.columns:
            raise OpenOperation(f"no column says to which row of its path a row belongs ({taken.name})")
        if parent is not None:
            table.references.append(Reference((added.name,), parent.table.name, parent.table.key))
        added.comment = f"The {' '.join(tokens(owner))} that it belongs to"
        table.columns[added.name] = added
        self.resource.places.setdefault(folded(taken.name), []).append(added.name)
        self.account.change("column", f"{table.name}.{added.name}", "Columns that only the path of an operation names")
        return added.name

    def _queries(self) -> Iterator[OperationParameter]:
        """Return the filters of a list; errors: OpenOperation if something else must be given."""
        is_find = self.served.verb == "find"
        for each in self.served.taking("query"):
            role, about = role_of(each.name, self.resource) if is_find else (None, None)
            is_list = each.schema.type == "array"
            schema = each.schema.only().get("items") if is_list else each.schema
            if role is not None and is_list:
                self._note(self.account.change, each.name, "Parameters that take one value, and several in the source")
            if role is not None and (about is None or fits(self.table.columns[about], schema)):
                yield OperationParameter(each.name, role, about, each.required, each.description)
            elif each.required and folded(each.name) not in PAGING | FLAGS:
                many = "takes several rows at once" if not is_find and is_list else ""
                raise OpenOperation(f"it {many or 'needs a parameter that is not a column'} ({each.name})")
            else:
                self._note(self.account.lose, each.name, "Parameters that no tool takes")

    def _values(self, others: Sequence[OperationParameter]) -> list[OperationParameter]:
        """Return what a body gives beside the path; errors: OpenOperation if it needs more than the rows hold."""
        properties, keys, is_create = self.body.properties, self.table.key, self.served.verb == "create"
        if not properties:
            raise OpenOperation("its body is a list or a free object")
        required = self.body.required if not self.served.is_partial else set()
        found: dict[str | None, OperationParameter] = {}
        taken = {each.column for each in others}

        def give(name: str, column: str, schema: DocumentNode, is_needed: bool) -> None:
            if column not in taken:
                words = schema.text("description")
                found.setdefault(column, OperationParameter(name, "value", column, is_needed, words))

        for name, schema in properties.items():
            places, column = self.resource.places.get(folded(name), []), self.resource.column_for(name)
            if schema.flag("readOnly") or column is not None and column.name in taken:
                continue
            if column is not None and column.name in keys and not is_create:
                self._note(self.account.lose, name, "Keys in bodies, which no tool changes")
            elif column is not None and column.name in keys and column.made == "counter":
                self._note(self.account.lose, name, "Keys that callers may give, and the twin counts")
            elif column is not None and fits(column, schema):
                give(name, column.name, schema, name in required)
            elif len(places) > 1 and schema.type == "object":
                for part, below in schema.only().properties.items():
                    held = self.resource.places.get(folded(f"{name}_{part}"), [])
                    if len(held) == 1 and held[0] in places:
                        is_needed = name in required and part in schema.only().required
                        give(f"{name}_{part}", held[0], below, is_needed)
            elif name in required:
                what = "that no column holds" if column is None else "of another type than the rows hold"
                raise OpenOperation(f"it gives a value {what} ({name})")
            else:
                self._note(self.account.lose, name, "Parameters that no tool takes")
        return list(found.values())

    def _note(self, fate: Callable[[Part, str, str], None], name: str, why: str) -> None:
        self.notes.append((fate, name, why))


def row_of_list(schema: DocumentNode, noun: str = "", depth: int = 0) -> DocumentNode:
    """Return the schema of an entry: of an array, or of the one array of objects in an object, in envelopes or not."""
    if schema.type == "array":
        return schema.only().get("items")
    if depth > _DEEPEST or names_key(schema):
        return NOTHING
    below = schema.properties
    lists = {name: each.only().get("items") for name, each in below.items() if each.type == "array"}
    rows = {name: each for name, each in lists.items() if each.properties}
    if len(rows) > 1:
        rows = {name: each for name, each in rows.items() if folded(name) == folded(noun)}
    found = [*rows.values()] or [row_of_list(each, noun, depth + 1) for each in below.values() if each.type == "object"]
    found = [each for each in found if each]
    return found[0] if len(found) == 1 else NOTHING


def unwrapped(schema: DocumentNode, depth: int = 0) -> DocumentNode:
    """Return the row itself, where an answer is an object of the row and at most a few words about it."""
    properties = schema.properties
    objects = [each for each in properties.values() if each.type == "object" and each.properties]
    if depth > _DEEPEST or len(objects) != 1 or names_key(schema):
        return schema
    inner = unwrapped(objects[0], depth + 1)
    has_id = any(folded(name) in _KEYLIKE for name in inner.properties)
    return inner if len(properties) == 1 or has_id else schema


def names_key(schema: DocumentNode) -> bool:
    """Return whether a property is called as keys are."""
    names = [tokens(name) for name in schema.properties]
    return any(each[-1] in ("id", "sid", "gid", "uuid") and each[0] not in _OF_CALLS for each in names)


def _is_state(node: DocumentNode) -> bool:
    return bool(node.choices) or node.type == "boolean" and not isinstance(node.fields.get("default"), bool)


def _rows_in(example: Any, resource: Shape, depth: int = 0) -> list[Any]:
    """Return the rows of an example answer, in whatever envelopes."""
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
            kind, part = resource.table.columns[place].kind, value
            if isinstance(value, dict) and kind != "json":
                part = {folded(f"{name}_{each}"): inner for each, inner in value.items()}.get(folded(place))
            if kind == "json" and part is not None and not isinstance(part, str):
                part = json.dumps(part)
            elif kind not in ("integer", "real", "boolean") and isinstance(part, int | float):
                part = as_written(part)
            if part is not None or place not in row:
                row[place] = part
    rows, key = resource.table.rows, resource.table.key
    values = [row.get(each) for each in key]
    if key and None not in values and values not in [[other.get(each) for each in key] for other in rows]:
        rows.append(row)
