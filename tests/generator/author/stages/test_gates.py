"""What the gates of the designing stages complain of, one sentence per fault."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.author.ask import complaints_in
from generator.author.design import Catalogue, DatabaseDesign
from generator.author.draft import Draft
from generator.author.stages.cases import faults_of_cases, stand_in
from generator.author.stages.code import faults_of_code
from generator.author.stages.database import faults_of_database
from generator.author.stages.tools import faults_of_catalogue
from generator.author.stages.world import faults_of_program
from generator.author.writing.code import TopicCode
from generator.gates.cases.case import TopicCases
from generator.gates.folder import FolderRequest
from generator.isolation.job import ProofFailed, job
from generator.isolation.process import run_job
from tests.generator import lending

Change = Callable[[Any], None]


def _catalogue(change: Change = lambda _: None) -> Catalogue:
    content = copy.deepcopy(lending.answers()["tools", "catalogue"])
    change(content)
    return Catalogue.model_validate(content)


def _database(change: Change = lambda _: None) -> DatabaseDesign:
    content = copy.deepcopy(lending.answers()["database", "schema"])
    change(content)
    return DatabaseDesign.model_validate(content)


def _draft() -> Draft:
    return Draft("tool_lending", _catalogue(), _database())


def _tool(number: int, **values: Any) -> Change:
    return lambda content: content["tools"][number].update(values)


def _parameter(**values: Any) -> Change:
    return lambda content: content["tools"][0]["parameters"][0].update(values)


CATALOGUES: dict[str, Change] = {
    "there are 4 tools; 5 to 5 are accepted": lambda c: c["tools"].pop(),
    "tool 'find_items' appears twice": lambda c: c["tools"].append(c["tools"][0]),
    "no tool names entity 'item' in `writes`": _tool(3, writes=[]),
    "without a precondition that it exists": _tool(4, preconditions=[]),
    "type 'money' is unknown": _parameter(type="money"),
    "a date has no minimum or maximum": _parameter(type="date", maximum=None, minimum=3),
    "record 'Item' holds itself": lambda c: c["records"][0]["fields"].append(
        {"name": "list", "type": "Items", "description": "all"}
    ),
    "record 'More' is returned by no tool": lambda c: c["records"].append(
        {"name": "More", "fields": [c["records"][0]["fields"][0]]}
    ),
}


@pytest.mark.parametrize("complaint", CATALOGUES)
def test_an_unusable_catalogue_is_sent_back(complaint: str) -> None:
    faults = faults_of_catalogue(_catalogue(CATALOGUES[complaint]), 5, 5, 2)
    assert any(complaint in fault for fault in faults), faults


def test_a_good_catalogue_and_database_pass() -> None:
    assert faults_of_catalogue(_catalogue(), 4, 6, 2) == []
    assert faults_of_database(_database(), _catalogue()) == []


def _sql(old: str, new: str) -> Change:
    def change(content: Any) -> None:
        assert old in content["schema_sql"]
        content["schema_sql"] = content["schema_sql"].replace(old, new)

    return change


def _key(columns: str) -> Change:
    """Lendings are known by these columns; their ids are unique besides."""

    def change(content: Any) -> None:
        _sql("lending_id  TEXT PRIMARY KEY", "lending_id  TEXT NOT NULL UNIQUE")(content)
        _sql("-- Where it is", f"-- Where it is\n    , PRIMARY KEY ({columns})")(content)

    return change


DATABASES: dict[str, Change] = {
    "ON DELETE CASCADE": _sql("ON DELETE RESTRICT", "ON DELETE CASCADE"),
    "refused none of": _sql("IN ('out', 'back')", "IN ('out', 'back') OR 1"),
    "has lending_id, so its key must be that column": _key("item_id, due_on"),
    "samples: table 'lending' needs two rows": lambda c: c["samples"].pop(),
    "'lend_item' writes lending by its design, but writes no table": lambda c: c["tools"][1].update(writes=[]),
    "policies: ": lambda c: c["policies"].append({"column": "item.price", "policy": "semantic", "reason": "words"}),
    "does not fit: NOT NULL": lambda c: c["samples"][0]["row"].update(label=None),
}


@pytest.mark.parametrize("complaint", DATABASES)
def test_an_unusable_database_is_sent_back(complaint: str) -> None:
    faults = faults_of_database(_database(DATABASES[complaint]), _catalogue())
    assert any(complaint in fault for fault in faults), faults


def test_a_crash_of_our_own_is_no_complaint() -> None:
    assert complaints_in(ProofFailed("The proof 'cases' crashed: KeyError: 'x'.")) == [
        "The proof 'cases' crashed: KeyError: 'x'."
    ]
    with pytest.raises(ProofFailed, match="not found") as failed:
        run_job(broken, FolderRequest(Path("nowhere")))
    with pytest.raises(ProofFailed, match="not found"):
        complaints_in(failed.value)


@job("broken")
def broken(asked: FolderRequest) -> FolderRequest:
    raise AttributeError("module is not found in here")


def test_whoever_writes_code_or_cases_sees_unique_indexes() -> None:
    index = "CREATE UNIQUE INDEX one_lending ON lending (item_id)\n    WHERE status = 'out';"
    design = _database(lambda content: content.update(schema_sql=f"{content['schema_sql']}\n{index}\n"))
    assert faults_of_database(design, _catalogue()) == []
    draft = Draft("tool_lending", _catalogue(), design)
    assert index in draft.sql_of(draft.catalogue.tools)
    assert "INDEX" not in draft.sql_of([draft.catalogue.tool("find_items")])


def test_what_a_linter_can_mend_is_not_sent_back() -> None:
    content = lending.answers()["code", "lendings"]
    content["bodies"][0]["body"] = f"rows = 3\n{content['bodies'][0]['body']}"
    draft = replace(_draft(), code={"lendings": TopicCode.model_validate(content)})
    assert faults_of_code(draft, "lendings", draft.code["lendings"]) == []
    with draft.laid_out() as folder:
        assert "rows = 3" not in (folder / "tools" / "lendings.py").read_text()


BODIES = [
    ("return {'items': ", "the body is not valid Python"),
    ("return {'items': itmes}", "Undefined name `itmes`"),
    ("return {'items': db.select('SELECT id FROM item')}", "no such column: id"),
    ("db.insert('item', item_id='x', label=word)\nreturn {'items': []}", "it writes table 'item', but the design"),
    ("return {'items': db.select(f\"SELECT item_id FROM item WHERE label = '{word}'\")}", "SQL is built here"),
    ("return {'items': db.select('SELECT item_id FROM item WHERE label = ' + word)}", "SQL is built here"),
]


@pytest.mark.parametrize(("body", "complaint"), BODIES)
def test_faulty_code_is_sent_back_with_the_tool_and_its_line(body: str, complaint: str) -> None:
    content = lending.answers()["code", "lendings"]
    content["bodies"][0]["body"] = body
    faults = [str(fault) for fault in faults_of_code(_draft(), "lendings", TopicCode.model_validate(content))]
    assert any(complaint in fault for fault in faults), faults
    assert all(fault.startswith("tool 'find_items'") for fault in faults), faults


def test_a_body_that_never_writes_what_it_is_designed_to_write_is_sent_back() -> None:
    content = lending.answers()["code", "lendings"]
    content["bodies"][3]["body"] = "return {'item_id': 'I1', 'label': label}"
    faults = [str(fault) for fault in faults_of_code(_draft(), "lendings", TopicCode.model_validate(content))]
    assert faults == ["tool 'add_item': it never writes table 'item', which the design writes"]


def _case(number: int, **values: Any) -> Change:
    return lambda content: content["cases"][number].update(values)


def _changes(**change: Any) -> Change:
    return _case(2, changes=[{"table": "item", "key": "I1", **change}])


ORPHAN = {"lending_id": "L7", "item_id": "I7", "neighbour": "A", "due_on": "2026-01-01"}
CASES: dict[str, Change] = {
    "this topic has no such tool": _case(0, tool="find"),
    "its arguments are refused before the tool runs": _case(0, arguments={"word": 3}),
    "the result has no field 'things'": _case(0, result={"things": []}),
    "it expects nothing": _case(0, result=None),
    "a rejected call changes nothing": _case(2, rejects="NOT_FOUND"),
    "neither the base nor the case has a row of item with key 'I9'": _changes(key="I9", removed=True),
    "label has that value already": _changes(changed={"label": "Saw"}),
    "item has no column 'price'": _changes(changed={"price": 1}),
    "refers to a row of item that is not given": _case(0, rows={"lending": [ORPHAN]}),
    "base rows: the row of item": lambda c: c["rows"]["item"].append({"item_id": "I5"}),
    "tool 'take_back' has no rejected case of NOT_FOUND": lambda c: c.update(
        cases=[each for each in c["cases"] if each.get("rejects") != "NOT_FOUND"]
    ),
}


@pytest.mark.parametrize("complaint", CASES)
def test_unusable_cases_are_sent_back(complaint: str) -> None:
    content = lending.answers()["cases", "lendings"]
    CASES[complaint](content)
    draft = _draft()
    faults = faults_of_cases(TopicCases.model_validate(content), draft.catalogue.tools, stand_in(draft))
    assert any(complaint in fault for fault in faults), faults


WORLDS = [
    ("world.share(0.5, least=2))\n    ]", "world.share(0.1, least=2))\n    ]", "within a quarter"),
    ('else "back"', 'else "out"', "no row of lending has status 'back'"),
    ('world.insert("item", label=', 'world.insert("item", name=', "item has no column named name"),
    ("world.random.choice(LABELS)", "LABELS[world.size]", "IndexError"),
    ('label=f"{', 'label=f"{"ITEM-0001"} {', "ITEM-0001"),
]


@pytest.mark.parametrize(("old", "new", "complaint"), WORLDS)
def test_a_lifeless_or_broken_world_is_sent_back(old: str, new: str, complaint: str) -> None:
    code = lending.answers()["world", "program"]["code"]
    assert old in code
    draft = Draft("tool_lending", _catalogue(), _database(), world=code.replace(old, new))
    faults = faults_of_program(draft)
    assert any(complaint in fault for fault in faults), faults
