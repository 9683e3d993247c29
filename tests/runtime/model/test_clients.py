"""Both dialects over a real socket, in the shapes of many servers: what is sent, read, retried, refused and paid."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import ModelFailed, UsageError
from runtime.model.anthropic import AnthropicModel
from runtime.model.ask import Backoff, find_misfits
from runtime.model.chat_completions import ChatCompletionsModel
from runtime.model.model import ChatReply, ChatRequest, Price, Usage
from tests.runtime.model.asking import GOOD, SCHEMA, a_request, ask
from tests.runtime.model.completions_api import SERVERS, completed, refusing, thought, whole
from tests.runtime.model.messages_api import MessagesApi, Reply, cut_short, refused, said, serve_messages, text, use

FAST = Backoff(tries=3, first=0.001, most=0.002)
JSON = json.dumps(GOOD)
HELLO = ChatRequest("here", [{"role": "user", "content": "Hello."}])
THOUGHTFUL = replace(
    HELLO,
    turns=[
        *HELLO.turns,
        {"role": "assistant", "content": [{"type": "reasoning", "name": "reasoning", "value": "Hm."}, text("Hm.")]},
        *HELLO.turns,
    ],
)


@dataclass(frozen=True)
class Dialect:
    """One of the two APIs: its client, and how a server says things in it."""

    client: Callable[..., Any]
    model: str
    variable: str  # of the environment, with _BASE_URL or _API_KEY behind it
    path: str  # under the address of a server
    says: Callable[..., Reply]  # takes a text, with its `stop` and counts

    def well(self, **counts: int) -> Reply:
        return self.says(JSON, **counts)

    def fails(self, status: int, message: str) -> Reply:
        return (
            refused(status, "error", message) if self is CLAUDE else refusing(status, {"error": {"message": message}})
        )

    def at(self, api: MessagesApi, name: str = "", **options: Any) -> Any:
        return self.client(name or self.model, base_url=f"{api.url}{self.path}", **({"backoff": FAST} | options))


CLAUDE = Dialect(AnthropicModel, "claude-opus-5-5", "ANTHROPIC", "", said)
OPENAI = Dialect(ChatCompletionsModel, "qwen", "OPENAI", "/v1", lambda words, **how: completed(text(words), **how))
both = pytest.mark.parametrize("api", [CLAUDE, OPENAI], ids=["anthropic", "openai"])


def put(dialect: Dialect, *replies: Reply, request: Any = None, **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    """The answer to a request, or the error, and the bodies that the server was sent."""
    with serve_messages(*replies) as api:
        try:
            return ask(dialect.at(api, **options), request), api.bodies
        except (ModelFailed, UsageError) as error:
            return error, api.bodies


def converse(
    *replies: Reply, requests: Sequence[ChatRequest] = (HELLO,), **options: Any
) -> tuple[list[Any], list[dict[str, Any]]]:
    """What became of each request, and what the server was sent, in chat completions."""

    async def reply_to_all(model: ChatCompletionsModel) -> list[Any]:
        found: list[Any] = []
        for request in requests:
            try:
                found.append(await model.reply(request))
            except (ModelFailed, UsageError) as error:
                found.append(error)
        return found

    with serve_messages(*replies) as api:
        return asyncio.run(reply_to_all(OPENAI.at(api, **options))), api.bodies


def test_an_answer_is_asked_for_with_its_schema() -> None:
    answer, (body,) = put(CLAUDE, CLAUDE.well())
    assert (answer.content, answer.model) == (GOOD, "anthropic:claude-opus-5-5")
    assert (body["path"], body["stream"], body["model"]) == ("/v1/messages", True, "claude-opus-5-5")
    assert body["max_tokens"] == 32_000 + 16_000
    prefix, prompt = body["messages"][0]["content"]
    assert prefix == {"type": "text", "text": "All about hotels.", "cache_control": {"type": "ephemeral"}}
    assert (prompt["text"][:17], prompt["text"].endswith(json.dumps(SCHEMA))) == ("Name the tools.\n\n", True)

    answer, (body,) = put(OPENAI, OPENAI.well())
    assert (answer.content, answer.model) == (GOOD, "openai:qwen")
    assert (body["path"], body["model"]) == ("/v1/chat/completions", "qwen")
    (message,) = body["messages"]
    assert message["content"].startswith("All about hotels.\n\nName the tools.\n\n")
    assert message["content"].endswith(json.dumps(SCHEMA))
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert not body.keys() & {"max_tokens", "temperature", "seed", "tools"}


@pytest.mark.parametrize(
    ("api", "options", "sent"),
    [
        (
            CLAUDE,
            "max_tokens=900,temperature=0.5,effort=low,thinking=on",
            {
                "max_tokens": 900,
                "temperature": 0.5,
                "output_config": {"effort": "low"},
                "thinking": {"type": "adaptive"},
            },
        ),
        (
            OPENAI,
            "max_tokens=900,temperature=0.5,effort=low,thinking=off",
            {"max_tokens": 900, "temperature": 0.5, "reasoning_effort": "low"}
            | {"chat_template_kwargs": {"enable_thinking": False}},
        ),
    ],
    ids=["anthropic", "openai"],
)
def test_options_are_sent_and_an_empty_prefix_is_not(api: Dialect, options: str, sent: dict[str, Any]) -> None:
    _, (body,) = put(api, api.well(), name=f"m,{options}", request=a_request(prefix=""))
    assert body["model"] == "m"
    assert {name: body.get(name) for name in sent} == sent
    assert "hotels" not in str(body["messages"])


@both
@pytest.mark.parametrize(
    ("words", "complaint"), [('{"title": "x", "tools": []}', "$.tools: [] should be non-empty"), ("", "not JSON")]
)
def test_an_answer_that_does_not_fit_is_asked_for_again_and_counted(api: Dialect, words: str, complaint: str) -> None:
    answer, bodies = put(api, api.says(words), api.well())
    assert answer.content == GOOD
    assert (answer.usage.prompt, answer.usage.completion) == (200, 14)
    bad, verdict = bodies[1]["messages"][1:]
    assert (bad["role"], bad["content"]) == ("assistant", words.strip() or "(an empty answer)")
    assert complaint in verdict["content"]


@both
def test_answers_that_never_fit_end_after_the_allowed_tries(api: Dialect) -> None:
    error, bodies = put(api, api.says('{"title": 1, "tools": []}'), asks=2)
    assert isinstance(error, ModelFailed)
    assert "tools/hotel attempt 1" in str(error)
    assert "$.title: 1 is not of type" in str(error)
    assert len(bodies) == 2


IN_BODY = {"error": {"code": 502, "message": "Provider returned error"}}
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize(
    ("api", "failure"),
    [
        pytest.param(CLAUDE, refused(429, "rate_limit_error", "Slow down."), id="rate_limit"),
        pytest.param(CLAUDE, cut_short(CLAUDE.well(), 7), id="cut_in_the_middle"),
        pytest.param(CLAUDE, Reply(events=[*CLAUDE.well().events[:7], OVERLOADED]), id="overloaded_midway"),
        *(pytest.param(OPENAI, OPENAI.fails(status, "no"), id=str(status)) for status in (408, 429, 503)),
        pytest.param(OPENAI, Reply(page=json.dumps(IN_BODY), headers={"content-type": "application/json"}), id="body"),
        pytest.param(OPENAI, whole({"content": "Let"}, "error"), id="ended_early"),
        pytest.param(OPENAI, replace(OPENAI.well(), cut=True), id="broken_off"),
    ],
)
def test_what_may_pass_is_tried_again_as_often_as_allowed(api: Dialect, failure: Reply) -> None:
    answer, bodies = put(api, failure, failure, api.well())
    assert (answer.content, len(bodies)) == (GOOD, 3)
    error, bodies = put(api, failure)
    assert isinstance(error, ModelFailed | UsageError)
    assert "3 tries" in str(error)
    assert len(bodies) == 3


def test_a_wait_that_the_server_asks_for_is_kept_unless_it_is_too_long() -> None:
    began = time.monotonic()
    answer, _ = put(CLAUDE, refused(429, "rate_limit_error", "Slow down.", retry_after="0.3"), CLAUDE.well())
    assert answer.content == GOOD
    assert time.monotonic() - began >= 0.3
    error, bodies = put(CLAUDE, refused(429, "rate_limit_error", "Come back tomorrow.", retry_after="86400"))
    assert isinstance(error, ModelFailed)
    assert "Come back tomorrow" in str(error)
    assert len(bodies) == 1


BIO = {"type": "refusal", "category": "bio", "explanation": "Not this."}
CUT = "its option max_tokens, the server's own default, or its context."
KEYS = "; check {0}_BASE_URL and {0}_API_KEY."


@pytest.mark.parametrize(
    ("api", "reply", "kind", "sentence"),
    [
        (CLAUDE, said("", stop="refusal", details=BIO), ModelFailed, "opus-5-5 refused to answer: Not this."),
        (CLAUDE, said('{"title": "Ho', stop="max_tokens"), ModelFailed, CUT),
        (CLAUDE, said("", stop="model_context_window_exceeded"), ModelFailed, "too long for it."),
        (OPENAI, OPENAI.says("I will", stop="content_filter"), ModelFailed, "refused to answer: it gave no reason"),
        (OPENAI, whole({"content": None, "refusal": "I can't help."}), ModelFailed, "refused to answer: I can't help"),
        (OPENAI, OPENAI.says('{"ti', stop="length"), ModelFailed, CUT),
        (CLAUDE, CLAUDE.fails(401, "a\nb"), UsageError, "answered 401: a b" + KEYS.format("ANTHROPIC")),
        (CLAUDE, CLAUDE.fails(404, "model: x"), UsageError, "answered 404: model: x"),
        (CLAUDE, Reply(page="<html></html>"), UsageError, "does not speak this API: it sent no events"),
        (OPENAI, OPENAI.fails(401, "Incorrect API key"), UsageError, 'Incorrect API key"}' + KEYS.format("OPENAI")),
        (OPENAI, refusing(429, {"error": {"code": "insufficient_quota"}}), UsageError, "insufficient_quota"),
        (OPENAI, OPENAI.fails(404, "The model `x` does not exist."), UsageError, "The model `x` does not exist"),
        (OPENAI, refusing(400, {"message": '"auto" requires --tool-call-parser'}), UsageError, "--tool-call-parser"),
        (OPENAI, Reply(page="<html>Welcome</html>"), UsageError, "does not speak this API: it sent"),
    ],
    ids=range(14),
)
def test_what_can_never_work_is_not_tried_again_and_says_why(
    api: Dialect, reply: Reply, kind: type[Exception], sentence: str
) -> None:
    error, bodies = put(api, reply)
    if api is OPENAI and kind is UsageError:  # with a schema, a 400 may be about the schema
        (error,), bodies = converse(reply)
    assert isinstance(error, kind)
    assert sentence in str(error)
    assert "\n" not in str(error)
    assert len(bodies) == 1
    assert kind is UsageError or error.usage.prompt == 100  # type: ignore[attr-defined]  what it cost all the same


@both
@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "127.0.0.1:8000", "http://[half"])
def test_an_address_where_nobody_answers_ends_the_command_at_once(api: Dialect, url: str) -> None:
    with pytest.raises(UsageError, match=rf"could not be reached.*{KEYS.format(api.variable)}$"):
        ask(api.client("m", base_url=f"{url}{api.path}", backoff=FAST))


@both
def test_the_environment_names_server_and_key_and_a_local_server_needs_none(
    api: Dialect, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serve_messages(api.well()) as server:
        monkeypatch.setenv(f"{api.variable}_BASE_URL", f"{server.url}{api.path}/")
        assert ask(api.client("local", backoff=FAST)).usage == Usage(100, 7, cost=None)
        monkeypatch.setenv(f"{api.variable}_API_KEY", "of the test")
        ask(api.client("local", backoff=FAST))
    with_key = ["of the test" in str(headers.values()) for headers in server.headers]
    assert with_key == [False, True]
    for name in ("BASE_URL", "API_KEY"):
        monkeypatch.delenv(f"{api.variable}_{name}")
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(UsageError, match=rf"^Model '\w+:{api.model}' needs a key: set {api.variable}_API_KEY"):
        api.client(api.model)


def test_usage_counts_the_cache_and_its_cost() -> None:
    answer, _ = put(CLAUDE, CLAUDE.well(prompt=1_000, written=2_000, cached=3_000, completion=400))
    assert answer.usage.cost == pytest.approx((1_000 * 4 + 2_000 * 5 + 3_000 * 0.2 + 400 * 20) / 1e6)
    assert (answer.usage.prompt, answer.usage.cached, answer.usage.completion) == (6_000, 3_000, 400)
    assert not answer.usage.estimated
    answer, _ = put(OPENAI, OPENAI.well(), price=Price.plain(1, 5))
    assert answer.usage.cost == pytest.approx((100 + 5 * 7) / 1e6)
    (reply,), _ = converse(completed(text("That is done."), prompt=None), price=Price.plain(1, 5))
    assert reply.usage == Usage(0, 0, cost=None)


def test_no_more_requests_are_under_way_than_allowed() -> None:
    open_up = threading.Event()

    async def ask_seven(model: AnthropicModel) -> list[Any]:
        asked = [asyncio.create_task(model.answer(a_request(key=f"k{number}"))) for number in range(7)]
        while len(api.bodies) < 3:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        open_up.set()
        return await asyncio.gather(*asked)

    with serve_messages(said(JSON, hold=open_up)) as api:
        answers = asyncio.run(ask_seven(CLAUDE.at(api, at_once=3)))
    assert [answer.content for answer in answers] == [GOOD] * 7
    assert api.most_at_once == 3


def test_a_real_model_cannot_be_asked_by_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of the test")
    model = AnthropicModel("claude-opus-5-5", base_url="https://api.anthropic.com/", backoff=FAST)
    with pytest.raises(pytest.fail.Exception, match="real model"):
        ask(model)


UNION = {"properties": {"step": {"anyOf": [{"type": "object", "required": ["call", "args"]}, {"type": "null"}]}}}
UNKNOWN = "$.tools[0]: Additional properties are not allowed ('naem' was unexpected); have: name, reads"


@pytest.mark.parametrize(
    ("content", "schema", "line"),
    [
        ({"title": "x"}, SCHEMA, "$: 'tools' is a required property"),
        (GOOD | {"tools": [{"name": "A"}]}, SCHEMA, "$.tools[0].name: 'A' does not match '^[a-z_]+$'"),
        (GOOD | {"tools": [{"name": "a", "naem": 1}]}, SCHEMA, UNKNOWN),
        ({"step": {"call": "f"}}, UNION, "$.step: 'args' is a required property"),
    ],
)
def test_a_complaint_says_where_what_is_there_and_what_is_wanted(content: Any, schema: Any, line: str) -> None:
    assert find_misfits(content, schema) == [line]


# What the servers of chat completions do differently


@pytest.mark.parametrize(
    ("message", "request_", "field"),
    [
        ("json_schema is not supported", None, "response_format"),
        ("property 'messages.1.assistant.reasoning_content' is unsupported", THOUGHTFUL, "'reasoning'"),
        ("Extra inputs are not permitted: messages[1].reasoning", THOUGHTFUL, "'reasoning'"),
        ("The reasoning_content is an intermediate result and must not be sent back.", THOUGHTFUL, "'reasoning'"),
    ],
)
def test_what_a_server_does_not_take_is_left_out_from_then_on(message: str, request_: Any, field: str) -> None:
    refusal = OPENAI.fails(400, message)
    if request_ is None:
        with serve_messages(refusal, OPENAI.well()) as api:
            model = OPENAI.at(api)
            assert [ask(model).content, ask(model).content] == [GOOD, GOOD]
        bodies = api.bodies
    else:
        replies, bodies = converse(refusal, OPENAI.well(), requests=[request_] * 2)
        assert [reply.stop for reply in replies] == ["end_turn"] * 2
    assert [field in str(body) for body in bodies] == [True, False, False]


def test_what_was_not_at_fault_is_sent_again() -> None:
    refusal, well = OPENAI.fails(400, "Unexpected token } in JSON"), OPENAI.well()
    replies, bodies = converse(well, refusal, refusal, well, requests=[HELLO, THOUGHTFUL, THOUGHTFUL])
    assert isinstance(replies[1], ModelFailed)
    assert "refused the request" in str(replies[1])
    assert "Unexpected token" in str(replies[1])
    assert ["reasoning" in str(body["messages"]) for body in bodies] == [False, True, False, True]


@pytest.mark.parametrize(
    "reply",
    [OPENAI.says(f"<think>{{hm}}</think>```json\n{JSON}\n```"), whole({"content": [{"type": "text", "text": JSON}]})],
    ids=["thoughts_and_a_fence_around_it", "in_parts"],
)
def test_an_answer_is_found_in_any_form(reply: Reply) -> None:
    answer, bodies = put(OPENAI, reply)
    assert (answer.content, len(bodies)) == (GOOD, 1)


def test_each_question_has_its_own_seed_the_same_in_every_run() -> None:
    requests = [a_request(), a_request(attempt=2), a_request(key="inn")]
    runs = [
        [put(OPENAI, OPENAI.well(), request=each, name="m,seed=5")[1][0]["seed"] for each in requests] for _ in "12"
    ]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3


@pytest.mark.parametrize("server", SERVERS)
def test_a_turn_is_read_alike_from_every_server(server: str) -> None:
    asked = {"due_on": "2026-03-15"}, {"member_id": "MEMBER-1"}
    blocks = text("One moment."), use("a", "fee", asked[0]), use("b", "loans", asked[1])
    (reply,), _ = converse(completed(*blocks, server=server))
    calls = [(block["name"], block["input"]) for block in reply.blocks if block["type"] == "tool_use"]
    assert (reply.text, calls) == ("One moment.", [("fee", asked[0]), ("loans", asked[1])])
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.estimated) == (100, 7, False)


DETAIL = {"type": "reasoning.text", "index": 0, "text": "The fee first."}


@pytest.mark.parametrize(
    ("server", "parts"),
    [
        ("vllm", {"reasoning_content": "The fee first."}),
        ("openrouter", {"reasoning": "The fee first.", "reasoning_details": [DETAIL]}),
    ],
)
def test_what_a_model_thought_goes_back_by_the_name_under_which_it_came(server: str, parts: dict[str, Any]) -> None:
    (reply,), _ = converse(completed(thought("The fee first."), text("Hm."), server=server))
    history = replace(HELLO, turns=[*HELLO.turns, {"role": "assistant", "content": reply.blocks}, *HELLO.turns])
    _, bodies = converse(OPENAI.well(), requests=[history])
    assert bodies[0]["messages"][1] == {"role": "assistant", "content": "Hm.", **parts}


OUTGROWN = {
    "openai": (400, {"error": {"message": "Too long.", "code": "context_length_exceeded"}}),
    "413_without_words": (413, {}),
    **{
        server: (400, {"error": {"message": message}})
        for server, message in {
            "vllm": "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
            "sglang": "The input (9000 tokens) is longer than the model's context length (4096 tokens).",
            "llama.cpp": "the request exceeds the available context size. try increasing the context size",
            "groq": "Please reduce the length of the messages or completion.",
            "gemini": "The input token count (9000) exceeds the maximum number of tokens allowed (4096).",
            "tgi": "`inputs` tokens + `max_new_tokens` must be <= 4096",
        }.items()
    },
}


@pytest.mark.parametrize("server", OUTGROWN)
def test_a_conversation_that_has_outgrown_its_model_is_told_from_a_wrong_setup(server: str) -> None:
    (_, reply), bodies = converse(OPENAI.well(), refusing(*OUTGROWN[server]), requests=[HELLO] * 2)
    assert (reply.stop, len(bodies)) == ("too_long", 2)
    (failed,), _ = converse(refusing(*OUTGROWN[server]))  # not even the first turn fits
    assert isinstance(failed, UsageError)


@pytest.mark.parametrize(
    "message", ["Unexpected token } in JSON", "tools[0].name: too long, maximum length 64", "Content-Length: 0"]
)
def test_another_refusal_is_not_said_to_be_about_the_length(message: str) -> None:
    (_, failed), _ = converse(OPENAI.well(), OPENAI.fails(400, message), requests=[HELLO] * 2)
    assert isinstance(failed, ModelFailed)
    assert message in str(failed)


PEG = "The model produced output that does not match the expected peg-native format"


@pytest.mark.parametrize(
    "failure",
    [
        refusing(500, {"error": {"code": 500, "message": PEG}}),
        whole({"content": ""}, error={"message": PEG}),
        refusing(400, {"error": {"message": "Failed to call a function.", "code": "tool_use_failed"}}),
    ],
    ids=["llama.cpp", "in_body", "groq"],
)
def test_what_the_servers_own_parser_cannot_read_is_the_models_reply(failure: Reply) -> None:
    (reply,), bodies = converse(failure)
    assert isinstance(reply, ChatReply)
    assert (reply.stop, len(bodies)) == ("unreadable", 1)
