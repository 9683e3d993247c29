"""A Messages API over real HTTP behind which a model plays the reference chains of tasks, as Anthropic models would."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from runtime.task.task import Step, Task, bind
from tests.runtime.model.messages_api import MessagesApi, Reply, serve_messages, text, turned, use

PROMPT, COMPLETION = 1_000, 50  # tokens that the stub says each of its turns took


@contextmanager
def serve_reference(*tasks: Task, before: Sequence[Reply] = ()) -> Iterator[MessagesApi]:
    """Serve a model that plays whichever of the tasks a conversation is about, after the replies of `before`."""
    with serve_messages(*before, lambda body: play_reference(tasks, body)) as api:
        yield api


def play_reference(tasks: Sequence[Task], body: Mapping[str, Any]) -> Reply:
    """The next turn of the reference chain: all calls that can be made now at once, or what there is to report.

    A pure function of the conversation, so that any number of them can be under way.
    """
    heard = _words_of(body["messages"])
    task = _find_task(tasks, heard)
    results = _results_of(body["messages"])
    wishes = _wishes_told(task, heard)
    calls = _next_calls(task.chain, wishes, results)
    if calls:
        return _spent(*(use(f"call_{len(results) + place}", *call) for place, call in enumerate(calls)))
    return _spent(text(_report(task, wishes)))


def _words_of(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the user said, each time it spoke; the first turn is the API's demand, not the user's."""
    return [
        block["text"]
        for message in messages
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "text" and not block["text"].startswith("(")
    ]


def _find_task(tasks: Sequence[Task], heard: Sequence[str]) -> Task:
    found = [task for task in tasks if task.user.words[0] in heard[0]]
    return found[0] if found else tasks[0]


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


def _next_calls(chain: Sequence[Step], wishes: int, results: Sequence[Mapping[str, Any]]) -> list[tuple[str, Any]]:
    calls: list[tuple[str, Any]] = []
    for step in chain[len(results) :]:
        if step.wish >= wishes:
            break
        try:
            calls.append((step.tool, bind(step.arguments, results)))
        except IndexError:  # it needs what a call of this turn will return
            break
    return calls


def _report(task: Task, wishes: int) -> str:
    """What was done for the wish told last; where all were told at once, for all of them."""
    answers = [f"The {answer.name} is {answer.value}." for answer in task.answers if answer.wish < wishes]
    if wishes - 1 in task.user.outside:
        return " ".join(["I'm sorry, but I cannot do that for you.", *answers])
    return " ".join(["That is done.", *answers])


def _spent(*blocks: Mapping[str, Any]) -> Reply:
    return turned(*blocks, prompt=PROMPT, completion=COMPLETION)
