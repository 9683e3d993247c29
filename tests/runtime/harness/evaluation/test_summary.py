"""Claims about what is said of a run, and while it goes."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.evaluation.store import read_run
from runtime.harness.evaluation.summary import describe, summarize
from runtime.page.figures import describe_run
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.playing import fail_at, sit
from tests.runtime.harness.evaluation.test_evaluate import Void

RULES = '''"""Rules."""

from runtime import Database
from runtime.rules import Call, rule


@rule("NOTHING_BACK", on={"return_book": "loan_id"})
def nothing_back(call: Call, now: Database, start: Database) -> bool:
    """Nothing is taken back."""
    return False
'''


def test_json_has_everything_that_was_counted_and_only_what_was_asked_for(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    sit(path, library, play=fail_at([("keep-a-book", 0)]), trials=2)
    figures = summarize(read_run(path)).as_json()
    assert {"avg_at_k", "pass_at_k", "pass_hat_k", "by_domain", "by_difficulty", "tokens", "cost"} <= figures.keys()
    assert (figures["episodes"], figures["void"], figures["idle"], figures["owed"]) == (6, 0, 0.0, 0)
    assert [each["value"] for each in figures["pass_hat_k"]] == pytest.approx([5 / 6, 2 / 3], abs=1e-6)
    assert [each["value"] for each in figures["pass_at_k"]] == pytest.approx([5 / 6, 1.0], abs=1e-6)
    assert figures["by_domain"]["library"]["episodes"] == 6
    assert figures["by_difficulty"]["unknown"]["tasks"] == 3
    assert figures["faults"] == {"agent": 1}
    assert sum(figures["ends"].values()) == 6
    assert [bool(each["reason"]) for each in figures["failures"]] == [True]
    assert figures["store"] == str(path)
    part = summarize(read_run(path), [("library", "late-and-next"), ("library", "card-and-queue")], 1)
    assert (part.scores.episodes, part.scores.avg_at_k[0].value) == (2, 1.0)


def test_a_partial_run_says_how_much_is_missing_in_the_terminal_and_on_the_page(
    library: Domain, tmp_path: Path
) -> None:
    path = tmp_path / "run.db"
    sit(path, library, trials=2)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM episode WHERE trial = 1 AND task <> 'keep-a-book'")
    said = "Partial run: 2 of 6 episodes are missing; the scores are of the 4 that were played."
    assert said in " ".join(describe(summarize(read_run(path)), 200))
    assert describe_run(read_run(path))["notes"][0] == said


def test_void_episodes_are_shown_with_both_bounds_and_their_cost(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    sit(path, library, play=Void(99), tasks="keep-a-book")
    summary = summarize(read_run(path))
    assert [each[:3] for each in summary.failures] == [("environment", "a crash", 1)]
    assert (summary.cost, summary.owed) == (0.75, 1)
    lines = list(describe(summary))
    assert "1 task, 1 episode, 1 void, 1 owed" in lines
    assert "There is no score: every episode is void, and void episodes are not scored." in lines
    assert not [line for line in lines if line.startswith("Avg@")]
    sit(path, library, tasks="late-and-next")
    bounds = "counted as failed they would make this 0.500, as rewarded 1.000."
    assert bounds in " ".join(describe(summarize(read_run(path)), 200))


def test_a_run_says_how_many_episodes_broke_no_rule_and_the_reward_of_the_state_counts_none(tmp_path: Path) -> None:
    folder, path = Path(shutil.copytree(LIBRARY, tmp_path / "library")), tmp_path / "run.db"
    (folder / "rules.py").write_text(RULES)  # the way to one of three tasks breaks it
    sit(path, load_domain(folder))
    run = read_run(path)
    summary = summarize(run)
    assert [each[:3] for each in summary.failures] == [("agent", "broke NOTHING_BACK", 1)]
    assert (summary.scores.avg_at_k[0].value, summary.as_json()["without_violation"]) == (
        pytest.approx(2 / 3),
        round(2 / 3, 6),
    )
    assert "66.7% of the episodes broke no rule." in list(describe(summary))
    by_state = summarize(replace(run, config=replace(run.config, reward="final_state")))
    assert by_state.scores.avg_at_k[0].value == 1.0
    assert "final_state" in next(describe(by_state))
