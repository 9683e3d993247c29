"""`worldsmith new` on the command line: what it refuses, in one line, and what a killed build leaves."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.model.book import AnswerBook
from runtime.model.model import Answer, Usage
from tests.generator import lending
from tests.generator.building import answering, contents, leave_out_scenarios
from tests.runtime.model.asking import GOOD, a_request

WORLDSMITH = [sys.executable, "-m", "generator"]
ROOT = Path(__file__).parents[3]

Copy = Callable[[Path], Path]


def _run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([*WORLDSMITH, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["", "--model", "relay:r"], "Keyword '' names no domain", id="empty_keyword"),
        pytest.param(["pets"], "No model was named; give --model SPEC", id="no_model"),
        pytest.param(["pets", "--model", "gpt"], "No model 'gpt'; have: anthropic:MODEL", id="unknown_model"),
        pytest.param(
            ["pets", "--model", "relay:r", "--tools", "2"],
            "--tools is 2; it is a number from 3 to 100.",
            id="too_few_tools",
        ),
        pytest.param(["pets", "--model", "relay:r", "--source", "empty.md"], "is empty", id="empty_source"),
        pytest.param(["pets", "--model", "recorded"], "There are no recorded answers", id="nothing_recorded"),
        pytest.param(["pets", "--model", "relay:r", "--out", "empty.md/x"], "cannot be written", id="out_below_a_file"),
        pytest.param(
            ["pets", "--model", "relay:r", "--out", "other"], "is of keyword 'cars', not 'pets'", id="another"
        ),
        pytest.param(
            ["pets", "--model", "relay:r", "--out", "hand"], "holds 'domain.json', which no build wrote", id="handmade"
        ),
        pytest.param(
            ["pets", "--model", "relay:r", "--locale", "de-DE"],
            "Locale 'de-DE' is German, and offices speak English; give en-DE.",
            id="another_language",
        ),
        pytest.param(["pets", "--model", "anthropic:claude-x"], "ANTHROPIC_API_KEY", id="missing_key"),
    ],
)
def test_what_cannot_be_built_is_refused_in_one_line(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.md").write_text(" \n")
    for name, header in (
        ("old", {"format": 0}),
        ("other", {"format": 1, "keyword": "cars", "tools": 50, "sources": []}),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "answers.jsonl").write_text(json.dumps(header) + "\n")
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "domain.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    assert main(["new", *words]) == 2
    shown = capsys.readouterr()
    *_, error = shown.err.splitlines()
    assert error.startswith("error: ")
    assert said in error
    assert shown.out == ""
    assert not (tmp_path / "domains").exists()


def test_what_builds_beside_one_have_spent_counts_against_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with AnswerBook.open(tmp_path / "other" / "answers.jsonl", {}) as book:
        book.add(a_request(), Answer(GOOD, "priced", Usage(10, 10, cost=3.0)))
    new = ["new", "pets", "--model", "relay:relay", "--max-cost", 3, "--beside"]
    cli(*new, "other", status=1)
    assert not list((tmp_path / "relay").glob("*.request.md"))


def test_a_keyword_that_the_screening_refuses_exits_with_1_and_its_reason(tmp_path: Path) -> None:
    with answering(
        tmp_path / "relay", {"screen": {"decision": "no", "reason": "It teaches theft.", "domain": "theft"}}
    ):
        done = _run("new", "burglary", "--model", "relay:relay", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: No world is made of 'burglary': It teaches theft."
    assert not (tmp_path / "domains").exists()


def test_a_draft_loads_and_check_says_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cli("new", "plain things", "--draft")
    assert "Table thing: FILL IN" in cli("show", "plain_things")
    said = cli("check", "plain_things", "--calls", 20, status=1)
    assert "FILL IN in schema.sql, line 1, 2, 3" in said
    assert "seeds 1 and 2 give the same world" in said


def test_an_office_of_another_country_is_told_of_in_each_request_and_in_its_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("generator.commands.child_build.end_with_parent", lambda: None)
    texts: list[str] = []
    words = ["new", lending.KEYWORD, "--tools", lending.COUNT, "-n", 0, "--no-rules", "--model"]
    with answering(tmp_path / "relay", lending.answers(), texts):
        cli(*words, "relay:relay", "--locale", "en_gb")
    assert len(texts) > 7
    assert all("The office is in the United Kingdom" in text and "`fee_pence`" in text for text in texts)
    built = load_domain(tmp_path / "domains" / "tool_lending")
    assert (built.locale.tag, built.locale.symbol, built.locale.unit) == ("en-GB", "£", "pence")
    sentence = "The office is in the United Kingdom, and amounts are in pounds (GBP)."
    assert sentence in built.policy
    assert sentence in (built.path / "README.md").read_text(encoding="utf-8")
    assert "is of locale 'en-GB', not 'en-CA'" in cli(*words, "relay:relay", "--locale", "en-CA", status=2)


def test_a_draft_has_the_locale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., str]) -> None:
    monkeypatch.chdir(tmp_path)
    cli("new", "plain things", "--draft", "--locale", "en-JP")
    assert load_domain(tmp_path / "domains" / "plain_things").locale.unit == "yen"


def test_a_half_built_folder_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "domains" / "pets").mkdir(parents=True)
    (tmp_path / "domains" / "pets" / "answers.jsonl").write_text("{}")
    done = _run("show", "pets", cwd=tmp_path)
    assert done.returncode == 2
    assert "'domains/pets' is only half built" in done.stderr
    assert "run the same `worldsmith new` command again to go on" in done.stderr


def test_a_full_disk_is_one_line_and_keeps_what_was_answered(tmp_path: Path, lending_folder: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    shutil.copy(lending_folder / "answers.jsonl", out)
    leave_out_scenarios(out)
    answers = (out / "answers.jsonl").read_bytes()
    (out / "tools").write_text("a file where a folder must be")
    done = _run("new", lending.KEYWORD, "--model", "recorded", "--out", "out", "-n", "0", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "cannot be written" in done.stderr
    assert (out / "answers.jsonl").read_bytes() == answers
    assert not (out / "domain.json").exists()


def test_a_build_killed_again_and_again_ends_in_the_same_folder_and_asks_nothing_twice(
    tmp_path: Path, lending_folder: Path
) -> None:
    command = ["new", lending.KEYWORD, "--tools", str(lending.COUNT), "--model", "relay:relay", "--out", "killed"]
    command += ["-n", "3", "--no-rules"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with answering(tmp_path / "relay", lending.answers()) as asked:
        for seconds in (1.5, 4.0):
            build = subprocess.Popen(
                [*WORLDSMITH, *command],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(seconds)
            build.send_signal(signal.SIGKILL)
            build.wait()
        done = _run(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "killed\n"
    assert sorted(set(asked)) == sorted(asked)
    assert load_domain(tmp_path / "killed").name == "tool_lending"
    whole, killed = contents(lending_folder), contents(tmp_path / "killed")
    for name in ("domain.json", "README.md"):  # they name the model and its tokens
        del whole[name], killed[name]
    assert killed == whole


def test_answers_without_scenarios_rebuild_the_domain_without_and_say_so(tmp_path: Path, lending_folder: Path) -> None:
    out = tmp_path / "domains" / "tool_lending"
    out.mkdir(parents=True)
    shutil.copy(lending_folder / "answers.jsonl", out)
    leave_out_scenarios(out)
    done = _run("new", lending.KEYWORD, "--model", "recorded", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no answers for scenarios were recorded" in done.stderr
    assert "scenarios" not in load_domain(out).card.provenance
    without, whole = contents(out), contents(lending_folder)
    for name in ("scenarios.py", "tasks.jsonl"):
        del whole[name]
    assert without.keys() == whole.keys()
    assert {name for name in whole if without[name] != whole[name]} == {"domain.json", "README.md"}


def test_json_checks_the_folder_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def build_nothing(*_: object) -> None: ...

    def say_which(folder: Path, _: object) -> None:  # the children that check it run in another directory
        raise UsageError(f"asked to check {folder}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("generator.commands.new.build_order", build_nothing)
    monkeypatch.setattr("generator.commands.child_build.end_with_parent", lambda: None)
    monkeypatch.setattr("generator.commands.check.check_rest", say_which)
    assert main(["new", "pets", "--model", "recorded", "--json"]) == 2
    assert f"asked to check {tmp_path / 'domains' / 'pets'}" in capsys.readouterr().err
