"""Kill stored sessions in the middle of their calls and see that every acknowledged call is there, and no half one.

`python -m tests.runtime.session.kill_sessions` kills 100 (about half a minute, no model needed).
"""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.opening import open_stored_session
from runtime.session.session import Session
from runtime.session.world import World, build_world
from tests.making import write_domain

KILLS = 100
ACROSS = 2  # processes at a time
SEED = 1

SCHEMA = """
CREATE TABLE entry (            -- A numbered booking
    entry_id INTEGER PRIMARY KEY,  -- Its number
    text     TEXT NOT NULL      -- What was booked
) STRICT, WITHOUT ROWID;
CREATE TABLE counter_entry (    -- The other half of a booking
    counter_entry_id INTEGER PRIMARY KEY,  -- Its number
    entry_id INTEGER NOT NULL UNIQUE REFERENCES entry ON DELETE RESTRICT,  -- The first half
    text     TEXT NOT NULL      -- What was booked
) STRICT, WITHOUT ROWID;
"""

TOOLS = '''
@tool(writes=["entry", "counter_entry"])
def book(db: Database, number: Annotated[int, "Number"], text: Annotated[str, "What"]) -> Done:
    """Book both halves."""
    db.insert("entry", entry_id=number, text=text)
    db.insert("counter_entry", counter_entry_id=db.new_id("counter_entry"), entry_id=number, text=text)
    return {"done": True}
'''


@dataclass(frozen=True)
class Kill:
    """What became of one killed process: the calls it acknowledged, in all, and those that the session then had."""

    acknowledged: int
    found: int


def open_book(domain: Domain, root: Path, name: str) -> Session:
    """The stored session of this name."""

    def make() -> World:
        return build_world(domain.populate, domain.schema, domain.policies, domain.now, seed=1, size=1)

    return open_stored_session(domain, root, name, make, {"seed": 1})


def book_without_end(domain: Domain, root: Path, name: str) -> None:
    """What the killed process does: numbered calls, each acknowledged in a line once it has returned."""
    with open_book(domain, root, name) as session:
        number = session.snapshot().counter
        while True:
            number += 1
            session.call("book", number=number, text=f"{number} " * (number % 40))
            print(number, flush=True)


def kill_often(path: Path, root: Path, name: str, times: int) -> list[Kill]:
    """Start and kill one session's process again and again, and check what each left behind."""
    chance = random.Random(f"{SEED} {name}")
    domain = load_domain(path)
    kills: list[Kill] = []
    for _ in range(times):
        acknowledged = _start_and_kill(path, root, name, chance)
        with open_book(domain, root, name) as session:
            found = session.snapshot().counter
            assert session.connection is None
            session.open()
            connection = session.connection
            assert connection is not None
            _check(connection, found)
            assert (session.changes, session.digest()) == session.scanned()
        kills.append(Kill(acknowledged, found))
    return kills


def _start_and_kill(path: Path, root: Path, name: str, chance: random.Random) -> int:
    """The last number that the process printed before it was killed."""
    command = [sys.executable, "-m", "tests.runtime.session.kill_sessions", "book", str(path), str(root), name]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as lines:
        last = lines.readline()  # from here on it is in the middle of calls
        for _ in range(chance.randrange(12)):
            last = lines.readline()
        time.sleep(chance.random() * 0.004)  # not to wait for something: the kill must fall anywhere within a call
        process.send_signal(signal.SIGKILL)
        left = lines.read()
    process.wait()
    whole = [line for line in left.split("\n")[:-1] if line]
    return int(whole[-1] if whole else last)


def _check(connection: sqlite3.Connection, found: int) -> None:
    """Both halves of every booking from 1 to the last, and nothing else."""
    expected = [(number,) for number in range(1, found + 1)]
    assert connection.execute("SELECT entry_id FROM entry ORDER BY 1").fetchall() == expected
    assert connection.execute("SELECT entry_id FROM counter_entry ORDER BY 1").fetchall() == expected
    pairs = "SELECT count(*) FROM entry JOIN counter_entry USING (entry_id) WHERE entry.text = counter_entry.text"
    assert connection.execute(pairs).fetchone() == (found,)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def kill_sessions(folder: Path, kills: int) -> list[Kill]:
    """Kill so many processes, two sessions side by side."""
    path = write_domain(folder, schema=SCHEMA, tools=TOOLS)
    shares = [kills // ACROSS + (number < kills % ACROSS) for number in range(ACROSS)]
    with ThreadPoolExecutor(ACROSS) as pool:
        jobs = [pool.submit(kill_often, path, folder / "states", f"s{n}", share) for n, share in enumerate(shares)]
        return [kill for job in jobs for kill in job.result()]


def lost(kills: list[Kill]) -> list[Kill]:
    """The kills after which an acknowledged call was gone; a call may be committed and not yet acknowledged."""
    return [kill for kill in kills if not kill.acknowledged <= kill.found <= kill.acknowledged + 1]


def main() -> int:
    """Be the process that is killed, or kill 100 of them."""
    if sys.argv[1:2] == ["book"]:
        path, root, name = sys.argv[2:]
        book_without_end(load_domain(Path(path)), Path(root), name)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        kills = kill_sessions(Path(folder), KILLS)
    between = sum(kill.found > kill.acknowledged for kill in kills)
    print(
        f"{len(kills)} kills in {time.monotonic() - started:.1f} s: {len(lost(kills))} lost or invented a call, "
        f"{between} fell between a commit and its acknowledgement, {sum(k.acknowledged > 0 for k in kills)} after calls"
    )
    return 1 if lost(kills) else 0


if __name__ == "__main__":
    sys.exit(main())
