"""What the studio says of evaluations: those in ./runs, one as its store grows, an episode, stores that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.conversation import system_message
from tests.runtime.harness.played import keep, some_episodes
from worldsmith.studio.runs import Runs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`./runs` of a working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


def test_every_store_has_a_card_also_one_that_cannot_be_read(library: Domain, folder: Path) -> None:
    keep(folder / "first.db", library, some_episodes(library)[:8])
    (folder / "odd.db").write_text("no database")
    elsewhere = folder.parent / "first.db"
    keep(elsewhere, library, [])
    cards = {each["run"]: each for each in Runs(elsewhere).list()}
    assert cards["first-2"]["file"] == str(folder / "first.db")
    shown = {name: cards["first-2"][name] for name in ("agent", "domains", "episodes", "asked", "void", "average")}
    average = pytest.approx((1 / 3 + 1 / 3 + 1) / 3)
    assert shown == {
        "agent": "by hand",
        "domains": ["library"],
        "episodes": 8,
        "asked": 9,
        "void": 0,
        "average": average,
    }
    assert (cards["first"]["episodes"], cards["first"]["average"]) == (0, None)
    assert "cannot be used as a run store" in cards["odd"]["error"]
    with pytest.raises(UsageError, match="There is no run 'second'; have: first"):
        Runs(elsewhere).describe("second")


def test_a_run_is_read_on_as_it_grows(library: Domain, folder: Path) -> None:
    played, path = some_episodes(library), folder / "run.db"
    runs = Runs()
    keep(path, library, played[:2])
    before = runs.describe("run")
    numbers = {(each["task"], each["trial"]): each["number"] for each in before["episodes"]}
    assert (before["count"], before["missing"]) == (2, 7)
    keep(path, library, played[2:])
    after = runs.describe("run")
    assert (after["count"], after["missing"]) == (9, 0)
    assert numbers.items() <= {(each["task"], each["trial"]): each["number"] for each in after["episodes"]}.items()
    assert after["headline"]["value"] == pytest.approx((1 / 3 + 1 / 3 + 1) / 3, abs=1e-6)


def test_an_episode_is_told_step_by_step(library: Domain, folder: Path) -> None:
    keep(folder / "run.db", library, some_episodes(library)[:1])
    runs = Runs()
    (entry,) = runs.describe("run")["episodes"]
    told = runs.episode("run", entry["number"])
    assert told["replayed"]
    assert told["verdict"]["reward"] == 1
    assert [each["number"] for each in told["steps"]] == list(range(len(told["steps"])))
    assert runs.system("run", "library")["text"] == system_message(library, with_policy=True)
    with pytest.raises(UsageError, match="has no attempt 99"):
        runs.episode("run", 99)
