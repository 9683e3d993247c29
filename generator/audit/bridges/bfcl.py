"""BFCL multi-turn, from the unpacked `bfcl-eval` package: its classes are made anew for every replay."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any

from serve import as_text, attempt, digest, inside  # type: ignore

_FILES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
_STATELESS = ("MathAPI",)


class BfclSet:
    """The tasks of a category: fixed user turns, whose golds are calls written as Python."""

    def __init__(self, options: dict[str, Any]) -> None:
        root = Path(options["data"])
        name = f"BFCL_v4_multi_turn_{options['name']}.json"
        lines = inside(root, "bfcl_eval", "data", name).read_text(encoding="utf-8").splitlines()
        golds = inside(root, "bfcl_eval", "data", "possible_answer", name).read_text(encoding="utf-8").splitlines()
        sys.path.insert(0, str(root))
        self.tasks = {each["id"]: each for each in map(json.loads, lines)}
        self.golds = {each["id"]: each["ground_truth"] for each in map(json.loads, golds)}
        self.is_long = options["name"] == "long_context"

    def _open(self, task: str) -> dict[str, Any]:
        made = {}
        for name in self.tasks[task]["involved_classes"]:
            path = f"bfcl_eval.eval_checker.multi_turn_eval.func_source_code.{_FILES[name]}"
            made[name] = getattr(importlib.import_module(path), name)()
            if name not in _STATELESS:
                start = copy.deepcopy(self.tasks[task]["initial_config"].get(name, {}))
                made[name]._load_scenario(start, long_context=self.is_long)
        return made

    def describe(self) -> dict[str, Any]:
        """Return the tasks with their golds; which tools write is found by replaying."""
        return {"tasks": [self._task(each) for each in self.tasks], "writes": [], "sets": []}

    def _task(self, task: str) -> dict[str, Any]:
        tools = self._tools(self._open(task))
        calls = [self._read(each, tools) for turn in self.golds[task] for each in turn]
        text = json.dumps([self.tasks[task]["question"], self.tasks[task]["initial_config"]], ensure_ascii=False)
        return {"id": task, "text": text, "say": [], "unjudged": 0, "calls": calls, "judge": "state"}

    def _tools(self, made: dict[str, Any]) -> dict[str, Any]:
        methods = (pair for each in made.values() for pair in inspect.getmembers(each, inspect.ismethod))
        return {name: method for name, method in methods if not name.startswith("_")}

    def _read(self, written: str, tools: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        call = ast.parse(written.strip(), mode="eval").body
        assert isinstance(call, ast.Call)
        name = ast.unparse(call.func)
        given = {each.arg or "": ast.literal_eval(each.value) for each in call.keywords}
        names = list(inspect.signature(tools[name]).parameters) if name in tools else []
        return name, {**dict(zip(names, map(ast.literal_eval, call.args), strict=False)), **given}

    def replay(self, task: str, calls: list[Any]) -> dict[str, Any]:
        """Return answers, what each call changed, and the digest of the classes' attributes at the end."""
        made = self._open(task)
        tools, answers = self._tools(made), []
        start = before = self._state(made)
        for name, arguments in calls:
            answer: dict[str, Any] = (
                attempt(tools[name], arguments) if name in tools else {"text": f"no tool {name!r}", "error": True}
            )
            answer["error"] = answer["error"] or answer["text"].startswith('{"error"')
            now = self._state(made)
            answer["changed"], before = now != before, now
            answers.append(answer)
        return {"answers": answers, "digest": "" if before == start else digest(before), "broken": [], "passes": None}

    def _state(self, made: dict[str, Any]) -> str:
        return str(as_text({name: _public(vars(each)) for name, each in made.items()}))

    def unknown(self, values: list[str]) -> list[str]:
        """Return nothing: paths and texts of these tasks are made by the agent."""
        return []

    def close(self) -> bool:
        """Return true: each replay has classes of its own."""
        return True


def _public(value: Any, depth: int = 0) -> Any:
    """Return attributes as a tree, without private ones, as the set's own judge compares them, and without parents."""
    if isinstance(value, dict):
        return {str(k): _public(v, depth + 1) for k, v in value.items() if not str(k).startswith(("_", "parent"))}
    if isinstance(value, list | tuple | set):
        return [_public(each, depth + 1) for each in value]
    if hasattr(value, "__dict__") and depth < 40:
        return _public(vars(value), depth + 1)
    return str(value)


def open_set(options: dict[str, Any]) -> BfclSet:
    """Open a category: base, miss_func, miss_param or long_context."""
    return BfclSet(options)
