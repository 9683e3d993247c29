"""Measure the runtime beside the least that could do the same, in one run: `python -m tests.benchmarks`.

Every figure is a median, taken in turn with its counterpart, so that the ratio holds on a noisy machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sqlite3
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import asdict, dataclass

from runtime.domain.changes import Changes
from runtime.domain.load import load_domain
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.verification.verify import verify
from tests.benchmarks.adapters import measure_adapters
from tests.benchmarks.episodes import TRANSPORTS, measure_episodes
from tests.benchmarks.mcp_calls import measure_http, measure_in_memory
from tests.benchmarks.rollouts import measure_rollouts
from tests.benchmarks.start import measure_start
from tests.conftest import LIBRARY

DOMAIN = load_domain(LIBRARY)


@dataclass(frozen=True)
class Figure:
    """One line of the report; times in microseconds."""

    what: str
    ours: float
    beside: str = ""
    theirs: float | None = None

    @property
    def line(self) -> str:
        """The figure as text."""
        ours = f"{self.what:<46} {self.ours:>12,.1f} µs"
        if self.theirs is None:
            return ours
        return f"{ours}   {self.ours / self.theirs:>6.2f} x {self.beside} ({self.theirs:,.1f} µs)"


def main() -> None:
    """Run all benchmarks, or those whose names are given."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], help="which to run (default: all)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
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


def _sessions() -> list[Figure]:
    world = _world(1_450)
    print(f"a world of {len(world.image) / 1024:.0f} KiB", file=sys.stderr)
    with Session(DOMAIN, world) as session:
        opening = _in_turn(lambda: _open_and_read(world), lambda: _open_bare(world), rounds=300)
        with closing(world.open()) as connection:
            email = connection.execute("SELECT email FROM member").fetchone()[0]
        forking = _in_turn(lambda: _fork_and_read(session, email), lambda: _open_bare(world), rounds=300)
        start = session.snapshot()
        loans = _some_loans(world)
        restoring = []
        for _ in range(300):
            for loan in loans:
                session.perform("return_book", {"loan_id": loan})
            restoring.append(_timed(lambda: session.restore(start)))
        for loan in loans:
            session.perform("return_book", {"loan_id": loan})
        digest = _in_turn(session.digest, session.digest, rounds=1_000)[0]
        snapshot = _in_turn(session.snapshot, session.snapshot, rounds=1_000)[0]
    bare = "deserialize and one select"
    return [
        Figure("session: open and read one row", opening[0], bare, opening[1]),
        Figure("session: fork and read one row", forking[0], bare, forking[1]),
        Figure("session: restore after 5 returned books", statistics.median(restoring) * 1e6),
        Figure("session: digest after 5 returned books", digest),
        Figure("session: snapshot after 5 returned books", snapshot),
    ]


def _calls() -> list[Figure]:
    world = _world(1_450)
    with Session(DOMAIN, world) as session:
        bare = world.open()
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
        bare.close()
    beside = "the same statements on sqlite3"
    return [
        Figure("call: find_member (one keyed read)", read[0], beside, read[1]),
        Figure(
            "call: cancel_hold (one keyed read, one write)",
            statistics.median(ours) * 1e6,
            beside,
            statistics.median(theirs) * 1e6,
        ),
    ]


def _verdicts() -> list[Figure]:
    world = _world(300)
    with Session(DOMAIN, world) as session:
        for number in range(60):
            session.call("register_member", name="Ada Lovelace", email=f"ada{number}@example.org")
        members = session.changes
        five = _some_loans(world)
        session.reset()
        for loan in five:
            session.call("return_book", loan_id=loan)
        returned = session.changes
    notes, said = _holds(_told), _holds(_retold)

    def judge_members() -> object:
        return verify(DOMAIN.schema, DOMAIN.policies, members, members)

    def judge_returned() -> object:
        return verify(DOMAIN.schema, DOMAIN.policies, returned, returned)

    def judge_notes() -> object:
        return verify(DOMAIN.schema, DOMAIN.policies, notes, said)

    return [
        Figure("verdict: 5 returned books", _in_turn(judge_returned, judge_returned, rounds=300)[0]),
        Figure("verdict: 60 new rows", _in_turn(judge_members, judge_members, rounds=100)[0]),
        Figure("verdict: 60 new rows told apart by a note, one wrong", _in_turn(judge_notes, judge_notes, rounds=5)[0]),
    ]


