"""Whole conversations in memory: an episode played by a user and a hand-written assistant that calls no tools."""

from __future__ import annotations

from collections.abc import Callable

from runtime.harness.agent import AssistantTurn
from runtime.harness.episode import Episode
from runtime.harness.user import SimulatedUser
from runtime.task.task import KnownFact, Task, User, Wish, WorldRecipe

Assistant = Callable[[list[str]], str]
"""Given all that the user said so far, what the assistant says; nothing means that it gives up."""


def make_task(words: list[str], facts: list[tuple[str, str, int]] | None = None, profile: str = "Friendly.") -> Task:
    """A task of which only the user matters."""
    wishes = [
        Wish(
            words=[said],
            facts=[KnownFact(name=name, value=fact, said=fact) for name, fact, at in facts or [] if at == wish],
        )
        for wish, said in enumerate(words)
    ]
    return Task(
        format=2,
        id="a-task",
        domain="library",
        title="A task",
        world=WorldRecipe(seed=1, size=10),
        user=User(profile=profile, wishes=wishes),
    )


async def converse(user: SimulatedUser, assistant: Assistant) -> Episode:
    """Play an episode to its end."""
    episode = Episode("Help the user.")
    episode.user(await user.open())
    while episode.needs != "nothing":
        if episode.needs == "assistant":
            said = [message.text for message in episode.messages if message.role == "user"]
            episode.assistant(AssistantTurn(assistant(said)))
        else:
            episode.user(await user.reply(episode.unheard))
    return episode


def said_by_user(episode: Episode) -> list[str]:
    """What the user said, in order."""
    return [message.text for message in episode.messages if message.role == "user"]
