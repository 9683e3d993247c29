"""The agents `anthropic:MODEL` and `openai:MODEL` over real HTTP: what a model is shown, and what its turns become."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.agents.models import JOINED, ChattingKind
from runtime.harness.conversation import UserReply, system_message
from runtime.harness.episode import GREETING
from runtime.harness.record import EpisodeRecord
from runtime.harness.users.scripted import NoUser
from runtime.model.anthropic import AnthropicModel
from runtime.model.ask import Backoff
from runtime.model.chat_completions import ChatCompletionsModel
from runtime.session.world import World
from runtime.task.task import Task
from tests.runtime.harness.acting import Saying, play_one, told
from tests.runtime.model.completions_api import completed, refusing
from tests.runtime.model.messages_api import MessagesApi, Reply, cut_short, refused, serve_messages, text, turned, use

FAST = Backoff(tries=3, first=0.001, most=0.002)
DUE = {"due_on": "2026-03-15", "returned_on": "2026-03-16"}
FEE = use("c1", "calculate_late_fee", DUE)
GONE = use("c2", "list_loans", {"member_id": "MEMBER-9999"})
DONE = turned(text("That is done."))
WELL = completed(text("That is done."))
NAME = "anthropic:claude-opus-5-5"
EPHEMERAL = {"type": "ephemeral"}


def anthropic(api: MessagesApi) -> ChattingKind:
    return ChattingKind(AnthropicModel("claude-opus-5-5", base_url=api.url, backoff=FAST))


def completions(api: MessagesApi) -> ChattingKind:
    return ChattingKind(ChatCompletionsModel("qwen3:8b", base_url=f"{api.url}/v1", backoff=FAST))


@pytest.fixture
def play(library: Domain, world: World, task: Task) -> Any:
    """Play an episode against these replies; the user says one thing and thanks."""

    def play(*replies: Reply, agent: Any = anthropic) -> tuple[EpisodeRecord, Any]:
        with serve_messages(*replies) as api:
            user = Saying(UserReply("What is due?"), UserReply("Thank you."))
            return play_one(library, world, agent(api), task, user=user), api

    return play


def calls_of(record: EpisodeRecord) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for message in record.messages for call in message.calls]


def test_the_messages_api_is_sent_system_message_greeting_and_user_marked_for_the_cache(
    play: Any, library: Domain
) -> None:
    _, api = play(turned(FEE), turned({**FEE, "id": "c2"}), DONE)
    body = api.bodies[0]
    assert body["system"] == [{"type": "text", "text": system_message(library, True), "cache_control": EPHEMERAL}]
    assert [(turn["role"], turn["content"][0]["text"]) for turn in body["messages"]] == [
        ("user", JOINED),
        ("assistant", GREETING),
        ("user", "What is due?"),
    ]
    marked = [
        [place for place, turn in enumerate(body["messages"]) if "cache_control" in turn["content"][-1]]
        for body in api.bodies
    ]
    assert marked == [[0, 2], [2, 4], [4, 6], [6, 8]]
    *others, last = ["cache_control" in tool for tool in api.bodies[-1]["tools"]]
    assert (set(others), last) == ({False}, True)


def test_chat_completions_are_sent_the_same_in_their_own_form(play: Any, library: Domain) -> None:
    _, api = play(completed(text("One moment."), FEE, GONE), WELL, agent=completions)
    first, second = api.bodies[0], api.bodies[1]
    assert first["messages"] == [
        {"role": "system", "content": system_message(library, True)},
        {"role": "user", "content": JOINED},
        {"role": "assistant", "content": GREETING},
        {"role": "user", "content": "What is due?"},
    ]
    assert {tool["type"] for tool in first["tools"]} == {"function"}
    assert {"name", "description", "parameters"} == first["tools"][0]["function"].keys()
    made, fee, gone = second["messages"][-3:]
    assert made["content"] == "One moment."
    assert [call["id"] for call in made["tool_calls"]] == ["c1", "c2"]
    assert json.loads(made["tool_calls"][0]["function"]["arguments"]) == DUE
    assert fee == {"role": "tool", "tool_call_id": "c1", "content": '{"days_late":1,"fee_cents":25}'}
    assert (gone["tool_call_id"], gone["content"][:11]) == ("c2", "NOT_FOUND: ")


def test_parallel_calls_are_one_turn_and_a_rejection_is_an_error(play: Any) -> None:
    record, api = play(turned(text("One moment."), FEE, GONE), DONE)
    fee, gone = api.bodies[1]["messages"][-1]["content"]
    assert (fee["is_error"], fee["content"]) == (False, '{"days_late":1,"fee_cents":25}')
    assert (gone["is_error"], gone["content"][:11]) == (True, "NOT_FOUND: ")
    assert told(record) == ["One moment.", "That is done.", "That is done."]


def test_what_the_model_thought_is_sent_back_as_it_came(play: Any) -> None:
    thought = {"type": "thinking", "thinking": "The fee first.", "signature": "c2lnbmVk"}
    strange = {"type": "a_later_kind", "payload": {"rows": [1, 2]}}
    record, api = play(turned(thought, strange, text("<think>Late?</think>One moment."), FEE), DONE)
    sent = [thought, strange, text("<think>Late?</think>One moment."), FEE]
    assert [body["messages"][3]["content"] for body in api.bodies[1:]] == [sent, sent]
    assert told(record)[0] == "One moment."


def test_a_turn_that_is_cut_is_used_without_its_last_call(play: Any) -> None:
    record, api = play(turned(text("One moment."), FEE, {**GONE, "input": '{"member'}, stop="max_tokens"), DONE)
    assert calls_of(record) == [("calculate_late_fee", DUE)]
    assert api.bodies[1]["messages"][3]["content"] == [text("One moment."), FEE]
    half = completed(text("One moment."), use("c1", "list_loans", '{"member_id": "MEM'), stop="length")
    record, _ = play(half, WELL, agent=completions)
    assert (record.calls, told(record)[0]) == (0, "One moment.")
    assert record.why == f"openai:qwen3:8b {CUT}"


CUT = "was cut off at a limit of tokens: its option max_tokens, the server's own default, or its context."


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (turned({**FEE, "input": '{"due'}, stop="max_tokens"), CUT),
        (turned(stop="model_context_window_exceeded"), "was cut off: the conversation fills its context."),
        (turned(text("I will"), stop="refusal", details={"explanation": "Not this"}), "refused: Not this."),
        (turned(), "said nothing."),
    ],
)
def test_a_model_that_says_nothing_usable_gives_up_and_is_paid_for(play: Any, reply: Reply, why: str) -> None:
    record, api = play(reply)
    assert (record.end, told(record)) == ("gave_up", [])
    assert record.why == f"{NAME} {why}"
    assert (len(api.bodies), record.tokens["prompt"], record.tokens["completion"]) == (1, 100, 7)


@pytest.mark.parametrize(
    ("agent", "first", "refusal"),
    [
        (anthropic, turned(FEE), refused(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000")),
        (completions, completed(FEE), refusing(400, {"error": {"message": "Range of input length should be [1, 9]"}})),
    ],
)
def test_a_conversation_that_outgrows_the_model_is_its_own_to_lose(
    play: Any, agent: Any, first: Reply, refusal: Reply
) -> None:
    record, _ = play(first, refusal, agent=agent)
    assert record.end == "gave_up"
    assert record.why.startswith("The conversation has outgrown ")
    with pytest.raises(UsageError, match="cannot be used"):
        play(refusal, agent=agent)


def test_an_episode_whose_model_fails_is_void_and_what_it_took_is_counted(
    library: Domain, world: World, task: Task
) -> None:
    bad = refused(400, "invalid_request_error", "Your credit balance is too low.")
    for failure, why in ((bad, "refused the request: Your credit"), (Reply(page="<html>"), "does not speak this API")):
        with serve_messages(turned(FEE), cut_short(turned(text("Let me see."), prompt=40), 3), failure) as api:
            record = play_one(library, world, anthropic(api), task, user=NoUser())
        assert (record.end, record.reward, record.fault) == ("void", None, "agent")
        assert record.reason == "the agent's model failed"
        assert why in record.why
        assert record.tokens["prompt"] == 100
