"""What docs/authoring.md shows to authors holds: each format that a person writes has an example that works."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from pathlib import Path

from generator.author.locale import choose_locale
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.rules.case import answers, place_rule_cases, read_rule_cases
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.tasks.compose import Composer
from generator.tasks.plan import TaskPlan
from generator.tasks.proofs.all import prove_candidate, prove_line
from runtime.domain.load import load_domain
from runtime.graph import read_graph
from runtime.session.session import Session
from runtime.task.story import Story
from runtime.task.task import start_world
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY
from tests.making import world_of

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


def test_the_smallest_domain_serves(tmp_path: Path) -> None:
    folder = tmp_path / "errands"
    (folder / "tools").mkdir(parents=True)
    (folder / "domain.json").write_text(block("json", '"errands"'))
    (folder / "schema.sql").write_text(block("sql", "CREATE TABLE errand"))
    (folder / "tools" / "errands.py").write_text(block("python", "def add_errand"))
    (folder / "world.py").write_text(block("python", "def populate"))
    domain = load_domain(folder)
    world = world_of(domain, 1, 10)
    with Session(domain, world) as session:
        assert session.call("add_errand", what="Buy milk", due_on="2026-03-17") == {"errand_id": "ERRAND-0011"}


def test_the_tool_and_the_invariant_are_those_of_a_library(tmp_path: Path) -> None:
    assert block("python", "def cancel_hold").strip() in (LIBRARY / "tools" / "holds.py").read_text()
    before, _, rest = (LIBRARY / "world.py").read_text().partition("INVARIANTS = {")
    world = f"{before}{block('python', 'INVARIANTS')}{rest.partition(chr(10) + '}' + chr(10))[2]}"
    assert len(load_domain(library_with(tmp_path, "world.py", world)).invariants) == 1


def test_the_people_are_those_of_the_library(tmp_path: Path) -> None:
    card = json.loads((LIBRARY / "domain.json").read_text())
    people = json.loads("{" + block("text", '"found_by"') + "}")
    with_refusal = {**card, **people}
    domain = load_domain(library_with(tmp_path, "domain.json", json.dumps(with_refusal)))
    assert domain.people is not None
    assert [*domain.people.proven_by] == ["email", "phone"]


def test_the_rule_and_the_duty_do_what_their_case_says(tmp_path: Path) -> None:
    head = '"""Rules."""\n\nfrom runtime import Database\nfrom runtime.rules import Call, duty, rule\n\n\n'
    text = head + block("python", "DEBT_LIMIT") + "\n\n" + block("python", "LEAVES_THE_QUEUE")
    folder = library_with(tmp_path, "rules.py", text)
    (folder / "rule_cases.jsonl").write_text(block("jsonl", "DEBT_LIMIT-2"))
    domain = load_domain(folder)
    placed = place_rule_cases(domain, read_rule_cases(folder), [])
    assert [answer for _, answer in answers(domain, placed)] == [False]
    assert {"DEBT_LIMIT", "LEAVES_THE_QUEUE"} <= {*domain.rules.codes}


def test_the_cases_are_as_expected(tmp_path: Path) -> None:
    folder = library_with(tmp_path, "cases.jsonl", block("jsonl", "cancel-1"))
    report = prove_cases(FolderRequest(folder))
    assert [(case.kind, case.differences) for case in report.cases] == [("success", []), ("rejection", [])]


def test_the_scenarios_run_and_every_argument_has_an_origin(tmp_path: Path) -> None:
    text = '"""Wishes."""\n\nfrom runtime.story import Story, scenario\n\n\n' + block("python", "leave_a_queue")
    text += "\n\n" + block("python", "extend_or_hand_in")
    both = prove_scenarios(ScenariosRequest(library_with(tmp_path, "scenarios.py", text))).scenarios
    assert [(each.name, each.faults) for each in both] == [("leave_a_queue", []), ("extend_or_hand_in", [])]
    assert {"find_member", "list_holds", "cancel_hold"} <= {tool for each in both for tool in each.tools}


def test_tasks_of_several_ends_and_of_checks_are_made_of_the_examples(tmp_path: Path) -> None:
    text = '"""Wishes."""\n\nfrom runtime.story import Story, scenario\n\n\n'
    text += block("python", "leave_one_of_two_numbers") + "\n\n" + block("python", "get_at_least_some_fees_waived")
    domain = load_domain(library_with(tmp_path, "scenarios.py", text))
    plan = TaskPlan(1, 1, 1, "train", 1)
    with Composer(domain, read_graph(domain.path)) as composer:
        ends = composer.compose_alone("leave_one_of_two_numbers", plan)
        checks = composer.compose_alone("get_at_least_some_fees_waived", plan)
    assert len(ends.task.ends) == 1
    assert checks.task.may_change == ["member.owed_cents"]
    assert prove_candidate(ends).holds
    assert prove_candidate(checks).holds


def test_a_task_of_a_detail_said_wrong_is_made_of_the_example(tmp_path: Path) -> None:
    text = '"""Wishes."""\n\nfrom runtime.story import Story, scenario\n\n\n'
    folder = library_with(tmp_path, "scenarios.py", text + block("python", "story.misremembers"))
    (report,) = prove_scenarios(ScenariosRequest(folder, worded=True)).scenarios
    assert report.faults == []
    with Composer(load_domain(folder), read_graph(folder)) as composer:
        made = composer.compose_alone(report.name, TaskPlan(1, 3, 1, "train", 1))
    assert [bool(fact.corrects) for fact in made.task.user.facts] == [True, False, False, False]
    assert prove_candidate(made).holds


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


def test_the_locale_is_the_one_that_a_build_writes() -> None:
    assert json.loads(block("json", '"en-GB"')) == choose_locale("en-GB").model_dump(mode="json")
