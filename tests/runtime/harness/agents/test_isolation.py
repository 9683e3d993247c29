"""`--isolate`: what a hostile program sees, reaches and leaves behind, and what is said where it cannot be isolated.

Where bubblewrap is missing or does not work, the claim is that nothing is played.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.main import main
from runtime.errors import UsageError
from runtime.harness.agents.isolated_program import IsolatedProgram
from runtime.harness.agents.isolation import Isolation, prepare_isolation
from runtime.harness.evaluation.store import read_run
from tests.conftest import LIBRARY
from tests.runtime.harness.agents.hostile import PROGRAMS, PYTHON, SECRETS, command, evaluate, told
from tests.runtime.harness.agents.test_program import wait_for

SHOWN = ("--isolate", "--pass-path", str(PROGRAMS))


def works() -> bool:
    """Whether bubblewrap can make namespaces here, asked of itself."""
    words = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(words, check=False).returncode == 0


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a run goes."""
    return tmp_path / "run.db"


@pytest.fixture
def port() -> Iterator[int]:
    """A port of this system on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def played(store: Path, *words: str) -> Any:
    """What an isolated program told; None where it cannot be isolated, which was then said before anything else."""
    done = evaluate(store, *words)
    if works():
        assert done.returncode == 0, done.stderr
        return told(store)
    assert (done.returncode, store.exists()) == (2, False)
    assert done.stderr.startswith("error: --isolate ")
    return None


def test_an_isolated_program_sees_its_folder_and_its_server_and_nothing_else(
    store: Path, tmp_path: Path, port: int
) -> None:
    canary = tmp_path / "canary"
    canary.write_text("sings")
    name = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as local:
        local.bind(name)
        local.listen()
        asked = {
            "read": [
                str(canary),
                str(store),
                str(LIBRARY / "tasks.jsonl"),
                "/etc/shadow",
                __file__,
                str(PROGRAMS / "peeks.py"),
            ],
            "list": [str(tmp_path), str(LIBRARY), os.path.abspath("runtime")],
            "settings": ["/proc/sys/kernel/core_pattern"],  # opened only: writing there would change the machine
            "write": [str(PROGRAMS), "/usr", str(Path(PYTHON).parent), "."],
            "connect": [["127.0.0.1", port], ["192.0.2.1", 80]],
            "sockets": [name],
        }
        found = played(store, command("peeks.py", json.dumps(asked)), *SHOWN, "--pass-env", "OTHER_TOKEN")
    if found is None:
        return
    assert found["read"] == [str(PROGRAMS / "peeks.py")]
    assert (found["list"], found["write"], found["sockets"], found["settings"]) == ([], ["."], [], [])
    assert found["connect"] == [found["server"]]
    assert len(found["processes"]) == len(found["commands"]) == 2  # bubblewrap's own, and the program
    assert found["folder"] == ["TASK.md", "left", "mcp.json"]
    (around,) = [each for each in found["commands"] if "bwrap" in each]
    assert not [text for text in (store.name, *SECRETS.values()) if text in around]
    given = found["environ"]
    assert given.keys() <= {
        *("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "HOME", "TMPDIR", "PWD", "NO_PROXY", "no_proxy", "OTHER_TOKEN"),
        *(name for name in os.environ if name.startswith("LC_")),
    }
    assert given["OTHER_TOKEN"] == SECRETS["OTHER_TOKEN"]
    assert given["HOME"] == given["PWD"]


def test_nothing_is_left_of_an_isolated_program_that_escapes_and_kills_whom_it_sees(
    store: Path, tmp_path: Path
) -> None:
    marked = str(tmp_path)
    evaluate(store, command("escapes.py", "left", "1", marked), *SHOWN, "--max-seconds", "3")
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    assert not [each for each in commands if b"escapes.py" in each and marked.encode() in each]


def test_an_isolated_program_solves_a_task(store: Path) -> None:
    done = evaluate(store, command("renews.py"), *SHOWN)
    if works():
        assert done.returncode == 0, done.stderr
        assert "Avg@1   1.000" in done.stdout
        assert read_run(store).config.isolate


def test_an_isolated_program_may_stop_in_good_order_when_it_is_told_to(tmp_path: Path) -> None:
    if not works():
        return
    script = "trap 'exit 3' TERM; echo $$ > began; while :; do sleep 0.05; done"

    async def tell_to_stop() -> str:
        isolated = await IsolatedProgram.start(prepare_isolation("/bin/sh", ()), tmp_path)
        isolated.listener.close()
        await isolated.run(["/bin/sh", "-c", script], {"PATH": "/usr/bin:/bin"})
        await asyncio.to_thread(wait_for, tmp_path / "began")
        await isolated.program.stop(politely=False)
        return isolated.program.end_words()

    assert asyncio.run(tell_to_stop()).startswith("ended with exit status 3")


def test_a_program_that_is_not_shown_is_named(store: Path, tmp_path: Path) -> None:
    if not works():
        return
    agent = tmp_path / "agent"
    agent.write_text("#!/no/such/interpreter\n")
    agent.chmod(0o755)
    done = evaluate(store, f"command:{agent}", "--isolate")
    assert done.returncode == 2
    said = f"error: Agent program {str(agent)!r} cannot be started: No such file or directory; "
    assert done.stderr.splitlines()[-1].startswith(said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "idle", "--isolate"], "--isolate is for agents of the kind command:PROGRAM, not for 'idle'."),
        (
            ["--agent", "idle", "--pass-env", "X"],
            "--pass-env is for agents of the kind command:PROGRAM, not for 'idle'.",
        ),
        (["--agent", "command:sh", "--pass-path", "."], "--pass-path goes with --isolate; "),
        (["--agent", "command:sh", "--pass-env", "NO_SUCH"], "--pass-env 'NO_SUCH' names a variable that is not set."),
        (["--agent", "command:sh", "--isolate", "--pass-path", "/no/such"], "--pass-path '/no/such' names nothing "),
        (["--agent", "command:sh", "--transport", "stdio"], "--transport stdio keeps the world in a file that the "),
    ],
)
def test_what_cannot_be_is_one_clear_line(
    store: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["eval", str(LIBRARY), "--user", "none", "--store", str(store), *words]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {said}")
    assert captured.err.count("\n") == 1
    assert not store.exists()


def test_tasks_of_a_file_that_would_be_shown_are_refused(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not works():
        return
    shown = tmp_path / "shown"
    shown.mkdir()
    tasks = Path(shutil.copy(LIBRARY / "tasks.jsonl", shown / "my.jsonl"))
    words = ["--agent", "command:sh", "--user", "none", "--store", str(store), "--tasks", str(tasks)]
    assert main(["eval", str(LIBRARY), *words, "--isolate", "--pass-path", str(shown)]) == 2
    assert f"--isolate cannot hide {str(tasks)!r} from the program" in capsys.readouterr().err
    assert not store.exists()


def test_without_bubblewrap_nothing_is_played(store: Path, tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    done = evaluate(store, "command:sh", "--isolate", PATH=str(tmp_path))
    assert (done.returncode, store.exists()) == (2, False)
    assert done.stderr == (
        "error: --isolate needs bubblewrap; install it (its program is bwrap), or leave out --isolate.\n"
    )


def test_with_a_bubblewrap_that_does_not_work_nothing_is_played(store: Path, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n")
    broken.chmod(0o755)
    done = evaluate(store, "command:sh", "--isolate", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (done.returncode, store.exists()) == (2, False)
    assert done.stderr == (
        "error: --isolate does not work here: exit status 1, bwrap: No permissions to create a new namespace.\n"
    )


def isolation(shown: list[Path], hidden: list[Path]) -> Isolation:
    return Isolation("bwrap", {path: path for path in shown}, tuple(hidden))


def test_what_must_not_be_seen_is_refused_if_it_would_be(tmp_path: Path) -> None:
    store, domain = tmp_path / "runs" / "run.db", tmp_path / "domains" / "library"
    for shown in (tmp_path, tmp_path / "runs", store):
        with pytest.raises(UsageError, match="--isolate cannot hide '.*run.db' from the program, which is shown"):
            isolation([shown], []).refuse_to_show([store])
    with pytest.raises(UsageError, match="cannot hide '.*library'"):
        isolation([domain / "tasks.jsonl"], []).refuse_to_show([domain])
    isolation([tmp_path / "code"], []).refuse_to_show([store, domain])
    isolation([tmp_path], [tmp_path / "runs"]).refuse_to_show([store])
    with pytest.raises(UsageError, match="cannot hide"):
        isolation([tmp_path, tmp_path / "runs" / "code"], [tmp_path / "runs"]).refuse_to_show([tmp_path / "runs"])


def test_a_virtual_environment_is_shown_with_its_python_and_without_the_tasks_that_worldsmith_carries(
    tmp_path: Path,
) -> None:
    if not works():
        return
    carried = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "runtime" / "carried"
    carried.mkdir(parents=True)
    (tmp_path / "venv" / "bin").mkdir()
    (tmp_path / "venv" / "bin" / "agent").touch()
    (tmp_path / "python" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "pyvenv.cfg").write_text(f"home = {tmp_path / 'python' / 'bin'}\n")
    made = prepare_isolation(str(tmp_path / "venv" / "bin" / "agent"), ())
    assert made.shown.keys() >= {tmp_path / "venv", tmp_path / "python"}
    assert carried in made.hidden


def test_what_is_hidden_within_what_is_shown_is_empty_there(tmp_path: Path) -> None:
    if not works():
        return
    (tmp_path / "shown" / "hidden" / "shown").mkdir(parents=True)
    for path in ("shown/a", "shown/hidden/b", "shown/hidden/shown/c"):
        (tmp_path / path).write_text("x")
    made = prepare_isolation("/bin/sh", ())
    outer, hidden = tmp_path / "shown", tmp_path / "shown" / "hidden"
    inner = {each: each for each in (outer, hidden / "shown")}
    folder = tmp_path / "folder"
    folder.mkdir()
    command = replace(made, shown={**made.shown, **inner}, hidden=(hidden,)).command(folder, 0)
    look = f"import os; print(sorted(each for _, _, files in os.walk({str(outer)!r}) for each in files))"
    done = subprocess.run([*command[:-2], look], capture_output=True, text=True, check=True)
    assert done.stdout == "['a', 'c']\n"


def test_an_isolated_program_makes_no_user_namespace(tmp_path: Path) -> None:
    if not works():
        return
    command = prepare_isolation("/bin/sh", ()).command(tmp_path, 0)
    unshare = "import ctypes; print(ctypes.CDLL(None).unshare(0x10000000))"
    done = subprocess.run([*command[:-2], unshare], capture_output=True, text=True, check=True)
    assert done.stdout == ("-1\n" if "--disable-userns" in command else "0\n")
