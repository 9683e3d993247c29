"""Curricula from rates: what is dropped, how the mean falls, and that every domain has its share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.domain.load import find_domain
from runtime.harness.evaluation.rates import Rate, digests_of, keep_rates
from runtime.suites import open_members, read_suite
from runtime.task.task_file import read_tasks
from tests.conftest import Cli

DOMAINS = ("library", "community_garden")


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """Rates of a made up agent: of task number k, k of 20 trials modulo 21; a suite beside them."""
    measured = []
    for name in DOMAINS:
        domain = find_domain(name)
        tasks = {(name, task.id): task for task in read_tasks(domain).values()}
        digests = digests_of(tasks, {name: domain.digest})
        about = {"level": 1, "forms": (), "agent": "made-up", "user": "scripted", "policy": True}
        about |= {"reward": "final_state_and_rules", "limits": (100, 200, 1800.0), "n": 20}
        measured += [
            Rate(domain=name, task=id_[1], digest=digests[id_], c=number % 21, **about)  # type: ignore[arg-type]
            for number, id_ in enumerate(tasks)
        ]
    path = tmp_path / "rates.jsonl"
    keep_rates(path, measured)
    (tmp_path / "two.toml").write_text("format = 1\n" + "".join(f"[domains.{name}]\n" for name in DOMAINS))
    return path


def test_stages_fall_in_rate_and_share_alike(rates: Path, cli: Cli) -> None:
    out = rates.parent / "stages"
    words = ("suite", "mix", rates.with_name("two.toml"), "--rates", rates, "--out", out, "--tasks", 40, "--stages", 3)
    found = json.loads(cli(*words, "--json"))
    assert found["dropped"]["always solved"] > 0
    assert found["dropped"]["never solved"] > 0
    means = [stage["mean"] for stage in found["stages"]]
    assert means[0] > means[1] > means[2]
    assert means[0] == pytest.approx(0.7, abs=0.1)
    assert all(stage["domains"] == {"library": 20, "community_garden": 20} for stage in found["stages"])
    for number in (1, 2, 3):
        members = open_members(read_suite(out / f"two-stage-{number}.toml"))
        assert sum(len(each.tasks) for each in members) == 40
    before = (out / "two-stage-1.toml").read_bytes()
    cli(*words)
    assert (out / "two-stage-1.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--tasks", 10_000), "--tasks is 10000; "),
        (("--tasks", 4, "--agent", "nobody"), "No rates of the agent 'nobody'"),
    ],
)
def test_what_cannot_be_drawn_is_said(rates: Path, more: tuple[object, ...], said: str, cli: Cli) -> None:
    words = ("suite", "mix", rates.with_name("two.toml"), "--rates", rates, "--out", rates.parent / "stages")
    assert said in cli(*words, *more, status=2)


def test_rates_of_tasks_that_have_changed_do_not_count(rates: Path, cli: Cli) -> None:
    lines = [json.loads(line) | {"digest": "0" * 64} for line in rates.read_text().splitlines()]
    rates.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    words = ("suite", "mix", rates.with_name("two.toml"), "--rates", rates, "--out", rates.parent / "stages")
    assert "304 without a rate" in cli(*words, "--tasks", 4, status=2)
