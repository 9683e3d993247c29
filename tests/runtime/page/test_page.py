"""The page holds what it should, loads nothing, and is not broken by anything that a conversation says."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.harness.evaluation.store import Run
from runtime.page.freeze import page_parts
from tests.runtime.harness.played import HOSTILE, keep, play_reference, some_episodes


class _Page(HTMLParser):
    """The elements of a page as a browser finds them, and what its scripts hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self.styles: list[str] = []
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts[dict(attrs).get("id") or "program"] = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[list(self.scripts)[-1]] += data
        elif self._inside == "style":
            self.styles.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def data(self, name: str) -> Any:
        return json.loads(self.scripts[name])

    def episode(self, task: str, trial: int) -> Any:
        entries = self.data("api/runs/run")["episodes"]
        number = next(each["number"] for each in entries if (each["task"], each["trial"]) == (task, trial))
        return self.data(f"api/episodes/run/{number}")


@pytest.fixture(scope="module")
def run(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return keep(tmp_path_factory.mktemp("run") / "run.db", library, some_episodes(library))


def _write(run: Run, most: int = 200) -> str:
    return "".join(page_parts(run, most))


@pytest.fixture(scope="module")
def page(run: Run) -> _Page:
    return _Page(_write(run))


def test_date_and_version_are_those_of_the_store(run: Run) -> None:
    dated = replace(run, made_by="0.3.0", began="2026-03-01T09:05:10+00:00", ended="2026-03-01T11:20:59+00:00")
    assert _Page(_write(dated)).data("api/runs/run")["made"] == "Worldsmith 0.3.0, 2026-03-01 09:05 to 11:20 UTC"


def test_the_page_loads_nothing(page: _Page, run: Run) -> None:
    assert not [tag for tag, attributes in page.elements if {"src", "srcset", "data"} & attributes.keys()]
    assert not [tag for tag, _ in page.elements if tag in ("iframe", "img", "object", "embed", "base")]
    assert [attributes["href"] for tag, attributes in page.elements if tag == "link"] == ["data:,"]  # no icon
    assert not re.search(r"@import|url\(", "".join(page.styles))
    assert not re.search(r"^(import|export)\b", page.scripts["program"], re.MULTILINE)


def test_only_its_own_program_and_style_may_run(page: _Page) -> None:
    policy = next(each["content"] for tag, each in page.elements if each.get("http-equiv")) or ""
    for text in (page.scripts["program"], *page.styles):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_hostile_words_stay_words(page: _Page) -> None:
    steps = page.episode("keep-a-book", 2)["steps"]
    assert HOSTILE in [each["text"] for each in steps if each["kind"] == "say"]
    assert {"email": HOSTILE} in [each["arguments"] for each in steps if each["kind"] == "call"]
    scripts = [each for tag, each in page.elements if tag == "script"]
    assert [each.get("type") for each in scripts] == ["application/json"] * (len(scripts) - 1) + ["module"]
    assert not [
        name for name, text in page.scripts.items() if name != "program" and re.search(r"[<>&]|[^\x00-\x7f]", text)
    ]


def test_every_episode_is_listed_and_told(page: _Page, run: Run) -> None:
    described, records = page.data("api/runs/run"), list(run.records())
    assert [(each["task"], each["trial"], each["reward"]) for each in described["episodes"]] == [
        (each.task, each.trial, each.reward) for each in records
    ]
    for record in records:
        told = page.episode(record.task, record.trial)
        steps = told["steps"]
        assert sum(each["kind"] == "call" for each in steps) == record.calls
        assert sum(each.get("refused", False) for each in steps) == sum(each.is_error for each in record.messages)
        replies = [each["text"] for step in steps for each in step["replies"] if each["role"] == "user"]
        assert replies == [each.text for each in record.messages if each.role == "user"]
        assert told["verdict"]["sentences"][: len(record.differences)] == [each.sentence for each in record.differences]
    system = page.data("api/systems/run/library")["text"]
    assert system == records[0].messages[0].text


def test_a_step_tells_the_cells_that_its_call_changed(page: _Page) -> None:
    """The calls are made again, and lead to the recorded final state."""
    told = page.episode("card-and-queue", 1)
    registered, queued = (each for each in told["steps"] if each.get("cells"))
    assert (registered["tool"], queued["tool"]) == ("register_member", "place_hold")
    (email,) = (each for each in registered["cells"] if each["column"] == "email")
    assert email == {
        "table": "member",
        "key": ["MEMBER-0051"],
        "row": "added",
        "column": "email",
        "was": None,
        "now": "other@example.org",
    }
    steps = {row["table"]: row["step"] for row in told["verdict"]["rows"]}
    assert (steps["member"], steps["hold"]) == (registered["number"], queued["number"])


def test_nobody_knows_what_a_call_changed_where_the_domain_changed_since(library: Domain, tmp_path: Path) -> None:
    run = keep(tmp_path / "run.db", library, [play_reference(library, "keep-a-book")])
    changed = replace(run, domains={"library": replace(run.domains["library"], digest="another")})
    told = _Page(_write(changed)).episode("keep-a-book", 0)
    assert not told["replayed"]
    calls = [each for each in told["steps"] if each["kind"] == "call"]
    assert calls
    assert all(each["cells"] is None for each in calls)


def test_scores_are_those_of_the_evaluation(page: _Page) -> None:
    described = page.data("api/runs/run")
    assert described["headline"]["value"] == pytest.approx((1 / 3 + 1 / 3 + 1) / 3, abs=1e-6)
    assert any("does nothing scores 0.000" in each for each in described["notes"])
    assert any("1 void episode" in each and "0.444" in each for each in described["notes"])
    assert {each["title"] for each in described["tables"]} >= {"Pass@k", "Pass^k", "By form"}
    assert sum(each["episodes"] for each in described["failures"]) == 5


def test_what_is_left_out_is_said(run: Run) -> None:
    page = _Page(_write(run, most=6))
    described = page.data("api/runs/run")
    told = [each for each in described["episodes"] if each["told"]]
    assert len(described["episodes"]) == 9
    assert len(told) == 6
    assert sum(each["reward"] != 1 for each in told) == 5
    assert {f"api/episodes/run/{each['number']}" for each in told} == {
        name for name in page.scripts if name.startswith("api/episodes")
    }
    assert "holds the conversations of 6" in described["told_note"]


def test_numbers_keep_their_digits(library: Domain, tmp_path: Path) -> None:
    """A browser would round them, so they are texts."""
    played = play_reference(library, "keep-a-book")
    calling = next(each for each in played.messages if each.calls)
    odd = replace(calling, calls=(replace(calling.calls[0], arguments={"n": 2**60, "f": 1.5, "none": None}),))
    run = keep(tmp_path / "run.db", library, [replace(played, messages=(played.messages[0], odd))])
    call = _Page(_write(run)).episode("keep-a-book", 0)["steps"][-1]
    assert call["arguments"] == {"n": str(2**60), "f": 1.5, "none": None}


def test_a_call_that_the_service_failed_is_not_a_refused_one(library: Domain, tmp_path: Path) -> None:
    played = play_reference(library, "keep-a-book")
    answers = [each.role == "tool" for each in played.messages]
    last = len(answers) - 1 - answers[::-1].index(True)
    failed = replace(played.messages[last], text="Error: deadline exceeded.", is_error=True, fault="timeout_after")
    messages = (*played.messages[:last], failed, *played.messages[last + 1 :])
    run = keep(tmp_path / "run.db", library, [replace(played, messages=messages)])
    told = _Page(_write(run)).episode("keep-a-book", 0)
    (step,) = (each for each in told["steps"] if each.get("refused"))
    assert step["fault"] == "timeout_after"
    assert step["cells"]
