"""Hold columns that are spelled in several ways to their world: each value is one, and no two are the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from runtime.domain.policies import canonical
from runtime.session.world import World


def find_misspelt(world: World) -> Iterator[str]:
    """One sentence for each column whose values are not what its policy says, or cannot be told apart by it."""
    with closing(world.open()) as connection:
        for table, columns in world.policies.by_table.items():
            for column, policy in columns.items():
                if policy.spelled is None:
                    continue
                query = f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL ORDER BY 1'
                forms: dict[str, str] = {}
                for (value,) in connection.execute(query):
                    form = canonical(value, policy.spelled)
                    if form is None:
                        yield (
                            f"{table}.{column} is spelled {policy.spelled!r}, but {value!r} is none; write another "
                            "value, or leave `spelled` out"
                        )
                        break
                    if form in forms:
                        yield (
                            f"{table}.{column} is spelled {policy.spelled!r}, so that {forms[form]!r} and {value!r} "
                            "are the same; write one of them, or leave `spelled` out"
                        )
                        break
                    forms[form] = value
