"""A mended domain passes its check, nothing else in it changes, and a killed run asks nothing twice."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.author.folder import changed_files, read_draft
from generator.author.mend import refresh_interlocks, remake_tasks
from generator.author.stage import MENDED
from generator.author.stages.rules import policy_text
from generator.author.writing.rules import RulesDesign
from generator.gates.rules.case import RuleTopic
from generator.graph.find import search_graph, with_chain_flows, write_graph
from generator.scenarios.scenario import ScenarioDesign
from generator.tasks import find_interlocks
from generator.tasks.interlocks import read_interlocks
from generator.twin.parts import read_parts, write_parts
from runtime.domain.load import find_folder, load_domain
from runtime.main import run_command
from runtime.model.book import AnswerBook
from tests.generator import calling
from tests.generator.author.stages.drafts import shed_draft

# Everything is as it is for a person, but for fewer random calls.
MEND = """
import sys
from generator.author.stages import trial
from generator.commands import check
from generator.main import main
trial.RANDOM_CALLS = check._CALLS = 200
sys.exit(main(sys.argv[1:]))
"""
COMPLAINED = "give_a_new_number"
FEWER_OUT = '''
def populate(world: WorldBuilder) -> None:
    """A sixth of the rows are neighbours, a third items, nearly half lendings; nobody has more than three items."""
    neighbours = []
    for number in range(world.share(0.16, least=3)):
        neighbours.append(_add_neighbour(world, number, neighbours))
    items = [
        world.insert("item", label=f"{world.random.choice(MARKS)} {world.random.choice(KINDS)} {number + 1}")
        for number in range(world.share(0.34, least=3))
    ]
    out = {}
    for number in range(world.share(0.44, least=3)):
        key = world.random.choice(neighbours)["neighbour_id"]
        is_out = number < len(items) and number % 3 > 0 and out.get(key, 0) < 3
        out[key] = out.get(key, 0) + is_out
        world.insert(
            "lending",
            item_id=items[number % len(items)]["item_id"],
            neighbour_id=key,
            due_on=world.day(world.random.randrange(-6, 12)),
            status="out" if is_out else "back",
        )
'''


def make_shed(place: Path) -> Path:
    """The shed in a folder, as it is when everything but its past is right."""
    answers = calling.answers()
    rules = RulesDesign.model_validate(answers["rules", "rules"])
    cases = {"rules-1": RuleTopic.model_validate(answers["rule_cases", "rules-1"]).numbered()}
    folder = place / "shed"
    folder.mkdir()
    replace(shed_draft(), rules=rules, rule_cases=cases).write(folder)
    (folder / "policy.md").write_text(policy_text(folder))
    (folder / "notes.txt").write_text("words of mine\n")
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def spoil(path: Path, right: str, wrong: str) -> None:
    text = path.read_text()
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong))


def answer_alone(name: str, text: str) -> dict[str, Any]:
    """What somebody who sees one request alone answers."""
    ids = [word.strip("`:#- ") for word in text.split() if word.startswith(("take_back-", "NOT_OVERDUE-"))]
    blamed = [each for each in dict.fromkeys(ids) if each[-1].isdigit()]
    if name.startswith("debug.take_back"):
        body = '_out(db, lending_id)\nreturn _shown(db, db.update("lending", lending_id, status="back"))'
        return {
            "blames": [{"case": each, "wrong": "tool", "reason": "It sets due_on."} for each in blamed],
            "body": body,
        }
    if name.startswith("debug"):
        body = 'return now.require("lending", call.item)["due_on"] >= now.today'
        return {
            "blames": [{"case": each, "wrong": "rule", "reason": "After, not before."} for each in blamed],
            "body": body,
        }
    if name.startswith("rules"):
        rule = next(each for each in calling.answers()["rules", "rules"]["rules"] if each["code"] == "NOT_OVERDUE")
        return {"rules": [rule | {"prose": "A lending is not extended after the day it is due."}]}
    if name.startswith("scenarios"):
        own = calling.answers()["scenarios", "lendings-neighbours"]["scenarios"]
        each = next(each for each in own if each["name"] == COMPLAINED)
        return {"scenarios": [each | {"body": each["body"].replace("jot that down", "please save it")}]}
    return {"parts": FEWER_OUT} if name.startswith("past") else {"impossible": []}


def park(folder: Path, name: str, *parts: str) -> None:
    """Move parts of a file to `parked/`, as `twin --update` does."""
    own, parked = read_parts(folder / name), folder / "parked" / name
    parked.parent.mkdir(parents=True, exist_ok=True)
    mark = "" if name.endswith("l") else "# Parked: its case fails\n"
    parked.write_text("".join(mark + own[part].strip() + "\n\n\n" for part in parts))
    write_parts(folder / name, {part: text for part, text in own.items() if part not in parts})


def _mend(
    folder: Path, relay: Path, *options: str, until: Callable[[list[str]], bool] = lambda _: False
) -> tuple[int, str, list[str]]:
    """Run the command and answer what it asks; it is killed before an answer once `until` says so."""
    words = [sys.executable, "-c", MEND, "mend", str(folder), "--parked", "--model", f"relay:{relay}", *options]
    asked: list[str] = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        while running.poll() is None:
            for request in sorted(relay.glob("*.request.md")):
                place = relay / request.name.replace(".request.md", ".answer.json")
                if not place.exists():
                    asked.append(request.name)
                    if until(asked):
                        running.kill()
                        running.wait()
                        break
                    content = answer_alone(request.name, request.read_text())
                    place.with_suffix(".tmp").write_text(json.dumps(content))
                    place.with_suffix(".tmp").rename(place)
            time.sleep(0.05)
        assert running.stdout is not None
        return running.returncode, running.stdout.read(), asked


def test_three_faults_are_mended_and_a_killed_run_goes_on(tmp_path: Path) -> None:
    folder, relay = make_shed(tmp_path), tmp_path / "questions"
    right = _files(folder)
    spoil(folder / "tools" / "lendings.py", 'status="back"))', "due_on=db.today))")
    spoil(folder / "rules.py", '["due_on"] >= now.today', '["due_on"] <= now.today')
    park(folder, "tools/lendings.py", "take_back")
    park(folder, "cases.jsonl", "take_back-1", "take_back-2", "take_back-3")
    (folder / "parked" / "README.md").write_text("Mend each.\n\n- `tools/lendings.py`, take_back: its case fails\n")
    status, _, asked = _mend(folder, relay, until=lambda asked: len(asked) == 2)
    assert status == -signal.SIGKILL
    assert [name.split(".")[1][:9] for name in asked] == ["take_back", "not_overd"]
    assert (folder / "tools" / "lendings.py").read_bytes() == right["tools/lendings.py"]  # a step that was done stays
    status, told, further = _mend(folder, relay)
    assert status == 0, told
    assert [name.split(".")[0] for name in further] == ["debug", "past", "world_reading"]
    assert further[0] == asked[1]
    assert "(question 1 of about " in (relay / asked[0]).read_text().splitlines()[0]
    assert "debug" in told
    assert "shed: ok" in told
    now = _files(folder)
    answers = AnswerBook.read(folder / MENDED)
    assert [entry.stage for entry in answers] == ["debug", "debug", "past", "world_reading"]
    assert {name for name in now if now[name] != right.get(name)} == {"world.py", MENDED}
    assert right.keys() - now.keys() == set()
    assert now["world.py"].partition(b"def _add_neighbour")[2] == right["world.py"].partition(b"def _add_neighbour")[2]
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_what_a_person_complains_of_is_mended_once(tmp_path: Path) -> None:
    folder, relay = make_shed(tmp_path), tmp_path / "questions"
    answers = calling.answers()
    own, conditions = answers["scenarios", "lendings-neighbours"]["scenarios"], {"OUT": "1"}
    kept = [ScenarioDesign.model_validate(each) for each in own if each["name"] in ("give_an_item", COMPLAINED)]
    replace(read_draft(folder), scenarios=tuple(kept), conditions=conditions).write(folder)
    (folder / "graph.json").write_text(write_graph(with_chain_flows(folder, search_graph(folder))))
    before = _files(folder)
    options = [
        f"--complaint={COMPLAINED}=Nobody 'jots down' a number.",
        "--complaint=NOT_OVERDUE=Which day is the last?",
    ]
    status, _, asked = _mend(folder, relay, *options, until=lambda asked: asked[-1].startswith("scenarios"))
    assert status == -signal.SIGKILL
    assert [name.partition(".")[0] for name in asked] == ["rules", "past", "world_reading", "scenarios"]
    assert "rule NOT_OVERDUE: Which day is the last?" in (relay / asked[0]).read_text()
    assert "Nobody 'jots down' a number." in (relay / asked[-1]).read_text()
    status, told, further = _mend(folder, relay, *options)
    assert status == 0, told
    assert [name.split(".")[0] for name in further] == ["scenarios"]  # the rule is met
    now = _files(folder)
    assert {name for name in now if now[name] != before.get(name)} <= {
        *("rules.py", "policy.md", "world.py", "graph.json", "scenarios.py", MENDED),
    }
    assert b"A lending is not extended after the day it is due." in now["policy.md"]
    assert now["scenarios.py"] == before["scenarios.py"].replace(b"jot that down", b"please save it")


def test_a_complaint_is_about_something_that_is_there(tmp_path: Path, capsys: Any) -> None:
    folder, commands = make_shed(tmp_path), {"mend": ("generator.commands.mend", "")}
    for complaint, said in (
        ("LATE=It is unfair.", "'LATE'"),
        ("It is unfair.", "NAME=TEXT"),
        ("=Unfair.", "NAME=TEXT"),
    ):
        words = ["mend", str(folder), "--model", f"relay:{tmp_path / 'q'}", "--complaint", complaint]
        assert run_command(commands, {}, words) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["community_garden", "library"])
def test_a_folder_that_is_read_and_written_stays_byte_for_byte(tmp_path: Path, name: str) -> None:
    draft = read_draft(find_folder(name))
    assert changed_files(draft, tmp_path) == []


def test_only_the_function_that_changed_is_written_anew(tmp_path: Path) -> None:
    folder = find_folder("library")
    draft = read_draft(folder)
    topic, code = next((topic, code) for topic, code in draft.code.items() if "renew_loan" in str(code.bodies))
    body = 'loan = db.require("loan", loan_id)\nreturn {"loan_id": loan_id, "due_on": add_minutes(db.now, 5)[:10]}'
    bodies = [each.model_copy(update={"body": body}) if each.tool == "renew_loan" else each for each in code.bodies]
    changed = replace(draft, code={**draft.code, topic: code.with_bodies(bodies)})
    assert changed_files(changed, tmp_path) == [f"tools/{topic}.py"]
    old, new = ((each / "tools" / f"{topic}.py").read_text().split("\n@tool") for each in (folder, tmp_path))
    assert [part for part in new[1:] if part not in old] == [part for part in new if "def renew_loan" in part]
    assert "add_minutes" in new[0]


def test_tasks_of_all_sets_are_composed_again_and_what_no_scenario_makes_stays(tmp_path: Path) -> None:
    folder = shutil.copytree(find_folder("community_garden"), tmp_path / "community_garden")
    sets = [folder / "tasks.jsonl", folder / "tasks" / "expert.jsonl", folder / "tasks" / "time.jsonl"]
    lines = [each.read_text().splitlines() for each in sets]
    sets[0].write_text("\n".join([*lines[0], json.dumps({**json.loads(lines[0][0]), "id": "mine"}), ""]))
    before = [each.read_bytes() for each in sets]
    lost = [json.loads(each[3])["id"] for each in lines]
    assert [*remake_tasks(folder, [*lost, "mine"], [])] == [
        f"{sum(map(len, lines)) - 3} tasks kept, 3 composed again, 3 of them as before",
        "not proven, and kept since no scenario makes them: mine",
    ]
    assert [each.read_bytes() for each in sets] == before


def test_interlocks_of_an_earlier_world_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_interlocks, "_WORLDS", 1)
    folder = Path(shutil.copytree(find_folder("community_garden"), tmp_path / "community_garden"))
    assert refresh_interlocks(folder) == ""
    world = folder / "world.py"
    world.write_text(f"{world.read_text()}\n# mended\n")
    assert "interlocking pairs" in refresh_interlocks(folder)
    assert read_interlocks(load_domain(folder)).pairs


def test_rows_that_may_be_of_real_people_are_shown_to_no_model(tmp_path: Path, capsys: Any) -> None:
    folder = make_shed(tmp_path)
    card = json.loads((folder / "domain.json").read_text())
    (folder / "domain.json").write_text(json.dumps({**card, "real_rows": True}))
    aside = tmp_path / ".shed.building-1" / "shed.old"  # as a run leaves it that is killed between two renames
    aside.parent.mkdir()
    (aside.parent / "lock").touch()
    folder.rename(aside)
    commands = {"mend": ("generator.commands.mend", "")}
    assert run_command(commands, {}, ["mend", str(folder), "--model", f"relay:{tmp_path / 'q'}"]) == 2
    assert "rows that may be about real people" in capsys.readouterr().err
