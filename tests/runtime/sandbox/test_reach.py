"""Whatever a domain's code can reach, attribute by attribute and call by call, nothing of the machinery is among it."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, GeneratorType, MappingProxyType, ModuleType, TracebackType
from typing import Any

from runtime.domain.load import load_domain
from runtime.domain.rule import Call
from runtime.sandbox.allowed import ATTRIBUTES, AUTHOR_MODULES, MACHINE, MODULES
from runtime.sandbox.budget import _INJECTED, Budget, _method, allowed_builtins, import_allowed
from runtime.session.past import Office
from runtime.session.session import Session
from runtime.session.workspace import Limits, Workspace
from runtime.session.world import WorldBuilder, build_world
from runtime.task.story import Story
from tests.making import write_domain

HELD = (sqlite3.Connection, sqlite3.Cursor, ModuleType, FrameType, CodeType, TracebackType, partial, Workspace, Session)
MOST = 20_000


def values_of_the_language() -> Iterator[tuple[str, Any]]:
    texts = import_allowed("decimal", wanted=["Decimal"])
    dates = import_allowed("datetime", wanted=["date", "datetime", "time", "timedelta"])
    yield "decimal", texts.Decimal("1.5")
    yield from vars(dates).items()
    yield from {
        "day": dates.date(2026, 3, 16),
        "moment": dates.datetime(2026, 3, 16, 9, 30),
        "hour": dates.time(9, 30),
        "while": dates.timedelta(days=1),
        "text": "a text",
        "list": [3, 1],
        "tuple": (1, 2),
        "set": {1, 2},
        "frozen": frozenset({1}),
        "dict": {"a": 1},
        "view": {"a": 1}.keys(),
        "constant": MappingProxyType({"a": (1,)}),
        "counts": Counter("aab"),
        "defaults": defaultdict(list),
        "whole": 1,
        "real": 1.5,
        "range": range(3),
        "error": ValueError("a"),
        "generator": (each for each in [1]),
        "lambda": lambda: 1,
    }.items()


def offered() -> Iterator[tuple[str, Any]]:
    """Yield what a program is given without a call: builtins, what it is rewritten to call, and imports."""
    for name, value in allowed_builtins().items():
        if name not in ("__import__", "__build_class__"):
            yield name, value
    for module in MODULES.keys() - {"typing", "collections.abc", "__future__"}:
        for name in MODULES[module]:
            yield f"{module}.{name}", getattr(import_allowed(module, wanted=[name]), name)
    for module in AUTHOR_MODULES:
        for name in __import__(module, fromlist=["__all__"]).__all__:
            if not name[0].isupper() or name == "Rejection":  # types are names of annotations only
                yield name, getattr(import_allowed(module, wanted=[name]), name)


def walk(pending: list[tuple[str, Any]]) -> int:
    """Go through every attribute that a program may name, and through what calls of it return."""
    seen: set[tuple[Any, ...]] = set()
    count = 0
    while pending and count < MOST:
        path, value = pending.pop()
        name = path.rsplit(".", 1)[-1]  # bounded methods have one name
        mark = (type(value), f"{value.__qualname__} {name}" if hasattr(value, "__qualname__") else str(value)[:80])
        if mark in seen:
            continue
        seen.add(mark)
        count += 1
        assert not isinstance(value, HELD), path
        assert not (isinstance(value, dict) and "__builtins__" in value), path
        if path.count(".") > 4:
            continue
        for name in ATTRIBUTES:
            try:
                found = _method(getattr(value, name))
            except Exception:  # noqa: S112  it has none, or gives none
                continue
            assert not (name in MACHINE and callable(found)), f"{path}.{name}"
            pending.append((f"{path}.{name}", found))
        for arguments in ((), ("text",), (1,), ([1, 2],), ("thing", "T1")) if callable(value) else ():
            try:
                pending.append((f"{path}.({arguments})", value(*arguments)))
            except Exception:  # noqa: S112  not this way
                continue
        if isinstance(value, list | tuple | set):
            pending += [(f"{path}.[]", each) for each in list(value)[:5]]
        elif isinstance(value, dict):
            pending += [(f"{path}.[]", each) for each in list(value.values())[:5]]
        elif isinstance(value, GeneratorType):
            pending += [(f"{path}.next", each) for each in list(value)[:5]]
    assert not pending, "the walk did not end"
    return count


def test_no_program_reaches_the_machinery(tmp_path: Path) -> None:
    domain = load_domain(write_domain(tmp_path))
    roots = [*offered(), *values_of_the_language(), *_INJECTED.items()]

    def populate(world: WorldBuilder) -> None:
        world.insert("thing", thing_id="T1", label="a thing", amount=1)
        with Budget(10**9):
            assert walk([("world", world)]) > 20

    world = build_world(populate, domain.schema, domain.policies, domain.now, 1, 10)
    with Session(domain, world) as session:
        workspace = session.open()
        with workspace.enter_call(domain.tools["do_nothing"], Limits()):
            roots.append(("db", session._database))
            roots.append(("office", Office(domain, world.open(), 1, 10)))
            roots.append(("story", Story(session, 1)))
            roots.append(("call", Call("do_nothing", {"a": [1]}, "T1")))
            with Budget(10**9):
                assert walk(roots) > 500
        workspace.leave_call()


def test_every_name_that_handles_have_is_listed() -> None:
    for kind in (Story, WorldBuilder, Office, Call):
        missing = {name for name in dir(kind) if name[0] != "_"} - ATTRIBUTES
        assert missing <= {"counter"}, kind
    assert not {"func", "args", "keywords", "obj", "gen", "gi_frame", "declaration", "origin"} & ATTRIBUTES
