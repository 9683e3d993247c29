"""Stages `database` and `people`: the tables that the tools need, who calls, and which rows are theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from generator.author.ask import Asker, Question, ask, entries_named
from generator.author.design import Catalogue, DatabaseDesign, PeopleDesign, ToolDesign, quote_sources
from generator.author.draft import Draft
from generator.author.stages.cases import stand_in
from generator.author.writing.designs import (
    describe_entities,
    describe_keys,
    describe_own_conventions,
    describe_records,
    describe_tools,
    prompt,
)
from generator.gates.constraints import attack
from runtime.domain.caller_rules import caller_tables
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINED, IDENTIFICATION, People, faults_of_people
from runtime.domain.policies import ColumnPolicy, faults_of_policies
from runtime.domain.schema import Schema, read_schema
from runtime.errors import StageFailed


async def design_database(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with tables, constraints, policies and the tool-table map; errors: StageFailed."""
    catalogue = draft.catalogue

    def about(tools: Sequence[ToolDesign]) -> str:
        return prompt(
            "database",
            title=catalogue.title,
            summary=catalogue.summary,
            clock=catalogue.clock,
            sources=quote_sources(draft.order.sources),
            conventions=describe_own_conventions(catalogue),
            callers=prompt("database_callers", person=catalogue.callers.entity) if catalogue.callers else "",
            entities=describe_entities(catalogue),
            designs=describe_tools(tools)
            or f"No complaint is about one: {', '.join(tool.name for tool in catalogue.tools)}",
            records=describe_records(catalogue.records_of(tools)),
        )

    question = Question(
        stage="database",
        key="schema",
        prompt=about(catalogue.tools),
        repair="Give only the parts that change, each whole; leave out the others (of `tools`, only changed entries).",
        narrow=lambda _, complaints: about([tool for tool in catalogue.tools if tool.name in " ".join(complaints)]),
    )
    asked = await ask(
        asker,
        question,
        DatabaseDesign,
        lambda design: faults_of_database(design, catalogue),
        merge=lambda before, repair: before.merged(repair),
        excerpt=entries_named(tools=["tool"]),
    )
    design = asked.insist("The design of the database")
    if catalogue.callers is not None:
        entity = catalogue.callers.entity
        design = design.model_copy(update={"schema_sql": design.schema_sql + caller_tables(entity, f"{entity}_id")})
    duplicates = {each.drop: f"{each.keep} does the same: {each.reason}" for each in design.duplicates}
    return replace(draft, database=design).dropping(duplicates)


def faults_of_database(design: DatabaseDesign, catalogue: Catalogue) -> list[str]:
    """Return what makes a database design unusable: SQLite decides, and every constraint is attacked once."""
    reading = read_schema(design.schema_sql)
    faults = [f"schema: {fault}" for fault in reading.faults]
    if not reading.schema.tables:
        return faults
    faults += _faults_of_keys(reading.schema)
    faults += _faults_of_map(design, catalogue, reading.schema)
    policies = {
        rule.column: ColumnPolicy.model_validate(rule.model_dump(exclude={"column"})) for rule in design.policies
    }
    logs = {log.table: log.reason for log in design.logs}
    faults += _faults_of_callers(design, catalogue, reading.schema)
    faults += [f"policies: {fault}" for fault in faults_of_policies(reading.schema, policies, logs)]
    if not reading.faults:
        faults += _faults_of_constraints(design, reading.schema)
    return faults


def _faults_of_keys(schema: Schema) -> Iterator[str]:
    """Name tables with an id that is not their key: new ids are made only for keys of one column."""
    for table in schema.tables.values():
        own = f"{table.name}_id"
        if own in table.positions and table.primary_key != (own,):
            yield (
                f"schema: table {table.name!r} has {own}, so its key must be that column alone; "
                f"state what else is unique as UNIQUE ({', '.join(table.primary_key)})"
            )


def _faults_of_callers(design: DatabaseDesign, catalogue: Catalogue, schema: Schema) -> Iterator[str]:
    """Say why people cannot be found by a column of theirs, and which tables every office has already."""
    callers = catalogue.callers
    if callers is None or callers.entity not in schema.tables:
        return
    people = schema.tables[callers.entity]
    for detail in callers.found_by:
        if detail not in people.positions:
            yield f"callers: people are found by {detail!r}; table {people.name!r} needs a column of that name"
    if people.primary_key != (f"{people.name}_id",):
        yield f"callers: the key of {people.name!r} must be {people.name}_id"
    for table in (IDENTIFICATION, DECLINED):
        if table in schema.tables:
            yield f"schema: every office has table {table!r} already; leave it out"


