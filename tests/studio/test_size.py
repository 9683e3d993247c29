"""A table of 10,000 rows and a play of 200 steps stay quick; `pytest -s` prints the times that docs/studio.md names."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.studio.conftest import Start, copy_library, expect

ROWS = 10_000
SLOW = 10.0  # seconds that nothing here may take, even on a busy machine

POPULATE = f"""
def populate(world):
    for number in range({ROWS}):
        world.insert("member", name=f"Member {{number}}", email=f"m{{number}}@example.org", phone=None)
"""

CALLS = """async () => {
  const post = (path, body) => fetch(path, {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
  }).then((answer) => answer.json());
  const {play} = await post("api/plays", {domain: "library", task: "keep-a-book"});
  for (let at = 0; at < 200; at += 1) {
    const given = {member_id: `MEMBER-00${10 + (at % 40)}`, phone: `(614) 555-0${100 + at}`};
    await post(`api/plays/${play}/call`, {at, tool: "change_phone", arguments: given});
  }
  return play;
}"""


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long something takes, and fail if that is too long."""
    start = time.monotonic()
    yield
    seconds = time.monotonic() - start
    print(f"{what}: {1000 * seconds:.0f} ms")
    assert seconds < SLOW, what


def test_a_table_of_10_000_rows_is_quick(tmp_path: Path, start: Start, visit: Any) -> None:
    (copy_library(tmp_path) / "world.py").write_text(POPULATE)
    link = start(tmp_path).link
    page = visit().open(link)
    expect(page.get_by_role("link", name="Town library")).to_be_visible()
    with timed("open a table of 10,000 rows"):
        page.goto(f"{link}#/domain/library/tables/member")
        expect(page.get_by_text("10,000 rows")).to_be_visible()
    with timed("turn its page"):
        page.get_by_role("button", name="Next page").click()
        expect(page.get_by_text("page 2 of 100")).to_be_visible()
        expect(page.get_by_role("cell", name="Member 100", exact=True)).to_be_visible()
    with timed("find a row in it"):
        page.get_by_role("searchbox", name="Find rows of member").fill("m9876@")
        expect(page.get_by_text("1 row found")).to_be_visible()
        expect(page.get_by_role("cell", name="Member 9876", exact=True)).to_be_visible()


def test_a_play_of_200_steps_is_quick(tmp_path: Path, start: Start, visit: Any) -> None:
    copy_library(tmp_path)
    page = visit().open(start(tmp_path).link)
    with timed("make 200 calls"):
        name = page.evaluate(CALLS)
    address = f"{page.url.split('#')[0]}#/play/{name}"
    page.goto("about:blank")
    timeline = page.get_by_role("navigation", name="Timeline")
    with timed("open a play of 200 steps"):
        page.goto(f"{address}/200/talk")
        expect(timeline.get_by_role("button")).to_have_count(201)
        expect(timeline.locator("[aria-current]")).to_contain_text("200 · ")
    with timed("step back"):
        page.locator("body").press("ArrowLeft")
        expect(timeline.locator("[aria-current]")).to_contain_text("199 · ")
    with timed("go to the start"):
        page.locator("body").press("Home")
        expect(timeline.locator("[aria-current]")).to_contain_text("start")
    with timed("go to the end"):
        page.locator("body").press("End")
        expect(timeline.locator("[aria-current]")).to_contain_text("200 · ")
    with timed("see the verdict"):
        page.goto(f"{address}/200/verdict")
        expect(page.get_by_role("heading", name="Goal not reached")).to_be_visible()
