"""Match the rows that were added with those that should have been, whatever their generated ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from runtime.domain.changes import Changes, RowName, sortable
from runtime.domain.policies import ColumnPolicy, Policies
from runtime.domain.schema import ForeignKey, Row, RowRef, Schema, Table, Value
from runtime.verification.isomorphism import RowGraph
from runtime.verification.texts import normalize
from runtime.verification.verdict import Cell

Equal = Callable[[ColumnPolicy, Value, Value], bool]

MOST_COMPARED = 100  # rows of a table and side that are compared with each other to explain a difference


@dataclass(frozen=True)
class NewRows:
    """The added rows of one state, with what they refer to: `edges[row][foreign_key]` is the added row referred to.

    `fixed` are the changed rows that were there before and must refer to added rows; they match by primary key.
    """

    schema: Schema
    policies: Policies
    rows: Mapping[RowName, Row]
    edges: Mapping[RowName, Mapping[ForeignKey, RowName]]
    fixed: Mapping[RowName, Mapping[ForeignKey, RowName]] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema, policies: Policies, changes: Changes, watched: frozenset[RowName]) -> NewRows:
        """Read the added rows out of changes; `watched` are the changed rows whose references count."""
        added = {name: change.after for name, change in changes.rows.items() if change.before is None and change.after}
        rows = dict(sorted(added.items(), key=lambda item: (item[0][0], sortable(item[0][1]))))
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

    def label(self, name: RowName, *, verbatim: bool = False) -> tuple[Hashable, ...]:
        """Table and all exact values of an added row, `verbatim` the soft ones too, but no reference to added rows."""
        table, row = self.schema.tables[name[0]], self.rows[name]
        referring = self._referring_columns(name)
        return (
            table.name,
            *(
                (column, row[position])
                for column, position in table.positions.items()
                if column not in referring and _is_in_label(self.policies.of(table.name, column), verbatim)
            ),
        )

    def graph(self, *, verbatim: bool = False) -> RowGraph:
        """Added rows as nodes with their labels, references as edges, watched rows as fixed points."""
        labels: dict[Hashable, Hashable] = {name: ("new", *self.label(name, verbatim=verbatim)) for name in self.rows}
        labels |= {("fixed", *name): ("fixed", *name) for name in self.fixed}
        edges: list[tuple[Hashable, str, Hashable]] = [
            (name, repr(key), target) for name, own in self.edges.items() for key, target in own.items()
        ]
        edges += [
            (("fixed", *name), repr(key), target) for name, own in self.fixed.items() for key, target in own.items()
        ]
        return RowGraph(labels, edges, {} if verbatim else self.words())

    def words(self) -> dict[Hashable, frozenset[str]]:
        """The words of the semantic texts of each added row that has any."""
        found: dict[Hashable, frozenset[str]] = {}
        for name, row in self.rows.items():
            texts = [
                str(row[position] or "")
                for position, policy in self.soft_columns(name[0])
                if policy.policy == "semantic"
            ]
            if texts:
                found[name] = frozenset(" ".join(map(normalize, texts)).split())
        return found

    def differing_columns(
        self, name: RowName, other: NewRows, other_name: RowName, equal: Equal, pairs: Mapping[RowName, RowName]
    ) -> list[tuple[str, ...]]:
        """The columns in which an expected row and an actual one of the same table differ; those of a reference as one.

        References to added rows are equal if `pairs` pairs their targets or, while those have no partner, if the
        targets' labels are equal.
        """
        table = self.schema.tables[name[0]]
        mine, theirs = self.edges[name], other.edges[other_name]
        differing: list[tuple[str, ...]] = []
        for foreign_key in table.foreign_keys:
            target, other_target = mine.get(foreign_key), theirs.get(foreign_key)
            if target is None or other_target is None:
                same = target is other_target
            elif target in pairs:
                same = pairs[target] == other_target
            else:
                same = self.label(target) == other.label(other_target)
            if not same and foreign_key.columns not in differing:
                differing.append(foreign_key.columns)
        referring = self._referring_columns(name) | other._referring_columns(other_name)
        row, other_row = self.rows[name], other.rows[other_name]
        for column, position in table.positions.items():
            if column in referring:
                continue
            policy = self.policies.of(table.name, column)
            if policy.policy in ("hard", "semantic") and not equal(policy, row[position], other_row[position]):
                differing.append((column,))
        return differing

    def soft_columns(self, table: str) -> Iterator[tuple[int, ColumnPolicy]]:
        """The columns whose comparison is not exact, by position."""
        for column, position in self.schema.tables[table].positions.items():
            policy = self.policies.of(table, column)
            if policy.policy == "semantic" or (policy.policy == "hard" and _has_several_forms(policy)):
                yield position, policy

    def cells(self, name: RowName) -> dict[str, Cell]:
        """What counts of an added row, by column."""
        table = self.schema.tables[name[0]]
        return {
            column: self.cell(name, (column,))
            for column in table.column_names
            if self.policies.of(table.name, column).policy in ("hard", "semantic")
        }

    def cell(self, name: RowName, columns: tuple[str, ...]) -> Cell:
        """Return the values of columns, or for a reference to an added row, that row."""
        targets = {foreign_key.columns: target for foreign_key, target in self.edges[name].items()}
        if columns in targets:
            return RowRef(*targets[columns])
        values = _values(self.schema.tables[name[0]], self.rows[name], columns)
        return values[0] if len(values) == 1 else values

    def _referring_columns(self, name: RowName) -> set[str]:
        return {column for foreign_key in self.edges[name] for column in foreign_key.columns}


def pair_alike(expected: NewRows, actual: NewRows) -> dict[RowName, RowName]:
    """Pair rows for an explanation where no exact pairing exists: equal ones, then those that differ least."""
    pairs: dict[RowName, RowName] = {}
    for table in expected.schema.tables:
        _pair_equal(table, expected, actual, pairs)
        _pair_nearest(table, expected, actual, pairs)
    return pairs


def _pair_equal(table: str, expected: NewRows, actual: NewRows, pairs: dict[RowName, RowName]) -> None:
    """Pair rows with the same values and references."""
    taken = {other: other for other in pairs.values()}
    waiting: dict[Hashable, list[RowName]] = defaultdict(list)
    for other in reversed(list(actual.rows)):
        if other[0] == table and other not in taken:
            waiting[_likeness(actual, other, taken)].append(other)
    for name in expected.rows:
        if name[0] == table and name not in pairs:
            alike = waiting.get(_likeness(expected, name, pairs))
            if alike:
                pairs[name] = alike.pop()


def _likeness(rows: NewRows, name: RowName, partners: Mapping[RowName, RowName]) -> Hashable:
    targets = ((key, partners.get(target) or rows.label(target)) for key, target in rows.edges[name].items())
    return rows.label(name, verbatim=True), tuple(targets)


def _pair_nearest(table: str, expected: NewRows, actual: NewRows, pairs: dict[RowName, RowName]) -> None:
    """Pair the rows that are left and differ in fewer columns than they have to compare, by columns, then by words."""
    taken = set(pairs.values())
    mine = [name for name in expected.rows if name[0] == table and name not in pairs][:MOST_COMPARED]
    theirs = [name for name in actual.rows if name[0] == table and name not in taken][:MOST_COMPARED]
    compared = max(1, len(expected.label(mine[0])) - 1) if mine else 0
    words, other_words = expected.words(), actual.words()
    nothing: frozenset[str] = frozenset()
    costs = sorted(
        (
            len(expected.differing_columns(name, actual, other, _same_value, pairs)),
            len(words.get(name, nothing) ^ other_words.get(other, nothing)),
            place,
            other_place,
            name,
            other,
        )
        for place, name in enumerate(mine)
        for other_place, other in enumerate(theirs)
    )
    for cost, _, _, _, name, other in costs:
        if cost < max(compared, 2) and name not in pairs and other not in taken:
            pairs[name] = other
            taken.add(other)


def _same_value(policy: ColumnPolicy, expected: Value, actual: Value) -> bool:
    return expected == actual


def _has_several_forms(policy: ColumnPolicy) -> bool:
    return bool(policy.tolerance or policy.spelled)


def _is_in_label(policy: ColumnPolicy, verbatim: bool) -> bool:
    exact = policy.policy == "hard" and not _has_several_forms(policy)
    return exact or (verbatim and policy.policy in ("hard", "semantic"))


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
) -> Iterator[tuple[ForeignKey, RowName]]:
    table = schema.tables[name[0]]
    for foreign_key in table.foreign_keys:
        if all(policies.of(table.name, column).policy == "hard" for column in foreign_key.columns):
            values = _values(table, row, foreign_key.columns)
            target = index.get((foreign_key.parent, foreign_key.parent_columns, values))
            if target is not None and None not in values:  # NULL refers to nothing
                yield foreign_key, target


def _values(table: Table, row: Row, columns: tuple[str, ...]) -> Row:
    return tuple(row[table.positions[column]] for column in columns)
