"""Which tables an OpenAPI document has: the rows that its paths list, show or take."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.twin.document import DocumentNode
from generator.twin.shapes import (
    Shape,
    folded,
    noun_of,
    only,
    plain,
    properties_of,
    required_of,
    type_of,
    words_of,
)
from generator.twin.source import SourceTable, TwinSource

METHODS = ("get", "post", "put", "patch", "delete")
_NATURAL = ("slug", "code", "key", "number", "login", "username", "uuid", "sku", "isbn", "name")
_CLOCK = {"created", "updated", "modified", "timestamp", "at", "inserted"}

Path = tuple[str, ...]
"""The segments of a path, with every parameter as "{}": what `/pets/{petId}` and `/pets/{id}` share."""


@dataclass
class ApiCall:
    """An operation of the document."""

    method: str
    path: str
    node: DocumentNode
    item: DocumentNode
    """The path's own entry, whose parameters all its operations have."""

    @property
    def said(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def segments(self) -> list[str]:
        return [each for each in self.path.strip("/").split("/") if each]

    @property
    def shape(self) -> Path:
        return tuple("{}" if is_parameter(each) else each for each in self.segments)

    def parameters(self) -> list[DocumentNode]:
        """The parameters, those of the path first; one that the operation states anew replaces the path's."""
        found = {}
        for each in [*self.item.entries("parameters"), *self.node.entries("parameters")]:
            found[each.text("name"), each.text("in")] = each.resolved()
        return list(found.values())

    def body(self) -> tuple[DocumentNode | None, str]:
        """The schema of a JSON body, or none and why: "" if there is no body."""
        body = self.node.get("requestBody")
        return (None, "") if body is None else _json_of(body, "its body is not JSON")

    def answer(self) -> tuple[DocumentNode | None, str]:
        """The schema of the first successful JSON answer, or none and why; an empty answer is fine."""
        responses = self.node.get("responses")
        for status, response in responses.items() if responses is not None else ():
            if status.startswith("2") or status == "default":
                return _json_of(response, "its answer is not JSON")
        return None, ""

    def examples(self) -> Iterator[Any]:
        """The example answers of the document, as they stand."""
        responses = self.node.get("responses")
        for status, response in responses.items() if responses is not None else ():
            content = response.get("content")
            for kind, media in content.items() if content is not None and status.startswith("2") else ():
                if "json" not in kind:
                    continue
                single, several = media.get("example"), media.get("examples")
                if single is not None:
                    yield plain(single.value)
                for _, example in several.items() if several is not None else ():
                    if (value := example.get("value")) is not None:
                        yield plain(value.value)


@dataclass
class Resource:
    """A table with the paths of its collections."""

    shape: Shape
    schema: DocumentNode
    """Of a row."""
    collections: set[Path] = field(default_factory=set)
    identities: set[str] = field(default_factory=set)

    @property
    def table(self) -> SourceTable:
        return self.shape.table

    def is_only_in(self, path: Path, calls: Sequence[ApiCall]) -> bool:
        """Whether its rows are listed and made at this path alone."""
        return {call.shape for call in calls if call.shape in self.collections} <= {path}


class Resources:
    """The tables of a document, found by the path of their collection or by the schema of their rows."""

    def __init__(self, calls: list[ApiCall], source: TwinSource) -> None:
        self.by_path: dict[Path, Resource] = {}
        self._by_identity: dict[str, Resource] = {}
        for rank in ("item", "list", "made"):
            for call in calls:
                self._find(call, rank)
        self.all = list({id(each): each for each in self.by_path.values()}.values())
        for resource in self.all:
            self._set_key(resource, calls)
        for resource in self.all:
            self._set_columns(resource)
        tables = {each.table.name: each.table for each in self.all}
        for resource in self.all:
            resource.shape.refer_by_name(tables)
            self._set_defaults(resource, calls, source)
            source.tables[resource.table.name] = resource.table
            source.losses += resource.shape.losses
        self._add_rows(calls)

    def of(self, schema: DocumentNode | None) -> Resource | None:
        """The table whose rows a schema describes."""
        return None if schema is None else self._by_identity.get(only(schema).address)

    def _find(self, call: ApiCall, rank: str) -> None:
        schema, _ = call.answer()
        if schema is None or not call.shape:
            return
        ends_in_parameter = call.shape[-1] == "{}"
        if rank == "item" and call.method == "get" and ends_in_parameter and len(call.shape) > 1:
            row, path = unwrapped(schema), call.shape[:-1]
        elif rank == "list" and call.method == "get" and not ends_in_parameter:
            listed = row_of_list(schema)
            if listed is None:
                return
            row, path = listed, call.shape
        elif rank == "made" and call.method == "post" and not ends_in_parameter and "{}" not in call.shape[-2:-1]:
            row, path = unwrapped(schema), call.shape
        else:
            return
        row = only(row)
        if not properties_of(row):
            return
        known = self.by_path.get(path) or self._by_identity.get(row.address or "none")
        if known is None:
            if rank == "made" and not _names_key(row):
                return
            name = self._free_name(noun_of(row.name if row.address else path[-1]), path)
            known = Resource(Shape(SourceTable(name, {}, comment=row.text("description"))), row)
        self.by_path.setdefault(path, known)
        known.collections.add(path)
        if row.address:
            known.identities.add(row.address)
            self._by_identity.setdefault(row.address, known)

    def _free_name(self, name: str, path: Path) -> str:
        taken = {each.table.name for each in self.by_path.values()}
        if name not in taken:
            return name
        longer = "_".join(noun_of(each) for each in path if each != "{}")
        names = [longer, *(f"{name}_{number}" for number in range(2, len(taken) + 3))]
        return next(each for each in names if each not in taken)

    def _set_key(self, resource: Resource, calls: list[ApiCall]) -> None:
        """Choose the key first, since other tables' columns refer to it."""
        properties = properties_of(resource.schema)
        by_fold = {folded(name): name for name in properties}
        noun = resource.table.name
        named = [words_of(each)[-1] if words_of(each) else "" for each in self._item_parameters(resource, calls)]
        wanted = ["id", folded(noun) + "id", *map(folded, self._item_parameters(resource, calls)), *named]
        wanted += [*_NATURAL, *(folded(noun) + each for each in _NATURAL)]
        key = next((by_fold[each] for each in wanted if each in by_fold), None)
        if key is not None and type_of(properties[key]) in ("string", "integer"):
            resource.shape.add(key, properties[key], True, lambda schema: None)
            resource.table.key = (key,)

    def _item_parameters(self, resource: Resource, calls: list[ApiCall]) -> list[str]:
        found = [
            call.segments[-1].strip("{}")
            for call in calls
            if call.shape[-1:] == ("{}",) and self.by_path.get(call.shape[:-1]) is resource
        ]
        return list(dict.fromkeys(found))

    def _set_columns(self, resource: Resource) -> None:
        required = required_of(resource.schema)

        def table_of(schema: DocumentNode) -> SourceTable | None:
            found = self.of(schema)
            return found.table if found is not None and found.table.key else None

        for name, schema in properties_of(resource.schema).items():
            if name not in resource.table.key:
                resource.shape.add(name, schema, name in required, table_of)

    def _set_defaults(self, resource: Resource, calls: list[ApiCall], source: TwinSource) -> None:
        """Say where a new row gets what no request gives: the counter, the clock, a constant."""
        taken, asked = set(), set()
        creates = [call for call in calls if call.method == "post" and call.shape in resource.collections]
        for call in creates:
            body, _ = call.body()
            if body is None:
                continue
            is_row = only(body).address in resource.identities and only(body).address != ""
            needed = required_of(body)
            for name, schema in properties_of(body).items():
                column = resource.shape.column_for(name)
                if column is not None and not schema.flag("readOnly"):
                    taken.add(column.name)
                    if name in needed and not (is_row and words_of(name)[-1] in ("id", "uuid")):
                        asked.add(column.name)
        for column in resource.table.columns.values():
            if column.name in resource.table.key:
                is_given = bool(asked & {column.name})
                column.required, column.made = True, "" if is_given or not creates else "counter"
            elif column.name in taken or not creates:
                continue
            elif column.kind == "timestamp" and _CLOCK & set(words_of(column.name)) and column.required:
                column.made = "clock"
            elif column.default is None and column.choices and column.required:
                column.default = column.choices[0]
                source.losses.append(
                    f"{resource.table.name}.{column.name} of a new row is {column.default!r}, the first of its values: "
                    "the document does not say with which one it begins"
                )
            elif column.default is None and column.kind == "boolean" and column.required:
                column.default = False
                source.losses.append(
                    f"{resource.table.name}.{column.name} of a new row is false: the document does not say so"
                )
            elif column.default is None:
                column.required = False

    def _add_rows(self, calls: list[ApiCall]) -> None:
        """Take the example answers of the document as rows."""
        for resource in self.all:
            for example in [each.value for each in resource.schema.entries("examples")] + [
                node.value for node in [resource.schema.get("example")] if node is not None
            ]:
                _add_row(resource, plain(example))
        for call in calls:
            path = call.shape[:-1] if call.shape[-1:] == ("{}",) else call.shape
            schema, _ = call.answer()
            listed = row_of_list(schema) if schema is not None else None
            holder = self.of(listed) or self.by_path.get(path)
            if holder is None or call.method not in ("get", "post"):
                continue
            for example in call.examples():
                for row in _rows_in(example):
                    _add_row(holder, row)


def is_parameter(segment: str) -> bool:
    return "{" in segment


def row_of_list(schema: DocumentNode) -> DocumentNode | None:
    """The schema of an entry: of an array, or of the one array of objects in an object."""
    if type_of(schema) == "array":
        return only(schema).get("items")
    lists = [only(each).get("items") for each in properties_of(schema).values() if type_of(each) == "array"]
    rows = [each for each in lists if each is not None and properties_of(each)]
    return rows[0] if len(rows) == 1 and not _names_key(schema) else None


def unwrapped(schema: DocumentNode) -> DocumentNode:
    """The row itself, where an answer is an object of nothing but the row."""
    properties = properties_of(schema)
    if len(properties) == 1:
        (inner,) = properties.values()
        if properties_of(inner):
            return inner
    return schema


def _names_key(schema: DocumentNode) -> bool:
    return any(words_of(name)[-1:] == ["id"] for name in properties_of(schema))


def _json_of(holder: DocumentNode, otherwise: str) -> tuple[DocumentNode | None, str]:
    content = holder.get("content")
    if content is None or not [*content.items()]:
        return None, ""
    for kind, media in content.items():
        if "json" in kind or kind == "*/*":
            return media.get("schema"), ""
    return None, f"{otherwise} ({', '.join(kind for kind, _ in content.items())})"


def _rows_in(example: Any) -> list[Any]:
    if isinstance(example, dict):
        lists = [each for each in example.values() if isinstance(each, list) and each and isinstance(each[0], dict)]
        return lists[0] if len(lists) == 1 and "id" not in example else [example]
    return example if isinstance(example, list) else []


def _add_row(resource: Resource, given: Any) -> None:
    """Add an example as a row, if it has the key and no row with that key is there."""
    if not isinstance(given, dict):
        return
    if len(given) == 1 and isinstance(inner := next(iter(given.values())), dict):
        given = inner
    row: dict[str, Any] = {}
    for name, value in given.items():
        for column in resource.shape.places.get(folded(name), []):
            part: Any = value
            if isinstance(value, dict) and resource.table.columns[column].kind != "json":
                part = value.get(column.removeprefix(f"{name}_"))
            is_text = resource.table.columns[column].kind != "json" or part is None or isinstance(part, str)
            row[column] = part if is_text else json.dumps(part)
    key = resource.table.key
    is_new = all(row.get(each) is not None for each in key) and all(
        any(other.get(each) != row[each] for each in key) for other in resource.table.rows
    )
    if key and is_new:
        resource.table.rows.append(row)
