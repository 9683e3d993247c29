"""A file whose calls could not be bounded is refused when it is loaded, in words that say what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.errors import BrokenDomain
from runtime.sandbox.code import load_module

TOP = """
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from itertools import accumulate

"""

REFUSED = {
    "by_a_tuple": ("def f(n):\n    return F[0](n)\nF = (f,)\n", "'f' calls itself"),
    "by_a_dict": ("F = {'f': 'g'}\nG = {'f': f}\ndef f(n):\n    return G['f'](n)\n", "'f' calls itself"),
    "by_two_constants": ("def f(n):\n    return A[0][0](n)\nB = (f,)\nA = (B,)\n", "'f' calls itself"),
    "by_a_function_between": (
        "def f(n):\n    return g(n)\ndef g(n):\n    return F[0](n)\nF = (f,)\n",
        "'f' calls itself",
    ),
    "by_a_default": ("def f(n, g=F):\n    return g[0](n)\nF = (f,)\n", "'f' calls itself"),
    "by_a_field": ("@dataclass\nclass C:\n    a: int = F\ndef f():\n    return C()\nF = (f,)\n", "'f' calls itself"),
    "by_a_lambda": ("def h():\n    f = lambda n: F[0](n)\n    return f\nF = (h,)\n", "'h' calls itself"),
    "kept_map": ("def f(x):\n    x = map(abs, x)\n    return x\n", "an iterator that is kept"),
    "kept_generator": ("def f(x):\n    x = (y for y in x)\n    return x\n", "a generator that is kept"),
    "returned_generator": ("def f(x):\n    return (y for y in x)\n", "a generator that is kept"),
    "appended_iterator": ("def f(x):\n    x.append(zip(x, x))\n", "an iterator that is kept"),
    "passed_iterator": ("def g(x):\n    return 1\ndef f(x):\n    return g(map(abs, x))\n", "an iterator that is kept"),
    "iterator_by_max": ("def f(x):\n    return max(map(abs, x), [], key=str)\n", "an iterator that is kept"),
    "iterator_by_reduce": ("def f(x):\n    return reduce(abs, [], map(abs, x))\n", "an iterator that is kept"),
    "iterator_by_accumulate": ("def f(x):\n    return [*accumulate([], initial=map(abs, x))]\n", "that is kept"),
    "map_as_a_value": ("def f(x):\n    return reduce(map, x)\n", "'map' as a value"),
    "deep_comprehensions": (f"def f(x):\n    return {'[' * 8}x{' for _ in x]' * 8}\n", "more than 6 comprehensions"),
    "deep_expression": (f"def f(x):\n    return {'-' * 170}x\n", "nested too deeply"),
    "large_number": (f"X = {2**256}\n", "more than 256 bits"),
    "large_key": (f"X = {{{2**61 - 1}: 1}}\n", "as a key"),
    "many_keys": (f"X = {{{', '.join(map(str, range(2000)))}}}\n", "2000 keys in one place"),
    "exponential": ("def f(x):\n    return x.exp()\n", "the attribute 'exp'"),
    "decimal_of_a_float_by_a_method": ("def f(x):\n    return x.from_float(1e-300)\n", "the attribute 'from_float'"),
    "long_decimal_constant": (f"X = Decimal('{'9' * 200}')\n", "more than 100 digits"),
    "long_decimal_default": (f"def f(x=Decimal('{'9' * 200}')):\n    return x\n", "more than 100 digits"),
    "far_decimal_constant": ("X = Decimal('1e999999')\n", "more than 1000 digits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_could_not_be_bounded_is_refused(name: str, tmp_path: Path) -> None:
    source, fault = REFUSED[name]
    path = tmp_path / "tools.py"
    path.write_text(f"{TOP}{source}")
    with pytest.raises(BrokenDomain) as raised:
        load_module(path, "worldsmith_test.unbounded")
    assert fault in str(raised.value)
