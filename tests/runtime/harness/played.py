"""Run stores whose episodes were really played: on a session of the library, judged on its own database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.harness.conversation import AssistantTurn, ToolCall, UserReply
from runtime.harness.episode import Episode, ToolAnswer
from runtime.harness.evaluation.plan import EvaluationPlan, RunConfig, choose_tasks
from runtime.harness.evaluation.store import Run, StoreWriter, attempt_of, prepare_store, read_run
from runtime.harness.play import judge_episode, unjudged
from runtime.harness.record import EpisodeRecord
from runtime.session.session import Session
from runtime.task.answers import told_value
from runtime.task.judge import answer_reader
from runtime.task.task import bind, start_world
from runtime.task.task_file import read_tasks
from tests.runtime.harness.wishes import take

HOSTILE = "</script><img src=x onerror=alert(1)><!-- <script> \u2028 \x00 & \"'"
"""What a conversation may hold and a page must survive."""

Turn = str | list[tuple[str, Any]]  # what the agent says, or the calls that it makes


def keep(path: Path, domain: Domain, played: Sequence[EpisodeRecord], *, trials: int = 3) -> Run:
    """A run store with these episodes, and the run as it is read back."""
    plan = EvaluationPlan(RunConfig(agent="by hand", user="by hand"), (domain,), choose_tasks([domain]), trials)
    writer = StoreWriter(path, prepare_store(path, plan))
    for each in played:
        writer.append([attempt_of(replace(each, idle=0))])
    writer.close()
    return read_run(path)


def play(
    domain: Domain, task_id: str, turns: Sequence[Turn], *, trial: int = 0, answers: Sequence[str] = ()
) -> EpisodeRecord:
    """One episode: the agent takes its turns and then gives up; the user says its first words, the answers, goodbye."""
    task = read_tasks(domain)[task_id]
    world = start_world(task, domain)
    episode = Episode(f"It is {domain.now}.")
    replies = iter([task.user.words[0], *answers])
    waiting = iter(turns)
    reader = answer_reader(task, domain, world)
    with Session(domain, world) as session:
        while episode.needs != "nothing":
            if episode.needs == "user":
                said = next(replies, None)
                told = [message.text for message in episode.messages if message.by_agent]
                taken = tuple(take(reader, told[-1] if told else "").items())
                known = tuple(fact.proves for fact in task.user.facts if fact.proves)
                reply = UserReply("Goodbye.", ends=True) if said is None else UserReply(said, tells=known)
                episode.user(replace(reply, taken=taken))
            elif episode.needs == "assistant":
                episode.assistant(_turn(next(waiting, ""), len(episode.messages)))
            else:
                outcomes = [session.perform(call.name, call.arguments) for call in episode.pending]
                episode.tools([ToolAnswer(each.text, each.rejection is not None) for each in outcomes])
        record = judge_episode(unjudged(task, trial, episode), task, domain, world, session.changes)
    tokens = {"prompt": 1200, "completion": 80, "cached": 0}
    return replace(record, tokens=tokens, cost=0.01, seconds=1.5)


def play_reference(domain: Domain, task_id: str, *, trial: int = 0, before: Sequence[Turn] = ()) -> EpisodeRecord:
    """One episode of an agent that knows the reference chain, after other turns."""
    task = read_tasks(domain)[task_id]
    with Session(domain, start_world(task, domain)) as session:
        results: list[Mapping[str, Any]] = []
        turns: list[Turn] = [*before]
        for step in task.chain:
            arguments = bind(step.arguments, results)
            turns.append([(step.tool, arguments)])
            results.append(session.call(step.tool, **arguments))
    told = "\n".join(f"{answer.name}: {told_value(answer)}" for answer in task.answers)
    return play(domain, task_id, [*turns, told or "All of that is done."], trial=trial)


def void(record: EpisodeRecord) -> EpisodeRecord:
    """The same episode, but that a fault of ours ended it."""
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
    """Episodes of most kinds: reached, wrong value, collateral, missing, rejected, hostile, given up, void."""
    wrong_hold: list[Turn] = [
        [("register_member", {"name": "Tom Kowalski", "email": "other@example.org", "phone": "(614) 555-0142"})],
        [("place_hold", {"member_id": "MEMBER-0051", "book_id": "BOOK-0014", "note": "Only on Mondays"})],
        "You are in the queue.",
    ]
    rejected: list[Turn] = [[("renew_loan", {"loan_id": "LOAN-9999"}), ("no_such_tool", {})]]
    other_loan: list[Turn] = [[("renew_loan", {"loan_id": "LOAN-0046"})], "It is yours until 2026-04-03."]
    return [
        play_reference(domain, "keep-a-book", trial=0),
        play(domain, "keep-a-book", [*rejected, *other_loan], trial=1, answers=["Thank you."]),
        play(
            domain, "keep-a-book", [HOSTILE, [("find_member", {"email": HOSTILE})], HOSTILE], trial=2, answers=[HOSTILE]
        ),
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
