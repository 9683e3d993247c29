"""SQL that would hold a call up ends as exhausted, soon, the same in every session and from any depth of its caller."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.errors import EnvironmentFault
from runtime.session.limits import Limits
from runtime.session.session import Session
from tests.runtime.session.warehouse import TOOLS, make_warehouse, stock

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) "
TIMES_A_LOOP = 20  # of the time of a plain loop in SQL with the same steps


def texts(length: int) -> str:
    """A long text of one letter, and another that is nearly found in it."""
    return (
        f"WITH RECURSIVE big(x, y) AS MATERIALIZED (SELECT printf('%.*c', {length}, 'a'),"
        f" printf('%.*c', {length // 2}, 'a') || 'b'), n(i) AS MATERIALIZED"
        " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
    )


EXPRESSIONS = {
    "like": "x LIKE '%' || y || '%'",
    "like_with_places": "x LIKE '%_' || y || '%'",
    "like_with_many_parts": "x LIKE replace(x, 'a', '%a') || 'b'",
    "like_with_an_escape": "x LIKE y || '%' ESCAPE '!'",
    "like_in_the_middle": "x LIKE '%' || replace(y, 'b', '') || 'b' || replace(y, 'b', '') || '%'",
    "glob": "x GLOB '*' || y || '*'",
    "glob_with_many_parts": "x GLOB replace(x, 'a', '*[a]') || 'b'",
    "instr": "instr(x, y)",
    "instr_in_the_middle": "instr(x || x, y || y)",
    "replace": "length(replace(x, y, ''))",
    "replace_in_the_middle": "length(replace(x || x, y || y, ''))",
    "growing_replace": "length(replace(x, 'a', x))",
    "trim": "length(trim(x, y))",
    "ltrim": "length(ltrim(x, y))",
    "lower": "length(lower(x || a.i))",
    "hex": "length(hex(x || a.i))",
    "quote": "length(quote(x || a.i))",
    "concatenation": "length(x || x || x || a.i)",
    "comparison": "x || a.i = x || b.i",
    "conversion": "CAST(x AS REAL) + x",
    "substr": "length(substr(x, a.i % 100))",
    "printf": "length(printf('%s%s', x, x))",
    "strftime": "length(strftime(x, 'now'))",
    "date": "date(x)",
}

STATEMENTS = {
    "loop": NUMBERS + "SELECT count(*) AS n FROM n",
    "join": "SELECT count(*) AS n FROM item a, item b, item c, item d, item e, item f, item g",
    **{
        f"equal_columns_of_{count}_tables": (
            f"SELECT 1 AS n FROM {', '.join(f'item t{i}' for i in range(count))} WHERE "
            + " AND ".join(f"t{i}.item_id = t{j}.label" for i in range(count) for j in range(i))
        )
        for count in (12, 16)
    },
    "rows_of_columns": (
        f"SELECT 1 AS n FROM {', '.join(f'item t{i}' for i in range(16))} WHERE"
        f" ({', '.join(f't{i}.item_id' for i in range(16) for _ in range(9))})"
        f" = ({', '.join(f't{i}.label' for _ in range(9) for i in range(16))})"
    ),
    "natural_join": f"SELECT 1 AS n FROM {' NATURAL JOIN '.join(f'item t{i}' for i in range(20))}",
    "wide_printf": NUMBERS + "SELECT sum(length(printf('%200000d', i))) AS n FROM n",
    "endless_printf": "SELECT length(printf('%900000000d', 1)) AS n",
    "precise_printf": NUMBERS + "SELECT sum(length(printf('%.900f', i))) AS n FROM n",
    "dates": NUMBERS + "SELECT sum(length(date('now', i || ' days'))) AS n FROM n",
    "group_concat": NUMBERS + "SELECT length(group_concat(printf('%99d', i))) AS n FROM n",
    "moving_group_concat": NUMBERS + "SELECT length(group_concat(i) OVER (ORDER BY i ROWS 99 PRECEDING)) AS n FROM n",
    "sorted_texts": NUMBERS + "SELECT printf('%900d', i) AS n FROM n ORDER BY n",
    "sorted_long_texts": NUMBERS + "SELECT printf('%90000d', i) AS n FROM n ORDER BY n",
    "distinct_texts": NUMBERS + "SELECT count(DISTINCT printf('%900d', i)) AS n FROM n",
    "doubled_text": "WITH RECURSIVE n(i) AS (SELECT 'aa' UNION ALL SELECT i || i FROM n) SELECT count(*) AS n FROM n",
    "characters": NUMBERS + f"SELECT sum(length(char({', '.join(['i'] * 100)}))) AS n FROM n",
    "rows": NUMBERS + "SELECT i AS n FROM n",
    **{
        f"{name}_{length}": texts(length) + f"SELECT sum({expression}) AS n FROM n a, n b, big"
        for name, expression in EXPRESSIONS.items()
        for length in (900, 15_000, 120_000)
    },
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Session]]:
    domain = make_warehouse(tmp_path_factory.mktemp("warehouse"))
    world = stock(domain)
    sessions = [Session(domain, world, limits=Limits()) for _ in range(2)]
    yield sessions
    for session in sessions:
        session.close()


def query(session: Session, sql: str, frames: int = 0) -> str:
    """How the call of a tool that runs this SQL ends, with so many more frames on the stack."""
    return query(session, sql, frames - 1) if frames else session.perform("query", {"sql": sql}).text


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_that_would_hold_the_call_up_is_rejected_soon(opened: list[Session], name: str) -> None:
    ends, times = [], []
    for session, frames in zip(opened, (0, 300), strict=True):
        started = time.process_time()
        ends.append(query(session, STATEMENTS[name], frames))
        times.append(time.process_time() - started)
    started = time.process_time()
    query(opened[0], STATEMENTS["loop"])
    assert ends[0].startswith("RESOURCE_EXHAUSTED")
    assert ends[0] == ends[1]
    assert min(times) < TIMES_A_LOOP * (time.process_time() - started)


@pytest.mark.parametrize("length", [900, 1_100, 15_000, 17_000, 100_000])
def test_texts_of_any_length_that_a_session_allows_are_read(opened: list[Session], length: int) -> None:
    session = opened[0].fork()
    session.call("add_item", label="b" * length)
    sql = "SELECT length(label) AS n FROM item WHERE label LIKE 'B%' AND instr(label, 'bb') = 1 ORDER BY label"
    assert answer(session, sql) == length
    assert answer(session, f"SELECT length(printf('%{length}d', 1)) AS n") == length
    assert (
        answer(session, "SELECT length(replace(label, 'b', 'cc')) AS n FROM item WHERE label LIKE 'b%'") == 2 * length
    )
    session.close()


@pytest.mark.parametrize(
    ("columns", "value"),
    [(100, "x"), (200, "x"), (300, "x"), (200, "CAST(x AS BLOB)")],
    ids=["100", "200", "300", "blobs"],
)
def test_long_texts_of_many_columns_are_counted_before_they_fill_the_memory(
    opened: list[Session], columns: int, value: str
) -> None:
    long = "t(x) AS MATERIALIZED (SELECT printf('%.*c', 260000, 'x') || char(128512))"
    sql = f"WITH {long} SELECT {', '.join([value] * columns)} FROM t, item a"
    tracemalloc.start()
    try:
        said = opened[0].perform("query", {"sql": sql}).text
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert said.startswith("RESOURCE_EXHAUSTED")
    assert peak < 110_000_000  # 20,000,000 characters of four bytes, and what is read at once


def test_bytes_that_are_read_count_as_texts_do(opened: list[Session]) -> None:
    sql = f"{NUMBERS}SELECT {', '.join(['CAST(?1 AS BLOB)'] * 190)} FROM n"
    rows = opened[0].perform("query", {"sql": sql, "values": ["x" * 900]})
    assert "did more than 250000 steps" in rows.text
    with pytest.raises(EnvironmentFault, match="not UTF-8"):
        opened[0].perform("query", {"sql": "SELECT CAST(x'ff' AS TEXT) AS n, ?1 AS m", "values": ["x" * 2_000]})


LISTED = """

