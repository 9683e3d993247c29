"""Which columns a JSON Schema of an object makes: types, enums, foreign keys, parts of nested objects, JSON text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import inflection

from generator.twin.account import Account
from generator.twin.document import BadReference, DocumentNode, as_written
from generator.twin.source import Kind, Reference, SourceColumn, SourceTable

_DEEPEST = 6  # levels of allOf and oneOf
_MOST_PARTS = 8  # scalar parts of a nested object that become columns of their own
_FORMATS: dict[str, Kind] = {"date": "date", "date-time": "timestamp", "time": "time"}
_FORMS: dict[str, Literal["uuid", "email", "uri"]] = {"uuid": "uuid", "email": "email", "uri": "uri", "url": "uri"}
_SECRET = {"password", "passwd", "passphrase", "secret", "token", "pin"}
_SCALARS = {"string", "integer", "number", "boolean"}
_MONEY = {"price", "amount", "total", "cost", "fee", "balance", "subtotal", "tax", "discount", "rate", "deposit"}
_KEYS = ("id", "key", "code", "number", "uuid", "slug", "name")  # too common to name a table by themselves
_UNKEPT = ("pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "dependentRequired")


def words_of(name: str) -> list[str]:
    """The words of an identifier, lower case: "petId", "pet_id" and "pet-id" are ["pet", "id"]."""
    words = [word for word in inflection.underscore(name).replace(".", "_").replace(" ", "_").split("_") if word]
    return words or [name]


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


@dataclass
class Shape:
    """The columns that the properties of an object become, and which property became which columns."""

    table: SourceTable
    account: Account
    row: DocumentNode | None = None
    """The schema of a row; None if only the tools that make rows say what they hold."""
    identities: set[str] = field(default_factory=set)
    """The addresses of schemas that describe its rows."""
    places: dict[str, list[str]] = field(default_factory=dict)
    """By the document's name of a property, folded: the columns that hold it."""

    def column_for(self, name: str) -> SourceColumn | None:
        """The column that a parameter of this name is about, if one holds it whole."""
        for each in (folded(name), folded(name) + "id", folded(inflection.singularize(name)), folded(name) + "s"):
            columns = self.places.get(each)
            if columns and len(columns) == 1:
                return self.table.columns[columns[0]]
        return None

    def add_all(
        self,
        properties: Mapping[str, DocumentNode],
        required: set[str],
        table_of: Callable[[DocumentNode], SourceTable | None],
    ) -> None:
        """Add what the properties become, scalars first: an object beside its own id is one column with it."""
        nested = {name: schema for name, schema in properties.items() if known_type(schema) not in _SCALARS | {""}}
        for name, schema in properties.items():
            if name not in nested:
                self.add(name, schema, name in required)
        for name, schema in nested.items():
            self._add_nested(name, schema, name in required, table_of)
        order = [column for name in properties for column in self.places.get(folded(name), [])]
        self.table.columns = {name: self.table.columns[name] for name in (*self.table.key, *order, *self.table.columns)}

    def add(self, name: str, schema: DocumentNode, required: bool) -> None:
        """Add a column for a scalar."""
        try:
            self.put(name, self._scalar(name, schema, required))
        except BadReference:
            self.account.lose("column", f"{self.table.name}.{name}", "Columns whose $ref leads nowhere")

    def _add_nested(
        self,
        name: str,
        schema: DocumentNode,
        required: bool,
        table_of: Callable[[DocumentNode], SourceTable | None],
    ) -> None:
        """Add what an object or a list becomes: the key of the row that it shows, its few scalars, or a JSON text."""
        try:
            kind, inner = type_of(schema), only(schema)
            parent = table_of(schema) if kind == "object" else None
            parts = properties_of(inner) if kind == "object" else {}
            if parent is not None and len(parent.key) == 1:
                key = parent.columns[parent.key[0]]
                self._part(
                    name, SourceColumn(f"{name}_{key.name}", key.kind, required, comment=schema.text("description"))
                )
                self._refer(self.places[folded(name)][0], parent)
                what = "Columns that hold the key of an object that the document shows whole"
            elif parts and len(parts) <= _MOST_PARTS and all(is_scalar(part) for part in parts.values()):
                needed = required_of(inner)
                for part, below in parts.items():
                    self._part(name, self._scalar(f"{name}_{part}", below, required and part in needed))
                what = "Columns that are parts of an object"
            else:
                self.put(name, SourceColumn(name, "json", required, comment=schema.text("description")))
                what = "Columns kept as one JSON text, whose parts nothing checks"
        except BadReference:
            self.account.lose("column", f"{self.table.name}.{name}", "Columns whose $ref leads nowhere")
            return
        for column in self.places[folded(name)]:
            self.account.change("column", f"{self.table.name}.{column}", what)

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
        if all(each.columns != (column,) for each in self.table.references):
            self.table.references.append(Reference((column,), parent.name, parent.key))

    def _part(self, name: str, column: SourceColumn) -> None:
        """Put a part of a property, or the column that holds it already: `lockerId` beside `locker`."""
        known = self.places.get(folded(column.name))
        if known is None:
            self.put(name, column)
            return
        self.table.columns[known[0]].required |= column.required
        self.places.setdefault(folded(name), []).append(known[0])

    def put(self, name: str, column: SourceColumn) -> None:
        """Add a column that holds a property, or a part of it."""
        self.table.columns[column.name] = column
        self.account.keep("column", f"{self.table.name}.{column.name}")
        self.places.setdefault(folded(name), []).append(column.name)
        if folded(column.name) != folded(name):
            self.places.setdefault(folded(column.name), []).append(column.name)

    def _scalar(self, name: str, schema: DocumentNode, required: bool) -> SourceColumn:
        where = f"{self.table.name}.{name}"
        inner, stated = only(schema), type_of(schema)
        value = inner.value if isinstance(inner.value, dict) else {}
        column = SourceColumn(name, _kind(stated, value), required and not is_nullable(schema))
        column.comment = schema.text("description") or inner.text("description")
        given = value.get("enum") or ([value["const"]] if "const" in value else [])
        choices = [as_written(each) for each in given if each is not None]
        if column.kind == "text":
            column.choices = tuple(dict.fromkeys(choices))
            column.form = _FORMS.get(str(value.get("format")), "")
            column.longest = value.get("maxLength") if isinstance(value.get("maxLength"), int) else None
            if isinstance(value.get("minLength"), int) and value["minLength"] > 0 and not choices:
                self._check(f'length("{name}") >= {value["minLength"]}', where)
        elif choices and stated in ("integer", "number"):
            self._check(f'"{name}" IN ({", ".join(choices)})', where)
        if choices:
            self.account.keep("choices", where)
        if column.kind == "real":
            step = as_written(value.get("multipleOf"))
            column.decimals = len(step.rstrip("0")) - 2 if step.startswith("0.") and step.strip("0.") == "1" else None
            if column.decimals is None and _MONEY & set(words_of(name)):
                column.decimals = 2
                self.account.change("column", where, "Amounts of money by their names, with two decimals")
        column.hidden = schema.flag("writeOnly") or inner.flag("writeOnly")
        column.secret = value.get("format") == "password" or bool(_SECRET & set(words_of(name)))
        column.least, column.most = self._bound(value, "inimum", name), self._bound(value, "aximum", name)
        column.default = _default(value.get("default"), column.kind)
        if column.default is not None:
            self.account.keep("default", where)
        unkept = [each for each in _UNKEPT if each in value]
        if "multipleOf" in value and column.decimals is None:
            unkept.append("multipleOf")
        if unkept:
            self.account.lose("check", where, f"Conditions that are not checked ({', '.join(unkept)})")
        return column

    def _check(self, check: str, where: str) -> None:
        self.table.checks.append(check)
        self.account.keep("check", where)

    def _bound(self, value: Mapping[str, Any], name: str, column: str) -> float | None:
        """A least or greatest value; one that is itself excluded becomes a check (3.0 and 3.1 write it differently)."""
        inclusive, exclusive = value.get("m" + name), value.get("exclusiveM" + name)
        if exclusive is True and inclusive is not None:
            inclusive, exclusive = None, inclusive
        if isinstance(exclusive, int | float) and not isinstance(exclusive, bool):
            sign = ">" if name == "inimum" else "<"
            self._check(f'"{column}" {sign} {as_written(exclusive)}', f"{self.table.name}.{column}")
        return inclusive if isinstance(inclusive, int | float) and not isinstance(inclusive, bool) else None


def _default(value: Any, kind: Kind) -> Any:
    if value is None or isinstance(value, dict | list):
        return None
    return as_written(value) if kind not in ("integer", "real", "boolean") else value


def _kind(stated: str, value: Mapping[str, Any]) -> Kind:
    if stated == "string":
        return _FORMATS.get(str(value.get("format")), "text")
    kinds: dict[str, Kind] = {"integer": "integer", "number": "real", "boolean": "boolean"}
    return kinds.get(stated, "text")


def is_scalar(schema: DocumentNode) -> bool:
    return type_of(schema) in _SCALARS


def known_type(schema: DocumentNode) -> str:
    """The type of a schema; "" if its $ref leads nowhere."""
    try:
        return type_of(schema)
    except BadReference:
        return ""


def _is_null(schema: DocumentNode) -> bool:
    return isinstance(schema.value, dict) and schema.value.get("type") == "null"


def _alternatives(schema: DocumentNode) -> list[DocumentNode]:
    return [each for key in ("oneOf", "anyOf") for each in schema.entries(key) if not _is_null(each)]
