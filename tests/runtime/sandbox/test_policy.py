"""Code that reaches outside or could not be bounded is refused before any of it runs."""

from __future__ import annotations

import re

import pytest

from runtime.sandbox.module import faults_in

LOANS = '''
"""Loans: borrowing, renewing and returning copies."""
from collections import Counter, defaultdict
from datetime import date, timedelta
from decimal import Decimal, ROUND_HALF_UP
from math import ceil
from typing import Annotated, Literal

from runtime import Database, Field, Rejection, TypedDict, tool

LOAN = timedelta(days=14)
FEES = {"book": 25, "film": 100}
KINDS = ["book", "film"]
WORDS = "renewed returned".split()
WEEK = 7 * 24 * 60
CENT = Decimal("0.01")
Status = Literal["out", "returned"]


class Loan(TypedDict, total=False):
    """One loan."""

    loan_id: Annotated[str, "The loan"]
    status: Annotated[Status, "Where the copy is"]
    tags: list[str] | None


@tool(reads=["loan"], writes=["loan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def renew_loan(
    db: Database,
    loan_id: Annotated[str, "Loan to renew", Field(max_length=20)],
    weeks: Annotated[int, "How much longer"] = 2,
) -> Loan:
    """Extend a loan by some weeks."""
    loan = db.require("loan", loan_id)
    if loan["status"] not in ("out", "late"):
        raise Rejection.failed_precondition(f"Loan {loan_id!r} is {loan['status']}, not out.")
    due = date.fromisoformat(loan["due_on"]) + timedelta(days=7 * weeks)
    if due.isoformat()[:10] < db.today:
        raise Rejection.failed_precondition(f"Loan {loan_id!r} is over since {due:%Y-%m-%d}.")
    db.update("loan", loan_id, due_on=due.isoformat())
    return {**loan, "due_on": due.isoformat()}


@tool(reads=["loan"])
def count_loans(db: Database) -> Loan:
    """Count the loans of each status, the most usual first."""
    rows = db.select("SELECT * FROM loan")
    counts = defaultdict(int)
    for position, row in enumerate(rows):
        counts[row["status"]] += 1
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in FEES}
    common = Counter(row["status"] for row in rows).most_common(3)
    total = sum(FEES[row["kind"]] for row in rows if row["kind"] in FEES)
    try:
        share = Decimal(total / len(rows)).quantize(CENT, rounding=ROUND_HALF_UP)
    except ZeroDivisionError:
        share = Decimal(0)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {"text": ", ".join(f"{name}: {count:>3}" for name, count in ranked), "share": str(share), "pages": ceil(1.5)}


def _late(loan, today):
    return [day for day in range(30) if day > 3 and (late := loan["days"] - day) > 0 and late != today]
'''


REFUSED = {
    "dunder_import": "def f():\n    return __import__('os')",
    "import_os": "import os",
    "star_import": "from math import *",
    "runtime_submodule": "from runtime.session import session",
    "import_in_a_function": "def f():\n    from math import ceil\n    return ceil(1)",
    "clock": "from datetime import datetime\ndef f():\n    return datetime.now()",
    "eval": "def f():\n    return eval('1')",
    "getattr": "def f(x):\n    return getattr(x, 'a')",
    "open": "def f():\n    return open('/etc/passwd')",
    "generator_frame": "def f():\n    g = (x for x in [1])\n    return g.gi_frame.f_globals",
    "async_function": "async def f():\n    return 1",
    "except_rejection": (
        "from runtime import Rejection\ndef f():\n    try:\n        pass\n    except Rejection:\n        pass"
    ),
    "finally_return": "def f():\n    try:\n        pass\n    finally:\n        return 1",
    "traceback_frame": (
        "def f():\n    try:\n        pass\n    except ValueError as e:\n        return e.__traceback__.tb_frame"
    ),
    "partial": "def f():\n    return 'a'.join.func",
    "padding": "def f():\n    return 'a'.center(9)",
    "bits": "def f():\n    return 1 << 9",
    "itertools": "from itertools import chain",
    "arguments_of_a_partial": "def f(x):\n    return x.args, x.keywords",
    "error_by_name": "def f():\n    try:\n        return 1\n    except ValueError as error:\n        return str(error)",
    "clock_of_an_alias": "from datetime import datetime\ndef f():\n    d = datetime\n    return d.now()",
    "unpacked_deep": "def f(x):\n    (a, (b, (c, d))) = x",
    "recursion": "def f(n):\n    return f(n - 1)",
    "random_number_without_end": "def f(world):\n    return world.random.gammavariate(1.0, 1.0)",
    "global": "def f():\n    global x\n    x = 1",
    "class_with_methods": "class A:\n    def __getattr__(self, name):\n        return 1",
    "class_body": "from typing import TypedDict\nclass A(TypedDict):\n    print('hello')",
    "own_decorator": "def trace(g):\n    return g\n@trace\ndef f():\n    return 1",
    "shared_default": "def f(x=[]):\n    return x",
    "text_annotation": "def f(x: '().__class__') -> int:\n    return x",
    "call_in_an_annotation": "def f(x: print('hello')):\n    return x",
    "private_attribute": "def f(db):\n    return db._connection",
    "handle_made_by_a_tool": "from runtime import Database\ndef f():\n    return Database()",
    "huge_literal": "def f():\n    return " + "0x" + "f" * 2000,
    "random_numbers_seeded_anew": "def f(world):\n    world.random.seed()",
    "syntax_error": "def f(:",
    "recursion_by_a_tuple": "def f(n):\n    return F[0](n)\nF = (f,)",
}


def test_an_ordinary_tool_file_has_no_fault():
    assert faults_in(LOANS, "tools/loans.py") == []


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED)
def test_a_source_that_reaches_outside_is_refused(source):
    faults = faults_in(source, "tools/bad.py")
    assert faults
    for fault in faults:
        assert re.match(r"tools/bad\.py:\d+: .+; .+", fault)
        assert 1 <= int(fault.split(":")[1]) <= source.count("\n") + 1


def test_a_fault_names_the_line_and_what_would_be_right():
    assert faults_in("def f(x):\n    while x:\n        pass\n", "a.py") == [
        "a.py:2: 'while' in a domain's code; write a for loop over a range or the rows"
    ]


def test_every_fault_is_reported_in_the_order_of_the_file():
    faults = faults_in("import os\ndef f(x):\n    del x\n    return eval(x)\n", "a.py")
    assert [fault.split(": ")[0] for fault in faults] == ["a.py:1", "a.py:3", "a.py:4"]
