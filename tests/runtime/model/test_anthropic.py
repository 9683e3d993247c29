"""Asking the Messages API over a real socket: what is sent, what comes back, and what is tried again."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import ModelFailed, UsageError
from runtime.model.anthropic import AnthropicModel
from runtime.model.backoff import Backoff
from runtime.model.model import Request, Turn, Usage
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


def texts(turn: dict[str, Any]) -> list[str]:
    return [block["text"] for block in turn["content"]]


def test_the_answer_is_the_object_that_was_streamed() -> None:
    answer, _ = put(WELL)
    assert answer.content == GOOD
    assert answer.model == "anthropic:claude-opus-5-5"


def test_the_prefix_is_its_own_block_and_marked_for_the_cache() -> None:
    _, api = put(WELL)
    prefix, prompt = api.bodies[0]["messages"][0]["content"]
    assert prefix == {"type": "text", "text": "All about hotels.", "cache_control": {"type": "ephemeral"}}
    assert prompt == {"type": "text", "text": "Name the tools."}
    assert (api.bodies[0]["path"], api.bodies[0]["stream"]) == ("/v1/messages", True)
    assert (api.bodies[0]["model"], api.bodies[0]["max_tokens"]) == ("claude-opus-5-5", 32_000)


def test_an_empty_prefix_is_not_sent() -> None:
    _, api = put(WELL, request=a_request(prefix=""))
    assert api.bodies[0]["messages"][0]["content"] == [{"type": "text", "text": "Name the tools."}]


def test_the_schema_is_sent_in_the_form_that_strict_decoding_takes() -> None:
    _, api = put(WELL)
    form = api.bodies[0]["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert form["schema"]["required"] == ["title", "tools"]
    tool = form["schema"]["$defs"]["Tool"]
    assert tool["additionalProperties"] is False
    assert "pattern" not in tool["properties"]["name"]
    assert "^[a-z_]+$" in tool["properties"]["name"]["description"]


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}}, id="free_keys"),
        pytest.param({}, id="anything"),
        pytest.param({"type": ["string", "null"]}, id="list_of_types"),
        pytest.param({"type": "array", "prefixItems": [{"type": "string"}]}, id="tuple"),
        pytest.param({"type": "array"}, id="array_of_anything"),
        pytest.param({"$ref": "#/$defs/Node"}, id="recursion"),
    ],
)
def test_a_schema_that_strict_decoding_would_bend_goes_into_the_prompt(part: dict[str, Any]) -> None:
    node = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}}
    schema = {"type": "object", "properties": {"part": part}, "$defs": {"Node": node}}
    answer, api = put(said("{}"), request=a_request(schema=schema))
    assert answer.content == {}
    assert "output_config" not in api.bodies[0]
    assert json.dumps(schema) in texts(api.bodies[0]["messages"][0])[1]


def test_a_schema_that_the_server_refuses_goes_into_the_prompt_and_is_not_tried_again() -> None:
    with serve_messages(refused(400, "invalid_request_error", "Schema is too complex."), WELL) as api:
        model = a_model(api)
        assert ask(model).content == GOOD
        assert ask(model).content == GOOD
    assert ["output_config" in body for body in api.bodies] == [True, False, False]


def test_another_bad_request_fails_in_the_words_of_the_server_and_blames_no_schema() -> None:
    bad = refused(400, "invalid_request_error", "Your credit balance is too low.")
    with serve_messages(bad, bad, WELL) as api:
        model = a_model(api)
        with pytest.raises(ModelFailed, match=r"Your credit balance is too low\.$"):
            ask(model)
        ask(model)
    assert ["output_config" in body for body in api.bodies] == [True, False, True]


def test_earlier_attempts_are_turns_of_the_conversation() -> None:
    turns = (Turn({"title": "A"}, ("no tool writes 'room'", "too few")), Turn({"title": "B"}, ("still too few",)))
    _, api = put(WELL, request=a_request(earlier=turns, attempt=3))
    roles = [turn["role"] for turn in api.bodies[0]["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    _, first, complaints, second, last = api.bodies[0]["messages"]
    assert json.loads(first["content"]) == {"title": "A"}
    assert "- no tool writes 'room'\n- too few\n" in complaints["content"]
    assert "corrected" in complaints["content"]
    assert json.loads(second["content"]) == {"title": "B"}
    assert "still too few" in last["content"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```json\n{json.dumps(GOOD)}\n```", id="code_fence"),
        pytest.param(f"Here you are:\n{json.dumps(GOOD)}\nDone.", id="words_around_it"),
    ],
)
def test_what_is_written_around_the_json_is_passed_over(text: str) -> None:
    answer, api = put(said(text))
    assert answer.content == GOOD
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param('{"title": ', "not JSON", id="broken"),
        pytest.param('{"title": "x", "tools": []}', "$.tools is []", id="misses_the_schema"),
        pytest.param("", "not JSON", id="empty"),
    ],
)
def test_an_answer_that_does_not_fit_is_asked_for_again_and_counted(text: str, complaint: str) -> None:
    answer, api = put(said(text), WELL)
    assert answer.content == GOOD
    assert answer.usage.prompt == 200
    assert answer.usage.completion == 14
    bad, verdict = api.bodies[1]["messages"][1:]
    assert (bad["role"], bad["content"]) == ("assistant", text.strip() or "(an empty answer)")
    assert complaint in verdict["content"]


def test_answers_that_never_fit_end_after_as_many_tries_as_allowed() -> None:
    error, api = put(said('{"title": 1, "tools": []}'), asks=2)
    assert isinstance(error, ModelFailed)
    assert "tools/hotel attempt 1" in str(error)
    assert "$.title is 1" in str(error)
    assert len(api.bodies) == 2


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(refused(429, "rate_limit_error", "Slow down."), id="rate_limit"),
        pytest.param(refused(529, "overloaded_error", "Overloaded."), id="overloaded"),
        pytest.param(refused(500, "api_error", "Oops."), id="server_fault"),
        pytest.param(cut_short(WELL, 0), id="cut_before_the_first_event"),
        pytest.param(cut_short(WELL, 7), id="cut_in_the_middle"),
        pytest.param(Reply(events=WELL.events[:8]), id="ended_early"),
        pytest.param(Reply(events=[]), id="nothing_streamed"),
        pytest.param(Reply(events=[*WELL.events[:7], OVERLOADED | {"type": "error"}]), id="overloaded_midway"),
    ],
)
def test_what_passes_by_itself_is_tried_again(reply: Reply) -> None:
    answer, api = put(reply, reply, WELL)
    assert answer.content == GOOD
    assert len(api.bodies) == 3


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(refused(529, "overloaded_error", "Overloaded."), id="overloaded"),
        pytest.param(cut_short(WELL, 7), id="cut"),
    ],
)
def test_what_does_not_pass_fails_after_as_many_tries_as_allowed(reply: Reply) -> None:
    error, api = put(reply)
    assert isinstance(error, ModelFailed)
    assert "failed after 3 tries" in str(error)
    assert len(api.bodies) == 3


def test_a_server_that_is_not_there_fails_as_a_model() -> None:
    model = AnthropicModel("claude-opus-5-5", base_url="http://127.0.0.1:9", backoff=FAST)
    with pytest.raises(ModelFailed, match="could not be reached"):
        ask(model)


def test_an_address_that_never_answered_ends_the_command_at_the_third_request() -> None:
    model = AnthropicModel("claude-opus-5-5", base_url="http://127.0.0.1:9", backoff=FAST)
    for _ in range(2):
        with pytest.raises(ModelFailed):
            ask(model)
    with pytest.raises(UsageError, match="3 requests failed after 3 tries each and none was ever answered; see ANTH"):
        ask(model)


def test_a_wait_that_the_server_names_is_kept() -> None:
    began = time.monotonic()
    answer, _ = put(refused(429, "rate_limit_error", "Slow down.", retry_after="0.3"), WELL)
    assert answer.content == GOOD
    assert time.monotonic() - began >= 0.3


def test_a_wait_that_is_too_long_ends_the_request() -> None:
    error, api = put(refused(429, "rate_limit_error", "Come back tomorrow.", retry_after="86400"))
    assert isinstance(error, ModelFailed)
    assert "Come back tomorrow" in str(error)
    assert len(api.bodies) == 1


def test_a_server_that_says_so_is_not_asked_again() -> None:
    error, api = put(refused(500, "api_error", "Never.", x_should_retry="false"))
    assert isinstance(error, ModelFailed)
    assert len(api.bodies) == 1


def test_waits_double_up_to_a_limit_and_a_date_is_understood() -> None:
    backoff = Backoff(tries=10, first=1, most=5)
    waits = [backoff.seconds(failures, {}) or 0 for failures in range(1, 6)]
    assert all(0.75 * full <= wait <= full for wait, full in zip(waits, (1, 2, 4, 5, 5), strict=True))
    assert backoff.seconds(10, {}) is None
    assert backoff.seconds(1, {"retry-after-ms": "1500"}) == 1.5
    assert backoff.seconds(1, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0


def test_a_refusal_fails_with_its_reason() -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "Not this."}
    error, api = put(said("", stop="refusal", details=details))
    assert isinstance(error, ModelFailed)
    assert str(error) == "tools/hotel attempt 1: anthropic:claude-opus-5-5 refused to answer: Not this."
    assert len(api.bodies) == 1


def test_a_cut_off_answer_is_asked_for_once_more_with_twice_the_room() -> None:
    answer, api = put(said('{"title": "Ho', stop="max_tokens"), WELL, request=a_request(max_tokens=500))
    assert answer.content == GOOD
    assert [body["max_tokens"] for body in api.bodies] == [500, 1000]
    assert answer.usage.completion == 14


def test_an_answer_that_is_cut_off_again_fails() -> None:
    error, api = put(said('{"title": "Ho', stop="max_tokens"), request=a_request(max_tokens=500))
    assert isinstance(error, ModelFailed)
    assert "cut off at 1000 tokens" in str(error)
    assert len(api.bodies) == 2


def test_a_prompt_that_is_too_long_fails() -> None:
    error, _ = put(said("", stop="model_context_window_exceeded"))
    assert isinstance(error, ModelFailed)
    assert "too long" in str(error)


@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        pytest.param(401, "authentication_error", "ANTHROPIC_API_KEY", id="bad_key"),
        pytest.param(403, "permission_error", "ANTHROPIC_API_KEY", id="forbidden"),
        pytest.param(404, "not_found_error", "There is no model 'claude-opus-5-5' at http://127.0.0.1", id="no_model"),
    ],
)
def test_a_wrong_set_up_is_said_in_one_line(status: int, kind: str, expected: str) -> None:
    error, api = put(refused(status, kind, "first\nsecond"))
    assert isinstance(error, UsageError)
    assert expected in str(error)
    assert "\n" not in str(error)
    assert len(api.bodies) == 1


def test_a_missing_key_is_said_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"^Model 'anthropic:claude-opus-5-5' needs a key: set ANTHROPIC_API_KEY\.$"):
        AnthropicModel("claude-opus-5-5")


def test_a_local_server_needs_no_key_and_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_messages(WELL) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        assert ask(AnthropicModel("qwen", backoff=FAST)).content == GOOD
    assert len(api.bodies) == 1


def test_the_key_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of the test")
    _, api = put(WELL)
    assert any("of the test" in value for value in api.headers[0].values())


def test_usage_counts_the_cache_and_its_cost() -> None:
    tokens = {"input_tokens": 1_000, "cache_creation_input_tokens": 2_000, "cache_read_input_tokens": 3_000}
    answer, _ = put(said(json.dumps(GOOD), tokens=tokens, completion=400))
    assert answer.usage.cost == pytest.approx((1_000 * 4 + 2_000 * 5 + 3_000 * 0.2 + 400 * 20) / 1e6)
    assert (answer.usage.prompt, answer.usage.cached, answer.usage.completion) == (6_000, 3_000, 400)
    assert not answer.usage.estimated


def test_a_reply_that_was_cut_counts_with_its_text_estimated() -> None:
    answer, _ = put(cut_short(WELL, 7), WELL)
    assert answer.usage.prompt == 200
    assert answer.usage.completion > 7
    assert answer.usage.estimated


def test_failed_requests_count_in_what_a_model_spent() -> None:
    with serve_messages(said("no", stop="refusal")) as api:
        model = a_model(api)
        with pytest.raises(ModelFailed):
            ask(model)
    assert (model.spent.prompt, model.spent.completion) == (100, 7)


def test_the_cost_of_a_model_without_a_price_is_unknown() -> None:
    answer, _ = put(WELL, name="qwen")
    assert answer.usage == Usage(100, 7, cost=None)


def test_a_server_that_does_not_count_is_estimated() -> None:
    answer, _ = put(said(json.dumps(GOOD), tokens={"input_tokens": 0}, completion=0))
    assert answer.usage.estimated
    assert answer.usage.prompt > len(json.dumps(SCHEMA)) / 4
    assert answer.usage.completion == -(-len("{hm" + json.dumps(GOOD)) // 4), "what it thought is paid for, too"


def test_a_server_that_leaves_usage_out_is_estimated_too() -> None:
    start, *rest = WELL.events
    message = {name: value for name, value in start["message"].items() if name != "usage"}
    rest = [{name: value for name, value in event.items() if name != "usage"} for event in rest]
    answer, _ = put(Reply(events=[{**start, "message": message}, *rest]))
    assert answer.content == GOOD
    assert answer.usage.estimated


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


def test_choosing_models_does_not_import_the_sdk() -> None:
    code = "import sys, runtime.model.choose; print(sorted({'anthropic', 'httpx2', 'jsonschema'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_real_model_cannot_be_asked_by_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of the test")
    model = AnthropicModel("claude-opus-5-5", base_url="https://api.anthropic.com/", backoff=FAST)
    with pytest.raises(pytest.fail.Exception, match="real model"):
        ask(model)
