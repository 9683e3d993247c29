"""What the README and the pages in docs/ show is run as it stands there.

A block of `sh` is run line by line in an empty folder of its page, with `# exits with 1` where that is so, and a block
of `text` right behind it is what it prints, but for `...`. A block of `bash` needs more than this repository has, or
does not end: a model, a framework, a registry, a server. `python` with `text` behind it is run as well.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest

import worldsmith
from tests import commands_page
from tests.conftest import Cli

Block = tuple[str, str]  # its language and its content

ROOT = Path(__file__).parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md", *sorted(ROOT.glob("docs/*.md"))]
}
BLOCKS = {page: re.findall(r"^```(\w+)\n(.*?)^```", text, flags=re.M | re.S) for page, text in PAGES.items()}


def pairs(blocks: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Yield each block of a page with the one that follows it."""
    yield from zip(blocks, [*blocks[1:], ("", "")], strict=False)


def _runs(line: str, folder: Path) -> str:
    """Run a line as a person would who has installed worldsmith; returns what it prints."""
    bin_folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(folder), "COLUMNS": "120"}
    environment.pop("XDG_CONFIG_HOME", None)
    (folder / ".config" / "Claude").mkdir(parents=True, exist_ok=True)  # it was started once
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == int("# exits with 1" in line), f"{line}: {done.stderr}"
    return done.stdout


RUN = {
    page: [
        (block.replace("\\\n", "").splitlines(), shown.splitlines() if after == "text" else [])
        for (kind, block), (after, shown) in pairs(blocks)
        if kind == "sh"
    ]
    for page, blocks in BLOCKS.items()
}
COMMANDS = {page: [line for lines, _ in blocks for line in lines] for page, blocks in RUN.items()}
BEGINNINGS = {
    page: [other for other, own in COMMANDS.items() if own and other != page and lines[: len(own)] == own]
    for page, lines in COMMANDS.items()
}


@pytest.mark.parametrize(
    "page", [page for page in COMMANDS if COMMANDS[page] and page not in sum(BEGINNINGS.values(), [])]
)
def test_the_commands_of_a_page_run_and_print_what_it_shows(page: str, tmp_path: Path) -> None:
    printed = [_runs(line, tmp_path) for line in COMMANDS[page]]
    for each in (page, *BEGINNINGS[page]):  # a page whose commands another one begins with is run with that
        outputs = iter(printed)
        for lines, shown in RUN[each]:
            said = " ".join("".join(next(outputs) for _ in lines).split())  # however wide its columns are
            assert [line for line in shown if line != "..." and " ".join(line.split()) not in said] == []


EXAMPLES = [
    pytest.param(code, shown, id=f"{page}-{number}")
    for page, blocks in BLOCKS.items()
    for number, ((kind, code), (after, shown)) in enumerate(pairs(blocks))
    if (kind, after) == ("python", "text")
]


@pytest.mark.parametrize(("code", "shown"), EXAMPLES)
def test_an_example_prints_what_is_shown(code: str, shown: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (shown, "")


def test_the_examples_in_docstrings_of_the_public_names_hold() -> None:
    modules = sorted({getattr(worldsmith, name).__module__ for name in worldsmith.__all__ if name[0].islower()})
    results = [doctest.testmod(import_module(name)) for name in [*modules, "worldsmith.recipes"]]
    assert sum(each.attempted for each in results) > 0
    assert sum(each.failed for each in results) == 0


def test_the_front_page_is_short_names_every_page_and_its_example_is_one_that_is_run() -> None:
    assert len(PAGES["README.md"].splitlines()) <= 200
    assert [page for page in PAGES if page.startswith("docs/") and f"]({page})" not in PAGES["README.md"]] == []
    (example,) = [block for kind, block in BLOCKS["README.md"] if kind == "python"]
    assert ("python", example) in BLOCKS["docs/training.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(((?!https?:)[^)#]+)\)", PAGES[page])
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


def test_the_page_of_commands_is_as_they_are_declared() -> None:
    fresh = commands_page.PAGE.read_text(encoding="utf-8") == commands_page.write()
    assert fresh, "docs/commands.md is stale; `python -m tests.commands_page` writes it anew"


def test_every_option_that_a_page_names_exists() -> None:
    known = commands_page.write()
    own = "\n".join(text for name, text in PAGES.items() if Path(name).stem not in ("verifiers", "inspect", "recipes"))
    named = set(re.findall(r"(?<=[`(])--[a-z-]+", own)) - {"--help", "--version"}
    assert [option for option in sorted(named) if not re.search(rf"(?m){option}(?![a-z-])", known)] == []


def test_the_configuration_that_is_shown_is_what_install_prints(cli: Cli) -> None:
    printed = cli("install", "library", "--client", "claude-desktop", "--print")
    (server,) = next(iter(json.loads(printed).values())).values()
    for yours, shown in (
        (server["command"], "/home/you/venv/bin/worldsmith"),
        (server["args"][-1], "/home/you/domains/library"),
    ):
        assert Path(yours).exists()
        printed = printed.replace(json.dumps(yours), json.dumps(shown))
    assert ("json", printed) in BLOCKS["docs/desktop.md"]


@pytest.mark.skipif("WORLDSMITH_DEMO_OUTPUT" not in os.environ, reason="takes minutes; .ci/run runs it and says here")
def test_the_demo_prints_what_the_readme_shows() -> None:
    printed = Path(os.environ["WORLDSMITH_DEMO_OUTPUT"]).read_text(encoding="utf-8")
    (shown,) = [block for kind, block in BLOCKS["README.md"] if kind == "text" and block.startswith("Playing")]
    assert [line for line in shown.splitlines() if line != "..." and line not in printed] == []


def test_the_ci_runs_the_readmes_own_commands() -> None:
    ci = (ROOT / ".ci" / "run").read_text()
    for words in re.findall(r"command_of '(.*?)'", ci):
        assert words in PAGES["README.md"], words


@pytest.mark.skipif("CI" not in os.environ, reason="builds a wheel, which needs the package registry; CI does")
def test_an_installed_wheel_carries_the_library(tmp_path: Path) -> None:
    _runs(f"pip wheel -q --no-deps -w . {ROOT}", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "runtime/carried/library/tasks.jsonl" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
