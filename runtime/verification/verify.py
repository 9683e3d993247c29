"""Judge a final database against the expected one: a pure function of their differences from the start.

Paper, section 4.1.1, "Reward Specification". Rows that existed at the start are matched by primary key. Added rows are
matched by a bijection that respects column policies and foreign keys, since their ids are generated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from runtime.domain.policies import ColumnPolicy, Policies
from runtime.domain.schema import Row, Schema, Value
from runtime.session.changes import Changes, RowChange, RowName, sortable
from runtime.session.workspace import spoken
from runtime.verification.isomorphism import pair_rows
from runtime.verification.new_rows import NewRows, pair_alike
from runtime.verification.text import TextMatcher, match_text
from runtime.verification.verdict import Difference, DifferenceKind, UndecidedVerdict, Verdict

SEARCH_BUDGET = 20_000  # steps of matching new rows before a verdict is refused


def verify(
    schema: Schema,
    policies: Policies,
    expected: Changes,
    actual: Changes,
    *,
    facts: Mapping[str, Sequence[str]] | None = None,
    matcher: TextMatcher = match_text,
) -> Verdict:
    """Compare two states of one world, each given as its changes since the start.

    `facts` are the facts that an expected semantic text must carry, by text. Errors: UndecidedVerdict.
    """
    mine, theirs = _without_logs(expected, policies), _without_logs(actual, policies)
    watched = frozenset(
        name for name, change in mine.rows.items() if change.before is not None and change.after is not None
    )
    judging = _Judging(
        schema,
        policies,
        NewRows.of(schema, policies, mine, watched),
        NewRows.of(schema, policies, theirs, watched),
        facts or {},
        matcher,
    )
    judging.pair_new_rows()
    for name in in_order(schema, mine.rows.keys() | theirs.rows.keys()):
        judging.judge_old_row(name, mine.rows.get(name), theirs.rows.get(name))
    return judging.verdict()


@dataclass
class _Judging:
    """What has been found so far."""

    schema: Schema
    policies: Policies
    expected_rows: NewRows
    actual_rows: NewRows
    facts: Mapping[str, Sequence[str]]
    matcher: TextMatcher
    differences: list[Difference] = field(default_factory=list)
    expected: int = 0
    made: int = 0
    collateral: int = 0
    search_steps: int = 0
    exact: bool = True  # whether the added rows are paired without a difference
    pairs: Mapping[RowName, RowName] = field(default_factory=dict)
    matches: dict[tuple[str, str], bool] = field(default_factory=dict)

    def verdict(self) -> Verdict:
        """The judgement of all rows seen."""
        if not self.exact and not self.differences:
            self._note("wrong_pattern", next(iter(self.expected_rows.rows)), None, None, None)
        return Verdict(tuple(self.differences), self.expected, self.made, self.collateral, self.search_steps)

    def pair_new_rows(self) -> None:
        """Pair the added rows; where no exact pairing exists, say how the likeliest one differs."""
        expected, actual = self.expected_rows, self.actual_rows
        soft = {table: tuple(expected.soft_columns(table)) for table in self.schema.tables}

        def compatible(name: Any, other: Any) -> bool:
            if name not in expected.rows:
                return bool(name == other)
            row, other_row = expected.rows[name], actual.rows[other]
            return all(self.equal(policy, row[at], other_row[at]) for at, policy in soft[name[0]])

        pairing = pair_rows(expected.graph(), actual.graph(), compatible, SEARCH_BUDGET)
        self.search_steps = pairing.steps
        if not pairing.decided:
            raise UndecidedVerdict(
                f"The {len(actual.rows)} added rows are too alike to be matched within {SEARCH_BUDGET} steps."
            )
        self.expected += len(expected.rows)
        if pairing.pairs is not None:
            self.pairs = cast(Mapping[RowName, RowName], pairing.pairs)
            self.made += len(expected.rows)
        else:
            self.exact = False
            self.pairs = pair_alike(expected, actual, self.equal)
            self._explain_new_rows()

    def _explain_new_rows(self) -> None:
        expected, actual = self.expected_rows, self.actual_rows
        for name in in_order(self.schema, expected.rows):
            other = self.pairs.get(name)
            if other is None:
                self._note("missing_row", name, None, expected.described(name), None)
                continue
            differing = expected.differing_columns(name, actual, other, self.equal, self.pairs)
            for column in differing:
                self._note("wrong_value", other, column, expected.shown(name, column), actual.shown(other, column))
            self.made += not differing
        taken = set(self.pairs.values())
        for other in in_order(self.schema, actual.rows):
            if other not in taken:
                self.collateral += 1
                self._note("extra_row", other, None, None, actual.described(other))

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
                self._note("not_removed", name, None, None, None)
            return
        asked = self._asked_columns(name, before, wanted)
        self.expected += len(asked)
        if found is None:
            self.collateral += 1
            self._note("removed_row", name, None, None, None)
        elif expected is None:
            self._judge_untouched(name, before, found)
        else:
            self._judge_changed(name, asked, wanted, found)

    def _judge_untouched(self, name: RowName, before: Row, found: Row) -> None:
        for column, position in self.schema.tables[name[0]].positions.items():
            generated = self.policies.of(name[0], column).policy == "generated"
            if not generated and found[position] != before[position]:
                self.collateral += 1
                self._note("changed_value", name, column, before[position], found[position])

    def _judge_changed(self, name: RowName, asked: frozenset[str], wanted: Row, found: Row) -> None:
        edges = self.expected_rows.fixed.get(name, {})
        other_edges = self.actual_rows.fixed.get(name, {})
        referring = {column: columns for columns in {**edges, **other_edges} for column in columns.split("+")}
        for column, position in self.schema.tables[name[0]].positions.items():
            policy = self.policies.of(name[0], column)
            if policy.policy in ("generated", "optional"):
                continue
            if column in referring:
                target, other = edges.get(referring[column]), other_edges.get(referring[column])
                same = target is not None and other is not None and self.pairs.get(target) == other
            else:
                same = self.equal(policy, wanted[position], found[position])
            if column in asked:
                self.made += same
            elif not same:
                self.collateral += 1
            if not same:
                kind: DifferenceKind = "wrong_value" if column in asked else "changed_value"
                self._note(kind, name, column, wanted[position], found[position])

    def _asked_columns(self, name: RowName, before: Row, wanted: Row) -> frozenset[str]:
        """The columns that the task changes in a row and that count."""
        return frozenset(
            column
            for column, position in self.schema.tables[name[0]].positions.items()
            if before[position] != wanted[position] and self.policies.of(name[0], column).policy in ("hard", "semantic")
        )

    def equal(self, policy: ColumnPolicy, expected: Value, actual: Value) -> bool:
        """Whether two values are the same under a policy."""
        if policy.policy == "semantic":
            return self._match(str(expected or ""), str(actual or ""))
        if policy.tolerance and isinstance(expected, int | float) and isinstance(actual, int | float):
            return abs(expected - actual) <= policy.tolerance
        return expected == actual and type(expected) is type(actual)

    def _match(self, expected: str, actual: str) -> bool:
        known = self.matches.get((expected, actual))
        if known is None:
            known = self.matcher(expected, actual, self.facts.get(expected, ())).same
            self.matches[expected, actual] = known
        return known

    def _note(self, kind: DifferenceKind, name: RowName, column: str | None, expected: object, actual: object) -> None:
        row = f"{spoken(name[0])} {' / '.join(repr(part) for part in name[1])}"
        self.differences.append(
            Difference(kind, name[0], row, column, expected, actual, _SENTENCES[kind](row, column, expected, actual))
        )


_SENTENCES: dict[DifferenceKind, Callable[[str, str | None, object, object], str]] = {
    "missing_row": lambda row, column, expected, actual: f"No row was added for {expected}.",
    "extra_row": lambda row, column, expected, actual: f"{row} was added, which nobody asked for: {actual}.",
    "wrong_value": lambda row, column, expected, actual: f"{row}: {column} is {actual!r}, expected {expected!r}.",
    "not_removed": lambda row, column, expected, actual: f"{row} is still there; it should be gone.",
    "removed_row": lambda row, column, expected, actual: f"{row} is gone; it should be there.",
    "changed_value": lambda row, column, expected, actual: (
        f"{row}: {column} was changed from {expected!r} to {actual!r}; it should have stayed."
    ),
    "wrong_pattern": lambda row, column, expected, actual: (
        "The added rows refer to each other otherwise than expected."
    ),
}


def _without_logs(changes: Changes, policies: Policies) -> Changes:
    if not policies.logs:
        return changes
    return Changes({name: change for name, change in changes.rows.items() if name[0] not in policies.logs})


def in_order(schema: Schema, names: Iterable[RowName]) -> list[RowName]:
    """Row names by table, as declared, and key."""
    order = {table: position for position, table in enumerate(schema.tables)}
    return sorted(names, key=lambda name: (order[name[0]], sortable(name[1])))
