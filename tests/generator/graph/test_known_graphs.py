"""Small domains of which the whole graph is known: every edge that is there, and none that only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.graph.find import find_graph, recheck
from runtime.graph import Graph
from tests.making import make_domain

SCHEMA = """
CREATE TABLE thing (       -- A thing
    thing_id TEXT PRIMARY KEY,  -- Its id
    label TEXT NOT NULL,   -- What it is called
    stars INTEGER NOT NULL DEFAULT 0  -- How good it is
) STRICT, WITHOUT ROWID;
CREATE TABLE place (       -- A place
    place_id INTEGER PRIMARY KEY,  -- Its number
    town TEXT NOT NULL     -- Where it is
) STRICT, WITHOUT ROWID;
"""

WORLD = '''"""Things and places."""


def populate(world):
    for number in range(8):
        world.insert("thing", label=f"Thing of {number} parts")
        world.insert("place", town=f"Town by river {number}")
'''

GET_THING = '''
class Thing(TypedDict):
    label: Annotated[str, "What it is called"]
    stars: Annotated[int, "How good it is"]


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def get_thing(db: Database, thing_id: Annotated[str, "Which"]) -> Thing:
    """Look at a thing."""
    thing = db.require("thing", thing_id)
    return {"label": thing["label"], "stars": thing["stars"]}
'''

ADD_THING = '''
class NewThing(TypedDict):
    thing_id: Annotated[str, "Its id"]


@tool(writes=["thing"])
def add_thing(db: Database, label: Annotated[str, "What it is called"]) -> NewThing:
    """Add a thing."""
    return {"thing_id": db.insert("thing", thing_id=db.new_id("thing"), label=label)["thing_id"]}
'''

ADD_PLACE = '''
class NewPlace(TypedDict):
    place_id: Annotated[int, "Its number"]


@tool(writes=["place"])
def add_place(db: Database, town: Annotated[str, "Where it is"]) -> NewPlace:
    """Add a place."""
    return {"place_id": db.insert("place", place_id=db.new_id("place"), town=town)["place_id"]}
'''

LIST_PLACES = '''
class Place(TypedDict):
    place_id: Annotated[int, "Its number"]
    town: Annotated[str, "Where it is"]


class Places(TypedDict):
    places: Annotated[list[Place], "All of them"]


@tool(reads=["place"])
def list_places(db: Database) -> Places:
    """List the places."""
    return {"places": db.select("SELECT place_id, town FROM place ORDER BY place_id")}
'''

RATE_THING = '''
class Rated(TypedDict):
    label: Annotated[str, "What it is called"]
    stars: Annotated[int, "As given"]


@tool(writes=["thing"], rejects=["NOT_FOUND", "INVALID_ARGUMENT"])
def rate_thing(
    db: Database, thing_id: Annotated[str, "Which"], stars: Annotated[int, "How good it is, up to 20"]
) -> Rated:
    """Say how good a thing is."""
    thing = db.require("thing", thing_id)
    if stars > 20:
        raise Rejection.invalid_argument(f"{stars} stars are too many.")
    db.update("thing", thing_id, stars=stars)
    return {"label": thing["label"], "stars": stars}
'''

ECHO = '''
class Echo(TypedDict):
    said: Annotated[str, "The words"]


@tool(reads=["place"])
def repeat_words(db: Database, words: Annotated[str, "Any"]) -> Echo:
    """Say it again."""
    return {"said": f"you said {words}"}
'''

ADD_ALL = '''
class Part(TypedDict):
    thing_id: Annotated[str, "Which"]
    count: Annotated[int, "How many"]


class Count(TypedDict):
    total: Annotated[int, "How many in all"]


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def count_parts(db: Database, parts: Annotated[list[Part], "Of what"]) -> Count:
    """Count parts."""
    for part in parts:
        db.require("thing", part["thing_id"])
    return {"total": sum(part["count"] for part in parts)}


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def count_things(db: Database, thing_ids: Annotated[list[str], "Which"]) -> Count:
    """Count things."""
    for thing_id in thing_ids:
        db.require("thing", thing_id)
    return {"total": len(thing_ids)}
'''

NEVER = '''
@tool(rejects=["FAILED_PRECONDITION"])
def never_works(db: Database) -> Done:
    """Refuse."""
    raise Rejection.failed_precondition("It is closed.")
'''


def _graph(folder: Path, *tools: str) -> Graph:
    domain = make_domain(folder, schema=SCHEMA, world=WORLD, tools="".join(tools))
    graph = find_graph(domain)
    assert recheck(domain, graph) == []
    return graph


MAKER_WRITER_READER = {
    ("add_thing", "get_thing", "data_flow"),
    ("add_thing", "get_thing", "precondition"),
    ("add_thing", "rate_thing", "data_flow"),
    ("add_thing", "rate_thing", "precondition"),
    ("rate_thing", "get_thing", "shared_state"),
}
KNOWN: dict[str, tuple[list[str], set[tuple[str, str, str]]]] = {
    "tools of two tables": ([GET_THING, LIST_PLACES], set()),
    "new ids from the common counter are not shared state": ([ADD_THING, ADD_PLACE], set()),
    "repeating an argument is not a data flow": ([LIST_PLACES, GET_THING, ECHO], set()),
    "a maker, a writer and a reader": ([GET_THING, ADD_THING, RATE_THING], MAKER_WRITER_READER),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_graph_has_exactly_its_edges(tmp_path: Path, name: str) -> None:
    tools, edges = KNOWN[name]
    assert {(edge.source, edge.target, edge.kind) for edge in _graph(tmp_path, *tools).edges} == edges


def test_values_flow_into_lists_and_their_objects(tmp_path: Path) -> None:
    graph = _graph(tmp_path, ADD_THING, ADD_ALL)
    flows = {edge.target: edge.evidence.parameter for edge in graph.edges if edge.kind == "data_flow"}
    assert flows == {"count_parts": "parts.0.thing_id", "count_things": "thing_ids.0"}


def test_a_tool_that_never_succeeds_is_reported(tmp_path: Path) -> None:
    assert _graph(tmp_path, GET_THING, NEVER).unexecuted == ("never_works",)


def test_a_tool_that_crashes_is_reported_with_its_call(tmp_path: Path) -> None:
    tool = '''
@tool(reads=["thing"], rejects=["NOT_FOUND"])
def break_thing(db: Database, thing_id: Annotated[str, "Which"]) -> Done:
    """Break."""
    return {"done": bool(db.require("thing", thing_id)["lable"])}
'''
    graph = _graph(tmp_path, tool)
    assert list(graph.crashed) == ["break_thing"]
    assert "Error" in graph.crashed["break_thing"]
