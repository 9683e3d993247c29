"""A Messages API over real HTTP behind which a model plays the reference chains of tasks, as Anthropic models would."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from runtime.domain.domain import Domain
from runtime.session.session import Session
from runtime.task.answers import told_value
from runtime.task.paths import steps_named
from runtime.task.task import Step, Task, bind, replay, start_world
from tests.runtime.model.messages_api import MessagesApi, Reply, serve_messages, text, turned, use

PROMPT, COMPLETION = 1_000, 50  # tokens that the stub says each of its turns took


Results = Sequence[Mapping[str, Any]]


@contextmanager
def serve_reference(*tasks: Task, before: Sequence[Reply] = (), domain: Domain | None = None) -> Iterator[MessagesApi]:
    """Serve a model that plays whichever of the tasks a conversation is about, after the replies of `before`.

    It goes by the user's words. Where several tasks have the same, give their domain: what their calls return tells
    them apart.
    """

    @cache
    def results_of(task_id: str) -> Results:
        assert domain is not None
        task = next(task for task in tasks if task.id == task_id)
        with Session(domain, start_world(task, domain), principal=task.principal) as session:
            return replay(session, task.chain)

    def reply(body: Mapping[str, Any]) -> Reply:
        alike = tasks_alike(tasks, body)
        seen = _results_of(body["messages"])
        if len(alike) > 1 and domain is not None:
            alike = [task for task in alike if list(results_of(task.id)[: len(seen)]) == seen] or alike
        return play_reference(alike[0], body)

    with serve_messages(*before, reply) as api:
        yield api


def tasks_alike(tasks: Sequence[Task], body: Mapping[str, Any]) -> list[Task]:
    """The tasks of which the most words were said in a conversation."""
    heard = "\n".join(_words_of(body["messages"]))
    said = [sum(words in heard for words in task.user.words) for task in tasks]
    return [task for task, count in zip(tasks, said, strict=True) if count == max(said)]


def play_reference(task: Task, body: Mapping[str, Any]) -> Reply:
    """The next turn of the reference chain, as a reply of the API."""
    return turned(*next_blocks(task, body), prompt=PROMPT, completion=COMPLETION)


def next_blocks(task: Task, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the reference chain does next: all calls that can be made now at once, or what there is to report.

    A pure function of the conversation, so that any number of them can be under way.
    """
    results = _results_of(body["messages"])
    wishes = _wishes_told(task, _words_of(body["messages"]))
    calls = _next_calls(task.chain, wishes, results)
    if calls:
        return [use(f"call_{len(results) + place}", *call) for place, call in enumerate(calls)]
    return [text(_report(task, wishes))]


def _words_of(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the user said, each time it spoke; the first turn is the API's demand, not the user's."""
    return [
        block["text"]
        for message in messages
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "text" and not block["text"].startswith("(")
    ]


def _results_of(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        json.loads(block["content"])
        for message in messages
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "tool_result" and not block["is_error"]
    ]


def _wishes_told(task: Task, heard: Sequence[str]) -> int:
    """How many wishes the user has said; words that it says in its own way count one each."""
    return max(sum(words in "\n".join(heard) for words in task.user.words), min(len(heard), len(task.user.words)))


def _next_calls(chain: Sequence[Step], wishes: int, results: Results) -> list[tuple[str, Any]]:
    calls: list[tuple[str, Any]] = []
    for step in chain[len(results) :]:
        if step.wish >= wishes:
            break
        if any(earlier >= len(results) for earlier in steps_named(step.arguments)):
            break  # it needs what a call of this turn will return
        calls.append((step.tool, bind(step.arguments, results)))
    return calls


def _report(task: Task, wishes: int) -> str:
    """What was done for the wish told last; where all were told at once, for all of them."""
    answers = [f"{answer.name}: {told_value(answer)}" for answer in task.answers if answer.wish < wishes]
    if wishes - 1 in task.user.outside:
        return "I'm sorry, but I cannot do that for you."
    return "\n".join(answers) or "That is done."
