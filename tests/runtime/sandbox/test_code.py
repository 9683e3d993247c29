"""A domain's code means what Python means, every call of it ends, and nothing of it can be changed from within."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
import traceback

import pytest

from runtime.errors import BrokenDomain, Rejection
from runtime.sandbox.bounded import allowed_builtins
from runtime.sandbox.budget import Budget
from runtime.sandbox.code import compile_module, load_module
from runtime.sandbox.methods import call_method
from runtime.session.limits import Limits

EXHAUSTING = {
    "huge_power": "return 10 ** 10 ** 9",
    "builtin_pow": "return pow(10, 10 ** 9)",
    "shift": "return 1 << 10 ** 9",
    "shift_in_place": "x = 1\nx <<= 10 ** 9",
    "squares": "x = 3\nfor _ in range(100):\n    x *= x",
    "integer_doubling": "x = 1\nfor _ in range(100000):\n    x = x + x",
    "integer_doubling_by_minus": "x = 1\nfor _ in range(100000):\n    x -= -x",
    "text_times": "return 'a' * 10 ** 9",
    "times_in_a_row": "rows = {'a': [1]}\nrows['a'] *= 10 ** 9",
    "text_doubling": "s = 'ab'\nfor _ in range(100):\n    s = s + s",
    "text_doubling_in_place": "s = 'ab'\nfor _ in range(100):\n    s += s",
    "text_doubling_by_f_string": "s = 'ab'\nfor _ in range(100):\n    s = f'{s}{s}'",
    "text_doubling_by_join": "s = 'ab'\nfor _ in range(100):\n    s = ''.join([s, s])",
    "text_doubling_by_replace": "s = 'ab'\nfor _ in range(100):\n    s = s.replace('a', s)",
    "text_doubling_by_format": "s = 'ab'\nfor _ in range(100):\n    s = '{0}{0}'.format(s)",
    "text_growing_in_a_row": "row = {'a': ''}\nfor _ in range(900000):\n    row['a'] += 'xxxxxxxxxx'",
    "list_doubling": "x = [1]\nfor _ in range(100):\n    x = x + x",
    "list_doubling_in_place": "x = [1]\nfor _ in range(100):\n    x += x",
    "list_doubling_by_extend": "x = [1]\nfor _ in range(100):\n    x.extend(x)",
    "list_doubling_by_star": "x = [1]\nfor _ in range(100):\n    x = [*x, *x]",
    "append_while_looping": "x = [1]\nfor y in x:\n    x.append(y)",
    "sum_of_a_range": "return sum(range(3 * 10 ** 8))",
    "list_of_a_range": "return list(range(3 * 10 ** 8))",
    "text_in_a_range": "r = range(900000)\nfor _ in range(90000):\n    'a' in r",
    "range_longer_than_a_word": "return len(range(10 ** 30))",
    "nested_loops": "for a in range(10000):\n    for b in range(10000):\n        pass",
    "nested_comprehensions": "return [[b for b in range(10000)] for a in range(10000)]",
    "comprehension_of_two_clauses": "return {(a, b) for a in range(10000) for b in range(10000)}",
    "generator_consumed_in_c": "return sum(1 for a in range(10000) for b in range(10000))",
    "comprehension_that_keeps_nothing": "return [a for a in range(10000) for b in range(10000) if False]",
    "sort_keys": "x = list(range(100000))\nfor _ in range(100):\n    sorted(x, key=lambda y: -y)",
    "sort_in_place": "x = list(range(100000))\nfor _ in range(10000):\n    x.sort()",
    "calls_in_a_tree": (
        "a = lambda: [0 for _ in range(100)]\nb = lambda: [a() for _ in range(100)]\nreturn [b() for _ in range(1000)]"
    ),
    "map_of_maps": "f = lambda x: sum(range(1000))\nreturn list(map(f, range(10000)))",
    "filter_that_keeps_nothing": "x = [0] * 500000\nfor _ in range(100000):\n    list(filter(None, x))",
    "in_a_long_list": "x = list(range(400000))\nfor _ in range(100000):\n    -1 in x",
    "index_of_a_long_list": "x = list(range(400000))\nfor _ in range(100000):\n    x.count(-1)",
    "pop_from_the_front": "x = list(range(400000))\nfor _ in range(300000):\n    x.pop(0)",
    "copies": "x = list(range(400000))\nfor _ in range(100000):\n    y = x[:]",
    "set_unions": "x = set(range(100000))\nfor _ in range(100000):\n    y = x | {1}",
    "equal_lists": "x = list(range(200000))\ny = list(range(200000))\nfor _ in range(100000):\n    x == y",
    "equal_nests": "x, y = [1], [1]\nfor _ in range(40):\n    x, y = [x, x], [y, y]\nreturn x == y",
    "text_of_a_nest": "x = [1]\nfor _ in range(40):\n    x = [x, x]\nreturn str(x)",
    "f_string_of_a_nest": "x = [1]\nfor _ in range(40):\n    x = [x, x]\nreturn f'{x!r}'",
    "nest_as_a_key": "x = (1,)\nfor _ in range(40):\n    x = (x, x)\nreturn {x: 1}",
    "nest_as_a_subscript": "x, d = (1,), {}\nfor _ in range(40):\n    x = (x, x)\nd[x] = 1",
    "nest_in_a_set": "x = (1,)\nfor _ in range(40):\n    x = (x, x)\nreturn set([x])",
    "nest_deep_as_a_key": "x = (1,)\nfor _ in range(100000):\n    x = (x,)\nreturn {x}",
    "f_string_width": "return f'{1:900000000d}'",
    "nested_f_string_width": "n = 900000000\nreturn f'{1:>{n}}'",
    "format_width": "return format(1, '900000000d')",
    "format_method_width": "return '{:900000000d}'.format(1)",
    "ljust": "return 'a'.ljust(900000000)",
    "expandtabs": "return '\\t'.expandtabs(900000000)",
    "strip": "x = 'a' * 900000\nreturn x.strip('b' * 900000 + 'a')",
    "alias_of_a_builtin": "s = sum\nr = range\nreturn s(r(3 * 10 ** 8))",
    "builtin_in_a_dict": "return {'f': list}['f'](range(3 * 10 ** 8))",
    "wide_zip": "x = [[0] * 1000] * 900\nfor _ in range(10000):\n    y = list(zip(*x))",
    "wide_max": "x = [[0] * 1000] * 900\nfor _ in range(10000):\n    y = list(map(max, *x))",
    "message_of_a_nest": "x = [1]\nfor _ in range(40):\n    x = [x, x]\nraise ValueError(x)",
    "strftime": "return date(2020, 1, 1).strftime('%900000000d')",
    "mean_of_far_decimals": "return mean([Decimal('1e3000000'), Decimal(1)])",
    "mean_of_multiplied_decimals": "x = Decimal('1e999')\nfor _ in range(9):\n    x *= x\nreturn mean([x, x])",
    "many_short_lists": "return [[0] * 255 for _ in range(900000)]",
    "many_short_slices": "x = [0] * 255\nreturn [x[:255] for _ in range(400000)]",
    "many_short_copies": "x = [0] * 255\nreturn [list(x) for _ in range(400000)]",
    "many_short_splits": "return [('x' * 250).split('x') for _ in range(400000)]",
    "long_decimal": "return int(Decimal('1e999999'))",
    "written_decimal": "return f'{Decimal(\"1e999999\"):f}'",
    "caught_on_the_way": (
        "for _ in range(10 ** 5):\n    try:\n        for _ in range(10 ** 5):\n            pass\n"
        "    except (ValueError, TypeError, KeyError):\n        pass"
    ),
}

IN_ORDER = """
from dataclasses import dataclass

