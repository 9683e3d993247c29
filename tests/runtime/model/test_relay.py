"""A folder of questions: what is asked, what is accepted, what is refused, and what a killed run leaves."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.model.model import Answer, Request, Turn, estimate_usage
from runtime.model.relay import RelayModel
from tests.runtime.model.asking import GOOD, SCHEMA, a_request, ask

BAD = {"title": 3, "tools": []}
NAME = "tools.hotel.1"


def a_relay(folder: Path, **options: Any) -> RelayModel:
    return RelayModel(folder, **({"poll": 0.005} | options))


def write(folder: Path, content: Any, name: str = NAME) -> None:
    """Answer as the README says: under another name, then renamed."""
    temporary = folder / f"{name}.answer.tmp"
    temporary.write_text(content if isinstance(content, str) else json.dumps(content))
    temporary.rename(folder / f"{name}.answer.json")


def wait_for(path: Path) -> str:
    """The text of a file once it is there."""
    for _ in range(2_000):
        try:
            return path.read_text()
        except FileNotFoundError:  # not yet, or set aside just now
            time.sleep(0.005)
    raise AssertionError(f"no {path.name}")


def answered_by(folder: Path, answerer: Callable[[], None], *requests: Request, **options: Any) -> list[Answer]:
    """The answers to requests that are under way together while somebody works in the folder."""

    async def ask_all() -> list[Answer]:
        relay = a_relay(folder, **options)
        asked = asyncio.gather(*(relay.answer(request) for request in requests or (a_request(),)))
        work = asyncio.get_running_loop().run_in_executor(None, answerer)
        answers, _ = await asyncio.wait_for(asyncio.gather(asked, work), 20)
        return answers

    return asyncio.run(ask_all())


def ask_and_stop(folder: Path, request: Request | None = None, **options: Any) -> None:
    """A run that ends before anybody answers."""

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(a_relay(folder, **options).answer(request or a_request()), 0.1)

    asyncio.run(give_up())


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"README.md"}


def test_a_request_tells_a_person_everything(tmp_path: Path) -> None:
    ask_and_stop(tmp_path, a_request(attempt=2, earlier=(Turn({"title": "Old"}, ("too few tools",)),)))
    text = (tmp_path / "tools.hotel.2.request.md").read_text()
    assert text.startswith("# tools / hotel / attempt 2\n")
    assert "`tools.hotel.2.answer.json`" in text
    assert "All about hotels.\n\nName the tools." in text
    assert "Earlier answer: attempt 1" in text
    assert "- too few tools" in text
    earlier, schema = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    assert json.loads(earlier) == {"title": "Old"}
    assert json.loads(schema) == SCHEMA


def test_an_answer_that_misses_the_schema_is_complained_about_until_one_fits(tmp_path: Path) -> None:
    complaints = []

    def answerer() -> None:
        wait_for(tmp_path / f"{NAME}.request.md")
        for _ in range(2):
            write(tmp_path, BAD)
            complaints.append(wait_for(tmp_path / f"{NAME}.complaint.md"))
            (tmp_path / f"{NAME}.complaint.md").unlink()
        write(tmp_path, GOOD)

    (answer,) = answered_by(tmp_path, answerer)
    assert answer.content == GOOD
    assert "- $.title: 3 is not of type 'string'\n- $.tools: [] should be non-empty\n" in complaints[0]
    assert f"{NAME}.rejected-2.json" in complaints[1]
    assert json.loads((tmp_path / f"{NAME}.rejected-1.json").read_text()) == BAD
    assert answer.usage == estimate_usage(a_request(), *[json.dumps(BAD)] * 2, json.dumps(GOOD))


def test_an_answer_from_before_a_run_was_stopped_is_read_and_not_asked_for(tmp_path: Path) -> None:
    ask_and_stop(tmp_path)
    before = (tmp_path / f"{NAME}.request.md").stat()
    write(tmp_path, GOOD)
    assert ask(a_relay(tmp_path)).content == GOOD
    after = (tmp_path / f"{NAME}.request.md").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
