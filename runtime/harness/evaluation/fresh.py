"""Begin a run store anew: what it holds is copied to a file beside it, since episodes may have cost money."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

from runtime.errors import UsageError
from runtime.harness.evaluation.store import check_store
from runtime.sandbox.connect import check_database


def set_aside(path: Path) -> Path | None:
    """Empty a held store of its episodes and say where they are now; None if it has none. Errors: UsageError."""
    if not path.is_file() or not path.stat().st_size:
        return None
    check_database(path)
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            check_store(connection, path)
            if connection.execute("SELECT 1 FROM episode").fetchone() is None:
                return None
            names = (path.with_name(f"{path.stem}.{number}{path.suffix}") for number in count(1))
            aside = next(each for each in names if not each.exists())
            connection.execute("VACUUM INTO ?", (str(aside),))
            connection.execute("DELETE FROM episode")
            return aside
    except sqlite3.Error as error:
        raise UsageError(f"The store {str(path)!r} cannot be begun anew: {error}.") from error
