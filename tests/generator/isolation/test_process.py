"""A proof returns what its job tells, or one sentence that says why not; nothing of it is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator.isolation import process
from generator.isolation.job import MIB, Job, LimitReached, ProofFailed, ProvingLimits
from generator.isolation.process import run_each_job, run_job, run_jobs
from runtime.errors import BrokenDomain, EnvironmentFault, Rejection, WorldsmithError
from tests.conftest import until
from tests.generator.isolation import misbehaving as jobs
from tests.generator.isolation.misbehaving import Value

ROOT = Path(__file__).parents[3]
SMALL = ProvingLimits(cpu_seconds=2, wall_seconds=60, memory_bytes=512 * MIB, answer_bytes=100_000)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def run(job: Job[Value, Any], value: Any = None, limits: ProvingLimits = SMALL) -> Any:
    return run_job(job, Value(value), limits).value


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


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the children of a test work; afterwards it is empty, and none of them runs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    process._kept_worlds.cache_clear()
    yield folder
    shutil.rmtree(process._kept_worlds())  # which is gone with this process
    process._kept_worlds.cache_clear()
    if sys.platform == "linux":
        until(lambda: not running_in(folder))
    assert list(folder.iterdir()) == []


def test_what_a_job_tells_comes_back(capfd: pytest.CaptureFixture[str]) -> None:
    value = {"text": "ä\n\0\ud800", "many": [1, 2.5, None, True], "nested": {"a": []}}
    assert run(jobs.echo, value) == value
    assert len(run(jobs.echo, "x" * 3_000_000, ProvingLimits())) == 3_000_000
    assert run(jobs.print_much) == "printed"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("rejection", Rejection.not_found("No book 'B2' exists.")),
        ("fault", EnvironmentFault("Tool 'lend' crashed.")),
        ("broken", BrokenDomain(["world.py:1: one", "world.py:2: two"])),
    ],
)
def test_an_error_of_ours_comes_back_as_itself(kind: str, error: WorldsmithError) -> None:
    with pytest.raises(WorldsmithError) as raised:
        run(jobs.raise_error, kind)
    assert type(raised.value) is type(error)
    assert str(raised.value) == str(error)
    assert vars(raised.value) == vars(error)


@pytest.mark.parametrize(
    ("job", "value", "limit"),
    [
        (jobs.hoard, None, "512 MiB of memory"),
        (jobs.spin, None, "2 s of processor time"),
        (jobs.echo, "x" * 1_000_000, "100,000 bytes for an answer"),
    ],
)
def test_a_job_that_outgrows_a_limit_is_stopped_by_that_limit(job: Job[Value, Any], value: Any, limit: str) -> None:
    with pytest.raises(LimitReached) as raised:
        run(job, value)
    assert str(raised.value) == f"The proof {job.name!r} was stopped by our limit of {limit}."


def test_a_job_that_waits_is_ended_by_the_clock() -> None:
    with pytest.raises(LimitReached, match=r"stopped by our limit of 1 s\.$"):
        run(jobs.sleep, 60, ProvingLimits(wall_seconds=1))


@pytest.mark.parametrize(
    ("job", "value", "sentence"),
    [
        (jobs.return_strange, None, "crashed: pydantic_core."),
        (jobs.kill_itself, None, "was ended by SIGKILL."),
        (jobs.exit_at_once, 5, "ended with status 5 and no answer."),
        (jobs.complain_and_exit, None, "status 3 and no answer: the last line"),
        (jobs.raise_error, "crash", "crashed: ZeroDivisionError: division by zero in two lines."),
        (jobs.forge_answer, '{"garbage', "wrote something else than its answer."),
        (
            jobs.forge_answer,
            '{"result": {"number": "many"}}',
            "gave an answer of another type: number: Input should be",
        ),
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


def test_a_job_sees_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "swordfish")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    of_its_own = {"LANG", "LC_CTYPE", "PYDANTIC_DISABLE_PLUGINS", "SQLITE_TMPDIR", "XDG_CACHE_HOME"}
    assert run(jobs.environment).keys() <= of_its_own | {"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"}


@linux
def test_a_job_runs_under_its_limits() -> None:
    assert run(jobs.limits) == {"RLIMIT_CPU": 2, "RLIMIT_AS": 512 * MIB, "RLIMIT_NPROC": 0, "RLIMIT_CORE": 0}


def test_many_proofs_keep_their_order_and_errors_stand_in_place() -> None:
    seconds = [Value(0.2 if place % 3 == 0 else 0) for place in range(6)]
    assert run_jobs(jobs.sleep, seconds, workers=3) == [Value("awake")] * 6
    kinds = [Value(kind) for kind in ("rejection", "crash", "broken")]
    ended: list[int] = []
    errors = run_each_job([(jobs.raise_error, kind) for kind in kinds], proven=lambda place: ended.append(place))
    assert [type(error) for error in errors] == [Rejection, ProofFailed, BrokenDomain]
    assert len(ended) == 3
    with pytest.raises(Rejection):
        run_jobs(jobs.raise_error, kinds)
    assert run_each_job([]) == []


PARENT = """
import sys
from generator.isolation.process import run_jobs
from tests.generator.isolation import misbehaving
try:
    run_jobs(getattr(misbehaving, sys.argv[1]), [misbehaving.Value(600)] * 3, workers=3)
except KeyboardInterrupt:
    sys.exit(130)
"""


@linux
@pytest.mark.parametrize(("job", "number"), [("sleep", signal.SIGINT), ("spin", signal.SIGKILL)])
def test_children_end_with_their_parent(job: str, number: signal.Signals, place: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(place)}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, job], cwd=ROOT, env=environment)
    try:
        until(lambda: len(running_in(place)) == 3)
        parent.send_signal(number)
        status = parent.wait(timeout=20)
    finally:
        parent.kill()
        parent.wait()
    assert status == (130 if number == signal.SIGINT else -number)
    until(lambda: not running_in(place), seconds=10)
    if number != signal.SIGINT:  # nobody was left to remove the empty folders
        for folder in place.iterdir():
            folder.rmdir()
