"""Chat completions over a real socket, in the shapes of many servers: what is sent, read, retried and refused."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from runtime.errors import ModelFailed, UsageError
from runtime.model.ask import Backoff
from runtime.model.chat_completions import ChatCompletionsModel
from runtime.model.model import ChatReply, ChatRequest, Price, Usage
from tests.runtime.model.asking import GOOD, SCHEMA, a_request, ask
from tests.runtime.model.completions_api import SERVERS, completed, refusing, thought, whole
from tests.runtime.model.messages_api import MessagesApi, Reply, serve_messages, text, use

REASONING = {"type": "reasoning", "name": "reasoning", "value": "The fee first."}
FAST = Backoff(tries=3, first=0.001, most=0.002)
WELL = completed(text(json.dumps(GOOD)))
HELLO = ChatRequest("here", [{"role": "user", "content": "Hello."}])
DUE = {"due_on": "2026-03-15"}
LOANS = {"member_id": "MEMBER-1"}


def a_model(api: MessagesApi, name: str = "qwen", **options: Any) -> ChatCompletionsModel:
    return ChatCompletionsModel(name, base_url=f"{api.url}/v1", **({"backoff": FAST} | options))


def put(*replies: Reply, request: Any = None, **options: Any) -> tuple[Any, MessagesApi]:
    """The answer to a request, or the error, and what the server was sent."""
    with serve_messages(*replies) as api:
        try:
            return ask(a_model(api, **options), request), api
        except (ModelFailed, UsageError) as error:
            return error, api


def converse(*replies: Reply, turns: int = 1, request: ChatRequest = HELLO, **options: Any) -> tuple[Any, MessagesApi]:
    """The last of some replies to the same conversation, or the error that ended it, and what the server was sent."""

    async def reply_often(model: ChatCompletionsModel) -> ChatReply:
        for _ in range(turns - 1):
            await model.reply(request)
        return await model.reply(request)

    with serve_messages(*replies) as api:
        try:
            return asyncio.run(reply_often(a_model(api, **options))), api
        except (ModelFailed, UsageError) as error:
            return error, api


def test_an_answer_is_priced_and_asked_for_with_its_schema() -> None:
    answer, api = put(WELL, price=Price.plain(1, 5))
    assert (answer.content, answer.model) == (GOOD, "openai:qwen")
    assert answer.usage.cost == pytest.approx((100 + 5 * 7) / 1e6)
    body = api.bodies[0]
    assert (body["path"], body["model"]) == ("/v1/chat/completions", "qwen")
    (message,) = body["messages"]
    assert message["content"].startswith("All about hotels.\n\nName the tools.\n\n")
    assert message["content"].endswith(json.dumps(SCHEMA))
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert not body.keys() & {"max_tokens", "temperature", "seed", "tools"}


def test_a_schema_that_the_server_refuses_is_only_in_the_prompt_from_then_on() -> None:
    refusal = refusing(400, {"error": {"message": "json_schema is not supported"}})
    with serve_messages(refusal, WELL) as api:
        model = a_model(api)
        assert [ask(model).content, ask(model).content] == [GOOD, GOOD]
    assert ["response_format" in body for body in api.bodies] == [True, False, False]


@pytest.mark.parametrize(
    "said",
    [
        "property 'messages.1.assistant.reasoning_content' is unsupported",
        "Extra inputs are not permitted: messages[1].reasoning",
        "The reasoning_content is an intermediate result and must not be sent back.",
    ],
)
def test_thoughts_that_the_server_does_not_take_back_are_left_out_from_then_on(said: str) -> None:
    turns = [*HELLO.turns, {"role": "assistant", "content": [REASONING, text("Hm.")]}, *HELLO.turns]
    request = replace(HELLO, turns=turns)
    reply, api = converse(refusing(400, {"error": {"message": said}}), WELL, request=request, turns=2)
    assert reply.stop == "end_turn"
    assert ["reasoning" in body["messages"][1] for body in api.bodies] == [True, False, False]


def test_what_was_not_at_fault_is_sent_again() -> None:
    turns = [*HELLO.turns, {"role": "assistant", "content": [REASONING, text("Hm.")]}, *HELLO.turns]
    refusal = refusing(400, {"error": {"message": "Unexpected token } in JSON"}})

    async def reply_twice(model: ChatCompletionsModel) -> None:
        await model.reply(HELLO)
        with pytest.raises(ModelFailed, match="refused the request.*Unexpected token"):
            await model.reply(replace(HELLO, turns=turns))
        await model.reply(replace(HELLO, turns=turns))

    with serve_messages(WELL, refusal, refusal, WELL) as api:
        asyncio.run(reply_twice(a_model(api)))
    assert ["reasoning" in str(body["messages"]) for body in api.bodies] == [False, True, False, True]


@pytest.mark.parametrize(
    "reply",
    [
        completed(text(f"<think>{{hm}}</think>```json\n{json.dumps(GOOD)}\n```")),
        whole({"content": [{"type": "text", "text": json.dumps(GOOD)}]}),
    ],
    ids=["thoughts_and_a_fence_around_it", "in_parts"],
)
def test_an_answer_is_found_in_any_form(reply: Reply) -> None:
    answer, api = put(reply)
    assert answer.content == GOOD
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (completed(text("I will"), stop="content_filter"), "refused to answer: it gave no reason"),
        (whole({"content": None, "refusal": "I can't help."}), "refused to answer: I can't help"),
        (
            completed(text('{"ti'), stop="length"),
            "was cut off at a limit of tokens: its option max_tokens, ",
        ),
    ],
)
def test_a_reply_that_is_no_answer_fails_with_its_reason(reply: Reply, sentence: str) -> None:
    failed, api = put(reply)
    assert isinstance(failed, ModelFailed)
    assert sentence in str(failed)
    assert len(api.bodies) == 1


def test_each_question_has_its_own_seed_the_same_in_every_run() -> None:
    requests = [a_request(), a_request(attempt=2), a_request(key="inn")]
    runs = [[put(WELL, request=each, name="m,seed=5")[1].bodies[0]["seed"] for each in requests] for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3


@pytest.mark.parametrize("server", SERVERS)
def test_a_turn_is_read_alike_from_every_server(server: str) -> None:
    reply, _ = converse(completed(text("One moment."), use("a", "fee", DUE), use("b", "loans", LOANS), server=server))
    assert reply.text == "One moment."
    assert _calls(reply) == [("fee", DUE), ("loans", LOANS)]
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.estimated) == (100, 7, False)


def _calls(reply: ChatReply) -> list[tuple[str, Any]]:
    return [(block["name"], block["input"]) for block in reply.blocks if block["type"] == "tool_use"]


THOUGHT = {"type": "reasoning.text", "index": 0, "text": "The fee first."}


@pytest.mark.parametrize(
    ("server", "parts"),
    [
        ("vllm", {"reasoning_content": "The fee first."}),
        ("openrouter", {"reasoning": "The fee first.", "reasoning_details": [THOUGHT]}),
    ],
)
def test_what_a_model_thought_goes_back_by_the_name_under_which_it_came(server: str, parts: dict[str, Any]) -> None:
    reply, _ = converse(completed(thought("The fee first."), text("Hm."), server=server))
    history = ChatRequest("here", [*HELLO.turns, {"role": "assistant", "content": reply.blocks}, *HELLO.turns])
    _, api = converse(WELL, request=history)
    assert api.bodies[0]["messages"][1] == {"role": "assistant", "content": "Hm.", **parts}


def test_options_are_sent() -> None:
    _, api = converse(WELL, name="o9,max_tokens=900,temperature=0.5,effort=low,thinking=off")
    last = api.bodies[-1]
    assert (last["max_tokens"], last["temperature"], last["reasoning_effort"]) == (900, 0.5, "low")
    assert last["chat_template_kwargs"] == {"enable_thinking": False}


IN_BODY = {"error": {"code": 502, "message": "Provider returned error"}}


@pytest.mark.parametrize(
    "failure",
    [
        *(pytest.param(refusing(status, {"error": {"message": "no"}}), id=str(status)) for status in (408, 429, 503)),
        pytest.param(Reply(page=json.dumps(IN_BODY), headers={"content-type": "application/json"}), id="in_body"),
        pytest.param(whole({"content": "Let"}, "error"), id="ended_early"),
        pytest.param(replace(WELL, cut=True), id="broken_off"),
    ],
)
def test_what_may_pass_is_tried_again(failure: Reply) -> None:
    answer, api = put(failure, WELL)
    assert answer.content == GOOD
    assert len(api.bodies) == 2


def outgrown(message: str) -> tuple[int, Any]:
    return 400, {"error": {"message": message}}


OUTGROWN = {
    "openai": (400, {"error": {"message": "Too long.", "code": "context_length_exceeded"}}),
    "vllm": outgrown("The decoder prompt (length 9000) is longer than the maximum model length of 4096."),
    "sglang": outgrown("The input (9000 tokens) is longer than the model's context length (4096 tokens)."),
    "llama.cpp": outgrown("the request exceeds the available context size. try increasing the context size"),
    "groq": outgrown("Please reduce the length of the messages or completion."),
    "gemini": outgrown("The input token count (9000) exceeds the maximum number of tokens allowed (4096)."),
    "tgi": outgrown("`inputs` tokens + `max_new_tokens` must be <= 4096"),
    "413_without_words": (413, {}),
}


@pytest.mark.parametrize("server", OUTGROWN)
def test_a_conversation_that_has_outgrown_its_model_is_told_from_a_wrong_setup(server: str) -> None:
    reply, api = converse(WELL, refusing(*OUTGROWN[server]), turns=2)
    assert (reply.stop, len(api.bodies)) == ("too_long", 2)
    failed, _ = converse(refusing(*OUTGROWN[server]))  # not even the first turn fits
    assert isinstance(failed, UsageError)


@pytest.mark.parametrize(
    "said",
    ["Unexpected token } in JSON", "tools[0].name: too long, maximum length 64", "Content-Length: 0"],
)
def test_another_refusal_is_not_said_to_be_about_the_length(said: str) -> None:
    failed, _ = converse(WELL, refusing(*outgrown(said)), turns=2)
    assert isinstance(failed, ModelFailed)
    assert said in str(failed)


def test_what_the_servers_own_parser_cannot_read_is_the_models_reply() -> None:
    said = "The model produced output that does not match the expected peg-native format"
    groq = refusing(400, {"error": {"message": "Failed to call a function.", "code": "tool_use_failed"}})
    for failure in (
        refusing(500, {"error": {"code": 500, "message": said}}),
        whole({"content": ""}, error={"message": said}),
        groq,
    ):
        reply, api = converse(failure)
        assert (reply.stop, len(api.bodies)) == ("unreadable", 1)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (
            refusing(401, {"error": {"message": "Incorrect API key"}}),
            'Incorrect API key"}; check OPENAI_BASE_URL and OPENAI_API_KEY.',
        ),
        (refusing(429, {"error": {"message": "Quota", "code": "insufficient_quota"}}), "insufficient_quota"),
        (
            refusing(404, {"error": {"message": "The model `x` does not exist."}}),
            "The model `x` does not exist",
        ),
        (refusing(400, {"message": '"auto" tool choice requires --tool-call-parser'}), "--tool-call-parser"),
        (Reply(page="<html>Welcome</html>"), "does not speak this API: it sent"),
    ],
    ids=range(5),
)
def test_what_can_never_work_ends_the_command_at_once_in_one_sentence(reply: Reply, sentence: str) -> None:
    error, api = converse(reply)
    assert isinstance(error, UsageError)
    assert sentence in str(error)
    assert "\n" not in str(error)
    assert len(api.bodies) == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "127.0.0.1:8000/v1", "http://[half/v1"])
def test_an_address_where_nobody_answers_ends_the_command_at_once(url: str) -> None:
    with pytest.raises(UsageError, match=r"could not be reached.*; check OPENAI_BASE_URL and OPENAI_API_KEY\.$"):
        asyncio.run(ChatCompletionsModel("m", base_url=url).reply(HELLO))


def test_the_environment_names_server_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_messages(WELL) as api:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{api.url}/v1/")
        ask(ChatCompletionsModel("m"))
        monkeypatch.setenv("OPENAI_API_KEY", "of the test")
        ask(ChatCompletionsModel("m"))
    assert [headers.get("authorization") for headers in api.headers] == [None, "Bearer of the test"]
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match="'openai:gpt-9' needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL"):
        ChatCompletionsModel("gpt-9")


def test_what_a_server_does_not_count_has_no_known_cost() -> None:
    reply, _ = converse(completed(text("That is done."), prompt=None), price=Price.plain(1, 5))
    assert reply.usage == Usage(0, 0, cost=None)
