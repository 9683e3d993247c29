"""Decide how the tools of a twin are written: a file for each table, from its operations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from generator.twin.operations import safe_name
from generator.twin.rejections import clearable, is_free, kinds_of
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation, OperationParameter, Role, SourceColumn
from generator.twin.words import capital, description_of, free_texts, has_blanks, reference_of, snake
from runtime.domain.load import MOST_TOOLS_PER_FILE
from runtime.wording import a

USUAL_LIMIT, MOST_LIMIT = 25, 100
_IMPORTED = ("Database", "Date", "Field", "Rejection", "Timestamp", "TypedDict", "tool")
_WIDTH = 116


def write_tools(settled: Settled, operations: Sequence[Operation]) -> dict[str, str]:
    """The files of `tools/` by name: for each table with operations one, or several of at most ten tools."""
    files: dict[str, str] = {}
    finders = {each.table: each.name for each in reversed(operations) if each.verb == "find"}
    for table in settled.tables.values():
        own = [operation for operation in operations if operation.table == table.name]
        for number, part in enumerate(_batches(own), 1):
            name = table.name if number == 1 else f"{table.name}_{number}"
            files[f"{name}.py"] = _ToolFile(settled, table, part, finders).text
    return files


def type_of(column: SourceColumn) -> str:
    """The type of a column as a tool declares it."""
    if column.choices:
        return f"Literal[{', '.join(map(_quoted, column.choices))}]"
    types = {"integer": "int", "real": "float", "boolean": "bool", "date": "Date", "timestamp": "Timestamp"}
    return types.get(column.kind, "str")


def _batches(operations: Sequence[Operation]) -> Iterator[Sequence[Operation]]:
    for start in range(0, len(operations), MOST_TOOLS_PER_FILE):
        yield operations[start : start + MOST_TOOLS_PER_FILE]


class _ToolFile:
    """The tools of one table, with the types of what they return."""

    def __init__(
        self, settled: Settled, table: SettledTable, operations: Sequence[Operation], finders: Mapping[str, str]
    ) -> None:
        self._settled, self._table = settled, table
        self._operations, self._finders = operations, finders
        self._one = _class_name(table.noun)
        self._list = f"{self._one}List"
        self.rows = safe_name(snake(table.nouns))
        self._has_truths = any(column.kind == "boolean" for column in table.columns.values())
        self._keyed = {self._key_of(each) for each in operations if each.verb in ("get", "update", "set", "delete")}
        self._keyed.discard(table.key)

    @property
    def text(self) -> str:
        body = [*self._types(), *self._helpers()]
        for operation in self._operations:
            body += ["", "", *self._tool(operation)]
        code = "\n".join(body)
        typing = ", ".join(name for name in ("Annotated", "Literal") if f"{name}[" in code)
        offered = ", ".join(name for name in _IMPORTED if re.search(rf"(?<!\w){name}\b(?!\")", code))
        verbs = list(dict.fromkeys(operation.verb for operation in self._operations))
        head = f'"""{capital(self._table.nouns)}: {_listed(verbs)}."""'
        return "\n".join([head, "", f"from typing import {typing}", "", f"from runtime import {offered}", *body, ""])

    # Types and helpers

    def _types(self) -> Iterator[str]:
        yield from ("", "", f"class {self._one}(TypedDict):")
        for name, column in self._table.columns.items():
            optional = "" if column.required or name in self._table.key else " | None"
            yield f"    {name}: Annotated[{type_of(column)}{optional}, {_quoted(self._described(name))}]"
        if any(operation.verb == "find" for operation in self._operations):
            total = "total" if self.rows != "total" else "total_"
            yield from ("", "", f"class {self._list}(TypedDict):")
            yield f'    {self.rows}: Annotated[list[{self._one}], "{capital(self._order_said)}"]'
            yield f'    {total}: Annotated[int, "How many {self._table.nouns} match, on all pages"]'

    def _helpers(self) -> Iterator[str]:
        table = self._table
        if self._has_truths:
            yield from ("", "", "def _shown(row):", '    """A row as it is returned: 0 and 1 are false and true."""')
            truths = [
                f'"{name}": bool(row["{name}"])'
                if column.required
                else f'"{name}": None if row["{name}"] is None else bool(row["{name}"])'
                for name, column in table.columns.items()
                if column.kind == "boolean"
            ]
            yield f"    return {{**row, {', '.join(truths)}}}"
        for columns in sorted(self._keyed):
            where = " AND ".join(f"{name} = ?" for name in columns)
            yield from ("", "", f"def {_finder(table, columns)}(db, {', '.join(columns)}):")
            yield f'    """The {table.noun} with this {_listed(columns, "and")}; rejects with NOT_FOUND."""'
            query = _quoted(f"SELECT * FROM {table.name} WHERE {where}")
            yield f"    row = db.first({query}, {', '.join(columns)})"
            yield "    if row is None:"
            said = ", ".join(f"{name} {{{name}!r}}" for name in columns)
            yield f'        raise Rejection.not_found(f"No {table.noun} has {said}.")'
            yield "    return row"

    # One tool

    def _tool(self, operation: Operation) -> Iterator[str]:
        table, kinds = self._table, kinds_of(operation, self._settled)
        what = "reads" if operation.verb in ("find", "get") else "writes"
        rejects = f", rejects=[{', '.join(map(_quoted, kinds))}]" if kinds else ""
        yield f'@tool({what}=["{table.name}"]{rejects})'
        returned = self._list if operation.verb == "find" else self._one
        parameters = sorted(operation.parameters, key=lambda each: self._default(each, operation) is not None)
        declared = [self._parameter(each, operation) for each in parameters]
        line = f"def {operation.name}({', '.join(['db: Database', *declared])}) -> {returned}:"
        if len(line) <= _WIDTH and len(declared) < 3:
            yield line
        else:
            yield f"def {operation.name}("
            yield from (f"    {each}," for each in ["db: Database", *declared])
            yield f") -> {returned}:"
        yield from self._manual(operation, list(kinds.items()))
        bodies = {"find": self._find, "get": self._get, "create": self._create, "delete": self._delete}
        yield from bodies.get(operation.verb, self._update)(operation)

    def _manual(self, operation: Operation, kinds: Sequence[tuple[str, str]]) -> Iterator[str]:
        """The docstring: what the tool does, what is particular about it, and what is refused."""
        first, further = self._what(operation)
        paragraphs = [further] if further else []
        if kinds:
            paragraphs.append("Refused with " + "; with ".join(f"{kind} {case}" for kind, case in kinds) + ".")
        yield f'    """{first}' + ("" if paragraphs else '"""')
        for paragraph in paragraphs:
            yield ""
            yield from (f"    {line}" for line in _wrapped(paragraph))
        if paragraphs:
            yield '    """'

    def _what(self, operation: Operation) -> tuple[str, str]:
        noun, nouns = self._table.noun, self._table.nouns
        own = _one_line(operation.description).rstrip(".")
        own = f"{capital(own)}." if own else ""
        match operation.verb:
            case "find":
                has_pages = any(each.role == "limit" for each in operation.parameters)
                paging = (
                    f"At most {MOST_LIMIT} are returned." if not has_pages else "`total` counts those on all pages."
                )
                has_filters = any(each.role not in ("limit", "offset") for each in operation.parameters)
                usual = f"Find {nouns} that fit all that is given." if has_filters else f"List the {nouns}."
                return own or usual, f"{capital(self._order_said)}. {paging}"
            case "get":
                return own or f"Show one {noun}.", ""
            case "create":
                made = [name for name, column in self._table.columns.items() if column.made == "clock"]
                more = f"The current time becomes its {_listed(made, 'and')}." if made else ""
                return own or f"Add {a(noun)}.", f"{more} Returns the new {noun}, with its key.".strip()
            case "delete":
                return own or f"Remove {a(noun)}.", f"Returns the {noun} as it was."
            case "set":
                columns = self._table.columns
                fixed = [
                    f"{name} to {str(bool(value)).lower() if columns[name].kind == 'boolean' else repr(value)}"
                    for name, value in operation.constants.items()
                ]
                given = [each.column or "" for each in operation.parameters if each.role == "value"]
                to = _listed(fixed or [self._described(name).partition(", as ")[0].lower() for name in given])
                return (
                    own or f"Set {'' if fixed else 'the '}{to} {'for' if fixed else 'of'} {a(noun)}.",
                    f"Sets {to}." if own and fixed else "",
                )
        more = "What is left out stays as it is."
        if any(each.role == "clear" for each in operation.parameters):
            more += " To empty a column, name it in `clear`."
        return own or f"Change {a(noun)}.", more

    def _parameter(self, parameter: OperationParameter, operation: Operation) -> str:
        column = self._table.columns.get(parameter.column or "")
        limits = ""
        match parameter.role:
            case "limit":
                kind, limits = "int", f", Field(ge=1, le={MOST_LIMIT})"
            case "offset":
                kind, limits = "int", f", Field(ge={int(_counts_pages(parameter))})"
            case "search":
                kind, limits = "str", ", Field(min_length=1, max_length=200)"
            case "clear":
                kind = f"list[Literal[{', '.join(map(_quoted, clearable(operation, self._table)))}]]"
            case _:
                assert column is not None, f"{operation.name}: {parameter.name} is about no column"
                kind, limits = type_of(column), self._limits(column) if parameter.role == "value" else ""
        default = self._default(parameter, operation)
        optional = " | None" if default == "None" else ""
        if optional == "" and column is not None and not column.required and parameter.role == "value":
            optional = " | None" if operation.verb == "create" and column.default is not None else ""
        annotation = f"Annotated[{kind}{optional}, {_quoted(self._explained(parameter, operation))}{limits}]"
        return f"{parameter.name}: {annotation}" + ("" if default is None else f" = {default}")

    def _limits(self, column: SourceColumn) -> str:
        """What a value must be beside its type, in code."""
        bounds: dict[str, Any] = {}
        if column.kind in ("integer", "real"):
            for name, bound in (("ge", column.least), ("le", column.most)):
                if bound is not None:
                    bounds[name] = int(bound) if float(bound).is_integer() else bound
        elif column.kind in ("text", "json") and not column.choices:
            bounds = {} if not column.required or has_blanks(self._table, column.name) else {"min_length": 1}
            bounds |= {"max_length": column.longest} if column.longest else {}
        return f", Field({', '.join(f'{name}={bound}' for name, bound in bounds.items())})" if bounds else ""

    def _default(self, parameter: OperationParameter, operation: Operation) -> str | None:
        """The default of a parameter in code; None if it must be given."""
        if parameter.required:
            return None
        match parameter.role:
            case "limit":
                return str(USUAL_LIMIT)
            case "offset":
                return str(int(_counts_pages(parameter)))
            case "clear":
                return "None"
        column = self._table.columns.get(parameter.column or "")
        if operation.verb == "create" and column is not None and column.default is not None:
            return _literal(column, column.default)
        return "None"

    def _explained(self, parameter: OperationParameter, operation: Operation) -> str:
        """What a parameter is, for the agent."""
        if parameter.description:
            return capital(_one_line(parameter.description))
        nouns = self._table.nouns
        match parameter.role:
            case "limit":
                return f"How many {nouns} to return at most"
            case "offset":
                return "Which page, the first is 1" if _counts_pages(parameter) else f"How many {nouns} to skip"
            case "clear":
                return "Columns to empty"
            case "search":
                return f"Part of a text of the {self._table.noun}"
        name = parameter.column or ""
        described, comment = self._described(name), self._table.columns[name].comment.strip()
        said = f"this: {described}" if comment else f"this {described[:1].lower()}{described[1:]}"
        match parameter.role:
            case "equals":
                return f"Only {nouns} with {said}"
            case "least" | "most":
                return f"{'From' if parameter.role == 'least' else 'Up to'} {said}"
            case "key":
                finder = self._finders.get(self._table.name)
                return f"{described}, as {finder} returns it" if (name,) == self._table.key and finder else described
        if operation.verb == "create":
            return described
        return f"New value: {described}" if comment else f"New {described[:1].lower()}{described[1:]}"

    # Bodies

    def _find(self, operation: Operation) -> Iterator[str]:
        table = self._table
        conditions: list[str] = []
        values: list[str] = []
        for parameter in operation.parameters:
            if (condition := self._condition(parameter)) is not None:
                name = parameter.name
                conditions.append(condition if parameter.required else f"(? IS NULL OR {condition})")
                values.append(name if parameter.required else f"{name}, {name}")
        sql = [f"SELECT * FROM {table.name}"]
        sql += [f"{'WHERE' if not number else '    AND'} {each}" for number, each in enumerate(conditions)]
        sql.append(f"ORDER BY {', '.join(self._order)}")
        if values or len(sql[0]) > _WIDTH // 2:
            yield "    found = db.select("
            yield from ('        """', *(f"        {line}" for line in sql), '        """,')
            yield from (f"        {each}," for each in values)
            yield "    )"
        else:
            yield f"    found = db.select({_quoted(' '.join(sql))})"
        by_role: dict[Role, OperationParameter] = {each.role: each for each in operation.parameters}
        limit = by_role["limit"].name if "limit" in by_role else str(MOST_LIMIT)
        page = f"found[:{limit}]"
        if "offset" in by_role:
            start = by_role["offset"].name
            if _counts_pages(by_role["offset"]):
                yield f"    start = ({start} - 1) * {limit}"
                start = "start"
            page = f"found[{start} : {start} + {limit}]"
        page = f"[_shown(row) for row in {page}]" if self._has_truths else page
        total = "total" if self.rows != "total" else "total_"
        yield f'    return {{"{self.rows}": {page}, "{total}": len(found)}}'

    def _condition(self, parameter: OperationParameter) -> str | None:
        column = parameter.column
        match parameter.role:
            case "equals" | "key":
                return f"{column} = ?"
            case "least":
                return f"{column} >= ?"
            case "most":
                return f"{column} <= ?"
            case "search":
                names = [column] if column else free_texts(self._table)
                parts = [each if self._table.columns[each].required else f"coalesce({each}, '')" for each in names]
                texts = " || ' / ' || ".join(parts)
                return f"instr(lower({texts}), lower(?)) > 0"
        return None

    def _get(self, operation: Operation) -> Iterator[str]:
        yield f"    return {self._shown(self._required(operation))}"

    def _create(self, operation: Operation) -> Iterator[str]:
        table = self._table
        values = {each.column: each.name for each in operation.parameters if each.role == "value"}
        written = {name: values[name] for name in table.columns if name in values}
        written |= {name: _literal(table.columns[name], value) for name, value in operation.constants.items()}
        for name, column in table.columns.items():
            if column.made == "clock" and name not in written:
                written[name] = "db.today" if column.kind == "date" else "db.now"
        if table.counted and table.key[0] not in written:
            written = {table.key[0]: f'db.new_id("{table.name}")', **written}
        yield from _call("    return ", self._shown, "db.insert", [f'"{table.name}"'], written)

    def _update(self, operation: Operation) -> Iterator[str]:
        table = self._table
        key, row = ", ".join(each.name for each in self._key_parameters(operation)), ""
        if self._key_of(operation) == table.key:
            yield f"    {self._required(operation)}"
        else:
            yield f"    row = {self._required(operation)}"
            key, row = ", ".join(f'row["{name}"]' for name in table.key), "row"
        values = {each.column or "": each for each in operation.parameters if each.role == "value"}
        fixed = {name: each.name for name, each in values.items() if each.required}
        fixed |= {name: _literal(table.columns[name], value) for name, value in operation.constants.items()}
        free = {name: each.name for name, each in values.items() if not each.required}
        clear = next((each.name for each in operation.parameters if each.role == "clear"), None)
        arguments = [f'"{table.name}"', key]
        if free:
            shown = "{" + ", ".join(f'"{name}": {value}' for name, value in free.items()) + "}"
            if len(shown) > _WIDTH - 20:
                yield "    given = {"
                yield from (f'        "{name}": {value},' for name, value in free.items())
                yield "    }"
            else:
                yield f"    given = {shown}"
            yield "    changes = {column: value for column, value in given.items() if value is not None}"
            if clear:
                yield f"    for column in {clear} or []:"
                yield "        changes[column] = None"
            if is_free(operation):
                yield "    if not changes:"
                yield f'        raise Rejection.invalid_argument("Say what to change about the {table.noun}.")'
            arguments.append("**changes")
        if not free and not fixed:
            yield f"    return {self._shown(row or self._required(operation))}"
            return
        yield from _call("    return ", self._shown, "db.update", arguments, fixed)

    def _delete(self, operation: Operation) -> Iterator[str]:
        table = self._table
        yield f"    row = {self._required(operation)}"
        names = [each.name for each in self._key_parameters(operation)]
        if self._key_of(operation) != table.key:
            names = [f'row["{name}"]' for name in table.key]
        yield f'    db.delete("{table.name}", {", ".join(names)})'
        yield f"    return {self._shown('row')}"

    def _required(self, operation: Operation) -> str:
        """The expression for the row that a call names."""
        names = ", ".join(each.name for each in self._key_parameters(operation))
        if self._key_of(operation) == self._table.key:
            return f'db.require("{self._table.name}", {names})'
        return f"{_finder(self._table, self._key_of(operation))}(db, {names})"

    def _key_parameters(self, operation: Operation) -> list[OperationParameter]:
        """The parameters that name the row, in the order of the key."""
        given = [each for each in operation.parameters if each.role == "key"]
        if {each.column for each in given} == {*self._table.key}:
            return sorted(given, key=lambda each: self._table.key.index(each.column or ""))
        return given

    def _key_of(self, operation: Operation) -> tuple[str, ...]:
        return tuple(each.column or "" for each in self._key_parameters(operation))

    def _shown(self, row: str) -> str:
        return f"_shown({row})" if self._has_truths else row

    @property
    def _order(self) -> list[str]:
        """The columns by which lists are sorted: what people name a row by, then the key."""
        label = self._table.label
        return list(dict.fromkeys([*([label] if label else []), *self._table.key]))

    @property
    def _order_said(self) -> str:
        return f"sorted by {_listed([each.replace('_', ' ') for each in self._order], 'and')}"

    def _described(self, name: str) -> str:
        described = description_of(self._table, name, self._settled.tables)
        reference = reference_of(self._table, name)
        finder = self._finders.get(reference.table) if reference else None
        return f"{described}, as {finder} returns it" if finder else described


