"""Recorded answers: what is replayed, what is asked for, what is missing; and the script that stands in for a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.errors import ModelFailed
from runtime.model.answer_book import AnswerBook
from runtime.model.model import Turn
from runtime.model.recorded import RecordedModel
from tests.runtime.model.asking import GOOD, SCHEMA, a_request, ask
from tests.runtime.model.scripted import ScriptedModel


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


def test_what_was_asked_once_is_not_asked_again(path: Path) -> None:
    live = ScriptedModel({"tools": GOOD})
    for _ in range(2):
        with AnswerBook.open(path, {}) as book:
            model = RecordedModel(book, live)
            answer = ask(model)
            assert answer.content == GOOD
            assert (model.name, answer.model) == ("scripted", "scripted")
    assert len(live.requests) == 1


def test_a_recording_alone_answers_whatever_the_prompt_says_now(path: Path) -> None:
    with AnswerBook.open(path, {}) as book:
        recorded = ask(RecordedModel(book, ScriptedModel({"tools": GOOD})))
    model = RecordedModel(AnswerBook.read(path))
    assert model.name == "recorded"
    assert ask(model, a_request(prompt="Reworded.", prefix="")) == recorded


def test_attempts_are_answers_of_their_own(path: Path) -> None:
    second = GOOD | {"title": "Second"}
    live = ScriptedModel({("tools", "hotel", 1): GOOD, ("tools", "hotel", 2): second})
    again = a_request(attempt=2, earlier=(Turn(GOOD, ("no",)),))
    with AnswerBook.open(path, {}) as book:
        model = RecordedModel(book, live)
        assert [ask(model).content, ask(model, again).content] == [GOOD, second]
    replayed = RecordedModel(AnswerBook.read(path))
    assert [ask(replayed).content, ask(replayed, again).content] == [GOOD, second]


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


def test_a_failure_is_not_recorded(path: Path) -> None:
    with AnswerBook.open(path, {}) as book:
        with pytest.raises(ModelFailed):
            ask(RecordedModel(book, ScriptedModel({})))
        assert len(book) == 0


def test_a_script_answers_by_attempt_then_by_key_then_by_stage() -> None:
    script = ScriptedModel(
        {("tools", "hotel", 2): {"by": "attempt"}, ("tools", "hotel"): {"by": "key"}, "tools": {"by": "stage"}}
    )
    asked = [a_request(attempt=2), a_request(), a_request(key="other")]
    assert [ask(script, request).content["by"] for request in asked] == ["attempt", "key", "stage"]
    assert script.requests == asked


def test_a_script_can_be_a_function() -> None:
    answer = ask(ScriptedModel(lambda request: {"said": request.prompt}))
    assert answer.content == {"said": "Name the tools."}
    assert answer.usage.estimated


def test_a_script_that_holds_no_answer_fails_as_a_model() -> None:
    with pytest.raises(ModelFailed, match="no answer for tools/hotel attempt 1"):
        ask(ScriptedModel({}))
