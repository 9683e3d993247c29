"""The agent `anthropic:MODEL` against a Messages API on a real socket: what is sent, what is done, what is counted."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import ModelFailed, UsageError
from runtime.harness.agents.anthropic import AnthropicAgent
from runtime.harness.agents.chatting import JOINED
from runtime.harness.episode import GREETING, EpisodeLimits
from runtime.harness.play import Setting
from runtime.harness.play import play as run_episode
from runtime.harness.user import UserReply
from runtime.harness.users.none import NoUser
from runtime.model.backoff import Backoff
from runtime.server.listing import list_domain
from runtime.session.world import World
from runtime.task.task import Task
from runtime.task.task_file import find_task
from tests.runtime.harness.driving import SYSTEM, THANKS, Driven, drive, seat_at
from tests.runtime.harness.messages_api import COMPLETION, PROMPT, serve_reference
from tests.runtime.model.messages_api import MessagesApi, Reply, cut_short, refused, serve_messages, text, turned, use

FAST = Backoff(tries=3, first=0.001, most=0.002)
FEE = use("c1", "calculate_late_fee", {"due_on": "2026-03-15", "returned_on": "2026-03-16"})
GONE = use("c2", "list_loans", {"member_id": "MEMBER-9999"})
DONE = turned(text("That is done."))
EPHEMERAL = {"type": "ephemeral"}


@pytest.fixture
def task(library: Domain) -> Task:
    """A new card and a place in a queue: two wishes, two independent first calls."""
    return find_task(library, "card-and-queue")


def agent(api: MessagesApi, model: str = "claude-opus-5-5", **options: Any) -> AnthropicAgent:
    return AnthropicAgent(model, base_url=api.url, **({"backoff": FAST} | options))


@pytest.fixture
def play(library: Domain, world: World, task: Task) -> Any:
    """Play an episode against these replies; the user says one thing and thanks."""

    def play_one(*replies: Reply, said: Sequence[UserReply] | None = None, **options: Any) -> tuple[Driven, Any]:
        limits = options.pop("limits", None)
        with serve_messages(*replies) as api:
            words = (UserReply("What is due?"), THANKS) if said is None else said
            driven = asyncio.run(drive(agent(api, **options), library, task, world, words, limits=limits))
        return driven, api

    return play_one


@pytest.mark.parametrize("task_id", ["keep-a-book", "card-and-queue", "late-and-next"])
def test_a_whole_conversation_over_http_is_rewarded_and_counted(library: Domain, world: World, task_id: str) -> None:
    task = find_task(library, task_id)
    said = [*map(UserReply, task.user.words), THANKS]
    with serve_reference(task) as api:
        driven = asyncio.run(drive(agent(api), library, task, world, said))
    assert (driven.reward, driven.episode.ended) == (1, "done")
    turns = len(api.bodies)
    assert driven.episode.turns == turns
    assert (driven.usage.prompt, driven.usage.completion) == (PROMPT * turns, COMPLETION * turns)
    assert driven.usage.cost == pytest.approx(turns * (PROMPT * 4 + COMPLETION * 20) / 1e6)
    assert not driven.usage.estimated


def test_calls_made_at_once_are_one_turn_and_their_answers_one_message(
    library: Domain, world: World, task: Task
) -> None:
    with serve_reference(task) as api:
        driven = asyncio.run(drive(agent(api), library, task, world))
    assert (driven.reward, driven.episode.ended, driven.episode.calls_made) == (1, "done", 3)
    _, calls, answers = api.bodies[1]["messages"]
    assert [block["name"] for block in calls["content"]] == ["register_member", "search_books"]
    assert [block["tool_use_id"] for block in answers["content"]] == [block["id"] for block in calls["content"]]
    assert [block["is_error"] for block in answers["content"]] == [False, False]


def test_the_conversation_begins_with_the_system_message_the_greeting_and_the_user(play: Any, library: Domain) -> None:
    _, api = play(DONE)
    body = api.bodies[0]
    assert body["system"] == [{"type": "text", "text": SYSTEM, "cache_control": EPHEMERAL}]
    assert [(turn["role"], turn["content"][0]["text"]) for turn in body["messages"]] == [
        ("user", JOINED),
        ("assistant", GREETING),
        ("user", "What is due?"),
    ]
    listed = {tool["name"]: tool for tool in list_domain(library).tools}
    assert {tool["name"]: tool["input_schema"] for tool in body["tools"]} == {
        name: tool["inputSchema"] for name, tool in listed.items()
    }
    assert all(tool["description"] == listed[tool["name"]]["description"] for tool in body["tools"])


def test_tools_system_and_the_last_two_user_turns_are_marked_for_the_cache(play: Any) -> None:
    _, api = play(turned(FEE), turned({**FEE, "id": "c2"}), DONE)
    marked = [
        [place for place, turn in enumerate(body["messages"]) if "cache_control" in turn["content"][-1]]
        for body in api.bodies
    ]
    assert marked == [[0, 2], [2, 4], [4, 6], [6, 8]]
    *others, last = ["cache_control" in tool for tool in api.bodies[-1]["tools"]]
    assert (set(others), last) == ({False}, True)


def test_a_rejection_is_read_as_an_error(play: Any) -> None:
    driven, api = play(turned(text("One moment."), FEE, GONE), DONE)
    fee, gone = api.bodies[1]["messages"][-1]["content"]
    assert (fee["is_error"], fee["content"]) == (False, '{"days_late":1,"fee_cents":25}')
    assert gone["is_error"] is True
    assert gone["content"].startswith("NOT_FOUND: ")
    assert driven.episode.told == ["One moment.", "That is done.", "That is done."]


def test_what_the_model_thought_is_sent_back_as_it_came(play: Any) -> None:
    thought = {"type": "thinking", "thinking": "The fee first.", "signature": "c2lnbmVk"}
    strange = {"type": "a_later_kind", "payload": {"rows": [1, 2]}}
    _, api = play(turned(thought, strange, text("One moment."), FEE), DONE)
    assert api.bodies[1]["messages"][3]["content"] == [thought, strange, text("One moment."), FEE]
    assert api.bodies[2]["messages"][3]["content"] == [thought, strange, text("One moment."), FEE]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        pytest.param('{"due_on": ', '{"due_on": ', id="broken"),
        pytest.param('["2026-03-15"]', ["2026-03-15"], id="a_list"),
        pytest.param('"2026-03-15"', "2026-03-15", id="a_text"),
    ],
)
def test_arguments_that_are_no_object_are_the_agents_to_put_right(play: Any, written: str, shown: Any) -> None:
    driven, api = play(turned({**FEE, "input": written}), turned({**FEE, "id": "c2"}), DONE)
    _, call, answer = api.bodies[1]["messages"][-3:]
    assert call["content"][0]["input"] == {"value": shown}
    assert answer["content"][0]["is_error"] is True
    assert answer["content"][0]["content"].startswith("INVALID_ARGUMENT: ")
    assert driven.episode.ended == "done"


def test_a_server_that_gives_an_id_twice_or_none_still_gets_each_answer(play: Any) -> None:
    _, api = play(turned(FEE, {**GONE, "id": FEE["id"]}), turned({**FEE, "id": ""}), DONE)
    called = [block["id"] for turn in api.bodies[2]["messages"][3::2] for block in turn["content"]]
    answered = [block["tool_use_id"] for turn in api.bodies[2]["messages"][4::2] for block in turn["content"]]
    assert called == answered
    assert len(set(called)) == 3


@pytest.mark.parametrize(
    "failures",
    [
        pytest.param([refused(429, "rate_limit_error", "Slow down.")], id="429"),
        pytest.param([refused(529, "overloaded_error", "Overloaded.")] * 2, id="529_twice"),
        pytest.param([refused(503, "api_error", "Oops.")], id="503"),
    ],
)
def test_what_passes_by_itself_is_tried_again_and_costs_nothing(
    library: Domain, world: World, task: Task, failures: list[Reply]
) -> None:
    with serve_reference(task, before=failures) as api:
        driven = asyncio.run(drive(agent(api), library, task, world))
    assert (driven.reward, driven.episode.ended) == (1, "done")
    assert len(api.bodies) == driven.episode.turns + len(failures)
    assert driven.usage.prompt == PROMPT * driven.episode.turns


def test_a_wait_that_the_server_names_is_kept(play: Any) -> None:
    began = time.monotonic()
    driven, _ = play(refused(429, "rate_limit_error", "Slow down.", retry_after="0.3"), DONE)
    assert driven.episode.ended == "done"
    assert time.monotonic() - began >= 0.3


def test_a_connection_that_drops_in_mid_stream_is_tried_again_and_counted(play: Any) -> None:
    whole = turned(text("Let me look at that for you."), FEE, prompt=40, cached=60, completion=30)
    driven, api = play(cut_short(whole, 5), whole, DONE)
    assert driven.episode.ended == "done"
    assert driven.episode.calls_made == 1
    assert len(api.bodies) == 4
    cut = -(-len("Let me look at that for you.") // 4)
    assert (driven.usage.prompt, driven.usage.cached) == (100 + 100 + 100 + 100, 120)
    assert driven.usage.completion == cut + 30 + 7 + 7
    assert driven.usage.estimated
    price = 2 * (40 * 4 + 60 * 0.2) + 200 * 4 + (cut + 30 + 14) * 20
    assert driven.usage.cost == pytest.approx(price / 1e6)


def test_a_turn_that_is_cut_is_asked_for_once_more_with_twice_the_room(play: Any) -> None:
    driven, api = play(turned(text("Let me"), stop="max_tokens", completion=500), DONE, room=500)
    assert [body["max_tokens"] for body in api.bodies] == [500, 1000, 500]
    assert driven.episode.told[0] == "That is done."
    assert driven.usage.completion == 500 + 7 + 7


def test_of_a_turn_that_is_cut_again_what_is_whole_is_used(play: Any) -> None:
    short = turned(text("One moment."), FEE, {**GONE, "input": '{"member_id": "MEM'}, stop="max_tokens")
    driven, api = play(short, short, DONE)
    called = [call.name for message in driven.episode.messages for call in message.calls]
    assert called == ["calculate_late_fee"]
    assert api.bodies[2]["messages"][3]["content"] == [text("One moment."), FEE]
    assert driven.episode.ended == "done"


def test_a_call_that_was_cut_before_its_first_argument_is_not_made(play: Any) -> None:
    short = turned(text("One moment."), {**FEE, "input": ""}, stop="max_tokens")
    driven, _ = play(short, short, DONE)
    assert driven.episode.calls_made == 0


@pytest.mark.parametrize(
    "short",
    [
        pytest.param(turned({**FEE, "input": '{"due'}, stop="max_tokens"), id="half_a_call"),
        pytest.param(turned({"type": "thinking", "thinking": "Hm", "signature": ""}, stop="max_tokens"), id="thoughts"),
        pytest.param(turned(stop="max_tokens"), id="nothing"),
    ],
)
def test_a_cut_turn_of_which_nothing_is_whole_gives_up(play: Any, short: Reply) -> None:
    driven, api = play(short, room=500)
    assert driven.episode.ended == "gave_up"
    assert driven.episode.why == "anthropic:claude-opus-5-5 was cut off, also with room for 1000 tokens."
    assert (len(api.bodies), driven.usage.prompt) == (2, 200)


def test_a_model_that_takes_no_more_room_goes_on_with_what_came(play: Any) -> None:
    short = turned(text("One moment."), FEE, stop="max_tokens")
    driven, _ = play(short, refused(400, "invalid_request_error", "max_tokens: 16000 > 8192"), DONE)
    assert driven.episode.calls_made == 1
    assert driven.episode.ended == "done"


def test_a_refusal_gives_up_with_its_reason_and_is_paid_for(play: Any) -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "Not this"}
    driven, api = play(turned(text("I will"), stop="refusal", details=details))
    assert (driven.episode.ended, driven.episode.turns) == ("gave_up", 1)
    assert driven.episode.why == "anthropic:claude-opus-5-5 refused: Not this."
    assert driven.episode.told == []
    assert (len(api.bodies), driven.usage.prompt, driven.usage.completion) == (1, 100, 7)


def test_reasoning_within_a_text_is_not_said(play: Any) -> None:
    driven, _ = play(turned(text("<think>Late by a day?</think>25 cents.")), DONE)
    assert driven.episode.told[0] == "25 cents."


def test_a_model_that_says_nothing_gives_up(play: Any) -> None:
    silent = turned()
    driven, _ = play(silent)
    assert driven.episode.ended == "gave_up"
    assert driven.episode.why == "anthropic:claude-opus-5-5 said nothing."


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(
            refused(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), id="400"
        ),
        pytest.param(refused(413, "request_too_large", "Request exceeds the maximum size"), id="413"),
        pytest.param(turned(stop="model_context_window_exceeded"), id="cut"),
    ],
)
def test_a_conversation_that_outgrows_the_model_is_its_own_to_lose(play: Any, reply: Reply) -> None:
    driven, _ = play(turned(FEE), reply)
    assert driven.episode.ended == "gave_up"
    assert "conversation" in driven.episode.why


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        pytest.param(
            Reply(page="<html><body>Welcome to our portal</body></html>"),
            "does not speak the Messages API: it sent 'text/html' in place of a stream of events",
            id="html",
        ),
        pytest.param(Reply(error={"hello": "world"}), "it sent 'application/json' in place of a stream", id="json"),
        pytest.param(
            Reply(events=[{"type": "message_start", "message": 5}]), "it sent '5' in place of the message", id="number"
        ),
        pytest.param(
            Reply(page="event: message_start\ndata: {nonsense\n\n", headers={"content-type": "text/event-stream"}),
            "it sent events that are not JSON",
            id="broken_json",
        ),
        pytest.param(
            Reply(page="event: message_start\ndata: 5\n\n", headers={"content-type": "text/event-stream"}),
            "it sent '5' in place of the event",
            id="no_object",
        ),
    ],
)
def test_an_endpoint_that_never_spoke_the_protocol_ends_it_all_at_once(play: Any, reply: Reply, sentence: str) -> None:
    with pytest.raises(UsageError) as failed:
        play(reply)
    assert sentence in str(failed.value)
    assert str(failed.value).startswith("Model 'anthropic:claude-opus-5-5' cannot be used: http://127.0.0.1:")
    assert str(failed.value).endswith("; see ANTHROPIC_BASE_URL.")
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("replies", "sentence"),
    [
        pytest.param([Reply(events=[])], "the connection ended before the answer did", id="no_events"),
        pytest.param(
            [Reply(status=502, page="<html>Bad gateway</html>")], "the server answered 502", id="html_of_a_proxy"
        ),
        pytest.param(
            [turned(FEE), Reply(page="<html></html>")], "does not speak the Messages API", id="html_once_it_answered"
        ),
    ],
)
def test_an_endpoint_that_may_come_back_fails_after_its_tries_in_one_clear_sentence(
    play: Any, replies: list[Reply], sentence: str
) -> None:
    with pytest.raises(ModelFailed) as failed:
        play(*replies)
    assert sentence in str(failed.value)
    assert re.match(r"library, turn \d: anthropic:claude-opus-5-5 failed after 3 tries; ", str(failed.value))
    assert "\n" not in str(failed.value)


def test_a_failure_says_what_its_tries_took(play: Any) -> None:
    with pytest.raises(ModelFailed) as failed:
        play(cut_short(turned(text("Let me see."), prompt=40), 3))
    assert failed.value.usage is not None
    assert (failed.value.usage.prompt, failed.value.usage.estimated) == (120, True)


def test_an_episode_whose_model_fails_is_void_and_what_it_took_is_counted(
    library: Domain, world: World, task: Task
) -> None:
    broken = cut_short(turned(text("Let me see."), prompt=40), 3)
    page = Reply(page="<html></html>")
    with serve_messages(turned(FEE), broken, page) as api:
        record = asyncio.run(run_episode(task, library, world, 0, Setting(agent(api), NoUser())))
    assert (record.end, record.reward, record.fault, record.reason) == (
        "void",
        None,
        "agent",
        "the agent's model failed",
    )
    assert "does not speak the Messages API" in record.why
    assert record.tokens["prompt"] == 140
    assert record.cost == pytest.approx((140 * 4 + record.tokens["completion"] * 20) / 1e6)
    assert record.estimated


def test_a_record_counts_what_the_server_counted(library: Domain, world: World, task: Task) -> None:
    with serve_reference(task, before=[refused(529, "overloaded_error", "Overloaded.")]) as api:
        record = asyncio.run(run_episode(task, library, world, 0, Setting(agent(api), NoUser(), "http")))
    assert (record.end, record.reward, record.turns, record.calls) == ("done", 1, 3, 3)
    assert record.tokens == {"prompt": 3 * PROMPT, "completion": 3 * COMPLETION, "cached": 0}
    assert not record.estimated


def test_a_server_that_stalls_costs_the_agent_its_time(library: Domain, world: World, task: Task) -> None:
    never = threading.Event()
    with serve_messages(turned(FEE), replace(DONE, hold=never)) as api:
        limits = EpisodeLimits(seconds=1)
        record = asyncio.run(run_episode(task, library, world, 0, Setting(agent(api), NoUser(), limits=limits)))
        never.set()
    assert (record.end, record.reward, record.calls) == ("out_of_time", 0, 1)


def test_another_bad_request_fails_in_the_words_of_the_server(play: Any) -> None:
    bad = refused(400, "invalid_request_error", "Your credit balance is too low.")
    with pytest.raises(UsageError, match=r"cannot be used: invalid_request_error: Your credit balance is too low\.$"):
        play(bad)
    with pytest.raises(ModelFailed, match=r"does not take: Your credit balance is too low\.$"):
        play(turned(FEE), bad)


def test_a_wrong_key_is_said_to_the_person_and_ends_it_all(play: Any) -> None:
    with pytest.raises(UsageError, match=r"is not open to this key, see ANTHROPIC_API_KEY: invalid x-api-key"):
        play(refused(401, "authentication_error", "invalid x-api-key"))


def test_a_local_server_needs_no_key_and_counts_nothing(
    library: Domain, world: World, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_messages(turned(text("That is done."), prompt=0, completion=0)) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        driven = asyncio.run(drive(AnthropicAgent("qwen", backoff=FAST), library, task, world))
    assert driven.episode.ended == "done"
    assert driven.usage.estimated
    assert driven.usage.prompt > len(SYSTEM) / 4
    assert driven.usage.completion == 4
    assert driven.usage.cost is None


def test_an_agent_that_never_ends_runs_out_of_calls(play: Any) -> None:
    driven, _ = play(turned(FEE), limits=EpisodeLimits(calls=5))
    assert (driven.episode.ended, driven.episode.calls_made) == ("out_of_calls", 5)


def test_episodes_at_once_do_not_mix(library: Domain, world: World) -> None:
    tasks = [find_task(library, name) for name in ("keep-a-book", "card-and-queue", "late-and-next")] * 4

    async def all_at_once(kind: AnthropicAgent) -> list[Driven]:
        return await asyncio.gather(
            *(drive(kind, library, task, world, [*map(UserReply, task.user.words), THANKS]) for task in tasks)
        )

    with serve_reference(*tasks) as api:
        driven = asyncio.run(all_at_once(agent(api)))
    assert [each.reward for each in driven] == [1] * 12


def test_nothing_of_the_task_is_sent_but_what_the_user_said(play: Any, task: Task) -> None:
    _, api = play(turned(FEE), DONE)
    sent = str(api.bodies)
    assert not [told for told in (task.id, task.title, *(fact.said for fact in task.user.facts)) if told in sent]


def test_a_seat_costs_no_request(library: Domain, world: World, task: Task) -> None:
    with serve_messages(DONE) as api:
        assert agent(api).name == "anthropic:claude-opus-5-5"
        agent(api).begin(seat_at(library, task, world))
    assert api.bodies == []


def test_the_sdk_is_imported_only_where_a_model_is_asked() -> None:
    code = "import sys, runtime.harness.agents, runtime.harness.episode; print('anthropic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
