"""A build ends in a proven domain, costs nothing twice, and says what it lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from generator.author.ask import Asker, CostSpent
from generator.author.build import build
from generator.author.finish import SAMPLES
from generator.author.stage import ROLES, STAGES
from generator.author.stages import trial
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.mutants import MutantsRequest, prove_mutants
from runtime.domain.load import load_domain
from runtime.errors import ModelFailed, StageFailed
from runtime.model.book import AnswerBook, RecordedModel
from runtime.model.choose import Models
from runtime.model.model import Answer, Request, Usage
from runtime.session.session import Session
from runtime.task.judge import judge
from runtime.task.story import load_scenarios
from runtime.task.task import replay, start_world
from runtime.task.task_file import read_tasks
from tests.generator import lending
from tests.generator.building import ORDER, Notes, build_lending, contents
from tests.generator.conftest import TASKS
from tests.runtime.model.scripted import ScriptedModel


@pytest.fixture
def built(lending_folder: Path) -> Path:
    """The lending domain."""
    return lending_folder


@pytest.fixture(autouse=True, scope="module")
def a_small_domain() -> Iterator[None]:
    """As many random calls as find what is wrong here, and a question about a handful of planted faults."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "RANDOM_CALLS", 400)
        patch.setattr(trial, "FEWEST", 1)
        patch.setattr(trial, "ENOUGH", 0.95)
        yield


def test_a_built_domain_loads_and_every_case_is_as_expected(built: Path) -> None:
    domain = load_domain(built)
    assert list(domain.tools) == ["add_item", "find_items", "lend_item", "list_lendings", "take_back"]
    report = prove_cases(FolderRequest(built))
    assert report.unexpected == []
    assert {each.tool for each in report.cases if each.kind == "success"} == set(domain.tools)


def test_a_built_domain_has_all_its_documents(built: Path) -> None:
    assert set(contents(built)) == {
        "README.md",
        "cases.jsonl",
        "domain.json",
        "graph.json",
        "policy.md",
        "scenarios.py",
        "schema.sql",
        "tasks.jsonl",
        "tools/lendings.py",
        "world.py",
    }
    assert "`take_back`: The lending is out." in (built / "policy.md").read_text()
    provenance = load_domain(built).card.provenance
    assert provenance["keyword"] == "tool lending"
    assert provenance["scenarios"] == 3
    assert [(ruling["remaining"], ruling["score"], ruling["goes_on"]) for ruling in provenance["gate"]] == [
        (0, 0.1, False)
    ]
    assert "scenarios" in provenance["tokens"]["by_stage"]
    assert "- 3 scenarios of what people want" in (built / "README.md").read_text()
    assert "gate on further scenarios: stop at 0.1 (|D| 0, c(H) " in (built / "README.md").read_text()
    assert list(load_scenarios(built)) == ["borrow_an_item", "bring_an_item_back", "give_an_item"]
    assert provenance["tokens"]["estimated"] is True
    assert provenance["tokens"]["prompt"] > 1000


def test_a_build_that_stopped_goes_on_without_asking_twice(tmp_path: Path) -> None:
    script = lending.answers()
    del script["cases", "lendings"]
    with pytest.raises(ModelFailed, match="no answer for cases/lendings"):
        build_lending(tmp_path, script)
    assert not (tmp_path / "domain.json").exists()
    _, scripted = build_lending(tmp_path, scenarios=False)
    asked = [(request.stage, request.key) for request in scripted.requests]
    assert ("tools", "catalogue") not in asked
    assert ("cases", "lendings") in asked
    assert load_domain(tmp_path).name == "tool_lending"


def _body(script: dict[Any, Any], tool: str) -> dict[str, Any]:
    found: dict[str, Any] = next(body for body in script["code", "lendings"]["bodies"] if body["tool"] == tool)
    return found


@dataclass(frozen=True)
class Repaired:
    """A build in which five answers were wrong at first: what it left, was asked and noted."""

    folder: Path
    requests: list[Request]
    notes: Notes

    def prompt(self, key: str) -> str:
        """What was shown to whoever mended a tool or a case."""
        (request,) = [each for each in self.requests if (each.stage, each.key) == ("debug", key)]
        return request.prompt


ODD = {"table": "tool", "what": "A ladder of 2 inches; ladders have 4 to 24 feet."}


