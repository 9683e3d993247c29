"""A proof returns what its job says, or says in one sentence why not; nothing of it is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from generator.isolation.answer import ProofFailed
from generator.isolation.kernel import landlock_version
from generator.isolation.limits import MIB, ProvingLimits
from generator.isolation.prove import prove, prove_each
from runtime.errors import BrokenDomain, EnvironmentFault, Rejection, StageFailed, UsageError, WorldsmithError

ROOT = Path(__file__).parents[3]
JOBS = "tests.generator.isolation.misbehaving"
SMALL = ProvingLimits(
    cpu_seconds=1, wall_seconds=60, memory_bytes=512 * MIB, file_bytes=MIB // 2, answer_bytes=100_000, open_files=40
)
HURRIED = ProvingLimits(wall_seconds=1)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def run(job: str, limits: ProvingLimits = SMALL, *, reads: tuple[Path, ...] = (), **arguments: Any) -> Any:
    return prove(f"{JOBS}:{job}", arguments, limits, reads=reads, root=ROOT)


def running_in(folder: Path) -> list[int]:
    """The processes that work below a folder, though it be deleted."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd").startswith(str(folder)):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until(claim: Any, seconds: float = 20) -> None:
    last = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < last
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the children of a test work; afterwards it is empty, and none of them runs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    if sys.platform == "linux":
        wait_until(lambda: not running_in(folder))
    assert list(folder.iterdir()) == []


def test_the_result_of_a_job_comes_back() -> None:
    arguments = {"text": "ä\n\0", "many": [1, 2.5, None, True], "nested": {"a": []}}
    assert run("echo", **arguments) == arguments


def test_large_arguments_and_results_pass() -> None:
    limits = ProvingLimits()
    assert len(run("echo", limits, text="x" * 3_000_000)["text"]) == 3_000_000


def test_what_is_printed_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("print_much") == "printed"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        pytest.param("rejection", Rejection.not_found("No book 'B2' exists."), id="rejection"),
        pytest.param("fault", EnvironmentFault("Tool 'lend' crashed."), id="environment_fault"),
        pytest.param("stage", StageFailed("The stage failed."), id="stage_failed"),
        pytest.param("usage", UsageError("There is no such thing."), id="usage_error"),
        pytest.param("broken", BrokenDomain(["world.py:1: one", "world.py:2: two"]), id="broken_domain"),
    ],
)
def test_an_error_of_ours_comes_back_as_itself(kind: str, error: WorldsmithError) -> None:
    with pytest.raises(WorldsmithError) as raised:
        run("raise_error", kind=kind)
    assert type(raised.value) is type(error)
    assert str(raised.value) == str(error)
    assert vars(raised.value) == vars(error)


