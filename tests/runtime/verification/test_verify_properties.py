"""Claims about verdicts on any states of the shop, against trying all renumberings by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.verification.texts import match_dictated
from runtime.verification.verify import is_rewarded, verify
from tests.runtime.verification.shop import (
    START,
    Record,
    State,
    are_equal,
    changes_to,
    customer,
    judge,
    line,
    new_keys,
    purchase,
    rename,
    with_rows,
    with_values,
)

MANY = settings(max_examples=100, deadline=None)
NOTES = (None, "Ring twice", "ring TWICE", "Leave at the door")
TOTALS = (10.0, 10.009, 10.018, 20.0)


Operation = tuple[str, int, int, int]
KINDS = (
    "purchase",
    "line",
    "shipment",
    "customer",
    "last",
    "name",
    "phone",
    "seen",
    "total",
    "unship",
    "event",
    "code",
)
operations = st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
programs = st.lists(operations, max_size=5)


def perform(state: State, operation: Operation, number: int) -> None:
    """Change a state in a way that breaks no constraint; numbers choose rows and values."""
    kind, one, two, three = operation
    customers, purchases = state["customer"], state["purchase"]
    person, bought = customers[one % len(customers)], purchases[one % len(purchases)]
    if kind == "purchase":
        follows = [None, *(row["purchase_id"] for row in purchases)][three % (len(purchases) + 1)]
        buyer = str(person["customer_id"])
        purchases.append(purchase(f"P{number}", buyer, follows=follows, total=TOTALS[two], note=NOTES[three]))
    elif kind == "line" and not any(
        (bought["purchase_id"], two) == (r["purchase_id"], r["number"]) for r in state["line"]
    ):
        state["line"].append(line(str(bought["purchase_id"]), two, ("tea", "pot")[three % 2]))
    elif kind == "shipment":
        carried = state["line"][one % len(state["line"])]
        state["shipment"].append({**carried_by(carried), "shipment_id": f"S{number}", "carrier": f"{two % 2}"})
    elif kind == "customer":
        code = f"CODE{two}" if f"CODE{two}" not in [row["code"] for row in customers] else None
        customers.append(
            customer(f"C{number}", "Cid", code=code, recommended_by=customers[three % len(customers)]["code"])
        )
    elif kind == "last":
        person["last_purchase"] = purchases[two % len(purchases)]["purchase_id"]
    elif kind in ("name", "phone", "seen"):
        person[{"seen": "seen_at"}.get(kind, kind)] = f"{kind} {two % 2}"
    elif kind == "total":
        bought["total"] = TOTALS[two]
    elif kind == "unship" and state["shipment"]:
        del state["shipment"][one % len(state["shipment"])]
    elif kind == "event":
        state["event"].append({"event_id": number, "what": f"{one}"})


def carried_by(carried: Record) -> Record:
    return {"purchase_id": carried["purchase_id"], "number": carried["number"]}


def after(program: Sequence[Operation], start: State = START, numbers_from: int = 10) -> State:
    state = deepcopy(start)
    for number, operation in enumerate(program, start=numbers_from):
        perform(state, operation, number)
    return state


def renumbered(shop: Domain, state: State, seed: int) -> State:
    """Other keys for the added rows: now and then those of one another."""
    shuffler = random.Random(seed)
    names = {}
    for table, keys in new_keys(shop, state).items():
        fresh: list[Value] = [f"{table}-{number}" for number in range(len(keys))]
        if table in ("event", "node"):
            fresh = [1000 + number for number in range(len(keys))]
        others = list(keys) if shuffler.random() < 0.5 else fresh
        shuffler.shuffle(others)
        names |= {(table, key): other for key, other in zip(keys, others, strict=True)}
    moved = rename(shop, state, names)
    return {table: shuffler.sample(rows, len(rows)) for table, rows in moved.items()}


def set_values(shop: Domain, state: State) -> set[tuple[str, int, str]]:
    """The values of added rows, and those of old ones that differ from the start, by table, place and column."""
    found = set()
    for table, rows in state.items():
        old = {tuple(row[name] for name in key_of(shop, table)): row for row in START[table]}
        for place, row in enumerate(rows):
            before = old.get(tuple(row[name] for name in key_of(shop, table)))
            found |= {(table, place, name) for name in row if before is None or before[name] != row[name]}
    return found


def key_of(shop: Domain, table: str) -> tuple[str, ...]:
    return shop.schema.tables[table].primary_key


@MANY
@given(program=programs, seed=st.integers(0, 99))
def test_the_expected_state_is_rewarded_under_any_ids_and_in_any_order(
    shop: Domain, program: list[Operation], seed: int
):
    expected = after(program)
    verdict = judge(shop, expected, renumbered(shop, expected, seed))
    assert (verdict.reward, verdict.progress, verdict.differences) == (1, 1.0, ())


@MANY
@given(program=programs)
def test_doing_nothing_is_worth_nothing_when_anything_is_expected(shop: Domain, program: list[Operation]):
    verdict = judge(shop, after(program), START)
    assert verdict.made == 0
    assert verdict.reward == (verdict.expected == 0)
    assert verdict.progress == verdict.reward
    assert verdict.reward == are_equal(shop, after(program), START, match_dictated)


@settings(max_examples=200, deadline=None)
@given(program=programs, extra=st.lists(operations, max_size=1), seed=st.integers(0, 99), data=st.data())
def test_a_state_is_rewarded_exactly_if_some_renumbering_makes_it_the_expected_one(
    shop: Domain, program: list[Operation], extra: list[Operation], seed: int, data: st.DataObject
):
    expected = after(program)
    other = data.draw(st.one_of(st.permutations(program), st.just([*program, *extra]), st.just([*program[1:], *extra])))
    actual = renumbered(shop, after(other), seed)
    assert judge(shop, expected, actual).reward == are_equal(shop, expected, actual, match_dictated)


@dataclass(frozen=True)
class Damage:
    """One thing that was done wrong, and the kinds of difference that may say so."""

    state: State
    table: str
    column: str | None
    kinds: tuple[str, ...]


def damages(shop: Domain, expected: State) -> Iterator[Damage]:
    """Every single wrong value, missing row, extra row, missing removal and extra removal."""
    touched = set_values(shop, expected)
    for table, rows in expected.items():
        if table in shop.policies.logs:
            continue
        own = shop.schema.tables[table]
        keys = {tuple(row[name] for name in own.primary_key) for row in rows}
        old_keys = {tuple(row[name] for name in own.primary_key) for row in START[table]}
        for place, row in enumerate(rows):
            is_old = tuple(row[name] for name in own.primary_key) in old_keys
            kinds = ("removed_row",) if is_old else ("missing_row", "wrong_value")
            yield Damage({**expected, table: rows[:place] + rows[place + 1 :]}, table, None, kinds)
            yield Damage(
                with_rows(expected, **{table: [another(own.primary_key, row)]}),
                table,
                None,
                ("extra_row", "missing_row"),
            )
            is_changed = any((table, place) == each[:2] for each in touched)
            for column, value in row.items():
                policy = shop.policies.of(table, column).policy
                may_differ = (table, place, column) in touched or (is_changed and not value)  # or be filled in
                exempt = policy == "generated" or (policy == "optional" and may_differ)
                if not exempt and column not in own.primary_key:
                    wrong = with_values(
                        expected,
                        table,
                        place,
                        **{column: value + 1 if isinstance(value, int | float) else f"{value} etc"},
                    )
                    kinds = ("wrong_value", "changed_value") if is_old else ("wrong_value", "missing_row")
                    yield Damage(wrong, table, column if is_old else None, kinds)
        for old in START[table]:
            if tuple(old[name] for name in own.primary_key) not in keys:
                yield Damage(with_rows(expected, **{table: [old]}), table, None, ("not_removed",))


def another(key: tuple[str, ...], row: Record) -> Record:
    """The same row once more, under a key of its own."""
    number = row[key[-1]]
    return {
        **row,
        key[-1]: number + 77 if isinstance(number, int) else f"{number}-again",
        **({"code": None} if "code" in row else {}),
    }


@MANY
@given(program=programs, data=st.data())
def test_any_single_damage_takes_the_reward_and_is_named(shop: Domain, program: list[Operation], data: st.DataObject):
    expected = after(program)
    damage = data.draw(st.sampled_from(list(damages(shop, expected))))
    expected_changes = changes_to(shop, expected)
    verdict = verify(shop.schema, shop.policies, expected_changes, changes_to(shop, damage.state, sound=False))
    assert verdict.reward == 0
    assert verdict.progress < 1
    damaged = changes_to(shop, damage.state, sound=False)
    plain = verify(shop.schema, shop.policies, expected_changes, damaged)
    assert is_rewarded(shop.schema, shop.policies, expected_changes, damaged) == plain.reward
    named = [
        difference
        for difference in verdict.differences
        if difference.table == damage.table and difference.kind in damage.kinds
    ]
    assert named
    assert damage.column is None or damage.column in ["+".join(difference.columns) for difference in named]
    assert all(difference.sentence and difference.row for difference in verdict.differences)
