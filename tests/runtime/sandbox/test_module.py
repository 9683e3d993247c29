"""A domain's code means what Python means, every call of it ends, and nothing of it can be changed from within."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import traceback
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from random import Random

import pytest

from runtime.errors import BrokenDomain, EnvironmentFault
from runtime.sandbox.budget import Budget, allowed_builtins
from runtime.sandbox.module import compile_module, load_module, parse
from runtime.session.workspace import Limits

TOP = """
from collections import Counter, defaultdict
from datetime import date, datetime
from decimal import Decimal
from math import ceil

"""
EXHAUSTING = {
    "huge_power": "return 10 ** 10 ** 9",
    "squares": "x = 3\nfor _ in range(100):\n    x *= x",
    "rounded_far": "return round(5, -10 ** 9)",
    "range_longer_than_a_word": "return len(range(10 ** 30))",
    "text_times": "return 'a' * 10 ** 9",
    "text_doubling": "s = 'ab'\nfor _ in range(100):\n    s = s + s",
    "text_doubling_by_f_string": "s = 'ab'\nfor _ in range(100):\n    s = f'{s}{s}'",
    "text_doubling_by_join": "s = 'ab'\nfor _ in range(100):\n    s = ''.join([s, s])",
    "text_doubling_by_replace": "s = 'ab'\nfor _ in range(100):\n    s = s.replace('a', s)",
    "f_string_width": "return f'{1:900000000d}'",
    "format_width": "return '{:900000000d}'.format(1)",
    "list_doubling": "x = [1]\nfor _ in range(100):\n    x = x + x",
    "list_doubling_by_extend": "x = [1]\nfor _ in range(100):\n    x.extend(x)",
    "list_doubling_in_place": "x = {0: [1]}\nfor _ in range(100):\n    x[0] += x[0]",
    "nested_loops": "for a in range(10000):\n    for b in range(10000):\n        pass",
    "generator_in_c": "return sum(1 for a in range(10000) for b in range(10000))",
    "recursion_by_a_list": "c = []\nc.append(lambda n: n and c[0](n - 1))\nreturn c[0](100000)",
    "nested_deep": "x = ()\nfor _ in range(200000):\n    x = (x,)\nreturn len({x})",
    "key_of_pairs_of_pairs": "x = 1\nfor _ in range(60):\n    x = (x, x)\nd = {}\nd[x] = 1\nreturn d.get(x)",
    "keys_added_by_methods": "x = 1\nfor _ in range(60):\n    x = (x, x)\ns = set()\ns.update([x])\nreturn len(s)",
    "equal_lists_of_lists": "x, y = 1, 1\nfor _ in range(60):\n    x, y = [x, x], [y, y]\nreturn x == y",
    "sorted_lists_of_lists": "x, y = 1, 1\nfor _ in range(60):\n    x, y = [x, x], [y, y]\nreturn sorted([x, y])",
    "keys_to_sort_by": "x = list(range(99999))\nreturn sorted(list(range(99999)), key=lambda n: x + [n])",
    "sets_of_a_range": "for _ in range(99999):\n    n = len(set(range(99999)))",
    "searched_for_what_is_not_there": "x = list(range(99999))\nreturn sum(1 for _ in range(99999) if -1 in x)",
    "searched_by_a_method": "x = list(range(99999))\nf = x.count\nfor _ in range(99999):\n    f(-1)",
    "sorted_again_and_again": "x = list(range(99999))\nfor _ in range(99999):\n    x.sort()",
    "copied_by_a_slice": "x = list(range(99999))\nfor _ in range(99999):\n    n = len(x[1:])",
    "sets_subtracted": "x = set(range(99999))\nfor _ in range(99999):\n    n = len(x - x)",
    "copied_by_a_spread": "x = dict(enumerate(range(99999)))\nfor _ in range(99999):\n    n = len({**x})",
    "text_read_again_and_again": "x = '1' * 999999\nfor _ in range(99999):\n    n = x.upper().find('2')",
    "integer_of_a_decimal": "return int(Decimal('1E+30000000'))",
    "decimal_written_out": "return f\"{Decimal('1E+999999999'):f}\"",
    "caught_on_the_way": (
        "for _ in range(10 ** 5):\n    try:\n        for _ in range(10 ** 5):\n            pass\n"
        "    except (ValueError, TypeError, KeyError):\n        pass"
    ),
}

RUN_ALL = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (600 * 2**20, 600 * 2**20))
except ImportError:
    pass
from runtime.errors import Rejection
from runtime.sandbox.budget import Budget
from runtime.sandbox.module import compile_module
from runtime.sandbox.budget import allowed_builtins

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


def program(body):
    return f"{TOP}\ndef run():\n{textwrap.indent(body, '    ')}\n"


def run(source, *args, budget=None):
    scope = {"__builtins__": allowed_builtins(), "__name__": "example"}
    exec(compile_module(source, "example.py"), scope)
    with budget or Budget(10_000):
        return scope["run"](*args)


@pytest.fixture(scope="module")
def outcomes():
    sources = {name: program(body) for name, body in EXHAUSTING.items()}
    command = [sys.executable, "-c", RUN_ALL % Limits().code_steps]
    try:
        done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, timeout=180)
        printed, complaints = done.stdout, done.stderr
    except subprocess.TimeoutExpired as error:
        printed, complaints = (error.stdout or b"").decode(), "the next one did not end"
    return dict(json.loads(line) for line in printed.splitlines()), complaints


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
        pytest.param("return sum(x for x in range(900))", id="generator"),
        pytest.param("def one(x):\n    return x\nfor x in range(450):\n    one(x)", id="function"),
        pytest.param("one = lambda: 1\nfor x in range(450):\n    one()", id="lambda"),
    ],
)
def test_every_turn_of_a_loop_and_every_call_is_a_step(body):
    spent = []
    for _ in range(2):
        budget = Budget(10_000)
        run(program(body), budget=budget)
        spent.append(budget.limit - budget.left)
    assert spent[0] == spent[1]
    assert 900 <= spent[0] <= 960


def test_a_traceback_shows_the_lines_of_the_source():
    source = (
        'def run(x):\n    """Divide."""\n    z = 0\n    for y in [1, 0]:\n        z += (\n            x / y\n        )'
    )
    with pytest.raises(ZeroDivisionError) as raised:
        run(source, 1)
    frames = [frame for frame in traceback.extract_tb(raised.value.__traceback__) if frame.filename == "example.py"]
    assert frames[-1].lineno == 6


@pytest.mark.parametrize(
    "body",
    [
        "x = [1]\ny = x\nx += [2]\nreturn y",
        "x = {1}\ny = x\nx |= {2}\nreturn y",
        "x = {'a': [1], 'b': 1.5}\nx['a'] += [2]\nx['a'] *= 2\nx['b'] /= 2\nx['b'] //= 1\nreturn x",
        "return 'b' not in ['a'] and 1 < 2 <= 2 and (1, 2) in {(1, 2)} and 'a' in 'cab'",
        "return sorted([3, 1, 2], key=lambda x: -x), max(1, 2), min([3, 4]), max([], default=0)",
        "x = [1, 2]\na, *b = x\nreturn [*x, 3], {**{'a': 1}, 'b': 2}, (*x,), b",
        "return f'{3.14159:.2f} {\"a\"!r:>5} {1} {date(2026, 3, 1):%d} {[1]}'",
        "return '{} is {n:>3}'.format('a', n=1), f'{date(2026, 3, 1):%d.%m.%Y}'",
        "return 'a-b'.split('-'), ' x '.strip(), '-'.join(str(x) for x in [1, 2]), 'aa'.replace('a', 'b')",
        "return list('ab'), dict(a=1), set([1, 1]), int('7'), float('1.5'), str(1.5)",
        "return 7 % 3, 2 ** 8, 6 & 3, 6 | 3, 7 - 2, -7 // 2, 7 / 2, 2.5 * 2, 1 + 1.5, round(2.567, 1)",
        "return 'abcdef'[1:3], 'abc'[::-1], [1, 2, 3][-2:]",
        "return [x for x in range(9) if x % 2 if x > 3], {x: -x for x in [1]}, {x for x in [1, 1]}",
        "x = [5]\nx.extend(enumerate([6]))\nreturn x, [(i, a, b) for i, (a, b) in enumerate(zip([1], [2]))]",
        "return list(zip(*[[1, 2]] * 20)), list(map(max, [1], [2])), list(reversed([1, 2]))",
        "x = {}\nx.setdefault('a', []).append(1)\nx.update(b=2)\nreturn x, x.pop('b'), x.get('c', 0)",
        "x = [3, 1]\nx.sort()\nx.insert(0, 9)\nreturn x, x.pop(), x.index(9), x.count(1), sum(x), any(x), all([])",
        "x = defaultdict(list)\nx['a'].append(1)\nreturn dict(x), Counter('aab').most_common(1), Decimal('0.1') + 1",
        "a, b = {1}, [2]\nfor i, (k, v) in enumerate({'a': 1}.items()):\n    a |= {i}\nreturn a & {0}, b[0:] + [k, v]",
        "return 1 in {1: 2}, (1, 2) in [(1, 2)], 'a' in 'ba', 3 not in range(3), 1 < 2 in [2], {(1, 2): 3}[(1, 2)]",
        "return sorted({'b': 1, 'a': 0}, key={'b': 1, 'a': 0}.get), {**{1: 2}}, {*[1], 2}, int('7') - 2, any([0, 1])",
        "d = {'a': 1, 'b': 2}\nreturn d.keys() - ['a'], d.keys() & {'a': 0}, ('c',) | d.keys(), d == dict(d)",
    ],
)
def test_bounded_code_means_what_python_means(body):
    scope = {}
    exec(program(body), scope)
    assert run(program(body)) == scope["run"]()


IN_ORDER = {
    "comprehension": "[word for word in words]",
    "list": "list(words)",
    "join": "', '.join(words)",
    "enumerate": "[word for _, word in enumerate(words)]",
    "map_and_filter": "list(map(str, words)) + list(filter(None, words))",
    "zip": "list(zip(words, words))",
    "spread": "[*words]",
    "pairs": "[i for _, i in {(word, len(word)) for word in words}]",
    "dict_of_a_set": "list(dict({(word, 1) for word in words}))",
    "default_dict_of_a_set": "list(defaultdict(int, {(word, 1) for word in words}))",
}
NO_ORDER = {
    "unpacked": "a, *b = {'a', 'bee', 'cat'}",
    "unpacked_in_a_loop": "for a, b in [{'a', 'bee'}]:\n    pass",
    "unpacked_in_a_comprehension": "x = [a for a, *b in [{'a', 'bee'}]]",
    "unpacked_within": "for n, (a, b) in enumerate([{'a', 'bee'}]):\n    pass",
    "unpacked_within_at_once": "n, (a, b) = 1, {'a', 'bee'}",
    "pop": "return {'a', 'bee'}.pop()",
    "sets_of_sets": "x = list({frozenset(['a']), frozenset(['bee'])})",
}
MACHINE = {
    "alias_of_a_class": "d = datetime\nreturn d.now",
    "method_of_a_value": "return date(2026, 1, 1).today",
    "seed": "from_the_machine = random.seed",
    "zone_of_a_format": "return f'{date(2026, 1, 1):%s}'",
}


@pytest.mark.parametrize("body", NO_ORDER.values(), ids=NO_ORDER)
def test_what_would_depend_on_the_order_of_a_set_is_an_error(body):
    with pytest.raises(TypeError, match="a set has no order"):
        run(program(body))


@pytest.mark.parametrize("body", MACHINE.values(), ids=MACHINE)
def test_no_method_reads_the_machine(body):
    with pytest.raises(TypeError, match="machine"):
        run(program(body).replace("run()", "run(random)"), Random(1))


def test_decimals_are_bounded_in_a_call_and_as_before_after_it():
    with pytest.raises(ArithmeticError):
        run(program("x = Decimal('1E+900')\nreturn x * x"))
    assert Decimal("1E+900") * Decimal("1E+900") == Decimal("1E+1800")


def test_a_set_is_gone_through_in_the_same_order_in_every_process():
    words = "words = {'a', 'bee', 'cat', 'doe', 'elk', 'fox'}\n"
    sources = {name: program(f"{words}return {expression}") for name, expression in IN_ORDER.items()}
    command = [sys.executable, "-c", RUN_ALL % 10_000]
    seen = [
        subprocess.run(
            command,
            input=json.dumps(sources),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert seen[0] == seen[1] == seen[2]
    assert "Error" not in seen[0]


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("f'{db}'", id="handle"),
        pytest.param("str([(lambda: 1)])", id="function"),
        pytest.param("'{} {!r}'.format(1, db)", id="format_method"),
        pytest.param("f'{db.select}'", id="method"),
        pytest.param("str(ValueError(lambda: 1))", id="error"),
        pytest.param("str([{'a', 'b'}])", id="set_within_a_list"),
    ],
)
def test_only_data_is_written_into_a_text(expression):
    class Handle:
        def select(self):
            return []

    with pytest.raises(TypeError, match=r"write (one of its values|sorted)"):
        run(f"def run(db):\n    return {expression}", Handle())


def test_a_rejection_is_said_in_a_text():
    with pytest.raises(EnvironmentFault, match="rejects with a list"):
        run("from runtime import Rejection\ndef run():\n    raise Rejection.not_found([lambda: 1])")


@pytest.mark.parametrize("text", ["{0.__class__}", "{0[0]}"])
def test_a_format_string_cannot_reach_into_a_value(text):
    with pytest.raises(TypeError, match="f-string"):
        run("def run(text):\n    return text.format(1, 2)", text)


def test_what_all_sessions_see_cannot_be_changed(tmp_path):
    path = tmp_path / "loans.py"
    path.write_text("NAMES = ['a', 'b']\nFEES = {'a': [1]} | {'c': 2}\ndef f():\n    FEES['b'] = 1\n")
    module = load_module(path, "worldsmith_test.constants")
    assert sys.modules.pop("worldsmith_test.constants") is module
    assert module.__file__ == str(path)
    assert module.NAMES == ("a", "b")
    with pytest.raises(TypeError):
        module.f()


def test_what_is_not_allowed_does_not_exist_at_run_time_either():
    given = allowed_builtins()
    assert given.keys().isdisjoint({"eval", "exec", "open", "getattr", "type", "compile", "globals", "input"})
    assert not any(name.isidentifier() for name in given if name.startswith("."))
    with pytest.raises(ImportError, match="not open"):
        given["__import__"]("os", {}, {}, ("system",))


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


def test_many_threads_parse_at_once():
    """CPython 3.11 keeps one count of the depth of a tree for all threads."""
    nested = "value = " + "(" * 40 + "1" + ",)" * 40
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            assert len(list(threads.map(parse, [nested] * 100))) == 100
    finally:
        sys.setswitchinterval(before)
