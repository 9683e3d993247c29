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
        self.folder = folder
        self._printed = folder / f"studio-{time.monotonic_ns()}.txt"
        with self._printed.open("w") as output:  # a pipe that it inherits would be held open
            command = [sys.executable, "-m", "generator", "studio", *options]
            self.process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        self.link = self._wait_for_link()
        self.address = self.link.partition("?")[0]
        self.port = int(self.address.rstrip("/").rpartition(":")[2])

    def _wait_for_link(self) -> str:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            for word in self._printed.read_text().split():
                if word.startswith("http://"):
                    return word
            time.sleep(0.05)
        raise AssertionError(f"The studio did not start: {self._printed.read_text()}")

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)


Start = Callable[..., StudioProcess]


def copy_library(folder: Path) -> Path:
    """Copy the library with few tasks into the `domains` of a working folder."""
    domain = folder / "domains" / "library"
    shutil.copytree(LIBRARY, domain, ignore=shutil.ignore_patterns("__pycache__"))
    return domain


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a studio in a folder with the options of its command; all of them are stopped afterwards."""
    running: list[StudioProcess] = []

    def start_one(folder: Path, *options: str, port: int = 0) -> StudioProcess:
        running.append(StudioProcess(folder, *options, "--port", str(port)))
        return running[-1]

    yield start_one
    for each in running:
        each.stop()


@pytest.fixture(scope="module")  # not longer: while it is there no other event loop can run in this thread
def chromium() -> Iterator[Any]:
    """A browser; without one these tests are skipped, except where WORLDSMITH_BROWSER says that there must be one."""
    path = shutil.which("chromium")
    if path is None or sync_playwright is None:
        missing = "these tests need chromium, and playwright from the extra `browser`"
        if os.environ.get("WORLDSMITH_BROWSER"):
            pytest.fail(missing)
        pytest.skip(missing)
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
    expect.set_options(timeout=PATIENCE * 1000)
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
