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


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param(lambda c: c["tools"].pop(), "there are 4 tools; 5 to 5 are accepted", id="too_few"),
        pytest.param(lambda c: c["tools"].append(c["tools"][0]), "tool 'find_items' appears twice", id="twice"),
        pytest.param(_tool(3, writes=[]), "no tool names entity 'item' in `writes`", id="unwritten"),
        pytest.param(_tool(4, preconditions=[]), "without a precondition that it exists", id="unknown_ids"),
        pytest.param(_parameter(type="money"), "type 'money' is unknown", id="type"),
        pytest.param(_parameter(type="date", maximum=None, minimum=3), "a date has no minimum or maximum", id="bounds"),
        pytest.param(
            lambda c: c["records"][0]["fields"].append({"name": "list", "type": "Items", "description": "all"}),
            "record 'Item' holds itself",
            id="recursion",
        ),
        pytest.param(
            lambda c: c["records"].append({"name": "More", "fields": [c["records"][0]["fields"][0]]}),
            "record 'More' is returned by no tool",
            id="unused",
        ),
    ],
)
def test_an_unusable_catalogue_is_sent_back(change: Change, complaint: str) -> None:
    faults = faults_of_catalogue(_catalogue(change), 5, 5, 2)
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


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param(_sql("ON DELETE RESTRICT", "ON DELETE CASCADE"), "ON DELETE CASCADE", id="cascade"),
        pytest.param(_sql("IN ('out', 'back')", "IN ('out', 'back') OR 1"), "refused none of", id="idle_check"),
        pytest.param(_key("item_id, due_on"), "has lending_id, so its key must be that column", id="key"),
        pytest.param(lambda c: c["samples"].pop(), "samples: table 'lending' needs two rows", id="samples"),
        pytest.param(
            lambda c: c["tools"][1].update(writes=[]),
            "'lend_item' writes lending by its design, but writes no table",
            id="unmapped_write",
        ),
        pytest.param(
            lambda c: c["policies"].append({"column": "item.price", "policy": "semantic", "reason": "words"}),
            "policies: ",
            id="policy",
        ),
        pytest.param(
            lambda c: c["samples"][0]["row"].update(label=None), "does not fit: NOT NULL", id="sample_that_does_not_fit"
        ),
    ],
)
def test_an_unusable_database_is_sent_back(change: Change, complaint: str) -> None:
    faults = faults_of_database(_database(change), _catalogue())
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


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("f\"SELECT item_id, label FROM item WHERE label = '{word}'\"", id="format"),
        pytest.param('"SELECT item_id, label FROM item WHERE label = \'" + word + "\'"', id="sum"),
    ],
)
def test_sql_that_is_put_together_is_sent_back(sql: str) -> None:
    content = copy.deepcopy(lending.answers()["code", "lendings"])
    content["bodies"][0]["body"] = f"return {{'items': db.select({sql})}}"
    faults = [str(fault) for fault in faults_of_code(_draft(), "lendings", TopicCode.model_validate(content))]
    assert any("'find_items'" in fault and "SQL is built here" in fault for fault in faults)


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


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param("return {'items': ", "the body is not valid Python", id="syntax"),
        pytest.param("return {'items': itmes}", "Undefined name `itmes`", id="undefined"),
        pytest.param("return {'items': db.select('SELECT id FROM item')}", "no such column: id", id="column"),
        pytest.param(
            "db.insert('item', item_id='x', label=word)\nreturn {'items': []}",
            "it writes table 'item', but the design writes nothing",
            id="undesigned_write",
        ),
    ],
)
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


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param(_case(0, tool="find"), "this topic has no such tool", id="tool"),
        pytest.param(_case(0, arguments={"word": 3}), "its arguments are refused before the tool runs", id="arguments"),
        pytest.param(_case(0, result={"things": []}), "the result has no field 'things'", id="field"),
        pytest.param(_case(0, result=None), "it expects nothing", id="nothing"),
        pytest.param(_case(2, rejects="NOT_FOUND"), "a rejected call changes nothing", id="both"),
        pytest.param(
            _case(2, changes=[{"table": "item", "key": "I9", "removed": True}]),
            "neither the base nor the case has a row of item with key 'I9'",
            id="key",
        ),
        pytest.param(
            _case(2, changes=[{"table": "item", "key": "I1", "changed": {"label": "Saw"}}]),
            "label has that value already",
            id="no_change",
        ),
        pytest.param(
            _case(2, changes=[{"table": "item", "key": "I1", "changed": {"price": 1}}]),
            "item has no column 'price'",
            id="column",
        ),
        pytest.param(
            _case(
                0, rows={"lending": [{"lending_id": "L7", "item_id": "I7", "neighbour": "A", "due_on": "2026-01-01"}]}
            ),
            "refers to a row of item that is not given",
            id="orphan",
        ),
        pytest.param(lambda c: c["rows"]["item"].append({"item_id": "I5"}), "base rows: the row of item", id="base"),
        pytest.param(
            lambda c: c.update(cases=[each for each in c["cases"] if each.get("rejects") != "NOT_FOUND"]),
            "tool 'take_back' has no rejected case of NOT_FOUND",
            id="uncovered",
        ),
    ],
)
def test_unusable_cases_are_sent_back(change: Change, complaint: str) -> None:
    content = lending.answers()["cases", "lendings"]
    change(content)
    draft = _draft()
    faults = faults_of_cases(TopicCases.model_validate(content), draft.catalogue.tools, stand_in(draft))
    assert any(complaint in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        pytest.param(
            "world.share(0.5, least=2))\n    ]", "world.share(0.1, least=2))\n    ]", "within a quarter", id="size"
        ),
        pytest.param('else "back"', 'else "out"', "no row of lending has status 'back'", id="state"),
        pytest.param(
            'world.insert("item", label=', 'world.insert("item", name=', "item has no column named name", id="column"
        ),
        pytest.param("world.random.choice(LABELS)", "LABELS[world.size]", "IndexError", id="crash"),
        pytest.param('label=f"{', 'label=f"{"ITEM-0001"} {', "ITEM-0001", id="id_in_text"),
    ],
)
def test_a_lifeless_or_broken_world_is_sent_back(old: str, new: str, complaint: str) -> None:
    code = lending.answers()["world", "program"]["code"]
    assert old in code
    draft = Draft("tool_lending", _catalogue(), _database(), world=code.replace(old, new))
    faults = faults_of_program(draft)
    assert any(complaint in fault for fault in faults), faults
