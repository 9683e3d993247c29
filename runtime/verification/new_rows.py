"""Match the rows that were added with those that should have been, whatever their generated ids."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from runtime.domain.policies import ColumnPolicy, Policies
from runtime.domain.schema import Row, Schema, Table, Value
from runtime.session.changes import Changes, RowName
from runtime.verification.isomorphism import RowGraph

Equal = Callable[[ColumnPolicy, Value, Value], bool]


@dataclass(frozen=True)
class NewRows:
    """The added rows of one state, with what they refer to: `edges[row][columns]` is the added row referred to.

    `fixed` are the changed rows that were there before and must refer to added rows; they match by primary key.
    """

    schema: Schema
    policies: Policies
    rows: Mapping[RowName, Row]
    edges: Mapping[RowName, Mapping[str, RowName]]
    fixed: Mapping[RowName, Mapping[str, RowName]] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema, policies: Policies, changes: Changes, watched: frozenset[RowName]) -> NewRows:
        """Read the added rows out of changes; `watched` are the changed rows whose references count."""
        rows = {name: change.after for name, change in changes.rows.items() if change.before is None and change.after}
        index = _index_by_reference(schema, rows)
        fixed = {}
        for name in watched:
            change = changes.rows.get(name)
            if change is not None and change.before is not None and change.after is not None:
                edges = dict(_edges_of(schema, policies, name, change.after, index))
                if edges:
                    fixed[name] = edges
        return cls(
            schema,
            policies,
            rows,
            {name: dict(_edges_of(schema, policies, name, row, index)) for name, row in rows.items()},
            fixed,
        )

    def label(self, name: RowName) -> tuple[Hashable, ...]:
        """Table and all hard values of an added row, except those that refer to added rows."""
        table, row = self.schema.tables[name[0]], self.rows[name]
        referring = self._referring_columns(name)
        return (
            table.name,
            *(
                (column, row[position])
                for column, position in table.positions.items()
                if column not in referring and _is_exact(self.policies.of(table.name, column))
            ),
        )

    def graph(self) -> RowGraph:
        """Added rows as nodes with their labels, references as edges, watched rows as fixed points."""
        labels: dict[Hashable, Hashable] = {name: ("new", *self.label(name)) for name in self.rows}
        labels |= {("fixed", *name): ("fixed", *name) for name in self.fixed}
        edges: list[tuple[Hashable, str, Hashable]] = [
            (name, columns, target) for name, own in self.edges.items() for columns, target in own.items()
        ]
        edges += [
            (("fixed", *name), columns, target) for name, own in self.fixed.items() for columns, target in own.items()
        ]
        return RowGraph(labels, edges)

    def differing_columns(
        self, name: RowName, other: NewRows, other_name: RowName, equal: Equal, pairs: Mapping[RowName, RowName]
    ) -> list[str]:
        """The columns in which an expected row and an actual one of the same table differ.

        References to added rows are equal if `pairs` pairs their targets; before any are paired, if the targets'
        labels are equal.
        """
        table = self.schema.tables[name[0]]
        mine, theirs = self.edges[name], other.edges[other_name]
        differing: list[str] = []
        for columns in sorted(mine.keys() | theirs.keys()):
            target, other_target = mine.get(columns), other.edges[other_name].get(columns)
            if target is None or other_target is None:
                same = False
            elif pairs:
                same = pairs.get(target) == other_target
            else:
                same = self.label(target) == other.label(other_target)
            if not same:
                differing.append(columns)
        referring = self._referring_columns(name) | other._referring_columns(other_name)
        row, other_row = self.rows[name], other.rows[other_name]
        for column, position in table.positions.items():
            if column in referring:
                continue
            policy = self.policies.of(table.name, column)
            if policy.policy in ("hard", "semantic") and not equal(policy, row[position], other_row[position]):
                differing.append(column)
        return differing

    def soft_columns(self, table: str) -> Iterator[tuple[int, ColumnPolicy]]:
        """The columns whose comparison is not exact, by position."""
        for column, position in self.schema.tables[table].positions.items():
            policy = self.policies.of(table, column)
            if policy.policy == "semantic" or (policy.policy == "hard" and policy.tolerance):
                yield position, policy

    def described(self, name: RowName) -> str:
        """An added row in words: its table and the values that count."""
        table = self.schema.tables[name[0]]
        values = [
            f"{column}={self.shown(name, column)!r}"
            for column in table.column_names
            if self.policies.of(table.name, column).policy in ("hard", "semantic")
        ]
        return f"{table.name} ({', '.join(values)})"

    def shown(self, name: RowName, columns: str) -> Value:
        """A value for a person; a reference to an added row says so."""
        if columns in self.edges[name]:
            target = self.edges[name][columns]
            return f"the new {target[0]} {' / '.join(map(str, target[1]))}"
        table = self.schema.tables[name[0]]
        if "+" in columns:
            return " / ".join(str(self.rows[name][table.positions[column]]) for column in columns.split("+"))
        return self.rows[name][table.positions[columns]]

    def _referring_columns(self, name: RowName) -> set[str]:
        return {column for columns in self.edges[name] for column in columns.split("+")}


def pair_alike(expected: NewRows, actual: NewRows, equal: Equal) -> dict[RowName, RowName]:
    """Pair rows for an explanation where no exact pairing exists: those that differ least, table by table."""
    pairs: dict[RowName, RowName] = {}
    for table in expected.schema.tables:
        mine = [name for name in expected.rows if name[0] == table]
        theirs = [name for name in actual.rows if name[0] == table]
        if len(mine) * len(theirs) > 10_000:
            mine, theirs = mine[:100], theirs[:100]
        compared = max(1, len(expected.label(mine[0])) - 1) if mine else 0
        costs = sorted(
            (len(expected.differing_columns(name, actual, other, equal, {})), place, other_place, name, other)
            for place, name in enumerate(mine)
            for other_place, other in enumerate(theirs)
        )
        taken: set[RowName] = set()
        for cost, _, _, name, other in costs:
            if cost < max(compared, 2) and name not in pairs and other not in taken:
                pairs[name] = other
                taken.add(other)
    return pairs


def _is_exact(policy: ColumnPolicy) -> bool:
    return policy.policy == "hard" and not policy.tolerance


def _index_by_reference(schema: Schema, rows: Mapping[RowName, Row]) -> dict[tuple[str, tuple[str, ...], Row], RowName]:
    """Added rows by the columns under which foreign keys refer to them."""
    wanted: dict[str, set[tuple[str, ...]]] = {}
    for table in schema.tables.values():
        for foreign_key in table.foreign_keys:
            wanted.setdefault(foreign_key.parent, set()).add(foreign_key.parent_columns)
    return {
        (name[0], columns, _values(schema.tables[name[0]], row, columns)): name
        for name, row in rows.items()
        for columns in wanted.get(name[0], ())
    }


def _edges_of(
    schema: Schema,
    policies: Policies,
    name: RowName,
    row: Row,
    index: Mapping[tuple[str, tuple[str, ...], Row], RowName],
) -> Iterator[tuple[str, RowName]]:
    table = schema.tables[name[0]]
    for foreign_key in table.foreign_keys:
        if all(policies.of(table.name, column).policy == "hard" for column in foreign_key.columns):
            values = _values(table, row, foreign_key.columns)
            target = index.get((foreign_key.parent, foreign_key.parent_columns, values))
            if target is not None:
                yield "+".join(foreign_key.columns), target


def _values(table: Table, row: Row, columns: tuple[str, ...]) -> Row:
    return tuple(row[table.positions[column]] for column in columns)
