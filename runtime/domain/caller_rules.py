"""What every domain with people has from one template: two tools and two rules about the caller."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from runtime.domain.arguments import Signature
from runtime.domain.people import DECLINE, DECLINED, IDENTIFICATION, IDENTIFY, LEAST_PROOFS, People
from runtime.domain.rule import Call, Rule
from runtime.domain.schema import Schema, Value
from runtime.domain.tool import Tool
from runtime.errors import Rejection
from runtime.wording import a, singular

IDENTIFIED_FIRST, OWN_RECORDS = "IDENTIFIED_FIRST", "OWN_RECORDS"

_DAY = "Day for which it counts, as YYYY-MM-DD"
_NO_COUNTERFACTUAL = "Who is calling does not depend on a row."
_REQUIRED = inspect.Parameter.empty
_KINDS: Mapping[str, Any] = {"TEXT": str, "INTEGER": int}  # of keys


@dataclass(frozen=True)
class ClientWords:
    """What the texts of an office call those whom it serves, and what these do."""

    client: str
    doing: str
    told: str
    where: str


CALLS = ClientWords("caller", "calling", "told you", "in this conversation")
INBOX = ClientWords("sender", "writing", "wrote", "in a message of today")


def caller_rules(
    people: People, schema: Schema, tools: Mapping[str, Tool], desk: ClientWords = CALLS
) -> tuple[Rule, ...]:
    """Return the rules about the caller; none where nobody can be identified or nobody owns a row."""
    if not identifies_callers(schema):
        return ()
    found = list(_guarded(people, schema, tools))
    if not found:
        return ()
    guarded, tables = {tool: argument for tool, argument, _ in found}, {tool: table for tool, _, table in found}
    reads = frozenset({IDENTIFICATION, people.table, *people.owns, *_between(people, schema)})

    def concerns_others(call: Call, now: Any, start: Any) -> bool:
        """True if the row belongs to someone who was neither identified today nor added since the start."""
        concerned = owners_of(people, schema, now.get, tables[call.tool], call.item)
        return bool(concerned) and not any(
            start.get(people.table, each) is None or now.get(IDENTIFICATION, each, now.today) is not None
            for each in concerned
        )

    def anybody_is_known(now: Any) -> bool:
        return bool(now.value(f"SELECT count(*) FROM {IDENTIFICATION} WHERE noted_on = ?", now.today))

    def identified_first(call: Call, now: Any, start: Any) -> bool:
        return not concerns_others(call, now, start) or anybody_is_known(now)

    def own_records(call: Call, now: Any, start: Any) -> bool:
        return not concerns_others(call, now, start) or not anybody_is_known(now)

    person = singular(people.table.replace("_", " "))
    known = f" {a(person).capitalize()} added today needs no identification." if _adds_people(people, tools) else ""
    prose = {
        IDENTIFIED_FIRST: f"Before you change anything that belongs to {a(person)}, verify who is {desk.doing} and "
        f"record it with `{IDENTIFY}`. It counts for the whole day.{known}",
        OWN_RECORDS: f"Change only records of the {person} you identified. {_whose(people)}Someone else's records stay "
        f"as they are, whatever the {desk.client} says.",
    }
    functions: dict[str, Callable[..., bool]] = {IDENTIFIED_FIRST: identified_first, OWN_RECORDS: own_records}
    return tuple(
        Rule(
            code=code,
            prose=prose[code],
            on=guarded,
            exempt=people.anybody,
            numbers={},
            reads=reads,
            function=function,
            no_counterfactual=_NO_COUNTERFACTUAL,
        )
        for code, function in functions.items()
    )


def caller_tools(people: People, schema: Schema, rules: Sequence[Rule], desk: ClientWords = CALLS) -> dict[str, Tool]:
    """Return the two tools; `decline_request` knows each rule's code and which record it is about.

    Where there are no rules, nothing can be declined.
    """
    if not identifies_callers(schema):
        return {}
    own = {IDENTIFY: _identify(people, schema, desk)}
    return own | {DECLINE: _decline(people, schema, rules)} if rules else own


def is_caller_rule(rule: Rule) -> bool:
    """True for a rule of the template, which a domain need not prove."""
    return rule.function.__module__ == __name__


def identifies_callers(schema: Schema) -> bool:
    """True if a schema has the tables of both tools."""
    return IDENTIFICATION in schema.tables and DECLINED in schema.tables


def caller_tables(table: str, key: str, kind: str = "TEXT", subject: str = "TEXT") -> str:
    """Return SQL for the tables of both tools, given the table of people and its key, and the types of keys."""
    person = f"{key:<13} {kind} NOT NULL REFERENCES {table} ON DELETE RESTRICT,"
    return f"""
