"""Threads may read code side by side."""

from __future__ import annotations

import ast
import sys
from concurrent.futures import ThreadPoolExecutor

from runtime.sandbox.syntax import compile_tree, parse

NESTED = "value = " + "(" * 40 + "1" + ",)" * 40
LONG = "\n".join(f"def f{number}(a, b):\n    return [a + {number} * b for b in range(a)]" for number in range(200))


def test_many_threads_parse_and_compile_at_once() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # let the threads take turns inside of the parser, where it can be
    try:
        with ThreadPoolExecutor(8) as threads:
            trees = list(threads.map(parse, [NESTED, LONG] * 60))
            codes = list(threads.map(compile_tree, trees, ["text.py"] * len(trees)))
    finally:
        sys.setswitchinterval(before)
    assert {ast.dump(tree) for tree in trees} == {ast.dump(ast.parse(text)) for text in (NESTED, LONG)}
    assert len(codes) == 120
