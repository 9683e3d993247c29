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
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import PydanticSerializationError

from generator.isolation.answer import ProofFailed
from generator.isolation.job import Job, job
from generator.isolation.kernel import landlock_version
from generator.isolation.limits import MIB, ProvingLimits
from generator.isolation.prove import prove, prove_all, prove_each
from runtime.errors import BrokenDomain, EnvironmentFault, Rejection, StageFailed, UsageError, WorldsmithError
from tests.generator.isolation import misbehaving as jobs
from tests.generator.isolation.misbehaving import Value

ROOT = Path(__file__).parents[3]
SMALL = ProvingLimits(
    cpu_seconds=1, wall_seconds=60, memory_bytes=512 * MIB, file_bytes=MIB // 2, answer_bytes=100_000, open_files=40
)
HURRIED = ProvingLimits(wall_seconds=1)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def run(job: Job[Value, Any], value: Any = None, limits: ProvingLimits = SMALL, *, reads: tuple[Path, ...] = ()) -> Any:
    return prove(job, Value(value), limits, reads=reads, root=ROOT).value


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


def test_what_a_job_tells_comes_back() -> None:
    value = {"text": "ä\n\0\ud800", "many": [1, 2.5, None, True], "nested": {"a": []}}
    assert run(jobs.echo, value) == value


def test_large_arguments_and_results_pass() -> None:
    limits = ProvingLimits()
    assert len(run(jobs.echo, "x" * 3_000_000, limits)) == 3_000_000


def test_what_is_printed_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(jobs.print_much) == "printed"
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
        run(jobs.raise_error, kind)
    assert type(raised.value) is type(error)
    assert str(raised.value) == str(error)
    assert vars(raised.value) == vars(error)