@pytest.fixture(scope="module")
def repaired(a_small_domain: None, tmp_path_factory: pytest.TempPathFactory) -> Repaired:
    script = lending.answers()
    catalogue = script.pop(("tools", "catalogue"))
    script["tools", "catalogue", 1] = {**catalogue, "tools": catalogue["tools"][:-1]}
    head = {name: catalogue[name] for name in ("title", "summary", "clock")}
    script["tools", "catalogue", 2] = {**head, "tools": catalogue["tools"][-1:]}
    back = _body(script, "take_back")
    blames = [{"case": "take_back-2", "wrong": "tool", "reason": "The design refuses a lending that is back."}]
    script["debug", "take_back@trial.1"] = {"blames": blames, "body": back["body"]}
    back["body"] = back["body"].replace('"status"] != "out"', '"status"] == "lost"')
    case = next(each for each in script["cases", "lendings"]["cases"] if each["title"] == "a week unless said")
    blames = [{"case": "lend_item-2", "wrong": "case", "reason": "Seven days from May 4 are May 11."}]
    right = {**case, "id": "lend_item-2", "changes": [dict(change) for change in case["changes"]]}
    script["debug", "lend_item@trial.1"] = {"blames": blames, "cases": [right]}
    case["changes"] = [{"table": "lending", "added": {**case["changes"][0]["added"], "due_on": "2026-05-12"}}]
    add = _body(script, "add_item")
    blames = [{"case": "random-1", "wrong": "tool", "reason": "A label of one letter is a label."}]
    script["debug", "add_item@random.1"] = {"blames": blames, "body": add["body"]}
    cut = add["body"].replace('"label": label}', '"label": label[:40 + number - number]}')
    add["body"] = f"number = 10 // (len(label) - 1)\n{cut}"
    script["world_reading", "rows"] = {"impossible": [ODD]}
    script["past", "program"] = script["world", "program"]
    folder, notes = tmp_path_factory.mktemp("repaired"), Notes()
    _, scripted = build_lending(folder, script, notes=notes, scenarios=False)
    return Repaired(folder, scripted.requests, notes)


def test_a_wrong_body_is_found_by_its_cases_and_repaired(repaired: Repaired) -> None:
    prompt = repaired.prompt("take_back@trial.1")
    assert "expected FAILED_PRECONDITION, got success" in prompt
    assert '"lost"' in prompt
    assert ("trial", "take_back") in [repair[:2] for repair in repaired.notes.repairs]
    assert '"lost"' not in (repaired.folder / "tools" / "lendings.py").read_text()
    assert load_domain(repaired.folder).card.provenance["blamed"] == {"case": 1, "tool": 2}


def test_a_wrong_case_is_repaired_without_touching_the_tool(repaired: Repaired) -> None:
    assert "2026-05-12" in repaired.prompt("lend_item@trial.1")
    assert "2026-05-12" not in (repaired.folder / "cases.jsonl").read_text()


def test_random_calls_send_a_crashing_tool_back(repaired: Repaired) -> None:
    assert "ZeroDivisionError" in repaired.prompt("add_item@random.1")
    assert "number" not in (repaired.folder / "tools" / "lendings.py").read_text()


def test_complaints_go_back_verbatim_with_the_answer_as_it_stands(repaired: Repaired) -> None:
    again = next(request for request in repaired.requests if request.stage == "tools" and request.attempt == 2)
    (turn,) = again.earlier
    assert any("record 'Lendings' is returned by no tool" in each for each in turn.complaints)
    assert len(turn.answer["tools"]) == 4
    assert len(load_domain(repaired.folder).tools) == 5


def test_what_a_reader_of_rows_finds_impossible_goes_back_to_the_world_once(repaired: Repaired) -> None:
    said = [complaints for stage, _, complaints in repaired.notes.repairs if stage == "past"]
    assert said == [("a reader of rows of tool says that this could not be: " + ODD["what"],)]


def test_a_tool_that_is_never_repaired_is_dropped_with_its_cases_and_said_so(tmp_path: Path) -> None:
    script = lending.answers()
    endless = "for each in db.select('SELECT 1'):\n    while True:\n        pass\nreturn {'lendings': []}"
    _body(script, "list_lendings")["body"] = endless
    notes = Notes()
    draft, _ = build_lending(tmp_path, script, notes=notes, scenarios=False)
    assert "list_lendings" not in [tool.name for tool in draft.catalogue.tools]
    assert any(sentence.startswith("dropped tool list_lendings: ") for sentence in notes.sentences)
    assert "list_lendings" not in (tmp_path / "cases.jsonl").read_text()
    assert "while" in load_domain(tmp_path).card.provenance["dropped"]["list_lendings"]


