"""A report opens from its file in a real browser, without a server: failures first, an episode step by step."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.page.freeze import page_parts
from tests.runtime.harness.played import keep, some_episodes
from tests.studio.conftest import expect, expect_fit


@pytest.fixture(scope="module")
def report(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report."""
    folder = tmp_path_factory.mktemp("run")
    run = keep(folder / "run.db", library, some_episodes(library))
    (folder / "run.html").write_text("".join(page_parts(run)))
    return (folder / "run.html").as_uri()


@pytest.mark.parametrize(("size", "scheme"), [("phone", "dark"), ("desk", "light")])
def test_a_stranger_reads_a_report(report: str, visit: Any, size: str, scheme: str) -> None:
    page = visit(size, scheme).open(report)
    headings = page.get_by_role("heading", level=2).all_inner_texts()
    assert headings == ["Failures", "Every trial", "Figures"]
    expect(page.get_by_text("4 of 9 episodes failed. 1 void: not scored")).to_be_visible()
    expect_fit(page)
    page.get_by_role("button", name="void").click()
    expect(page.get_by_text("1 of 3 tasks")).to_be_visible()
    page.get_by_role("button", name="all").click()
    page.get_by_role("searchbox", name="Find a task").fill("card")
    expect(page.get_by_text("1 of 3 tasks")).to_be_visible()

    page.get_by_role("link", name="trial 1: failed").click()
    expect(page.get_by_role("heading", name="Goal not reached")).to_be_visible()
    expect(page.get_by_role("cell", name="other@example.org")).to_be_visible()
    expect_fit(page)
    page.get_by_role("link", name="step 1", exact=True).click()
    expect(page.get_by_role("heading", name="Step 1: register_member")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Step 2: place_hold")).to_be_visible()
    expect(page.get_by_role("heading", name="Changed before")).to_be_visible()
    expect_fit(page)
    page.get_by_role("link", name="previous").click()
    expect(page.get_by_text("2 of 4 failed")).to_be_visible()
    page.get_by_role("link", name="by hand").click()
    expect(page.get_by_role("heading", name="Failures")).to_be_visible()


def test_hostile_text_of_an_episode_stays_text(report: str, visit: Any) -> None:
    visitor = visit()
    page = visitor.open(report)
    page.get_by_role("link", name="trial 2: failed").first.click()
    expect(page.get_by_role("log")).to_contain_text("</script><img src=x onerror=alert(1)>")
    assert page.locator("img").count() == 0
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'foreign = 1'}))")
    assert page.evaluate("typeof foreign") == "undefined"
    assert "Content Security Policy" in visitor.faults.pop()
