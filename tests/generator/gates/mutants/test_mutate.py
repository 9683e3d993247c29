"""Each kind of edit makes the mutants that it should, of the tools that reach the code, and no others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator.gates.mutants.mutate import Mutant, make_mutants
from runtime.domain.domain import Domain
from tests.conftest import LIBRARY, SHIPPED_LIBRARY
from tests.making import make_domain

SCHEMA = """
CREATE TABLE thing (       -- A thing
    thing_id TEXT PRIMARY KEY,  -- Its id
    label TEXT NOT NULL,   -- What it is called
    made_on TEXT,          -- When it was made
    sold_on TEXT,          -- When it was sold
    amount INTEGER NOT NULL DEFAULT 1,  -- How many
    price INTEGER NOT NULL -- What one costs
) STRICT, WITHOUT ROWID;
"""
HEAD = '''
@tool(reads=["thing"], writes=["thing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def act(db: Database, thing_id: Annotated[str, "Which"], n: Annotated[int, "Count of 7"] = 5) -> Done:
    """Do it at most 3 times."""
'''
COUNT = '''
class Count(TypedDict):
    high: Annotated[int, "The greater"]
    low: Annotated[int, "The lesser"]
    word: Annotated[str, "Its word"]


@tool()
def count(db: Database, n: Annotated[int, "Start"]) -> Count:
    """Count."""
    return {"high": n, "low": -n, "word": "w"}
'''


def _act(folder: Path, *lines: str) -> list[Mutant]:
    body = "".join(f"    {line}\n" for line in lines)
    return _mutants(folder, f'{HEAD}{body}    return {{"done": bool(n)}}\n')


def _mutants(folder: Path, tools: str) -> list[Mutant]:
    return make_mutants(make_domain(folder, schema=SCHEMA, tools=tools))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            ["if n > 2:", "    n = n"],
            {
                "negated condition: n > 2 -> not n > 2",
                "changed comparison: n > 2 -> n >= 2",
                "changed number: n > 2 -> n > 3",
            },
            id="a_comparison_is_moved_by_one_in_either_direction_once",
        ),
        pytest.param(
            ["if n == 2:", "    n = n"],
            {"negated condition: n == 2 -> n != 2", "changed number: n == 2 -> n == 3"},
            id="an_equality_is_negated_once",
        ),
        pytest.param(
            ["n = n and thing_id"],
            {
                "changed connective: n and thing_id -> n or thing_id",
                "dropped condition: n and thing_id -> thing_id",
                "dropped condition: n and thing_id -> n",
            },
            id="a_connective_is_swapped_and_each_operand_dropped",
        ),
        pytest.param(
            ["n = [each for each in (n,) if each]"],
            {"dropped condition: if each -> (dropped)"},
            id="the_filter_of_a_comprehension_is_dropped",
        ),
        pytest.param(
            ["n += 3"],
            {
                "changed operation: n += 3 -> n -= 3",
                "changed number: 3 -> 4",
                "changed number: 3 -> 2",
            },
            id="a_sum_becomes_a_difference_and_a_number_is_off_by_one",
        ),
        pytest.param(
            ["n = max(n, len(thing_id))"],
            {"changed operation: max(n, len(thing_id)) -> min(n, len(thing_id))"},
            id="max_becomes_min",
        ),
        pytest.param(
            ["for each in (n, n):", "    break"], {"dropped jump: break -> (dropped)"}, id="a_break_is_dropped"
        ),
        pytest.param(
            ["n = db.now < thing_id"],
            {
                "changed comparison: db.now < thing_id -> db.now <= thing_id",
                "changed clock: db.now -> db.today",
            },
            id="the_moment_becomes_the_day",
        ),
        pytest.param(
            ["if n:", '    raise Rejection.not_found(f"{n + 1} of 5")'],
            {
                "negated condition: n -> not n",
                "dropped rejection: if n: raise NOT_FOUND -> (dropped)",
                "changed rejection: NOT_FOUND -> ALREADY_EXISTS",
            },
            id="a_rejection_is_dropped_or_of_another_kind_and_its_message_stays",
        ),
        pytest.param(
            ['db.require("thing", thing_id)'],
            {"dropped rejection: db.require('thing', thing_id) -> (dropped)"},
            id="a_required_row_is_not_required",
        ),
        pytest.param(
            ['db.update("thing", thing_id, label=db.principal)'],
            {
                "dropped write: db.update('thing', thing_id, label=db.principal) -> (dropped)",
                "swapped column: update thing: label=db.principal -> made_on=db.principal",
            },
            id="a_write_is_dropped_or_goes_to_another_column",
        ),
        pytest.param(
            ['row = db.delete("thing", thing_id)'],
            {"dropped write: db.delete('thing', thing_id) -> (dropped)"},
            id="a_dropped_write_whose_row_is_used_leaves_the_row",
        ),
        pytest.param(
            ['db.insert("thing", thing_id=thing_id, label=thing_id, amount=n, price=n)'],
            {
                "dropped write: db.insert('thing', thing_id=thing_id, label=thing_id, amount=n, price=n) -> (dropped)",
                "dropped column: insert thing: amount=n -> (dropped)",
                "swapped column: insert thing: label=thing_id -> made_on=thing_id",
            },
            id="only_a_column_that_can_be_left_out_is_dropped",
        ),
        pytest.param(
            ['row = db.require("thing", thing_id)', 'n = row["made_on"]'],
            {"swapped column: row['made_on'] -> row['sold_on']"},
            id="a_column_is_read_in_the_place_of_its_lookalike",
        ),
    ],
)
def test_an_edit_of_each_kind_is_made_where_it_can_be(tmp_path: Path, lines: list[str], expected: set[str]) -> None:
    assert {f"{mutant.kind}: {mutant.description}" for mutant in _act(tmp_path, *lines)} == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param(
            "SELECT price FROM thing WHERE thing_id = ? AND amount BETWEEN 1 AND 3",
            {
                "price -> amount AS price",
                "thing_id = ? -> (dropped)",
                "thing_id -> label",
                "thing_id = ? -> thing_id <> ?",
                "amount BETWEEN 1 AND 3 -> (dropped)",
                "amount -> price",
                "amount BETWEEN 1 AND 3 -> NOT amount BETWEEN 1 AND 3",
                "amount BETWEEN 1 AND 3 -> amount BETWEEN 2 AND 3",
                "amount BETWEEN 1 AND 3 -> amount BETWEEN 0 AND 3",
                "amount BETWEEN 1 AND 3 -> amount BETWEEN 1 AND 4",
                "amount BETWEEN 1 AND 3 -> amount BETWEEN 1 AND 2",
            },
            id="a_between_is_one_term",
        ),
        pytest.param(
            "SELECT max(price) FROM thing WHERE made_on IS NULL OR price < 5 AND label != 'x AND y'",
            {
                "MAX(price) -> MIN(price)",
                "price -> amount",
                "made_on IS NULL -> (dropped)",
                "made_on -> sold_on",
                "made_on IS NULL -> NOT made_on IS NULL",
                "made_on IS NULL OR price < 5 AND label <> 'x AND y' -> "
                "made_on IS NULL AND price < 5 AND label <> 'x AND y'",
                "price < 5 AND label <> 'x AND y' -> (dropped)",
                "price < 5 -> price <= 5",
                "price < 5 -> price < 4",
                "label <> 'x AND y' -> label = 'x AND y'",
                "label -> made_on",
            },
            id="or_binds_less_than_and",
        ),
        pytest.param(
            "SELECT label FROM thing ORDER BY made_on DESC, thing_id LIMIT 3",
            {
                "label -> made_on AS label",
                "made_on -> sold_on",
                "ORDER BY made_on DESC -> (dropped)",
                "made_on DESC -> made_on",
                "thing_id -> thing_id DESC",
            },
            id="an_order_is_reversed_or_loses_its_first_term",
        ),
        pytest.param(
            "SELECT a.label FROM thing a LEFT JOIN thing AS b ON a.price = b.price AND b.amount > 0 WHERE b.label = ?",
            {
                "a.label -> a.made_on AS label",
                "LEFT JOIN -> JOIN",
                "b.amount > 0 -> (dropped)",
                "b.amount > 0 -> b.amount >= 0",
                "b.amount > 0 -> b.amount > 1",
                "b.label = ? -> (dropped)",
                "b.label -> b.made_on",
                "b.label = ? -> b.label <> ?",
            },
            id="a_join_keeps_its_first_term",
        ),
        pytest.param("SELECT label FROM nothing", set(), id="what_is_no_query_is_left_alone"),
    ],
)
def test_a_query_is_edited_by_its_words(tmp_path: Path, sql: str, expected: set[str]) -> None:
    values = ", thing_id" * sql.count("?")
    lines = [f'db.first("{sql}"{values})'] if "nothing" not in sql else [f'thing_id = "{sql}"']
    assert {mutant.description for mutant in _act(tmp_path, *lines)} == expected


def test_results_of_the_same_type_change_places(tmp_path: Path) -> None:
    assert [mutant.description for mutant in _mutants(tmp_path, COUNT)] == ["'high': n -> -n"]


def test_a_mutant_of_a_helper_or_constant_is_one_of_every_tool_that_reaches_it(tmp_path: Path) -> None:
    tool = '@tool()\ndef {0}(db: Database) -> Done:\n    """Do."""\n    return {1}\n\n\n'
    code = (
        "LIMIT = 4\nUNUSED = 4\n\n\n"
        + tool.format("one", "_helped(db)")
        + tool.format("two", "_helped(db)")
        + tool.format("three", '{"done": LIMIT > len(db.now)}')
        + 'def _helped(db):\n    return {"done": len(db.now) < LIMIT}\n'
    )
    domain = make_domain(tmp_path, tools=code)
    found = make_mutants(domain)
    assert [(mutant.id, mutant.tools) for mutant in found] == [
        ("one:1", ("one", "two", "three")),
        ("one:2", ("one", "two", "three")),
        ("one:3", ("one", "two")),
        ("one:4", ("one", "two")),
        ("three:1", ("three",)),
        ("three:2", ("three",)),
    ]
    assert make_mutants(domain, ["three"])[0].id == "three:1"
    variant = found[2].variant(domain)
    assert variant.tools["one"].function is not domain.tools["one"].function
    assert variant.tools["three"].function is domain.tools["three"].function


def test_no_two_mutants_are_the_same_program_and_each_is_one(library: Domain) -> None:
    found = make_mutants(library)
    assert len({mutant.id for mutant in found}) == len(found) > 200
    assert all(set(mutant.functions) == set(mutant.tools) and mutant.tools[0] == mutant.tool for mutant in found)


def test_mutants_are_the_same_in_every_process() -> None:
    script = (
        "import json, sys; from pathlib import Path; from runtime.domain.load import load_domain;"
        "from generator.gates.mutants.mutate import make_mutants;"
        "found = make_mutants(load_domain(Path(sys.argv[1])));"
        "print(json.dumps([[mutant.id, mutant.line, mutant.kind, mutant.description] for mutant in found]))"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", script, str(LIBRARY)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            cwd=SHIPPED_LIBRARY.parent.parent,
        ).stdout
        for seed in ("1", "2")
    ]
    assert answers[0] == answers[1]
    assert len(json.loads(answers[0])) > 200
