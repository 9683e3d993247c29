"""What the README and the pages in docs/ show is run as it stands there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from generator.main import COMMANDS as MODULES
from generator.main import main
from runtime.commands.install import CLIENTS

ROOT = Path(__file__).parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md", *sorted(ROOT.glob("docs/*.md"))]
}
README = "\n".join(PAGES.values())
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.replace("\\\n", "").splitlines()]


def _run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    nothing = subprocess.DEVNULL
    return subprocess.run(words, cwd=folder, stdin=nothing, capture_output=True, text=True, timeout=900, check=False)


def _lines_of(page: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGES[page], flags=re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def _words_of(line: str) -> list[str]:
    return shlex.split(line, comments=True)[1:]


@pytest.mark.parametrize("line", [line for line in COMMANDS if re.match(r"worldsmith (list|show)", line)])
def test_a_shown_command_runs_from_any_folder(line: str, tmp_path: Path) -> None:
    done = _run([sys.executable, "-m", "generator", *line.split()[1:]], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert any(name in done.stdout for name in ("library", "renew_loan", "submit_application", "Get a first card"))


SESSIONS = [block for kind, block in BLOCKS if kind == "python" and "with Session(" in block]


def test_the_example_of_a_session_earns_the_reward_that_it_says(tmp_path: Path) -> None:
    (example,) = SESSIONS
    assert "  # 1" in example
    done = _run([sys.executable, "-c", example], tmp_path)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_the_readmes_example_of_a_rollout_is_the_one_of_the_page_on_training() -> None:
    examples = re.findall(r"^```python\n(.*?)^```", PAGES["README.md"], flags=re.MULTILINE | re.DOTALL)
    assert len(examples) == 1
    assert examples[0] in PAGES["docs/training.md"]  # which tests/worldsmith run


def test_the_front_page_is_short_and_its_links_lead_somewhere() -> None:
    assert len(PAGES["README.md"].splitlines()) <= 200
    for page, text in PAGES.items():
        for target in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text):
            assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"


def test_the_front_page_names_every_page() -> None:
    assert [page for page in PAGES if page.startswith("docs/") and f"]({page})" not in PAGES["README.md"]] == []


def test_the_tutorial_runs_from_its_first_command_to_its_last(tmp_path: Path) -> None:
    for line in _lines_of("docs/tutorial.md"):
        done = _run([sys.executable, "-m", "generator", *line.split()[1:]], tmp_path)
        assert done.returncode == int(line.startswith("worldsmith verify")), f"{line}: {done.stderr}"
    assert (tmp_path / "tutorial.html").is_file()


def test_the_configuration_in_the_readme_is_what_install_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "library", "--client", "claude-desktop", "--print"]) == 0
    printed = capsys.readouterr().out
    (server,) = next(iter(json.loads(printed).values())).values()
    command, path = server["command"], server["args"][-1]
    for yours, shown in ((command, "/home/you/venv/bin/worldsmith"), (path, "/home/you/domains/library")):
        assert Path(yours).exists()
        printed = printed.replace(json.dumps(yours), json.dumps(shown))
    assert printed in [block for kind, block in BLOCKS if kind == "json"]
    assert all(f"`{client}`" in README for client in CLIENTS)


@pytest.fixture
def demo_output(tmp_path: Path) -> str:
    """What the demo prints; CI has run it already, and keeps it in a file."""
    if kept := os.environ.get("WORLDSMITH_DEMO_OUTPUT"):
        return Path(kept).read_text(encoding="utf-8")
    done = _run([sys.executable, "-m", "generator", "demo"], tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_demo_prints_what_the_readme_shows(demo_output: str) -> None:
    (shown,) = [block for kind, block in BLOCKS if kind == "text" and block.startswith("Played")]
    for line in shown.splitlines():
        assert line == "..." or line in demo_output


def test_the_evaluation_prints_what_the_readme_shows(tmp_path: Path) -> None:
    start = next(at for at, line in enumerate(COMMANDS) if line.startswith("worldsmith eval"))
    evaluated, *others = (
        _run([sys.executable, "-m", "generator", *line.split()[1:]], tmp_path) for line in COMMANDS[start : start + 3]
    )
    assert [each.stderr for each in (evaluated, *others) if each.returncode] == []  # it is reported and judged again
    (shown,) = [block for kind, block in BLOCKS if kind == "text" and "Pass@k" in block]
    printed = " ".join(evaluated.stdout.split())  # however wide its columns are
    for line in shown.splitlines():
        assert line == "..." or " ".join(line.split()) in printed
    exports = [line for line in COMMANDS if line.startswith("worldsmith export")]
    assert len(exports) == 3
    for line in exports:
        done = _run([sys.executable, "-m", "generator", *line.split()[1:]], tmp_path)
        assert (done.returncode, done.stdout) != (2, ""), done.stderr
        assert (tmp_path / line.split()[-1]).stat().st_size > 0


def test_every_option_in_the_readme_exists() -> None:
    helps = [_run([sys.executable, "-m", "generator", name, "--help"], ROOT).stdout for name in MODULES]
    own = "\n".join(text for name, text in PAGES.items() if Path(name).stem not in ("verifiers", "inspect", "recipes"))
    for option in set(re.findall(r"(?<=[`(])--[a-z-]+", own)):
        assert any(option in text for text in helps), option


def test_a_task_is_exported_served_without_worldsmith_and_judged_as_shown(tmp_path: Path) -> None:
    steps = ("worldsmith compile", "python compiled", "worldsmith tasks library --export")
    lines = _lines_of("docs/serve.md")
    shown = [line for line in lines if line.startswith(steps)]
    judged = lines[lines.index(shown[-1]) + 1]
    programs = {"worldsmith": [sys.executable, "-m", "generator"], "python": [sys.executable]}
    for line in (*shown, judged):
        program, *words = shlex.split(line, comments=True)
        done = subprocess.run(
            [*programs[program], *words],
            cwd=tmp_path,
            input="",
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == int(line == judged), done.stderr  # nobody played, so the reward is 0
    assert len(shown) == 4
    assert "Reward 0" in done.stdout


def test_a_session_that_was_served_is_judged_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve, judge, compare = _lines_of("docs/reward.md")
    served = _run([sys.executable, "-m", "generator", *_words_of(serve)], tmp_path)
    assert (served.returncode, served.stdout) == (0, "")
    monkeypatch.chdir(tmp_path)
    assert main(_words_of(judge)) == 1  # nobody played
    for name, source in (("start.db", "start"), ("expected.db", "state"), ("actual.db", "state")):
        shutil.copyfile(f"state/mine/{source}.db", name)
    assert main(_words_of(compare)) == 0


def test_a_server_over_http_answers_the_request_that_is_shown(tmp_path: Path) -> None:
    serve, asked = _lines_of("docs/serve.md")[:2]
    (shown,) = [line for line in _lines_of("README.md") if line.startswith("worldsmith serve")]
    assert shown in serve
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    token, _, command = serve.removesuffix(" &").partition(" ")
    name, _, secret = token.partition("=")
    words = [sys.executable, "-m", "generator", *_words_of(command.replace("8765", port))]
    _, _, method, address, _, header, _, body = shlex.split(asked)
    request = urllib.request.Request(  # noqa: S310  of this machine
        f"http://{address.replace('8765', port)}",
        data=body.encode(),
        method=method,
        headers=dict([header.split(": ", 1)]),
    )
    with subprocess.Popen(
        words, cwd=tmp_path, env={**os.environ, name: secret}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as server:
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), socket.create_connection(("localhost", int(port)), 1):
                    break
                time.sleep(0.1)
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                assert f":{port}/s/" in json.load(answer)["url"]
        finally:
            server.terminate()
            server.communicate()


def test_a_client_is_configured_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / ".config" / "Claude").mkdir(parents=True)
    installs = [line for line in COMMANDS if line.startswith("worldsmith install")]
    assert len(installs) == 2
    for line in installs:
        assert main(_words_of(line)) == 0
    (written,) = (tmp_path / ".config" / "Claude").glob("*.json")
    assert "library" in json.loads(written.read_text())["mcpServers"]


def test_the_suite_that_is_carried_is_shown_as_on_its_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    (line,) = _lines_of("docs/suites.md")
    assert main(_words_of(line)) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("suite small: ")
    assert "\n".join(shown[:4]) in PAGES["docs/suites.md"]  # the rest changes with the domains


RUN_ABOVE = (
    r"worldsmith suite show small$",
    r"worldsmith (list|show|install|export) ",
    r"worldsmith (list|eval job_seeking -n 20 .*|report run.db|rescore run.db)$",
    r"worldsmith serve library --(http|task)|WORLDSMITH_ADMIN_TOKEN=\w+ worldsmith serve|curl -X POST localhost",
    r"worldsmith verify --(task|domain) |worldsmith tasks library --export ",
    r"worldsmith tasks library -n 200 --out tasks.jsonl$",  # the tutorial's, of 20
    r"worldsmith compile library --out |python compiled/library/server.py",
)
RUN_ELSEWHERE = {
    r"pip install|ruff check|\.ci/run": "CI runs it, with a package registry",
    r"(NONE=none )?vf-(eval|validate) |inspect ": ".ci/frameworks runs them, in environments of their own",
    r"python -m tests\.frameworks\.|export STAND_IN_": ".ci/frameworks starts it for them",
    r"worldsmith studio$": "tests/studio starts it",
    r"uv run ": "needs uv, which fetches packages",
    r".* --model anthropic:MODEL$": "needs a model and a key",
    r"worldsmith (twin|check|serve) shop": "tests/generator/commands/test_twin.py runs them",
    r"worldsmith check job_seeking$": "takes minutes; tests/generator/commands/test_check.py checks other domains",
    r"worldsmith graph job_seeking ": "takes a minute; tests/generator/commands/test_graph.py finds another",
}


def test_every_command_that_is_shown_is_run_or_needs_something_else() -> None:
    for line in COMMANDS:
        here = [pattern for pattern in RUN_ABOVE if re.match(pattern, line)]
        elsewhere = [pattern for pattern in RUN_ELSEWHERE if re.match(pattern, line)]
        assert bool(here) != bool(elsewhere) or line in _lines_of("docs/tutorial.md"), line


def test_the_ci_runs_the_readmes_own_commands() -> None:
    ci = (ROOT / ".ci" / "run").read_text()
    for words in re.findall(r"command_of '(.*?)'", ci):
        assert [line for line in COMMANDS if words in line], words


@pytest.mark.skipif("CI" not in os.environ, reason="builds a wheel, which needs the package registry; CI does")
def test_an_installed_wheel_carries_the_library(tmp_path: Path) -> None:
    built = _run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT)], tmp_path)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    import zipfile

    names = zipfile.ZipFile(wheel).namelist()
    assert "runtime/carried/library/tasks.jsonl" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
