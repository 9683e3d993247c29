"""The Messages API over a real socket: what is sent, what comes back, what is retried and what it costs."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import ModelFailed, UsageError
from runtime.model.anthropic import AnthropicModel
from runtime.model.ask import Backoff, find_misfits
from runtime.model.model import Request, Usage
from tests.runtime.model.asking import GOOD, SCHEMA, a_request, ask
from tests.runtime.model.messages_api import MessagesApi, Reply, cut_short, refused, said, serve_messages

FAST = Backoff(tries=3, first=0.001, most=0.002)
WELL = said(json.dumps(GOOD))
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def a_model(api: MessagesApi, name: str = "claude-opus-5-5", **options: Any) -> AnthropicModel:
    return AnthropicModel(name, base_url=api.url, **({"backoff": FAST} | options))


def put(*replies: Reply, request: Request | None = None, **options: Any) -> tuple[Any, MessagesApi]:
    """The answer to a request, or the error, and what the server was sent."""
    with serve_messages(*replies) as api:
        try:
            return ask(a_model(api, **options), request), api
        except (ModelFailed, UsageError) as error:
            return error, api


def test_an_answer_is_streamed_and_asked_for_with_its_schema() -> None:
    answer, api = put(WELL)
    assert (answer.content, answer.model) == (GOOD, "anthropic:claude-opus-5-5")
    body = api.bodies[0]
    assert (body["path"], body["stream"], body["model"]) == ("/v1/messages", True, "claude-opus-5-5")
    assert body["max_tokens"] == 32_000 + 16_000
    prefix, prompt = body["messages"][0]["content"]
    assert prefix == {"type": "text", "text": "All about hotels.", "cache_control": {"type": "ephemeral"}}
    assert prompt["text"].startswith("Name the tools.\n\n")
    assert prompt["text"].endswith(json.dumps(SCHEMA))


def test_options_are_sent_and_an_empty_prefix_is_not() -> None:
    name = "claude-x,max_tokens=900,temperature=0.5,effort=low,thinking=on"
    _, api = put(WELL, name=name, request=a_request(prefix=""))
    body = api.bodies[0]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("claude-x", 900, 0.5)
    assert (body["output_config"], body["thinking"]) == ({"effort": "low"}, {"type": "adaptive"})
    assert len(body["messages"][0]["content"]) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [('{"title": "x", "tools": []}', "$.tools: [] should be non-empty"), ("", "not JSON")],
)
def test_an_answer_that_does_not_fit_is_asked_for_again_and_counted(text: str, complaint: str) -> None:
    answer, api = put(said(text), WELL)
    assert answer.content == GOOD
    assert (answer.usage.prompt, answer.usage.completion) == (200, 14)
    bad, verdict = api.bodies[1]["messages"][1:]
    assert (bad["role"], bad["content"]) == ("assistant", text.strip() or "(an empty answer)")
    assert complaint in verdict["content"]


def test_answers_that_never_fit_end_after_the_allowed_tries() -> None:
    error, api = put(said('{"title": 1, "tools": []}'), asks=2)
    assert isinstance(error, ModelFailed)
    assert "tools/hotel attempt 1" in str(error)
    assert "$.title: 1 is not of type" in str(error)
    assert len(api.bodies) == 2


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(refused(429, "rate_limit_error", "Slow down."), id="rate_limit"),
        pytest.param(cut_short(WELL, 7), id="cut_in_the_middle"),
        pytest.param(Reply(events=[*WELL.events[:7], OVERLOADED]), id="overloaded_midway"),
    ],
)
def test_what_may_pass_is_tried_again_as_often_as_allowed(reply: Reply) -> None:
    answer, api = put(reply, reply, WELL)
    assert answer.content == GOOD
    assert len(api.bodies) == 3
    error, api = put(reply)
    assert isinstance(error, ModelFailed | UsageError)
    assert "3 tries" in str(error)
    assert len(api.bodies) == 3


def test_an_address_where_nobody_answers_ends_the_command_at_once() -> None:
    with pytest.raises(UsageError, match=r"could not be reached.*; check ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY\.$"):
        ask(AnthropicModel("claude-opus-5-5", base_url="http://127.0.0.1:9", backoff=FAST))


def test_a_wait_that_the_server_asks_for_is_kept_unless_it_is_too_long() -> None:
    began = time.monotonic()
    answer, _ = put(refused(429, "rate_limit_error", "Slow down.", retry_after="0.3"), WELL)
    assert answer.content == GOOD
    assert time.monotonic() - began >= 0.3
    error, api = put(refused(429, "rate_limit_error", "Come back tomorrow.", retry_after="86400"))
    assert isinstance(error, ModelFailed)
    assert "Come back tomorrow" in str(error)
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (
            said("", stop="refusal", details={"type": "refusal", "category": "bio", "explanation": "Not this."}),
            "tools/hotel attempt 1: anthropic:claude-opus-5-5 refused to answer: Not this.",
        ),
        (
            said('{"title": "Ho', stop="max_tokens"),
            "its option max_tokens, the server's own default, or its context.",
        ),
        (said("", stop="model_context_window_exceeded"), "too long for it."),
    ],
)
def test_a_reply_that_is_no_answer_fails_with_its_reason(reply: Reply, sentence: str) -> None:
    error, api = put(reply)
    assert isinstance(error, ModelFailed)
    assert str(error).endswith(sentence)
    assert error.usage is not None
    assert error.usage.prompt == 100
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param(
            refused(401, "authentication_error", "a\nb"),
            "answered 401: a b; check ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.",
            id="bad_key",
        ),
        pytest.param(refused(404, "not_found_error", "model: x"), "answered 404: model: x", id="no_model"),
        pytest.param(Reply(page="<html></html>"), "does not speak this API: it sent no events", id="html"),
    ],
)
def test_a_wrong_setup_ends_the_command_at_once_in_one_line(reply: Reply, expected: str) -> None:
    error, api = put(reply)
    assert isinstance(error, UsageError)
    assert expected in str(error)
    assert "\n" not in str(error)
    assert len(api.bodies) == 1


def test_the_key_comes_from_the_environment_and_a_local_server_needs_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serve_messages(WELL) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        assert ask(AnthropicModel("qwen", backoff=FAST)).usage == Usage(100, 7, cost=None)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "of the test")
        ask(AnthropicModel("qwen", backoff=FAST))
    assert any("of the test" in value for value in api.headers[1].values())
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(UsageError, match=r"^Model 'anthropic:claude-opus-5-5' needs a key: set ANTHROPIC_API_KEY\.$"):
        AnthropicModel("claude-opus-5-5")


def test_usage_counts_the_cache_and_its_cost() -> None:
    answer, _ = put(said(json.dumps(GOOD), prompt=1_000, written=2_000, cached=3_000, completion=400))
    assert answer.usage.cost == pytest.approx((1_000 * 4 + 2_000 * 5 + 3_000 * 0.2 + 400 * 20) / 1e6)
    assert (answer.usage.prompt, answer.usage.cached, answer.usage.completion) == (6_000, 3_000, 400)
    assert not answer.usage.estimated


def test_no_more_requests_are_under_way_than_allowed() -> None:
    open_up = threading.Event()
    held = said(json.dumps(GOOD), hold=open_up)

    async def ask_seven(model: AnthropicModel) -> list[Any]:
        asked = [asyncio.create_task(model.answer(a_request(key=f"k{number}"))) for number in range(7)]
        while len(api.bodies) < 3:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        open_up.set()
        return await asyncio.gather(*asked)

    with serve_messages(held) as api:
        answers = asyncio.run(ask_seven(a_model(api, at_once=3)))
    assert [answer.content for answer in answers] == [GOOD] * 7
    assert api.most_at_once == 3


def test_a_real_model_cannot_be_asked_by_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of the test")
    model = AnthropicModel("claude-opus-5-5", base_url="https://api.anthropic.com/", backoff=FAST)
    with pytest.raises(pytest.fail.Exception, match="real model"):
        ask(model)


UNION = {"properties": {"step": {"anyOf": [{"type": "object", "required": ["call", "args"]}, {"type": "null"}]}}}


@pytest.mark.parametrize(
    ("content", "schema", "line"),
    [
        ({"title": "x"}, SCHEMA, "$: 'tools' is a required property"),
        (GOOD | {"tools": [{"name": "A"}]}, SCHEMA, "$.tools[0].name: 'A' does not match '^[a-z_]+$'"),
        (
            GOOD | {"tools": [{"name": "a", "naem": 1}]},
            SCHEMA,
            "$.tools[0]: Additional properties are not allowed ('naem' was unexpected); have: name, reads",
        ),
        ({"step": {"call": "f"}}, UNION, "$.step: 'args' is a required property"),
    ],
)
def test_a_complaint_says_where_what_is_there_and_what_is_wanted(content: Any, schema: Any, line: str) -> None:
    assert find_misfits(content, schema) == [line]
