"""The agent `openai:MODEL` against chat completions on a real socket, in the shapes of six servers."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Sequence
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import ModelFailed, UsageError
from runtime.harness.agents.chatting import JOINED
from runtime.harness.agents.openai import OpenAIAgent
from runtime.harness.episode import GREETING
from runtime.harness.play import Setting
from runtime.harness.play import play as run_episode
from runtime.harness.user import UserReply
from runtime.harness.users.none import NoUser
from runtime.model.backoff import Backoff
from runtime.model.prices import Price
from runtime.session.world import World
from runtime.task.task import Task
from runtime.task.task_file import find_task
from tests.runtime.harness.completions_api import serve_completions
from tests.runtime.harness.driving import SYSTEM, THANKS, Driven, drive
from tests.runtime.harness.messages_api import COMPLETION, PROMPT
from tests.runtime.model.completions_api import (
    SERVERS,
    completed,
    delta_of,
    ending,
    refusing,
    streamed,
    thought,
    whole,
)
from tests.runtime.model.messages_api import MessagesApi, Reply, serve_messages, text, use

FAST = Backoff(tries=3, first=0.001, most=0.002)
DUE = {"due_on": "2026-03-15", "returned_on": "2026-03-16"}
FEE = use("c1", "calculate_late_fee", DUE)
GONE = use("c2", "list_loans", {"member_id": "MEMBER-9999"})
DONE = completed(text("That is done."))
NAME = "openai:qwen3:8b"


@pytest.fixture
def task(library: Domain) -> Task:
    """A new card and a place in a queue: two wishes, two independent first calls."""
    return find_task(library, "card-and-queue")


def agent(api: MessagesApi, model: str = "qwen3:8b", **options: Any) -> OpenAIAgent:
    return OpenAIAgent(model, base_url=f"{api.url}/v1", **({"backoff": FAST} | options))


@pytest.fixture
def play(library: Domain, world: World, task: Task) -> Any:
    """Play an episode against these replies; the user says one thing and thanks."""

    def play_one(*replies: Reply, said: Sequence[UserReply] | None = None, **options: Any) -> tuple[Driven, Any]:
        with serve_messages(*replies) as api:
            words = (UserReply("What is due?"), THANKS) if said is None else said
            driven = asyncio.run(drive(agent(api, **options), library, task, world, words))
        return driven, api

    return play_one


def calls_of(driven: Driven) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for message in driven.episode.messages for call in message.calls]


@pytest.mark.parametrize("server", SERVERS)
def test_a_whole_conversation_is_rewarded_and_counted_whichever_server_it_is(
    library: Domain, world: World, task: Task, server: str
) -> None:
    said = [*map(UserReply, task.user.words), THANKS]
    with serve_completions(task, server=server) as api:
        driven = asyncio.run(drive(agent(api, price=Price.plain(1, 5)), library, task, world, said))
    assert (driven.reward, driven.episode.ended) == (1, "done")
    turns = len(api.bodies)
    assert driven.episode.turns == turns
    assert (driven.usage.prompt, driven.usage.completion) == (PROMPT * turns, COMPLETION * turns)
    assert driven.usage.cost == pytest.approx(turns * (PROMPT * 1 + COMPLETION * 5) / 1e6)
    assert not driven.usage.estimated


def test_a_conversation_is_sent_as_chat_completions_have_it(play: Any) -> None:
    _, api = play(completed(text("One moment."), FEE, GONE), DONE)
    first, second = api.bodies[0], api.bodies[1]
    assert first["path"] == "/v1/chat/completions"
    assert (first["model"], first["stream"]) == ("qwen3:8b", True)
    assert first["stream_options"] == {"include_usage": True}
    assert not first.keys() & {"max_tokens", "temperature", "seed", "tool_choice", "parallel_tool_calls"}
    assert first["messages"] == [
        {"role": "system", "content": SYSTEM},
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


def fee(written: Any, **parts: Any) -> dict[str, Any]:
    return {"function": {"name": "calculate_late_fee", "arguments": written}, **parts}


def loans(written: Any, **parts: Any) -> dict[str, Any]:
    return {"function": {"name": "list_loans", "arguments": written}, **parts}


MEMBER = {"member_id": "MEMBER-9999"}
BOTH = [("calculate_late_fee", DUE), ("list_loans", MEMBER)]
ASKED, WRITTEN = json.dumps(DUE), json.dumps(MEMBER)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(
            streamed(delta_of(fee(ASKED, index=0, id="a"), loans(WRITTEN, index=0, id="b")), ending("stop")),
            id="all_of_index_0_in_one_chunk_and_the_end_is_stop",
        ),
        pytest.param(
            streamed(
                delta_of(fee(ASKED, index=0, id="a")), delta_of(loans(WRITTEN, index=0, id="b")), ending("tool_calls")
            ),
            id="all_of_index_0_one_after_another",
        ),
        pytest.param(
            streamed(delta_of(fee(DUE, index=0)), delta_of(loans(MEMBER, index=0)), ending("tool_calls")),
            id="objects_without_ids",
        ),
        pytest.param(
            streamed(delta_of(fee(ASKED)), delta_of(loans(WRITTEN)), ending("tool_calls")), id="neither_index_nor_id"
        ),
        pytest.param(
            streamed(
                delta_of(fee(ASKED[:9], index=0, id="a")),
                delta_of(fee(ASKED[9:], index=0, id="a")),
                delta_of(loans("", index=1, id="b")),
                delta_of({"index": 1, "id": "", "function": {"name": "", "arguments": WRITTEN}}),
                ending("tool_calls"),
            ),
            id="name_and_id_in_every_piece_or_empty",
        ),
        pytest.param(
            whole({"content": None, "tool_calls": [fee(ASKED, id="a"), loans(WRITTEN, id="a")]}, "tool_calls"),
            id="not_streamed_and_one_id_for_both",
        ),
    ],
)
def test_calls_made_at_once_are_told_apart_however_they_come(play: Any, reply: Reply) -> None:
    driven, api = play(reply, DONE)
    assert calls_of(driven) == BOTH
    made, *answers = api.bodies[1]["messages"][-3:]
    ids = [call["id"] for call in made["tool_calls"]]
    assert [answer["tool_call_id"] for answer in answers] == ids
    assert len(set(ids)) == 2
    assert all(ids)


def test_two_calls_of_one_tool_are_two(play: Any) -> None:
    driven, _ = play(streamed(delta_of(fee(DUE)), delta_of(fee(DUE)), ending("stop")), DONE)
    assert calls_of(driven) == [BOTH[0]] * 2


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        pytest.param('{"due_on": ', '{"due_on": ', id="broken"),
        pytest.param('["2026-03-15"]', ["2026-03-15"], id="a_list"),
        pytest.param('{"due_on": NaN}', '{"due_on": NaN}', id="not_a_number"),
    ],
)
def test_arguments_that_no_server_would_take_back_are_put_right_in_the_history(
    play: Any, written: str, sent: Any
) -> None:
    driven, api = play(completed(use("c1", "calculate_late_fee", written)), DONE)
    call, answer = api.bodies[1]["messages"][-2:]
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"value": sent}
    assert answer["content"].startswith("INVALID_ARGUMENT: ")
    assert driven.episode.ended == "done"


@pytest.mark.parametrize(
    ("server", "parts"),
    [
        ("sglang", {"reasoning_content": "The fee first."}),
        ("llama.cpp", {"reasoning_content": "The fee first."}),
        ("vllm", {"reasoning": "The fee first."}),
        (
            "openrouter",
            {
                "reasoning": "The fee first.",
                "reasoning_details": [
                    {"type": "reasoning.text", "index": 0, "format": "unknown", "text": "The fee first."}
                ],
            },
        ),
    ],
)
def test_what_the_model_thought_goes_back_by_the_name_under_which_it_came(
    play: Any, server: str, parts: dict[str, Any]
) -> None:
    driven, api = play(completed(thought("The fee first."), FEE, server=server), DONE)
    sent = api.bodies[1]["messages"][-2]
    assert {name: sent[name] for name in parts} == parts
    assert "The fee first." not in "\n".join(driven.episode.told)


def test_a_server_that_refuses_its_own_thoughts_is_not_sent_them_again(play: Any) -> None:
    refusal = refusing(400, {"error": {"message": "messages.3.reasoning_content: extra inputs are not permitted"}})
    driven, api = play(completed(thought("Hm."), FEE, server="sglang"), refusal, DONE)
    assert driven.episode.ended == "done"
    assert ["reasoning_content" in str(body["messages"]) for body in api.bodies] == [False, True, False, False]


def test_what_a_server_does_not_take_and_can_do_without_is_left_out(play: Any) -> None:
    first = refusing(400, {"object": "error", "message": "stream_options: unknown field", "code": 400})
    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    second = refusing(400, {"error": {"message": said, "type": "invalid_request_error", "param": "max_tokens"}})
    _, api = play(first, second, DONE, model="o9,max_tokens=900,temperature=0.5,effort=low,thinking=off")
    last = api.bodies[-1]
    assert "stream_options" not in last
    assert "max_tokens" not in last
    assert (last["max_completion_tokens"], last["temperature"], last["reasoning_effort"]) == (900, 0.5, "low")
    assert last["chat_template_kwargs"] == {"enable_thinking": False}


def test_an_unset_number_of_tokens_is_the_servers_and_a_given_one_is_kept(play: Any) -> None:
    cut = completed(text("One moment."), use("c1", "list_loans", '{"member_id": "MEM'), stop="length")
    driven, api = play(cut, DONE)
    assert (driven.episode.calls_made, driven.episode.told[0]) == (0, "One moment.")
    assert len(api.bodies) == 2, "as there is no more room, it is not asked for again"
    driven, _ = play(completed(stop="length"), model="m,max_tokens=7")
    assert driven.episode.why == "openai:m,max_tokens=7 was cut off at 7 tokens."


def test_half_a_call_is_not_made_although_the_server_calls_it_whole(play: Any) -> None:
    cut = completed(text("One moment."), use("c1", "list_loans", '{"member_id": "MEM'), completion=20)
    driven, _ = play(cut, DONE, model="m,max_tokens=20")
    assert driven.episode.calls_made == 0
    assert driven.episode.ended == "done"


def test_every_episode_and_turn_draws_its_own_seed_the_same_in_every_run(play: Any) -> None:
    seeds = [[body["seed"] for body in play(DONE, model=f"m,seed={seed}")[1].bodies] for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert len({*seeds[0], *seeds[2]}) == 4


IN_BODY = {"error": {"code": 502, "message": "Provider returned error"}}
IN_STREAM = {"id": "1", "error": {"code": 429, "message": "Rate limited"}, "choices": [ending("error")["choices"][0]]}


@pytest.mark.parametrize(
    "failure",
    [
        *(pytest.param(refusing(status, {"error": {"message": "no"}}), id=str(status)) for status in (408, 409, 429)),
        pytest.param(refusing(503, {"detail": "loading"}), id="503"),
        pytest.param(Reply(page=json.dumps(IN_BODY), headers={"content-type": "application/json"}), id="in_body"),
        pytest.param(streamed(delta_of(content="Let"), IN_STREAM, server="openrouter"), id="in_stream"),
        pytest.param(streamed(delta_of(content="Let"), {"object": "error", "message": "x", "code": 500}), id="object"),
        pytest.param(streamed(delta_of(content="Let"), ending("abort")), id="abort"),
        pytest.param(streamed(delta_of(content="Let"), done=False, cut=True), id="broken_off"),
        pytest.param(streamed(delta_of(content="Let"), done=False), id="ended_early"),
    ],
)
def test_what_passes_by_itself_is_tried_again(library: Domain, world: World, task: Task, failure: Reply) -> None:
    with serve_completions(task, before=[failure]) as api:
        driven = asyncio.run(drive(agent(api), library, task, world))
    assert (driven.reward, driven.episode.ended) == (1, "done")
    assert len(api.bodies) == driven.episode.turns + 1


def test_a_wait_that_the_server_names_is_kept(play: Any) -> None:
    began = time.monotonic()
    driven, _ = play(refusing(429, {"error": "slow down"}, retry_after="0.3"), DONE)
    assert driven.episode.ended == "done"
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens.", "code": 400}),
        (
            400,
            {"error": {"message": "The decoder prompt (length 5000) is longer than the maximum model length."}},
        ),
        (400, {"message": "The input (9000 tokens) is longer than the model's context length (8192 tokens)."}),
        (400, {"error": {"code": 400, "message": "the request exceeds the available context size", "n_ctx": 512}}),
        (400, {"error": {"message": "Too long.", "code": "context_length_exceeded"}}),
        (500, {"error": "the input length exceeds the context length"}),
    ],
)
def test_a_conversation_that_outgrows_the_model_is_its_own_to_lose(play: Any, status: int, said: Any) -> None:
    driven, _ = play(completed(FEE), refusing(status, said))
    assert driven.episode.ended == "gave_up"
    assert driven.episode.why.startswith(f"The conversation has outgrown {NAME}: ")
    with pytest.raises(UsageError, match="cannot be used"):
        play(refusing(status, said))


def test_what_the_servers_own_parser_cannot_read_is_the_models_to_answer_for(play: Any) -> None:
    said = "The model produced output that does not match the expected peg-native format"
    for failure in (refusing(500, {"error": {"code": 500, "message": said}}), streamed({"error": {"message": said}})):
        driven, api = play(failure)
        assert (driven.episode.ended, len(api.bodies)) == ("gave_up", 1)
        assert driven.episode.why == f"{NAME} wrote what its own server cannot read: {said}."


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (
            refusing(401, {"error": {"message": "Incorrect API key"}}),
            "is not open to this key, see OPENAI_API_KEY: In",
        ),
        (refusing(402, {"error": {"message": "Insufficient credits", "code": 402}}), "402: Insufficient credits"),
        (refusing(429, {"error": {"message": "Quota", "code": "insufficient_quota"}}), "nobody pays for it"),
        (
            refusing(404, {"error": {"message": "The model `x` does not exist."}}),
            "There is no model 'qwen3:8b' at http",
        ),
        (refusing(404, {"detail": "Not Found"}), "does not offer chat completions, the server answered 404"),
        (refusing(307, {}), "the server answered 307"),
        (
            refusing(400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'}),
            "--enable-auto-tool-choice and --tool-call-parser",
        ),
        (refusing(500, {"error": {"message": "tools param requires --jinja flag"}}), "--jinja"),
        (Reply(page="<html>Welcome</html>"), "it sent 'text/html' in place of a stream of events; see OPENAI_BASE_URL"),
        (streamed({"hello": 1}), "does not speak chat completions: it sent"),
        (streamed([1]), "does not speak chat completions: it sent '[1]' in place of the chunk"),
        (streamed({"choices": 5}), "it sent '5' in place of a list"),
        (streamed(delta_of("x")), "it sent 'x' in place of the call"),
        (streamed(delta_of({"function": "x"})), "it sent 'x' in place of the function"),
        (Reply(page="data: {x\n\n", headers={"content-type": "text/event-stream"}), "it sent what is not JSON"),
    ],
    ids=range(15),
)
def test_what_can_never_work_ends_it_all_at_once_in_one_sentence(
    library: Domain, world: World, task: Task, reply: Reply, sentence: str
) -> None:
    with serve_messages(reply) as api, pytest.raises(UsageError) as failed:
        asyncio.run(drive(agent(api), library, task, world))
    assert sentence in str(failed.value)
    assert "\n" not in str(failed.value)
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://127.0.0.1:9/v1", "could not be reached"),
        ("127.0.0.1:8000/v1", "could not be reached"),
        ("http://[half/v1", "could not be reached"),
        ("http://nowhere.invalid/v1", "could not be reached"),
    ],
)
def test_an_address_where_nobody_answers_ends_it_all_at_once(
    library: Domain, world: World, task: Task, url: str, sentence: str
) -> None:
    with pytest.raises(UsageError, match=rf"{sentence}.*; see OPENAI_BASE_URL\.$"):
        asyncio.run(drive(OpenAIAgent("m", base_url=url), library, task, world))


def test_a_missing_key_is_said_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(UsageError, match="'openai:gpt-9' needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL"):
        OpenAIAgent("gpt-9")


def test_the_environment_names_server_and_key(
    library: Domain, world: World, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_messages(DONE) as api:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{api.url}/v1/")
        asyncio.run(drive(OpenAIAgent("m"), library, task, world))
        monkeypatch.setenv("OPENAI_API_KEY", "of the test")
        asyncio.run(drive(OpenAIAgent("m"), library, task, world))
    assert [headers.get("authorization") for headers in api.headers] == [None, "Bearer of the test"]
    assert {body["path"] for body in api.bodies} == {"/v1/chat/completions"}


def test_a_server_that_counts_nothing_is_estimated_and_priced(play: Any) -> None:
    driven, _ = play(completed(text("That is done."), prompt=None), price=Price.plain(1, 5))
    assert driven.usage.estimated
    assert driven.usage.prompt > 1_000
    assert driven.usage.completion == 2 * 4
    assert driven.usage.cost == pytest.approx((driven.usage.prompt + 5 * driven.usage.completion) / 1e6)


def test_a_try_that_broke_off_is_counted(play: Any) -> None:
    broken = streamed(delta_of(content="Let me look at that."), done=False, cut=True)
    driven, _ = play(broken, DONE, price=Price.plain(0, 1))
    assert driven.usage.estimated
    assert driven.usage.completion == 5 + 7 + 7


@pytest.mark.parametrize(
    ("reply", "hint"),
    [
        pytest.param(
            DONE, r"the server counts 100 tokens in a prompt of about [\d,]+; .*OLLAMA_CONTEXT_LENGTH", id="cut"
        ),
        pytest.param(
            completed(text('<tool_call>\n{"name": "list_loans"}\n</tool_call>'), prompt=9_000),
            "came as text, .*--tool-call-parser",
            id="tag",
        ),
        pytest.param(
            completed(text('{"name": "list_loans", "parameters": {}}'), prompt=9_000), "came as text", id="json"
        ),
    ],
)
def test_a_server_that_was_started_wrongly_is_told_once(
    play: Any, caplog: pytest.LogCaptureFixture, reply: Reply, hint: str
) -> None:
    with caplog.at_level(logging.WARNING, "runtime"):
        play(reply)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"{NAME}: ")
    assert re.search(hint, caplog.messages[0])


def test_an_ordinary_reply_gives_no_hint(play: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "runtime"):
        play(completed(FEE, prompt=1_500), completed(text("The list_loans tool says none."), prompt=20))
    assert caplog.messages == []


def test_a_model_that_is_refused_later_is_void_and_what_it_took_is_counted(
    library: Domain, world: World, task: Task
) -> None:
    bad = refusing(400, {"error": {"message": "temperature must be 1"}})
    with serve_messages(completed(FEE), bad) as api:
        record = asyncio.run(run_episode(task, library, world, 0, Setting(agent(api), NoUser())))
    assert (record.end, record.fault, record.tokens["prompt"]) == ("void", "agent", 100)
    assert record.why.endswith("was asked what the server does not take: temperature must be 1.")
    with pytest.raises(ModelFailed), serve_messages(completed(FEE), refusing(503, {})) as api:
        asyncio.run(drive(agent(api), library, task, world))


def test_episodes_at_once_do_not_mix(library: Domain, world: World) -> None:
    tasks = [find_task(library, name) for name in ("keep-a-book", "card-and-queue", "late-and-next")] * 4

    async def all_at_once(kind: OpenAIAgent) -> list[Driven]:
        return await asyncio.gather(
            *(drive(kind, library, task, world, [*map(UserReply, task.user.words), THANKS]) for task in tasks)
        )

    with serve_completions(*tasks, server="ollama") as api:
        driven = asyncio.run(all_at_once(agent(api)))
    assert [each.reward for each in driven] == [1] * 12
