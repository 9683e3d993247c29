"""What the studio says of domains: cards, one domain whole, pages of rows."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from runtime.errors import UsageError
from tests.conftest import LIBRARY, SHIPPED
from worldsmith.catalog import load
from worldsmith.studio.domains import describe_domain, list_cards, read_example_rows, show_domain
from worldsmith.studio.plays import Plays


@pytest.fixture
def domains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder whose `./domains` has the library and a copy of it whose schema is broken."""
    for name in ("library", "broken"):
        shutil.copytree(LIBRARY, tmp_path / "domains" / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "domains" / "broken" / "schema.sql").write_text("CREATE TABEL member (id TEXT);")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "domains"


def test_the_card_of_a_broken_domain_says_why_and_the_others_are_there(domains: Path) -> None:
    cards = {each["name"]: each for each in list_cards()}
    assert cards["library"] == {
        "name": "library",
        "title": "Town library",
        "about": load("library").card.summary,
        "tools": 15,
        "tables": 6,
        "tasks": 3,
    }
    assert "schema.sql" in cards["broken"]["error"]
    with pytest.raises(UsageError, match=r"schema\.sql"):
        describe_domain("broken")


def test_a_domain_without_tasks_and_graph_is_shown_without_them(domains: Path) -> None:
    (domains / "library" / "tasks.jsonl").write_text("")
    (domains / "library" / "graph.json").unlink()
    shown = describe_domain("library")
    assert shown["tasks"] == []
    assert shown["graph"] is None


def test_a_domain_shows_keys_references_policies_and_the_rules_of_a_tool() -> None:
    shown = describe_domain(str(LIBRARY))
    loan = next(each for each in shown["tables"] if each["name"] == "loan")
    columns = {each["name"]: each for each in loan["columns"]}
    assert loan["key"] == ["loan_id"]
    assert columns["book_id"]["references"] == {"table": "book", "column": "book_id"}
    assert columns["returned_at"]["policy"] == "generated"
    renew = next(each for each in shown["tools"] if each["name"] == "renew_loan")
    assert renew["topic"] == "loans"
    assert "OTHERS_WAIT" in renew["rules"]
    assert not renew["reads_only"]
    edge = shown["graph"]["edges"][0]
    assert {edge["source"], edge["target"]} <= set(shown["graph"]["nodes"])
    assert edge["evidence"]["source"]


def test_rows_come_in_pages_by_key_and_a_page_too_far_is_the_last() -> None:
    first, last = (read_example_rows(str(LIBRARY), "loan", page) for page in (0, 99))
    assert first["pages"] == 2
    assert len(first["rows"]) == 100
    assert last["page"] == 1
    keys = [row[0] for row in [*first["rows"], *last["rows"]]]
    assert keys == sorted(keys)
    assert len(keys) == first["total"]


def test_rows_are_found_by_a_text_in_any_column_taken_literally() -> None:
    found = read_example_rows(str(LIBRARY), "loan", find="member-0013")
    assert found["rows"]
    assert {row[2] for row in found["rows"]} == {"MEMBER-0013"}
    assert read_example_rows(str(LIBRARY), "loan", find="MEMBER_0013")["total"] == 0
    assert read_example_rows(str(LIBRARY), "loan", find="%")["total"] == 0


def test_a_table_that_is_not_there_is_said_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="no table 'loans'.*loan"):
        read_example_rows(str(LIBRARY), "loans")


def test_several_domains_are_shown_and_played_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldsmith.studio.domains._given", {})
    name = show_domain(f"{SHIPPED['library']}+{SHIPPED['online_learning']}")
    assert name == "library+online_learning"
    tables = {table["name"] for table in describe_domain(name)["tables"]}
    assert {"library__member", "online_learning__learner"} < tables
    assert read_example_rows(name, "online_learning__learner")["total"] > 10
    (card,) = (each for each in list_cards() if each["name"] == name)
    assert card["tables"] == len(tables)

    async def go() -> None:
        play = await Plays(lambda *_: None).start({"domain": name})
        step = await play.call(0, "library__register_member", {"name": "Ada Park", "email": "ada@example.org"})
        assert {cell["table"] for cell in step.told["cells"]} == {"library__member"}
        assert [row["after"]["name"] for row in play.rows(step.number, "library__member", 0, "")["changed"]] == [
            "Ada Park"
        ]
        assert not play.rows(step.number, "online_learning__learner", 0, "")["changed"]

    asyncio.run(go())
