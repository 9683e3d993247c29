"""Measure what DESIGN promises beside the least that could do the same, in one run: `python -m tests.benchmarks`.

Medians are taken in turn with their counterparts, so that the ratio holds on a noisy machine. What has no counterpart
of its own stands beside the replay of a task's chain on a bare session, or beside its target. With `--against FOLDER`,
another checkout, each is run there and here in turn, and the ratio is that of the medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import platform
import resource
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.task.task import replay
from tests.benchmarks.mcp_calls import measure_http, measure_in_memory
from tests.conftest import LIBRARY
from tests.worldsmith.playing import play
from worldsmith import load, tasks
from worldsmith.catalog import world_of

ROOT = Path(__file__).parent.parent.parent
WORLDSMITH = (sys.executable, "-m", "generator")
MANY = "job_seeking"  # 50 tools, 256 tasks
CHAIN = "a chain replayed on a bare session"


@dataclass(frozen=True)
class Figure:
    """One line of the report; times in seconds."""

    what: str
    ours: float
    beside: str
    theirs: float

    @property
    def line(self) -> str:
        """The figure as text."""
        ratio = f"{self.ours / self.theirs:>9,.2f} x"
        return f"{self.what:<52} {_shown(self.ours):>9} {ratio} {self.beside} ({_shown(self.theirs)})"


def main() -> None:
    """Run all benchmarks, or those whose names are given."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], help="which to run (default: all)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="a checkout to run before this one, in turn")
    parser.add_argument("--rounds", type=int, default=3, help="how often, against another checkout (default 3)")
    arguments = parser.parse_args()
    if arguments.against is not None:
        _compare(arguments.names or list(BENCHMARKS), arguments.against.resolve(), arguments.rounds)
        return
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}", file=sys.stderr)
    figures = []
    for name in arguments.names or BENCHMARKS:
        for figure in BENCHMARKS[name]():
            figures.append(figure)
            if not arguments.json:
                print(figure.line, flush=True)
    if arguments.json:
        json.dump([asdict(figure) for figure in figures], sys.stdout, indent=1)
        print()


def _compare(names: list[str], before: Path, rounds: int) -> None:
    """Print each figure of another checkout, of this one, and their ratio."""
    for name in names:
        found: dict[str, dict[Path, list[float]]] = {}
        for tree in (before, ROOT) * rounds:
            run = [sys.executable, "-m", "tests.benchmarks", name, "--json"]
            for each in json.loads(subprocess.run(run, cwd=tree, stdout=subprocess.PIPE, check=True).stdout):
                found.setdefault(each["what"], {}).setdefault(tree, []).append(each["ours"])
        for what, by_tree in found.items():
            old, new = (statistics.median(by_tree.get(tree, [math.nan])) for tree in (before, ROOT))
            print(f"{what:<52} {_shown(old):>9} -> {_shown(new):>9}  {old / new:.2f} times as fast", flush=True)


def _start() -> Iterator[Figure]:
    bare = (sys.executable, "-c", "import argparse, json")
    for words in (("--help",), ("list",)):
        ours, theirs = _in_turn(lambda words=words: _run(*WORLDSMITH, *words), lambda: _run(*bare), rounds=9)  # type: ignore[misc]
        yield Figure(f"worldsmith {words[0]}", ours, "a Python that imports argparse and json", theirs)


def _calls() -> Iterator[Figure]:
    domain = load_domain(LIBRARY)
    world = _world(domain, 1_450)
    with Session(domain, world) as session, closing(world.open()) as bare:
        bare.execute("PRAGMA foreign_keys = ON")
        email = bare.execute("SELECT email FROM member").fetchone()[0]
        hold = bare.execute("SELECT hold_id FROM hold WHERE status = 'waiting'").fetchone()[0]
        start = session.snapshot()
        read = _in_turn(lambda: session.perform("find_member", {"email": email}), lambda: _find_bare(bare, email))
        ours, theirs = [], []
        for _ in range(2_000):
            ours.append(_timed(lambda: session.perform("cancel_hold", {"hold_id": hold})))
            session.restore(start)
            theirs.append(_timed(lambda: _cancel_bare(bare, hold)))
            bare.execute("UPDATE hold SET status = 'waiting' WHERE hold_id = ?", (hold,))
    beside = "the same statements on sqlite3"
    yield Figure("a call that reads one row", read[0], beside, read[1])
    yield Figure("a call that reads and updates one row", statistics.median(ours), beside, statistics.median(theirs))


def _sessions() -> Iterator[Figure]:
    domain = load_domain(LIBRARY)
    world = _world(domain, 1_450)
    with Session(domain, world) as session:
        opened = _in_turn(lambda: _open_and_read(domain, world), lambda: _open_bare(world), rounds=300)
        forked = _in_turn(lambda: _fork_and_read(session), lambda: _open_bare(world), rounds=300)
    beside = f"deserialize and SELECT, {len(world.image) / 1024:.0f} KiB"
    yield Figure("open a session and read a row", opened[0], beside, opened[1])
    yield Figure("fork a session and read a row", forked[0], beside, forked[1])


