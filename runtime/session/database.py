"""What a tool is handed: reading by SQL with bound parameters, writing by row helpers, the frozen clock, new ids."""

from __future__ import annotations

from typing import Any

from runtime.domain.rows import RowRef
from runtime.domain.schema import Value
from runtime.errors import Rejection
from runtime.session.workspace import Workspace

Record = dict[str, Any]  # a row by column name: int, float, str or None


class Database:
    """The database of one session, as a tool sees it during one call.

    Reads are plain SQL with `?` for every value. Writes go through `insert`, `update` and `delete`, one row at a time
    by primary key. Time is `now`, a new id is `new_id(table)`, the acting user is `principal`.
    """

    def __init__(self, workspace: Workspace, now: str, principal: str | None) -> None:
        self.now = now
        self.today = now[:10]
        self.principal = principal
        self._workspace = workspace

    def select(self, sql: str, *values: Value) -> list[Record]:
        """All rows of a SELECT, each as a dictionary by column name. Say ORDER BY where the order matters."""
        names, rows = self._workspace.read(sql, values)
        return [dict(zip(names, row)) for row in rows]  # noqa: B905  as in Table.record

    def first(self, sql: str, *values: Value) -> Record | None:
        """The first row of a SELECT, or None."""
        names, rows = self._workspace.read(sql, values)
        return dict(zip(names, rows[0], strict=True)) if rows else None

    def value(self, sql: str, *values: Value) -> Any:
        """The first column of the first row of a SELECT, or None."""
        _, rows = self._workspace.read(sql, values)
        return rows[0][0] if rows else None

    def get(self, table: str, *key: Value) -> Record | None:
        """The row with this primary key, or None."""
        return self._workspace.get(table, key)

    def require(self, table: str, *key: Value) -> Record:
        """The row with this primary key; rejects with NOT_FOUND if there is none."""
        record = self._workspace.get(table, key)
        if record is None:
            raise Rejection.not_found(f"No {RowRef(table, key)} exists.")
        return record

    def insert(self, table: str, /, **values: Value) -> Record:
        """Add one row; columns left out take their default or NULL. Returns the row as it was stored."""
        return self._workspace.insert(table, values)

    def update(self, table: str, /, *key: Value, **values: Value) -> Record:
        """Change columns of the row with this primary key, which must exist. Returns the row as it was stored."""
        return self._workspace.update(table, key, values)

    def delete(self, table: str, *key: Value) -> Record:
        """Remove the row with this primary key, which must exist and be referred to by no other. Returns that row."""
        return self._workspace.delete(table, key)

    def new_id(self, table: str) -> Any:
        """A key for a new row of a table with one key column: from the session's counter, so the same every time."""
        return self._workspace.new_key(table)
