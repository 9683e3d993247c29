"""Which rows a scenario may pick: the condition in SQL for one that is unique, or the latest, among others."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.domain.schema import Table
from runtime.errors import EnvironmentFault


def narrow(
    table: Table, where: str, unique_by: Sequence[str] = (), latest_of: str | None = None, among: Sequence[str] = ()
) -> str:
    """A condition that also holds what `Story.pick` says of these; errors: EnvironmentFault."""
    columns = {"unique_by": unique_by, "among": among, "latest_of": [] if latest_of is None else [latest_of]}
    for option, names in columns.items():
        if isinstance(names, str):
            raise EnvironmentFault(
                f"A pick of {table.name} has {option}={names!r}; give a list of columns: [{names!r}]."
            )
        for name in names:
            if name not in table.positions:
                raise EnvironmentFault(f"Table {table.name} has no column {name!r}.")
    if among and latest_of is None:
        raise EnvironmentFault(f"A pick of {table.name} has among={list(among)!r} but no latest_of; give both.")
    if unique_by:
        names = ", ".join(f'"{name}"' for name in unique_by)
        where = f'({where}) AND ({names}) IN (SELECT {names} FROM "{table.name}" GROUP BY {names} HAVING count(*) = 1)'
    return where if latest_of is None else f"({where}) AND {_is_latest(table, latest_of, among)}"


def _is_latest(table: Table, column: str, among: Sequence[str]) -> str:
    own = f'"{table.name}"."{column}"'
    shared = [f'later."{name}" IS "{table.name}"."{name}"' for name in among]
    same = " AND ".join(f'later."{name}" IS "{table.name}"."{name}"' for name in table.primary_key)
    others = " AND ".join([*shared, f'later."{column}" >= {own}', f"NOT ({same})"])
    return f'{own} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "{table.name}" AS later WHERE {others})'
