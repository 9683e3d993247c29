"""Claims about `worldsmith new --batch`: what it refuses before it begins, what it skips, and what it tells."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from tests.generator import lending

Copy = Callable[[Path], Path]


@pytest.mark.parametrize(
    ("lines", "options", "said"),
    [
        pytest.param("", "", "names no domain; write a keyword a line", id="empty"),
        pytest.param("\n# pets\ncars --tools 2", "", "batch.txt:3: a line is a keyword alone; options", id="option"),
        pytest.param("pets\n7 wonders", "", "batch.txt:2: Keyword '7 wonders' names no domain", id="keyword"),
        pytest.param("pets\nPets", "", "batch.txt:2: an earlier line makes 'domains/pets' already", id="twice"),
        pytest.param("pets", "cars", "--batch names the keywords, and so does 'cars'", id="both"),
    ],
)
def test_a_batch_that_cannot_be_made_is_refused_before_anything_is_asked(
    lines: str,
    options: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("batch.txt").write_text(lines)
    assert main(["new", "--batch", "batch.txt", "--model", "relay:asked", *options.split()]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert not Path("domains").exists()


def test_a_batch_makes_what_is_not_there_goes_on_after_a_failure_and_tells_what_each_took(
    tmp_path: Path,
    lending_folder: Path,
    copy_lending: Copy,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    made = copy_lending(tmp_path / "domains" / "tool_lending")
    before = (made / "domain.json").stat().st_mtime_ns
    for name, lines in (("half_built", 2), ("tool_sharing", None)):
        (tmp_path / "domains" / name).mkdir()
        header, *answers = (lending_folder / "answers.jsonl").read_text().splitlines()
        header = json.dumps({**json.loads(header), "keyword": name.replace("_", " ")})
        text = "".join(f"{line}\n" for line in [header, *answers[:lines]])
        (tmp_path / "domains" / name / "answers.jsonl").write_text(text)
    Path("batch.txt").write_text(f"# three domains\n{lending.KEYWORD}\nhalf built\ntool sharing  # as it is\n")
    words = ["new", "--batch", "batch.txt", "--model", "recorded", "--no-scenarios", "--json"]
    assert main(words) == 1
    shown = capsys.readouterr()
    rows = {row["name"]: row for row in json.loads(shown.out)["domains"]}
    assert {name: row["state"] for name, row in rows.items()} == {
        "tool_lending": "made",
        "half_built": "failed",
        "tool_sharing": "made",
    }
    assert rows["tool_sharing"]["tokens"] == rows["tool_lending"]["tokens"] > rows["half_built"]["tokens"]
    assert (tmp_path / "domains" / "tool_sharing" / "domain.json").is_file()
    assert (made / "domain.json").stat().st_mtime_ns == before
    assert "error: half_built: " in shown.err
    shutil.rmtree(tmp_path / "domains" / "half_built")
    Path("batch.txt").write_text(f"{lending.KEYWORD}\ntool sharing\n")
    assert main(words[:-1]) == 0  # nothing is left to make
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["domain", "state"],
        ["tool_lending", "made"],
        ["tool_sharing", "made"],
        ["in", "all"],
    ]
