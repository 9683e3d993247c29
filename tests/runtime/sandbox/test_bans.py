"""What a domain's code may hold: whatever reaches outside is refused before anything is executed."""

from __future__ import annotations

import re

import pytest

from runtime.sandbox.code import faults_in

LOANS = '''
"""Loans: borrowing, renewing and returning copies."""
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal, ROUND_HALF_UP
from itertools import groupby
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


@dataclass(frozen=True)
class Fee:
    cents: int = 0
    reasons: list[str] = field(default_factory=list)


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
    by_kind = {kind: list(group) for kind, group in groupby(rows, key=lambda row: row["kind"])}
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


REFUSED = [
    pytest.param("def f():\n    return ().__class__.__base__.__subclasses__()", id="subclasses"),
    pytest.param("def f(g):\n    return g.__globals__", id="globals_of_a_function"),
    pytest.param("def f():\n    return __builtins__", id="builtins"),
    pytest.param("def f():\n    return __import__('os')", id="dunder_import"),
    pytest.param("import os", id="import_os"),
    pytest.param("import math", id="plain_import"),
    pytest.param("from os import system", id="from_os"),
    pytest.param("from math import *", id="star_import"),
    pytest.param("from runtime import *", id="star_import_of_the_author_package"),
    pytest.param("from . import secrets", id="relative_import"),
    pytest.param("from runtime.session import session", id="runtime_submodule"),
    pytest.param("from runtime import session", id="runtime_submodule_by_name"),
    pytest.param("from math import factorial", id="factorial"),
    pytest.param("from itertools import count", id="endless_iterator"),
    pytest.param("from itertools import product", id="exponential_iterator"),
    pytest.param("from re import match", id="regular_expressions"),
    pytest.param("from typing import get_type_hints", id="evaluator_of_annotations"),
    pytest.param("from datetime import datetime as clock", id="import_alias"),
    pytest.param("def f():\n    from math import ceil\n    return ceil(1)", id="import_in_a_function"),
    pytest.param("from datetime import datetime\ndef f():\n    return datetime.now()", id="clock"),
    pytest.param("from datetime import datetime\ndef f():\n    return datetime.utcnow()", id="utc_clock"),
    pytest.param("def f(d):\n    return d.timestamp()", id="machine_time_zone"),
    pytest.param("def f(d):\n    return d.scaleb(999999)", id="exponent_of_any_size"),
    pytest.param("def f():\n    return eval('1')", id="eval"),
    pytest.param("def f():\n    e = exec\n    return e", id="alias_of_exec"),
    pytest.param("def f(x):\n    return getattr(x, 'a')", id="getattr"),
    pytest.param("def f(x):\n    return type(x)", id="type"),
    pytest.param("def f():\n    return [].__class__", id="class_attribute"),
    pytest.param("def f(x):\n    return x.mro()", id="mro"),
    pytest.param("def f():\n    return open('/etc/passwd')", id="open"),
    pytest.param("def f():\n    return globals()", id="globals"),
    pytest.param("def f():\n    return list.append", id="method_of_a_type"),
    pytest.param("def f():\n    g = (x for x in [1])\n    return g.gi_frame.f_globals", id="generator_frame"),
    pytest.param("def f():\n    yield 1", id="generator_function"),
    pytest.param("async def f():\n    return 1", id="async_function"),
    pytest.param("def f():\n    try:\n        pass\n    except Exception:\n        pass", id="except_exception"),
    pytest.param("def f():\n    try:\n        pass\n    except:\n        pass", id="bare_except"),
    pytest.param(
        "from runtime import Rejection\ndef f():\n    try:\n        pass\n    except Rejection:\n        pass",
        id="except_rejection",
    ),
    pytest.param("def f(kind):\n    try:\n        pass\n    except kind:\n        pass", id="computed_except"),
    pytest.param("def f():\n    try:\n        pass\n    finally:\n        return 1", id="finally_return"),
    pytest.param(
        "def f():\n    try:\n        pass\n    except ValueError as e:\n        return e.__traceback__.tb_frame",
        id="traceback_frame",
    ),
    pytest.param("def f(e):\n    return e.tb_frame", id="traceback_without_dunder"),
    pytest.param("def f():\n    while True:\n        pass", id="while"),
    pytest.param("def f(n):\n    return f(n - 1)", id="recursion"),
    pytest.param("def f():\n    return g()\ndef g():\n    return f()", id="mutual_recursion"),
    pytest.param(
        "def f():\n    return g()\ndef g():\n    return h()\ndef h():\n    return i() + g()\ndef i():\n    return 1",
        id="recursion_below_and_above_others",
    ),
    pytest.param("def f(world):\n    return world.random.gammavariate(1.0, 1.0)", id="random_number_without_end"),
    pytest.param(
        "def f(world):\n    draw = world.random.vonmisesvariate\n    return draw", id="random_method_as_a_value"
    ),
    pytest.param("def f():\n    g = lambda n: g(n)\n    return g(1)", id="recursive_lambda"),
    pytest.param("def f():\n    return (g := lambda n: g(n))(1)", id="recursive_walrus"),
    pytest.param("def f(g):\n    return g(g)\ndef h():\n    return f(f)", id="function_passed_to_itself"),
    pytest.param("def f():\n    return map(f, [1])", id="recursion_through_map"),
    pytest.param("def f():\n    global x\n    x = 1", id="global"),
    pytest.param("def f():\n    x = 1\n    def g():\n        nonlocal x\n    return g", id="nonlocal"),
    pytest.param("class A:\n    def __getattr__(self, name):\n        return 1", id="class_with_methods"),
    pytest.param("class A(metaclass=B):\n    x: int", id="metaclass"),
    pytest.param("from typing import TypedDict\nclass A(TypedDict):\n    print('hello')", id="class_body"),
    pytest.param("from typing import TypedDict\nclass A(TypedDict):\n    __slots__ = ()", id="class_slots"),
    pytest.param("def f():\n    class A:\n        x = 1\n    return A", id="class_in_a_function"),
    pytest.param("def trace(g):\n    return g\n@trace\ndef f():\n    return 1", id="own_decorator"),
    pytest.param("def tool(g):\n    return g\n@tool\ndef f():\n    return 1", id="own_tool_decorator"),
    pytest.param("@(lambda g: g)\ndef f():\n    return 1", id="lambda_decorator"),
    pytest.param("def f(x=[]):\n    return x", id="shared_default"),
    pytest.param("def f(x=print('hello')):\n    return x", id="computed_default"),
    pytest.param("def f():\n    return (lambda x=().__class__: x)()", id="lambda_default"),
    pytest.param("X = (lambda: 1)()", id="call_at_the_top"),
    pytest.param("for x in range(3):\n    pass", id="loop_at_the_top"),
    pytest.param("X = (y := 3)", id="walrus_at_the_top"),
    pytest.param("def f(x):\n    match x:\n        case object(__class__=c):\n            return c", id="match_class"),
    pytest.param("def f():\n    return '{0.__class__}'.format(1)", id="format_string_attribute"),
    pytest.param("def f(t):\n    return t.format_map({})", id="format_map"),
    pytest.param("def f():\n    return '%900000000d' % 1", id="percent_width"),
    pytest.param("def f():\n    return f'{1:{().__class__}}'", id="nested_format_spec"),
    pytest.param("def f(x: '().__class__') -> int:\n    return x", id="text_annotation"),
    pytest.param("X = '().__class__'\ndef f(x: X) -> int:\n    return x", id="text_annotation_by_name"),
    pytest.param("from typing import Optional\ndef f(x: Optional['a.b']):\n    return x", id="text_type_argument"),
    pytest.param("def f(x: print('hello')):\n    return x", id="call_in_an_annotation"),
    pytest.param("def list():\n    return 1", id="hidden_builtin"),
    pytest.param("def f(range):\n    return range", id="hidden_builtin_argument"),
    pytest.param("def f(ValueError):\n    return 1", id="hidden_exception"),
    pytest.param("def f(db):\n    db.now = 1", id="assigned_attribute"),
    pytest.param("from runtime import Rejection\ndef f():\n    Rejection.kind = 1", id="patched_class"),
    pytest.param("def f(x):\n    for x.y in [1]:\n        pass", id="attribute_as_loop_target"),
    pytest.param("def f(db):\n    return db._connection", id="private_attribute"),
    pytest.param("def f(x):\n    g = x.extend\n    return g", id="method_as_a_value"),
    pytest.param("def f(x):\n    del x[0]", id="delete"),
    pytest.param("def f(x):\n    with x:\n        pass", id="with"),
    pytest.param("def f(x):\n    a, *b = x\n    return b", id="starred_target"),
    pytest.param("def f(x):\n    x[1:2] = x", id="slice_target"),
    pytest.param("def f(x, t):\n    return isinstance(x, t + t)", id="computed_isinstance"),
    pytest.param("def f():\n    return list[int]([1])", id="parametrised_type_as_a_value"),
    pytest.param("from runtime import Database\ndef f():\n    return Database()", id="handle_made_by_a_tool"),
    pytest.param("def f():\n    return b'x'", id="bytes"),
    pytest.param("def f():\n    return " + "0x" + "f" * 2000, id="huge_literal"),
    pytest.param(
        "from collections import defaultdict\ndef f():\n    return defaultdict(str).default_factory", id="type"
    ),
    pytest.param("def f(memory=([],)):\n    return memory", id="list_in_a_default"),
    pytest.param("def f():\n    return (lambda x=([],): x)()", id="list_in_a_default_of_a_lambda"),
    pytest.param("from typing import NamedTuple\nclass A(NamedTuple):\n    a: tuple = ([],)", id="list_in_a_field"),
    pytest.param(
        "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    a: tuple = field(default=({},))",
        id="dict_in_a_field",
    ),
    pytest.param("from runtime import tool\ndef f(g):\n    return tool(reads=('a',))(g)", id="tool_as_a_value"),
    pytest.param("from dataclasses import dataclass\ndef f(g):\n    return dataclass(g)", id="dataclass_as_a_value"),
    pytest.param("def f(g):\n    return g.declaration", id="declaration"),
    pytest.param("def f(g):\n    return g.is_scenario", id="is_scenario"),
    pytest.param("from collections import Counter\ndef f(c=Counter):\n    return c", id="raw_import_in_a_default"),
    pytest.param("def f(c=len):\n    return c", id="builtin_in_a_default"),
    pytest.param("from collections import Counter\nX = Counter", id="alias_of_a_bounded_import"),
    pytest.param("X = list[int]\ndef f():\n    return X(range(9))", id="alias_of_a_type_called"),
    pytest.param("from typing import NamedTuple\ndef f():\n    return NamedTuple('A', [])", id="typing_as_a_value"),
    pytest.param("def f(world):\n    world.random.seed()", id="random_numbers_seeded_anew"),
    pytest.param("def f(world):\n    return world.random.setstate(1)", id="state_of_random_numbers"),
    pytest.param("def f(d):\n    return d.strftime('%d %Z')", id="time_zone_of_the_machine"),
    pytest.param("def f(d):\n    return f'{d:%-s}'", id="seconds_of_the_machine"),
    pytest.param("from datetime import datetime\ndef f(t):\n    return datetime.strptime(t, '%c')", id="locale"),
    pytest.param("def f(:", id="syntax_error"),
    pytest.param("x = '\0'", id="null_byte"),
    pytest.param("def f(x):\n    return " + "-" * 5000 + "x", id="deep_nesting"),
    pytest.param("def f(x):\n    return x" + " + x" * 20_000, id="long_chain"),
]


def test_an_ordinary_tool_file_has_no_fault():
    assert faults_in(LOANS, "tools/loans.py") == []


@pytest.mark.parametrize("source", REFUSED)
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


def _doubled(times, last):
    """Types, each of which has twice the parts of the one before."""
    lines = ["A0 = tuple[int, int]", *(f"A{n + 1} = tuple[A{n}, A{n}]" for n in range(times)), last]
    return "\n".join(["from typing import Annotated, Optional", *lines])


def _inherited(count, fields=1):
    """Data classes, each of which inherits from the one before."""
    lines = ["@dataclass\nclass C0:\n    first: int = 0"]
    for n in range(count):
        body = "\n".join(f"    a{n}_{k}: int = 0" for k in range(fields))
        lines.append(f"@dataclass\nclass C{n + 1}(C{n}):\n{body}")
    return "\n".join(["from dataclasses import dataclass", *lines])


TOO_LARGE = [
    pytest.param(_doubled(40, "B = Optional[A40]"), 10, "is a type of more than 1,000 parts", id="types_of_types"),
    pytest.param(_doubled(7, "def f(x: tuple[A7, A7]):\n    return 1"), 10, "more than 1,000 parts", id="parameter"),
    pytest.param(_doubled(7, 'B = Annotated[tuple[A7, A7], "pairs"]'), 10, "more than 1,000 parts", id="annotated"),
    pytest.param(
        _doubled(7, "\n".join(f"B{n} = Optional[A7]" for n in range(40))), 1, "20,000 parts in one file", id="often"
    ),
    pytest.param(_inherited(1200), 27, "'C8' inherits over more than 8 classes", id="chain_of_data_classes"),
    pytest.param(_inherited(7, fields=50), 1, "1,000 fields in one file", id="inherited_fields"),
    pytest.param(
        "from dataclasses import dataclass\n" + "@dataclass\nclass C:\n    a: int = 0\n" * 600,
        1,
        "1,000 fields in one file",
        id="many_data_classes",
    ),
]


@pytest.mark.parametrize(("source", "line", "fault"), TOO_LARGE)
def test_a_type_or_data_class_that_grows_without_bound_is_refused_before_it_is_made(source, line, fault):
    first = faults_in(source, "tools/loans.py")[0]
    assert first.startswith(f"tools/loans.py:{line}: ")
    assert fault in first


def test_types_of_types_and_data_classes_of_an_ordinary_size_have_no_fault():
    assert faults_in(_doubled(6, "B = Optional[A6]"), "tools/loans.py") == []
    assert faults_in(_inherited(7, fields=10), "tools/loans.py") == []


def test_every_fault_is_reported_in_the_order_of_the_file():
    faults = faults_in("import os\ndef f(x):\n    del x\n    return eval(x)\n", "a.py")
    assert [fault.split(": ")[0] for fault in faults] == ["a.py:1", "a.py:3", "a.py:4"]
