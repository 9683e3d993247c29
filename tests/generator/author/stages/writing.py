"""Scripted answers for the stage that writes scenarios, and that stage on the lending domain."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from generator.author.ask import Asker
from generator.author.draft import Draft
from generator.author.stages.scenarios import write_scenarios
from generator.scenarios.scenario import ScenarioDesign
from runtime.graph import Graph
from runtime.model.choose import Models
from tests.generator import lending
from tests.generator.building import Notes
from tests.runtime.model.scripted import ScriptedModel

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
    model, notes = ScriptedModel(script), Notes()
    asker = Asker(Models(model, {}), notes, repairs)
    return asyncio.run(write_scenarios(asker, draft, GRAPH)), notes, model


def names(draft: Draft) -> list[str]:
    return [each.name for each in draft.scenarios]