@pytest.mark.parametrize(
    ("job", "arguments", "sentence"),
    [
        pytest.param("allocate", {}, "needed more than 512 MiB of memory.", id="allocates_at_once"),
        pytest.param("hoard", {}, "needed more than 512 MiB of memory.", id="allocates_bit_by_bit"),
        pytest.param("spin", {}, "used more than 1 s of processor time.", id="spins"),
        pytest.param("spin_in_c", {}, "used more than 1 s of processor time.", id="spins_in_c"),
        pytest.param("complain_without_end", {}, "wrote a file of more than 524,288 bytes.", id="fills_a_file"),
        pytest.param("return_much", {}, "returned 1,000,014 bytes; at most 100,000 are taken.", id="large_result"),
        pytest.param("return_strange", {}, "crashed: TypeError: Object of type object", id="result_that_is_no_json"),
        pytest.param("write_garbage", {}, "wrote something else than its answer.", id="garbage_beside_the_answer"),
        pytest.param("kill_itself", {}, "was ended by SIGKILL.", id="kills_itself"),
        pytest.param("abort", {}, "was ended by SIGABRT.", id="aborts"),
        pytest.param("recurse_in_c", {}, "was ended by SIGSEGV.", id="outgrows_the_stack"),
        pytest.param("exit_at_once", {"status": 0}, "ended with status 0 and no answer.", id="exits_well"),
        pytest.param("exit_at_once", {"status": 5}, "ended with status 5 and no answer.", id="exits_badly"),
        pytest.param("exit_at_once", {"status": 77}, "ended with status 77 and no answer.", id="exits_as_the_fence"),
        pytest.param("complain_and_exit", {}, "status 3 and no answer: the last line", id="complains_and_exits"),
        pytest.param(
            "raise_error", {"kind": "crash"}, "crashed: ZeroDivisionError: division by zero in two lines.", id="crashes"
        ),
        pytest.param("raise_error", {"kind": "exit"}, "crashed: SystemExit: 0.", id="raises_system_exit"),
        pytest.param("no_such_job", {}, "crashed: AttributeError: module", id="does_not_exist"),
        pytest.param("spin", {"wrong": 1}, "crashed: TypeError: spin() got", id="wrong_arguments"),
        pytest.param("fork", {}, "tried os.fork.", id="forks"),
        pytest.param("spawn", {}, "tried os.posix_spawn of '/bin/sleep'.", id="spawns"),
        pytest.param("run_program", {}, "tried subprocess.Popen of 'sleep'.", id="runs_a_program"),
        pytest.param("run_shell", {}, "tried os.system of", id="runs_a_shell"),
        pytest.param("kill_parent", {}, "tried os.kill of", id="kills_its_parent"),
        pytest.param("set_environment", {}, "tried os.putenv of b'OWNED'.", id="sets_its_environment"),
        pytest.param("lift_limits", {}, "tried resource.setrlimit of", id="lifts_its_limits"),
        pytest.param("open_socket", {}, "tried socket.", id="opens_a_socket"),
        pytest.param("resolve_name", {}, "tried socket.getaddrinfo of 'localhost'.", id="resolves_a_name"),
        pytest.param("call_c", {}, "tried ctypes.dlopen of None.", id="calls_c"),
        pytest.param("import_module", {}, "tried to import 'multiprocessing", id="imports_a_module"),
        pytest.param("swallow", {}, "tried to read '/etc/passwd'", id="swallows_every_error"),
        pytest.param("read_file", {"path": "/etc/passwd"}, "tried to read '/etc/passwd'", id="reads_passwords"),
        pytest.param("read_file", {"path": f"{ROOT}/.git/HEAD"}, "tried to read", id="reads_hidden_files"),
        pytest.param("read_secrets_of_the_parent", {}, "tried to read '/proc/", id="reads_its_parents_secrets"),
        pytest.param("list_folder", {"path": "/etc"}, "tried to read '/etc'", id="lists_a_folder"),
        pytest.param("write_file", {"path": "owned"}, "tried to write 'owned'", id="writes_where_it_is"),
        pytest.param("write_file", {"path": f"{ROOT}/owned"}, "tried to write", id="writes_where_it_may_read"),
        pytest.param("open_for_writing", {"path": "/tmp/owned"}, "tried to write '/tmp/owned'", id="opens_to_write"),
        pytest.param("remove_file", {"path": "/tmp/owned"}, "tried os.remove of '/tmp/owned'.", id="removes_a_file"),
        pytest.param("make_folder", {"path": "/tmp/owned"}, "tried os.mkdir of '/tmp/owned'.", id="makes_a_folder"),
        pytest.param("open_database", {"path": "/tmp/owned"}, "tried to open the database", id="opens_a_database"),
        pytest.param("connect_by_the_class", {}, "tried to make a connection past sqlite3.connect.", id="connects"),
    ],
)
def test_a_job_that_misbehaves_is_reported_in_one_sentence(job: str, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ProofFailed) as raised:
        run(job, **arguments)
    said = str(raised.value)
    assert said.startswith(f"The proof '{JOBS}:{job}' {sentence}") or sentence in said
    assert "\n" not in said
    assert len(said) < 600


def test_a_job_that_waits_is_ended_by_the_clock() -> None:
    with pytest.raises(ProofFailed, match=r"took longer than 1 s\.$"):
        run("sleep", HURRIED, seconds=60)


