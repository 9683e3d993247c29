"""What somebody else wrote reaches a terminal as words: its control characters are shown, never obeyed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from runtime.domain.load import load_domain
from runtime.harness.evaluation.plan import RunConfig
from runtime.wording import printable
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.playing import sit

# A cleared screen, a title, a clipboard, a line begun again, C1, bidi, what is not seen, a tag, half a character
NASTY = "\x1b[2J\x1b]0;owned\x07\x1b]52;c;AAAA\x07\r\x08\x9b31m\u202eabc\u2066\u200b\ufeff\U000e0041\ud800"
SEEN = r"\x1b[2J\x1b]0;owned\x07\x1b]52;c;AAAA\x07\r\x08\u009b31m\u202eabc\u2066\u200b\ufeff\udb40\udc41\ud800"
FORGED = "\nlibrary: ok"
OBEYED = set(NASTY) - set(SEEN)


def test_every_such_character_is_written_out() -> None:
    assert printable(NASTY) == SEEN
    assert printable("Zoë,\t3 €\n") == "Zoë,\t3 €\n"


def test_what_is_written_out_in_json_is_the_same_value() -> None:
    assert json.loads(printable(json.dumps([NASTY, "\x7f"], ensure_ascii=False))) == [NASTY, "\x7f"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A domain that says such things wherever it may say anything."""
    folder = Path(shutil.copytree(LIBRARY, tmp_path / "domains" / "library"))
    card = json.loads((folder / "domain.json").read_text())
    nasty = NASTY.replace("\ud800", "")  # which no text of a folder may hold
    card |= {"title": f"{nasty}{FORGED}"[:80], "summary": f"{nasty}{FORGED}", "version": f"{nasty}"[:40]}
    (folder / "domain.json").write_text(json.dumps(card))
    tasks = [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    for task in tasks:
        task["title"] = f"{nasty}{FORGED}"
        task["user"]["profile"] = f"{nasty}{FORGED}"
        task["user"]["wishes"][0]["words"][0] += nasty
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    monkeypatch.chdir(tmp_path)
    return folder


def run(*words: str, fine: tuple[int, ...] = (0,)) -> str:
    """What a command prints, in a process of its own, as bytes that a terminal would get."""
    done = subprocess.run([sys.executable, "-m", "generator", *words], capture_output=True, check=False, timeout=120)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode in fine, said
    assert not OBEYED & set(said), said
    assert "Traceback" not in said
    return said


def test_a_domain_cannot_move_the_cursor(folder: Path) -> None:
    path = str(folder)
    for words in (
        ("list",),
        ("list", "--json"),
        ("show", path),
        ("show", path, "--json"),
        ("show", path, "--task", "keep-a-book"),
        ("compile", path, "--out", "compiled"),
        ("install", path, "--client", "vscode", "--print"),
    ):
        said = run(*words)
        assert "library: ok" not in said.splitlines()
    version = subprocess.run(
        [sys.executable, "compiled/library/server.py", "--version"], capture_output=True, check=True
    )
    assert version.stdout.startswith(rb"library \x1b[2J")
    said = run("check", path, "--no-mutants", "--calls", "40", fine=(0, 1))
    assert said.startswith(r"\x1b[2J")
    assert "library: ok" not in said.splitlines()


def test_a_store_cannot_either(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    sit(path, load_domain(folder), config=RunConfig(agent=f"x{NASTY[:-1]}", user="none"))
    with closing(sqlite3.connect(path)) as connection:
        (line,) = connection.execute("SELECT record FROM episode WHERE task = 'keep-a-book'").fetchone()
        void = {"reward": None, "end": "void", "fault": "harness", "progress": 0.0, "why": f"{NASTY}{FORGED}"}
        record = json.dumps({**json.loads(line), **void, "reason": f"{NASTY}{FORGED}"})
        connection.execute("UPDATE episode SET record = ?, reward = NULL WHERE task = 'keep-a-book'", (record,))
        connection.commit()
    store = str(path)
    for words in (
        ("rescore", store),
        ("compare", store, store),
        ("report", store, "--out", "page.html"),
        ("export", store, "--format", "rl"),
        ("eval", "./domains/library", "--agent", "reference", "--user", "none", "--store", store),
    ):
        run(*words, fine=(0, 1, 2))


def test_what_an_agents_program_says_cannot(folder: Path) -> None:
    program = f"import sys; sys.stderr.write({NASTY[:-2]!r}); sys.exit(3)"
    Path("agent.py").write_text(program)
    said = run(
        "eval", "./domains/library", "--agent", f"command:{sys.executable} {Path('agent.py').absolute()}", fine=(1,)
    )
    assert r"ended with exit status 3: " in said
    assert r"\u202eabc" in said
