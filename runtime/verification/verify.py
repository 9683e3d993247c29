"""Judge a final database against the expected one: a pure function of their differences from the start.

Paper, section 4.1.1, "Reward Specification". Rows that existed at the start are matched by primary key. Added rows are
matched by a bijection that respects column policies and foreign keys, since their ids are generated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, cast

from runtime.domain.changes import Changes, RowChange, RowName, sortable, strip
from runtime.domain.policies import ColumnPolicy, Policies, same_spelling
from runtime.domain.schema import Row, RowRef, Schema, Value
from runtime.verification.isomorphism import Pairing, pair_rows
from runtime.verification.new_rows import NewRows, pair_alike
from runtime.verification.texts import match_dictated
from runtime.verification.verdict import Difference, DifferenceKind, RowPair, Shown, UndecidedVerdict, Verdict

SEARCH_BUDGET = 20_000  # steps of matching new rows before a verdict is refused


def verify(
    schema: Schema,
    policies: Policies,
    expected: Changes,
    actual: Changes,
    *,
    dictated: Collection[str] | None = None,
) -> Verdict:
    """Compare two states of one world, each given as its changes since the start.

    Of texts in semantic columns only those that were `dictated` are compared; None compares them all.
    Errors: UndecidedVerdict.
    """
    mine, theirs = _that_count(expected, policies), _that_count(actual, policies)
    judging = _begin(schema, policies, mine, theirs, dictated)
    judging.pair_new_rows()
    for name in in_order(schema, mine.rows.keys() | theirs.rows.keys()):
        judging.judge_old_row(name, mine.rows.get(name), theirs.rows.get(name))
    return judging.verdict()


def is_rewarded(
    schema: Schema,
    policies: Policies,
    expected: Changes,
    actual: Changes,
    *,
    dictated: Collection[str] | None = None,
) -> bool:
    """Return whether `verify` gives reward 1, stopping at the first difference; errors: UndecidedVerdict."""
    mine, theirs = _that_count(expected, policies), _that_count(actual, policies)
    judging = _begin(schema, policies, mine, theirs, dictated)
    if not judging.find_pairs():
        return False
    for name in {**theirs.rows, **mine.rows}:
        judging.judge_old_row(name, mine.rows.get(name), theirs.rows.get(name))
        if judging.differences:
            return False
    return True


def _begin(
    schema: Schema, policies: Policies, expected: Changes, actual: Changes, dictated: Collection[str] | None
) -> _Judging:
    """The judgement of changes that count, before any row was looked at."""
    watched = frozenset(
        name for name, change in expected.rows.items() if change.before is not None and change.after is not None
    )
    return _Judging(
        schema,
        policies,
        NewRows.of(schema, policies, expected, watched),
        NewRows.of(schema, policies, actual, watched),
        None if dictated is None else frozenset(dictated),
    )


@dataclass
class _Judging:
    """What has been found so far."""

    schema: Schema
    policies: Policies
    expected_rows: NewRows
    actual_rows: NewRows
    dictated: frozenset[str] | None
    differences: list[Difference] = field(default_factory=list)
    expected: int = 0
    made: int = 0
    collateral: int = 0
    search_steps: int = 0
    exact: bool = True  # whether the added rows are paired without a difference
    pairs: Mapping[RowName, RowName] = field(default_factory=dict)

    def verdict(self) -> Verdict:
        """The judgement of all rows seen."""
        if not self.exact and not self.differences:
            self._note("wrong_pattern", next(iter(self.expected_rows.rows)))
        pairs = tuple(
            RowPair(RowRef(*name), RowRef(*self.pairs[name])) for name in self.expected_rows.rows if name in self.pairs
        )
        return Verdict(tuple(self.differences), self.expected, self.made, self.collateral, self.search_steps, pairs)

    def pair_new_rows(self) -> None:
        """Pair the added rows; where no exact pairing exists, say how the likeliest one differs."""
        self.expected += len(self.expected_rows.rows)
        if self.find_pairs():
            self.made += len(self.expected_rows.rows)
        else:
            self.exact = False
            self.pairs = pair_alike(self.expected_rows, self.actual_rows)
            self._explain_new_rows()

    def find_pairs(self) -> bool:
        """Pair the added rows exactly, if there is such a pairing."""
        if not any((self.expected_rows.rows, self.expected_rows.fixed, self.actual_rows.rows, self.actual_rows.fixed)):
            return True
        # Equal values need no matching, and almost always all of them are equal.
        pairing = self._search(verbatim=True)
        if pairing.pairs is None:
            pairing = self._search(verbatim=False)
        if pairing.pairs is not None:
            self.pairs = cast(Mapping[RowName, RowName], pairing.pairs)
        return pairing.pairs is not None

    def _search(self, *, verbatim: bool) -> Pairing:
        expected, actual = self.expected_rows, self.actual_rows
        soft = {table: () if verbatim else tuple(expected.soft_columns(table)) for table in self.schema.tables}

        def compatible(name: Any, other: Any) -> bool:
            if name not in expected.rows:
                return bool(name == other)
            row, other_row = expected.rows[name], actual.rows[other]
            return all(self.equal(policy, row[at], other_row[at]) for at, policy in soft[name[0]])

        graphs = expected.graph(verbatim=verbatim), actual.graph(verbatim=verbatim)
        pairing = pair_rows(*graphs, compatible, SEARCH_BUDGET - self.search_steps)
        self.search_steps += pairing.steps
        if not pairing.decided:
            raise UndecidedVerdict(
                f"The {len(actual.rows)} added rows are too alike to be matched within {SEARCH_BUDGET} steps."
            )
        return pairing

    def _explain_new_rows(self) -> None:
        expected, actual = self.expected_rows, self.actual_rows
        for name in in_order(self.schema, expected.rows):
            other = self.pairs.get(name)
            if other is None:
                self._note("missing_row", name, expected=expected.cells(name))
                continue
            differing = expected.differing_columns(name, actual, other, self.equal, self.pairs)
            for columns in differing:
                self._note("wrong_value", other, columns, expected.cell(name, columns), actual.cell(other, columns))
            self.made += not differing
        taken = set(self.pairs.values())
        for other in in_order(self.schema, actual.rows):
            if other not in taken:
                self.collateral += 1
                self._note("extra_row", other, actual=actual.cells(other))

    def judge_old_row(self, name: RowName, expected: RowChange | None, actual: RowChange | None) -> None:
        """Compare one row that existed at the start."""
        change = expected or actual
        assert change is not None
        before = change.before
        if before is None:
            return
        wanted = expected.after if expected else before
        found = actual.after if actual else before
        if wanted is None:
            self.expected += 1
            self.made += found is None
            if found is not None:
                self._note("not_removed", name)
            return
        asked = self._asked_columns(name, before, wanted) if expected else frozenset()
        self.expected += len(asked)
        if found is None:
            self.collateral += 1
            self._note("removed_row", name)
        elif expected is None:
            self._judge_untouched(name, before, found)
        else:
            self._judge_changed(name, asked, before, wanted, found)

    def _judge_untouched(self, name: RowName, before: Row, found: Row) -> None:
        for column, position in self.schema.tables[name[0]].positions.items():
            if found[position] != before[position] and self.policies.of(name[0], column).policy != "generated":
                self.collateral += 1
                self._note("changed_value", name, (column,), before[position], found[position])

    def _judge_changed(self, name: RowName, asked: frozenset[str], before: Row, wanted: Row, found: Row) -> None:
        """Every column that the task does not set is compared, unless it is generated."""
        if wanted == found and name not in self.expected_rows.fixed and name not in self.actual_rows.fixed:
            self.made += len(asked)
            return
        for column, position in self.schema.tables[name[0]].positions.items():
            policy = self.policies.of(name[0], column)
            is_set = before[position] != wanted[position]
            if policy.policy == "generated" or (policy.policy == "optional" and is_set):
                continue
            if self._is_free(name, column, before[position], wanted[position]):
                continue
            same = self._refers_alike(name, column)
            if same is None and policy.policy == "semantic" and column not in asked:
                same = wanted[position] == found[position]
            elif same is None and policy.policy == "semantic":
                same = match_dictated(str(wanted[position] or ""), str(found[position] or ""))
                is_emptied = not wanted[position] and self.dictated is not None
                same = same or (is_emptied and found[position] != before[position])  # by a text that nobody asked for
            elif same is None:
                same = self.equal(policy, wanted[position], found[position])
            if column in asked:
                self.made += same
            elif not same:
                self.collateral += 1
            if not same:
                kind: DifferenceKind = "wrong_value" if column in asked else "changed_value"
                self._note(kind, name, (column,), wanted[position], found[position])

    def _refers_alike(self, name: RowName, column: str) -> bool | None:
        """Whether a changed row refers to the added rows that it should; None if the column refers to none."""
        edges = self.expected_rows.fixed.get(name, {})
        other_edges = self.actual_rows.fixed.get(name, {})
        referring = [foreign_key for foreign_key in {**edges, **other_edges} if column in foreign_key.columns]
        if not referring:
            return None
        return all(
            key in edges and key in other_edges and self.pairs.get(edges[key]) == other_edges[key] for key in referring
        )

    def _asked_columns(self, name: RowName, before: Row, wanted: Row) -> frozenset[str]:
        """The columns that the task changes in a row, as far as the policies see a change."""
        return frozenset(
            column
            for column, position in self.schema.tables[name[0]].positions.items()
            if before[position] != wanted[position]
            and (policy := self.policies.of(name[0], column)).policy in ("hard", "semantic")
            and not self._is_free(name, column, before[position], wanted[position])
            and (policy.policy == "semantic" or not self.equal(policy, before[position], wanted[position]))
        )

    def _is_free(self, name: RowName, column: str, before: Value, wanted: Value) -> bool:
        """Whether a text of a changed row may be anything: it was not dictated, and is not to stay or to be emptied.

        A text that was empty and that nobody asked for may be filled in, in an optional column, too.
        """
        policy = self.policies.of(name[0], column).policy
        if policy == "optional":
            is_text = self.schema.tables[name[0]].by_name[column].type == "TEXT"
            return is_text and not before and not wanted
        is_open = policy == "semantic" and self.dictated is not None and wanted not in self.dictated
        return is_open and (not before or bool(wanted and wanted != before))

    def equal(self, policy: ColumnPolicy, expected: Value, actual: Value) -> bool:
        """Whether two values are the same under a policy; in a new row, any text that was not dictated is."""
        if policy.policy == "semantic":
            is_open = self.dictated is not None and expected not in self.dictated
            return is_open or match_dictated(str(expected or ""), str(actual or ""))
        if expected == actual:
            return True
        if policy.spelled:
            return same_spelling(expected, actual, policy.spelled)
        if policy.tolerance and isinstance(expected, int | float) and isinstance(actual, int | float):
            # In decimals, since in floats 4.36 is more than 0.01 away from 4.35.
            return abs(Decimal(str(expected)) - Decimal(str(actual))) <= Decimal(str(policy.tolerance))
        return False

    def _note(
        self,
        kind: DifferenceKind,
        name: RowName,
        columns: tuple[str, ...] = (),
        expected: Shown = None,
        actual: Shown = None,
    ) -> None:
        is_one = len(columns) == 1
        row = RowRef(*name, columns[0] if is_one else None)
        self.differences.append(Difference(kind, row, expected, actual, () if is_one else columns))


def _that_count(changes: Changes, policies: Policies) -> Changes:
    """The changes but those of logs, and of rows that differ in nothing but generated columns."""
    return Changes(
        {
            (table, key): change
            for (table, key), change in changes.rows.items()
            if table not in policies.logs
            and (
                change.before is None
                or change.after is None
                or strip(change.before, policies.generated_positions[table])
                != strip(change.after, policies.generated_positions[table])
            )
        }
    )


def in_order(schema: Schema, names: Iterable[RowName]) -> list[RowName]:
    """Row names by table, as declared, and key."""
    order = {table: position for position, table in enumerate(schema.tables)}
    return sorted(names, key=lambda name: (order[name[0]], sortable(name[1])))
