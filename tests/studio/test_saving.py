"""Three sessions become tasks in a real browser: one as it was played, one in typed words, one that an agent lost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.load import load_domain
from runtime.task.task_file import read_tasks
from tests.studio.conftest import Player, StudioProcess, copy_library, expect, expect_fit

NORA = {"email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}


def worldsmith(folder: Path, *words: str) -> str:
    """Run a command as a person does, and return what it prints."""
    command = [sys.executable, "-m", "generator", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with the library, and with an evaluation that an agent lost."""
    folder = tmp_path_factory.mktemp("saving")
    copy_library(folder)
    worldsmith(folder, "eval", "library", "--task", "keep-a-book", "--agent", "idle", "--store", "runs/lazy.db")
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
    own = read_tasks(load_domain(folder / "domains" / "library"))
    assert {*made} <= own.keys()
    assert made[2] == "lazy-keep-a-book"
    (mistake,) = own[made[2]].mistakes
    assert (mistake.name, mistake.turn) == ("does what lost in lazy", [])
    file = str(folder / "domains" / "library" / "tasks.jsonl")
    report = json.loads(worldsmith(folder, "check", "library", "--tasks", file, "--json"))
    assert report["tasks"]["kept"] == len(own)
    for agent, reward in (("reference", 1), ("idle", 0)):
        for task in made:
            store = f"{agent}-{task}.db"
            asked = ("--task", task, "--agent", agent, "--store", store, "--json")
            assert json.loads(worldsmith(folder, "eval", "library", *asked))["avg_at_k"][0]["value"] == reward


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
    page.goto(f"{studio.address}#/run/lazy")
    page.locator("a.trial.bad").first.click()
    page.get_by_role("link", name="Make a task of it").click()
    expect(page.get_by_text("The agent lost")).to_be_visible()
    expect(calls_of(page)).to_have_value(re.compile("renew_loan"))
    return write(page)
