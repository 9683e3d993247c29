"""Episodes on a failing service: who looks before repeating wins, who repeats does it twice; over every wire."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.agents.careful import BlindAgent, CarefulAgent, hidden_writes
from runtime.harness.connection import TRANSPORTS, Transport
from runtime.harness.outcome import violations_in
from runtime.harness.record import EpisodeRecord, write_record
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.faults import FAULT_PLANS, FaultPlan
from runtime.session.world import World
from runtime.task.task import start_world
from runtime.task.task_file import read_tasks
from tests.runtime.harness.acting import IDENTIFY, KEPT, NORA, RENEW, Doing, calls, play_one, says
from worldsmith import Rollout, evaluate, tasks

GARDEN = Path(__file__).parents[3] / "domains" / "community_garden"
AFTER = FaultPlan(name="after", timeout_after=1.0, most_in_a_row=1)


@pytest.fixture(scope="module")
def garden() -> Domain:
    return load_domain(GARDEN)


def _play(domain: Domain, agent: Any, count: int, plan: FaultPlan) -> list[EpisodeRecord]:
    tasks = list(read_tasks(domain).values())[:count]
    return [
        play_one(domain, start_world(task, domain), agent, task, faults=plan, user=ScriptedKind()) for task in tasks
    ]


def test_who_looks_before_repeating_wins_every_task_of_a_harsh_service(garden: Domain) -> None:
    records = _play(garden, CarefulAgent(), 24, FAULT_PLANS["harsh"])
    assert [record.reward for record in records] == [1] * 24
    met = {message.fault for record in records for message in record.messages}
    assert met == {"", "timeout_before", "timeout_after", "rate_limit", "unavailable", "slow"}


def test_who_repeats_at_once_does_it_twice(garden: Domain) -> None:
    records = _play(garden, BlindAgent(), 24, AFTER)
    failed = [record for record in records if not record.reward]
    assert failed
    assert {record.reason for record in failed} == {"did it twice"}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_wire_meets_the_same_faults(transport: Transport, library: Domain, world: World) -> None:
    def told(wire: Transport) -> Any:
        record = play_one(
            library, world, CarefulAgent(), faults=FAULT_PLANS["harsh"], transport=wire, user=ScriptedKind()
        )
        return [(each.role, each.text, each.fault) for each in record.messages], record.reward, record.service_faults

    assert told(transport) == told("session")


@pytest.mark.parametrize("faults", [None, AFTER])
@pytest.mark.parametrize("transport", ["session", "memory"])
def test_a_session_finds_the_broken_rules_that_its_record_has(
    transport: Transport, faults: FaultPlan | None, library: Domain, world: World
) -> None:
    member, loan = IDENTIFY[1]["member_id"], RENEW["loan_id"]
    declined = {"member_id": member, "subject_id": loan, "rule_code": "RENEWAL_WINDOW"}
    read, renew = ("find_member", NORA), ("renew_loan", RENEW)
    agent = Doing(calls(read, ("decline_request", declined)), calls(read, renew), calls(renew, IDENTIFY), says(KEPT))
    record = play_one(library, world, agent, transport=transport, faults=faults)
    task = read_tasks(library)[record.task]
    assert record.violations == violations_in(task, library, world, record.messages)
    assert {(each.rule, each.call) for each in record.violations} >= {("IDENTIFIED_FIRST", 4), ("RENEWAL_WINDOW", 5)}


def test_an_episode_repeats_byte_for_byte(library: Domain, world: World) -> None:
    played = [
        write_record(replace(play_one(library, world, BlindAgent(), faults=FAULT_PLANS["harsh"]), seconds=0.0))
        for _ in range(2)
    ]
    assert played[0] == played[1]


def test_every_write_of_the_library_can_be_looked_up(library: Domain) -> None:
    assert [hidden_writes(task, library) for task in read_tasks(library).values()] == [set()] * 3


def test_an_evaluation_names_its_plan(library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--agent", "careful", "--faults", "mild", "--store", str(tmp_path / "run.db"), "--json"]
    assert main(["eval", str(library.path), *options]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["config"]["faults"] == "mild"
    assert figures["avg_at_k"][0]["value"] == 1.0


def test_an_unknown_plan_is_refused_before_anything_is_played(library: Domain, tmp_path: Path) -> None:
    options = ["--agent", "careful", "--faults", "cruel", "--store", str(tmp_path / "run.db")]
    assert main(["eval", str(library.path), *options]) == 2
    assert not (tmp_path / "run.db").exists()


def test_python_plays_on_a_failing_service_too() -> None:
    played = evaluate(tasks("library")[:6], "careful", faults="harsh")
    assert [each.verdict.reward for each in played.trials if each.verdict] == [1] * 6
    with Rollout(tasks("library")[0], faults="harsh").sync() as rollout:
        assert "wait" in [each["function"]["name"] for each in rollout.tools]
