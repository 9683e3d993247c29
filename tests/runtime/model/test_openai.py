"""Asking chat completions for answers over a real socket: how an answer is held to its schema, and what is drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.errors import ModelFailed, UsageError
from runtime.model.backoff import Backoff
from runtime.model.model import Request, Turn
from runtime.model.openai import OpenAIModel
from runtime.model.prices import Price
from tests.runtime.model.asking import GOOD, SCHEMA, a_request, ask
from tests.runtime.model.completions_api import completed, refusing, whole
from tests.runtime.model.messages_api import MessagesApi, Reply, serve_messages, text

FAST = Backoff(tries=3, first=0.001, most=0.002)
WELL = completed(text(json.dumps(GOOD)))
CLOSED = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}


def a_model(api: MessagesApi, name: str = "qwen", **options: Any) -> OpenAIModel:
    return OpenAIModel(name, base_url=f"{api.url}/v1", **({"backoff": FAST} | options))


def put(*replies: Reply, request: Request | None = None, **options: Any) -> tuple[Any, MessagesApi]:
    """The answer to a request, or the error, and what the server was sent."""
    with serve_messages(*replies) as api:
        try:
            return ask(a_model(api, **options), request), api
        except (ModelFailed, UsageError) as error:
            return error, api


def test_the_answer_is_the_object_that_was_streamed_and_its_schema_is_in_the_prompt_too() -> None:
    answer, api = put(WELL, price=Price.plain(1, 5))
    assert (answer.content, answer.model) == (GOOD, "openai:qwen")
    assert answer.usage.cost == pytest.approx((100 + 5 * 7) / 1e6)
    body = api.bodies[0]
    assert [message["role"] for message in body["messages"]] == ["user"]
    prompt = body["messages"][0]["content"]
    assert prompt.startswith("All about hotels.\n\nName the tools.\n\n")
    assert prompt.endswith(json.dumps(SCHEMA))
    assert "max_tokens" not in body
    assert "tools" not in body
    form = body["response_format"]
    assert (form["type"], form["json_schema"]["schema"]) == ("json_schema", SCHEMA)
    assert form["json_schema"]["strict"] is False, "one of its objects is open, which OpenAI would refuse"


def test_a_closed_schema_is_held_strictly() -> None:
    _, api = put(completed(text('{"title": "A"}')), request=a_request(schema=CLOSED))
    assert api.bodies[0]["response_format"]["json_schema"]["strict"] is True


def test_a_schema_that_the_server_refuses_is_in_the_prompt_alone_from_then_on() -> None:
    refusal = refusing(400, {"error": {"message": "response_format type is not supported"}})
    with serve_messages(refusal, WELL) as api:
        model = a_model(api)
        assert ask(model).content == GOOD
        assert ask(model).content == GOOD
    assert ["response_format" in body for body in api.bodies] == [True, False, False]
    assert len({body["messages"][0]["content"] for body in api.bodies}) == 1


@pytest.mark.parametrize(
    "reply",
    [
        completed(text(f"<think>{{hm}}</think>```json\n{json.dumps(GOOD)}\n```")),
        whole({"content": json.dumps(GOOD), "reasoning_content": "{hm}"}),
        whole({"content": [{"type": "text", "text": json.dumps(GOOD)}]}),
    ],
    ids=["thoughts_and_a_fence_around_it", "not_streamed", "in_parts"],
)
def test_what_is_around_an_answer_is_passed_over(reply: Reply) -> None:
    answer, api = put(reply)
    assert answer.content == GOOD
    assert len(api.bodies) == 1


def test_an_answer_that_does_not_fit_is_asked_for_again_where_a_server_ignores_the_schema() -> None:
    answer, api = put(completed(text('{"title": 5}')), WELL)
    assert (answer.content, answer.usage.prompt) == (GOOD, 200)
    assert "$.title is 5, not of type" in api.bodies[1]["messages"][-1]["content"]


def test_earlier_attempts_are_turns_of_the_conversation() -> None:
    _, api = put(WELL, request=a_request(earlier=(Turn({"title": "A"}, ("too few",)),), attempt=2))
    assert [message["role"] for message in api.bodies[0]["messages"]] == ["user", "assistant", "user"]
    assert "- too few" in api.bodies[0]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (completed(text("I will"), stop="content_filter"), "refused to answer: it gave no reason"),
        (whole({"content": None, "refusal": "I can't help."}), "refused to answer: I can't help"),
        (completed(text('{"ti'), stop="length"), "had no room left"),
    ],
)
def test_a_reply_that_is_no_answer_fails_with_its_reason(reply: Reply, sentence: str) -> None:
    failed, api = put(reply)
    assert isinstance(failed, ModelFailed)
    assert sentence in str(failed)
    assert len(api.bodies) == 1


def test_questions_draw_their_own_seeds_the_same_in_every_run() -> None:
    requests = [a_request(), a_request(attempt=2), a_request(key="inn")]
    runs = [[put(WELL, request=each, name="m,seed=5")[1].bodies[0]["seed"] for each in requests] for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3
