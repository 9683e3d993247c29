"""The ablation of examples/similar_texts.py: texts that the reward leaves free are compared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from examples.similar_texts import main
from runtime.domain.domain import Domain
from tests.runtime.harness.evaluation.playing import sit

NOTE = "can only pick up on Saturdays after 2 PM"


@pytest.mark.parametrize(
    ("note", "mean"), [("Can only pick up Saturdays, after 2 PM", "1.000"), ("Comes whenever it suits", "0.000")]
)
def test_a_reworded_note_is_judged_by_how_similar_it_is(
    library: Domain, tmp_path: Path, note: str, mean: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.db"
    sit(path, library, tasks="card-and-queue")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (line,) = connection.execute("SELECT record FROM episode").fetchone()
        assert NOTE in line
        connection.execute("UPDATE episode SET record = ?", (line.replace(NOTE, note),))
    main([str(path)])
    assert capsys.readouterr().out.splitlines()[-1] == f"mean reward 1.000, {mean} by similarity"
