"""`rescore --judge`: opinions beside the verdicts, by toys and by a model over files, and agents that fool the toys."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from tests.conftest import Cli


@pytest.mark.parametrize(
    ("agent", "judge", "passed"), [("claimer", "lexical", 20), ("claimer", "polite", 18), ("claimer", "busy", 0)]
)
def test_a_toy_judge_passes_what_only_claims_and_the_rule_does_not(
    agent: str, judge: str, passed: int, tmp_path: Path, cli: Cli
) -> None:
    store = tmp_path / "run.db"
    cli("eval", "library", "-n", 20, "--agent", agent, "--store", store)
    before = store.read_bytes()
    found = json.loads(cli("rescore", store, "--judge", judge, "--json"))["judge"]
    assert (found["false_passes"]["count"], found["false_passes"]["of"]) == (passed, 20)
    assert found["false_fails"] == {"count": 0, "of": 0, "interval": [None, None]}
    assert store.read_bytes() == before
    assert len((tmp_path / f"run.judge-{judge}.jsonl").read_text().splitlines()) == 21


def test_a_model_is_asked_once_and_told_what_was_said(tmp_path: Path, cli: Cli) -> None:
    store, folder = tmp_path / "run.db", tmp_path / "relay"
    cli("eval", "library", "--task", "keep-a-book", "--agent", "reference", "--store", store)
    asked: list[str] = []
    stop = threading.Event()

    def answer_all() -> None:
        while not stop.wait(0.05):
            for request in folder.glob("judge.*.request.md"):
                answer = request.with_name(request.name.replace(".request.md", ".answer.json"))
                if not answer.exists():
                    asked.append(request.read_text())
                    answer.with_suffix(".tmp").write_text('{"requests": [{"why": "no", "handled": false}]}')
                    answer.with_suffix(".tmp").rename(answer)

    thread = threading.Thread(target=answer_all)
    thread.start()
    try:
        words = ("rescore", store, "--judge", f"relay:{folder}", "--judge-sees", "calls", "--json")
        first, second = (json.loads(cli(*words))["judge"] for _ in range(2))
    finally:
        stop.set()
        thread.join()
    assert first == second
    assert (first["false_fails"]["count"], first["false_fails"]["of"], first["failed"]) == (1, 1, 0)
    (question,) = asked
    assert "CALL: " in question
    assert "TOOL: " in question


def test_an_unknown_judge_is_refused_before_anything_is_written(tmp_path: Path, cli: Cli) -> None:
    store = tmp_path / "run.db"
    cli("eval", "library", "-n", 1, "--agent", "idle", "--store", store)
    assert "or a toy: lexical, polite, busy." in cli("rescore", store, "--judge", "wise", status=2)
    assert not list(tmp_path.glob("*judge*"))