@pytest.mark.parametrize(
    ("job", "value", "sentence"),
    [
        pytest.param(jobs.allocate, None, "needed more than 512 MiB of memory.", id="allocates_at_once"),
        pytest.param(jobs.hoard, None, "needed more than 512 MiB of memory.", id="allocates_bit_by_bit"),
        pytest.param(jobs.spin, None, "used more than 1 s of processor time.", id="spins"),
        pytest.param(jobs.spin_in_c, None, "used more than 1 s of processor time.", id="spins_in_c"),
        pytest.param(jobs.complain_without_end, None, "wrote a file of more than 524,288 bytes.", id="fills_a_file"),
        pytest.param(jobs.return_much, None, "returned 1,000,025 bytes; at most 100,000 are taken.", id="large_result"),
        pytest.param(
            jobs.return_strange,
            None,
            "crashed: pydantic_core._pydantic_core.PydanticSerializationError",
            id="result_that_is_no_json",
        ),
        pytest.param(jobs.write_garbage, None, "wrote something else than its answer.", id="garbage_beside_the_answer"),
        pytest.param(jobs.kill_itself, None, "was ended by SIGKILL.", id="kills_itself"),
        pytest.param(jobs.abort, None, "was ended by SIGABRT.", id="aborts"),
        pytest.param(jobs.recurse_in_c, None, "was ended by SIGSEGV.", id="outgrows_the_stack"),
        pytest.param(jobs.exit_at_once, 0, "ended with status 0 and no answer.", id="exits_well"),
        pytest.param(jobs.exit_at_once, 5, "ended with status 5 and no answer.", id="exits_badly"),
        pytest.param(jobs.exit_at_once, 77, "ended with status 77 and no answer.", id="exits_as_the_fence"),
        pytest.param(jobs.complain_and_exit, None, "status 3 and no answer: the last line", id="complains_and_exits"),
        pytest.param(
            jobs.raise_error, "crash", "crashed: ZeroDivisionError: division by zero in two lines.", id="crashes"
        ),
        pytest.param(jobs.raise_error, "exit", "crashed: SystemExit: 0.", id="raises_system_exit"),
        pytest.param(
            Job("unheard_of", jobs.spin.function), None, "crashed: KeyError: 'unheard_of'", id="does_not_exist"
        ),
        pytest.param(jobs.nest_deeply, None, "wrote something else than its answer.", id="nests_deeply"),
        pytest.param(jobs.forge_answer, None, "gave an answer that is not one: number: Input should be", id="forges"),
        pytest.param(jobs.fork, None, "tried os.fork.", id="forks"),
        pytest.param(jobs.spawn, None, "tried os.posix_spawn of '/bin/sleep'.", id="spawns"),
        pytest.param(jobs.run_program, None, "tried subprocess.Popen of 'sleep'.", id="runs_a_program"),
        pytest.param(jobs.run_shell, None, "tried os.system of", id="runs_a_shell"),
        pytest.param(jobs.kill_parent, None, "tried os.kill of", id="kills_its_parent"),
        pytest.param(jobs.set_environment, None, "tried os.putenv of b'OWNED'.", id="sets_its_environment"),
        pytest.param(jobs.lift_limits, None, "tried resource.setrlimit of", id="lifts_its_limits"),
        pytest.param(jobs.open_socket, None, "tried socket.", id="opens_a_socket"),
        pytest.param(jobs.resolve_name, None, "tried socket.getaddrinfo of 'localhost'.", id="resolves_a_name"),
        pytest.param(jobs.call_c, None, "tried ctypes.dlopen of None.", id="calls_c"),
        pytest.param(jobs.import_module, None, "tried to import 'multiprocessing", id="imports_a_module"),
        pytest.param(jobs.swallow, None, "tried to read '/etc/passwd'", id="swallows_every_error"),
        pytest.param(jobs.read_file, "/etc/passwd", "tried to read '/etc/passwd'", id="reads_passwords"),
        pytest.param(jobs.read_file, f"{ROOT}/.git/HEAD", "tried to read", id="reads_hidden_files"),
        pytest.param(jobs.read_secrets_of_the_parent, None, "tried to read '/proc/", id="reads_its_parents_secrets"),
        pytest.param(jobs.list_folder, "/etc", "tried to read '/etc'", id="lists_a_folder"),
        pytest.param(jobs.write_file, "owned", "tried to write 'owned'", id="writes_where_it_is"),
        pytest.param(jobs.write_file, f"{ROOT}/owned", "tried to write", id="writes_where_it_may_read"),
        pytest.param(jobs.open_for_writing, "/tmp/owned", "tried to write '/tmp/owned'", id="opens_to_write"),
        pytest.param(jobs.remove_file, "/tmp/owned", "tried os.remove of '/tmp/owned'.", id="removes_a_file"),
        pytest.param(jobs.make_folder, "/tmp/owned", "tried os.mkdir of '/tmp/owned'.", id="makes_a_folder"),
        pytest.param(jobs.open_database, "/tmp/owned", "tried to open the database", id="opens_a_database"),
        pytest.param(jobs.connect_by_the_class, None, "tried to make a connection past", id="connects"),
    ],
)
def test_a_job_that_misbehaves_is_reported_in_one_sentence(job: Job[Value, Any], value: Any, sentence: str) -> None:
    with pytest.raises(ProofFailed) as raised:
        run(job, value)
    said = str(raised.value)
    assert said.startswith(f"The proof {job.name!r} ")
    assert sentence in said
    assert "\n" not in said
    assert len(said) < 600


def test_a_job_that_waits_is_ended_by_the_clock() -> None:
    with pytest.raises(ProofFailed, match=r"took longer than 1 s\.$"):
        run(jobs.sleep, 60, HURRIED)


