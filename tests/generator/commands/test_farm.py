"""`worldsmith farm`: several builds at once, killed and resumed, each with a line, and a suite of those kept."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.commands.forge import Forge
from runtime.suites import open_members, read_suite
from tests.conftest import Cli, until
from tests.generator import lending
from tests.generator.building import answering, contents
from tests.generator.commands.test_mend import MEND, spoil
from tests.generator.commands.test_new import ROOT, WORLDSMITH

FARM = """format = 1
model = ["relay:questions"]
at_once = 4
shape = { tools = 5, tasks = 3, rules = false, levels = [2] }
builds = [
    { keyword = "tool lending" },
    { keyword = "ladder lending", levels = [] },
    { keyword = "boat lending", levels = [] },
    { keyword = "pet care", sources = ["none.md"] },
]
"""
NAMES = ("tool_lending", "ladder_lending", "boat_lending")


def start(folder: Path) -> subprocess.Popen[str]:
    """The farm, in a group of its own with its children."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [*WORLDSMITH, "farm", "sheds.toml", "--json"]
    out = subprocess.PIPE
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=out, stderr=out, text=True, start_new_session=True
    )


def asked_of(asked: list[str]) -> Counter[str]:
    """How many questions were asked of each build."""
    return Counter(each.partition("/")[0] for each in asked)


def test_a_farm_that_was_killed_asks_nothing_twice_and_builds_the_same_and_a_failed_build_stops_no_other(
    tmp_path: Path, lending_folder: Path
) -> None:
    (tmp_path / "sheds.toml").write_text(FARM)
    with answering(tmp_path / "questions", lending.answers()) as asked:
        killed = start(tmp_path)
        until(lambda: min(asked_of(asked)[name] for name in NAMES) >= 4, 240)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
        assert max(asked_of(asked).values()) < 9  # all three are in the middle
        farm = start(tmp_path)
        printed, said = farm.communicate(timeout=400)
    assert farm.returncode == 1, said
    assert len(asked) == len(set(asked)) == 27
    lines = {line["domain"]: line for line in map(json.loads, printed.splitlines())}
    verdicts = {name: line["verdict"] for name, line in lines.items()}
    assert verdicts == {**dict.fromkeys(NAMES, "keep"), "pet_care": "failed"}
    assert "none.md" in lines["pet_care"]["why"][0]
    assert {name: lines["tool_lending"][name] for name in ("tools", "tables", "tasks", "requests", "repairs")} == {
        **{"tools": 5, "tables": 2, "tasks": 3},
        **{"requests": 9, "repairs": 0.0},
    }
    whole = contents(lending_folder)
    for name in NAMES:
        built = contents(tmp_path / "domains" / name)
        for file in whole.keys() - {"domain.json", "README.md"}:  # these name the keyword, the model and its tokens
            assert built[file].replace(name.encode(), b"tool_lending") == whole[file], file
    suite = open_members(read_suite(tmp_path / "sheds-kept.toml"))
    assert {each.domain.name: len(each.tasks) for each in suite} == {
        "tool_lending": 2,
        "ladder_lending": 3,
        "boat_lending": 3,
    }
    parts = [read_suite(tmp_path / "sheds-kept" / f"sheds-kept-{size}.toml") for size in (1, 2)]
    assert parts[0].members.keys() < parts[1].members.keys()
    assert all(sum(len(each.tasks) for each in open_members(part)) == 3 for part in parts)
    study = (tmp_path / "sheds-kept" / "domains.csv").read_text().splitlines()
    assert [line.split(",")[:2] for line in study[1:]] == [[each.domain.name, str(len(each.tasks))] for each in suite]
    (tmp_path / "domains" / ".tool_lending.build" / "order.json").write_text("[]")
    assert asyncio.run(Forge(tmp_path / "domains").check()).startswith('keep\n{\n  "domain": "tool_lending"')


def test_what_is_mended_is_checked_anew_and_kept(
    tmp_path: Path, copy_lending: Callable[[Path], Path], cli: Cli
) -> None:
    farm, folder = tmp_path / "shed.toml", copy_lending(tmp_path / "domains" / "tool_lending")
    farm.write_text('format = 1\nmodel = ["recorded"]\nbuilds = [{ keyword = "tool lending" }]\n')
    spoil(folder / "tools" / "lendings.py", 'status="back")', 'status="out")')
    said = cli("farm", farm, status=1)
    assert re.search(r"^tool_lending: .*take_back-1", said, re.MULTILINE)
    assert f"tool_lending: `worldsmith mend {folder} --model ...` mends it, then run the farm again" in said
    assert not (tmp_path / "shed-kept.toml").exists()
    (right,) = (each["body"] for each in lending.answers()["code", "lendings"]["bodies"] if each["tool"] == "take_back")
    blame = {"case": "take_back-1", "wrong": "tool", "reason": "It stays out."}
    with answering(tmp_path / "questions", {("debug", "take_back"): {"blames": [blame], "body": right}}) as asked:
        words = [sys.executable, "-c", MEND, "mend", str(folder), "--model", f"relay:{tmp_path / 'questions'}"]
        subprocess.run(words, check=True, cwd=ROOT, capture_output=True)
    assert len(asked) == 1
    assert f"wrote {tmp_path / 'shed-kept.toml'}" in cli("farm", farm)


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


def test_the_locale_of_a_build_is_checked_before_any_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(
        "generator.commands.farm._run", lambda rows, *_, **__: started.extend(row.words for row in rows)
    )
    path = tmp_path / "sheds.toml"
    path.write_text(FARM.replace("levels = [2] }", 'levels = [2], locale = "en-AU" }'))
    cli("farm", path, status=1)
    assert all(words[words.index("--locale") + 1] == "en-AU" for words in started)
    path.write_text(FARM.replace('"pet care",', '"pet care", locale = "es-MX",'))
    assert "Locale 'es-MX' is Spanish" in cli("farm", path, status=2)
    assert len(started) == 4
