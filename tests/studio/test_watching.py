"""A running evaluation is watched to its end in a real browser, and one of its failures opened."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from tests.conftest import SHIPPED_LIBRARY
from tests.runtime.harness.played import keep, some_episodes
from tests.studio.conftest import PATIENCE, Start, copy_library, expect, expect_fit


def test_a_running_evaluation_of_64_episodes_is_watched_to_its_end(tmp_path: Path, start: Start, visit: Any) -> None:
    (tmp_path / "runs").mkdir()
    page = visit().open(f"{start(tmp_path).link}#/runs")
    expect(page.get_by_text("No evaluation is here yet")).to_be_visible()
    options = shlex.split("-n 16 --trials 4 --agent random --store runs/live.db --json")
    with (tmp_path / "scores.json").open("w") as scores:
        command = [sys.executable, "-m", "generator", "eval", str(SHIPPED_LIBRARY), *options]
        playing = subprocess.Popen(command, cwd=tmp_path, stdout=scores, stderr=subprocess.DEVNULL)
    page.get_by_role("link", name="random").click()
    progress = page.get_by_role("status").filter(has_text="of 64 episodes")
    expect(progress).to_be_visible()  # some are still to come
    expect(progress).to_have_count(0, timeout=4000 * PATIENCE)
    assert playing.wait(PATIENCE) == 0

    expect(page.locator(".trial.pending")).to_have_count(0)
    expect(page.locator("a.trial")).to_have_count(64)
    average = json.loads((tmp_path / "scores.json").read_text())["avg_at_k"][0]
    expect(page.locator(".headline .value")).to_have_text(f"{100 * average['value']:.1f}%")
    expect_fit(page)
    page.locator("a.trial.bad").first.click()
    expect(page).to_have_url(re.compile(r"#/run/live/episode/\d+$"))
    expect_fit(page)


def test_the_link_leads_to_the_run_or_the_domain_that_was_named(
    library: Domain, tmp_path: Path, start: Start, visit: Any
) -> None:
    keep(tmp_path / "some run.db", library, some_episodes(library))
    page = visit().open(start(tmp_path, "--run", "some run.db").link)
    expect(page.get_by_role("heading", name="by hand")).to_be_visible()
    away = copy_library(tmp_path / "away")
    page = visit().open(start(tmp_path, str(away)).link)
    expect(page.get_by_role("heading", name="Town library")).to_be_visible()
    page.get_by_role("button", name="loan", exact=True).click()
    expect(page.get_by_text("150 rows")).to_be_visible()
