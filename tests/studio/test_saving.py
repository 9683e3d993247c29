"""Three sessions become tasks in a real browser: as it was played, in typed words, and what an agent did that lost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import worldsmith as api
from runtime.domain.load import load_domain
from runtime.harness.evaluation.store import read_run
from runtime.harness.export import api_messages
from runtime.task.task_file import read_tasks
from tests.conftest import SHIPPED_LIBRARY
from tests.studio.conftest import Player, StudioProcess, copy_library, expect, expect_fit

NORA = {"email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}
LOST = "renew-well-before-it-is-due-and-2-more-l4-0072"  # in which compliance breaks a rule


def worldsmith(folder: Path, *words: str) -> str:
    """Run a command as a person does, and return what it prints."""
    command = [sys.executable, "-m", "generator", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with the library, and with an evaluation of an agent that does whatever it is asked."""
    folder = tmp_path_factory.mktemp("saving")
    own = copy_library(folder) / "tasks.jsonl"
    (line,) = (each for each in (SHIPPED_LIBRARY / "tasks.jsonl").read_text().splitlines() if f'"{LOST}"' in each)
    own.write_text(f"{own.read_text()}{line}\n")
    worldsmith(folder, "eval", "library", "--task", LOST, "--agent", "comply_all", "--store", "runs/yes.db")
    return folder


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[StudioProcess]:
    running = StudioProcess(folder, "--port", "0")
    yield running
    running.stop()


def calls_of(page: Any) -> Any:
    return page.get_by_label("Calls, one a line")


def write(page: Any) -> str:
    """Write the task, and return its id."""
    page.get_by_role("button", name="Write the task").click()
    written = page.get_by_role("region", name="Proven").get_by_role("heading")
    expect(written).to_contain_text("Written: ")
    expect_fit(page)
    return str(written.inner_text()).rpartition(" ")[2]


def test_three_sessions_become_tasks_that_the_reference_wins(folder: Path, studio: StudioProcess, visit: Any) -> None:
    page = visit("desk").open(studio.link)
    made = [played_as_asked(page, studio), played_without_a_task(page, studio), lost_by_an_agent(page, studio)]
    domain = load_domain(folder / "domains" / "library")
    own = read_tasks(domain)
    assert {*made} <= own.keys()
    assert made[2] == f"yes-{LOST}"
    lost = read_run(folder / "runs" / "yes.db").attempt(1)
    (mistake,) = (each for each in own[made[2]].mistakes if each.name == "does what lost in yes")
    assert [step.tool for step in mistake.turn] == [call.name for each in lost.messages for call in each.calls]
    with ThreadPoolExecutor(1) as beside:  # the browser has this thread's event loop
        again = beside.submit(replay, api.tasks(domain), made[2], lost.messages).result()
    assert (again.reward, again.reason) == (0, f"broke RENEWAL_WINDOW; {mistake.name}")
    file = str(folder / "domains" / "library" / "tasks.jsonl")
    report = json.loads(worldsmith(folder, "check", "library", "--tasks", file, "--json"))
    assert report["tasks"]["kept"] == len(own)
    for agent, reward in (("reference", 1), ("idle", 0)):
        for task in made:
            store = f"{agent}-{task}.db"
            asked = ("--task", task, "--agent", agent, "--store", store, "--json")
            assert json.loads(worldsmith(folder, "eval", "library", *asked))["avg_at_k"][0]["value"] == reward


def replay(tasks: Any, task: str, messages: Any) -> Any:
    """Say and do on a task what an agent said and did on another; return the record of it."""
    with api.Rollout(next(each for each in tasks if each.id == task)).sync() as rollout:
        rollout.open()
        for message in api_messages([each for each in messages if each.by_agent]):
            rollout.take(message)
        return rollout.record()


def played_as_asked(page: Any, studio: StudioProcess) -> str:
    page.goto(f"{studio.address}#/domain/library/tasks")
    page.get_by_role("button", name="Play keep-a-book").click()
    player = Player(page)
    player.call("find_member", email=NORA["email"])
    player.call("list_holds", member_id="MEMBER-0009")
    player.call("note_identification", member_id="MEMBER-0009", **NORA)
    player.call("renew_loan", loan_id="LOAN-0016")
    page.get_by_role("link", name="Make a task of it").click()
    expect(calls_of(page)).not_to_have_value("")
    page.get_by_role("button", name="Try it").click()
    missing = page.get_by_role("region", name="Missing")
    expect(missing).to_contain_text("takes 'LOAN-0016' as loan id, which the user says nowhere")
    looked_up = 'list_loans {"member_id":"MEMBER-0009"}\nrenew_loan'
    calls_of(page).fill(calls_of(page).input_value().replace("renew_loan", looked_up))
    return write(page)


def played_without_a_task(page: Any, studio: StudioProcess) -> str:
    page.goto(f"{studio.address}#/domain/library")
    page.get_by_role("button", name="Play without a task").click()
    player, elena = Player(page), {"email": "elena.costa4@example.org", "phone": "(937) 555-0101"}
    player.call("find_member", email=elena["email"])
    player.call("note_identification", member_id="MEMBER-0004", **elena)
    player.call("change_phone", member_id="MEMBER-0004", phone=elena["phone"])
    player.call("list_loans", member_id="MEMBER-0004")
    player.call("return_book", loan_id="LOAN-0015")
    page.get_by_role("link", name="Make a task of it").click()
    missing = page.get_by_role("region", name="Missing")
    page.get_by_role("button", name="Try it").click()
    expect(missing).to_contain_text("It has no user messages; type what the user says.")
    page.get_by_label("What the user says").fill("I'd like to give back one of my books.")
    page.get_by_role("button", name="Try it").click()
    expect(missing).to_contain_text("3 rows that call 3 (list_loans) returned fit what the user says")
    page.get_by_role("button", name="Let the user tell the title, 'The Book of Orchards', when asked").click()
    expect(missing).to_contain_text("The goal is reached without call 2 (change_phone), too: it changes nothing.")
    page.get_by_role("button", name="Drop call 2").click()
    expect(page.get_by_role("heading", name="Proven")).to_be_visible()
    return write(page)


def lost_by_an_agent(page: Any, studio: StudioProcess) -> str:
    page.goto(f"{studio.address}#/run/yes")
    page.locator("a.trial.bad").first.click()
    page.get_by_role("link", name="Make a task of it").click()
    expect(page.get_by_text("The agent lost")).to_be_visible()
    expect(calls_of(page)).to_have_value(re.compile("decline_request"))  # what is right
    page.get_by_role("button", name="Start from the agent's calls").click()
    expect(calls_of(page)).not_to_have_value(re.compile("decline_request"))
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("region", name="Missing")).to_contain_text("breaks RENEWAL_WINDOW")
    page.get_by_role("button", name="Start from the right calls").click()
    return write(page)