def _large() -> list[Figure]:
    size = 1_000_000
    started = time.perf_counter()
    world = _world(size)
    built = time.perf_counter() - started
    with closing(world.open()) as connection:
        rows = sum(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in DOMAIN.schema.tables)
        email = connection.execute("SELECT email FROM member").fetchone()[0]
        hold = connection.execute("SELECT hold_id FROM hold WHERE status = 'waiting'").fetchone()[0]
    print(f"a world of {rows:,} rows, {len(world.image) / 2**20:.0f} MiB", file=sys.stderr)
    digested = _timed(lambda: world.digest)
    opened = [_timed(lambda: _open_and_read(world)) for _ in range(3)]
    with Session(DOMAIN, world) as session:
        start = session.snapshot()
        read, written, restored, digests = [], [], [], []
        for _ in range(500):
            read.append(_timed(lambda: session.perform("find_member", {"email": email})))
            written.append(_timed(lambda: session.perform("cancel_hold", {"hold_id": hold})))
            digests.append(_timed(session.digest))
            restored.append(_timed(lambda: session.restore(start)))
        forked = [_timed(lambda: _fork_and_read(session, email)) for _ in range(3)]
    return [
        Figure("10^6 rows: build the world", built * 1e6),
        Figure("10^6 rows: first digest (a full scan)", digested * 1e6),
        Figure("10^6 rows: open and read one row", statistics.median(opened) * 1e6),
        Figure("10^6 rows: fork and read one row", statistics.median(forked) * 1e6),
        Figure("10^6 rows: find_member", statistics.median(read) * 1e6),
        Figure("10^6 rows: cancel_hold", statistics.median(written) * 1e6),
        Figure("10^6 rows: digest after a change", statistics.median(digests) * 1e6),
        Figure("10^6 rows: restore after a change", statistics.median(restored) * 1e6),
    ]


def _mcp() -> list[Figure]:
    ours, theirs = _run(measure_in_memory(DOMAIN, _world(1_450)))
    return [Figure("MCP in memory: find_member", ours, "a bare SDK server's constant", theirs)]


def _http() -> list[Figure]:
    ours, theirs = _run(measure_http(_world(300), sessions=100))
    return [Figure("MCP over HTTP, 100 sessions: per call", ours, "a bare SDK server's constant", theirs)]


def _start() -> list[Figure]:
    beside = "a bare SDK server of 50 constant tools"
    return [Figure(what, ours, beside, theirs) for what, (ours, theirs) in measure_start().items()]


def _episodes() -> list[Figure]:
    paces = {transport: measure_episodes(DOMAIN, transport, 512) for transport in TRANSPORTS}
    return [
        figure
        for transport, pace in paces.items()
        for figure in (
            Figure(f"episodes, 64 at once, {transport}: one", pace.wall / pace.episodes * 1e6),
            Figure(f"episodes, {transport}: the harness's cost of a turn", pace.own_per_turn * 1e6),
        )
    ]


def _rollouts() -> list[Figure]:
    pace = measure_rollouts("job_seeking")
    print(
        f"{1 / pace.later:.0f} rollouts a second in one process, {1 / pace.first:.0f} while their worlds are built",
        file=sys.stderr,
    )
    beside = "the chain on a bare session"
    return [
        Figure("rollout: one of job_seeking's tasks", pace.later * 1e6, beside, pace.bare * 1e6),
        Figure("rollout: one while the worlds are built", pace.first * 1e6),
    ]


def _adapters() -> list[Figure]:
    beside = "the same messages without us"
    return [
        Figure(f"{each.player}: {each.policy}", each.seconds * 1e6, beside, each.floor and each.floor * 1e6)
        for each in measure_adapters()
    ]


BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "sessions": _sessions,
    "calls": _calls,
    "verdicts": _verdicts,
    "mcp": _mcp,
    "http": _http,
    "start": _start,
    "large": _large,
    "episodes": _episodes,
    "rollouts": _rollouts,
    "adapters": _adapters,
}


def _world(size: int) -> World:
    return build_world(DOMAIN.populate, DOMAIN.schema, DOMAIN.policies, DOMAIN.now, seed=1, size=size)


def _some_loans(world: World) -> list[str]:
    with closing(world.open()) as connection:
        return [row[0] for row in connection.execute("SELECT loan_id FROM loan WHERE status = 'out' LIMIT 5")]


def _holds(note: Callable[[int], str]) -> Changes:
    """60 added holds that differ in nothing but their notes."""
    changes = Changes()
    for number in range(60):
        key = f"HOLD-{number:04d}"
        row = (key, "BOOK-0001", "MEMBER-0001", DOMAIN.now, "waiting", note(number))
        changes.record("hold", (key,), None, row)
    return changes


def _told(number: int) -> str:
    return f"Please keep the {_SHADES[number % 10]} {_THINGS[number // 10]} edition for the reading group"


def _retold(number: int) -> str:
    if number == 30:
        return "Nothing to say"
    return _told(59 - number).lower().replace("the reading", "our reading")


_SHADES = ("red", "blue", "green", "old", "new", "heavy", "light", "large", "small", "clean")
_THINGS = ("chair", "table", "window", "garden", "kitchen", "ladder")


def _open_and_read(world: World) -> None:
    with Session(DOMAIN, world) as session:
        session.perform("find_member", {"email": "nobody@example.org"})


def _fork_and_read(session: Session, email: str) -> None:
    with session.fork() as fork:
        fork.perform("find_member", {"email": email})


def _open_bare(world: World) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(world.image)
    connection.execute("PRAGMA foreign_keys = ON")
    _find_bare(connection, "nobody@example.org")
    connection.close()


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
    """Medians in microseconds of two actions done in turn."""
    pairs = [(_timed(ours), _timed(theirs)) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in pairs) * 1e6, statistics.median(pair[1] for pair in pairs) * 1e6


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _run(measuring: Awaitable[tuple[float, float]]) -> tuple[float, float]:
    async def run() -> tuple[float, float]:
        return await measuring

    return asyncio.run(run())


if __name__ == "__main__":
    main()
