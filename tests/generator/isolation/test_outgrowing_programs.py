"""Hostile programs that would use up memory, time or the stack: their calls end within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.isolation.containing import contain, program

PROGRAMS = [
    program("text_times", "return said('a' * 10 ** 10)", "RESOURCE_EXHAUSTED"),
    program("list_times", "return said(str(len([0] * 10 ** 9)))", "RESOURCE_EXHAUSTED"),
    program("times_reversed", "return said(str(len(10 ** 9 * [0])))", "RESOURCE_EXHAUSTED"),
    program("tuple_times", "return said(str(len((0,) * 10 ** 9)))", "RESOURCE_EXHAUSTED"),
    program("grid", "return said(str(len([[0] * 10000 for _ in range(100000)])))", "RESOURCE_EXHAUSTED"),
    program("ljust", "return said('a'.ljust(10 ** 10))", "RESOURCE_EXHAUSTED"),
    program("zfill", "return said('a'.zfill(10 ** 10))", "RESOURCE_EXHAUSTED"),
    program("center", "return said('a'.center(10 ** 10, '*'))", "RESOURCE_EXHAUSTED"),
    program("rjust_by_name_in_a_list", "return said([x.rjust(10 ** 10) for x in ['a']][0])", "RESOURCE_EXHAUSTED"),
    program("expandtabs", "return said('\\t\\t'.expandtabs(10 ** 9))", "RESOURCE_EXHAUSTED"),
    program("f_string_width", "return said(f'{1:>9999999999}')", "RESOURCE_EXHAUSTED"),
    program("f_string_computed_width", "n = 9999999999\nreturn said(f'{1:>{n}}')", "RESOURCE_EXHAUSTED"),
    program("format_width", "return said(format(1, '>9999999999'))", "RESOURCE_EXHAUSTED"),
    program("format_method_width", "return said('{:>9999999999}'.format(1))", "RESOURCE_EXHAUSTED"),
    program("format_precision", "return said(f'{1.5:.999999999f}')", "RESOURCE_EXHAUSTED"),
    program(
        "computed_format_width", "layout = '{:>' + '9' * 10 + '}'\nreturn said(layout.format(1))", "RESOURCE_EXHAUSTED"
    ),
    program("power", "return said(str(10 ** 10 ** 10))", "RESOURCE_EXHAUSTED"),
    program("power_of_three", "return said(str(pow(3, 10 ** 9, 10 ** 4000)))", "RESOURCE_EXHAUSTED"),
    program("negative_power", "return said(str(10 ** -(10 ** 9)))", "RESULT: "),
    program("shift", "return said(str(1 << 10 ** 10))", "RESOURCE_EXHAUSTED"),
    program("float_power", "return said(str(10.0 ** 10 ** 3))", "INVALID_ARGUMENT"),
    program(
        "decimal_power", "return said(str(Decimal(10) ** 10 ** 9))", "INVALID_ARGUMENT", "from decimal import Decimal\n"
    ),
    program(
        "decimal_exponent",
        "return said(str(int(Decimal('1e999999999'))))",
        "RESOURCE_EXHAUSTED",
        "from decimal import Decimal\n",
    ),
    program(
        "decimal_quantize",
        "return said(f\"{Decimal(1).quantize(Decimal('1e-999999'))}\")",
        "RESOURCE_EXHAUSTED",
        "from decimal import Decimal\n",
    ),
    program("integer_text", "return said(str(int('9' * 4300) * int('9' * 4300)))", "RESOURCE_EXHAUSTED"),
    program("join_bomb", "x = 'ab'\nfor _ in range(60):\n    x = x.join([x, x])\nreturn said(x)", "RESOURCE_EXHAUSTED"),
    program("join_of_a_long_separator", "x = 'a' * 900000\nreturn said(x.join(['', ''] * 1000))", "RESOURCE_EXHAUSTED"),
    program(
        "replace_bomb", "x = 'aa'\nfor _ in range(60):\n    x = x.replace('a', x)\nreturn said(x)", "RESOURCE_EXHAUSTED"
    ),
    program("replace_of_nothing", "x = 'a' * 900000\nreturn said(x.replace('', 'b' * 1000))", "RESOURCE_EXHAUSTED"),
    program(
        "format_doubling",
        "x = 'a'\nfor _ in range(60):\n    x = '{0}{0}'.format(x)\nreturn said(x)",
        "RESOURCE_EXHAUSTED",
    ),
    program("sorted_range", "return said(str(sorted(range(10 ** 9))))", "RESOURCE_EXHAUSTED"),
    program("materialised_range", "return said(str([*range(10 ** 9)]))", "RESOURCE_EXHAUSTED"),
    program("range_as_arguments", "return said(str(max(*range(10 ** 9))))", "RESOURCE_EXHAUSTED"),
    program("set_of_a_range", "return said(str(len(set(range(10 ** 9)))))", "RESOURCE_EXHAUSTED"),
    program("dict_of_a_zip", "return said(str(len(dict(zip(range(10 ** 9), range(10 ** 9))))))", "RESOURCE_EXHAUSTED"),
    program(
        "product_by_comprehension",
        "return said(str(len([1 for a in range(10000) for b in range(10000)])))",
        "RESOURCE_EXHAUSTED",
    ),
    program("split_bomb", "return said(str([('a ' * 400000).split() for _ in range(1000)]))", "RESOURCE_EXHAUSTED"),
    program(
        "list_of_the_text", "x = 'a' * 900000\nreturn said(str([list(x) for _ in range(1000)]))", "RESOURCE_EXHAUSTED"
    ),
    program(
        "partition_tree",
        "x = 'a' * 900000\nreturn said(str([x.partition('a') for _ in range(100000)]))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "reversed_list_copies",
        "x = list(range(900000))\nreturn said(str(len([list(reversed(x)) for _ in range(1000)])))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "counter_elements",
        "c = Counter()\nc['a'] = 10 ** 12\nreturn said(str(list(c.elements())))",
        "RESOURCE_EXHAUSTED",
        "from collections import Counter\n",
    ),
    program(
        "counter_times",
        "c = Counter({'a': 10 ** 12})\nreturn said(str(sum(1 for _ in c.elements())))",
        "RESOURCE_EXHAUSTED",
        "from collections import Counter\n",
    ),
    program("list_that_holds_itself", "x = []\nx.append(x)\nreturn said(str(x))", "RESOURCE_EXHAUSTED"),
    program("dict_that_holds_itself", "x = {}\nx['x'] = x\nreturn said(str(x == x))", "RESOURCE_EXHAUSTED"),
    program(
        "list_that_holds_itself_compared",
        "x, y = [], []\nx.append(y)\ny.append(x)\nreturn said(str(x == y))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "deep_closure_chain",
        "f = abs\nfor _ in range(60000):\n    f = (lambda g: lambda x: g(x))(f)\nreturn said(str(f(1)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "doubling_result", "x = 'a' * 900\nfor _ in range(12):\n    x = x + x\nreturn said(x)", "RESOURCE_EXHAUSTED"
    ),
    program("sum_of_a_range", "return said(str(sum(range(10 ** 12))))", "RESOURCE_EXHAUSTED"),
    program("max_of_a_range", "return said(str(max(range(10 ** 12))))", "RESOURCE_EXHAUSTED"),
    program("min_of_a_map", "return said(str(min(map(abs, range(10 ** 12)))))", "RESOURCE_EXHAUSTED"),
    program("all_of_a_range", "return said(str(all(range(1, 10 ** 12))))", "RESOURCE_EXHAUSTED"),
    program("any_of_a_map", "return said(str(any(map(bool, [0] * 10 ** 6 * 10))))", "RESOURCE_EXHAUSTED"),
    program("float_in_a_range", "return said(str(0.5 in range(10 ** 12)))", "RESOURCE_EXHAUSTED"),
    program("text_in_a_range", "return said(str('a' in range(10 ** 12)))", "RESOURCE_EXHAUSTED"),
    program("count_in_a_range", "return said(str(range(10 ** 12).count(0.5)))", "RESOURCE_EXHAUSTED"),
    program("index_in_a_range", "return said(str(range(10 ** 12).index(0.5)))", "RESOURCE_EXHAUSTED"),
    program("list_of_a_zip", "return said(str(list(zip(range(10 ** 12), range(10 ** 12)))))", "RESOURCE_EXHAUSTED"),
    program(
        "count_in_a_text",
        "x = 'a' * 900000\nreturn said(str(sum(x.count('ab') for _ in range(10 ** 6))))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "find_the_hard_way",
        "x, y = 'a' * 900000, 'a' * 400000 + 'b'\nreturn said(str([x.find(y) for _ in range(10000)]))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "rfind_the_hard_way",
        "x, y = 'a' * 900000, 'b' + 'a' * 400000\nreturn said(str(x.rfind(y)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "in_the_hard_way",
        "x, y = 'a' * 900000, 'a' * 400000 + 'b'\nreturn said(str([y in x for _ in range(10000)]))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "split_the_hard_way",
        "x, y = 'a' * 900000, 'a' * 400000 + 'b'\nreturn said(str(len([x.split(y) for _ in range(10000)])))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "replace_the_hard_way",
        "x, y = 'a' * 900000, 'a' * 400000 + 'b'\nreturn said(str(len([x.replace(y, '') for _ in range(10000)])))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "rsplit_the_hard_way",
        "x, y = 'a' * 900000, 'b' + 'a' * 400000\nreturn said(str(len(x.rsplit(y))))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "statistics_of_a_range",
        "return said(str(mean(range(10 ** 12))))",
        "RESOURCE_EXHAUSTED",
        "from statistics import mean\n",
    ),
    program(
        "stdev_of_many",
        "return said(str(stdev(list(range(900000)))))",
        "RESOURCE_EXHAUSTED",
        "from statistics import stdev\n",
    ),
    program(
        "mode_of_many",
        "return said(str([mode(range(900000)) for _ in range(100)]))",
        "RESOURCE_EXHAUSTED",
        "from statistics import mode\n",
    ),
    program(
        "fsum_of_a_range", "return said(str(fsum(range(10 ** 12))))", "RESOURCE_EXHAUSTED", "from math import fsum\n"
    ),
    program(
        "fsum_of_far_floats",
        "x = [1e308, -1e308, 1e-308] * 300000\nreturn said(str([fsum(x) for _ in range(1000)]))",
        "RESOURCE_EXHAUSTED",
        "from math import fsum\n",
    ),
    program(
        "isqrt",
        "x = 2 ** 4095\nreturn said(str([isqrt(x) for _ in range(10 ** 6)][0]))",
        "RESOURCE_EXHAUSTED",
        "from math import isqrt\n",
    ),
    program(
        "reduce_of_a_range",
        "return said(str(reduce(lambda a, b: a + b, range(10 ** 12))))",
        "RESOURCE_EXHAUSTED",
        "from functools import reduce\n",
    ),
    program(
        "reduce_of_products",
        "return said(str(reduce(lambda a, b: a * b, range(1, 10 ** 6))))",
        "RESOURCE_EXHAUSTED",
        "from functools import reduce\n",
    ),
    program(
        "accumulate_of_a_range",
        "return said(str(max(accumulate(range(10 ** 12)))))",
        "RESOURCE_EXHAUSTED",
        "from itertools import accumulate\n",
    ),
    program(
        "islice_far_into_a_range",
        "return said(str(list(islice(range(10 ** 12), 10 ** 11, None))))",
        "RESOURCE_EXHAUSTED",
        "from itertools import islice\n",
    ),
    program(
        "takewhile",
        "return said(str(sum(takewhile(lambda x: True, range(10 ** 12)))))",
        "RESOURCE_EXHAUSTED",
        "from itertools import takewhile\n",
    ),
    program(
        "groupby",
        "return said(str(len(list(groupby(range(10 ** 12))))))",
        "RESOURCE_EXHAUSTED",
        "from itertools import groupby\n",
    ),
    program(
        "zip_longest",
        "return said(str(len(list(zip_longest(range(10 ** 12), [])))))",
        "RESOURCE_EXHAUSTED",
        "from itertools import zip_longest\n",
    ),
    program(
        "pairwise",
        "return said(str(max(pairwise(range(10 ** 12)))))",
        "RESOURCE_EXHAUSTED",
        "from itertools import pairwise\n",
    ),
    program("append_while_going", "x = [1]\nfor y in x:\n    x.append(y)\nreturn said('')", "RESOURCE_EXHAUSTED"),
    program(
        "date_of_many_days",
        "return said(str(date(1, 1, 1) + timedelta(days=10 ** 9)))",
        "INVALID_ARGUMENT",
        "from datetime import date, timedelta\n",
    ),
    program(
        "timedelta_times",
        "return said(str(timedelta(days=1) * 10 ** 20))",
        "INVALID_ARGUMENT",
        "from datetime import timedelta\n",
    ),
    program(
        "divmod_of_large_numbers",
        "x, y = 10 ** 1200, 10 ** 600 + 1\nfor _ in range(10 ** 6):\n    divmod(x, y)\nreturn said('')",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "floor_division",
        "x, y = 10 ** 1200, 10 ** 600 + 1\nfor _ in range(10 ** 6):\n    x // y\nreturn said('')",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "multiplied_numbers",
        "x = 2 ** 2040\nfor _ in range(10 ** 6):\n    x * x\nreturn said('')",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "text_of_numbers",
        "x = 10 ** 1200\nreturn said(str(len([str(x) for _ in range(10 ** 6)])))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "compared_texts",
        "x, y = 'a' * 900000, 'a' * 899999 + 'b'\nreturn said(str([x < y for _ in range(10 ** 6)]))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "sorted_texts",
        "x = ['a' * 10000 + str(n) for n in range(90)] * 1000\nreturn said(str(len(sorted(x))))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "recursion_by_a_dict_of_lambdas",
        "table = {}\ntable['f'] = lambda x: table['f'](x)\nreturn said(str(table['f'](1)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "recursion_by_a_list_of_lambdas",
        "made = []\nmade.append(lambda x: made[0](x))\nreturn said(str(made[0](1)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "recursion_by_map",
        "call = {}\ncall['f'] = lambda x: list(map(call['f'], [x]))\nreturn said(str(call['f'](1)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "recursion_by_reduce",
        "call = {}\ncall['f'] = lambda a, b: reduce(call['f'], [a, b])\nreturn said(str(call['f'](1, 2)))",
        "RESOURCE_EXHAUSTED",
        "from functools import reduce\n",
    ),
    program(
        "recursion_by_max",
        "call = {}\ncall['f'] = lambda a: max([a], key=call['f'])\nreturn said(str(call['f'](1)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "recursion_by_defaultdict",
        "call = {}\ncall['f'] = lambda: defaultdict(call['f'])[1]\nreturn said(str(call['f']()))",
        "RESOURCE_EXHAUSTED",
        "from collections import defaultdict\n",
    ),
    program(
        "recursion_caught",
        "table = {}\ndef dive(n):\n    try:\n        return table['f'](n)\n"
        "    except (ValueError, TypeError, KeyError, ArithmeticError, AttributeError, LookupError):\n"
        "        return 0\ntable['f'] = dive\nreturn said(str(dive(1)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "recursion_in_a_tree",
        "table = {}\ntable['f'] = lambda n: n and table['f'](n - 1) + table['f'](n - 1)\n"
        "return said(str(table['f'](60)))",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "row_that_is_not_finite",
        "db.insert('thing', thing_id='x', label='a', amount=2 ** 70)\nreturn said('')",
        "INVALID_ARGUMENT",
    ),
    program(
        "filled_database",
        "for n in range(10 ** 6):\n    db.insert('thing', thing_id=str(n), label='a' * 200000)\nreturn said('')",
        "RESOURCE_EXHAUSTED",
    ),
    program(
        "text_too_long_for_a_row",
        "db.insert('thing', thing_id='x', label='a' * 900000)\nreturn said('')",
        "RESOURCE_EXHAUSTED",
    ),
    program("ids_used_up", "for _ in range(10 ** 6):\n    db.new_id('thing')\nreturn said('')", "RESOURCE_EXHAUSTED"),
    program("result_that_holds_itself", "x = {'said': 'a'}\nx['x'] = x\nreturn x", "RESOURCE_EXHAUSTED"),
    program(
        "deep_defaultdict",
        "x = [1]\nfor _ in range(9000):\n    x = defaultdict(list, {1: x})\nreturn said('built')",
        "RESULT: ",
        "from collections import defaultdict\n",
    ),
]


@pytest.mark.parametrize(("body", "top", "ends"), PROGRAMS)
def test_a_program_that_would_not_end_is_contained(body: str, top: str, ends: str, tmp_path: Path) -> None:
    contain(tmp_path, body, top, ends)
