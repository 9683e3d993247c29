"""Child processes find our code whatever the folder holds, and get no secret; a missing package is one sentence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from runtime.environment import is_secret, python_command, require
from runtime.errors import UsageError
from tests.conftest import LIBRARY

ROOT = Path(__file__).parent.parent.parent
NOISE = "raise SystemExit('a stranger of the same name was imported')\n"
WORLDSMITH = python_command("generator.main")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A person's own folder, whose names are ours, those of our dependencies and of the standard library."""
    for name in ("runtime", "mcp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(NOISE)
    for name in ("generator", "ruff", "pydantic", "json"):
        (tmp_path / f"{name}.py").write_text(NOISE)
    return tmp_path


def run(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        pytest.param(["--processes", "2", "--trials", "2"], 0, "0 void", id="workers"),
        pytest.param(["--agent", "command:cat {config}"], 1, "never connected to its MCP server", id="programs"),
    ],
)
def test_an_evaluation_plays_in_a_folder_of_such_names(folder: Path, words: list[str], status: int, said: str) -> None:
    usual = ["--agent", "reference", "--user", "none", "--task", "keep-a-book", "--store", "run.db"]
    done = run([*WORLDSMITH, "eval", str(LIBRARY), *usual, *words], folder)
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stderr
    assert "stranger" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["runtime.py", "runtime/__init__.py"])
def test_a_file_that_hides_our_package_is_named_in_one_sentence(tmp_path: Path, name: str) -> None:
    hiding = tmp_path / name
    hiding.parent.mkdir(exist_ok=True)
    hiding.write_text(NOISE)
    start = "import sys; sys.path.insert(1, sys.argv.pop(1)); from generator.main import main; sys.exit(main())"
    done = run([sys.executable, "-c", start, WORLDSMITH[-1], "list"], tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {str(hiding)!r} hides the package 'runtime' of worldsmith, which is in {WORLDSMITH[-1]!r}; rename it, "
        "or start worldsmith from another folder and without that folder in PYTHONPATH.\n"
    )


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("ANTHROPIC_API_KEY", True),
        ("GITHUB_TOKEN", True),
        ("aws_secret_access_key", True),
        ("DB_PASSWORD", True),
        ("GOOGLE_APPLICATION_CREDENTIALS", True),
        ("WORLDSMITH_ADMIN_TOKEN", True),
        ("WORLDSMITH_ANYTHING", True),
        ("KEYBOARD", False),
        ("MONKEY", False),
        ("PATH", False),
        ("TOKENIZERS_PARALLELISM", False),
    ],
)
def test_a_secret_is_known_by_its_name(name: str, secret: bool) -> None:
    assert is_secret(name) == secret


def test_a_package_that_is_too_old_is_named_with_both_versions() -> None:
    with pytest.raises(UsageError, match=r"This needs pydantic 99\.1 or later, and '2\..*' is installed"):
        require("pydantic", "99.1")


def test_the_versions_that_the_code_asks_for_are_those_of_the_metadata() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipes = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")  # of frameworks that are no extras
    stated = " ".join([*project["dependencies"], *sum(project["optional-dependencies"].values(), [])])
    asked = [
        found
        for package in ("runtime", "worldsmith")
        for path in ROOT.glob(f"{package}/**/*.py")
        for found in re.findall(r'\brequire\("([\w-]+)", "([\d.]+)"', path.read_text(encoding="utf-8"))
    ]
    assert ("mcp", "2.0") in asked
    for package, lowest in asked:
        in_recipes = re.search(rf"\| [^|]+ \| (?:{package} )?{re.escape(lowest)}[.,\d]* ?[^|]*\|", recipes)
        assert in_recipes or re.search(rf"(?:^| ){package}>={re.escape(lowest)}(?:,| |$)", stated), package
