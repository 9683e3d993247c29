"""A set in the format of another, played through `worldsmith eval`: its judge rewards, our rule stands beside it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from generator.main import main
from tests.generator.audit.retail import NOTE, swap, write_set

_WORDS = {"communicate_info": ["54.04"]}
_NL = {"nl_assertions": ["Agent is kind."], "reward_basis": ["DB", "NL_ASSERTION"]}


def _eval(capsys: pytest.CaptureFixture[str], root: Path, *words: str) -> dict[str, Any]:
    store = ["--store", str(root / "run.db")]
    assert main(["eval", "tau2:retail", "--data", str(root), *store, "--json", *words]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@pytest.mark.parametrize(
    ("gold", "criteria", "agent", "reward", "components"),
    [
        ([NOTE], {}, "reference", 1, {"judge_db": 1, "judge_communicate": 1, "rule_db": 1}),
        ([NOTE], {}, "idle", 0, {"judge_db": 0, "judge_communicate": 1, "rule_db": 0}),
        ([NOTE], _WORDS, "reference", 1, {"judge_db": 1, "judge_communicate": 1, "rule_db": 1}),
        ([["look", {"id": "a"}]], _WORDS, "idle", 0, {"judge_db": 1, "judge_communicate": 0, "rule_db": 1}),
        ([["look", {"id": "b"}], NOTE], {}, "reference", 1, {"judge_db": 1, "judge_communicate": 1, "rule_db": 1}),
        ([NOTE], _NL, "reference", 1, {"judge_db": 1, "rule_db": 1}),
        # The set's own judge does not look at the log, which the gold changes.
        ([swap(["x"], ["y"])], {}, "idle", 1, {"judge_db": 1, "judge_communicate": 1, "rule_db": 0}),
    ],
)
def test_the_sets_own_judge_rewards_and_our_rule_is_beside_it(
    gold: list[Any],
    criteria: dict[str, Any],
    agent: str,
    reward: int,
    components: dict[str, int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = write_set(tmp_path, [gold], **criteria)
    told = _eval(capsys, root, "--agent", agent)
    assert told["avg_at_k"][0]["value"] == reward
    assert told["components"] == components
    assert told["unjudged"] == ({"NL_ASSERTION": 1} if criteria is _NL else {})
    assert told["disagreed"] == (["0"] if components["judge_db"] != components["rule_db"] else [])
    assert told["idle"] == (reward if agent == "idle" else 0)


def test_a_run_is_resumed_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_set(tmp_path, [[NOTE], [swap(["x"], ["y"])]])
    assert _eval(capsys, root, "--agent", "reference", "-n", "1")["episodes"] == 1
    told = _eval(capsys, root, "--agent", "reference", "--trials", "2")
    assert (told["episodes"], told["void"], told["pass_hat_k"][1]["value"]) == (4, 0, 1)
    assert main(["report", str(root / "run.db"), "--out", str(root / "report.html")]) == 0
    assert "tau2:retail with its own judge" in (root / "report.html").read_text()


def test_a_tool_that_ends_its_process_makes_its_episodes_void_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_set(tmp_path, [[["note", {"id": "a", "text": "exit"}]], [NOTE]])
    words = ["--store", str(root / "run.db"), "--json", "--agent", "reference"]
    assert main(["eval", "tau2:retail", "--data", str(root), *words]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["void"], told["avg_at_k"][0]["value"]) == (1, 1)
    assert "The set ended or took longer" in told["failures"][0]["first"]


@contextmanager
def _answered(folder: Path, *messages: str) -> Iterator[list[str]]:
    """Answer the requests of a relay in their order; what they ask is collected."""
    texts: list[str] = []

    def answer() -> None:
        left = list(messages)
        while left:
            asked = sorted(folder.glob("*.request.md")) if folder.is_dir() else []
            for path in asked:
                place = folder / path.name.replace(".request.md", ".answer.json")
                if not place.exists() and path.exists():
                    texts.append(path.read_text())
                    place.with_suffix(".tmp").write_text(json.dumps({"message": left.pop(0)}))
                    place.with_suffix(".tmp").rename(place)
            time.sleep(0.05)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield texts
    thread.join(20)
    assert not thread.is_alive()


def test_a_model_as_the_user_is_told_the_instruction_and_ends_by_the_sets_own_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, relay = write_set(tmp_path / "set", [[NOTE]]), tmp_path / "relay"
    guidelines = root / "data/tau2/user_simulator/simulation_guidelines.md"
    guidelines.parent.mkdir()
    guidelines.write_text("You are a customer of tomorrow.")
    with _answered(relay, "Please note hello.", "###STOP###") as asked:
        told = _eval(capsys, root, "--agent", "reference", "--user", f"relay:{relay}")
    assert told["avg_at_k"][0]["value"] == 1
    assert all("You are a customer of tomorrow." in each and "a x y z hello write" in each for each in asked)
    assert "YOU: Please note hello." in asked[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bfcl:base", "--data", "."], "is missing"),
        (["nobody:retail", "--data", "."], "is no set that --data can hold"),
        (["tau2:retail", "--data", "nowhere"], "There is no folder 'nowhere'"),
        (["tau2:retail", "--data", ".", "--rates"], "--rates is for domains of ours"),
        (["tau2:retail", "--data", ".", "--engine", "ray"], "plays one set on this machine"),
        (["SET", "--agent", "random"], "--agent 'random' cannot play tau2:retail"),
        (["SET", "--user", "none"], "--user 'none' cannot play tau2:retail"),
        (["SET", "--task", "7"], "Task '7' cannot be chosen"),
    ],
)
def test_what_cannot_be_played_is_said(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if words[0] == "SET":
        words = ["tau2:retail", "--data", str(write_set(tmp_path / "set", [[NOTE]])), *words[1:]]
    assert main(["eval", "--agent", "idle", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_general_agent_set_is_audited_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t0").mkdir()
    for name, text in {"gold.json": "[]", "instruction.md": "x"}.items():
        (tmp_path / "t0" / name).write_text(text)
    assert main(["eval", "general-agent", "--data", str(tmp_path), "--agent", "idle"]) == 2
    assert "can be audited, not played" in capsys.readouterr().err