PAIRS = (frozenset({'a', 'bee'}), frozenset({'cat', 'doe'}), frozenset({'elk', 'fox'}))

@dataclass(frozen=True)
class Held:
    words: frozenset[str]
    a: int

def _added(out, words):
    out += words
    return out

def _extended(out, words):
    out.extend(words)
    return out

def _looped(rows):
    for a, b, c, d, e, f in rows:
        return a

def _nested(words):
    (a, b, c, d, e, f), g = words, 1
    for h, (i, j) in [(1, {'x', 'y'})]:
        return [a, i]

def _updated(pair):
    d = {}
    d.update([pair])
    return d

"""

UNORDERED = {
    "comprehension": "[word for word in words]",
    "list": "list(words)",
    "join": "', '.join(words)",
    "text": "f'{words}'",
    "enumerate": "[word for _, word in enumerate(words)]",
    "map_and_filter": "list(map(str, words)) + list(filter(None, words))",
    "zip": "list(zip(words, words))",
    "pop": "words.pop() + words.pop()",
    "spread": "[*words]",
    "added_in_place": "_added([], words) + _extended([], words)",
    "unpacked_in_a_comprehension": "[a for a, b, c, d, e, f in [words]]",
    "unpacked_in_a_loop": "_looped([words])",
    "unpacked_within_a_tuple": "_nested(words)",
    "dict_of_sets": "dict([{'a', 'b'}, {'c', 'd'}])",
    "dict_updated_by_sets": "_updated({'a', 'b'})",
    "set_of_sets": "[*{frozenset(words), frozenset({'x', 'y'}), frozenset({'z'})}][0] == {'z'}",
    "texts": "f'{words!r} {str(words)}'",
    "set_of_pairs": "[i for _, i in {(PAIRS[i], i) for i in (0, 1, 2)}]",
    "sets_in_sets": "[len(x) for x in {frozenset({frozenset(words), 'z'}), frozenset({'z'})}]",
    "set_of_data_classes": "[x.a for x in {Held(each, a) for a, each in enumerate(PAIRS)}]",
    "set_with_no_numbers": "[str(x) for x in {float('nan'), 1.5, 2.5, -1.0, float('nan')}]",
    "dict_of_a_set": "list(dict({(word, 1) for word in words}))",
}

IN_EACH_PROCESS = """
import json, sys
from pathlib import Path
from runtime.sandbox.code import load_module

