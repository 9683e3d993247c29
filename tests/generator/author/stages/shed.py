"""The shed with callers as it is when its rules are asked for, and some stages on it with scripted answers."""

from __future__ import annotations

from typing import Any

from generator.author.ask import Asker
from generator.author.design import Catalogue, DatabaseDesign, PeopleDesign
from generator.author.draft import Draft
from generator.author.stages.code import with_tables
from generator.author.writing.code import TopicCode
from generator.gates.cases.case import TopicCases
from runtime.domain.caller_rules import caller_tables
from runtime.model.choose import Models
from tests.generator import calling
from tests.generator.building import Notes
from tests.runtime.model.scripted import ScriptedModel

TOPICS = ("lendings", "neighbours")


def shed_draft() -> Draft:
    """The shed with its tools, cases and people."""
    answers = calling.answers()
    database = DatabaseDesign.model_validate(answers["database", "schema"])
    schema = database.schema_sql + caller_tables("neighbour", "neighbour_id")
    made = Draft(
        "shed",
        Catalogue.model_validate(answers["tools", "catalogue"]),
        database.model_copy(update={"schema_sql": schema}),
        people_design=PeopleDesign.model_validate(answers["people", "callers"]),
        world=answers["world", "program"]["code"],
        code={topic: TopicCode.model_validate(answers["code", topic]) for topic in TOPICS},
        cases={topic: TopicCases.model_validate(answers["cases", topic]).numbered() for topic in TOPICS},
    )
    return with_tables(made)


def asker_of(script: Any, repairs: int = 0) -> tuple[Asker, Notes, ScriptedModel]:
    """Who answers from a script, and what was noted of it."""
    model, notes = ScriptedModel(script), Notes()
    return Asker(Models(model, {}), notes, repairs), notes, model
