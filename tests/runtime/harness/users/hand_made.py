"""Users made by hand, of no domain, and conversations with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.harness.conversation import CallSeen, SimulatedUser, UserReply
from runtime.task.answers import AnswerReader
from runtime.task.task import Task
from runtime.task.user import KnownFact, User, Wish
from runtime.task.values import kind_of

WRITES = (CallSeen("change_it", writes=True, accepted=True),)
REJECTED = (CallSeen("change_it", writes=True, accepted=False),)
READS = (CallSeen("look_it_up", writes=False, accepted=True),)
DECLINES = (CallSeen("decline_request", writes=False, accepted=True, declines=True),)
IDENTIFIES = (CallSeen("note_identification", writes=False, accepted=True, identifies=True),)


def fact(name: str, said: str, value: Any = None, *, withheld: bool = False, proves: str = "") -> KnownFact:
    return KnownFact(name=name, value=said if value is None else value, said=said, withheld=withheld, proves=proves)


WHO = [
    fact("name", "Bo Kern", withheld=True, proves="name"),
    fact("email address", "bo@kern.example", withheld=True, proves="email"),
    fact("phone number", "(614) 555-0142", withheld=True, proves="phone"),
]
MOVE = Wish(
    words=[
        "Please move my meeting with Ada Stern to Monday, March 18.",
        "I would like to move my meeting with Ada Stern to Monday, March 18.",
        "can you move my ada stern meeting to monday, march 18?",
    ],
    short="moving my meeting with Ada Stern to Monday, March 18",
    facts=[fact("partner", "Ada Stern"), fact("new day", "Monday, March 18", "2024-03-18")],
)
MINE = MOVE.model_copy(update={"facts": [*WHO, *MOVE.facts]})
COUNT = Wish(words=["And how many meetings do I have left this month?"], short="telling me how many", acts=False)
BOOK = Wish(
    words=["Then book the Elm Room for 12 people."],
    short="booking the Elm Room for 12 people",
    facts=[fact("room", "Elm Room"), fact("people", "12", 12)],
)
LEND = Wish(
    words=["Can you renew one of my books?"],
    short="renewing On Mirrors",
    facts=[fact("title", "On Mirrors", withheld=True)],
)

RENEW = Wish(
    words=["Can you renew On Lenses?"],
    short="renewing On Mirrors",
    facts=[fact("title", "On Mirrors", withheld=True).model_copy(update={"corrects": "On Lenses"}), *WHO],
)


def make_task(*wishes: Wish, answers: Sequence[tuple[str, str | int, int]] = (), speech: str = "plain") -> Task:
    """A task of these wishes; answers are name, value and wish."""
    return Task.model_validate(
        {
            "format": 2,
            "id": "by-hand",
            "domain": "office",
            "title": "By hand",
            "world": {"seed": 1, "size": 1},
            "user": User(profile="Curt.", speech=speech, wishes=list(wishes)).model_dump(),  # type: ignore[arg-type]
            "answers": [{"name": n, "value": value, "wish": at, "kind": kind_of(value)} for n, value, at in answers],
        }
    )


def read_nothing_of(task: Task) -> AnswerReader:
    """What reads its answers, in a world without columns."""
    return AnswerReader(task, "2024-03-11 09:00:00", lambda _: ())


def at_once(reply: Any) -> UserReply:
    """The reply of a user who waits for nothing."""
    try:
        reply.send(None)
    except StopIteration as done:
        said: UserReply = done.value
        return said
    raise AssertionError("it waits")


def talk(user: SimulatedUser, *said: str | tuple[str, Sequence[CallSeen]]) -> list[UserReply]:
    """What a user says to these messages, each with the calls before it."""
    replies = [at_once(user.open())]
    for each in said:
        text, calls = (each, ()) if isinstance(each, str) else each
        replies.append(at_once(user.reply(text, calls)))
    return replies
