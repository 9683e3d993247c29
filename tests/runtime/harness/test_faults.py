"""Episodes on a failing service: an agent that looks before it repeats wins, one that repeats at once does it twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.agents.careful import BlindAgent, CarefulAgent, find_looks, hidden_writes
from runtime.harness.conversation import AgentKind
from runtime.harness.evaluation.plan import RunConfig
from runtime.harness.outcome import violations_in
from runtime.harness.record import EpisodeRecord, read_changes, write_record
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.clock import ClockPlan
from runtime.session.faults import FAULT_PLANS, FaultPlan
from runtime.session.hybrid import start_session
from runtime.session.world import World
from runtime.task.task import Step, bind, replay, start_world
from runtime.task.task_file import read_tasks
from tests.runtime.harness.acting import IDENTIFY, KEPT, NORA, RENEW, Doing, calls, play_one, says
from worldsmith import Rollout, evaluate, tasks

GARDEN = Path(__file__).parents[3] / "domains" / "community_garden"
AFTER = FaultPlan(name="after", timeout_after=1.0, most_in_a_row=1)
HARSH = FAULT_PLANS["harsh"]


def play_garden(agent: AgentKind, plan: FaultPlan) -> list[EpisodeRecord]:
    """Play the first three tasks of the garden that write something."""
    domain = load_domain(GARDEN)
    chosen = [task for task in read_tasks(domain).values() if task.expected][:3]
    return [
        play_one(domain, start_world(task, domain), agent, task, faults=plan, user=ScriptedKind()) for task in chosen
    ]


def test_an_agent_that_looks_before_it_repeats_wins_on_a_harsh_service() -> None:
    records = play_garden(CarefulAgent(), HARSH)
    assert [record.reward for record in records] == [1] * 3
    met = {message.fault for record in records for message in record.messages} - {""}
    assert met <= {"timeout_before", "timeout_after", "rate_limit", "unavailable", "slow"}
    assert len(met) > 2


def test_an_agent_that_repeats_at_once_does_it_twice() -> None:
    failed = [record for record in play_garden(BlindAgent(), AFTER) if not record.reward]
    assert failed
    assert {record.reason for record in failed} == {"did it twice"}


def test_a_look_shows_a_write_whenever_it_happened() -> None:
    domain, tool = load_domain(GARDEN), "add_charge"
    every = read_tasks(domain).values()
    task, at = next((each, n) for each in every for n, step in enumerate(each.chain) if step.tool == tool)
    world = start_world(task, domain).planned(ClockPlan(until=f"{domain.now[:10]} 23:00:00"))
    look = find_looks(task, domain, world)[at]
    assert look is not None
    assert not look.repeats
    assert look.stamps
    with start_session(domain, world) as session:
        results = replay(session, task.chain[:at])
        session.call("wait", seconds=90)
        assert not look.sees(session.call(look.tool, **look.arguments))
        session.call(tool, **bind(task.chain[at].arguments, results))
        assert look.sees(session.call(look.tool, **look.arguments))


def test_a_look_remembers_how_a_row_was_found_long_ago(library: Domain, world: World) -> None:
    with start_session(library, world) as session:
        rows = session.read_start("SELECT email, owed_cents FROM member ORDER BY owed_cents DESC LIMIT 12")
    finds = [Step(tool="find_member", arguments={"email": email}) for email, _ in rows]
    of_first = {"member_id": {"$step": 0, "path": "member_id"}, "cents": rows[0][1]}
    chain = [*finds, Step(tool="forgive_debt", arguments=of_first)]
    task = tasks("library")[0].task.model_copy(update={"chain": chain})
    look = find_looks(task, library, world)[len(finds)]
    assert look is not None
    assert look.arguments == finds[0].arguments


@pytest.mark.parametrize("faults", [None, AFTER])
def test_a_session_finds_the_broken_rules_that_its_record_has(
    faults: FaultPlan | None, library: Domain, world: World
) -> None:
    member, loan = IDENTIFY[1]["member_id"], RENEW["loan_id"]
    declined = {"member_id": member, "subject_id": loan, "rule_code": "RENEWAL_WINDOW"}
    read, renew = ("find_member", NORA), ("renew_loan", RENEW)
    agent = Doing(calls(read, ("decline_request", declined)), calls(read, renew), calls(renew, IDENTIFY), says(KEPT))
    record = play_one(library, world, agent, faults=faults)
    task = read_tasks(library)[record.task]
    assert record.violations == violations_in(task, library, world, record.messages, read_changes(record.final))
    assert {(each.rule, each.call) for each in record.violations} >= {("IDENTIFIED_FIRST", 4), ("RENEWAL_WINDOW", 5)}


def test_an_episode_repeats_byte_for_byte_and_every_write_can_be_looked_up(library: Domain, world: World) -> None:
    one, other = (
        write_record(replace(play_one(library, world, BlindAgent(), faults=HARSH), seconds=0.0)) for _ in range(2)
    )
    assert one == other
    assert [hidden_writes(task, library) for task in read_tasks(library).values()] == [set()] * 3


def test_the_agents_name_in_scores_has_the_plan() -> None:
    assert RunConfig(agent="careful", faults="mild").shown == "careful (faults mild)"


def test_python_plays_on_a_failing_service_too() -> None:
    played = evaluate(tasks("library")[:2], "careful", faults="harsh")
    assert [each.verdict.reward for each in played.trials if each.verdict] == [1] * 2
    with Rollout(tasks("library")[0], faults="harsh").sync() as rollout:
        assert "wait" in [each["function"]["name"] for each in rollout.tools]
