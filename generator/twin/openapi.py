"""Which operations of an OpenAPI document have a meaning for the rows of a table, and which stay open, and why."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import replace

import inflection

from generator.twin.document import Document, DocumentNode
from generator.twin.meanings import PAGING, OpenOperation, role_of, state_of
from generator.twin.resources import METHODS, ApiCall, Resource, Resources, is_parameter, row_of_list, unwrapped
from generator.twin.shapes import folded, noun_of, only, properties_of, required_of, type_of, words_of
from generator.twin.source import (
    Operation,
    OperationParameter,
    Reference,
    Role,
    SourceColumn,
    TwinSource,
    Verb,
)
from runtime.errors import UsageError

_LONGEST_WORDS = 400


def read_openapi(document: Document, title: str = "") -> TwinSource:
    """Read an OpenAPI 3.0 or 3.1 document; errors: UsageError."""
    root = document.root
    said = document.address if document.is_remote else title
    version = str(root.value.get("openapi", "")) if isinstance(root.value, dict) else ""
    if isinstance(root.value, dict) and "swagger" in root.value:
        raise UsageError(
            f"{said!r} is Swagger {root.value['swagger']}; convert it to OpenAPI 3.0 or 3.1 first "
            "(editor.swagger.io: Edit, Convert to OpenAPI 3)."
        )
    if not version.startswith(("3.0", "3.1")):
        raise UsageError(f"{said!r} is not an OpenAPI 3.0 or 3.1 document: its 'openapi' is {version!r}.")
    info = root.get("info")
    name = info.text("title") if info is not None else ""
    source = TwinSource(name or title, f"{title} (OpenAPI {version})")
    try:
        calls = _calls(root)
        if not calls:
            raise UsageError(f"{said!r} has no operations: its 'paths' are empty.")
        resources = Resources(calls, source)
        _add_operations(calls, resources, source)
    except RecursionError as error:
        raise UsageError(f"{said!r} has schemas that contain themselves without end.") from error
    if not source.tables:
        raise UsageError(f"{said!r} has no rows: none of its {len(calls)} operations lists or shows objects.")
    _list_losses(root, calls, source)
    return source


def _calls(root: DocumentNode) -> list[ApiCall]:
    paths = root.get("paths")
    return [
        ApiCall(method, path, node, item)
        for path, item in (paths.items() if paths is not None else ())
        for method in METHODS
        if (node := item.get(method)) is not None
    ]


def _add_operations(calls: Sequence[ApiCall], resources: Resources, source: TwinSource) -> None:
    names: set[str] = set()
    for call in calls:
        try:
            operation = _Reading(call, calls, resources, source).operation()
        except OpenOperation as reason:
            source.opened[call.said] = str(reason)
            continue
        name = operation.name
        number = 2
        while name in names:
            name, number = f"{operation.name}_{number}", number + 1
        names.add(name)
        source.operations.append(replace(operation, name=name))


class _Reading:
    """One operation: what its path, parameters and body say about a table."""

    def __init__(self, call: ApiCall, calls: Sequence[ApiCall], resources: Resources, source: TwinSource) -> None:
        self.call, self.calls, self.resources, self.source = call, calls, resources, source
        self.body, why = call.body()
        if why:
            raise OpenOperation(why)
        self.answer, why = call.answer()
        if why:
            raise OpenOperation(why)
        if not call.segments:
            raise OpenOperation("it has no path")

    def operation(self) -> Operation:
        call, shape = self.call, self.call.shape
        if shape[-1] == "{}":
            resource = self.resources.by_path.get(shape[:-1])
            if resource is None:
                raise OpenOperation("no operation lists or shows what its path names")
            return self._of_row(resource)
        if call.method == "get":
            return self._find()
        collection = self.resources.by_path.get(shape)
        if call.method == "post" and collection is not None:
            return self._create(collection)
        parent = self.resources.by_path.get(shape[:-2]) if len(shape) > 1 and shape[-2] == "{}" else None
        if parent is not None and call.method in ("post", "put", "patch"):
            return self._act(parent)
        if parent is not None and call.method == "delete" and self.body is None:
            return self._undo(parent)
        if call.method in ("put", "patch") and collection is not None:
            return self._of_row(collection)
        if call.method == "delete":
            raise OpenOperation("it deletes something that has no key in its path")
        raise OpenOperation("its path leads to no table, so the document does not say what it changes")

    def _of_row(self, resource: Resource) -> Operation:
        verbs: dict[str, Verb] = {"get": "get", "delete": "delete", "put": "update", "patch": "update"}
        if (verb := verbs.get(self.call.method)) is None:
            raise OpenOperation("it is a POST to a single row: the document does not say what it changes")
        keys = self._keys(resource)
        if self.call.method in ("put", "patch"):
            if self.body is None:
                raise OpenOperation("it has no body, so the document does not say what it changes")
            values = self._values(resource)
            if not any(each.role == "value" for each in values):
                raise OpenOperation("its body names no column but the key")
            if self.call.method == "put":
                self.source.losses.append(f"{self.call.said}: what its body does not name stays as it is")
            return self._made(verb, resource, [*keys, *self._without(values, keys)])
        if self.body is not None:
            raise OpenOperation(f"it is a {self.call.method.upper()} with a body")
        self._leave_out_queries()
        return self._made(verb, resource, keys)

    def _find(self) -> Operation:
        if self.answer is None:
            raise OpenOperation("the document does not say what it answers")
        row = row_of_list(self.answer)
        if row is None:
            known = self.resources.of(self.answer)
            raise OpenOperation(
                "it shows a single row that no key in the path names"
                if known is not None
                else "its answer is not a list of rows of a table"
            )
        resource = self.resources.of(row) or self.resources.by_path.get(self.call.shape)
        if resource is None or not properties_of(row):
            raise OpenOperation("it lists values, not rows of a table")
        return self._made("find", resource, [*self._parents(resource, "equals"), *self._filters(resource)])

    def _create(self, resource: Resource) -> Operation:
        if self.body is None:
            raise OpenOperation("it makes a row of nothing that is said")
        parents = self._parents(resource, "value")
        values = self._values(resource)
        return self._made("create", resource, [*parents, *self._without(values, parents)])

    def _act(self, parent: Resource) -> Operation:
        last = self.call.segments[-1]
        keys = self._keys(parent)
        names = [last]
        if self.body is not None and len(properties := properties_of(self.body)) == 1:
            names += [f"{last}_{name}" for name in properties]  # assignee with {"login": ...}: assignee_login
        column = next((each for name in names if (each := parent.shape.column_for(name)) is not None), None)
        if column is not None and column.name not in parent.table.key and self.body is not None:
            return self._made("set", parent, [*keys, *self._part(parent, column)])
        name, value = state_of(last, parent.table)
        for each in parent.table.columns.values():
            if each.kind in ("date", "timestamp") and value is not False and folded(str(value)) in folded(each.name):
                self.source.losses.append(f"{self.call.said}: whether it fills {each.name} the document does not say")
        values = [] if self.body is None else self._values(parent)
        return self._made("set", parent, [*keys, *self._without(values, keys)], {name: value})

    def _undo(self, parent: Resource) -> Operation:
        """DELETE of what POST turns on: /articles/{slug}/favorite."""
        name, value = state_of(self.call.segments[-1], parent.table)
        if value is not True:
            raise OpenOperation("it deletes something that has no key in its path")
        return self._made("set", parent, self._keys(parent), {name: False})

    def _part(self, resource: Resource, column: SourceColumn) -> list[OperationParameter]:
        """The one value of a body such as {"status": ...} or {"value": ...}."""
        assert self.body is not None
        properties = properties_of(self.body)
        if len(properties) != 1:
            return self._values(resource)
        ((name, schema),) = properties.items()
        return [OperationParameter(name, "value", column.name, True, _words(schema))]

    def _keys(self, resource: Resource) -> list[OperationParameter]:
        """The parameters of the path that name the row: its key, and those of the rows it belongs to."""
        if len(resource.table.key) != 1:
            raise OpenOperation(f"a row of {resource.table.name} has no key that its path names")
        described = {each.text("name"): _words(each) for each in self.call.parameters() if each.text("in") == "path"}
        places = [at for at, each in enumerate(self.call.segments) if is_parameter(each)]
        if not places:
            return [self._key_in_body(resource)]
        own = places[-1]
        if self.call.shape[: own + 1] not in {(*path, "{}") for path in resource.collections}:
            raise OpenOperation("its path names a row of another table")
        name = self.call.segments[own].strip("{}")
        key = OperationParameter(name, "key", resource.table.key[0], True, described.get(name, ""))
        return [key, *self._parents(resource, "key", places[:-1])]

    def _key_in_body(self, resource: Resource) -> OperationParameter:
        """The key of a row that no path names: PUT /pet with the whole pet."""
        for name, schema in properties_of(self.body).items() if self.body is not None else ():
            column = resource.shape.column_for(name)
            if column is not None and column.name == resource.table.key[0]:
                return OperationParameter(name, "key", column.name, True, _words(schema))
        raise OpenOperation("neither its path nor its body names a row")

    def _parents(self, resource: Resource, role: Role, places: Sequence[int] | None = None) -> list[OperationParameter]:
        """The parameters of the path that name the rows to which this table's rows belong."""
        segments = self.call.segments
        if places is None:
            places = [at for at, each in enumerate(segments) if is_parameter(each)]
        described = {each.text("name"): each for each in self.call.parameters() if each.text("in") == "path"}
        found = []
        for at in places:
            name = segments[at].strip("{}")
            parent = self.resources.by_path.get(self.call.shape[:at])
            schema = described[name].get("schema") if name in described else None
            column = self._parent_column(resource, name, parent, schema)
            words = _words(described[name]) if name in described else ""
            found.append(OperationParameter(name, role, column, True, words))
        return found

    def _parent_column(
        self, resource: Resource, name: str, parent: Resource | None, schema: DocumentNode | None
    ) -> str:
        table = resource.table
        if parent is not None:
            for reference in table.references:
                if reference.table == parent.table.name:
                    return reference.columns[0]
        column = resource.shape.column_for(name)
        if column is not None and column.name not in table.key:
            return column.name
        if parent is resource or not resource.is_only_in(self.call.shape, self.calls):
            raise OpenOperation(f"no column of {table.name} says to which {name} a row belongs")
        if parent is not None and len(parent.table.key) == 1:
            key = parent.table.columns[parent.table.key[0]]
            noun = parent.table.name
            added = SourceColumn(name if folded(name) != folded(key.name) else f"{noun}_{key.name}", key.kind, True)
            table.references.append(Reference((added.name,), parent.table.name, parent.table.key))
        else:
            kind = type_of(schema) if schema is not None else "string"
            added = SourceColumn(name, "integer" if kind == "integer" else "text", True)
        owner = parent.table.name if parent is not None else noun_of(name)
        added.comment = f"The {' '.join(words_of(owner))} that it belongs to"
        table.columns[added.name] = added
        resource.shape.places.setdefault(folded(name), []).append(added.name)
        self.source.losses.append(
            f"{table.name}.{added.name}: the path of {self.call.said} says it, the rows of the document do not"
        )
        return added.name

    def _filters(self, resource: Resource) -> list[OperationParameter]:
        found = []
        for each in self.call.parameters():
            if each.text("in") != "query":
                continue
            name, fold = each.text("name"), folded(each.text("name"))
            required = each.flag("required")
            column = resource.shape.column_for(name)
            role, about = role_of(name, fold, column, resource.shape)
            if role is not None:
                found.append(OperationParameter(name, role, about, required, _words(each)))
            elif fold in PAGING or not required:
                self._leave_out(f"query parameter {name!r}")
            else:
                raise OpenOperation(f"its query parameter {name!r} is not a column of {resource.table.name}")
        return found

    def _values(self, resource: Resource) -> list[OperationParameter]:
        """What a body gives; errors: OpenOperation for a body that says more than the rows hold."""
        assert self.body is not None
        body = unwrapped(self.body)
        if body is not self.body and any(resource.shape.places.get(folded(each)) for each in properties_of(self.body)):
            body = self.body  # what is wrapped is a part of the row
        properties = properties_of(body)
        if not properties:
            raise OpenOperation("its body is a list or a free object")
        required = required_of(body) if self.call.method != "patch" else set()
        found = []
        for name, schema in properties.items():
            columns = resource.shape.places.get(folded(name), [])
            single = resource.shape.column_for(name)
            if schema.flag("readOnly"):
                continue
            if single is not None and single.name in resource.table.key and single.made == "counter":
                if self.call.method == "post":
                    self._leave_out(f"{name!r}, which the twin numbers itself,")
            elif single is not None:
                found.append(OperationParameter(name, "value", single.name, name in required, _words(schema)))
            elif len(columns) > 1 and type_of(schema) == "object":
                inner = required_of(only(schema))
                parts = {f"{name}_{part}": below for part, below in properties_of(schema).items()}
                found += [
                    OperationParameter(part, "value", part, name in required and part[len(name) + 1 :] in inner, words)
                    for part, below in parts.items()
                    if part in columns and (words := _words(below)) is not None
                ]
            elif name in required:
                raise OpenOperation(f"its body says {name!r}, which no column of {resource.table.name} holds")
            else:
                self._leave_out(f"{name!r}, which no column of {resource.table.name} holds,")
        return found

    def _without(
        self, values: Sequence[OperationParameter], others: Sequence[OperationParameter]
    ) -> list[OperationParameter]:
        """The values whose columns the path does not already give."""
        taken = {each.column for each in others}
        return [each for each in values if each.column not in taken]

    def _leave_out_queries(self) -> None:
        for each in self.call.parameters():
            if each.text("in") == "query":
                self._leave_out(f"query parameter {each.text('name')!r}")

    def _leave_out(self, what: str) -> None:
        self.source.losses.append(f"{self.call.said}: {what} is left out")

    def _made(
        self,
        verb: Verb,
        resource: Resource,
        parameters: Sequence[OperationParameter],
        constants: Mapping[str, object] | None = None,
    ) -> Operation:
        words = self.call.node.text("description") or self.call.node.text("summary")
        name = "_".join(words_of(self.call.node.text("operationId").replace("/", "_"))) or self._name(verb, resource)
        name = "".join(each for each in name if each.isalnum() or each == "_").strip("_") or self._name(verb, resource)
        name = f"{name}_" if keyword.iskeyword(name) else name
        said = self.call.said
        return Operation(
            name, verb, resource.table.name, tuple(parameters), dict(constants or {}), words[:_LONGEST_WORDS], said
        )

    def _name(self, verb: Verb, resource: Resource) -> str:
        noun, last = resource.table.name, "_".join(words_of(self.call.segments[-1]))
        if verb == "find":
            return f"list_{inflection.pluralize(noun)}"
        return f"{last}_{noun}" if verb == "set" else f"{verb}_{noun}"


def _words(node: DocumentNode) -> str:
    inner = node.get("schema")
    return (node.text("description") or (inner.text("description") if inner is not None else ""))[:_LONGEST_WORDS]


def _list_losses(root: DocumentNode, calls: Sequence[ApiCall], source: TwinSource) -> None:
    """What the document says beside tables and operations."""
    source.losses.append("answers have the twin's form: no envelopes, status codes or headers of the document")
    components = root.get("components")
    schemes = components.get("securitySchemes") if components is not None else None
    for name, scheme in schemes.items() if schemes is not None else ():
        source.losses.append(f"security {name!r} ({scheme.text('type')}): tools take no credentials")
    webhooks = root.get("webhooks")
    source.losses += [f"webhook {name!r}" for name, _ in (webhooks.items() if webhooks is not None else ())]
    for call in calls:
        for each in call.parameters():
            if each.text("in") in ("header", "cookie"):
                source.losses.append(f"{call.said}: {each.text('in')} parameter {each.text('name')!r} is left out")
        source.losses += [f"{call.said}: {part}" for part in ("callbacks",) if call.node.get(part) is not None]
    source.losses[:] = list(dict.fromkeys(source.losses))
