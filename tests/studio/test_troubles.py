"""What goes wrong is said on the page, and nothing is lost: two tabs, a stopped server, an old store, hostile words."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.studio.conftest import Start, copy_library, expect

HOSTILE = "</script><img src=x onerror=\"document.title='run'\">"
POST = """([path, body]) => fetch(path, {
  method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
}).then((answer) => answer.json())"""


def start_play(page: Any) -> None:
    """Start the task keep-a-book by what its button does."""
    started = page.evaluate(POST, ["api/plays", {"domain": "library", "task": "keep-a-book"}])
    page.goto(f"{page.url.split('#')[0]}#/play/{started['play']}/0/talk")
    expect(page.get_by_role("log")).to_contain_text("Can you renew it")


def test_two_tabs_that_act_at_once_make_two_branches(tmp_path: Path, start: Start, visit: Any) -> None:
    copy_library(tmp_path)
    visitor = visit()
    one = visitor.open(start(tmp_path).link)
    start_play(one)
    other = visitor.open(one.url)
    for page, words in ((one, "One says this."), (other, "The other says that.")):
        page.get_by_role("textbox", name="Say to the user").fill(words)
    for page in (one, other):
        page.get_by_role("button", name="Say", exact=True).click()
    for page in (one, other):
        expect(page.get_by_role("navigation", name="Timeline").get_by_role("button")).to_have_count(3)
    expect(one.get_by_role("log")).to_contain_text("One says this.")
    expect(one.get_by_role("log")).not_to_contain_text("The other says that.")
    expect(other.get_by_role("log")).to_contain_text("The other says that.")


def test_a_stopped_server_is_said_and_what_was_typed_stays(tmp_path: Path, start: Start, visit: Any) -> None:
    copy_library(tmp_path)
    visitor, studio = visit(), start(tmp_path)
    page = visitor.open(studio.link)
    start_play(page)
    words = page.get_by_role("textbox", name="Say to the user")
    words.fill("Typed before the server went away.")
    studio.stop()
    expect(page.get_by_role("status").first).to_contain_text("The server does not answer")
    page.get_by_role("button", name="Say", exact=True).click()
    expect(words).to_have_value("Typed before the server went away.")
    again = start(tmp_path, port=studio.port)
    second = visitor.open(again.link)
    expect(second.get_by_role("link", name="Town library")).to_be_visible()
    expect(page.get_by_role("status").first).to_have_text("")
    expect(words).to_have_value("Typed before the server went away.")
    page.get_by_role("button", name="Say", exact=True).click()
    expect(page.get_by_role("status").first).to_contain_text("any more: plays live only as long as the server")
    visitor.faults = [fault for fault in visitor.faults if "Failed to load resource" not in fault]


def test_a_store_of_another_version_says_so_on_its_card(tmp_path: Path, start: Start, visit: Any) -> None:
    (tmp_path / "runs").mkdir()
    with closing(sqlite3.connect(tmp_path / "runs" / "old.db")) as store:
        store.execute("CREATE TABLE run (version)")
    page = visit().open(f"{start(tmp_path).link}#/runs")
    expect(page.get_by_text("old.db")).to_be_visible()


def test_hostile_words_and_tool_names_of_a_play_stay_text(tmp_path: Path, start: Start, visit: Any) -> None:
    copy_library(tmp_path)
    page = visit().open(start(tmp_path).link)
    start_play(page)
    page.get_by_role("textbox", name="Say to the user").fill(HOSTILE)
    page.get_by_role("button", name="Say", exact=True).click()
    expect(page.get_by_role("log")).to_contain_text(HOSTILE)
    name = page.url.split("/play/")[1].split("/")[0]
    called = {"at": 1, "tool": HOSTILE, "arguments": {HOSTILE: HOSTILE}}
    page.evaluate(POST, [f"api/plays/{name}/call", called])
    page.get_by_role("navigation", name="Timeline").get_by_role("button", name="2 · refused").click()
    expect(page.get_by_role("log").locator("dd", has_text=HOSTILE)).to_be_visible()
    assert page.locator("img").count() == 0
    assert page.title().endswith(" · Worldsmith studio")
