"""Which columns a rule decides by: those that its code, or what it calls in its own file, names in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from types import CodeType, FunctionType
from typing import Any

_WORD = re.compile(r"\w+")


def columns_named(function: Callable[..., Any], columns: Collection[str]) -> frozenset[str]:
    """Those of some columns that stand in a text of a function, in SQL or as a key of a row."""
    return frozenset(word for text in _texts_of(function, set()) for word in _WORD.findall(text)) & frozenset(columns)


def _texts_of(function: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    for code in _codes_of(function.__code__):
        for constant in code.co_consts:
            if constant != function.__doc__:
                yield from _texts_in(constant)
        for name in code.co_names:
            found = function.__globals__.get(name)
            if isinstance(found, FunctionType) and found.__module__ == function.__module__:
                yield from _texts_of(found, seen)
            else:
                yield from _texts_in(found)


def _codes_of(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_of(constant)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list | set | frozenset | dict):
        for each in value:
            yield from _texts_in(each)