for path in sys.argv[1:]:
    print(json.dumps([Path(path).stem, repr(load_module(Path(path), Path(path).stem).run())]))
"""

RUN_ALL = """
import json, sys, time
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (500 * 2**20, 500 * 2**20))
except ImportError:
    pass
from runtime.sandbox.bounded import allowed_builtins
from runtime.sandbox.code import compile_module
from runtime.errors import Rejection
from runtime.sandbox.budget import Budget

for name, source in json.load(sys.stdin).items():
    scope = {"__builtins__": allowed_builtins(), "__name__": "hostile"}
    exec(compile_module(source, name), scope)
    try:
        with Budget(%d):
            outcome = repr(scope["run"]())[:100]
    except Rejection as rejection:
        outcome = rejection.kind
    except Exception as error:
        outcome = repr(error)[:100]
    print(json.dumps([name, outcome]), flush=True)
"""


def hostile(body):
    return (
        "from datetime import date\nfrom decimal import Decimal\nfrom statistics import mean\ndef run():\n"
        + textwrap.indent(body, "    ")
    )


def run(source, *args, budget=None):
    scope = {"__builtins__": allowed_builtins(), "__name__": "example"}
    exec(compile_module(source, "example.py"), scope)
    with budget or Budget(10_000):
        return scope["run"](*args)


@pytest.fixture(scope="module")
def outcomes():
    sources = {name: hostile(body) for name, body in EXHAUSTING.items()}
    command = [sys.executable, "-c", RUN_ALL % Limits().code_steps]
    try:
        done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, timeout=120)
        printed, complaints = done.stdout, done.stderr
    except subprocess.TimeoutExpired as error:
        printed, complaints = (error.stdout or b"").decode(), "the next one did not end"
    lines = [json.loads(line) for line in printed.splitlines()]
    return dict(lines), complaints


@pytest.mark.parametrize("name", EXHAUSTING)
def test_a_call_that_would_not_end_is_rejected(name, outcomes):
    finished, complaints = outcomes
    assert name in finished, complaints
    assert finished[name] == "RESOURCE_EXHAUSTED"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("for x in range(900):\n    pass", id="loop"),
        pytest.param("return [x for x in range(900)]", id="list_comprehension"),
        pytest.param("return {word: 1 for word in ['a'] * 849}", id="dict_comprehension"),
        pytest.param("return sum(x for x in range(900))", id="generator"),
        pytest.param("def one(x):\n    return x\nfor x in range(450):\n    one(x)", id="nested_function"),
        pytest.param("one = lambda: 1\nfor x in range(450):\n    one()", id="lambda"),
    ],
)
def test_every_turn_of_a_loop_and_every_call_is_a_step(body):
    spent = []
    for _ in range(2):
        budget = Budget(10_000)
        run(hostile(body), budget=budget)
        spent.append(budget.limit - budget.left)
    assert spent[0] == spent[1]
    assert 900 <= spent[0] <= 920


def test_the_types_of_a_function_within_another_are_not_made_at_each_call():
    source = (
        "from typing import Literal, Optional\n"
        f"Kind = Literal[{', '.join(map(str, range(900)))}]\n"
        "def run():\n"
        "    for _ in range(100):\n"
        "        def told(kind: Optional[Kind]) -> Optional[Kind]:\n"
        "            return kind\n"
        "    return told\n"
    )
    assert run(source).__annotations__ == {}


def test_a_call_ends_at_the_same_step_twice():
    source = "def run(seen):\n    for x in range(4000):\n        seen.append([y for y in range(3)])\n"
    seen = [[], []]
    for each in seen:
        with pytest.raises(Rejection, match="more than 5000 steps"):
            run(source, each, budget=Budget(5000))
    assert len(seen[0]) == len(seen[1]) == 384


def test_a_traceback_shows_the_lines_of_the_source():
    source = (
        'def run(x):\n    """Divide."""\n    z = 0\n    for y in [1, 0]:\n        z += (\n            x / y\n        )'
    )
    with pytest.raises(ZeroDivisionError) as raised:
        run(source, 1)
    frames = [frame for frame in traceback.extract_tb(raised.value.__traceback__) if frame.filename == "example.py"]
    assert frames[-1].lineno == 6


@pytest.mark.parametrize(
    ("body", "result"),
    [
        pytest.param("x = [1]\ny = x\nx += [2]\nreturn y", [1, 2], id="list_in_place"),
        pytest.param("x = {1}\ny = x\nx |= {2}\nreturn y", {1, 2}, id="set_in_place"),
        pytest.param("x = {'a': [1]}\nx['a'] += [2]\nx['a'] *= 2\nreturn x", {"a": [1, 2, 1, 2]}, id="item_in_place"),
        pytest.param("return 'b' not in ['a'] and 1 < 2 <= 2 and (1, 2) in {(1, 2)}", True, id="comparisons"),
        pytest.param(
            "return sorted([3, 1, 2], key=lambda x: -x), max(1, 2), min([3, 4])", ([3, 2, 1], 2, 3), id="order"
        ),
        pytest.param("x = [1, 2]\nreturn [*x, 3], {**{'a': 1}, 'b': 2}", ([1, 2, 3], {"a": 1, "b": 2}), id="spreads"),
        pytest.param("return f'{3.14159:.2f} {\"a\"!r:>5} {1}'", "3.14   'a' 1", id="f_string"),
        pytest.param("return '{} is {n:>3}'.format('a', n=1)", "a is   1", id="format_method"),
        pytest.param(
            "return 'a-b'.split('-'), ' x '.strip(), '-'.join(str(x) for x in [1, 2])", None, id="text_methods"
        ),
        pytest.param("return isinstance([], list), list('ab'), dict(a=1), set([1, 1])", None, id="types"),
        pytest.param("return 7 % 3, 2 ** 8, 1 << 3, 6 & 3, 6 ^ 3, 7 - 2, -7 // 2, 7 / 2", None, id="numbers"),
        pytest.param("return 'abcdef'[1:3], 'abc'[::-1], [1, 2, 3][-2:]", ("bc", "cba", [2, 3]), id="slices"),
        pytest.param("return [x for x in range(9) if x % 2 if x > 3]", [5, 7], id="conditions"),
        pytest.param("x = [5]\nx.extend(enumerate(x))\nreturn x", [5, (0, 5)], id="list_extended_by_itself"),
        pytest.param("return date(2026, 3, 1).strftime('%d.%m.%Y'), f'{date(2026, 3, 1):%d}'", None, id="dates"),
        pytest.param("return list(zip(*[[1, 2]] * 20)), list(map(max, [1], [2]))", None, id="zip_and_map"),
        pytest.param("x = {}\nx.setdefault('a', []).append(1)\nx.update(b=2)\nreturn x, x.pop('b')", None, id="dicts"),
    ],
)
def test_bounded_code_means_what_python_means(body, result):
    if result is None:
        scope = {}
        exec(hostile(body), scope)
        result = scope["run"]()
    assert run(hostile(body)) == result


def test_a_format_string_cannot_reach_into_a_value():
    with pytest.raises(TypeError, match="f-string"):
        run("def run(text):\n    return text.format(1)", "{0.__class__}")


def test_the_result_of_a_tool_is_paid_for():
    nest = "    x = [1]\n    for _ in range(40):\n        x = [x, x]\n    return x\n"
    source = f"from runtime import tool\n@tool()\ndef f(db):\n{nest}"
    scope = {"__builtins__": allowed_builtins(), "__name__": "example"}
    exec(compile_module(source, "example.py"), scope)
    with Budget(1_000_000), pytest.raises(Rejection):
        scope["f"](None)


def test_a_date_has_no_clock_however_it_is_reached():
    source = "from datetime import date\ndef run():\n    clock = [date][0]\n    return clock.today()"
    with pytest.raises(TypeError, match="db.now"):
        run(source)


def test_a_method_of_a_type_is_not_called_by_itself():
    source = "from typing import NamedTuple\nclass A(NamedTuple):\n    a: int\ndef run():\n    return A.count((1,), 1)"
    with pytest.raises(TypeError, match="on a value"):
        run(source)
    with pytest.raises(TypeError, match="on a value"):
        call_method(str.ljust, "", 300_000_000)


def test_the_random_numbers_of_a_world_are_not_seeded_anew():
    with pytest.raises(TypeError, match="seeded already"):
        run("def run(random):\n    again = random.seed\n    return again()", random.Random(1))


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("f'{db}'", id="handle"),
        pytest.param("f'{db!r:>9}'", id="representation"),
        pytest.param("str(x for x in 'ab')", id="generator"),
        pytest.param("repr([run])", id="function"),
        pytest.param("format(db)", id="format"),
        pytest.param("'{} {!r}'.format(1, db)", id="format_method"),
        pytest.param("f'{db.select}'", id="method"),
        pytest.param("str([{'a', 'b'}])", id="set_within_a_list"),
    ],
)
def test_only_data_is_written_into_a_text(expression):
    class Handle:
        def select(self):
            return []

    source = f"def run(db):\n    return {expression.replace('run', '(lambda: 1)')}"
    with pytest.raises(TypeError, match=r"write (one of its values|sorted)"):
        run(source, Handle())


def test_data_is_written_as_python_writes_it():
    source = (
        "from collections import Counter, defaultdict\nfrom dataclasses import dataclass\nfrom decimal import Decimal\n"
        "from datetime import date\n@dataclass\nclass Fee:\n    cents: int = 0\n"
        "def run():\n    try:\n        {}['a']\n    except KeyError as error:\n"
        "        return f'{error} {Counter([1])} {defaultdict(int)} {Fee()} {Decimal(1)} '"
        " f'{[date(2026, 1, 2)]} {1.5} {None}'"
    )
    assert run(source) == (
        "'a' Counter({1: 1}) defaultdict(<class 'int'>, {}) Fee(cents=0) 1 [datetime.date(2026, 1, 2)] 1.5 None"
    )


@pytest.mark.parametrize(
    "expression", ["d.strftime(layout)", "f'{d:{layout}}'", "format(d, layout)", "datetime.strptime('1 UTC', layout)"]
)
def test_a_date_is_not_written_as_the_machine_would(expression):
    source = f"from datetime import datetime\ndef run(layout):\n    d = datetime(2026, 1, 2)\n    return {expression}"
    with pytest.raises(TypeError, match="machine"):
        run(source, "%d %Z")


def test_a_computed_constant_cannot_be_changed():
    source = "FEES = {'a': 1} | {'b': 2}\ndef run():\n    FEES['c'] = 3"
    with pytest.raises(TypeError, match="assignment"):
        run(source)


def test_a_default_may_name_a_constant():
    assert run("LIMIT = 3\ndef run(n=LIMIT, m=-1):\n    return [(lambda x=x: x + n)() for x in (1, 2)]") == [4, 5]


def test_the_injected_names_cannot_be_written_in_a_source():
    assert all(not name.isidentifier() for name in allowed_builtins() if name.startswith("."))


def test_a_builtin_that_is_not_allowed_does_not_exist_at_run_time_either():
    assert (
        allowed_builtins().keys().isdisjoint({"eval", "exec", "open", "getattr", "type", "compile", "globals", "input"})
    )
    with pytest.raises(ImportError, match="not open"):
        allowed_builtins()["__import__"]("os", {}, {}, ("system",))


def test_a_file_becomes_a_module(tmp_path):
    path = tmp_path / "loans.py"
    path.write_text("from math import ceil\nNAMES = ['a', 'b']\nFEES = {'a': [1]}\ndef f(x):\n    return ceil(x)\n")
    module = load_module(path, "worldsmith_test.loans")
    assert module.f(1.5) == 2
    assert module.__file__ == str(path)
    assert sys.modules.pop("worldsmith_test.loans") is module


def test_what_all_sessions_see_cannot_be_changed(tmp_path):
    path = tmp_path / "loans.py"
    path.write_text("NAMES = ['a', 'b']\nFEES = {'a': [1]}\ndef f():\n    FEES['b'] = 1\n")
    module = load_module(path, "worldsmith_test.constants")
    del sys.modules["worldsmith_test.constants"]
    assert module.NAMES == ("a", "b")
    with pytest.raises(TypeError):
        module.f()


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        pytest.param("import os\n", r"loans\.py:1: 'import'", id="refused"),
        pytest.param("X = 1\nY = Z\n", r"loans\.py:2: NameError", id="fails_while_loading"),
        pytest.param("X = 10 ** 10 ** 9\n", r"loans\.py:1: Rejection", id="exhausts_while_loading"),
    ],
)
def test_a_file_that_cannot_be_loaded_says_why(tmp_path, source, fault):
    path = tmp_path / "loans.py"
    path.write_text(source)
    with pytest.raises(BrokenDomain, match=fault):
        load_module(path, "worldsmith_test.broken")
    assert "worldsmith_test.broken" not in sys.modules


def test_a_set_of_what_has_no_order_is_not_gone_through():
    with pytest.raises(TypeError, match="keep them in a list"):
        run("def run():\n    return [f() for f in {lambda: 1, lambda: 2}]")


@pytest.mark.parametrize("owner", ["[]", "()", "range(3)"])
def test_what_is_not_found_is_not_written_out(owner):
    """Python's own error holds an address, or texts in the order of their hashes."""
    source = f"def helper():\n    pass\ndef run():\n    try:\n        {owner}.index(helper)\n"
    said = run(source + "    except ValueError as error:\n        return str(error)")
    assert said.endswith("does not hold the value")


