"""`worldsmith twin --diff` and `--update`: what a person added is executed on the new twin, and kept or parked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from generator.commands.place import exchange
from generator.main import main
from generator.twin.parts import put_back
from runtime.domain.load import load_domain
from tests.generator.commands.test_twin import PAGE

SHOP = PAGE.split("```sql\n")[1].split("```")[0]
CHANGES = (
    ("price", "unit_price"),
    ("'retired'))", "'retired', 'lost'))"),
    ("name TEXT NOT NULL UNIQUE);", "name TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE);"),
    ("(1, 'Tools'), (2, 'Seeds'), (3, 'Pots')", "(1, 'Tools', 'T1'), (2, 'Seeds', 'S1'), (3, 'Pots', 'P1')"),
)
TOOL = '''

class {record}(TypedDict):
    id: Annotated[int, "Key of the product"]


@tool(writes=["product"], rejects=["NOT_FOUND"])
def {name}(db: Database, product_id: Annotated[int, "Which product"]) -> {record}:
    """Do what its name says."""
    row = db.require("product", product_id)
    db.update("product", row["id"], {change})
    return {{"id": product_id}}
'''
RULES = '''"""What the shop does not do."""

from runtime import Database
from runtime.rules import Call, rule


@rule("KEEPS_DEAR", on={"delete_product": "product_id"}, reads=["product"], most=20)
def keeps_dear(call: Call, now: Database, start: Database, most: int) -> bool:
    """Nobody removes a product that costs more than {most} dollars."""
    return now.require("product", call.arguments["product_id"])["price"] <= most


@rule("KEEPS_TOOLS", on={"delete_category": "category_id"}, reads=["category"])
def keeps_tools(call: Call, now: Database, start: Database) -> bool:
    """The category named Tools is never removed."""
    return now.require("category", call.arguments["category_id"])["name"] != "Tools"
'''
SCENARIO = '''

@scenario
def retire_a_product(story: Story) -> None:
    """A product is retired."""
    product = story.pick("product", "status = 'on sale'", unique_by=["name"])
    words = ("Please retire the product {product}.", "I would like the product {product} retired.", "retire {product}")
    story.wish(words, short="retiring the product {product}", product=product["name"])
    story.call("retire_product", product_id=the_product(story, product)["id"])
'''
CATEGORIES = [{"id": 1, "name": "Tools"}, {"id": 2, "name": "Seeds"}]
PRODUCTS = [
    {"id": number, "name": name, "category_id": 2, "price": price, "status": "on sale"}
    for number, name, price in ((7, "Saw", 20.0), (8, "Axe", 21.0))
]


def _lines(*lines: dict[str, Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def _rule_case(rule: str, tool: str, key: int, *, allowed: bool) -> dict[str, Any]:
    call = {"tool": tool, "arguments": {f"{tool.partition('_')[2]}_id": key}}
    return {"topic": "shop", "id": f"{rule}-{key}", "rule": rule, "title": "it", "call": call, "allowed": allowed}


def _case(tool: str, change: dict[str, Any] | None) -> dict[str, Any]:
    case = {"topic": "mine", "id": f"{tool}-{'found' if change else 'unknown'}", "tool": tool, "title": "it"}
    if change is None:
        return case | {"arguments": {"product_id": 999}, "rejects": "NOT_FOUND"}
    changes = [{"table": "product", "key": 7, "changed": change}]
    return case | {"arguments": {"product_id": 7}, "result": {"id": 7}, "changes": changes}


def _add_own_parts(folder: Path) -> None:
    """Give a twin two tools, two rules, a scenario, a task, and words of a person."""

    def add(name: str, text: str) -> None:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(text)

    rows = {"category": [{"id": 1, "name": "Seeds"}], "product": [PRODUCTS[0] | {"category_id": 1}]}
    add("tools/product.py", TOOL.format(record="Retired", name="retire_product", change='status="retired"'))
    add("tools/product.py", TOOL.format(record="Halved", name="halve_price", change='price=row["price"] / 2'))
    cases = [("retire_product", {"status": "retired"}), ("halve_price", {"price": 10.0})]
    add("cases.jsonl", _lines({"topic": "mine", "rows": rows}, *(_case(*case) for case in cases)))
    add("cases.jsonl", _lines(*(_case(tool, None) for tool, _ in cases)))
    (folder / "rules.py").write_text(RULES, encoding="utf-8")
    kept = {"category": [*CATEGORIES, {"id": 3, "name": "Pots"}], "product": PRODUCTS}
    (folder / "rule_cases.jsonl").write_text(
        _lines(
            {"format": 1},
            {"topic": "shop", "rows": kept},
            _rule_case("KEEPS_DEAR", "delete_product", 7, allowed=True),
            _rule_case("KEEPS_DEAR", "delete_product", 8, allowed=False),
            _rule_case("KEEPS_TOOLS", "delete_category", 3, allowed=True),
            _rule_case("KEEPS_TOOLS", "delete_category", 1, allowed=False),
        )
    )
    (folder / "policy.md").write_text("to be made anew", encoding="utf-8")
    add("scenarios.py", SCENARIO)
    add("README.md", "\n## Who looks after it\n\nAnn.\n")
    card = json.loads((folder / "domain.json").read_text(encoding="utf-8")) | {"title": "Garden shop"}
    (folder / "domain.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    lines = (folder / "tasks.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "tasks").mkdir()
    (folder / "tasks" / "few.jsonl").write_text("".join(lines[::6]), encoding="utf-8")


def _content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with shop.sql and its twin in `domains/shop`."""
    place = tmp_path_factory.mktemp("drift")
    (place / "shop.sql").write_text(SHOP, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert main(["twin", "shop.sql"]) == 0
    return place


@pytest.fixture
def place(twin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, to be changed."""
    shutil.copytree(twin, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("option", ["--diff", "--update"])
def test_an_unchanged_source_is_in_step_and_changes_no_byte(
    option: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = place / "domains" / "shop"
    _add_own_parts(folder)
    before = _content(folder)
    assert main(["twin", "shop.sql", option, "shop"]) == 0
    assert capsys.readouterr().out == "shop is in step with shop.sql (SQLite).\n"
    assert _content(folder) == before


def test_an_update_keeps_what_holds_and_parks_the_rest_with_what_broke_it(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, text = place / "domains" / "shop", SHOP
    _add_own_parts(folder)
    for old, new in CHANGES:
        assert old in text
        text = text.replace(old, new)
    (place / "shop.sql").write_text(text, encoding="utf-8")
    before = _content(folder)

    def exchange_unchanged(new: Path, old: Path) -> None:
        assert _content(old) == before  # so a kill until now leaves the old folder
        exchange(new, old)

    monkeypatch.setattr("generator.commands.twin_drift.exchange", exchange_unchanged)
    assert main(["twin", "shop.sql", "--update", "shop", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    renamed = "column product.price looks renamed to unit_price: same type and values"
    assert {each["sentence"] for each in told["differences"]} == {
        "product.status: allowed values came: lost",
        "column category.code came (text, required)",
        "category: UNIQUE came: code",
        renamed,
    }
    few = [json.loads(line)["id"] for line in before["tasks/few.jsonl"].splitlines()]
    assert told["held"]["tasks/few.jsonl"] == len(few) - sum(each["part"] in few for each in told["parked"])
    parked = {each["part"]: each["reason"] for each in told["parked"] if each["part"] not in few}
    assert [*parked] == [
        *("halve_price", "halve_price-found", "halve_price-unknown"),
        *("keeps_dear", "KEEPS_DEAR-7", "KEEPS_DEAR-8"),
    ]
    assert "KeyError: 'price'" in parked["halve_price"]
    assert parked["keeps_dear"].endswith(renamed)
    assert "create_category" in told["tools"]
    assert told["faults"] == []
    after = {name: content.decode() for name, content in _content(folder).items() if name != "given.db"}
    assert "def halve_price" not in after["tools/product.py"]
    assert "def retire_product" in after["tools/product.py"]
    assert "def halve_price" in after["parked/tools/product.py"]
    assert "KEEPS_TOOLS" in after["rules.py"]
    assert "KEEPS_DEAR" not in after["rules.py"] + after["policy.md"] + after["rule_cases.jsonl"]
    assert '"code"' in after["rule_cases.jsonl"]
    assert renamed in after["parked/rules.py"]
    assert renamed in after["parked/README.md"]
    assert "def retire_a_product" in after["scenarios.py"]
    assert "Ann." in after["README.md"]
    sets = after["tasks/few.jsonl"] + after["parked/tasks/few.jsonl"]
    assert sorted(json.loads(line)["id"] for line in sets.splitlines()) == sorted(few)
    assert after["parked/rules.py"].count("# Parked: ") == 1
    assert json.loads(after["domain.json"])["title"] == "Garden shop"
    assert after["notes.txt"] == "mine"
    assert json.loads(after["drift.json"]) == told
    assert {name for name in before if name not in after} == {"given.db"}
    assert main(["check", "shop", "--calls", "100", "--no-mutants"]) == 0
    capsys.readouterr()
    assert main(["twin", "shop.sql", "--diff", "shop"]) == 0
    assert capsys.readouterr().out == "shop is in step with shop.sql (SQLite); parked has parts to mend.\n"
    assert sorted(each.partition(", ")[2] for each in put_back(folder)) == sorted(parked)
    assert {"halve_price"} <= load_domain(folder).tools.keys()
    readme = (folder / "parked" / "README.md").read_text(encoding="utf-8") if (folder / "parked").exists() else ""
    assert [each for each in parked if each in readme] == []


def test_rows_alone_are_drift_that_breaks_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = _content(place / "domains" / "shop")
    (place / "shop.sql").write_text(SHOP.replace("'Pots')", "'Pots'), (4, 'Gifts')"), encoding="utf-8")
    assert main(["twin", "shop.sql", "--diff", "shop"]) == 3
    said = capsys.readouterr().out
    assert "  - category: rows is 4, and was 3\n" in said
    assert "  generated tools: 10\n" in said
    assert _content(place / "domains" / "shop") == before
    assert [path.name for path in (place / "domains").iterdir()] == ["shop"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--diff", "library"], "'library' has no twin.json, so nothing says what it was made of: "),
        (["--diff", "shop", "--name", "other"], "--name cannot go with --diff or --update; "),
        (["--update", "nowhere"], "no domain 'nowhere'"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    words: list[str], said: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["twin", "shop.sql", *words]) == 2
    assert said in capsys.readouterr().err
