"""`tasks --aim`: more of what the agent of a run fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.tasks.aim import read_aim
from generator.tasks.compose import composable_scenarios
from runtime.domain.load import load_domain
from runtime.domain.people import DECLINE
from runtime.task.task_file import parse_task
from tests.conftest import SHIPPED_LIBRARY, Cli

COUNT = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("aim")


def _play(cli: Cli, folder: Path, agent: str) -> Path:
    store = folder / f"{agent}.db"
    cli("eval", SHIPPED_LIBRARY, "-n", 60, "--agent", agent, "--store", store)
    return store


def _shares(cli: Cli, out: Path, *words: object) -> tuple[float, float]:
    """The shares of tasks in which something is declined, and of those with two requests or more."""
    cli("tasks", SHIPPED_LIBRARY, "-n", COUNT, "--seed", 7, "--unverified", "--out", out, "--replace", *words)
    tasks = [parse_task(line) for line in out.read_bytes().splitlines()]
    declined = [any(step.tool == DECLINE for step in task.chain) for task in tasks]
    return sum(declined) / len(tasks), sum(len(task.user.wishes) > 1 for task in tasks) / len(tasks)


def test_what_an_agent_fails_comes_more_often_and_the_same_every_time(cli: Cli, folder: Path) -> None:
    store = _play(cli, folder, "comply_all")  # whatever a rule forbids, it does
    plain, _ = _shares(cli, folder / "plain.jsonl")
    aimed, _ = _shares(cli, folder / "aimed.jsonl", "--aim", store)
    assert aimed >= 1.5 * plain > 0
    before = (folder / "aimed.jsonl").read_bytes()
    _shares(cli, folder / "aimed.jsonl", "--aim", store, "--processes", 1)
    assert (folder / "aimed.jsonl").read_bytes() == before


def test_the_parts_that_fail_are_named_and_weigh_more(cli: Cli, folder: Path) -> None:
    domain = load_domain(SHIPPED_LIBRARY)
    forms = {name: getattr(program, "form", "direct") for name, program in composable_scenarios(domain).items()}
    aim = read_aim(_play(cli, folder, "comply_all"), domain, forms)
    assert {each.part.partition(" ")[0] for each in aim.parts[:3]} <= {"rule", "form"}
    assert all(each.rate > 0.5 for each in aim.parts[:3])
    weights = {denied: [each.weight for each in aim.scenarios if each.denied is denied] for denied in (True, False)}
    assert min(weights[True]) > 1
    assert sum(weights[True]) / len(weights[True]) > 2 * sum(weights[False]) / len(weights[False])


def test_a_run_without_a_failure_is_refused(cli: Cli, folder: Path) -> None:
    store = _play(cli, folder, "reference")
    said = cli("tasks", SHIPPED_LIBRARY, "-n", 4, "--aim", store, "--out", folder / "none.jsonl", status=2)
    assert "has no failed episode of 'library', so nothing to aim at." in said
    figures = json.loads(cli("tasks", SHIPPED_LIBRARY, "-n", 4, "--unverified", "--out", folder / "x.jsonl", "--json"))
    assert figures["aimed"] == []
