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
from runtime.harness.page.figures import read_figures
from runtime.harness.page.freeze import page_parts
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


@pytest.fixture(scope="module")
def run(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return keep(tmp_path_factory.mktemp("run") / "run.db", library, some_episodes(library))


def _write(run: Run, most: int = 200) -> str:
    return "".join(page_parts(run, read_figures(run), most))


@pytest.fixture(scope="module")
def page(run: Run) -> _Page:
    return _Page(_write(run))


def test_date_and_version_are_those_of_the_store(run: Run) -> None:
    dated = replace(run, made_by="0.3.0", began="2026-03-01T09:05:10+00:00", ended="2026-03-01T11:20:59+00:00")
    assert _Page(_write(dated)).data("run-data")["made"] == "Worldsmith 0.3.0, 2026-03-01 09:05 to 2026-03-01 11:20 UTC"


def test_the_page_loads_nothing(page: _Page, run: Run) -> None:
    assert not [tag for tag, attributes in page.elements if {"src", "srcset", "data"} & attributes.keys()]
    assert not [tag for tag, _ in page.elements if tag in ("link", "iframe", "img", "object", "embed", "base")]
    assert not re.search(r"@import|url\(", "".join(page.styles))
    assert not re.search(r"\bfetch\b|XMLHttpRequest|import\(|WebSocket|sendBeacon", page.scripts["program"])


def test_only_its_own_program_and_style_may_run(page: _Page) -> None:
    policy = next(each["content"] for tag, each in page.elements if each.get("http-equiv")) or ""
    for text in (page.scripts["program"], *page.styles):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_hostile_words_stay_words(page: _Page, run: Run) -> None:
    hostile = next(at for at, each in enumerate(run.records()) if any(said.text == HOSTILE for said in each.messages))
    told = page.data(f"episode-{hostile}")
    assert HOSTILE in [each["text"] for each in told["messages"]]
    assert ["email", HOSTILE] in [
        given for each in told["messages"] for call in each.get("calls", []) for given in call["given"]
    ]
    scripts = [each for tag, each in page.elements if tag == "script"]
    assert [each.get("type") for each in scripts] == ["application/json"] * (len(scripts) - 1) + [None]
    assert not [
        name for name, text in page.scripts.items() if name != "program" and re.search(r"[<>&]|[^\x00-\x7f]", text)
    ]


def test_every_episode_is_listed_and_told(page: _Page, run: Run) -> None:
    described, records = page.data("run-data"), list(run.records())
    assert [(each["task"], each["trial"], each["reward"]) for each in described["episodes"]] == [
        (each.task, each.trial, each.reward) for each in records
    ]
    for at, record in enumerate(records):
        told = page.data(f"episode-{at}")
        assert [each["role"] for each in told["messages"]] == [each.role for each in record.messages]
        assert told["said"][: len(record.differences)] == [each.sentence for each in record.differences]


def test_scores_are_those_of_the_evaluation(page: _Page) -> None:
    figures = page.data("run-data")["figures"]
    assert figures["headline"]["value"] == pytest.approx((1 / 3 + 1 / 3 + 1) / 3, abs=1e-6)
    assert any("does nothing scores 0.000" in each for each in figures["notes"])
    assert any("1 void episode" in each and "0.444" in each for each in figures["notes"])
    assert {each["title"] for each in figures["tables"]} >= {"Pass@k", "Pass^k", "By domain"}


def test_what_is_left_out_is_said(run: Run) -> None:
    page = _Page(_write(run, most=6))
    described = page.data("run-data")
    told = [each for each in described["episodes"] if each["told"]]
    assert len(described["episodes"]) == 9
    assert len(told) == 6
    assert sum(each["reward"] != 1 for each in told) == 5
    assert {f"episode-{each['at']}" for each in told} == page.scripts.keys() - {"run-data", "program"}
    assert "holds the conversations of 6" in described["told_note"]


def test_numbers_keep_their_digits(library: Domain, tmp_path: Path) -> None:
    """A browser would round them, so they are texts."""
    played = play_reference(library, "keep-a-book")
    calling = next(each for each in played.messages if each.calls)
    odd = replace(calling, calls=(replace(calling.calls[0], arguments={"n": 2**60, "f": 1.5, "none": None}),))
    run = keep(tmp_path / "run.db", library, [replace(played, messages=(played.messages[0], odd))])
    (call,) = _Page(_write(run)).data("episode-0")["messages"][1]["calls"]
    assert call["given"] == [["n", str(2**60)], ["f", "1.5"], ["none", None]]
