"""Programs that would use a call's time or memory up end at the step limit.

Each line is one operation that a domain's code may use, in the way that costs most. None may take longer than a few
plain loops that use up the same steps, nor more memory than a call has.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

from runtime.session.limits import Limits

STEPS = Limits().code_steps
TIMES_A_LOOP = 12  # the machine is shared: the dearest takes about 5 times as long when it is idle
MEMORY = 512 * 2**20

TOP = """
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import reduce
from itertools import accumulate, chain, groupby, islice, pairwise, zip_longest
from math import ceil, fsum, hypot, isqrt, log, sin
from statistics import mean, median, mode, pstdev, stdev
from typing import NamedTuple

class Pair(NamedTuple):
    a: int
    b: int

@dataclass(frozen=True)
class Point:
    a: int
    b: int

P = 2 ** 61 - 1
"""

EACH = "for i in range(240000):\n    "
IN_A_CONSTANT = "; ".join(["'ab' in 'cab'"] * 100)
NEARLY = "x, y = 'a' * 2400, 'a' * 600 + 'b' + 'a' * 600\n"
DEEP = "x, y = [], []\nfor _ in range(10000):\n    x, y = [x], [y]\n"

USED_UP = {
    # whole numbers, of at most 256 bits
    "product": f"a = 2 ** 127\n{EACH}a * a",
    "products_in_a_row": f"a = 2 ** 127\n{EACH}{'; '.join(['a * a'] * 40)}",
    "floor_division": f"a, b = 2 ** 255, 2 ** 128 - 1\n{EACH}a // b",
    "rest": f"a, b = 2 ** 255, 2 ** 128 - 1\n{EACH}a % b",
    "quotient_and_rest": f"a, b = 2 ** 255, 2 ** 128 - 1\n{EACH}divmod(a, b)",
    "power_of_a_modulus": f"a = 2 ** 255 - 19\n{EACH}pow(a, a, a - 2)",
    "growing_power": "a = 3\nfor i in range(9):\n    a = a ** a",
    "text_of_a_number": f"a = 2 ** 255\n{EACH}str(a)",
    "formatted_number": f"a = 2 ** 255\n{EACH}f'{{a:,d}}'",
    "wide_format": f"{EACH}f'{{i:1000d}}'",
    "precise_format": f"{EACH}f'{{1e300:.1000f}}'",
    "number_of_a_text": f"a = '9' * 77\n{EACH}int(a)",
    "number_of_a_long_text": f"a = '9' * 4000\n{EACH}int(a)",
    "number_of_a_long_hexadecimal": f"a = '0' * 900000\n{EACH}int(a, 16)",
    "number_of_spaces": f"a = ' ' * 900000 + '1'\n{EACH}int(a)",
    "float_of_a_long_text": f"a = '1' * 900000\n{EACH}float(a)",
    "rounded_far": "return round(5, -10 ** 9)",
    "rounded": f"{EACH}round(5, -100)",
    "root": f"a = 2 ** 255\n{EACH}isqrt(a)",
    "sums": "a = 2 ** 250\nfor i in range(99):\n    a = sum([a] * 1000)",
    "ceiling": "return ceil(1e308)",
    "logarithm": f"a = 2 ** 255\n{EACH}log(a)",
    "length_of_a_vector": f"{EACH}hypot(*[1.5] * 100)",
    # Decimals, of at most 100 digits
    "decimal_of_many_digits": "return Decimal('9' * 990000)",
    "decimals_that_are_kept": "return [Decimal('9' * 990000) for i in range(2000)]",
    "decimal_of_digits": "return Decimal((0, (1,) * 100000, 0))",
    "decimal_of_a_tiny_float": "return Decimal(1e-300)",
    "decimal_product": f"a = Decimal('9' * 100)\n{EACH}a * a",
    "decimal_quotient": f"a, b = Decimal('9' * 100), Decimal('7' * 99)\n{EACH}a / b",
    "decimal_power": f"a, b = Decimal('1.1'), Decimal('123.4567')\n{EACH}a ** b",
    "decimal_root": f"a = Decimal(2)\n{EACH}a.sqrt()",
    "decimal_text": f"a = Decimal('9' * 100)\n{EACH}f'{{a}}'",
    "decimal_written_out": f"a = Decimal('1e900')\na = a * a\n{EACH}f'{{a:f}}'",
    "decimal_as_a_number": "a = Decimal('1e900')\na = a * a\nreturn int(a)",
    "decimal_compared": f"a = Decimal('1e999')\n{EACH}a < 0.1",
    "decimal_compared_with_a_tiny_float": f"a = Decimal('1e-999')\n{EACH}a < 5e-324",
    "decimal_among_tiny_floats": f"a, x = Decimal('1e-999'), [5e-324] * 1000\n{EACH}a in x",
    "decimals_with_a_tiny_float": f"a, x = 5e-324, [Decimal('1e-999')] * 1000\n{EACH}x.count(a)",
    "decimal_of_a_float": f"{EACH}Decimal(0.1)",
    "decimals_summed": "return [sum([Decimal('9' * 100)] * 100000) for i in range(100)]",
    # statistics
    "mean_of_long_decimals": "return mean([Decimal('9' * 100)] * 900000)",
    "mean_of_many_exponents": "return mean([Decimal('1e-' + str(i % 100)) for i in range(20000)])",
    "deviation_of_far_floats": f"x = [1.1 * 2.0 ** (i % 2000 - 1000) for i in range(3000)]\n{EACH}stdev(x)",
    "deviation_of_decimals": "return pstdev([Decimal('1e-' + str(i % 100)) for i in range(20000)])",
    "deviations": f"x = [1, 2.5]\n{EACH}stdev(x)",
    "medians": f"x = [i * 7919 % 10007 for i in range(9000)]\n{EACH}median(x)",
    "modes": f"x = [i * 4096 for i in range(5000)]\n{EACH}mode(x)",
    "sums_of_far_floats": f"x = [1e308, -1e308, 1e-308, 3.7e200, 1e100] * 100\n{EACH}fsum(x)",
    # keys that collide
    "equal_hashes": "d = {}\nfor i in range(40000):\n    d[i * P] = i",
    "shifted_keys": "d = {}\nfor i in range(40000):\n    d[i << 40] = i",
    "shifted_keys_in_a_set": "d = set()\nfor i in range(40000):\n    d.add(i << 40)",
    "shifted_keys_in_a_set_comprehension": "return {i << 40 for i in range(40000)}",
    "shifted_keys_in_a_dict_comprehension": "return {i << 40: 1 for i in range(40000)}",
    "shifted_keys_of_a_list": "x = [i << 40 for i in range(9000)]\nreturn [len(set(x)) for _ in range(100)]",
    "pairs_as_keys": "d = {}\nfor i in range(40000):\n    d[-1 - i % 2, i] = i",
    "sets_as_keys": "d = {}\nfor i in range(40000):\n    d[frozenset([i, i + 1])] = i",
    "decimals_as_keys": "d, p = {}, Decimal(P)\nfor i in range(40000):\n    d[p * i] = i",
    "decimals_of_one_hash": "x = [Decimal(P * i) for i in range(1, 3000)]\nreturn [len(set(x)) for _ in range(100)]",
    "floats_as_keys": "d = {}\nfor i in range(40000):\n    d[2.0 ** (61 * (i % 30) - 900) * (1 + i // 30)] = i",
    "durations_as_keys": "d = {}\nfor i in range(40000):\n    d[timedelta(i)] = i",
    "data_classes_as_keys": "d = {}\nfor i in range(40000):\n    d[Point(i, 1)] = i",
    "named_tuples_as_keys": "d = {}\nfor i in range(40000):\n    d[Pair(i, 1)] = i",
    "keys_of_a_counter": "d = Counter()\nfor i in range(40000):\n    d[i << 40] += 1",
    "counted": f"x = [i << 40 for i in range(9000)]\n{EACH}Counter(x)",
    "keys_of_a_defaultdict": "d = defaultdict(list)\nfor i in range(40000):\n    d[i << 40].append(i)",
    "keys_by_setdefault": "d = {}\nfor i in range(40000):\n    d.setdefault(i << 40, 1)",
    "keys_bound_with_others": "d = {}\nfor i in range(40000):\n    d[i << 40], j = 1, 2",
    "keys_bound_by_a_loop": "d = {}\nfor i in range(40000):\n    for d[i << 40] in [1]:\n        pass",
    "looked_up": f"x = {{i << 40 for i in range(3000)}}\n{EACH}i << 40 in x",
    "got": f"x = {{i << 40: 1 for i in range(3000)}}\n{EACH}x.get(i << 40)",
    "popped": f"x = {{i << 40: 1 for i in range(3000)}}\n{EACH}x.pop(i << 40, 0)",
    "united": f"x, y = {{i << 40 for i in range(2000)}}, {{i << 41 for i in range(2000)}}\n{EACH}x | y",
    "updated": f"x, y = {{i << 40: 1 for i in range(3000)}}, {{}}\n{EACH}y.update(x)",
    "grouped": f"x = [i << 40 for i in range(9000)]\n{EACH}len({{k for k, _ in groupby(x)}})",
    "long_texts_as_keys": f"a = 'a' * 900000\nd = {{a: 1}}\n{EACH}(a + '') in d",
    # texts
    "lower_case": f"x = '\\u0130' * 255\n{EACH}x.lower()",
    "upper_case": f"x = '\\ufb03' * 300000\n{EACH}x.upper()",
    "found_late": f"x, y = 'a' * 2400, 'a' * 99 + 'b'\n{EACH}x.find(y)",
    "found_in_the_middle": f"{NEARLY}{EACH}x.find(y)",
    "found_in_a_longer_one": f"x, y = 'a' * 29000, 'a' * 49 + 'b' + 'a' * 49\n{EACH}x.find(y)",
    "found_in_one_of_its_length": (f"x, y = 'a' * 50000, 'a' * 25000 + 'b' + 'a' * 23000\n{EACH}x.find(y)"),
    "in_a_constant": f"{EACH}{IN_A_CONSTANT}",
    "spread": f"{EACH}{'; '.join(['[*()]'] * 100)}",
    "spread_dicts": f"x = {{}}\n{EACH}{'; '.join(['{**x}'] * 100)}",
    "in_a_text": f"{NEARLY}{EACH}y in x",
    "counted_in_a_text": f"{NEARLY}{EACH}x.count(y)",
    "split_by_a_text": f"{NEARLY}{EACH}x.split(maxsplit=9, sep=y)",
    "replaced": f"{NEARLY}{EACH}x.replace(y, 'c')",
    "one_of_many_beginnings": "x = 'a' * 500000\ny = ('a' * 250000 + 'b' + 'a' * 249998,) * 10000\nx.startswith(y)",
    "stripped_of_other_letters": f"x, y = '\u0101' * 250, '\u0102' * 249 + '\u0101'\n{EACH}x.strip(y)",
    "expanded_tabs": f"x = '\\t' * 2500\n{EACH}x.expandtabs(tabsize=300)",
    "written_out_letters": f"x = '\U000e0001' * 250\n{EACH}repr(x)",
    "long_texts_in_a_list": "x = ['a' * 900000] * 100000\nreturn 'a' * 899999 + 'b' in x",
    "stripped": f"x, y = 'a' * 255, 'b' * 254 + 'a'\n{EACH}x.strip(y)",
    "split": f"x = 'a ' * 127\n{EACH}x.split()",
    "joined": f"x = ['a'] * 255\n{EACH}','.join(x)",
    "filled_in": f"x, y = '{{}}' * 80, [1] * 80\n{EACH}x.format(*y)",
    "compared": f"x, y = 'a' * 255, 'a' * 254 + 'b'\n{EACH}{'; '.join(['x == y'] * 9)}",
    "written_date": f"d = date(2026, 1, 1)\n{EACH}d.strftime('%Y' * 120)",
    "read_date_in_many_ways": (
        f"y = '1' * 13\n{EACH}try:\n        datetime.strptime(y, '%f%j%d%H%M%S%m!')\n    "
        "except ValueError:\n        pass"
    ),
    "many_layouts": (f"{EACH}try:\n        datetime.strptime('1', f'%Y {{i}}')\n    except ValueError:\n        pass"),
    "read_date": f"{EACH}datetime.strptime('2026-01-01', '%Y-%m-%d')",
    # collections
    "sorted": f"x = [i * 7919 % 10007 for i in range(10000)]\n{EACH}sorted(x)",
    "sorted_by_a_key": f"x = [i * 7919 % 1009 for i in range(255)]\n{EACH}sorted(x, key=lambda v: -v)",
    "sorted_tuples": f"x = [(1, 1, 1, i * 7919 % 1009) for i in range(255)]\n{EACH}sorted(x)",
    "sorted_long_texts": f"x = ['a' * 9000 + str(i * 7919 % 1009) for i in range(255)]\n{EACH}sorted(x)",
    "largest": f"x = [i * 7919 % 1009 for i in range(255)]\n{EACH}max(x)",
    "any_of_them": f"x = [0] * 255\n{EACH}any(x)",
    "in_a_list": f"x = [*range(255)]\n{EACH}-1 in x",
    "in_a_list_of_tuples": f"x = [(1, i) for i in range(255)]\n{EACH}(1, -1) in x",
    "counted_in_a_list": f"x = [*range(255)]\n{EACH}x.count(-1)",
    "equal_dicts": f"x, y = {{str(i): i for i in range(255)}}, {{str(i): i for i in range(255)}}\n{EACH}x == y",
    "added_counters": f"x = Counter([str(i) for i in range(255)])\n{EACH}x + x",
    "positive_counts": f"x = Counter('ab')\n{EACH}+x",
    "negative_counts": f"x = Counter([str(i) for i in range(1000)])\n{EACH}-x",
    "subtracted_counts": f"x = Counter([str(i) for i in range(255)])\n{EACH}x.subtract(x)",
    "compared_counts": f"x = Counter([str(i) for i in range(255)])\n{EACH}x <= x",
    "most_common": f"x = Counter([str(i) for i in range(255)])\n{EACH}x.most_common(3)",
    "elements": "return list(Counter({'a': 10 ** 9}).elements())",
    "keys_and_elements": "return {}.keys() | Counter({'a': 10 ** 8}).elements()",
    "no_key_among_elements": "return {'b': 1}.keys().isdisjoint(Counter({'a': 10 ** 8}).elements())",
    "keys_and_a_range": "x = {'a': 1}\nfor _ in range(99):\n    x.keys() | range(200000)",
    "a_range_and_keys": "x = {'a': 1}\nfor _ in range(99):\n    range(200000) & x.keys()",
    "no_key_in_a_range": "x = {-1: 1}\nfor _ in range(99):\n    x.keys().isdisjoint(range(100000))",
    "keys_of_two": f"x, y = [{{str(i): i for i in range(255)}} for _ in 'ab']\n{EACH}x.keys() - y.keys()",
    "keys_within_others": "x, y = [{i << 40 + j: i for i in range(400)} for j in (0, 1)]\n"
    + EACH
    + "x.keys() <= y.keys()",
    "equal_sets_that_collide": f"x, y = [{{i << 40 + j for i in range(400)}} for j in (0, 1)]\n{EACH}x == y",
    "index_in_a_range": f"x = range(10 ** 5)\n{EACH}x.count(1.5)",
    "set_of_sets_in_order": f"x = {{(frozenset([i]), i) for i in range(99)}}\n{EACH}[y for y in x]",
    "set_in_order": f"x = {{str(i) for i in range(255)}}\n{EACH}[y for y in x]",
    "named_arguments": "def f(**a):\n    return 1\nx = {str(i): i for i in range(255)}\n" + EACH + "f(**x)",
    "zipped_wide": "x = [[]] * 9000\nx = [*x, [1] * 90]\n" + EACH + "list(zip_longest(*x))",
    "zipped_fifteen": "x = [[0] * 100000] * 15\nreturn [list(zip(*x)) for _ in range(100)]",
    "zipped_nothing": "x = [[]] * 90000\nreturn [list(zip(*x)) for _ in range(100)]",
    "chained_wide": "x = [[]] * 90000\nreturn [list(chain(*x)) for _ in range(100)]",
    "chained": f"x = [1] * 255\n{EACH}list(chain(x, x))",
    "pairwise": f"x = [1] * 255\n{EACH}list(pairwise(x))",
    "accumulated": f"x = [1] * 255\n{EACH}list(accumulate(x))",
    "skipped": f"x = [1] * 255\n{EACH}list(islice(x, 200, None))",
    "reduced": f"x = [1] * 255\n{EACH}reduce(lambda a, b: a + b, x)",
    # many statements in one turn
    "literals": f"{EACH}{'; '.join(['[]'] * 300)}",
    "lambdas": f"{EACH}{'; '.join(['lambda: i'] * 100)}",
    "subscripts": f"x = {{'a': 1}}\nk = 'a'\n{EACH}{'; '.join(['x[k]'] * 100)}",
    "assignments": f"{EACH}{'; '.join(['x = i'] * 300)}",
    "replaced_fields": f"p = Point(1, 2)\n{EACH}replace(p, a=3)",
    "raised": f"{EACH}try:\n        raise ValueError('x')\n    except ValueError:\n        pass",
    "added_days": f"d = date(2026, 1, 1)\n{EACH}d + timedelta(days=1)",
    # what is kept
    "kept_lists": f"x = []\n{EACH}x.append([[], [], [], []])",
    "kept_dicts": f"x = []\n{EACH}x.append({{'a': {{'b': i}}}})",
    "kept_sets": f"x = []\n{EACH}x.append({{'a'}})",
    "kept_functions": f"x = []\n{EACH}x.append(lambda: i)",
    "kept_points": f"x = []\n{EACH}x.append(Point(i, i))",
    "kept_texts": f"x = []\ny = '\\U0001f600' * 250\n{EACH}x.append(y + 'a')",
    "kept_slices": f"x = []\ny = '\\U0001f600' * 250\n{EACH}x.append(y[1:])",
    "kept_formats": f"x = []\n{EACH}x.append(f'{{i:1000d}}')",
    "kept_defaults": f"x = defaultdict(list)\n{EACH}x[str(i)]",
    # nested deep
    "deep_equality": DEEP + "return x == y",
    "deep_order": DEEP + "return x < y",
    "deep_text": DEEP + "return repr(x)",
    "deep_format": DEEP + "return '{}'.format(x)",
    "deep_key": "x = ()\nfor _ in range(10000):\n    x = (x,)\nreturn {x: 1}",
    "deep_in": DEEP + "return x in [y]",
    "deep_count": DEEP + "return [x].count(y)",
    "deep_remove": DEEP + "return [x].remove(y)",
    "deep_sort": DEEP + "return sorted([x, y])",
    "deep_maximum": DEEP + "return max([x, y])",
    "deep_groups": DEEP + "return [k for k, _ in groupby([x, y])]",
    "deep_median": DEEP + "return median([x, y, x])",
    "deep_mode": "x = ()\nfor _ in range(10000):\n    x = (x,)\nreturn mode([x])",
    "deep_set": "x = frozenset()\nfor _ in range(10000):\n    x = frozenset([x])",
    # functions within functions
    "recursion_by_a_dict": "c = {}\nc['f'] = lambda n: n and c['f'](n - 1)\nreturn c['f'](900)",
    "recursion_by_a_list": "c = []\nc.append(lambda n: n and c[0](n - 1))\nreturn c[0](900)",
    "recursion_by_map": "c = []\nc.append(lambda n: n and sum(map(c[0], [n - 1])))\nreturn c[0](900)",
    "recursion_by_a_key": "c = []\nc.append(lambda n: n and len(sorted([n - 1], key=c[0])))\nreturn c[0](900)",
    "recursion_by_reduce": "c = []\nc.append(lambda n, m: reduce(c[0], [n, m]))\nreturn c[0](1, 2)",
    "recursion_by_a_default": "c = []\nc.append(lambda: defaultdict(c[0])[1])\nreturn c[0]()",
    "recursion_that_is_caught": (
        "c = []\ndef f(n):\n    try:\n        return c[0](n) + [][1]\n    except (LookupError, TypeError):\n"
        "        return c[0](n)\nc.append(f)\nreturn f(1)"
    ),
    "chain_of_functions": "f = abs\nfor _ in range(900):\n    f = (lambda g: lambda x: g(x))(f)\nreturn f(1)",
}

DROPPED = {
    "lists": "x = []\nfor _ in range(60000):\n    x = [x]",
    "dicts": "x = {}\nfor _ in range(60000):\n    x = {'a': x}",
    "views": "x = {}\nfor _ in range(40000):\n    x = {'a': x}.values()",
    "points": "x = 1\nfor _ in range(20000):\n    x = Point(x, 1)",
    "pairs": "x = 1\nfor _ in range(20000):\n    x = Pair(x, 1)",
    "closures": "f = abs\nfor _ in range(20000):\n    f = (lambda g: lambda x: g(x))(f)",
    "counters": "x = 1\nfor _ in range(9000):\n    x = Counter({'a': x})",
    "defaultdicts": "x = 1\nfor _ in range(9000):\n    x = defaultdict(list, {'a': x})",
    "errors": (
        "k = [ValueError()]\nfor _ in range(9000):\n    try:\n        raise ValueError(1) from k[0]\n"
        "    except ValueError as e:\n        k[0] = e"
    ),
}

RUN = """
import json, sys, time
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (%d, %d))
except ImportError:
    pass
