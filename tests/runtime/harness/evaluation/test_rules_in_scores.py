"""What a run says of the rules that its episodes broke: the share without a violation, and the other reward."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.evaluation.store import Run, read_run
from runtime.harness.evaluation.summary import describe as describe_summary
from runtime.harness.evaluation.summary import summarize
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.playing import sit

RULES = '''"""Rules."""

from runtime import Database
from runtime.rules import Call, rule


@rule("NOTHING_BACK", on={"return_book": "loan_id"})
def nothing_back(call: Call, now: Database, start: Database) -> bool:
    """Nothing is taken back."""
    return False
'''
STATE = "final_state"


@pytest.fixture(scope="module")
def stern(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """The library with one rule, which the way to one of three tasks breaks."""
    folder = Path(shutil.copytree(LIBRARY, tmp_path_factory.mktemp("stern") / "library"))
    (folder / "rules.py").write_text(RULES)
    task = next(line for line in (folder / "tasks.jsonl").read_text().splitlines() if '"return_book"' in line)
    others = [line for line in (folder / "tasks.jsonl").read_text().splitlines() if '"return_book"' not in line][:2]
    (folder / "tasks.jsonl").write_text("\n".join([*others, task]))
    return load_domain(folder)


@pytest.fixture(scope="module")
def run(stern: Domain, tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("run") / "run.db"
    sit(path, stern)
    return read_run(path)


def by_state(run: Run) -> Run:
    return replace(run, config=replace(run.config, reward=STATE))


def test_the_scores_say_how_many_episodes_broke_no_rule(run: Run) -> None:
    summary = summarize(run)
    assert summary.scores.avg_at_k[0].value == pytest.approx(2 / 3)
    assert summary.as_json()["without_violation"] == round(2 / 3, 6)
    assert "66.7% of the episodes broke no rule." in list(describe_summary(summary))


def test_the_reward_of_the_state_alone_counts_none_and_is_named(run: Run) -> None:
    assert dict(summarize(run).failures) == {("agent", "broke NOTHING_BACK"): 1}
    summary = summarize(by_state(run))
    assert summary.scores.avg_at_k[0].value == 1.0
    assert STATE in next(describe_summary(summary))
