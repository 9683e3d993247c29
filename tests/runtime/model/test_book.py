"""Recorded answers: what survives kills and torn lines, what is replayed, and what is asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import ModelFailed
from runtime.model.book import AnswerBook, RecordedModel
from runtime.model.model import Answer, Usage
from tests.conftest import refused
from tests.runtime.model.appending import HEADER, content_of
from tests.runtime.model.asking import GOOD, SCHEMA, a_request, ask
from tests.runtime.model.scripted import ScriptedModel

ANSWER = Answer(GOOD, "anthropic:m", Usage(10, 5, 3, estimated=False, cost=0.25))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "build" / "answers.jsonl"


def fill(path: Path, *keys: str) -> None:
    with AnswerBook.open(path, HEADER) as book:
        for key in keys:
            book.add(a_request(key=key), ANSWER)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_answer_is_one_line_with_what_it_took(path: Path) -> None:
    fill(path, "room")
    assert lines(path)[1] == {
        "stage": "tools",
        "key": "room",
        "attempt": 1,
        "role": "designer",
        "model": "anthropic:m",
        "usage": {"prompt": 10, "completion": 5, "cached": 3, "estimated": False, "cost": 0.25},
        "answer": GOOD,
    }


def test_an_answer_is_found_by_its_name_when_the_book_is_opened_again(path: Path) -> None:
    fill(path, "room", "guest")
    with AnswerBook.open(path, HEADER) as book:
        assert book.find("tools", "room", 1) == ANSWER
        assert book.find("tools", "room", 2) is None
        assert [entry.key for entry in book] == ["room", "guest"]
        assert (len(book), book.header) == (2, {"format": 1, "keyword": "hotel"})


def test_a_torn_last_line_is_dropped_and_cut_off(path: Path) -> None:
    fill(path, "room", "guest")
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(whole[:last] + whole[last:][:20])
    with AnswerBook.open(path, HEADER) as book:
        assert [entry.key for entry in book] == ["room"]
        assert path.read_bytes() == whole[:last]
        book.add(a_request(key="guest"), ANSWER)
    assert path.read_bytes() == whole


def test_every_answer_that_was_added_survives_a_kill(path: Path) -> None:
    command = [sys.executable, "-m", "tests.runtime.model.appending", str(path)]
    acknowledged = 0
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            for _ in range(5):
                acknowledged = int(program.stdout.readline())
            os.kill(program.pid, signal.SIGKILL)
            left = program.stdout.read().split()
            acknowledged = int(left[-1]) if left else acknowledged
        book = AnswerBook.read(path, HEADER)
        assert acknowledged <= len(book) <= acknowledged + 1
        assert [entry.answer.content for entry in book] == [content_of(n + 1) for n in range(len(book))]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        pytest.param('{"format": 1, "keyword": "library"}', "is of keyword 'library', not 'hotel'", id="keyword"),
        pytest.param("stage,key", "its first line is not a header", id="no_json"),
        pytest.param('{"format": 1, "keyword": "hotel"}\n{"stage": 1}', "damaged at line 2", id="damaged"),
    ],
)
def test_a_book_of_something_else_is_refused_and_left_alone(path: Path, first: str, said: str) -> None:
    path.parent.mkdir()
    path.write_text(f"{first}\n")
    for open_book in (AnswerBook.open, AnswerBook.read):
        with refused(said):
            open_book(path, HEADER)
    assert path.read_text() == f"{first}\n"


def test_usage_adds_up_by_stage(path: Path) -> None:
    with AnswerBook.open(path, HEADER) as book:
        for stage, cost in (("tools", 0.5), ("world", None), ("tools", 0.25)):
            usage = Usage(10, 2, 1, estimated=cost is None, cost=cost)
            book.add(a_request(stage=stage, key=str(len(book))), Answer({}, "m", usage))
        assert book.usage_by_stage() == {
            "tools": Usage(20, 4, 2, cost=0.75),
            "world": Usage(10, 2, 1, estimated=True, cost=None),
        }
        assert list(book.usage_by_stage()) == ["tools", "world"]
        assert book.usage() == Usage(30, 6, 3, estimated=True, cost=None)


def test_what_was_asked_once_is_not_asked_again_whatever_the_prompt_says(path: Path) -> None:
    live = ScriptedModel({"tools": GOOD})
    for _ in range(2):
        with AnswerBook.open(path, {}) as book:
            model = RecordedModel(book, live)
            assert (model.name, ask(model).content) == ("scripted", GOOD)
    assert len(live.requests) == 1
    alone = RecordedModel(AnswerBook.read(path))
    assert (alone.name, ask(alone, a_request(prompt="Reworded.")).content) == ("recorded", GOOD)


def test_a_missing_answer_fails_and_says_how_to_get_it(path: Path) -> None:
    AnswerBook.open(path, {}).close()
    with pytest.raises(ModelFailed, match=r"^answers\.jsonl has no answer for tools/hotel attempt 1; --model "):
        ask(RecordedModel(AnswerBook.read(path)))


def test_an_answer_that_does_not_fit_what_is_asked_now_counts_as_missing(path: Path) -> None:
    stricter = a_request(schema=SCHEMA | {"required": ["title", "tools", "rules"]})
    with AnswerBook.open(path, {}) as book:
        ask(RecordedModel(book, ScriptedModel({"tools": GOOD})))
        with pytest.raises(ModelFailed, match="does not fit .*'rules' is a required property"):
            ask(RecordedModel(book), stricter)
        better = GOOD | {"rules": []}
        assert ask(RecordedModel(book, ScriptedModel({"tools": better})), stricter).content == better
        assert ask(RecordedModel(book), stricter).content == better


def test_a_book_has_one_writer_at_a_time(path: Path) -> None:
    with AnswerBook.open(path, HEADER), refused("is being written by another process; wait for it, or stop it."):
        AnswerBook.open(path, HEADER)
    fill(path, "a")
    assert len(AnswerBook.read(path)) == 1
