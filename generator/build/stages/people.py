"""Stage `people`: who calls, what proves who they are, which rows are theirs, and when the office works."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from generator.build.ask import Asker, Question, ask
from generator.build.design import PeopleDesign
from generator.build.draft import Draft
from generator.build.stages.cases import stand_in
from generator.build.writing.designs import describe_keys, describe_tools, prompt
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINED, IDENTIFICATION, People, faults_of_people
from runtime.domain.schema import Schema
from runtime.errors import StageFailed


async def design_people(asker: Asker, draft: Draft) -> Draft:
    """The draft with the people who call; errors: StageFailed."""
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
    """What does not fit the tables and the tools, one sentence each."""
    people = replace(draft, people_design=design).people
    if people is None:
        return ["no tool is left that finds a caller"]
    return [
        *(f"it {fault}" for fault in faults_of_people(domain.schema, people, domain.tools)),
        *_faults_of_owning(draft, design, people),
        *_faults_of_hours(design, domain.schema),
    ]


def _faults_of_owning(draft: Draft, design: PeopleDesign, people: People) -> Iterator[str]:
    """Every table that leads to people is somebody's, or is explained."""
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
