"""`check --assess`: a sound domain fails no round, one with planted faults is not kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from generator.arms import FaultsRequest, write_faulty_tools
from generator.gates.calls.assess import FIRST, LEAST, AssessRequest, assess
from tests.conftest import LIBRARY, SHIPPED, Cli


def test_a_sound_domain_fails_no_round(cli: Cli) -> None:
    found = json.loads(cli("check", LIBRARY, "--assess", "--rounds", 2_000, "--json"))
    assert (found["kept"], found["failed"]) == (True, [])
    assert list(found["rounds"]) == ["100", "2000"]
    for count, shares in found["rounds"].items():
        assert shares["all"]["not_fail"]["count"] == shares["all"]["pass"]["of"] == int(count)
        assert shares["positive"]["pass"]["of"] == shares["negative"]["pass"]["of"] == int(count) // 2
        assert 0.5 < shares["all"]["pass"]["count"] / int(count) < 1
    assert found["rounds"]["100"]["all"]["pass"]["count"] > 90
    assert found["cases"] == 58


@pytest.mark.parametrize("name", ["community_garden", "job_seeking", "library"])
def test_a_domain_with_planted_faults_is_not_kept(name: str, cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / name
    write_faulty_tools(FaultsRequest(SHIPPED[name], share=1, seed=5), folder)
    found = json.loads(cli("check", folder, "--assess", "--rounds", FIRST, "--json", status=1))
    assert found["rounds"]["100"]["all"]["not_fail"]["count"] < LEAST * FIRST
    assert "case '" in found["failed"][0]


def test_without_cases_only_what_breaks_a_promise_fails(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    (folder / "cases.jsonl").unlink()
    sound = assess(AssessRequest(folder, 400, seed=1))
    assert (sound.cases, sound.failed) == (0, [])
    for file in (folder / "tools").glob("*.py"):
        file.write_text(file.read_text().replace("loan = db.require(", "loan = 1 // 0 or db.require("))
    broken = assess(AssessRequest(folder, 400, seed=1))
    assert "fail" in broken.verdicts
    assert broken == assess(AssessRequest(folder, 400, seed=1))
