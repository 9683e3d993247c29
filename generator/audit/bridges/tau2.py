"""tau2-bench retail and airline, from a checkout of any version: its tools and data, without its dependencies."""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
from functools import partial
from pathlib import Path
from typing import Any

from serve import OverlaidRecords, attempt, broken_rules, digest, inside, leaves, load_rules  # type: ignore

_CLASSES = {"retail": ("RetailDB", "RetailTools"), "airline": ("FlightDB", "AirlineTools")}
# Arguments that are sets, those of a group in the same order; the flights of a booking are a sequence.
_SETS = {"retail": [["item_ids", "new_item_ids"]], "airline": [["passengers"], ["payment_methods"]]}
_V1_FILES = ("flights", "reservations", "users")


class Tau2Set:
    """The tasks of a domain, one parsed database, and replays on overlays of it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.domain, root = options["name"], Path(options["data"])
        if self.domain not in _CLASSES:
            raise SystemExit(
                f"tau2 has no domain {self.domain!r} that can be audited; those are {', '.join(_CLASSES)}."
            )
        inside(root, "src", "tau2", "domains", self.domain, "tools.py")
        folder = root / "data" / "tau2" / "domains" / self.domain
        self.tasks = json.loads(inside(folder, "tasks.json").read_text(encoding="utf-8"))
        raw = self._world(folder, options.get("world"))
        os.environ["TAU2_DATA_DIR"] = str(root / "data")
        for name in ("tau2", "tau2.domains", "tau2.environment", "tau2.data_model", f"tau2.domains.{self.domain}"):
            module = types.ModuleType(name)
            module.__path__ = [str(root / "src" / name.replace(".", "/"))]
            sys.modules[name] = module
        base, tools = _CLASSES[self.domain]
        self.records = getattr(importlib.import_module(f"tau2.domains.{self.domain}.data_model"), base)
        self.toolkit = getattr(importlib.import_module(f"tau2.domains.{self.domain}.tools"), tools)
        self.base = self.records.model_validate(raw)
        self.known = {str(each).lower() for each in leaves(raw)} | {k.lower() for c in raw.values() for k in c}
        self.rules = load_rules(options["rules"]) if options.get("rules") else []
        opened = self._open()
        self.writers = [each for each in opened.tools if str(opened.tool_type(each).value) == "write"]
        self.fingerprint = digest(self.base)

    def _world(self, folder: Path, other: str | None) -> Any:
        if (folder / "db.json").is_file():
            return json.loads(inside(folder, "db.json").read_text(encoding="utf-8"))
        if other is None:
            raise SystemExit(
                f"{str(folder / 'db.json')!r} is missing; fetch it, or for airline give tau-bench's "
                "tau_bench/envs/airline/data by --world."
            )
        world = {
            each: json.loads(inside(Path(other), f"{each}.json").read_text(encoding="utf-8")) for each in _V1_FILES
        }
        for key, user in world["users"].items():
            user.setdefault("user_id", key)
        return world

    def _open(self) -> Any:
        columns = {name: OverlaidRecords(getattr(self.base, name)) for name in self.records.model_fields}
        return self.toolkit(self.records.model_construct(**columns))

    def describe(self) -> dict[str, Any]:
        """Return tasks with their gold, which tools write, and which arguments are sets."""
        return {"tasks": [self._task(each) for each in self.tasks], "writes": self.writers, "sets": _SETS[self.domain]}

    def _task(self, task: dict[str, Any]) -> dict[str, Any]:
        asked = task["evaluation_criteria"] or {}
        actions = asked.get("actions") or []
        return {
            "id": task["id"],
            "text": json.dumps(task["user_scenario"], ensure_ascii=False),
            "say": [str(each) for each in asked.get("communicate_info") or []],
            "unjudged": len(asked.get("nl_assertions") or []),
            "calls": [[each["name"], each["arguments"]] for each in actions],
            "judge": "state",
        }

    def replay(self, task: str, calls: list[Any]) -> dict[str, Any]:
        """Return answers, the digest of what changed, and the rules that calls break, on a fresh world."""
        toolkit, answers, broken = self._open(), [], []
        for at, (name, arguments) in enumerate(calls):
            broken += [[at, *each] for each in broken_rules(self.rules, name, arguments, toolkit.db)]
            answers.append(attempt(partial(toolkit.use_tool, name), arguments))
        changed = {name: each for name in self.records.model_fields if (each := getattr(toolkit.db, name).changed())}
        return {"answers": answers, "digest": digest(changed) if changed else "", "broken": broken, "passes": None}

    def unknown(self, values: list[str]) -> list[str]:
        """Return those values that no record holds."""
        return [each for each in values if each.lower() not in self.known]

    def close(self) -> bool:
        """Return whether the parsed database is still what it was."""
        return bool(digest(self.base) == self.fingerprint)


def open_set(options: dict[str, Any]) -> Tau2Set:
    """Open a domain of a checkout."""
    return Tau2Set(options)