def test_a_job_reaches_no_database_file_through_one_in_memory(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE secret AS SELECT 'swordfish' AS word")
    for job, path in (("attach", tmp_path / "other.db"), ("vacuum_into", tmp_path / "copy.db")):
        with pytest.raises(ProofFailed, match="too many attached databases"):
            run(job, path=str(path))
    assert [path.name for path in tmp_path.glob("*.db")] == ["other.db"]


def test_the_kernel_lets_no_file_be_written_where_it_can_see_to_it(tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    with contextlib.suppress(ProofFailed):
        run("lift_the_limit_and_vacuum_into", path=str(path))
    assert path.exists() == (landlock_version() < 1)


def test_what_a_job_writes_is_not_there_afterwards() -> None:
    assert not (ROOT / "owned").exists()
    assert not Path("/tmp/owned").exists()


def test_a_job_sees_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "swordfish")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    of_its_own = {"LANG", "LC_CTYPE", "SQLITE_TMPDIR"}
    assert run("environment").keys() <= of_its_own | {"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"}


@linux
def test_a_job_runs_under_its_limits() -> None:
    assert run("limits") == {
        "RLIMIT_CPU": 1,
        "RLIMIT_AS": 512 * MIB,
        "RLIMIT_FSIZE": MIB // 2,
        "RLIMIT_NOFILE": 40,
        "RLIMIT_NPROC": 0,
        "RLIMIT_CORE": 0,
    }


def test_a_job_uses_databases_in_memory() -> None:
    assert run("in_memory") == 7


def test_a_job_reads_what_it_is_given_and_nothing_beside(tmp_path: Path) -> None:
    given, beside = tmp_path / "given", tmp_path / "given_too"
    for folder in (given, beside):
        folder.mkdir()
        (folder / "story.txt").write_text("a story")
    (given / "link.txt").symlink_to(beside / "story.txt")
    assert run("read_file", reads=(given,), path=str(given / "story.txt")) == "a story"
    for path in (beside / "story.txt", given / "link.txt", given / ".." / "given_too" / "story.txt"):
        with pytest.raises(ProofFailed, match="tried to read"):
            run("read_file", reads=(given,), path=str(path))


def test_a_job_is_imported_from_a_root_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "given_jobs.py").write_text("def greet(name):\n    return f'Hello {name}'\n")
    assert prove("given_jobs:greet", {"name": "you"}, SMALL, root=tmp_path) == "Hello you"
    with pytest.raises(ProofFailed, match="No module named 'given_jobs'"):
        prove("given_jobs:greet", {"name": "you"}, SMALL)


def test_many_proofs_keep_their_order_and_errors_stand_in_place() -> None:
    kinds = ["rejection", "crash", "broken"]
    limits = ProvingLimits(cpu_seconds=5)
    texts = [{"seconds": 0.2 if place % 3 == 0 else 0} for place in range(6)]
    assert prove_each(f"{JOBS}:sleep", texts, limits, workers=3, root=ROOT) == ["awake"] * 6
    numbers = [{"number": number} for number in range(8)]
    assert prove_each(f"{JOBS}:echo", numbers, limits, workers=4, root=ROOT) == numbers
    errors = prove_each(f"{JOBS}:raise_error", [{"kind": kind} for kind in kinds], limits, root=ROOT)
    assert [type(error) for error in errors] == [Rejection, ProofFailed, BrokenDomain]


def test_no_proofs_have_no_results() -> None:
    assert prove_each(f"{JOBS}:echo", []) == []


def test_a_mistake_of_the_caller_stops_every_proof() -> None:
    arguments: list[dict[str, Any]] = [{"seconds": 60}, {"seconds": {1, 2}}, {"seconds": 60}]
    started = time.monotonic()
    with pytest.raises(TypeError, match="JSON"):
        prove_each(f"{JOBS}:sleep", arguments[1:], workers=2, root=ROOT)
    assert time.monotonic() - started < 30


PARENT = f"""
import sys
from pathlib import Path
from generator.isolation.prove import prove, prove_each
try:
    prove_each("{JOBS}:" + sys.argv[1], [{{}}] * 3 if sys.argv[1] != "sleep" else [{{"seconds": 600}}] * 3,
               workers=3, root=Path({str(ROOT)!r}))
except KeyboardInterrupt:
    sys.exit(130)
"""


@linux
@pytest.mark.parametrize("job", ["sleep", "spin", "spin_in_c"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_children_end_with_their_parent(job: str, number: signal.Signals, place: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(place)}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, job], cwd=ROOT, env=environment)
    try:
        wait_until(lambda: len(running_in(place)) == 3)
        parent.send_signal(number)
        status = parent.wait(timeout=20)
    finally:
        parent.kill()
        parent.wait()
    assert status == (130 if number == signal.SIGINT else -number)
    wait_until(lambda: not running_in(place), seconds=5)
    if number != signal.SIGINT:  # nobody was left to remove the empty folders
        for folder in place.iterdir():
            folder.rmdir()
