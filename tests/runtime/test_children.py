"""Child processes find our code in a folder with files of the same names, and are given no secret."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.children import is_secret, python_command
from tests.conftest import LIBRARY

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
        pytest.param(["--transport", "stdio"], 0, "0 void", id="servers"),
        pytest.param(["--transport", "session", "--processes", "2", "--trials", "2"], 0, "0 void", id="workers"),
        pytest.param(["--agent", "command:cat {config}"], 2, "without ever connecting", id="programs"),
    ],
)
def test_an_evaluation_plays_in_a_folder_of_such_names(folder: Path, words: list[str], status: int, said: str) -> None:
    usual = ["--agent", "reference", "--user", "none", "--task", "keep-a-book", "--store", "run.db"]
    done = run([*WORLDSMITH, "eval", str(LIBRARY), *usual, *words], folder)
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stderr
    assert "stranger" not in done.stdout + done.stderr


def test_a_domain_is_proven_in_a_folder_of_such_names(folder: Path) -> None:
    done = run([*WORLDSMITH, "check", str(LIBRARY), "--calls", "100"], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stranger" not in done.stdout + done.stderr


def test_ruff_is_ours_in_a_folder_of_such_names(folder: Path) -> None:
    code = (
        "import pathlib; from generator.build.writing.code import lint; path = pathlib.Path('linted'); path.mkdir(); "
        "(path / 'a.py').write_text('undefined_name\\n'); print(lint(path))"
    )
    done = run([*python_command("sys")[:4], "-c", _with_ours(code)], folder)
    assert "undefined_name" in done.stdout, done.stderr


def _with_ours(code: str) -> str:
    return f"import sys; sys.path.insert(0, {WORLDSMITH[-1]!r}); {code}"


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
