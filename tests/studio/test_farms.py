"""A farm in a real browser, wide and narrow: as it goes, what is not kept, and when it was killed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.generator import lending
from tests.generator.building import answering, build_lending
from tests.generator.commands.test_mend import spoil
from tests.studio.conftest import PATIENCE, StudioProcess, expect, expect_fit

LONG = 6 * PATIENCE * 1000  # milliseconds that a check takes on a busy machine
FARM = """format = 1
title = "Our sheds"
model = ["relay:questions"]
at_once = 1
shape = { tools = 5, tasks = 0, rules = false }
builds = [
    { keyword = "pet care", sources = ["none.md"] },
    { keyword = "tool lending" },
    { keyword = "ladder lending" },
    { keyword = "boat lending" },
]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lending domain, built before there is a browser, whose loop is then the only one."""
    folder = tmp_path_factory.mktemp("built") / "tool_lending"
    build_lending(folder, scenarios=False)
    return folder


def test_a_farm_is_shown_as_it_goes(built: Path, tmp_path: Path, visit: Any) -> None:
    (tmp_path / "sheds.toml").write_text(FARM)
    shed = Path(shutil.copytree(built, tmp_path / "domains" / "tool_lending"))
    spoil(shed / "tools" / "lendings.py", 'status="back")', 'status="out")')
    studio = StudioProcess(tmp_path, "--port", "0")
    farm = None
    try:
        page = visit("phone").open(studio.link)
        page.get_by_role("link", name="Farms").click()
        expect(page.get_by_text("No farm is here yet")).to_be_visible()
        command = [sys.executable, "-m", "generator", "farm", "sheds.toml"]
        farm = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        page.get_by_role("link", name="Our sheds").click(timeout=LONG)
        whole = page.get_by_role("status", name="The whole farm")
        expect(whole).to_contain_text("● running")
        builds = page.get_by_role("table", name="Builds")
        ladder = builds.get_by_role("row", name=re.compile("^ladder lending"))
        expect(ladder).to_contain_text(
            re.compile(r"building 1 of 11: screen.*1 of about \d+.*screen: relay:ladder"), timeout=LONG
        )
        expect(builds.get_by_role("row").nth(1)).to_contain_text("ladder lending")  # what is at work is first
        expect(builds.get_by_role("row", name=re.compile("^boat lending"))).to_contain_text("a free place")
        mend = page.get_by_role("region", name="Not kept: tool_lending")
        expect(mend).to_contain_text("take_back")
        expect(mend).to_contain_text(f"worldsmith mend {shed} --model ... mends it, then run the farm again.")
        expect(page.get_by_role("region", name="Not kept: pet_care")).to_contain_text("none.md")
        expect_fit(page)
        desk = visit("desk", "dark").open(studio.link)
        desk.goto(page.url)
        answers = lending.answers()
        some = {asked: answers[asked] for asked in ("screen", ("tools", "catalogue"))}
        with answering(tmp_path / "questions", some):
            for each in (page, desk):
                row = each.get_by_role("table", name="Builds").get_by_role("row", name=re.compile("^ladder lending"))
                expect(row).to_contain_text(re.compile(r"3 of \d+: database"), timeout=LONG)
                expect(row).to_contain_text(re.compile(r"3 of about \d+"))
                expect(row).to_contain_text(re.compile(r"about \d+(:\d\d min| s)"))
        expect(desk.get_by_role("row", name=re.compile("^ladder lending")).get_by_role("cell").nth(2)).not_to_have_text(
            "0"
        )
        expect_fit(desk)
        farm.kill()
        for each in (page, desk):
            expect(each.get_by_role("status", name="The whole farm")).to_contain_text("stopped")
            expect(each.get_by_text("The same command goes on from there")).to_contain_text(
                "worldsmith farm sheds.toml"
            )
        desk.get_by_role("link", name="tool lending").click()
        expect(desk.get_by_role("heading", name="Tool shed")).to_be_visible()
    finally:
        if farm is not None:
            farm.kill()
            farm.wait()
        studio.stop()
