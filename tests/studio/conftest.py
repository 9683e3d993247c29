"""A studio that was started by its command, and pages of a real browser that may not have a single error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LIBRARY

try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    expect = sync_playwright = None

SIZES = {"phone": {"width": 420, "height": 800}, "desk": {"width": 1280, "height": 800}}
PATIENCE = 30.0  # seconds, on a busy machine


class StudioProcess:
    """A running `worldsmith studio`, whose link is on its first line."""

    def __init__(self, folder: Path, *options: str) -> None:
        printed = folder / "studio.txt"
        with printed.open("w") as output:  # a pipe that it inherits would be held open
            command = [sys.executable, "-m", "generator", "studio", *options]
            self.process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        until = time.monotonic() + PATIENCE
        while "http://" not in printed.read_text():
            assert time.monotonic() < until, printed.read_text()
            assert self.process.poll() is None, printed.read_text()
            time.sleep(0.05)
        self.link = printed.read_text().split()[-1]
        self.address = self.link.partition("?")[0]
        self.port = int(self.address.rstrip("/").rpartition(":")[2])

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)


def copy_library(folder: Path, name: str = "library", without: tuple[str, ...] = (), **replaced: str) -> Path:
    """Copy the library with few tasks into the `domains` of a working folder; a copy has another name and no tasks.

    `replaced` are texts of its files, by the name of the file; a text `old|new` replaces a part of it.
    """
    domain = folder / "domains" / name
    shutil.copytree(LIBRARY, domain, ignore=shutil.ignore_patterns("__pycache__"))
    if name != "library":
        without = (*without, "tasks.jsonl")
        replaced["domain_json"] = replaced.get("domain_json", f"Town library|The {name} one")
    for gone in without:
        (domain / gone).unlink()
    for file_name, text in replaced.items():
        file = domain / file_name.replace("__", "/").replace("_", ".")
        old, is_part, new = text.partition("|")
        assert not is_part or old in file.read_text()
        file.write_text(file.read_text().replace(old, new) if is_part else text)
    return domain


@pytest.fixture(scope="module")  # not longer: while it is there no other event loop can run in this thread
def chromium() -> Iterator[Any]:
    """A browser; without one these tests are skipped, except where WORLDSMITH_BROWSER says that there must be one."""
    path = shutil.which("chromium")
    if path is None or sync_playwright is None:
        missing = "these tests need chromium, and playwright from the extra `browser`"
        if os.environ.get("WORLDSMITH_BROWSER"):
            pytest.fail(missing)
        pytest.skip(missing)
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


class Visitor:
    """A person with a browser of some size; every error that the console shows is kept."""

    def __init__(self, chromium: Any, size: str, scheme: str) -> None:
        self.context = chromium.new_context(viewport=SIZES[size], color_scheme=scheme)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.faults: list[str] = []

    def open(self, address: str) -> Any:
        """Return a new tab at an address."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visitor]]:
    """Make visitors; a test fails if one of their pages had an error."""
    visitors: list[Visitor] = []

    def make(size: str = "desk", scheme: str = "light") -> Visitor:
        visitors.append(Visitor(chromium, size, scheme))
        return visitors[-1]

    yield make
    for each in visitors:
        each.context.close()
    assert [fault for each in visitors for fault in each.faults] == []


def expect_fit(page: Any) -> None:
    """Check that nothing on the page is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


class Player:
    """A person who plays on a page, which shows all panels side by side on a desk and one at a time on a phone."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.timeline = page.get_by_role("navigation", name="Timeline")

    def turn_to(self, panel: str) -> None:
        """Choose a panel, where they have to be chosen."""
        choice = self.page.get_by_role("group", name="Panels").get_by_role("button", name=panel)
        if choice.is_visible():
            choice.click()
        expect_fit(self.page)

    def call(self, tool: str, **arguments: str) -> None:
        """Fill in the form of a tool and send it."""
        self.turn_to("Tools")
        tools = self.page.get_by_role("region", name="Tools")
        tools.get_by_role("searchbox").fill(tool)
        tools.get_by_role("button", name=tool).click()
        for name, value in arguments.items():
            tools.locator(f'[name="argument {name}"]').fill(value)
        tools.get_by_role("button", name="Call").click()
        expect(self.timeline.locator("[aria-current]")).to_contain_text(tool)

    def say(self, text: str, answer: str) -> None:
        """Say something to the user, who answers with these words."""
        self.turn_to("Talk")
        self.page.get_by_role("textbox", name="Say to the user").fill(text)
        self.page.get_by_role("button", name="Say", exact=True).click()
        expect(self.page.get_by_role("log")).to_contain_text(answer)
        expect(self.page.get_by_role("textbox", name="Say to the user")).to_have_value("")

    def step_back_to(self, number: int) -> None:
        """Go to an earlier step on the timeline."""
        self.timeline.get_by_role("button", name=f"{number} · ").first.click()
        expect(self.timeline.locator("[aria-current]")).to_contain_text(f"{number} · ")
