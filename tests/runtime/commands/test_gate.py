"""`compare --gate` on stored runs, both ways, and the GitHub Actions example, step by step in a shell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.conftest import Cli

WORKFLOW = Path(__file__).parents[3] / "examples" / "github" / "agent-gate.yml"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Forty tasks of the library, by a right agent and by one that always complies; and fewer of them."""
    from generator.main import main

    folder = tmp_path_factory.mktemp("stores")
    played = {"reference": ("reference", 40), "comply_all": ("comply_all", 40), "part": ("reference", 20)}
    for name, (agent, count) in played.items():
        assert main(f"eval library --agent {agent} -n {count} --store {folder / name}.db".split()) == 0
    played_idle = f"eval library --agent idle -n 40 --user none --store {folder / 'idle'}.db"
    assert main(played_idle.split()) == 0
    return {name: folder / f"{name}.db" for name in (*played, "idle")}


@pytest.mark.parametrize(
    ("first", "second", "status", "said"),
    [
        ("reference", "comply_all", 1, "gate: FAILED; B is worse than A: -0."),
        ("comply_all", "reference", 0, "gate: passed"),
        ("reference", "reference", 0, "gate: passed"),
        ("reference", "part", 1, "B has no verdict on 20 tasks of A, such as library:"),
        ("part", "reference", 0, "gate: passed"),
        ("reference", "idle", 1, "user is scripted in A and none in B"),
    ],
)
def test_a_worse_run_fails_the_gate(
    stores: dict[str, Path], first: str, second: str, status: int, said: str, tmp_path: Path, cli: Cli
) -> None:
    files = tmp_path / "junit.xml", tmp_path / "summary.md"
    words = ("compare", stores[first], stores[second], "--gate", "--junit", files[0], "--markdown", files[1])
    assert said in cli(*words, status=status)
    (suite,) = ET.parse(files[0]).getroot()
    gate, *cases = suite
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert (gate.find("failure") is not None) == bool(status)
    assert int(suite.get("failures", 0)) == len(failed) + status
    found = json.loads(cli(*words, "--json", status=status))
    assert found["gate"]["passed"] == (not status)
    assert len(cases) == found["tasks"]
    assert len(failed) == (found["worse"] if status else 0)
    assert files[1].read_text().startswith("### Failed: " if status else "### Passed: ")


def test_runs_that_differ_alike_on_every_task_are_decided_by_the_sign_test(
    stores: dict[str, Path], tmp_path: Path, cli: Cli
) -> None:
    for count, status in ((3, 0), (10, 1)):  # three falls of three happen by chance, ten of ten do not
        for agent in ("reference", "idle"):
            cli("eval", "library", "--agent", agent, "-n", count, "--store", tmp_path / f"{agent}-{count}.db")
        both = (tmp_path / f"{agent}-{count}.db" for agent in ("reference", "idle"))
        assert "(no interval)" in cli("compare", *both, "--gate", status=status)


def test_the_files_of_the_gate_need_it(stores: dict[str, Path], tmp_path: Path, cli: Cli) -> None:
    words = ("compare", stores["part"], stores["part"], "--junit", tmp_path / "junit.xml")
    assert "add --gate" in cli(*words, status=2)


@pytest.mark.parametrize(("agent", "status"), [("reference", 0), ("comply_all", 1)])
def test_the_example_for_github_actions_runs(stores: dict[str, Path], agent: str, status: int, tmp_path: Path) -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text())
    steps = {step["name"]: step for step in workflow["jobs"]["gate"]["steps"] if "name" in step}
    shown = tmp_path / "shown.md"
    given = {"AGENT": agent, "COUNT": "40", "GITHUB_STEP_SUMMARY": str(shown)}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **workflow["env"], **given, "PATH": path}

    def run(name: str) -> int:
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", steps[name]["run"]], cwd=tmp_path, env=environment, check=False
        ).returncode

    assert [run(name) for name in ("play", "compare", "summary")] == [0, 0, 0]
    assert shown.read_text().startswith("There is no baseline yet")
    shown.unlink()
    (tmp_path / "baseline.db").write_bytes(stores["reference"].read_bytes())
    assert [run(name) for name in ("play", "compare", "summary")] == [0, status, 0]
    assert shown.read_text().startswith(("### Passed", "### Failed")[status])
    assert run("keep") == 0