from runtime.errors import Rejection
from runtime.sandbox.bounded import allowed_builtins
from runtime.sandbox.budget import Budget
from runtime.sandbox.code import compile_module

def run(name, source, frames):
    if frames:
        return run(name, source, frames - 1)
    scope = {"__builtins__": allowed_builtins(), "__name__": "hostile"}
    exec(compile_module(source, name), scope)
    started = time.process_time()
    try:
        with Budget(%d):
            outcome = repr(scope["run"]())[:100]
    except Rejection as rejection:
        outcome = str(rejection)
    except Exception as error:
        outcome = repr(error)[:100]
    return [name, outcome, time.process_time() - started]

for name, source in json.load(sys.stdin).items():
    for frames in (0, 300):
        print(json.dumps(run(name, source, frames)), flush=True)
"""


def program(body: str) -> str:
    return f"{TOP}\ndef run():\n{textwrap.indent(body, '    ')}\n"


@pytest.fixture(scope="module")
def ends() -> dict[str, list[tuple[str, float]]]:
    """How each program ended and how long it took, called from few frames and from many."""
    sources = {name: program(body) for name, body in (USED_UP | DROPPED).items()}
    sources["loop"] = program(f"for i in range({STEPS - 9}):\n    pass")
    done = subprocess.run(
        [sys.executable, "-c", RUN % (MEMORY, MEMORY, STEPS)],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-500:]
    found: dict[str, list[tuple[str, float]]] = {}
    for line in done.stdout.splitlines():
        name, outcome, seconds = json.loads(line)
        found.setdefault(name, []).append((outcome, seconds))
    return found


@pytest.mark.parametrize("name", USED_UP)
def test_a_program_that_would_use_the_call_up_is_rejected_soon(
    name: str, ends: dict[str, list[tuple[str, float]]]
) -> None:
    loop = min(seconds for _, seconds in ends["loop"])
    (first, seconds), (deeper, more) = ends[name]
    assert first.startswith("RESOURCE_EXHAUSTED")
    assert first == deeper
    assert min(seconds, more) < TIMES_A_LOOP * loop


@pytest.mark.parametrize("name", DROPPED)
def test_what_is_nested_deep_can_be_dropped(name: str, ends: dict[str, list[tuple[str, float]]]) -> None:
    assert [outcome for outcome, _ in ends[name]] == ["None", "None"]
