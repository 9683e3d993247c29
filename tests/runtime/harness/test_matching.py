"""Which matcher judges a run's texts: the reward's own, similarity or a model, each by name in what it scored."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.choose import ModelMatcher, choose_matcher
from runtime.harness.evaluation.rescore import rescore
from runtime.harness.evaluation.store import Run, read_run
from runtime.harness.record import read_record, write_record
from tests.runtime.harness.evaluation.playing import sit
from tests.runtime.model.messages_api import said, serve_messages
from tests.runtime.model.scripted import ScriptedModel

NOTE = "can only pick up on Saturdays after 2 PM"
TASK = "card-and-queue"


@pytest.fixture
def reworded(library: Domain, tmp_path: Path) -> Run:
    """A run in which the note, that the agent words itself, says something else."""
    path = tmp_path / "run.db"
    sit(path, library, tasks=TASK)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (line,) = connection.execute("SELECT record FROM episode").fetchone()
        assert NOTE in line
        record = read_record(line.replace(NOTE, "Comes whenever it suits"))
        connection.execute("UPDATE episode SET record = ?", (write_record(replace(record)),))
    return read_run(path)


@pytest.mark.parametrize("spec", ["fact", "anthropic:", "model", "recorded"])
def test_an_unknown_matcher_is_refused_with_the_choices(spec: str) -> None:
    with pytest.raises(UsageError, match=r"No matcher .*; have: similarity, anthropic:MODEL, openai:MODEL, relay"):
        choose_matcher(spec)


def test_a_model_is_asked_once_for_a_pair_and_not_for_equal_texts() -> None:
    model = ScriptedModel({"match": {"same": False, "reason": "another day"}})
    match = ModelMatcher(model)
    assert match("Call on Monday", "call on monday.").same
    assert not model.requests
    assert [match("Call on Monday", "Ring on Friday").reason for _ in range(2)] == ["another day"] * 2
    [request] = model.requests
    assert "Ring on Friday" in request.prompt


@pytest.mark.parametrize(("same", "flips"), [("true", 0), ("false", 1)])
def test_a_model_judges_it_over_its_api(reworded: Run, same: str, flips: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_messages(said(f'{{"same": {same}, "reason": "So it seems."}}')) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        judged = rescore(reworded, matcher="anthropic:stub")
    assert len(judged.flips) == flips
    assert judged.as_json()["matcher"] == "anthropic:stub"
