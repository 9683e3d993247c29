"""`study ev`: arms that were not verified, beside the proven domain; what is broken for it is not put to use."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from generator.arms import FaultsRequest, plant_faults, write_first_scenarios
from generator.main import main
from runtime.domain.load import load_domain
from tests.conftest import SHIPPED, Cli


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    out, said = tmp_path_factory.mktemp("arms"), io.StringIO()
    words = ["-n", "3", "--seed", "7", "--faults", "100", "--out", str(out), "--json"]
    with redirect_stdout(said):
        assert main(["study", "ev", "community_garden", *words]) == 0
    return json.loads(said.getvalue())["arms"], out


def test_each_arm_stands_beside_the_proven_domain(arms: tuple[dict[str, Any], Path]) -> None:
    found, _ = arms
    assert list(found) == ["proven", "A", "B", "C 100%"]
    for arm in found.values():
        assert arm["usable"]["of"] == arm["won"]["of"] == 3
        assert arm["usable"]["count"] == 3 - sum(arm["refused"].values())
        assert arm["noise"]["of"] == 18
        assert sum(arm["noise_by_agent"].values()) == arm["noise"]["count"]
        assert arm["examples"].keys() == arm["refused"].keys()
        assert arm["domains"].keys() == {"community_garden"}
    assert (found["proven"]["usable"]["count"], found["proven"]["noise"]["count"]) == (3, 0)
    assert found["C 100%"]["usable"]["count"] == 0
    assert found["C 100%"]["noise_by_agent"]["reference"] >= 2
    assert sum(map(bool, found["B"]["notes"]["community_garden"].values())) >= 3
    assert sum(map(bool, found["C 100%"]["notes"]["community_garden"].values())) >= 13


def test_a_greater_share_of_faults_holds_a_smaller_one() -> None:
    shares = [plant_faults(FaultsRequest(SHIPPED["community_garden"], share, seed=3)) for share in (0.1, 0.2, 0.2)]
    few, more, again = shares
    assert [sum(map(bool, each.by_tool.values())) for each in (few, more)] == [2, 3]
    assert {name: fault for name, fault in few.by_tool.items() if fault}.items() <= more.by_tool.items()
    assert again == more
    assert few.files.keys() <= {f"tools/{path.name}" for path in (SHIPPED["community_garden"] / "tools").iterdir()}


@pytest.mark.parametrize("arm", ["first", "faults-100"])
def test_a_broken_domain_loads_with_a_mark_and_is_refused(
    arms: tuple[dict[str, Any], Path], arm: str, cli: Cli
) -> None:
    folder = arms[1] / f"community_garden-{arm}"
    assert load_domain(folder).card.unverified
    task = next(iter(ids_of(folder)))
    for words in (
        ("compile", folder, "--out", folder / "out"),
        ("export", folder, "--format", "openenv", "--out", folder / "out"),
        ("export", folder, "--format", "world", "--task", task, "--out", folder / "out.db"),
        ("eval", folder, "--agent", "idle", "--rates", "--task", task),
    ):
        assert "'community_garden' was broken for a study" in cli(*words, status=2)
    store = folder / "run.db"
    cli("eval", folder, "--agent", "idle", "--task", task, "--store", store)
    assert "was broken for a study" in cli("export", store, "--format", "rl", status=2)


def ids_of(folder: Path) -> list[str]:
    return [json.loads(line)["id"] for line in (folder / "tasks.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_scenario_that_was_withdrawn_since_counts_as_refused(tmp_path: Path) -> None:
    complaints = write_first_scenarios(SHIPPED["online_learning"], tmp_path / "arm")
    assert complaints is not None
    assert complaints["total_with_two_more_courses"].startswith("it asks what two courses would cost")
    assert "total_with_two_more_courses" not in (tmp_path / "arm" / "scenarios.py").read_text(encoding="utf-8")
    assert write_first_scenarios(SHIPPED["library"], tmp_path / "none") is None
