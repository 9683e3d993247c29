"""Run stores whose episodes were really played: on a session of the library, judged on its own database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.conversation import AssistantTurn, CallSeen, ToolCall, UserReply
from runtime.harness.evaluation.plan import EvaluationPlan, RunConfig, choose_tasks
from runtime.harness.evaluation.store import Run, StoreWriter, attempt_of, prepare_store, read_run
from runtime.harness.record import EpisodeRecord
from runtime.task.answers import AnswerReader
from runtime.task.task import Task, start_world
from runtime.task.task_file import find_task
from runtime.task.values import told_value
from tests.runtime.harness.acting import Doing, play_one, take

HOSTILE = "</script><img src=x onerror=alert(1)><!-- <script> \u2028 \x00 & \"'"
"""What a conversation may hold and a page must survive."""

Turn = str | list[tuple[str, Any]]  # what the agent says, or the calls that it makes


class _Answering:
    """A user that says its first words and all facts, then these answers, and goodbye."""

    name, converses = "by hand", True

    def __init__(self, answers: Sequence[str]) -> None:
        self._answers = answers

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> _Answerer:
        return _Answerer(task, reader, [task.user.words[0], *self._answers])


class _Answerer:
    def __init__(self, task: Task, reader: AnswerReader, says: list[str]) -> None:
        self._tells = tuple(fact.proves for fact in task.user.facts if fact.proves)
        self._reader, self._says = reader, says

    async def open(self) -> UserReply:
        return await self.reply("", ())

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        reply = UserReply(self._says.pop(0), tells=self._tells) if self._says else UserReply("Goodbye.", ends=True)
        return replace(reply, taken=tuple(take(self._reader, said).items()))


def keep(path: Path, domain: Domain, played: Sequence[EpisodeRecord], *, trials: int = 3) -> Run:
    """Store these episodes as a run, and read it back."""
    plan = EvaluationPlan(RunConfig(agent="by hand", user="by hand"), (domain,), choose_tasks([domain]), trials)
    writer = StoreWriter(path, prepare_store(path, plan))
    writer.append([attempt_of(replace(each, idle=0)) for each in played])
    writer.close()
    return read_run(path)


def play(
    domain: Domain, task_id: str, turns: Sequence[Turn], *, trial: int = 0, answers: Sequence[str] = ()
) -> EpisodeRecord:
    """Play one episode: the agent takes its turns and then gives up; the user says its first words and the answers."""
    task = find_task(domain, task_id)
    doing = [_turn(turn, number) for number, turn in enumerate([*turns, ""])]
    user = _Answering(answers)
    record = play_one(domain, start_world(task, domain), Doing(*doing), task, trial, user=user)
    return replace(record, tokens={"prompt": 1200, "completion": 80, "cached": 0}, cost=0.01, seconds=1.5)


def play_reference(domain: Domain, task_id: str, *, trial: int = 0, before: Sequence[Turn] = ()) -> EpisodeRecord:
    """Play one episode of an agent that knows the reference chain, after other turns."""
    task = find_task(domain, task_id)
    chain = play_one(domain, start_world(task, domain), ReferenceAgent(), task)
    made: list[Turn] = [[(call.name, call.arguments)] for message in chain.messages for call in message.calls]
    told = "\n".join(f"{answer.name}: {told_value(answer)}" for answer in task.answers)
    return play(domain, task_id, [*before, *made, told or "All of that is done."], trial=trial)


def void(record: EpisodeRecord) -> EpisodeRecord:
    """Return the same episode, except that a fault of ours ended it."""
    return replace(
        record,
        end="void",
        why="Tool 'renew_loan' crashed.",
        reward=None,
        progress=0.0,
        differences=(),
        pairs=(),
        fault="environment",
        reason="a tool crashed",
    )


def some_episodes(domain: Domain) -> list[EpisodeRecord]:
    """Play episodes of most kinds: reached, wrong value, collateral, missing, rejected, hostile, given up, void."""
    wrong_hold: list[Turn] = [
        [("register_member", {"name": "Tom Kowalski", "email": "other@example.org", "phone": "(614) 555-0142"})],
        [("place_hold", {"member_id": "MEMBER-0051", "book_id": "BOOK-0014", "note": "Only on Mondays"})],
        "You are in the queue.",
    ]
    rejected: list[Turn] = [[("renew_loan", {"loan_id": "LOAN-9999"}), ("no_such_tool", {})]]
    other_loan: list[Turn] = [[("renew_loan", {"loan_id": "LOAN-0046"})], "It is yours until 2026-04-03."]
    hostile: list[Turn] = [HOSTILE, [("find_member", {"email": HOSTILE})], HOSTILE]
    return [
        play_reference(domain, "keep-a-book", trial=0),
        play(domain, "keep-a-book", [*rejected, *other_loan], trial=1, answers=["Thank you."]),
        play(domain, "keep-a-book", hostile, trial=2, answers=[HOSTILE]),
        play_reference(domain, "card-and-queue", trial=0, before=rejected),
        play(domain, "card-and-queue", wrong_hold, trial=1),
        play(domain, "card-and-queue", [], trial=2),
        play_reference(domain, "late-and-next", trial=0),
        play_reference(domain, "late-and-next", trial=1),
        void(play_reference(domain, "late-and-next", trial=2)),
    ]


def _turn(turn: Turn, number: int) -> AssistantTurn:
    if isinstance(turn, str):
        return AssistantTurn(turn, note="" if turn else "It had nothing more to say.")
    return AssistantTurn(
        "", tuple(ToolCall(f"call_{number}_{at}", name, given) for at, (name, given) in enumerate(turn))
    )
