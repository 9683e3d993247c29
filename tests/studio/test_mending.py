"""The studio shows how `worldsmith mend` goes on a domain, while it goes: what is asked, and what is left."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.generator.commands.test_mend import MEND, answer_alone, make_shed, spoil
from tests.studio.conftest import PATIENCE, StudioProcess, expect, expect_fit


def test_a_mending_is_shown_as_it_goes(tmp_path: Path, visit: Any) -> None:
    (tmp_path / "domains").mkdir()
    spoil(make_shed(tmp_path / "domains") / "tools" / "lendings.py", 'status="back"))', "due_on=db.today))")
    studio = StudioProcess(tmp_path, "--port", "0")
    try:
        page = visit("phone").open(studio.link)
        page.goto(f"{studio.address}#/domain/shed")
        expect(page.get_by_role("link", name="Tables")).to_be_visible()
        expect(page.get_by_role("link", name="Mending")).to_have_count(0)
        words = [sys.executable, "-c", MEND, "mend", "shed", "--model", "relay:questions"]
        mending = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        page.get_by_role("link", name="Mending").click(timeout=4 * PATIENCE * 1000)
        shown = page.get_by_role("region", name="Mending")
        expect(shown).to_contain_text(re.compile(r"question 1 of about \d, waiting for answers: debug \(1\)"))
        expect(shown).to_contain_text("cases: 1 complaint")
        expect_fit(page)
        answer_all(tmp_path / "questions", mending)
        expect(shown.get_by_role("heading", name="Mended", exact=True)).to_be_visible()
        expect(shown.get_by_role("row", name=re.compile("^debug Requests 1 Repairs 0"))).to_be_visible()
        expect_fit(page)
        desk = visit("desk").open(studio.link)
        desk.goto(page.url)
        expect(desk.get_by_role("region", name="Mending")).to_contain_text("Nothing was left")
        expect_fit(desk)
    finally:
        studio.stop()


def answer_all(relay: Path, mending: subprocess.Popen[bytes]) -> None:
    """Answer each question of a command until it ends, as it does when nothing is left."""
    while mending.poll() is None:
        for request in relay.glob("*.request.md"):
            place = relay / request.name.replace(".request.md", ".answer.json")
            if not place.exists():
                content = answer_alone(request.name, request.read_text())
                place.with_suffix(".tmp").write_text(json.dumps(content))
                place.with_suffix(".tmp").rename(place)
        time.sleep(0.05)
    assert mending.returncode == 0
