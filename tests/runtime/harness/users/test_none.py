from __future__ import annotations

import asyncio

from runtime.domain.domain import Domain
from runtime.harness.users.scripted import NoUser, tell_everything
from runtime.task.task_file import find_task
from tests.runtime.harness.users.hand_made import RENEW, make_task, read_nothing_of


def test_everything_is_told_once(library: Domain) -> None:
    task = find_task(library, "card-and-queue")
    text = tell_everything(task)
    assert all(wish in text for wish in task.user.words)
    assert "- email address: tom.kowalski@example.org" in text
    assert "- phone" not in text  # the words say it
    assert all(fact.said.casefold() in text.casefold() for fact in task.user.facts)


def test_a_detail_that_the_words_say_wrong_is_told_right() -> None:
    assert "- title: On Mirrors, not On Lenses" in tell_everything(make_task(RENEW))


def test_the_user_speaks_once_and_ends(library: Domain) -> None:
    task = find_task(library, "keep-a-book")

    async def talk() -> None:
        user = NoUser().meet(task, 1, read_nothing_of(task))
        assert (await user.open()).text.startswith("I'm not done with The Last Lighthouses yet.")
        assert (await user.reply("What is your name?", ())).ends

    assert not NoUser.converses
    asyncio.run(talk())
