"""The child process of a foreign set: reads a request a line, answers in a line of JSON; standard library only."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import inspect
import json
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_LONGEST_ANSWER = 20_000  # characters of what a tool said


class OverlaidRecords(dict):  # type: ignore[type-arg]
    """A collection of records whose records are copied when they are first looked up by their key."""

    def __init__(self, base: Mapping[Any, Any]) -> None:
        super().__init__(base)
        self.base, self.touched = base, set[Any]()

    def __getitem__(self, key: Any) -> Any:
        if key not in self.touched and key in self:
            super().__setitem__(key, copy.deepcopy(super().__getitem__(key)))
            self.touched.add(key)
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return a record of our own, or the default."""
        return self[key] if key in self else default  # noqa: SIM401 (get itself is defined here)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.touched.add(key)

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self.touched.add(key)

    def values(self) -> Any:
        """Return all records, each one that is handed out a copy of our own."""
        return [self[key] for key in self]

    def items(self) -> Any:
        """Return all keys and records, each one that is handed out a copy of our own."""
        return [(key, self[key]) for key in self]

    def changed(self) -> dict[str, list[str | None]]:
        """Return the records that differ from the base, as texts before and after; None where there is none."""
        found: dict[str, list[str | None]] = {}
        for key in self.touched:
            now = as_text(dict.__getitem__(self, key)) if key in self else None
            before = as_text(self.base[key]) if key in self.base else None
            if now != before:
                found[str(key)] = [before, now]
        return found


def as_plain(value: Any) -> Any:
    """Return what a tool gave as JSON's types."""
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def as_text(value: Any) -> str:
    """Return a value as one line of JSON with sorted keys."""
    return json.dumps(value, sort_keys=True, default=as_plain)


def digest(value: Any) -> str:
    """Return 16 hexadecimal digits that stand for a value."""
    return hashlib.sha256(as_text(value).encode()).hexdigest()[:16]


def leaves(value: Any) -> Iterator[Any]:
    """Yield all that a tree of mappings and lists holds at its ends."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def inside(root: Path, *parts: str) -> Path:
    """Return a file of the set; errors: SystemExit with a sentence if it is missing, or a link that leads out."""
    path = root.joinpath(*parts)
    if not path.is_file():
        raise SystemExit(f"{str(path)!r} is missing; fetch the set with its data.")
    if not path.resolve().is_relative_to(root.resolve()):
        raise SystemExit(f"{str(path)!r} is a link to a place outside {str(root)!r}; a set's files lie in its folder.")
    return path


def load_module(name: str, path: Path) -> types.ModuleType:
    """Run a file as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{str(path)!r} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def attempt(
    function: Callable[..., Any], arguments: Mapping[str, Any], write: Callable[[Any], str] | None = None
) -> dict[str, Any]:
    """Call a tool; whatever it raises is an answer too. `write` is how the set tells an answer (default: as JSON)."""
    try:
        return {"text": (write or as_text)(function(**arguments))[:_LONGEST_ANSWER], "error": False}
    except Exception as error:
        return {"text": f"{type(error).__name__}: {error}"[:400], "error": True}


class ForeignCall:
    """What a rule is asked about: `tool`, `arguments`, and `item`, the argument that its `on` names."""

    def __init__(self, tool: str, arguments: Mapping[str, Any], item: Any) -> None:
        self.tool, self.arguments, self.item = tool, arguments, item


def load_rules(path: str) -> list[Any]:
    """Return the rules of a file, each a function with `code`, `on` and `numbers`, as `runtime.rules` declares them."""
    found: list[Any] = []

    def rule(code: str, *, on: Mapping[str, str | None], reads: Any = (), **numbers: int) -> Any:
        def keep(function: Any) -> Any:
            function.code, function.on, function.numbers = code, on, numbers
            function.said = " ".join((inspect.getdoc(function) or code).format(**numbers).split())
            found.append(function)
            return function

        return keep

    package, module = types.ModuleType("runtime"), types.ModuleType("runtime.rules")
    vars(module).update(rule=rule, Call=ForeignCall)
    sys.modules |= {"runtime": package, "runtime.rules": module}
    load_module("audited_rules", Path(path))
    return found


def broken_rules(rules: list[Any], name: str, arguments: Mapping[str, Any], now: Any) -> list[list[str]]:
    """Return the code and the sentence of every rule that a call would break in this state."""
    found = []
    for rule in rules:
        if name in rule.on:
            call = ForeignCall(name, arguments, arguments.get(rule.on[name] or ""))
            try:
                holds = rule(call, now, now, **rule.numbers)
            except (KeyError, IndexError, AttributeError):
                continue  # it names a record that is not there: the replay tells of that
            if not holds:
                found.append([rule.code, rule.said])
    return found


def main() -> None:
    """Serve one set: `serve.py BRIDGE OPTIONS`, options as JSON."""
    mine = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the set prints is no answer
    bridge, options = sys.argv[1], json.loads(sys.argv[2])
    sys.modules["serve"] = sys.modules["__main__"]
    try:
        opened = load_module("bridge", Path(bridge)).open_set(options)
        _limit(options["memory_mib"])
    except ModuleNotFoundError as error:
        opened, fault = None, f"The set needs the package {error.name!r}; give an interpreter that has it by --python."
    except SystemExit as error:
        opened, fault = None, str(error)
    except Exception as error:
        opened, fault = None, f"The set cannot be opened: {type(error).__name__}: {error}"
    for line in sys.stdin:
        asked = json.loads(line)
        told: Any
        if opened is None:
            told = {"fault": fault}
        else:
            try:
                told = {"told": getattr(opened, asked["do"])(*asked["with"])}
            except Exception as error:
                told = {"fault": f"{asked['do']} failed: {type(error).__name__}: {error}"[:400]}
        mine.write(json.dumps(told, default=as_plain) + "\n")
        mine.flush()


def _limit(mebibytes: int) -> None:
    """Let this process write no file from here on, and have no more memory than this."""
    try:
        import resource
    except ImportError:
        return  # Windows: the time limit is all there is
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))


if __name__ == "__main__":
    main()
