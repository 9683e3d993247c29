"""Which columns a JSON Schema of an object makes: types, enums, foreign keys, parts of nested objects, JSON text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import inflection

from generator.twin.document import DocumentNode
from generator.twin.source import Kind, Reference, SourceColumn, SourceTable

_DEEPEST = 6  # levels of allOf and oneOf
_MOST_PARTS = 8  # scalar parts of a nested object that become columns of their own
_FORMATS: dict[str, Kind] = {"date": "date", "date-time": "timestamp", "time": "time"}
_MONEY = {"price", "amount", "total", "cost", "fee", "balance", "subtotal", "tax", "discount", "rate", "deposit"}
_KEYS = ("id", "key", "code", "number", "uuid", "slug", "name")  # too common to name a table by themselves
_UNKEPT = ("pattern", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "dependentRequired")


def words_of(name: str) -> list[str]:
    """The words of an identifier, lower case: "petId", "pet_id" and "pet-id" are ["pet", "id"]."""
    return [word for word in inflection.underscore(name).replace(".", "_").replace(" ", "_").split("_") if word]


def folded(name: str) -> str:
    """A name for comparing: "petId" and "pet_id" are the same."""
    return "".join(words_of(name))


def noun_of(name: str) -> str:
    """The singular of a name in snake_case: "Pets" is "pet", "order-lines" is "order_line"."""
    *head, last = words_of(name) or ["thing"]
    return "_".join([*head, inflection.singularize(last)])


def type_of(schema: DocumentNode) -> str:
    """object, array, string, integer, number, boolean, union or any; null beside another type does not count."""
    value = schema.value
    if not isinstance(value, dict):
        return "any"
    stated = value.get("type")
    if isinstance(stated, list):
        others = [each for each in stated if each != "null"]
        stated = others[0] if len(others) == 1 else "union" if others else None
    if isinstance(stated, str):
        return stated
    if "properties" in value or "allOf" in value:
        parts = schema.entries("allOf")
        return type_of(parts[0]) if len(parts) == 1 and "properties" not in value else "object"
    if "items" in value:
        return "array"
    if alternatives := _alternatives(schema):
        return type_of(alternatives[0]) if len(alternatives) == 1 else "union"
    choices = value.get("enum") or ([value["const"]] if "const" in value else [])
    return "string" if choices and all(isinstance(each, str) for each in choices) else "any"


def only(schema: DocumentNode) -> DocumentNode:
    """The one alternative of a schema beside null, or the schema itself."""
    alternatives = _alternatives(schema) or schema.entries("allOf")
    has_own = "properties" in schema.value or "enum" in schema.value if isinstance(schema.value, dict) else True
    return only(alternatives[0]) if len(alternatives) == 1 and not has_own else schema.resolved()


def properties_of(schema: DocumentNode, depth: int = 0) -> dict[str, DocumentNode]:
    """The properties of an object, those of allOf and of a single alternative included; {} if it is none."""
    value = schema.value
    if not isinstance(value, dict) or depth > _DEEPEST:
        return {}
    found: dict[str, DocumentNode] = {}
    for part in schema.entries("allOf"):
        found |= properties_of(part, depth + 1)
    alternatives = _alternatives(schema)
    if len(alternatives) == 1:
        found |= properties_of(alternatives[0], depth + 1)
    own = schema.get("properties")
    return found | dict(own.items()) if own is not None else found


def required_of(schema: DocumentNode, depth: int = 0) -> set[str]:
    """The names of the properties that must be there."""
    if depth > _DEEPEST:
        return set()
    found = {str(each.value) for each in schema.entries("required")}
    for part in schema.entries("allOf"):
        found |= required_of(part, depth + 1)
    alternatives = _alternatives(schema)
    return found | required_of(alternatives[0], depth + 1) if len(alternatives) == 1 else found


def is_nullable(schema: DocumentNode) -> bool:
    value = schema.value
    if not isinstance(value, dict):
        return True
    stated = value.get("type")
    nulls = [each for key in ("oneOf", "anyOf") for each in schema.entries(key) if _is_null(each)]
    return value.get("nullable") is True or isinstance(stated, list) and "null" in stated or bool(nulls)


def plain(value: Any) -> Any:
    """A value as JSON has it: YAML's dates are texts again."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@dataclass
