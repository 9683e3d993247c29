"""Small sets in the formats of others, with known faults, audited through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.main import main
from tests.generator.audit.retail import NOTE, swap, write_set


def _audit(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, set[tuple[str, str, str]]]:
    status = main(["audit", *words, "--json"])
    found = json.loads(capsys.readouterr().out)["findings"]
    return status, {(each["task"], each["proof"], each["word"]) for each in found}


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ([swap(["x"], ["y"])], set()),
        ([NOTE, swap(["x"], ["y"])], {("G1", "wrong"), ("D1", "redundant"), ("O1", "unfair")}),
        ([swap(["x"], ["x"])], {("N1", "wrong")}),
        ([swap(["x", "y"], ["y", "z"])], {("L1", "unfair")}),
        ([swap(["x"], ["y"]), swap(["x"], ["z"])], {("O1", "unfair")}),
        ([swap(["x"], ["nowhere"])], {("P1", "unsourced")}),
        ([["look", {"id": "a"}]], {("I1", "open")}),
        ([["look", {"id": "b"}]], {("G1", "unsourced"), ("I1", "open")}),
        ([["look", {"name": "a"}]], {("G1", "wrong"), ("I1", "open")}),
        ([["spin", {}]], {("G2", "unstable")}),
    ],
)
def test_a_fault_of_a_gold_is_found(
    gold: list[Any], expected: set[tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = _audit(capsys, "tau2:retail", "--data", str(write_set(tmp_path, [gold])), "--seconds", "5")
    assert {(proof, word) for _, proof, word in found} == expected
    assert status == ("wrong" in {word for _, word in expected})


def test_a_loop_costs_one_task_and_the_next_is_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_set(tmp_path, [[["spin", {}]], [swap(["x"], ["x"])]])
    _, found = _audit(capsys, "tau2:retail", "--data", str(root), "--seconds", "5")
    assert found == {("0", "G2", "unstable"), ("1", "N1", "wrong")}


def test_a_tool_that_writes_a_file_is_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    escaped = Path("/tmp/worldsmith-audit-escaped")
    _audit(capsys, "tau2:retail", "--data", str(write_set(tmp_path, [[["note", {"id": "a", "text": "write"}]]])))
    assert not escaped.exists() or escaped.stat().st_size == 0
    escaped.unlink(missing_ok=True)


def test_a_link_out_of_the_set_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_set(tmp_path / "set", [[NOTE]])
    tasks = root / "data/tau2/domains/retail/tasks.json"
    tasks.rename(tmp_path / "elsewhere.json")
    tasks.symlink_to(tmp_path / "elsewhere.json")
    assert main(["audit", "tau2:retail", "--data", str(root)]) == 2
    assert "is a link to a place outside" in capsys.readouterr().err


def test_rules_and_another_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.py"
    rules.write_text(
        "from runtime.rules import Call, rule\n\n@rule('FULL', on={'note': 'id'}, least=9)\n"
        "def full(call: Call, now, start, least):\n    'At least {least} left.'\n"
        "    return now.orders[call.item].left >= least\n"
    )
    one, other = write_set(tmp_path / "one", [[NOTE]]), write_set(tmp_path / "other", [[swap(["x"], ["y"])]])
    words = ["tau2:retail", "--data", str(one), "--rules", str(rules), "--against", str(other)]
    assert _audit(capsys, *words) == (1, {("0", "R1", "wrong"), ("0", "A1", "differs")})


@pytest.mark.parametrize("name", ["report.md", "report.html"])
def test_a_report_holds_the_witness(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_set(tmp_path / "set", [[swap(["<b>"], ["<b>"])]])
    assert main(["audit", "tau2:retail", "--data", str(root), "--out", str(tmp_path / name)]) == 1
    text = (tmp_path / name).read_text()
    assert "swap" in text
    assert ("<b>[" in text) is False
    assert name.endswith(".md") or "&lt;b&gt;" in text


def test_general_agent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t0").mkdir()
    (tmp_path / "t0" / "tools.py").write_text(
        "from general_agent.tools import DB, Tools, tool\nclass TaskDB(DB):\n    notes: list[str] = []\n"
        "class TaskTools(Tools):\n    @tool\n    def add(self, text: str):\n        self.db.notes.append(text)\n"
        "def verify(db): return 1.0 if 'x' in db.notes else 0.0\n"
    )
    (tmp_path / "t0" / "db.json").write_text("{}")
    (tmp_path / "t0" / "instruction.md").write_text("Add x, then y.")
    (tmp_path / "t0" / "gold.json").write_text('[["add", {"text": "x"}], ["add", {"text": "y"}]]')
    expected = {("t0", "D1", "redundant"), ("t0", "X1", "open")}
    assert _audit(capsys, "general-agent", "--data", str(tmp_path)) == (0, expected)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tau2:retail"], "needs --data"),
        (["tau2:retail", "--data", "."], "is missing"),
        (["library", "--data", "."], "is no set that --data can hold"),
        (["tau2:bank", "--data", "."], "has no domain 'bank'"),
        (["library", "--out", "x.pdf"], "ends in .md or .html"),
    ],
)
def test_what_cannot_be_audited_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *words]) == 2
    assert said in capsys.readouterr().err
