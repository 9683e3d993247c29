"""Which columns a JSON Schema of an object makes, and which of them the name of a parameter or an action means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import inflection

from generator.twin.account import Account
from generator.twin.document import NOTHING, SCALARS, BadReference, DocumentNode, as_written
from generator.twin.source import Kind, Reference, Role, SourceColumn, SourceTable
from generator.twin.words import folded, tokens, word_set

_MOST_PARTS = 8  # scalar parts of a nested object that become columns of their own
_TYPES: dict[str, Kind] = {"integer": "integer", "number": "real", "boolean": "boolean"}
_FORMATS: dict[str, Kind] = {"date": "date", "date-time": "timestamp", "time": "time"}
_FORMS: dict[str, Literal["uuid", "email", "uri"]] = {"uuid": "uuid", "email": "email", "uri": "uri", "url": "uri"}
_MONEY = {"price", "amount", "total", "cost", "fee", "balance", "subtotal", "tax", "discount", "rate", "deposit"}
_KEYS = ("id", "key", "code", "number", "uuid", "slug", "name")  # too common to name a table by themselves
_UNKEPT = ("pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "dependentRequired")
_KINDS = {"string": ("text", "date", "timestamp", "time"), "integer": ("integer",), "boolean": ("boolean",)}
_KINDS |= {"number": ("real", "integer"), "object": ("json",)}
ENDLESS = "its schemas contain themselves without end"
PAGING = word_set(
    "page cursor after before startingafter endingbefore pagetoken sort order sortby orderby direction sortdirection "
    "sortorder fields expand include marker"
)
FLAGS = word_set("dryrun force confirm verbose notify preview")  # how a call is made, not what a row holds
EVERYTHING = {"all", "any"}  # values of a filter that filter nothing
NATURAL = ("slug", "code", "key", "number", "login", "username", "uuid", "sku", "isbn", "name")
CLOCK = word_set("created updated modified timestamp at inserted")
_ROLES: dict[Role, frozenset[str]] = {
    "limit": word_set("limit perpage pagesize size count maxresults top first"),
    "offset": word_set("offset skip start startindex"),
    "search": word_set("q query search keyword keywords text term"),
}
_ENDS: dict[Role, frozenset[str]] = {
    "least": word_set("after since from min minimum gte gt start"),
    "most": word_set("before until to max maximum lte lt end"),
}
_STATES = {  # states that are not the past form of the verb that leads to them
    **{"pay": "paid", "send": "sent", "ship": "shipped", "reopen": "open opened", "open": "open"},
    **{"start": "running inprogress active started", "begin": "inprogress active", "stop": "stopped"},
    **{"pause": "paused", "resume": "active running", "submit": "submitted pending", "activate": "active"},
    **{"deactivate": "inactive", "checkout": "checkedout out", "checkin": "checkedin in", "withdraw": "withdrawn"},
    **{"take": "taken", "hold": "onhold held", "retire": "retired"},
    **{"complete": "completed done", "finish": "finished done completed"},
}


class OpenOperation(Exception):
    """Why an operation cannot be built by rule; said to the person in the list of open operations."""


def reason(error: Exception) -> str:
    """Return why an operation stays open."""
    return ENDLESS if isinstance(error, RecursionError) else str(error).rstrip(".")


@dataclass
class Shape:
    """The columns that the properties of an object become, and which property became which columns."""

    table: SourceTable
    account: Account
    by_identity: Mapping[str, Shape]
    """All tables, by the addresses of the schemas that describe their rows."""
    row: DocumentNode = NOTHING
    """The schema of a row; nothing if only the tools that make rows say what they hold."""
    places: dict[str, list[str]] = field(default_factory=dict)
    """By the document's name of a property, folded: the columns that hold it."""

    def column_for(self, name: str) -> SourceColumn | None:
        """Return the column that a parameter of this name is about, if one holds it whole."""
        for each in (folded(name), folded(name) + "id", folded(inflection.singularize(name)), folded(name) + "s"):
            if len(columns := self.places.get(each, [])) == 1:
                return self.table.columns[columns[0]]
        return None

    def parent_in(self, schema: DocumentNode) -> SourceTable | None:
        """Return the table with a key whose rows a schema describes."""
        found = self.by_identity.get(schema.only().address)
        return found.table if found is not None and found.table.key else None

    def add_all(self, properties: Mapping[str, DocumentNode], required: set[str]) -> None:
        """Add what the properties become, scalars first: an object beside its own id is one column with it."""
        for name in sorted(properties, key=lambda name: properties[name].known_type not in SCALARS):
            self.add(name, properties[name], name in required)
        order = [column for name in properties for column in self.places.get(folded(name), [])]
        self.table.columns = {name: self.table.columns[name] for name in (*self.table.key, *order, *self.table.columns)}

    def add(self, name: str, schema: DocumentNode, required: bool) -> None:
        """Add what a property becomes: a column, the key of the row that it shows, its few scalars, or a JSON text."""
        try:
            if schema.is_scalar:
                self.put(name, self._scalar(name, schema, required))
                return
            kind, inner, words = schema.type, schema.only(), schema.text("description")
            parent = self.parent_in(schema) if kind == "object" else None
            parts = inner.properties if kind == "object" else {}
            if parent is not None and len(parent.key) == 1:
                key = parent.columns[parent.key[0]]
                self._part(name, SourceColumn(f"{name}_{key.name}", key.kind, required, comment=words))
                self._refer(self.places[folded(name)][0], parent)
                what = "Columns that hold the key of an object that the document shows whole"
            elif 0 < len(parts) <= _MOST_PARTS and all(part.is_scalar for part in parts.values()):
                for part, below in parts.items():
                    self._part(name, self._scalar(f"{name}_{part}", below, required and part in inner.required))
                what = "Columns that are parts of an object"
            else:
                self.put(name, SourceColumn(name, "json", required, comment=words))
                what = "Columns kept as one JSON text, whose parts nothing checks"
        except BadReference:
            self.account.lose("column", f"{self.table.name}.{name}", "Columns whose $ref leads nowhere")
            return
        for column in self.places[folded(name)]:
            self.account.change("column", f"{self.table.name}.{column}", what)

    def refer_by_name(self, tables: Mapping[str, SourceTable]) -> None:
        """Make a column such as `pet_id` a foreign key where a table `pet` has a key of that kind."""
        for column in self.table.columns.values():
            *noun, last = tokens(column.name)
            if (column.name,) == self.table.key:
                continue
            named = [tables.get("_".join(noun[start:])) for start in range(len(noun))]  # owner_user_id: of a user
            parents = [each for each in named if each is not None and last in _KEYS]
            if not parents and noun and last not in _KEYS:  # author_login: of the one table whose key is a login
                parents = [each for each in tables.values() if each.key == (last,)]
                parents = parents if len(parents) == 1 else []
            for parent in parents[:1]:
                key = parent.columns[parent.key[0]] if len(parent.key) == 1 else None
                if key is not None and key.kind == column.kind and tokens(key.name)[-1] == last:
                    self._refer(column.name, parent)

    def _refer(self, column: str, parent: SourceTable) -> None:
        if all(column not in each.columns for each in self.table.references):
            self.table.references.append(Reference((column,), parent.name, parent.key))

    def _part(self, name: str, column: SourceColumn) -> None:
        """Put a part of a property, or the column that holds it already: `lockerId` beside `locker`."""
        known = self.places.get(folded(column.name))
        if known is None:
            self.put(name, column)
        else:
            self.table.columns[known[0]].required |= column.required
            self.places.setdefault(folded(name), []).append(known[0])

    def put(self, name: str, column: SourceColumn) -> None:
        """Add a column that holds a property, or a part of it."""
        self.table.columns[column.name] = column
        self.account.keep("column", f"{self.table.name}.{column.name}")
        for each in dict.fromkeys((folded(name), folded(column.name))):
            self.places.setdefault(each, []).append(column.name)

    def _scalar(self, name: str, schema: DocumentNode, required: bool) -> SourceColumn:
        where = f"{self.table.name}.{name}"
        inner, stated = schema.only(), schema.type
        value, form = inner.fields, str(inner.fields.get("format"))
        kind = _FORMATS.get(form, "text") if stated == "string" else _TYPES.get(stated, "text")
        column = SourceColumn(name, kind, required and not schema.is_nullable)
        column.comment = schema.text("description") or inner.text("description")
        column.hidden = schema.flag("writeOnly") or inner.flag("writeOnly")
        column.secret = form == "password"  # secret names are known in `secrets`
        choices = [as_written(each) for each in inner.choices if each is not None]
        checks = []
        if kind == "text":
            column.choices, column.form = tuple(dict.fromkeys(choices)), _FORMS.get(form, "")
            column.longest = value["maxLength"] if isinstance(value.get("maxLength"), int) else None
            if isinstance(least := value.get("minLength"), int) and least > 0 and not choices:
                checks.append(f'length("{name}") >= {least}')
        elif choices and stated in ("integer", "number"):
            checks.append(f'"{name}" IN ({", ".join(choices)})')
        if kind == "real":
            step = as_written(value.get("multipleOf"))
            column.decimals = len(step.rstrip("0")) - 2 if step.startswith("0.") and step.strip("0.") == "1" else None
            if column.decimals is None and _MONEY & {*tokens(name)}:
                column.decimals = 2
                self.account.change("column", where, "Amounts of money by their names, with two decimals")
        for end, sign in (("minimum", ">"), ("maximum", "<")):  # what is itself excluded is written in two ways
            bound, outer = value.get(end), value.get(f"exclusive{end.capitalize()}")
            bound, outer = (None, bound) if outer is True else (bound, outer)
            if _is_number(outer):
                checks.append(f'"{name}" {sign} {as_written(outer)}')
            if _is_number(bound):
                column.least, column.most = (bound, None) if sign == ">" else (column.least, bound)
        default = value.get("default")
        if default is not None and not isinstance(default, dict | list):
            column.default = default if kind in ("integer", "real", "boolean") else as_written(default)
            self.account.keep("default", where)
        if choices:
            self.account.keep("choices", where)
        for check in checks:
            self.table.checks.append(check)
            self.account.keep("check", where)
        unkept = [*_UNKEPT, *(["multipleOf"] if column.decimals is None else [])]
        if unkept := [each for each in unkept if each in value]:
            self.account.lose("check", where, f"Conditions that are not checked ({', '.join(unkept)})")
        return column


