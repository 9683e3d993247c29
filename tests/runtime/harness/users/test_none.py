from __future__ import annotations

import asyncio

from runtime.domain.domain import Domain
from runtime.harness.users.none import NoUser, tell_everything
from runtime.task.task import find_task


def test_everything_is_told_once(library: Domain) -> None:
    task = find_task(library, "card-and-queue")
    text = tell_everything(task)
    assert all(wish in text for wish in task.user.words)
    assert "- e-mail address: tomas.lindqvist@example.org" in text
    assert "- phone" not in text  # the words say it
    assert all(fact.said.casefold() in text.casefold() for fact in task.user.facts)


def test_words_that_say_all_facts_stand_alone(library: Domain) -> None:
    task = find_task(library, "keep-a-book")
    task = task.model_copy(update={"user": task.user.model_copy(update={"facts": task.user.facts[2:]})})
    assert tell_everything(task) == task.user.words[0]


def test_the_user_speaks_once_and_ends(library: Domain) -> None:
    async def talk() -> None:
        user = NoUser().meet(find_task(library, "keep-a-book"), 1)
        assert (await user.open()).text.startswith("I haven't finished Winters for Beginners.")
        assert (await user.reply("What is your name?")).ends

    assert not NoUser.converses
    asyncio.run(talk())