def test_the_writer_of_weak_cases_is_shown_once_what_they_miss_and_its_new_cases_kill(tmp_path: Path) -> None:
    script = lending.answers()
    every = script["cases", "lendings"]["cases"]
    left_out = ("an item that is back is lent again", "an item that was never lent", "a week unless said")
    script["cases", "lendings"]["cases"] = [case for case in every if case["title"] not in left_out]
    script["sharpen", "lendings"] = {"rows": {}, "cases": [case for case in every if case["title"] in left_out]}
    notes = Notes()
    _, scripted = build_lending(tmp_path, script, notes=notes, scenarios=False)
    (asked,) = [request for request in scripted.requests if request.stage == "sharpen"]
    assert asked.role == "cases"
    assert "- lend_item: changed constant: " in asked.prompt
    shares = [float(said.partition("%")[0]) for said in notes.sentences if said.endswith("mutants are killed")]
    assert shares[0] < 95 < shares[1]
    after = prove_mutants(MutantsRequest(tmp_path))
    assert after.killed / after.total >= 0.95


def test_a_refused_keyword_ends_the_build_with_its_reason(tmp_path: Path) -> None:
    script = lending.answers() | {"screen": {"decision": "no", "reason": "It teaches fraud.", "domain": "fraud"}}
    with pytest.raises(StageFailed, match="No world is made of 'tool lending': It teaches fraud."):
        build_lending(tmp_path, script)


class _Priced:
    """A model whose every answer costs a dollar."""

    name = "priced"

    def __init__(self) -> None:
        self.inner = ScriptedModel(lending.answers())

    async def answer(self, request: Request) -> Answer:
        """The scripted answer, at a price."""
        answer = await self.inner.answer(request)
        return Answer(answer.content, self.name, Usage(100, 100, cost=1.0))


def test_a_limit_on_the_cost_stops_before_the_next_request(tmp_path: Path) -> None:
    model = _Priced()
    with AnswerBook.open(tmp_path / "answers.jsonl", ORDER.header) as book:
        asker = Asker(Models(RecordedModel(book, model), {}), Notes(), max_cost=2.0)
        with pytest.raises(CostSpent, match=r"\$2\.00 were spent"):
            asyncio.run(build(ORDER, asker, book, tmp_path))
        assert [entry.stage for entry in book] == ["screen", "tools"]


def test_a_shape_with_other_tables_than_were_designed_goes_back_to_the_designer(tmp_path: Path) -> None:
    order = replace(ORDER, tables=9, rules=True)
    model = ScriptedModel(lending.answers())
    with AnswerBook.open(tmp_path / "answers.jsonl", order.header) as book:
        asker = Asker(Models(RecordedModel(book, model), {}), Notes(), repairs=1)
        with pytest.raises(StageFailed, match="The design of the tools still misses its gate"):
            asyncio.run(build(order, asker, book, tmp_path))
    assert "the 7 kinds of things" in model.requests[1].prompt
    assert "there are 2 entities; 7 are wanted, one more or less is accepted" in model.requests[2].earlier[0].complaints
    assert book.header["tables"] == 9


def test_a_build_makes_tasks_of_its_scenarios_and_shows_some(built: Path) -> None:
    domain = load_domain(built)
    tasks = read_tasks(domain)
    assert len(tasks) == TASKS
    assert json.loads((built / "domain.json").read_text())["provenance"]["tasks"]["count"] == TASKS
    readme = (built / "README.md").read_text()
    shown = list(tasks.values())[:SAMPLES]
    assert all(f"- `{task.id}`" in readme and f"> {task.user.words[-1]}" in readme for task in shown)
    for task in tasks.values():
        world = start_world(task, domain)
        with Session(domain, world) as session:
            assert judge(task, domain, world, session.changes).reward == 0
            replay(session, task.chain)
            told = {answer.name: str(answer.value) for answer in task.answers}
            assert judge(task, domain, world, session.changes, told).reward == 1


def test_the_documented_stages_are_those_of_the_code() -> None:
    page = (Path(__file__).parents[3] / "docs" / "domains.md").read_text(encoding="utf-8")
    table = page[page.index("| stage | makes | gate |") :].partition("\n\n")[0]
    assert [row.split("|")[1].strip() for row in table.splitlines()[2:]] == [stage.name for stage in STAGES]
    assert ", ".join(ROLES) in " ".join(page.split())
