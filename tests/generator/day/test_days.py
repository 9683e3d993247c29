"""A day at the office: proven tasks as messages of an inbox, each judged by itself."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

import worldsmith
from generator.day import make
from generator.day.items import FoundItems, ItemsRequest, find_items
from generator.day.make import compose_day
from generator.day.messages import single, unclear
from generator.day.office import check_days, make_office
from generator.tasks.proofs.all import prove_line
from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.agents.careful import hidden_writes
from runtime.harness.choose import choose_agent
from runtime.harness.play import Setting, play
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.faults import FAULT_PLANS
from runtime.session.session import Session, open_stored_session
from runtime.task.judge import judge
from runtime.task.mistakes import NEWEST, TAKES_ALONE, mistaken, newest_first
from runtime.task.origin import steps_named
from runtime.task.task import Task, bind, replay, start_world
from runtime.task.task_file import parse_task, task_line
from worldsmith.catalog import DomainTask
from worldsmith.rollout import Rollout

LIBRARY = Path("domains/library")
KILLED_AT = 8  # the message that nothing was done for yet, of 20


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return make_office(worldsmith.load(str(LIBRARY)), tmp_path_factory.mktemp("office") / "library_day")


@pytest.fixture(scope="module")
def found() -> FoundItems:
    return find_items(ItemsRequest(LIBRARY, seed=1, day=0, messages=20, rows=3_000))


@pytest.fixture(scope="module")
def day(office: Domain, found: FoundItems) -> Task:
    return compose_day(office, "day-of-tests", list(found.groups(office)))


def test_a_day_is_judged_item_by_item(office: Domain, day: Task) -> None:
    world = start_world(day, office)
    for left_out in (None, 0, 12):
        read = next(step for step in day.chain if step.wish == left_out or left_out is None)
        with Session(office, world) as session:
            replay(session, [read if step.wish == left_out else step for step in day.chain])
            verdict = judge(day, office, world, session.changes)
        assert wrong_items(verdict.components) == ([] if left_out is None else [left_out])
        assert verdict.progress == (1.0 if left_out is None else 0.95)


def test_senders_add_correct_take_back_and_ask_again(found: FoundItems, day: Task) -> None:
    decided = Counter(each.decides for each in day.decisions)
    assert found.messages == len(day.user.wishes) == len(day.added) == 20
    assert decided["withdrawn"] == decided["repeated"] == 1
    assert decided["set_aside"] == 2
    senders = Counter(str(row.columns["sender_name"]) for row in day.added)
    assert sum(count == 2 for count in senders.values()) >= 5
    outcomes = Counter(step.arguments.get("outcome", step.arguments.get("reason")) for step in day.chain)
    assert {"done", "declined", "withdrawn", "beyond_tools", "unclear"} <= outcomes.keys()


def test_who_wrote_first_gets_what_only_one_can_have(office: Domain, day: Task) -> None:
    (later,) = [each for each in day.decisions if each.decides == "denied" and each.after]
    lost = [later.after[0], later.wish]
    task, world = (
        newest_first(mistaken(day, [each for each in day.mistakes if each.name == NEWEST])),
        start_world(day, office),
    )
    assert task.chain[0].wish == 19
    with Session(office, world) as session:
        replay(session, task.chain)
        assert wrong_items(judge(day, office, world, session.changes).components) == lost


def test_an_agent_that_reads_no_message_in_the_light_of_another_loses_those(office: Domain, day: Task) -> None:
    alone = [each for each in day.mistakes if each.name == TAKES_ALONE]
    own = [each.wish for each in day.decisions if each.decides in ("withdrawn", "repeated")]
    world = start_world(day, office)
    with Session(office, world) as session:
        for step in mistaken(day, alone).chain:
            assert not set(steps_named(step.arguments)) - set(range(len(day.chain)))
        replay(session, mistaken(day, alone).chain)
        assert wrong_items(judge(day, office, world, session.changes).components) == own


def test_a_day_that_is_killed_goes_on_where_it_was(office: Domain, day: Task, tmp_path: Path) -> None:
    (tmp_path / "day.jsonl").write_text(task_line(day), "utf-8")
    command = [sys.executable, "-m", "tests.generator.day.test_days", str(office.path), str(tmp_path)]
    assert subprocess.run(command, check=False, timeout=120).returncode == -signal.SIGKILL
    world, done = start_world(day, office), next(at for at, step in enumerate(day.chain) if step.wish == KILLED_AT)
    with Session(office, world) as undisturbed, open_day(office, day, tmp_path) as session:
        results = replay(undisturbed, day.chain)
        for step in day.chain[done:]:
            session.call(step.tool, **bind(step.arguments, results))
        assert session.digest() == undisturbed.digest()


def wrong_items(components: Mapping[str, int]) -> list[int]:
    """Return the numbers of the messages that went wrong, from 0."""
    return [
        int(name[len("request_") :]) - 1 for name, right in components.items() if name[:8] == "request_" and not right
    ]


def test_the_manager_opens_and_says_what_is_left(office: Domain, day: Task) -> None:
    task = DomainTask(office, day)
    with Rollout(task).sync() as rollout:
        messages = rollout.open()
        assert "work through the office's inbox" in messages[0]["content"]
        assert (
            "There are 15 messages in the inbox, and more will come in until we close at 5 PM"
            in messages[-1]["content"]
        )
        listed = json.loads(rollout.call("list_messages"))
        assert listed["total"] == 15
        first = listed["messages"][0]["message_id"]
        assert rollout.call("set_aside", {"message_id": first, "reason": "unclear"})
        assert "There are still new messages" in rollout.say("I'm done.")
        assert "There are still new messages" in rollout.say("I'm done.")
        rollout.say("I'm done.")
        assert rollout.done
        verdict = rollout.verdict()
    assert verdict.reward == 0
    assert verdict.components["request_1"] == 0


def test_messages_come_in_while_one_waits(office: Domain, day: Task) -> None:
    late = [str(row.columns["message_id"]) for row in day.added if str(row.columns["arrived_at"]) > office.now]
    assert day.clock is not None
    assert len(late) == len(day.clock.events) == 5
    with Session(office, start_world(day, office)) as session:
        for tool in ("read_message", "reply", "set_aside"):
            arguments = {"reply": {"outcome": "done", "text": "Done."}, "set_aside": {"reason": "unclear"}}.get(
                tool, {}
            )
            outcome = session.perform(tool, {"message_id": late[0], **arguments})
            assert outcome.rejection is not None
            assert outcome.rejection.kind == "NOT_FOUND", tool
        told = session.call("wait", until=day.clock.until)
        assert told["now"] == day.clock.events[0].at
        assert told["notices"][0]["text"] == day.clock.events[0].notice
        assert session.call("list_messages")["total"] == 16
        assert session.call("read_message", message_id=late[0])["state"] == "new"


@pytest.mark.parametrize(("agent", "reward"), [("reference", 1), ("sleeper", 1), ("eager", 0), ("newest_first", 0)])
def test_who_does_not_come_back_to_the_inbox_loses(agent: str, reward: int, office: Domain, day: Task) -> None:
    """The order and the time of the work are free: only what is never read, or decided otherwise, is lost."""
    setting = Setting(choose_agent(agent), ScriptedKind())
    record = asyncio.run(play(day, office, start_world(day, office), 0, setting))
    assert record.reward == reward, record.why
    if agent == "eager":
        late = [number for number, row in enumerate(day.added) if str(row.columns["arrived_at"]) > office.now]
        assert wrong_items(record.components) == late


def test_who_looks_before_repeating_wins_a_day_on_a_failing_service(office: Domain, day: Task) -> None:
    assert not hidden_writes(day, office)
    setting = Setting(choose_agent("careful"), ScriptedKind(), faults=FAULT_PLANS["harsh"])
    record = asyncio.run(play(day, office, start_world(day, office), 0, setting))
    assert record.reward == 1
    assert record.service_faults > 50


def test_what_is_taken_back_or_corrected_is_there_from_the_start(office: Domain, day: Task) -> None:
    at = [str(row.columns["arrived_at"]) for row in day.added]
    assert at == sorted(at)
    bound = [each for each in day.decisions if each.decides == "withdrawn"]
    bound_to = {number for each in bound for number in (each.wish, *each.after)}
    bound_to |= {
        number for n, wish in enumerate(day.user.wishes) if wish.amends is not None for number in (n, wish.amends)
    }
    assert bound_to
    assert all(at[number] <= office.now for number in bound_to)


def test_check_proves_a_day(office: Domain, day: Task) -> None:
    proven = prove_line(office, day, start_world(day, office))
    assert [(name, proof) for name, proof in proven.proofs.items() if not proof.holds] == []
    assert {"replay", "inert", "necessity", "documented", "mistakes"} <= proven.proofs.keys()


def test_items_that_meddle_with_each_other_make_no_day(office: Domain, found: FoundItems) -> None:
    item = found.items["allowed"][0]
    with pytest.raises(UsageError, match="on the day|another order"):
        compose_day(office, "day-of-two", [(single(item),), (single(item),)])


def test_a_world_with_too_few_customers_says_so(office: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "_ROWS", (100,))
    with pytest.raises(UsageError, match="library has only requests for .* messages .* a day of 40 needs 40"):
        make.make_day(make.DayRequest(LIBRARY, office.path, 1, 0, [40]))


def test_days_take_the_place_of_days_alone() -> None:
    with pytest.raises(UsageError, match="holds something else than days"):
        check_days(LIBRARY, replace=True)


def open_day(office: Domain, day: Task, root: Path) -> Session:
    return open_stored_session(office, root, "s", lambda: start_world(day, office), {})


if __name__ == "__main__":
    own, folder = worldsmith.load(sys.argv[1]), Path(sys.argv[2])
    task = parse_task((folder / "day.jsonl").read_text("utf-8"))
    replay(open_day(own, task, folder), [step for step in task.chain if step.wish < KILLED_AT])
    os.kill(os.getpid(), signal.SIGKILL)


def test_an_unclear_message_tells_nowhere_what_it_leaves_out(found: FoundItems) -> None:
    for item in found.items["unclear"]:
        (letter,) = unclear(item).letters
        kept = [fact for wish in item.user.wishes for fact in wish.facts if fact.withheld and not fact.proves]
        assert kept
        assert not [fact.said for fact in kept if fact.said in " ".join((letter.subject, *letter.words))]
