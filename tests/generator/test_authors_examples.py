"""What docs/authoring.md shows to authors holds: its cases are as expected, its scenario runs, its methods exist."""

from __future__ import annotations

import inspect
import re
import shutil
from pathlib import Path

from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.scenarios.judge import ScenariosRequest, prove_scenarios
from generator.tasks.proofs.all import prove_line
from runtime.domain.load import load_domain
from runtime.task.story import Story
from runtime.task.task import start_world
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY

PAGE = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text(encoding="utf-8")


def library_with(tmp_path: Path, name: str, text: str) -> Path:
    """The library with another file in it."""
    folder = Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def block(kind: str, within: str) -> str:
    """The code block of a kind that holds a text."""
    (found,) = [each for each in re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S) if within in each]
    return str(found)


def test_the_cases_are_as_expected(tmp_path: Path) -> None:
    folder = library_with(tmp_path, "cases.jsonl", block("jsonl", "cancel-1"))
    report = prove_cases(FolderRequest(folder))
    assert [(case.kind, case.differences) for case in report.cases] == [("success", []), ("rejection", [])]


def test_the_scenario_runs_and_every_argument_has_an_origin(tmp_path: Path) -> None:
    text = '"""Wishes."""\n\nfrom runtime.story import Story, scenario\n\n\n' + block("python", "leave_a_queue")
    (only,) = prove_scenarios(ScenariosRequest(library_with(tmp_path, "scenarios.py", text))).scenarios
    assert (only.name, only.faults) == ("leave_a_queue", [])
    assert set(only.tools) == {"find_member", "list_holds", "cancel_hold"}


def test_the_methods_of_a_story_are_those_that_are_shown() -> None:
    table = PAGE[PAGE.index("| method | what it gives or does |") : PAGE.index("## Tasks")]
    shown = dict(re.findall(r"`(?:with story\.)?(\w+)\(([^`]*)\)`", table))
    methods = {name: each for name, each in inspect.getmembers(Story, inspect.isfunction) if name[0] != "_"}
    assert shown.keys() == methods.keys() - {"close"}
    for name, parameters in shown.items():
        known = {"", "...", "self", *inspect.signature(methods[name]).parameters}
        assert {re.split(r"[=*]", part.strip().lstrip("*"))[0] for part in parameters.split(",")} <= known, name


def test_the_task_is_proven_as_it_stands(tmp_path: Path) -> None:
    domain = load_domain(library_with(tmp_path, "tasks.jsonl", block("jsonl", "keep-a-book")))
    (task,) = read_tasks(domain).values()
    proven = prove_line(domain, task, start_world(task, domain))
    assert proven.holds
    assert {"replay", "inert", "necessity", "sensitivity", "tolerance"} <= proven.proofs.keys()