def _literal(column: SourceColumn, value: Any) -> str:
    if value is None:
        return "None"
    if column.kind == "boolean":
        return str(bool(value))
    if column.kind == "real":
        return repr(float(value))
    return _quoted(value) if isinstance(value, str) else repr(value)


def _call(
    start: str, shown: Callable[[str], str], function: str, arguments: Sequence[str], named: dict[str, str]
) -> Iterator[str]:
    """A call in the body of a tool, on one line if it fits; `shown` is what is made of its result."""
    stars = [each for each in arguments if each.startswith("**")]
    plain = [each for each in arguments if each not in stars]
    parts = [*plain, *(f"{name}={value}" for name, value in named.items()), *stars]
    line = start + shown(f"{function}({', '.join(parts)})")
    if len(line) <= _WIDTH:
        yield line
        return
    before, after = shown("|").split("|")
    yield f"{start}{before}{function}("
    yield from (f"        {each}," for each in parts)
    yield f"    ){after}"


def _finder(table: SettledTable, columns: Sequence[str]) -> str:
    return f"_{snake(table.noun)}_by_{'_'.join(columns)}"


def _class_name(noun: str) -> str:
    name = "".join(part[:1].upper() + part[1:] for part in snake(noun).split("_"))
    return f"{name}Row" if name in (*_IMPORTED, "Annotated", "Literal") or not name[:1].isalpha() else name


def _counts_pages(parameter: OperationParameter) -> bool:
    return "page" in parameter.name.lower()


def _quoted(text: Any) -> str:
    return json.dumps(str(text), ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.replace('"""', "'''").replace("\\", "/").split())


def _listed(parts: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def _wrapped(text: str) -> Iterator[str]:
    line = ""
    for word in text.split():
        if len(line) + len(word) > _WIDTH - 6:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    if line:
        yield line