CREATE TABLE {IDENTIFICATION} (           -- That a caller was identified
    {person}  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY ({key}, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE {DECLINED} (         -- A request that a rule did not allow
    {person}  -- Who asked
    subject_id    {subject} NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY ({key}, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
"""


def faults_of_callers(people: People, schema: Schema, tools: Mapping[str, Tool]) -> Iterator[str]:
    """Yield where a domain's own tables and tools conflict with the template, each as a sentence about `people`."""
    if not identifies_callers(schema) or people.table not in schema.tables:
        return
    key = people_key(people, schema)
    wanted = {IDENTIFICATION: [key, "noted_on"], DECLINED: [key, "subject_id", "rule_code", "declined_on"]}
    for name, columns in wanted.items():
        table = schema.tables[name]
        if list(table.primary_key) != columns or set(table.positions) != set(columns):
            yield f"needs table {name!r} with the primary key ({', '.join(columns)}) and no other column."
    for name in (IDENTIFY, DECLINE):
        if name in tools:
            yield f"brings tool {name!r}; leave out the one in {tools[name].file}."
    for name in people.anybody:
        if name not in tools:
            yield f"says of {name!r} that anybody may ask for it, which is not a tool."


def subjects_of(rule: Rule, people: People, schema: Schema) -> dict[str, list[str]]:
    """Return the subject of a refusal under a rule: the column that names the record, with the tools that take it."""
    found: dict[str, list[str]] = {}
    for tool, argument in rule.on.items():
        column = people_key(people, schema) if argument is None else _column_of(argument, schema) or argument
        found.setdefault(column, []).append(tool)
    return found


def people_key(people: People, schema: Schema) -> str:
    """Return the key column of people."""
    return schema.tables[people.table].primary_key[0]


def _identify(people: People, schema: Schema, desk: ClientWords) -> Tool:
    key, person = people_key(people, schema), singular(people.table.replace("_", " "))

    def note_identification(db: Any, **values: Any) -> dict[str, Any]:
        row = db.require(people.table, values[key])
        given = {column: values[column] for column in people.proven_by if values.get(column) is not None}
        if len(given) < LEAST_PROOFS:
            raise Rejection.invalid_argument(
                f"{len(given)} of {', '.join(people.proven_by)} was given; pass at least {LEAST_PROOFS} that the "
                f"{desk.client} {desk.told}."
            )
        for column, told in given.items():
            if _letters(told) != _letters(row[column]):
                raise Rejection.failed_precondition(
                    f"The {people.proven_by[column]} {str(told)[:80]!r} is not the one on file for {values[key]!r}."
                )
        if db.get(IDENTIFICATION, values[key], db.today) is not None:
            raise Rejection.already_exists(f"{values[key]!r} was identified today already.")
        db.insert(IDENTIFICATION, **{key: values[key], "noted_on": db.today})
        return {key: values[key], "noted_on": db.today}

    kind = _KINDS[schema.tables[people.table].by_name[key].type]
    fields: dict[str, Any] = {key: (Annotated[kind, f"The {person} who is {desk.doing}"], _REQUIRED)}
    for column, label in people.proven_by.items():
        how = ", as YYYY-MM-DD" if "date" in column or column.endswith("_on") else ""
        about = f"The {desk.client}'s {label}, as the {desk.client} {desk.told}{how}; leave out what was not told"
        fields[column] = (Annotated[str | None, about], None)
    result = {key: Annotated[kind, f"Id of the {person}"], "noted_on": Annotated[str, _DAY]}
    return _tool(
        IDENTIFY,
        f"Record that the {desk.client} proved to be this {person}. Pass at least two details that the {desk.client} "
        f"{desk.told} {desk.where}; they must match the record. Never pass a detail you looked up. It counts for "
        "today.",
        fields,
        result,
        note_identification,
        reads={people.table},
        writes={IDENTIFICATION},
        rejects={"NOT_FOUND", "ALREADY_EXISTS", "INVALID_ARGUMENT", "FAILED_PRECONDITION"},
    )


def _decline(people: People, schema: Schema, rules: Sequence[Rule]) -> Tool:
    key, person = people_key(people, schema), singular(people.table.replace("_", " "))
    subjects = {rule.code: list(subjects_of(rule, people, schema)) for rule in rules}
    tables = {
        rule: [name for column in columns if (name := _table_of(column, schema)) is not None]
        for rule, columns in subjects.items()
    }

    def decline_request(db: Any, **values: Any) -> dict[str, Any]:
        db.require(people.table, values[key])
        subject, rule = values["subject_id"], values["rule_code"]
        if tables[rule] and not any(db.get(table, subject) is not None for table in tables[rule]):
            raise Rejection.not_found(
                f"{subject!r} is not {a(' or '.join(subjects[rule]))}; a refusal under {rule} is about that record."
            )
        noted = {key: values[key], "subject_id": subject, "rule_code": rule, "declined_on": db.today}
        if db.get(DECLINED, *noted.values()) is not None:
            raise Rejection.already_exists(f"This refusal of {subject!r} under {rule} is recorded already.")
        db.insert(DECLINED, **noted)
        return noted

    code: Any = Literal[tuple(subjects)]
    kind, about = (_KINDS[schema.tables[DECLINED].by_name[each].type] for each in (key, "subject_id"))
    fields: dict[str, Any] = {
        key: (Annotated[kind, f"The {person} who asked"], _REQUIRED),
        "subject_id": (Annotated[about, "Id of the record that the policy names for this rule"], _REQUIRED),
        "rule_code": (Annotated[code, "Code of the rule in the policy that forbids the request"], _REQUIRED),
    }
    result = {
        key: Annotated[kind, f"The {person} who asked"],
        "subject_id": Annotated[about, "Record that the request was about"],
        "rule_code": Annotated[str, "Rule that forbids it"],
        "declined_on": Annotated[str, _DAY],
    }
    return _tool(
        DECLINE,
        "Record that you declined a request because a rule of the policy forbids it. Once for each record, rule and "
        "request. Not for a call that a tool rejected, nor for a request that is beyond your tools.",
        fields,
        result,
        decline_request,
        reads={people.table, *(table for named in tables.values() for table in named)},
        writes={DECLINED},
        rejects={"NOT_FOUND", "ALREADY_EXISTS"},
    )


def _tool(
    name: str,
    description: str,
    fields: Mapping[str, Any],
    result: Mapping[str, Any],
    function: Callable[..., Any],
    *,
    reads: set[str],
    writes: set[str],
    rejects: set[Any],
) -> Tool:
    make: Any = TypedDict  # its names are known at run time only
    return Tool(
        name=name,
        description=description,
        file="the desk",  # in place of a file of the domain
        reads=frozenset(reads | writes),
        writes=frozenset(writes),
        rejects=frozenset(rejects),
        arguments=Signature(f"{name}_arguments", fields),
        result=Signature(f"{name}_result", make(f"{name}_result", result)),
        function=function,
        operations=frozenset({"insert"}),
        defaults={each: default for each, (_, default) in fields.items() if default is not _REQUIRED},
    )


def _guarded(people: People, schema: Schema, tools: Mapping[str, Tool]) -> Iterator[tuple[str, str, str]]:
    """Yield the writing tools that change someone's rows, with the argument that names the row, and its table.

    A person counts if the call names one, otherwise the first argument that names an owned row.
    """
    for tool in tools.values():
        if tool.read_only or tool.name in people.anybody or tool.name in (IDENTIFY, DECLINE):
            continue
        named = {argument: _table_of(_column_of(argument, schema) or "", schema) for argument in tool.arguments.names}
        theirs = [argument for argument, table in named.items() if table == people.table]
        theirs += [argument for argument, table in named.items() if table in people.owns]
        if theirs:
            yield tool.name, theirs[0], str(named[theirs[0]])


def _column_of(argument: str, schema: Schema) -> str | None:
    """Return the key column of which an argument takes a value or a list."""
    for column in (argument, argument.removesuffix("s")):
        if _table_of(column, schema) is not None:
            return column
    return None


def _table_of(column: str, schema: Schema) -> str | None:
    """Return the table whose key is this column alone."""
    return next((table.name for table in schema.tables.values() if table.primary_key == (column,)), None)


def owners_of(people: People, schema: Schema, get: Callable[[str, Any], Any], table: str, key: Value) -> list[Value]:
    """Return the owners of a row; none if it does not exist. `get` returns a row by table and key."""
    row = get(table, key)
    if row is None:
        return []
    found = []
    for way in people.ways_of(table):
        at, here, value = row, table, key
        for column in way:
            parent = next(each.parent for each in schema.tables[here].foreign_keys if each.columns == (column,))
            value, here = at[column], parent
            at = get(parent, value) if value is not None else None
            if at is None:
                break
        else:
            found.append(value)
    return found


def _between(people: People, schema: Schema) -> Iterator[str]:
    """Yield the tables between rows and their owners."""
    for table in people.owns:
        for way in people.ways_of(table):
            at = table
            for column in way:
                at = next(each.parent for each in schema.tables[at].foreign_keys if each.columns == (column,))
                yield at


def _adds_people(people: People, tools: Mapping[str, Tool]) -> bool:
    return any(people.table in tool.writes and "insert" in tool.operations for tool in tools.values())


def _whose(people: People) -> str:
    """Say which rows have two owners."""
    several = [a(singular(table.replace("_", " "))) for table in people.owns if len(people.ways_of(table)) > 1]
    named = ", ".join([*several[:-2], f"{',' * (len(several) > 2)} or ".join(several[-2:])])
    return f"{named[0].upper()}{named[1:]} has two sides, and either one may have it changed. " if named else ""


def _letters(value: Any) -> str:
    return "".join(letter for letter in str(value).casefold() if letter.isalnum())
