"""The scripted user and an assistant that asks leave before each change: it gets its yes and hears every wish."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.harness.episode import Episode
from runtime.harness.users.knowledge import learn
from runtime.harness.users.questions import names
from runtime.harness.users.scripted import ScriptedKind, ScriptedUser
from runtime.task.task import Task, read_tasks
from tests.runtime.harness.users.confirming import PHRASINGS, Conversation, converse, talk
from tests.runtime.harness.users.conversations import make_task
from tests.runtime.harness.users.measure import read_scripts

CHANGES: dict[str, list[list[str]]] = json.loads((Path(__file__).parent / "changes.json").read_text("utf-8"))
"""Per script what an assistant would change for each of its wishes."""


def replayer_of(name: str, manner: str) -> list[str]:
    """The faults of the user of a script where the changes are only talked about."""
    task = make_task(["Hello."]).model_copy(update={"user": read_scripts()[name]})
    user, changes = ScriptedKind().meet(task, 0), CHANGES[name]
    played = asyncio.run(talk(user, Episode("Help."), task, lambda wish: iter(changes[wish]), PHRASINGS[manner]))
    return played.faults(task)


@pytest.mark.parametrize("manner", PHRASINGS)
def test_every_question_for_leave_is_answered_with_a_yes_and_every_wish_is_said(manner: str) -> None:
    assert len(CHANGES) >= 40
    assert {name: faults for name in CHANGES if (faults := replayer_of(name, manner))} == {}


@pytest.mark.parametrize("manner", PHRASINGS)
def test_the_tasks_of_a_domain_are_solved_though_each_change_waits_for_a_yes(library: Domain, manner: str) -> None:
    for task in read_tasks(library).values():
        played = converse(library, task, PHRASINGS[manner])
        assert (played.faults(task), played.reward) == ([], 1)


EXTRAS = {
    "also": "Would you like me to also {}?",
    "too": "Should I {} too?",
    "while_at_it": "Do you want me to {} while I'm at it?",
    "next": "Shall I {} next?",
    "could": "I could also {}. Want me to?",
}


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("deed", ["export the list as a spreadsheet", "print a summary", "prepare a chart"])
def test_what_is_offered_beyond_the_wishes_is_never_agreed_to(extra: str, deed: str) -> None:
    async def offer(name: str) -> str:
        user = ScriptedUser(learn(read_scripts()[name]))
        await user.open()
        done = " ".join(f"{each.partition(' (')[0]} is complete." for each in CHANGES[name][0])
        reply = await user.reply(f"All done: {done} {EXTRAS[extra].format(deed)}")
        return "" if reply.ends or "Yes" not in reply.text else reply.text

    assert {name: said for name in CHANGES if CHANGES[name][0] and (said := asyncio.run(offer(name)))} == {}


@pytest.mark.parametrize("manner", PHRASINGS)
def test_a_plan_that_contradicts_what_the_user_knows_gets_no_yes(manner: str) -> None:
    agreed = []
    for name, wishes in CHANGES.items():
        knowledge = learn(read_scripts()[name])
        for plan in wishes[0]:
            for wrong in _contradict(plan):
                if all(names(wrong, each) for each in knowledge.of(0) if names(plan, each)):
                    continue  # of what was changed the user knows nothing
                user = ScriptedUser(knowledge)
                asyncio.run(user.open())
                if asyncio.run(user.reply(PHRASINGS[manner]("", wrong).strip())).text.startswith("Yes"):
                    agreed.append(wrong)
    assert agreed == []


def _contradict(plan: str) -> Iterator[str]:
    """A plan with one of its values made another."""
    for pattern, other in _OTHERS.items():
        for match in re.finditer(pattern, plan):
            yield plan[: match.start(1)] + other + plan[match.end(1) :]


_OTHERS = {
    r"(?:performance rating|priority level): (\d)": "1",
    r"(?:duration minutes|annual salary): (\d+)": "77",
    r"respond by: \d{4}-(\d\d-\d\d)": "07-30",
    r"job title: ([^,)]+)": "Night Porter",
    r"company name: ([^,)]+)": "Rocky Harbour Foods",
    r"email: (\S+?@)": "other.one@",
    r"phone: \+1 (\d{3})": "999",
}


def test_a_question_that_is_not_answered_with_a_yes_is_a_fault() -> None:
    task: Task = make_task(["Please renew it."])
    assert Conversation([("Shall I?", "Thank you.")], ["Please renew it."], ended=True).faults(task)
    assert Conversation([("Shall I?", "Yes.")], ["Please renew it."], ended=False).faults(task)
    assert not Conversation([("Shall I?", "Yes.")], ["Please renew it."], ended=True).faults(task)
