"""The second author of the forge: answers by rule, from a settled source, what a model answers: designs and bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from generator.author.design import (
    Catalogue,
    ColumnRule,
    DatabaseDesign,
    DesignPart,
    Entity,
    Parameter,
    Precondition,
    Quantity,
    Record,
    ToolDesign,
    ToolTables,
    Topic,
)
from generator.author.draft import Draft
from generator.author.writing.code import Body, TopicCode
from generator.twin.operations import is_settable, safe_name
from generator.twin.source import Operation, OperationParameter, Role, SettledTable, SourceColumn, SourceSchema
from generator.twin.words import (
    capital,
    description_of,
    free_texts,
    has_blanks,
    is_note,
    listed,
    reference_of,
    referring,
    snake,
)
from runtime.domain.load import MOST_TOOLS_PER_FILE
from runtime.errors import RejectionKind
from runtime.wording import a

USUAL_LIMIT, MOST_LIMIT = 25, 100
_TAKEN = ("Database", "Date", "Field", "Rejection", "Timestamp", "TypedDict", "Annotated", "Literal")
_TYPES = {"integer": "integer", "real": "number", "boolean": "boolean", "date": "date", "timestamp": "timestamp"}
_NAMING = ("get", "update", "set", "delete")

Part = TypeVar("Part", bound=DesignPart)


def draft_of(settled: SourceSchema, operations: Sequence[Operation], name: str, origin: str, world: str) -> Draft:
    """Return the draft of a twin, without cases, graph and scenarios."""
    topics: dict[str, tuple[_TopicWriter, str]] = {}
    finders = {each.table: each.name for each in reversed(operations) if each.verb == "find"}
    for table in settled.tables.values():
        own = [operation for operation in operations if operation.table == table.name]
        for start in range(0, len(own), MOST_TOOLS_PER_FILE):
            topic = table.name if start == 0 else f"{table.name}_{start // MOST_TOOLS_PER_FILE + 1}"
            part = own[start : start + MOST_TOOLS_PER_FILE]
            topics[topic] = _TopicWriter(settled, table, part, finders, topic), table.nouns
    catalogue = Catalogue.model_construct(
        title=settled.title,
        summary=f"A twin of {origin}: {', '.join(table.nouns for table in settled.tables.values())}."[:400],
        clock=settled.clock,
        entities=[_part(Entity, name=each.name, description=a(each.noun)) for each in settled.tables.values()],
        topics=[_part(Topic, name=name, description=nouns) for name, (_, nouns) in topics.items()],
        records=list({each.name: each for own, _ in topics.values() for each in own.records}.values()),
        tools=[tool for own, _ in topics.values() for tool in own.tools],
    )
    policies = [
        ColumnRule(column=f"{table.name}.{column.name}", **policy)
        for table in settled.tables.values()
        for column in table.columns.values()
        if (policy := _policy(table, column))
    ]
    database = DatabaseDesign(schema_sql=settled.sql, policies=policies)
    code = {name: own.code for name, (own, _) in topics.items()}
    tables = {
        tool.name: _part(ToolTables, tool=tool.name, reads=tool.reads, writes=tool.writes) for tool in catalogue.tools
    }
    return Draft(name, catalogue, database, world=world, code=code, tables=tables)


def _part(kind: type[Part], **values: Any) -> Part:
    """Return a part of a design as it is: the names of a source need not be those that a model is held to."""
    return kind.model_construct(**values)


def _policy(table: SettledTable, column: SourceColumn) -> dict[str, Any] | None:
    if (column.name,) == table.key and not table.counted and column.name not in referring(table):
        return {"policy": "hard", "reason": "the key is chosen by whoever adds a row"}
    if column.name in table.key or column.name in referring(table):
        return None
    if not is_settable(column):
        return {"policy": "generated", "reason": "taken from the clock"}
    if column.kind == "real":
        tolerance = 0.5 * 10 ** -(column.decimals if column.decimals is not None else 2)
        return {"policy": "hard", "tolerance": tolerance, "reason": "half of the last digit"}
    return {"policy": "semantic", "reason": "words that a person writes"} if is_note(column) else None


class _TopicWriter:
    """The tools of one table, as designs and as bodies."""

    def __init__(
        self,
        settled: SourceSchema,
        table: SettledTable,
        operations: Sequence[Operation],
        finders: Mapping[str, str],
        topic: str,
    ) -> None:
        self._settled, self._table, self._topic = settled, table, topic
        self._operations, self._finders = operations, finders
        self._one = _class_name(table.noun)
        self._rows = safe_name(snake(table.nouns))
        self._total = "total" if self._rows != "total" else "total_"
        self._visible = {name: column for name, column in table.columns.items() if not column.hidden}
        self._is_shown = len(self._visible) == len(table.columns) and all(
            column.kind != "boolean" for column in table.columns.values()
        )

    @property
    def records(self) -> list[Record]:
        table = self._table
        one = [
            _part(
                Quantity,
                name=name,
                description=self._described(name),
                nullable=not (column.required or name in table.key),
                **_typed(column),
            )
            for name, column in self._visible.items()
        ]
        ordered, counted = f"Sorted by {_words(self._order)}", f"How many {table.nouns} match, on all pages"
        many = [
            _part(Quantity, name=self._rows, type=self._one, many=True, description=ordered),
            _part(Quantity, name=self._total, type="integer", description=counted),
        ]
        return [_part(Record, name=self._one, fields=one), _part(Record, name=f"{self._one}List", fields=many)]

    @property
    def tools(self) -> list[ToolDesign]:
        return [self._tool(operation) for operation in self._operations]

    @property
    def code(self) -> TopicCode:
        verbs = list(dict.fromkeys(operation.verb for operation in self._operations))
        bodies = {"find": self._find, "get": self._get, "create": self._create, "delete": self._delete}
        return TopicCode(
            docstring=f"{capital(self._table.nouns)}: {listed(verbs)}.",
            helpers="\n".join(self._helpers()),
            bodies=[
                Body(tool=each.name, body="\n".join(bodies.get(each.verb, self._update)(each)))
                for each in self._operations
            ],
        )

    # Designs

    def _tool(self, operation: Operation) -> ToolDesign:
        table = self._table
        first, effects = self._what(operation)
        reads = operation.verb in ("find", "get")
        return _part(
            ToolDesign,
            name=operation.name,
            topic=self._topic,
            description=first,
            parameters=[self._parameter(each, operation) for each in operation.parameters],
            returns=f"{self._one}List" if operation.verb == "find" else self._one,
            reads=[table.name] if reads else [],
            writes=[] if reads else [table.name],
            preconditions=[
                _part(Precondition, rule=rule, otherwise=kind) for kind, rule in self._preconditions(operation)
            ],
            effects=effects,
        )

    def _what(self, operation: Operation) -> tuple[str, list[str]]:
        """Return what a tool does in a sentence, and what is particular about it."""
        noun, nouns, columns = self._table.noun, self._table.nouns, self._table.columns
        own = _one_line(operation.description).rstrip(".")
        own = f"{capital(own)}." if own else ""
        match operation.verb:
            case "find":
                paging = f"`{self._total}` counts all pages."
                if not any(each.role == "limit" for each in operation.parameters):
                    paging = f"At most {MOST_LIMIT} are returned."
                has_filters = any(each.role not in ("limit", "offset") for each in operation.parameters)
                usual = f"Find {nouns} that match every filter given." if has_filters else f"List the {nouns}."
                return own or usual, [f"Sorted by {_words(self._order)}.", paging]
            case "get":
                return own or f"Show one {noun}.", []
            case "create":
                given = {each.column for each in operation.parameters}
                made = [name for name, column in columns.items() if column.made == "clock" and name not in given]
                more = [f"The current time becomes its {_words(made)}."] if made else []
                return own or f"Add {a(noun)}.", [*more, f"Returns the new {noun}, with its key."]
            case "delete":
                return own or f"Remove {a(noun)}.", [f"Returns the {noun} as it was."]
            case "set":
                fixed = [
                    f"{name} to {str(bool(value)).lower() if columns[name].kind == 'boolean' else repr(value)}"
                    for name, value in operation.constants.items()
                ]
                given_names = [each.column or "" for each in operation.parameters if each.role == "value"]
                to = listed(fixed or [self._described(name).partition(", as ")[0].lower() for name in given_names])
                usual = f"Set {'' if fixed else 'the '}{to} {'for' if fixed else 'of'} {a(noun)}."
                return own or usual, [f"Sets {to}."] if own and fixed else []
        more = ["What is left out stays as it is."]
        if any(each.role == "clear" for each in operation.parameters):
            more.append("To empty a column, name it in `clear`.")
        return own or f"Change {a(noun)}.", more

    def _preconditions(self, operation: Operation) -> Iterator[tuple[RejectionKind, str]]:
        """Yield what each call must meet; recording leaves out the kinds to which no call comes."""
        table, verb = self._table, operation.verb
        written = written_by(operation, table)
        if verb in _NAMING or any(written & {*each.columns} for each in table.references):
            yield "NOT_FOUND", "What is named exists."
        if verb == "update" and is_free(operation):
            yield "INVALID_ARGUMENT", "At least one change is given."
        keys = [] if table.counted or verb != "create" else [table.key]
        for columns in [*keys, *table.uniques]:
            if {*columns} & written:
                yield "ALREADY_EXISTS", f"No other {table.noun} has the same {_words(columns)}."
        for check in table.checks:
            if any(name in check for name in written):
                yield "FAILED_PRECONDITION", f"It holds that {' '.join(check.split())}."
        if verb == "delete":
            for each in self._settled.tables.values():
                if any(reference.table == table.name for reference in each.references):
                    yield "FAILED_PRECONDITION", f"No {each.nouns} refer to it."

    def _parameter(self, parameter: OperationParameter, operation: Operation) -> Parameter:
        column = self._table.columns.get(parameter.column or "")
        said = {"name": parameter.name, "description": self._explained(parameter, operation)[:400]}
        default: Any = None
        match parameter.role:
            case "limit":
                typed, default = {"type": "integer", "minimum": 1, "maximum": MOST_LIMIT}, USUAL_LIMIT
            case "offset":
                default = int(_counts_pages(parameter))
                typed = {"type": "integer", "minimum": default}
            case "search":
                typed = {"type": "text", "minimum": 1, "maximum": 200}
            case "clear":
                typed = {"type": "text", "many": True, "choices": clearable(operation, self._table)}
            case _:
                assert column is not None, f"{operation.name}: {parameter.name} is about no column"
                typed = _typed(column) | (self._limits(column) if parameter.role == "value" else {})
                if operation.verb == "create":
                    default = _value(column, column.default)
        optional = default is not None and column is not None and not column.required and parameter.role == "value"
        default = None if parameter.required else default
        return _part(Parameter, required=parameter.required, default=default, nullable=optional, **said, **typed)

    def _limits(self, column: SourceColumn) -> dict[str, Any]:
        """Return what a value must be beside its type."""
        if column.kind in ("integer", "real"):
            return {"minimum": column.least, "maximum": column.most}
        if column.kind not in ("text", "json") or column.choices:
            return {}
        return {
            "minimum": 1 if column.required and not has_blanks(self._table, column.name) else None,
            "maximum": column.longest or None,
        }

    def _explained(self, parameter: OperationParameter, operation: Operation) -> str:
        """Return what a parameter is, for the agent."""
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
            now = "today" if self._table.columns[name].kind == "date" else "now"
            return f"{described}; {now} if left out" if self._table.columns[name].made == "clock" else described
        return f"New value: {described}" if comment else f"New {described[:1].lower()}{described[1:]}"

    def _described(self, name: str) -> str:
        described = description_of(self._table, name, self._settled.tables)
        reference = reference_of(self._table, name)
        finder = self._finders.get(reference.table) if reference else None
        return f"{described}, as {finder} returns it" if finder else described

    # Bodies

    def _helpers(self) -> Iterator[str]:
        table = self._table
        if not self._is_shown:
            yield "def _shown(row):"
            yield '    """A row as it is returned."""'
            shown = [f'"{name}": {_shown_value(name, column)}' for name, column in self._visible.items()]
            yield f"    return {{{', '.join(shown)}}}"
        keyed = {self._key_of(each) for each in self._operations if each.verb in _NAMING} - {table.key}
        for columns in sorted(keyed):
            where = " AND ".join(f"{name} = ?" for name in columns)
            yield from ("", "", f"def {_finder(table, columns)}(db, {', '.join(columns)}):")
            yield f'    """The {table.noun} with this {_words(columns)}; rejects with NOT_FOUND."""'
            query = _quoted(f"SELECT * FROM {table.name} WHERE {where}")
            yield f"    row = db.first({query}, {', '.join(columns)})"
            yield "    if row is None:"
            said = ", ".join(f"{name} {{{name}!r}}" for name in columns)
            yield f'        raise Rejection.not_found(f"No {table.noun} has {said}.")'
            yield "    return row"

    def _find(self, operation: Operation) -> Iterator[str]:
        found = [(each, condition) for each in operation.parameters if (condition := self._condition(each))]
        sql = [f"SELECT * FROM {self._table.name}"]
        for number, (each, condition) in enumerate(found):
            shown = condition if each.required else f"(? IS NULL OR {condition})"
            sql.append(f"{'    AND' if number else 'WHERE'} {shown}")
        sql.append(f"ORDER BY {', '.join(self._order)}")
        values = [name for each, _ in found for name in [each.name] * (1 if each.required else 2)]
        if found:
            yield from ("found = db.select(", '    """', *(f"    {line}" for line in sql), '    """,')
            yield from (f"    {value}," for value in values)
            yield ")"
        else:
            yield f"found = db.select({_quoted(' '.join(sql))})"
        by_role: dict[Role, OperationParameter] = {each.role: each for each in operation.parameters}
        limit = by_role["limit"].name if "limit" in by_role else str(MOST_LIMIT)
        page = f"found[:{limit}]"
        if "offset" in by_role:
            start = by_role["offset"].name
            if _counts_pages(by_role["offset"]):
                yield f"start = ({start} - 1) * {limit}"
                start = "start"
            page = f"found[{start} : {start} + {limit}]"
        page = page if self._is_shown else f"[_shown(row) for row in {page}]"
        yield f'return {{"{self._rows}": {page}, "{self._total}": len(found)}}'

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
        yield f"return {self._shown(self._named(operation)[0])}"

    def _create(self, operation: Operation) -> Iterator[str]:
        table = self._table
        given = {each.column: each for each in operation.parameters if each.role == "value"}
        written: dict[str, str] = {}
        if table.counted and table.key[0] not in given:
            written[table.key[0]] = f'db.new_id("{table.name}")'
        for name, column in table.columns.items():
            now = "db.today" if column.kind == "date" else "db.now"
            if name in given:
                value = _written(column, given[name])
                written[name] = f"{value} or {now}" if column.made == "clock" and not given[name].required else value
            elif name in operation.constants:
                written[name] = repr(_value(column, operation.constants[name]))
            elif column.made == "clock":
                written[name] = now
        arguments = ", ".join([f'"{table.name}"', *(f"{name}={value}" for name, value in written.items())])
        yield f"return {self._shown(f'db.insert({arguments})')}"

    def _update(self, operation: Operation) -> Iterator[str]:
        table = self._table
        row, keys = self._named(operation)
        yield row if self._key_of(operation) == table.key else f"row = {row}"
        values = {each.column or "": each for each in operation.parameters if each.role == "value"}
        told = {name: _written(table.columns[name], each) for name, each in values.items()}
        fixed = {name: code for name, code in told.items() if values[name].required}
        fixed |= {name: repr(_value(table.columns[name], value)) for name, value in operation.constants.items()}
        free = {name: code for name, code in told.items() if name not in fixed}
        arguments = [f'"{table.name}"', *keys, *(f"{name}={value}" for name, value in fixed.items())]
        clear = next((each.name for each in operation.parameters if each.role == "clear"), None)
        if free:
            yield f"given = {{{', '.join(f'{_quoted(name)}: {value}' for name, value in free.items())}}}"
            yield "changes = {column: value for column, value in given.items() if value is not None}"
            if clear:
                yield from (f"for column in {clear} or []:", "    changes[column] = None")
            if is_free(operation):
                yield "if not changes:"
                yield f'    raise Rejection.invalid_argument("Say what to change about the {table.noun}.")'
            arguments.append("**changes")
        yield f"return {self._shown('db.update(' + ', '.join(arguments) + ')')}"

    def _delete(self, operation: Operation) -> Iterator[str]:
        row, keys = self._named(operation)
        yield f"row = {row}"
        yield f'db.delete("{self._table.name}", {", ".join(keys)})'
        yield f"return {self._shown('row')}"

    def _named(self, operation: Operation) -> tuple[str, list[str]]:
        """Return the expression for the row that a call names, and those for its key."""
        names, own = [each.name for each in self._key_parameters(operation)], self._key_of(operation)
        if own == self._table.key:
            return f'db.require("{self._table.name}", {", ".join(names)})', names
        return f"{_finder(self._table, own)}(db, {', '.join(names)})", [f'row["{each}"]' for each in self._table.key]

    def _key_parameters(self, operation: Operation) -> list[OperationParameter]:
        """Return the parameters that name the row, in the order of the key."""
        given = [each for each in operation.parameters if each.role == "key"]
        if {each.column for each in given} == {*self._table.key}:
            return sorted(given, key=lambda each: self._table.key.index(each.column or ""))
        return given

    def _key_of(self, operation: Operation) -> tuple[str, ...]:
        return tuple(each.column or "" for each in self._key_parameters(operation))

    def _shown(self, row: str) -> str:
        return row if self._is_shown else f"_shown({row})"

    @property
    def _order(self) -> list[str]:
        """The columns by which lists are sorted: what people name a row by, then the key."""
        label = self._table.label
        return list(dict.fromkeys([*([label] if label else []), *self._table.key]))


def written_by(operation: Operation, table: SettledTable) -> set[str]:
    """Return the columns whose value a call may set."""
    if operation.verb not in ("create", "update", "set"):
        return set()
    written = {each.column for each in operation.parameters if each.role == "value" and each.column}
    if any(each.role == "clear" for each in operation.parameters):
        written |= {*clearable(operation, table)}
    return written | {*operation.constants}


def clearable(operation: Operation, table: SettledTable) -> list[str]:
    """Return the columns that an update can empty."""
    given = [each.column for each in operation.parameters if each.role == "value"]
    return [name for name, column in table.columns.items() if name in given and not column.required]


def is_free(operation: Operation) -> bool:
    """Return whether a call need not say any value, so that it may say none."""
    values = [each for each in operation.parameters if each.role == "value"]
    return not operation.constants and not any(each.required for each in values)


def _typed(column: SourceColumn) -> dict[str, Any]:
    return {"type": _TYPES.get(column.kind, "text"), "choices": list(column.choices)}


def _value(column: SourceColumn, value: Any) -> Any:
    """Return a constant as a tool takes it."""
    if value is None:
        return None
    return bool(value) if column.kind == "boolean" else float(value) if column.kind == "real" else value


def _written(column: SourceColumn, given: OperationParameter) -> str:
    """Return the code for a given value as it is stored: numbers to the digits that their column keeps."""
    if column.kind != "real" or column.decimals is None:
        return given.name
    rounded = f"round({given.name}, {column.decimals})"
    return rounded if given.required else f"None if {given.name} is None else {rounded}"


def _shown_value(name: str, column: SourceColumn) -> str:
    value = f'row["{name}"]'
    if column.kind != "boolean":
        return value
    return f"bool({value})" if column.required else f"None if {value} is None else bool({value})"


def _finder(table: SettledTable, columns: Sequence[str]) -> str:
    return f"_{snake(table.noun)}_by_{'_'.join(columns)}"


def _class_name(noun: str) -> str:
    name = "".join(part[:1].upper() + part[1:] for part in snake(noun).split("_"))
    return f"{name}Row" if name in _TAKEN or not name[:1].isalpha() else name


def _counts_pages(parameter: OperationParameter) -> bool:
    return "page" in parameter.name.lower()


def _words(columns: Sequence[str]) -> str:
    return listed([each.replace("_", " ") for each in columns])


def _quoted(text: Any) -> str:
    return json.dumps(str(text), ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())
