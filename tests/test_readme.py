"""What the README shows is run as it stands there."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.commands.serve import add_parser
from runtime.domain.code import faults_in
from tests.conftest import LIBRARY

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


def _run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("line", [line for line in COMMANDS if re.match(r"worldsmith (list|show)", line)])
def test_a_shown_command_runs_from_any_folder(line: str, tmp_path: Path) -> None:
    done = _run([sys.executable, "-m", "generator", *line.split()[1:]], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "library" in done.stdout or "renew_loan" in done.stdout


def test_the_example_of_a_session_earns_the_reward_that_it_says(tmp_path: Path) -> None:
    (example,) = [block for kind, block in BLOCKS if kind == "python" and "Session(" in block]
    done = _run([sys.executable, "-c", example], tmp_path)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_the_example_of_a_tool_stands_in_the_library() -> None:
    (example,) = [block for kind, block in BLOCKS if kind == "python" and "@tool(" in block]
    assert example.strip() in (LIBRARY / "tools" / "holds.py").read_text(encoding="utf-8")
    assert faults_in(example, "example.py") == [] or "Database" in example
    assert ast.parse(example)


def test_the_client_configuration_is_one_that_serve_takes() -> None:
    (example,) = [block for kind, block in BLOCKS if kind == "json"]
    (server,) = json.loads(example)["mcpServers"].values()
    import argparse

    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    assert server["command"] == "worldsmith"
    assert parser.parse_args(server["args"]).domain == ["library"]


def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    done = _run([sys.executable, "-m", "generator", "demo"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    (shown,) = [block for kind, block in BLOCKS if kind == "text" and "idle agent" in block]
    for line in shown.splitlines():
        assert line == "..." or line in done.stdout


def test_every_option_of_serve_in_the_readme_exists() -> None:
    done = _run([sys.executable, "-m", "generator", "serve", "--help"], ROOT)
    for option in set(re.findall(r"(?<=[`(])--[a-z-]+", README)) - {"--json", "--told", "--task"}:
        assert option in done.stdout, option


def test_the_ci_runs_the_readmes_own_commands() -> None:
    ci = (ROOT / ".ci" / "run").read_text()
    for words in re.findall(r"command_of '(.*?)'", ci):
        assert [line for line in COMMANDS if words in line], words


@pytest.mark.skipif("CI" not in os.environ, reason="builds a wheel, which needs the package registry; CI does")
def test_an_installed_wheel_carries_the_library(tmp_path: Path) -> None:
    built = _run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT)], tmp_path)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    import zipfile

    names = zipfile.ZipFile(wheel).namelist()
    assert "runtime/carried/library/tasks.jsonl" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