def test_a_job_reaches_no_database_file_through_one_in_memory(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE secret AS SELECT 'swordfish' AS word")
    for tried, path in ((jobs.attach, tmp_path / "other.db"), (jobs.vacuum_into, tmp_path / "copy.db")):
        with pytest.raises(ProofFailed, match="too many attached databases"):
            run(tried, str(path))
    assert [path.name for path in tmp_path.glob("*.db")] == ["other.db"]


def test_the_kernel_lets_no_file_be_written_where_it_can_see_to_it(tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    with contextlib.suppress(ProofFailed):
        run(jobs.lift_the_limit_and_vacuum_into, str(path))
    assert path.exists() == (landlock_version() < 1)


def test_what_a_job_writes_is_not_there_afterwards() -> None:
    assert not (ROOT / "owned").exists()
    assert not Path("/tmp/owned").exists()


def test_a_job_sees_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "swordfish")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    of_its_own = {"LANG", "LC_CTYPE", "SQLITE_TMPDIR"}
    assert run(jobs.environment).keys() <= of_its_own | {"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"}


@linux
def test_a_job_runs_under_its_limits() -> None:
    assert run(jobs.limits) == {
        "RLIMIT_CPU": 1,
        "RLIMIT_AS": 512 * MIB,
        "RLIMIT_FSIZE": MIB // 2,
        "RLIMIT_NOFILE": 40,
        "RLIMIT_NPROC": 0,
        "RLIMIT_CORE": 0,
    }


def test_a_job_uses_databases_in_memory() -> None:
    assert run(jobs.in_memory) == 7


def test_a_job_reads_what_it_is_given_and_nothing_beside(tmp_path: Path) -> None:
    given, beside = tmp_path / "given", tmp_path / "given_too"
    for folder in (given, beside):
        folder.mkdir()
        (folder / "story.txt").write_text("a story")
    (given / "link.txt").symlink_to(beside / "story.txt")
    assert run(jobs.read_file, str(given / "story.txt"), reads=(given,)) == "a story"
    for path in (beside / "story.txt", given / "link.txt", given / ".." / "given_too" / "story.txt"):
        with pytest.raises(ProofFailed, match="tried to read"):
            run(jobs.read_file, str(path), reads=(given,))


GIVEN = """
from dataclasses import dataclass

from generator.isolation.job import job


@dataclass
class Name:
    name: str


@job("greet")
def greet(asked: Name) -> Name:
    return Name(f"Hello {asked.name}")
"""


def test_a_job_is_imported_from_a_root_that_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "given_jobs.py").write_text(GIVEN)
    monkeypatch.syspath_prepend(str(tmp_path))
    given: Any = import_module("given_jobs")
    assert prove(given.greet, given.Name("you"), SMALL, root=tmp_path) == given.Name("Hello you")
    with pytest.raises(ProofFailed, match="No module named 'given_jobs'"):
        prove(given.greet, given.Name("you"), SMALL)


def test_a_job_imports_late_where_bytecode_lies_in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "bytecode"))
    assert run(jobs.import_harmless, limits=ProvingLimits()).startswith(str(tmp_path / "bytecode"))


def test_a_name_is_that_of_one_job() -> None:
    with pytest.raises(ValueError, match="A job 'echo' is defined twice, in tests.generator.isolation.misbehaving and"):
        job("echo")(jobs.spin.function)


def test_many_proofs_keep_their_order_and_errors_stand_in_place() -> None:
    limits = ProvingLimits(cpu_seconds=5)
    seconds = [Value(0.2 if place % 3 == 0 else 0) for place in range(6)]
    assert prove_all(jobs.sleep, seconds, limits, workers=3, root=ROOT) == [Value("awake")] * 6
    numbers = [Value(number) for number in range(8)]
    assert prove_all(jobs.echo, numbers, limits, workers=4, root=ROOT) == numbers
    kinds = [Value(kind) for kind in ("rejection", "crash", "broken")]
    errors = prove_each([(jobs.raise_error, kind) for kind in kinds], limits, root=ROOT)
    assert [type(error) for error in errors] == [Rejection, ProofFailed, BrokenDomain]
    with pytest.raises(Rejection):
        prove_all(jobs.raise_error, kinds, limits, root=ROOT)


def test_no_proofs_have_no_results() -> None:
    assert prove_each([]) == []


def test_a_mistake_of_the_caller_stops_every_proof() -> None:
    started = time.monotonic()
    with pytest.raises(PydanticSerializationError, match="Unable to serialize unknown type"):
        prove_all(jobs.sleep, [Value(object()), Value(60)], workers=2, root=ROOT)
    assert time.monotonic() - started < 30


PARENT = f"""
import sys
from pathlib import Path
from generator.isolation.prove import prove_all
from tests.generator.isolation import misbehaving
try:
    prove_all(getattr(misbehaving, sys.argv[1]), [misbehaving.Value(600)] * 3, workers=3, root=Path({str(ROOT)!r}))
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
