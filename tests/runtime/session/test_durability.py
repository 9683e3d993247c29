"""A stored session survives SIGKILL up to its last acknowledged call, and holds no half call."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.session import Session, open_stored_session
from runtime.session.world import WorldCache
from tests.conftest import LIBRARY

KILLS = 4


def open_library(domain: Domain, root: Path) -> Session:
    return open_stored_session(domain, root, "s", lambda: WorldCache().take(domain, 1, 30), {"seed": 1})


def register_without_end(root: Path) -> None:
    """Call a tool again and again, and print the number of each call once it has returned."""
    with open_library(load_domain(LIBRARY), root) as session:
        number = len(session.diff())
        while True:
            number += 1
            session.call("register_member", name="Ada Park", email=f"ada{number}@example.org")
            print(number, flush=True)


def test_every_acknowledged_call_survives_a_kill_and_no_half_call_does(tmp_path: Path, library: Domain) -> None:
    chance = random.Random(1)
    for _ in range(KILLS):
        command = [sys.executable, "-m", "tests.runtime.session.test_durability", str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            last = [process.stdout.readline() for _ in range(1 + chance.randrange(12))][-1]
            time.sleep(chance.random() * 0.004)  # so that the kill falls anywhere within a call
            process.send_signal(signal.SIGKILL)
            acknowledged = int([last, *(line for line in process.stdout.read().split("\n")[:-1] if line)][-1])
        with open_library(library, tmp_path) as session:
            emails = [row.after["email"] for row in session.diff() if row.after is not None]
            assert len(emails) in (acknowledged, acknowledged + 1)
            assert sorted(emails) == sorted(f"ada{number + 1}@example.org" for number in range(len(emails)))
            assert (session.changes, session.digest()) == session.scanned()


if __name__ == "__main__":
    register_without_end(Path(sys.argv[1]))
