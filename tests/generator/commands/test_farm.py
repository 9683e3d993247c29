"""`worldsmith farm`: several builds at once, killed and resumed, each with a line, and a suite of those kept."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from generator.commands.forge import Forge
from runtime.suites import open_members, read_suite
from tests.conftest import Cli, until
from tests.generator import lending
from tests.generator.building import answering, contents
from tests.generator.commands.test_new import ROOT, WORLDSMITH

FARM = """format = 1
model = ["relay:questions"]
at_once = 3
shape = { tools = 5, tasks = 3, rules = false, levels = [2] }
builds = [
    { keyword = "tool lending" },
    { keyword = "ladder lending", levels = [] },
    { keyword = "pet care", sources = ["none.md"] },
]
"""


def start(folder: Path) -> subprocess.Popen[str]:
    """The farm, in a group of its own with its children."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [*WORLDSMITH, "farm", "sheds.toml", "--json"]
    out = subprocess.PIPE
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=out, stderr=out, text=True, start_new_session=True
    )


def test_a_farm_that_was_killed_asks_nothing_twice_and_builds_the_same_and_a_failed_build_stops_no_other(
    tmp_path: Path, lending_folder: Path
) -> None:
    (tmp_path / "sheds.toml").write_text(FARM)
    with answering(tmp_path / "questions", lending.answers()) as asked:
        killed = start(tmp_path)
        until(lambda: len(asked) >= 12, 240)  # of 18: both are in the middle
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
        farm = start(tmp_path)
        printed, said = farm.communicate(timeout=300)
    assert farm.returncode == 1, said
    assert len(asked) == len(set(asked)) == 18
    lines = {line["domain"]: line for line in map(json.loads, printed.splitlines())}
    assert {name: line["verdict"] for name, line in lines.items()} == {
        "tool_lending": "keep",
        "ladder_lending": "keep",
        "pet_care": "failed",
    }
    assert "none.md" in lines["pet_care"]["why"][0]
    assert {name: lines["tool_lending"][name] for name in ("tools", "tables", "tasks", "requests", "repairs")} == {
        **{"tools": 5, "tables": 2, "tasks": 3},
        **{"requests": 9, "repairs": 0.0},
    }
    whole = contents(lending_folder)
    for name in ("tool_lending", "ladder_lending"):
        built = contents(tmp_path / "domains" / name)
        for file in whole.keys() - {"domain.json", "README.md"}:  # these name the keyword, the model and its tokens
            assert built[file].replace(name.encode(), b"tool_lending") == whole[file], file
    suite = open_members(read_suite(tmp_path / "sheds-kept.toml"))
    assert {each.domain.name: len(each.tasks) for each in suite} == {"tool_lending": 2, "ladder_lending": 3}
    (tmp_path / "domains" / ".tool_lending.build" / "order.json").write_text("[]")
    assert asyncio.run(Forge(tmp_path / "domains").check()).startswith('keep\n{\n  "domain": "tool_lending"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("format = 1", "is not a farm: model: Field required", id="no_model"),
        pytest.param("model = [", "is not TOML", id="no_toml"),
        pytest.param(FARM + "size = 3", "is not a farm: size: Extra inputs", id="unknown"),
        pytest.param(FARM.replace("ladder", "Tool"), "'Tool lending' names the domain 'tool_lending'", id="twice"),
        pytest.param(FARM.replace("levels = [2]", "levels = [9]"), "shape.levels.0", id="no_such_level"),
    ],
)
def test_what_is_no_farm_is_refused_in_one_line(text: str, said: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "farm.toml").write_text(text)
    assert said in cli("farm", tmp_path / "farm.toml", status=2)
