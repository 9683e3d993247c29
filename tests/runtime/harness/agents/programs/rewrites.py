"""A hostile program that knows where the store is: if an episode is in it, it changes how that was judged.

`rewrites.py STORE WHAT`: WHAT is `column`, `record`, `both`, `deletes` or `replaces`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # which `-I` leaves out

from telling import knock

knock()

store, what = Path(sys.argv[1]), sys.argv[2]


def forged(line: str) -> str:
    return json.dumps(
        {**json.loads(line), "reward": 1, "progress": 1.0, "differences": [], "fault": None, "reason": ""}
    )


def judged() -> list[tuple[int, str]]:
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute("SELECT rowid, record FROM episode").fetchall()


rows = judged()
if not rows:  # this is the first episode of all
    sys.exit()
(row, record), *_ = rows
target = store
if what == "replaces":
    target = store.with_name("other.db")
    with closing(sqlite3.connect(store)) as connection, closing(sqlite3.connect(target)) as copy:
        connection.backup(copy)
with closing(sqlite3.connect(target, timeout=30, isolation_level=None)) as connection:
    if what in ("column", "both", "replaces"):
        connection.execute("UPDATE episode SET reward = 1, fault = NULL, reason = '' WHERE rowid = ?", (row,))
    if what in ("record", "both", "replaces"):
        connection.execute("UPDATE episode SET record = ? WHERE rowid = ?", (forged(record), row))
    if what == "deletes":
        connection.execute("DELETE FROM episode WHERE rowid = ?", (row,))
if what == "replaces":
    os.replace(target, store)
    for name in ("-wal", "-shm"):
        store.with_name(f"{store.name}{name}").unlink(missing_ok=True)