@tool(reads=["item"])
def listed(db: Database, ids: Annotated[int, "How many"], form: Annotated[str, "IN, OR, UNION or a function"]) -> Rows:
    '''Look for many items at once, by a statement as long as their number.'''
    marks = ["?"] * ids
    if form == "IN":
        sql = f"SELECT count(*) AS n FROM item WHERE item_id IN ({', '.join(marks)})"
    elif form == "OR":
        sql = f"SELECT count(*) AS n FROM item WHERE {' OR '.join(['item_id = ' + mark for mark in marks])}"
    elif form == "UNION":
        sql = " UNION ALL ".join([f"SELECT {mark} AS n" for mark in marks])
    else:
        sql = f"SELECT {form}({', '.join(marks)}) AS n"
    return {"rows": db.select(sql, *[f"ITEM-{number:04d}" for number in range(ids)])}


@tool(reads=["item"])
def planned(db: Database) -> Rows:
    '''Run one statement after another that was not run before.'''
    return {"rows": [{"n": len(db.select(f"SELECT {'1+' * 200}{i} AS n"))} for i in range(9000)]}
"""


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    start = TOOLS.index('@tool(reads=["item", "crate", "slot"])')
    domain = make_warehouse(tmp_path_factory.mktemp("lists"), tools=TOOLS[:start] + LISTED)
    session = Session(domain, stock(domain), limits=Limits())
    yield session
    session.close()


def test_two_thousand_ids_are_looked_for_at_once(lists: Session) -> None:
    assert lists.call("listed", ids=2_000, form="IN")["rows"] == [{"n": 10}]


@pytest.mark.parametrize(("form", "ids"), [("IN", 90_000), ("OR", 1_500), ("UNION", 600), ("coalesce", 200)])
def test_a_statement_that_an_argument_makes_too_long_voids_no_episode(lists: Session, form: str, ids: int) -> None:
    started = time.process_time()
    assert lists.perform("listed", {"ids": ids, "form": form}).text.startswith("RESOURCE_EXHAUSTED")
    assert time.process_time() - started < 0.5


def test_statements_that_differ_pay_for_being_planned(lists: Session) -> None:
    assert lists.perform("planned", {}).text.startswith("RESOURCE_EXHAUSTED")


def answer(session: Session, sql: str) -> Any:
    (row,) = session.call("query", sql=sql)["rows"]
    return row["n"]


def test_a_caller_whose_stack_is_full_gets_no_outcome(opened: list[Session]) -> None:
    before = opened[0].digest()
    with pytest.raises(RecursionError):
        without_end(opened[0])
    assert opened[0].digest() == before
    assert query(opened[0], "SELECT 1 AS n") == '{"rows":[{"n":1}]}'


def without_end(session: Session) -> str:
    return query(session, "SELECT 1 AS n") + without_end(session)