def _mcp() -> Iterator[Figure]:
    domain = load_domain(LIBRARY)
    beside = "a bare SDK server that answers a constant"
    yield Figure(
        "an MCP call in memory", *_beside(asyncio.run(measure_in_memory(domain, _world(domain, 1_450))), beside)
    )
    over_http = asyncio.run(measure_http(_world(domain, 300), sessions=100))
    yield Figure("an MCP call over HTTP, 100 sessions", *_beside(over_http, beside))


def _load() -> Iterator[Figure]:
    folder = load(MANY).path
    files = [path.read_text(encoding="utf-8") for path in (*folder.glob("tools/*.py"), *folder.glob("*.py"))]
    ours, theirs = _in_turn(lambda: load_domain(folder), lambda: [compile(text, "x", "exec") for text in files], 9)
    yield Figure("load a domain of 50 tools", ours, "its files compiled by Python", theirs)


def _episodes() -> Iterator[Figure]:
    chosen = tasks(MANY)
    for task in chosen:
        world_of(task)
    ours, theirs = _in_turn(lambda: [play(task) for task in chosen], lambda: _replay_all(), rounds=3)
    yield Figure("an episode of a Rollout loop, one process", ours / len(chosen), CHAIN, theirs / len(chosen))
    trials = 8
    with TemporaryDirectory() as folder:
        words = ("eval", MANY, "--agent", "reference", "--trials")
        seconds = _timed(lambda: _run(*WORLDSMITH, *words, str(trials), "--store", f"{folder}/run.db"))
    yield Figure("an episode of eval, two processes", seconds / trials / len(chosen), CHAIN, theirs / len(chosen))


def _proofs() -> Iterator[Figure]:
    count, replayed = 100, _replayed()
    with TemporaryDirectory() as folder:
        words = ("tasks", MANY, "-n", str(count), "--seed", "77", "--out", f"{folder}/tasks.jsonl")
        seconds = _timed(lambda: _run(*WORLDSMITH, *words))
    yield Figure("a proven task, all cores", seconds / count, CHAIN, replayed)


def _check() -> Iterator[Figure]:
    before = _processors()
    _run(*WORLDSMITH, "check", MANY)
    yield Figure(
        "check of 50 tools and 256 tasks, of processors", _processors() - before, "256 chains", 256 * _replayed()
    )


def _commands() -> Iterator[Figure]:
    yield Figure("worldsmith demo", _timed(lambda: _run(*WORLDSMITH, "demo")), "its target", 60)
    tested = (sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
    yield Figure("the tests", _timed(lambda: _run(*tested)), "their target", 300)


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {
    "start": _start,
    "calls": _calls,
    "sessions": _sessions,
    "mcp": _mcp,
    "load": _load,
    "episodes": _episodes,
    "proofs": _proofs,
    "check": _check,
    "commands": _commands,
}


def _beside(pair: tuple[float, float], beside: str) -> tuple[float, str, float]:
    return pair[0], beside, pair[1]


def _replay_all() -> None:
    for task in tasks(MANY):
        with Session(task.domain, world_of(task)) as session:
            replay(session, task.task.chain)


@cache
def _replayed() -> float:
    """Seconds for the chain of one task, the median of some rounds over all."""
    _replay_all()
    return _in_turn(_replay_all, lambda: None, rounds=3)[0] / len(tasks(MANY))


def _world(domain: Domain, size: int) -> World:
    return build_world(domain.populate, domain.schema, domain.policies, domain.now, seed=1, size=size)


def _open_and_read(domain: Domain, world: World) -> None:
    with Session(domain, world) as session:
        session.perform("find_member", {"email": "nobody@example.org"})


def _fork_and_read(session: Session) -> None:
    with session.fork() as fork:
        fork.perform("find_member", {"email": "nobody@example.org"})


def _open_bare(world: World) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(world.image)
        connection.execute("PRAGMA foreign_keys = ON")
        _find_bare(connection, "nobody@example.org")


def _find_bare(connection: sqlite3.Connection, email: str) -> object:
    return connection.execute(
        "SELECT member_id, name, email, phone, status, owed_cents FROM member WHERE email = lower(?)", (email,)
    ).fetchall()


def _cancel_bare(connection: sqlite3.Connection, hold: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "SELECT hold_id, book_id, member_id, placed_at, status, note FROM hold WHERE hold_id = ?", (hold,)
    ).fetchall()
    connection.execute("UPDATE hold SET status = ? WHERE hold_id = ?", ("cancelled", hold))
    connection.execute("COMMIT")


def _in_turn(ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 2_000) -> tuple[float, float]:
    """Medians in seconds of two actions done in turn."""
    pairs = [(_timed(ours), _timed(theirs)) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _processors() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _shown(seconds: float) -> str:
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.1f} µs"


if __name__ == "__main__":
    main()
