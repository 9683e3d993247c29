"""The walk of a new user in a real browser: look, play by hand, break a rule, go back, fork, finish, be judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.studio.conftest import Start, copy_library, expect, expect_fit


class Player:
    """A person who plays on a page, which shows all panels side by side on a desk and one at a time on a phone."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.timeline = page.get_by_role("navigation", name="Timeline")

    def turn_to(self, panel: str) -> None:
        """Choose a panel, where they have to be chosen."""
        choice = self.page.get_by_role("group", name="Panels").get_by_role("button", name=panel)
        if choice.is_visible():
            choice.click()
        expect_fit(self.page)

    def call(self, tool: str, **arguments: str) -> None:
        """Fill in the form of a tool and send it."""
        self.turn_to("Tools")
        tools = self.page.get_by_role("region", name="Tools")
        tools.get_by_role("searchbox").fill(tool)
        tools.get_by_role("button", name=tool).click()
        for name, value in arguments.items():
            tools.locator(f'[name="argument {name}"]').fill(value)
        tools.get_by_role("button", name="Call").click()
        expect(self.timeline.locator("[aria-current]")).to_contain_text(tool)

    def say(self, text: str, answer: str) -> None:
        """Say something to the user, who answers with these words."""
        self.turn_to("Talk")
        self.page.get_by_role("textbox", name="Say to the user").fill(text)
        self.page.get_by_role("button", name="Say", exact=True).click()
        expect(self.page.get_by_role("log")).to_contain_text(answer)
        expect(self.page.get_by_role("textbox", name="Say to the user")).to_have_value("")

    def step_back_to(self, number: int) -> None:
        """Go to an earlier step on the timeline."""
        self.timeline.get_by_role("button", name=f"{number} · ").first.click()
        expect(self.timeline.locator("[aria-current]")).to_contain_text(f"{number} · ")


def test_a_stranger_is_told_where_to_start(tmp_path: Path, start: Start, visit: Any) -> None:
    copy_library(tmp_path)
    page = visit("desk", "light").open(start(tmp_path).link)
    page.get_by_role("region", name="Start here").get_by_role("button", name="Play a task").click()
    expect(page.get_by_role("log")).to_contain_text("Can you renew it, and when is it due then?")


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("desk", "dark")])
def test_a_new_user_plays_a_task(tmp_path: Path, start: Start, visit: Any, size: str, scheme: str) -> None:
    copy_library(tmp_path)
    page = visit(size, scheme).open(start(tmp_path).link)
    page.get_by_role("link", name="Town library").click()
    page.get_by_role("button", name="loan", exact=True).click()
    expect(page.get_by_role("cell", name="LOAN-0001")).to_be_visible()
    page.get_by_role("navigation", name="Views of the domain").get_by_role("link", name="tasks").click()
    page.get_by_role("button", name="Play keep-a-book").click()
    player = Player(page)
    expect(page.get_by_role("log")).to_contain_text("Can you renew it, and when is it due then?")

    player.say("Who are you, please?", "nora.moreno9@example.org")
    player.call("find_member", email="nora.moreno9@example.org")
    player.turn_to("Talk")
    expect(page.get_by_role("log")).to_contain_text("MEMBER-0009")
    player.call("renew_loan", loan_id="LOAN-0016")
    expect(player.timeline.locator("[aria-current]")).to_contain_text("rule broken")
    player.turn_to("State")
    state = page.get_by_role("region", name="State")
    expect(state).to_contain_text("IDENTIFIED_FIRST")
    expect(state.locator("ins", has_text="2026-04-03")).to_be_visible()
    expect(state.locator("del", has_text="2026-03-20")).to_be_visible()

    player.step_back_to(2)
    state.get_by_role("button", name="Tables").click()
    expect(page.get_by_role("region", name="Rows of")).to_be_visible()
    expect(state.locator("td.now")).to_have_count(0)
    expect(page.get_by_text("what you do here starts a branch")).to_be_visible()
    details = {"email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}
    player.call("note_identification", member_id="MEMBER-0009", **details)
    player.call("renew_loan", loan_id="LOAN-0016")
    player.turn_to("State")
    expect(state.locator("td.now")).to_have_count(2)
    player.say("It is renewed until April 3.", "can you send just the new due date")
    player.say("April 3, 2026", "Thanks, that's")
    player.say("You are welcome.", "The conversation is over")

    page.get_by_role("link", name="See the verdict").click()
    expect(state.get_by_role("heading", name="Goal reached")).to_be_visible()
    expect_fit(page)
    state.get_by_role("link", name="step 5").click()
    expect(player.timeline.locator("[aria-current]")).to_contain_text("renew_loan")

    player.step_back_to(3)
    player.turn_to("Verdict")
    if size == "desk":
        state.get_by_role("button", name="Verdict").click()
    expect(state.get_by_role("heading", name="Goal")).to_contain_text("not reached")
    expect(
        state.get_by_role("listitem").filter(has_text="IDENTIFIED_FIRST").get_by_role("link", name="step 3")
    ).to_be_visible()
    player.turn_to("State")
    state.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("region", name="Differences")).to_contain_text("identification")
    expect_fit(page)


def test_an_agent_is_watched_and_keys_step_the_timeline(tmp_path: Path, start: Start, visit: Any) -> None:
    copy_library(tmp_path)
    page = visit().open(start(tmp_path).link)
    page.get_by_role("link", name="Plays").click()
    page.get_by_role("combobox", name="Domain").select_option("library")
    page.get_by_role("combobox", name="Task").select_option("late-and-next")
    page.get_by_role("button", name="Start").click()
    current = page.get_by_role("navigation", name="Timeline").locator("[aria-current]")
    expect(current).to_contain_text("start")
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_role("log")).to_contain_text("The conversation is over")
    page.get_by_role("region", name="State").get_by_role("button", name="Verdict").click()
    expect(page.get_by_role("heading", name="Goal reached")).to_be_visible()
    page.locator("body").press("Home")
    expect(current).to_contain_text("start")
    page.keyboard.press("ArrowRight")
    expect(current).to_contain_text("1 · ")
    page.keyboard.press("ArrowLeft")
    expect(current).to_contain_text("start")
