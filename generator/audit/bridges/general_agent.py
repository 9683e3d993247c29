"""general-agent: a folder a task, with its tools, its database, its gold and its own `verify`."""

from __future__ import annotations

import copy
import json
import sys
import types
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from serve import attempt, broken_rules, digest, inside, leaves, load_module, load_rules  # type: ignore


class _Tools:
    def __init__(self, db: Any) -> None:
        self.db = db


class GeneralAgentSet:
    """Task folders; the module of one is loaded when it is first replayed, and one is kept at a time."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.root = Path(options["data"])
        if (self.root / "datasets" / "general-agent").is_dir():
            self.root = self.root / "datasets" / "general-agent"
        stub, tools = types.ModuleType("general_agent"), types.ModuleType("general_agent.tools")
        vars(tools).update(DB=BaseModel, Tools=_Tools, tool=lambda function: function)
        sys.modules |= {"general_agent": stub, "general_agent.tools": tools}
        names = sorted(each.parent.name for each in self.root.glob("*/gold.json"))
        if not names:
            raise SystemExit(f"{str(self.root)!r} holds no folder with a gold.json; give a checkout of research-tasks.")
        limit = options["limit"] or len(names)
        self.names = [names[at * len(names) // limit] for at in range(min(limit, len(names)))]
        self.rules = load_rules(options["rules"]) if options.get("rules") else []
        self.loaded: tuple[str, Any, Any] | None = None

    def describe(self) -> dict[str, Any]:
        """Return the tasks with their golds; which tools write is found by replaying."""
        return {"tasks": [self._task(each) for each in self.names], "writes": [], "sets": []}

    def _task(self, name: str) -> dict[str, Any]:
        folder = self.root / name
        calls = json.loads(inside(folder, "gold.json").read_text(encoding="utf-8"))
        text = inside(folder, "instruction.md").read_text(encoding="utf-8")
        return {"id": name, "text": text, "say": [], "unjudged": 0, "calls": calls, "judge": "verify"}

    def _load(self, name: str) -> tuple[Any, Any]:
        if self.loaded is None or self.loaded[0] != name:
            module = load_module("audited_task", inside(self.root / name, "tools.py"))
            raw = json.loads(inside(self.root / name, "db.json").read_text(encoding="utf-8"))
            self.loaded = name, module, module.TaskDB.model_validate(raw)
        return self.loaded[1:]

    def replay(self, task: str, calls: list[Any]) -> dict[str, Any]:
        """Return answers, what each call changed, the digest of the end and what `verify` says of it."""
        module, base = self._load(task)
        db = copy.deepcopy(base)
        tools, answers, broken = module.TaskTools(db), [], []
        before = db.model_dump_json()
        start = before
        for at, (name, arguments) in enumerate(calls):
            broken += [[at, *each] for each in broken_rules(self.rules, name, arguments, db)]
            answers.append(attempt(partial(_call, tools, name), arguments))
            now = db.model_dump_json()
            answers[-1]["changed"], before = now != before, now
        told = {"answers": answers, "digest": "" if before == start else digest(before), "broken": broken}
        return told | {"passes": float(module.verify(db)) >= 1}

    def unknown(self, values: list[str]) -> list[str]:
        """Return those values that the world of the task replayed last does not hold."""
        held = {str(each).lower() for each in leaves(self.loaded[2].model_dump())} if self.loaded else set()
        return [each for each in values if each.lower() not in held]

    def close(self) -> bool:
        """Return true: each replay has a copy of its own."""
        return True


def _call(tools: Any, name: str, /, **arguments: Any) -> Any:
    return getattr(tools, name)(**arguments)


def open_set(options: dict[str, Any]) -> GeneralAgentSet:
    """Open the folder of folders."""
    return GeneralAgentSet(options)