def test_a_layout_of_a_date_is_short():
    with pytest.raises(TypeError, match="at most 40 characters and 7 directives"):
        run(hostile("return datetime.strptime('1', '%d' * 8)").replace("import date", "import datetime"))


def test_views_of_dicts_meet_what_can_be_gone_through():
    source = "def run():\n    d = {'a': 1, 'b': 2}\n    return d.keys() - ['a'], d.keys() & {'a': 0}, ('c',) | d.keys()"
    assert run(source) == ({"b"}, {"a"}, {"a", "b", "c"})


@pytest.fixture(scope="module")
def in_each_process(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """What goes through a set, as each of three processes sees it, whose hashes differ."""
    folder = tmp_path_factory.mktemp("sets")
    for name, expression in UNORDERED.items():
        words = "    words = {'a', 'bee', 'cat', 'doe', 'elk', 'fox'}\n"
        (folder / f"{name}.py").write_text(f"{IN_ORDER}def run():\n{words}    return {expression}\n")
    command = [sys.executable, "-c", IN_EACH_PROCESS, *(str(folder / f"{name}.py") for name in UNORDERED)]
    seen = []
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        seen.append(dict(json.loads(line) for line in done.stdout.splitlines()))
    return seen


@pytest.mark.parametrize("name", UNORDERED)
def test_a_set_is_gone_through_in_the_same_order_in_every_process(
    name: str, in_each_process: list[dict[str, str]]
) -> None:
    assert len({seen[name] for seen in in_each_process}) == 1