def _faults_of_constraints(design: DatabaseDesign, schema: Schema) -> Iterator[str]:
    sampled = [sample.table for sample in design.samples]
    lacking = [table for table in schema.tables if sampled.count(table) < 2]
    yield from (
        f'samples: table {table!r} needs two rows, such as {{"table": "{table}", "row": {{...}}}}' for table in lacking
    )
    unknown = [table for table in dict.fromkeys(sampled) if table not in schema.tables]
    yield from (f"samples: there is no table {table!r}" for table in unknown)
    if not unknown:
        yield from attack(schema, [(sample.table, sample.row) for sample in design.samples]).faults


def _faults_of_map(design: DatabaseDesign, catalogue: Catalogue, schema: Schema) -> Iterator[str]:
    tools = {tool.name for tool in catalogue.tools}
    dropped = {duplicate.drop for duplicate in design.duplicates}
    for duplicate in design.duplicates:
        for name in (duplicate.drop, duplicate.keep):
            if name not in tools:
                yield f"duplicates: there is no tool {name!r}"
        if duplicate.keep in dropped:
            yield f"duplicates: {duplicate.keep!r} is kept for {duplicate.drop!r}, and dropped itself"
    mapped = [entry.tool for entry in design.tools]
    used = {name for tool in catalogue.tools if tool.name not in mapped for name in (*tool.reads, *tool.writes)}
    for entry in design.tools:
        if entry.tool not in tools:
            yield f"tools: there is no tool {entry.tool!r}"
            continue
        for table in dict.fromkeys([*entry.reads, *entry.writes]):
            if table not in schema.tables:
                yield f"tools: {entry.tool!r} uses table {table!r}, which does not exist"
        used |= {*entry.reads, *entry.writes}
        writes = catalogue.tool(entry.tool).writes
        if bool(writes) != bool(entry.writes):
            designed = f"writes {', '.join(writes)}" if writes else "changes nothing"
            mapped_to = f"writes {', '.join(entry.writes)}" if entry.writes else "writes no table"
            yield f"tools: {entry.tool!r} {designed} by its design, but {mapped_to}"
    for table in schema.tables:
        if table not in used:
            yield f"schema: no tool uses table {table!r}; leave it out, or name it in the entry of a tool in `tools`"
    for entity in catalogue.entities:
        if entity.name not in schema.tables:
            yield f"schema: entity {entity.name!r} has no table; add CREATE TABLE {entity.name}"


async def design_people(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with the people who call; errors: StageFailed."""
    callers = draft.catalogue.callers
    if callers is None:
        raise StageFailed("The catalogue names nobody who calls.")
    named = {*callers.found_by.values()}
    question = Question(
        stage="people",
        key="callers",
        prompt=prompt(
            "people",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            person=callers.entity,
            key=f"{callers.entity}_id",
            found=", ".join(callers.found_by),
            tables=describe_keys(draft.schema),
            designs=describe_tools(tool for tool in draft.catalogue.tools if tool.name in named),
        ),
        max_tokens=4_000,
    )
    border = stand_in(draft)
    asked = await ask(asker, question, PeopleDesign, lambda design: faults_of_callers(draft, design, border))
    return replace(draft, people_design=asked.insist("What is said of callers"))


def faults_of_callers(draft: Draft, design: PeopleDesign, domain: Domain) -> list[str]:
    """Return what does not fit the tables and the tools, one sentence each."""
    people = replace(draft, people_design=design).people
    if people is None:
        return ["no tool is left that finds a caller"]
    return [
        *(f"it {fault}" for fault in faults_of_people(domain.schema, people, domain.tools)),
        *_faults_of_owning(draft, design, people),
        *_faults_of_hours(design, domain.schema),
    ]


def _faults_of_owning(draft: Draft, design: PeopleDesign, people: People) -> Iterator[str]:
    """Name tables that lead to people and are neither somebody's nor explained."""
    if not people.owns:
        yield "owns: nothing belongs to callers; name the tables whose rows are theirs"
    settled = {people.table, *people.owns, *design.not_owned, IDENTIFICATION, DECLINED}
    reached = {people.table, *people.owns}
    for table in draft.schema.tables.values():
        parents = sorted({key.parent for key in table.foreign_keys} & reached)
        if parents and table.name not in settled:
            yield (
                f"owns: {table.name!r} refers to {parents[0]!r}; say by which foreign key it is a caller's, or in "
                "not_owned why it is nobody's own"
            )
    for name in design.not_owned:
        if name not in draft.schema.tables:
            yield f"not_owned: there is no table {name!r}"
        elif name in people.owns:
            yield f"not_owned: {name!r} is in owns, too"


def _faults_of_hours(design: PeopleDesign, schema: Schema) -> Iterator[str]:
    if design.opens >= design.closes:
        yield f"closes: {design.closes!r} is not after {design.opens!r}"
    for name in design.any_time:
        table, _, column = name.partition(".")
        if table not in schema.tables or column not in schema.tables[table].positions:
            yield f"any_time: {name!r} is not a column; write table.column"
