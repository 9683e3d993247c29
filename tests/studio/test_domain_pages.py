"""A stranger looks at domains in a real browser: cards, rows, tools, graph, rules and tasks; hostile text is text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.studio.conftest import Start, copy_library, expect, expect_fit

HOSTILE = "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script>"
EACH_SIZE = pytest.mark.parametrize(("size", "scheme"), [("phone", "dark"), ("desk", "light")])


@EACH_SIZE
def test_a_stranger_looks_at_a_domain(tmp_path: Path, start: Start, visit: Any, size: str, scheme: str) -> None:
    copy_library(tmp_path)
    page = visit(size, scheme).open(start(tmp_path).link)
    page.get_by_role("link", name="Town library").click()
    expect(page.get_by_role("heading", name="Town library")).to_be_visible()
    expect_fit(page)

    page.get_by_role("button", name="loan", exact=True).click()
    expect(page.get_by_text("150 rows")).to_be_visible()
    page.get_by_text("Columns of loan").click()
    expect(page.get_by_text("TEXT, may be empty, generated in verdicts")).to_be_visible()
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_text("page 2 of 2")).to_be_visible()
    expect(page.get_by_role("cell", name="LOAN-0150")).to_be_visible()
    page.get_by_role("searchbox", name="Find rows of loan").fill("loan-0007")
    expect(page.get_by_text("1 row found")).to_be_visible()
    page.get_by_role("button", name="Show member").click()
    expect(page.get_by_role("region", name="Rows of member").get_by_role("row")).to_have_count(2)
    expect_fit(page)

    views = page.get_by_role("navigation", name="Views of the domain")
    views.get_by_role("link", name="tools").click()
    page.get_by_role("searchbox", name="Find a tool").fill("renew")
    page.get_by_role("button", name="renew_loan").click()
    expect(page.get_by_role("heading", name="renew_loan")).to_be_visible()
    expect(page.get_by_role("link", name="OTHERS_WAIT")).to_be_visible()
    expect_fit(page)

    page.get_by_role("link", name="its neighbors").click()
    page.get_by_role("button", name="enables: the calls that prove borrow_book → renew_loan").click()
    proof = page.get_by_role("region", name="The calls that prove it")
    expect(proof.get_by_role("listitem")).to_have_count(2 + 1 + 2)  # data; without and after the first
    expect_fit(page)
    page.get_by_role("combobox", name="Tool").select_option("")
    expect(page.locator("svg.matrix .edge")).to_have_count(55)
    expect_fit(page)

    views.get_by_role("link", name="rules").click()
    expect(page.get_by_role("region", name="Policy").get_by_role("heading", name="Duties")).to_be_visible()
    expect_fit(page)
    expect(views.get_by_role("link", name="readme")).to_have_count(0)
    views.get_by_role("link", name="tasks").click()
    expect(page.get_by_role("button", name="Play")).to_have_count(3 + 1)
    page.get_by_role("searchbox", name="Find a task").fill("late")
    expect(page.get_by_role("button", name="Play late-and-next")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_have_count(1 + 1)
    expect_fit(page)
    page.go_back()
    expect(page.get_by_role("region", name="Policy")).to_be_visible()


def test_a_broken_domain_says_so_and_the_others_work(tmp_path: Path, start: Start, visit: Any) -> None:
    copy_library(tmp_path)
    broken = copy_library(tmp_path / "other")
    (broken / "schema.sql").write_text("CREATE TABEL member (id TEXT);")
    broken.rename(tmp_path / "domains" / "broken")
    page = visit().open(start(tmp_path).link)
    card = page.get_by_role("listitem").filter(has_text="This domain cannot be loaded")
    expect(card).to_contain_text("schema.sql")
    page.get_by_role("link", name="Town library").click()
    expect(page.get_by_role("heading", name="Town library")).to_be_visible()


def test_hostile_text_of_a_domain_stays_text(tmp_path: Path, start: Start, visit: Any) -> None:
    domain = copy_library(tmp_path)
    _replace(domain / "domain.json", "Town library", HOSTILE.replace('"', '\\"')[:80])
    _replace(domain / "schema.sql", "A person with a library card", HOSTILE)
    _replace(domain / "tools" / "loans.py", "Lend a copy of a book to a member for 14 days.", HOSTILE)
    _replace(domain / "policy.md", "Who is calling", HOSTILE)
    _replace(domain / "world.py", '"Lighthouses"', repr(HOSTILE))
    page = visit().open(start(tmp_path).link)
    page.get_by_role("link", name="<img src=x").click()
    expect(page.get_by_text(HOSTILE)).to_be_visible()
    address = page.url.split("#")[0]
    for view in ("tables/book", "tools/borrow_book", "rules"):
        page.goto(f"{address}#/domain/library/{view}")
        expect(page.get_by_text(HOSTILE).first).to_be_visible()
    assert page.locator("img").count() == 0
    assert page.title().endswith(" · Worldsmith studio")


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@EACH_SIZE
def test_a_domain_shows_its_readme_and_how_to_write_a_first_rule(
    tmp_path: Path, start: Start, visit: Any, size: str, scheme: str
) -> None:
    domain = copy_library(tmp_path)
    for name in ("rules.py", "rule_cases.jsonl", "policy.md", "tasks.jsonl", "scenarios.py"):
        (domain / name).unlink()
    card = json.loads((domain / "domain.json").read_text())
    (domain / "domain.json").write_text(json.dumps({name: part for name, part in card.items() if name != "people"}))
    lacks = "\n".join(f"- Rows of table_{number} that are left out: {number}." for number in range(40))
    (domain / "README.md").write_text(
        "# A twin\n\nMade by `worldsmith twin`.\n\n| table | tools |\n| --- | --- |\n"
        f"| `loan` | {', '.join(f'`tool_{number}`' for number in range(9))} |\n\n## What it lacks\n\n"
        f"{lacks}\n\n{HOSTILE}"
    )
    page = visit(size, scheme).open(f"{start(tmp_path).link}#/domain/library/readme")
    readme = page.get_by_role("region", name="README.md")
    expect(readme.get_by_role("heading", name="What it lacks")).to_be_visible()
    expect(readme.get_by_role("listitem")).to_have_count(40)
    expect(readme.get_by_text("<img")).to_be_visible()
    expect(readme.get_by_role("cell", name="loan", exact=True)).to_be_visible()
    expect_fit(page)
    page.get_by_role("navigation", name="Views of the domain").get_by_role("link", name="rules").click()
    rules = page.get_by_role("region", name="Rules")
    for name in ("rules.py", "rule_cases.jsonl", "worldsmith check library", "docs/authoring.md"):
        expect(rules.get_by_text(name, exact=True)).to_be_visible()
    expect_fit(page)
