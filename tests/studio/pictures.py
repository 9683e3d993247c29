"""Make the pictures of docs/studio.md and README.md anew: `python -m tests.studio.pictures [FOLDER]`; default: docs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.studio.conftest import Player, StudioProcess, Visitor, expect

DETAILS = {"email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}


def main() -> None:
    """Take every picture with a studio and a report of its own."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs").resolve()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        work = Path(folder)
        command = [sys.executable, "-m", "generator", "eval", "library", "-n", "16", "--trials", "4"]
        for agent in ("careful", "comply_all"):
            subprocess.run([*command, "--agent", agent, "--store", f"runs/{agent}.db"], cwd=work, check=True)
        studio = StudioProcess(work, "--port", "0")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        try:
            desk, phone = Visitor(browser, "desk", "light"), Visitor(browser, "phone", "dark")
            play = play_by_hand(desk.open(studio.link), out / "studio-play.png")
            page = phone.open(studio.link)
            for step, panel in ((8, "talk"), (5, "state"), (8, "verdict")):
                take(page, studio, f"#/play/{play}/{step}/{panel}", out / f"studio-phone-{panel}.png")
            page = desk.open(studio.link)
            take(page, studio, "", out / "studio-home.png")
            take(page, studio, "#/run/comply_all/with/careful", out / "studio-run.png", sort="Difference")
            desk = Visitor(browser, "desk", "dark")
            take(desk.open(studio.link), studio, "#/domain/job_seeking/graph", out / "studio-graph.png")
            read_report(browser, work, out / "report.png")
        finally:
            browser.close()
            studio.stop()


def take(page: Any, studio: StudioProcess, place: str, file: Path, sort: str = "") -> None:
    """Take a picture of a place once everything is there, and sorted by a column if one is named."""
    page.goto(f"{studio.address}{place}")
    expect(page.locator(".waiting")).to_have_count(0)
    expect(page.locator("h1").first).to_be_visible()
    if sort:
        page.get_by_role("button", name=sort).click()
    page.wait_for_timeout(1500)  # what moves comes to rest
    page.screenshot(path=file)


def read_report(browser: Any, work: Path, file: Path) -> None:
    """Take a picture of an episode that failed because an agent repeated a call that had timed out."""
    command = [sys.executable, "-m", "generator"]
    options = ["-n", "12", "--trials", "4", "--agent", "blind", "--faults", "harsh", "--store", "report.db"]
    subprocess.run([*command, "eval", "library", *options], cwd=work, check=True)
    subprocess.run([*command, "report", "report.db"], cwd=work, check=True)
    page = Visitor(browser, "desk", "light").open((work / "report.html").as_uri())
    page.locator("a.trial.bad").first.click()
    page.wait_for_timeout(1500)
    page.screenshot(path=file)


def play_by_hand(page: Any, file: Path) -> str:
    """Play a task with a wrong turn, as a new user may; take a picture, and return the name of the play."""
    page.goto(f"{page.url.split('#')[0]}#/domain/library/tasks")
    page.get_by_role("button", name="Play keep-a-book").click()
    player = Player(page)
    player.say("Who are you, please?", DETAILS["email"])
    player.call("find_member", email=DETAILS["email"])
    player.call("renew_loan", loan_id="LOAN-0016")
    player.step_back_to(2)
    player.call("note_identification", member_id="MEMBER-0009", **DETAILS)
    player.call("renew_loan", loan_id="LOAN-0016")
    page.get_by_role("button", name="Tables").click()
    page.wait_for_timeout(1500)
    page.screenshot(path=file)
    player.say("It is renewed until April 3.", "can you send just the new due date")
    player.say("April 3, 2026", "Thanks, that's")
    player.say("You are welcome.", "The conversation is over")
    return str(page.url.split("/play/")[1].split("/")[0])


if __name__ == "__main__":
    main()