class Shape:
    """The columns that the properties of an object become, and which property became which columns."""

    table: SourceTable
    places: dict[str, list[str]] = field(default_factory=dict)
    """By the document's name of a property, folded: the columns that hold it."""
    losses: list[str] = field(default_factory=list)

    def column_for(self, name: str) -> SourceColumn | None:
        """The column that a parameter of this name is about, if one holds it whole."""
        for each in (folded(name), folded(name) + "id", folded(inflection.singularize(name)), folded(name) + "s"):
            columns = self.places.get(each)
            if columns and len(columns) == 1:
                return self.table.columns[columns[0]]
        return None

    def add(
        self, name: str, schema: DocumentNode, required: bool, table_of: Callable[[DocumentNode], SourceTable | None]
    ) -> None:
        """Add what a property becomes. `table_of` gives the table whose rows a nested object shows, if there is one."""
        inner, kind = only(schema), type_of(schema)
        parent = table_of(schema) if kind == "object" else None
        if parent is not None and len(parent.key) == 1:
            key = parent.columns[parent.key[0]]
            column = SourceColumn(f"{name}_{key.name}", key.kind, required, comment=schema.text("description"))
            self._put(name, column)
            self._refer(column.name, parent)
            self.losses.append(f"{self.table.name}.{name}: the document shows the whole row, the twin only its key")
            return
        parts = properties_of(inner) if kind == "object" else {}
        if parts and len(parts) <= _MOST_PARTS and all(_is_scalar(part) for part in parts.values()):
            needed = required_of(inner)
            for part, below in parts.items():
                self._put(name, self._scalar(f"{name}_{part}", below, required and part in needed))
            self.losses.append(f"{self.table.name}.{name}: an object; its parts are columns ({', '.join(parts)})")
            return
        if kind in ("string", "integer", "number", "boolean"):
            self._put(name, self._scalar(name, schema, required))
            return
        words = schema.text("description")
        self._put(name, SourceColumn(name, "json", required, comment=words))
        self.losses.append(f"{self.table.name}.{name}: kept as one JSON text, whose parts nothing checks")

    def refer_by_name(self, tables: Mapping[str, SourceTable]) -> None:
        """Make a column such as `pet_id` a foreign key where a table `pet` has a key of that kind."""
        taken = {column for reference in self.table.references for column in reference.columns}
        for column in self.table.columns.values():
            *noun, last = words_of(column.name)
            if column.name in taken or column.name in self.table.key:
                continue
            named = [tables.get("_".join(noun[start:])) for start in range(len(noun))]  # owner_user_id: of a user
            parents = [each for each in named if each is not None and last in _KEYS]
            if not parents and noun and last not in _KEYS:  # author_login: of the one table whose key is a login
                parents = [each for each in tables.values() if each.key == (last,)]
                parents = parents if len(parents) == 1 else []
            for parent in parents[:1]:
                key = parent.columns[parent.key[0]] if len(parent.key) == 1 else None
                if key is not None and key.kind == column.kind and words_of(key.name)[-1] == last:
                    self._refer(column.name, parent)

    def _refer(self, column: str, parent: SourceTable) -> None:
        self.table.references.append(Reference((column,), parent.name, parent.key))

    def _put(self, name: str, column: SourceColumn) -> None:
        self.table.columns[column.name] = column
        self.places.setdefault(folded(name), []).append(column.name)
        if folded(column.name) != folded(name):
            self.places.setdefault(folded(column.name), []).append(column.name)

    def _scalar(self, name: str, schema: DocumentNode, required: bool) -> SourceColumn:
        inner, stated = only(schema), type_of(schema)
        value = inner.value if isinstance(inner.value, dict) else {}
        column = SourceColumn(name, _kind(stated, value), required and not is_nullable(schema))
        column.comment = schema.text("description") or inner.text("description")
        given = value.get("enum") or ([value["const"]] if "const" in value else [])
        choices = [str(plain(each)) for each in given if each is not None]
        if column.kind == "text":
            column.choices = tuple(dict.fromkeys(choices))
            column.longest = value.get("maxLength") if isinstance(value.get("maxLength"), int) else None
            if isinstance(value.get("minLength"), int) and value["minLength"] > 0 and not choices:
                self.table.checks.append(f'length("{name}") >= {value["minLength"]}')
        elif choices and stated in ("integer", "number"):
            self.table.checks.append(f'"{name}" IN ({", ".join(choices)})')
        if column.kind == "real":
            column.decimals = 2 if value.get("multipleOf") == 0.01 or _MONEY & set(words_of(name)) else None
        column.least, column.most = _bound(value, "inimum", self.table, name), _bound(value, "aximum", self.table, name)
        default = plain(value.get("default"))
        column.default = default if isinstance(default, str | int | float) else None
        unkept = [each for each in _UNKEPT if each in value and value[each] != 0.01]
        self.losses += [f"{self.table.name}.{name}: {each} {value[each]!r} is not checked" for each in unkept]
        return column


def _bound(value: Mapping[str, Any], name: str, table: SourceTable, column: str) -> float | None:
    """A least or greatest value; one that is itself excluded becomes a check (3.0 and 3.1 write it differently)."""
    inclusive, exclusive = value.get("m" + name), value.get("exclusiveM" + name)
    sign = ">" if name == "inimum" else "<"
    if exclusive is True and inclusive is not None:
        inclusive, exclusive = None, inclusive
    if isinstance(exclusive, int | float) and not isinstance(exclusive, bool):
        table.checks.append(f'"{column}" {sign} {exclusive}')
    return inclusive if isinstance(inclusive, int | float) and not isinstance(inclusive, bool) else None


def _kind(stated: str, value: Mapping[str, Any]) -> Kind:
    if stated == "string":
        return _FORMATS.get(str(value.get("format")), "text")
    kinds: dict[str, Kind] = {"integer": "integer", "number": "real", "boolean": "boolean"}
    return kinds.get(stated, "text")


def _is_scalar(schema: DocumentNode) -> bool:
    return type_of(schema) in ("string", "integer", "number", "boolean")


def _is_null(schema: DocumentNode) -> bool:
    return isinstance(schema.value, dict) and schema.value.get("type") == "null"


def _alternatives(schema: DocumentNode) -> list[DocumentNode]:
    return [each for key in ("oneOf", "anyOf") for each in schema.entries(key) if not _is_null(each)]
