from __future__ import annotations

from collections.abc import Sequence

from runtime.domain.domain import Domain
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.conversation import CallSeen, UserReply
from runtime.harness.record import EpisodeRecord
from runtime.session.world import World
from runtime.task.answers import AnswerReader
from runtime.task.task import Step, Task
from runtime.task.task_file import find_task
from runtime.task.user import Wish
from tests.runtime.harness.acting import OneWishfulUser, WishfulUser, play_one, told


def names(record: EpisodeRecord) -> list[list[str]]:
    """The tools that were called, turn by turn."""
    return [[call.name for call in message.calls] for message in record.messages if message.calls]


def test_it_works_wish_by_wish_and_reports_each(library: Domain, world: World) -> None:
    record = play_one(library, world, ReferenceAgent(), "late-and-next")
    at = [number for number, message in enumerate(record.messages) if message.role == "user"]
    first = [call.name for message in record.messages[: at[1]] for call in message.calls]
    assert first == ["find_member", "note_identification", "list_loans", "return_book"]
    assert told(record) == ["late fee: $0.50", "Done: that is all taken care of."]


def test_it_answers_the_closed_question_for_an_answer(library: Domain, world: World) -> None:
    class Asking(WishfulUser):
        def meet(self, task: Task, seed: int, reader: AnswerReader) -> _Asker:  # type: ignore[override]
            return _Asker(task, reader)

    class _Asker(OneWishfulUser):
        async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
            first = not self.heard
            reply = await super().reply(said, calls)
            return UserReply("And the day?", asks=("new due date",)) if first else reply

    record = play_one(library, world, ReferenceAgent(), "keep-a-book", user=Asking())
    assert told(record) == ["new due date: 2026-04-03"] * 2


def test_steps_that_need_nothing_of_each_other_go_in_one_turn(library: Domain, world: World) -> None:
    task = find_task(library, "late-and-next")
    search = Step(tool="search_books", arguments={"words": "The Last Lighthouses"})
    task = task.model_copy(update={"chain": [task.chain[0], search]})
    record = play_one(library, world, ReferenceAgent(), task)
    assert names(record) == [["find_member", "search_books"]]


def test_it_declines_a_wish_beyond_the_tools(library: Domain, world: World) -> None:
    task = find_task(library, "keep-a-book")
    car = Wish(words=["And wash my car."], form="outside", acts=False)
    user = task.user.model_copy(update={"wishes": [*task.user.wishes, car]})
    record = play_one(library, world, ReferenceAgent(), task.model_copy(update={"user": user}))
    assert record.reward == 1
    assert told(record)[1] == "I'm sorry, that is beyond what I can do here."