def fits(column: SourceColumn, schema: DocumentNode) -> bool:
    """Return whether a value of a schema is one of a column."""
    return column.kind == "json" or schema.type in ("any", "union") or column.kind in _KINDS.get(schema.type, ())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def role_of(name: str, shape: Shape) -> tuple[Role | None, str | None]:
    """Return what a filter of a list does by its name, and the column that it is about; (None, None) if unknown."""
    column = shape.column_for(name)
    if column is not None and column.kind != "json":
        return "equals", column.name
    for role, names in _ROLES.items():
        if folded(name) in names:
            return role, None
    words = tokens(name)
    for role, marks in _ENDS.items():
        for mark in (words[-1], words[0]):
            rest = "_".join(each for each in words if each != mark)
            for each in (rest, f"{rest}_at", f"{rest}_on", f"{rest}_date") if rest and mark in marks else ():
                column = shape.column_for(each)  # of a number or a time that "created" or "price" means
                if column is not None and column.kind in ("integer", "real", "date", "timestamp"):
                    return role, column.name
    return None, None


def state_of(verb: str, table: SourceTable) -> tuple[str, str | bool]:
    """Return the column and value to which an action leads: cancel to status 'cancelled'; errors: OpenOperation."""
    wanted = _past_forms(verb)
    stem = "_".join(tokens(verb))
    stems = [stem.removeprefix(prefix) for prefix in ("un", "de", "dis", "in") if stem.startswith(prefix)]
    opposites = {form for each in stems for word in (each, f"en{each}") for form in _past_forms(word)}
    found: list[tuple[str, str | bool]] = []
    for column in table.columns.values():
        found += [(column.name, choice) for choice in column.choices if folded(choice) in wanted]
        if column.kind == "boolean":
            bare = folded(column.name.removeprefix("is_").removeprefix("is"))
            found += [(column.name, value) for value, forms in ((True, wanted), (False, opposites)) if bare in forms]
    if len(found) != 1:
        many = "several columns have" if found else "no column has"
        raise OpenOperation(f"it is an action whose state the document does not name ({many} a value for {verb!r})")
    return found[0]


def _past_forms(verb: str) -> set[str]:
    """Return a verb and its past forms, folded, in American and British spelling: cancel, canceled, cancelled."""
    first, *more = tokens(verb)
    forms = {first, f"{first}ed", f"{first}d", f"{first}{first[-1:]}ed", f"{first}n", f"{first[:-1]}ied"}
    return {"".join([form, *more]) for form in forms} | word_set(_STATES.get(folded(verb), ""))
