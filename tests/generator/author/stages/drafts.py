"""The two sheds as they are when their rules and scenarios are asked for, and stages on them with scripted answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from generator.author.ask import Asker
from generator.author.design import Catalogue, DatabaseDesign, PeopleDesign
from generator.author.draft import Draft
from generator.author.stages.code import with_tables
from generator.author.stages.scenarios import write_scenarios
from generator.author.writing.code import TopicCode
from generator.gates.cases.case import TopicCases
from generator.scenarios.scenario import ScenarioDesign
from runtime.domain.caller_rules import caller_tables
from runtime.graph import Graph
from runtime.model.choose import Models
from tests.generator import calling, lending
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


def lending_draft() -> Draft:
    """The shed that nobody calls, with its tools."""
    answers = lending.answers()
    made = Draft(
        "tool_lending",
        Catalogue.model_validate(answers["tools", "catalogue"]),
        DatabaseDesign.model_validate(answers["database", "schema"]),
        world=answers["world", "program"]["code"],
        code={"lendings": TopicCode.model_validate(answers["code", "lendings"])},
    )
    return with_tables(made)


GRAPH = Graph(starts=(), unexecuted=(), crashed={}, nodes={}, edges=())
READING = {("reading", "lendings"): lending.answers()["reading", "lendings"]}
STOP = {**READING, ("scenarios", "gate-1"): {"probability": 0.2, "reason": "Nothing new is left to want."}}


def answer(*changes: Mapping[str, Any], drop: tuple[str, ...] = ()) -> dict[str, Any]:
    """The scripted answer with some of its scenarios changed or left out."""
    answer = lending.answers()["scenarios", "lendings"]
    by_name = {each["name"]: each for each in answer["scenarios"]}
    for change in changes:
        by_name[change["name"]] = {**by_name.get(change["name"], {"wish": "Something."}), **change}
    return {"scenarios": [each for name, each in by_name.items() if name not in drop]}


def read(name: str, **arguments: Any) -> dict[str, Any]:
    return {"readings": [{"name": name, "calls": [{"call": 1, "arguments": arguments}]}]}


def scenario(body: str, name: str = "planted") -> ScenarioDesign:
    return ScenarioDesign(name=name, wish="Something is planted.", body=body)


def write(draft: Draft, script: Any, repairs: int = 1) -> tuple[Draft, Notes, ScriptedModel]:
    asker, notes, model = asker_of(script, repairs)
    return asyncio.run(write_scenarios(asker, draft, GRAPH)), notes, model


def names(draft: Draft) -> list[str]:
    return [each.name for each in draft.scenarios]
