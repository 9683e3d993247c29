"""Claims about the gates over worlds and texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.gates.folder import FolderRequest, describe_folder
from generator.gates.worlds import find_ids_in_texts, find_misspelt, prove_worlds
from runtime.domain.domain import Domain
from runtime.domain.policies import ColumnPolicy, Spelled
from runtime.session.world import World, build_world
from tests.conftest import LIBRARY
from tests.making import make_domain, world_of, write_domain


def fill(body: str) -> str:
    """A world program that fills table thing."""
    return f'"""Fill things."""\n\n\ndef populate(world):\n    for number in range(world.size):\n        {body}\n'


def filled(folder: Path, body: str) -> World:
    """A world of ten things."""
    return world_of(make_domain(folder, world=fill(body)))


def test_an_id_inside_a_text_is_found(tmp_path: Path) -> None:
    world = filled(tmp_path, 'world.insert("thing", label=f"see THING-0003, (copy {number})", amount=1)')
    (fault,) = find_ids_in_texts(world)
    assert fault.startswith("thing.label holds ids in its text ('THING-0003' in row 'THING-0001'")
    assert "10 in all" in fault


def test_a_key_that_is_a_plain_name_may_stand_in_a_text(tmp_path: Path) -> None:
    body = 'world.insert("thing", thing_id="blue" + "abcdefghijkl"[number], label="blueb", amount=1)'
    assert find_ids_in_texts(filled(tmp_path, body)) == []


def test_the_worlds_of_the_library_are_filled_and_sound() -> None:
    proof = prove_worlds(FolderRequest(LIBRARY))
    assert proof.faults == []
    assert [world.rows for world in proof.worlds.values()] == [16, 106, 328, 1100, 3282]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param("pass", "no row in thing; every table must be filled", id="empty"),
        pytest.param("world.insert('thing', label='a', amount=1)", "seeds 1 and 2 give the same world", id="unseeded"),
        pytest.param("world.insert('thing')", "does not fit: NOT NULL constraint failed", id="broken"),
        pytest.param("1 // 0", "world.py crashed: ZeroDivisionError", id="crash"),
    ],
)
def test_a_world_program_that_misses_is_told_why(body: str, said: str, tmp_path: Path) -> None:
    folder = write_domain(tmp_path, world=fill(body))
    assert any(said in fault for fault in prove_worlds(FolderRequest(folder)).faults)


def test_a_weak_constraint_is_told_apart_from_the_worlds(library_copy: Path) -> None:
    schema = (LIBRARY / "schema.sql").read_text(encoding="utf-8")
    (library_copy / "schema.sql").write_text(schema.replace("copies > 0", "copies = copies"), encoding="utf-8")
    proof = prove_worlds(FolderRequest(library_copy))
    (fault,) = proof.constraints.faults
    assert fault.startswith("CHECK (copies = copies) of book refused none of ")
    assert proof.faults == [fault]
    assert proof.constraints.attacked == proof.constraints.refused + 1


def test_a_folder_is_described_by_its_tools_and_tables(library: Domain) -> None:
    described = describe_folder(FolderRequest(LIBRARY))
    assert described.tools == list(library.tools)
    assert {"return_book"} <= {*described.writing} < {*described.tools}
    assert described.undescribed == []


def test_a_field_of_a_nested_parameter_needs_a_description_too(tmp_path: Path) -> None:
    tools = '''
class Line(TypedDict):
    name: Annotated[str, "What"]
    count: int


@tool()
def order(db: Database, lines: Annotated[list[Line], "What is wanted"]) -> Done:
    """Order things."""
    return {"done": True}
'''
    assert describe_folder(FolderRequest(write_domain(tmp_path, tools=tools))).undescribed == ["order.Line.count"]


@pytest.mark.parametrize(
    ("column", "spelled", "said"),
    [
        pytest.param("member.email", "email", "", id="fits"),
        pytest.param("member.phone", "phone", "", id="fits_where_it_is_there"),
        pytest.param("member.name", "phone", "is spelled 'phone', but", id="none"),
    ],
)
def test_a_spelled_column_is_held_to_its_world(library: Domain, column: str, spelled: Spelled, said: str):
    policy = ColumnPolicy(policy="hard", spelled=spelled, reason="for this test")
    policies = library.policies.tightened(library.schema, {column: policy})
    found = list(find_misspelt(build_world(library.populate, library.schema, policies, library.now, 1, 100)))
    assert (len(found) == 1 and said in found[0]) if said else found == []
