"""tau2-bench, from a checkout of any version: its own environments, tools and evaluators, without its dependencies."""

from __future__ import annotations

import copy
import importlib
import json
import os
import sys
import types
from functools import partial
from pathlib import Path
from typing import Any

from serve import OverlaidRecords, as_text, attempt, broken_rules, digest, inside, leaves, load_rules  # type: ignore

# The classes of each domain's database, and the arguments that are sets, those of a group in the same order: the
# flights of a booking are a sequence.
_DOMAINS: dict[str, tuple[dict[str, str], list[list[str]]]] = {
    "retail": ({"db": "RetailDB"}, [["item_ids", "new_item_ids"]]),
    "airline": ({"db": "FlightDB"}, [["passengers"], ["payment_methods"]]),
    "telecom": ({"db": "TelecomDB", "user_db": "TelecomUserDB"}, []),
}
_PACKAGES = ("", ".domains", ".environment", ".data_model", ".evaluator")
_EVALUATORS = {"env": "Environment", "communicate": "Communicate", "action": "Action"}
_V1_FILES = ("flights", "reservations", "users")
_AGENT = (
    "You are a customer service agent that helps the user according to the <policy> provided below. In each turn you "
    "can either send a message to the user or make a tool call; you cannot do both at the same time. Try to be helpful "
    "and always follow the policy."
)


class Tau2Set:
    """The tasks of a domain, one parsed database, and environments of the set on overlays of it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.domain, _, part = options["name"].partition("_")
        root = Path(options["data"])
        if self.domain not in _DOMAINS:
            raise SystemExit(
                f"tau2 has no domain {self.domain!r} that can be audited; those are {', '.join(_DOMAINS)}."
            )
        inside(root, "src", "tau2", "domains", self.domain, "tools.py")
        folder = root / "data" / "tau2" / "domains" / self.domain
        written = json.loads(inside(folder, f"tasks_{part}.json" if part else "tasks.json").read_text(encoding="utf-8"))
        os.environ["TAU2_DATA_DIR"] = str(root / "data")
        for name in (*(f"tau2{each}" for each in _PACKAGES), f"tau2.domains.{self.domain}"):
            module = types.ModuleType(name)
            module.__path__ = [str(root / "src" / name.replace(".", "/"))]
            sys.modules[name] = module
        self.environment = importlib.import_module(f"tau2.domains.{self.domain}.environment")
        model = importlib.import_module("tau2.data_model.tasks").Task
        self.tasks = {each["id"]: model.model_validate(each) for each in written}
        self.bases = self._bases(folder, options.get("world"))
        raw = json.loads(as_text(self.bases))
        keys = {key for base in raw.values() for each in base.values() if isinstance(each, dict) for key in each}
        self.known = {str(each).lower() for each in (*leaves(raw), *keys)}
        guidelines = root / "data" / "tau2" / "user_simulator" / "simulation_guidelines.md"
        self.guidelines = guidelines.read_text(encoding="utf-8") if guidelines.is_file() else ""
        self.rules = load_rules(options["rules"]) if options.get("rules") else []
        self.fingerprint = digest(self.bases)

    def _bases(self, folder: Path, world: str | None) -> dict[str, Any]:
        suffix = ".toml" if self.domain == "telecom" else ".json"
        bases = {}
        for name, each in _DOMAINS[self.domain][0].items():
            records = getattr(self.environment, each)
            if world is not None:
                bases[name] = records.model_validate(_v1_world(Path(world)))
            elif self.domain == "airline" and not (folder / "db.json").is_file():
                raise SystemExit(
                    f"{str(folder / 'db.json')!r} is missing; fetch it, or give tau-bench's "
                    "tau_bench/envs/airline/data by --world."
                )
            else:
                bases[name] = records.load(str(inside(folder, name + suffix)))
        return bases

    def _open(self, task: Any = None) -> Any:
        opened = self.environment.get_environment(**{name: _overlaid(base) for name, base in self.bases.items()})
        if task is not None and (start := getattr(task, "initial_state", None)):
            opened.set_state(start.initialization_data, start.initialization_actions, start.message_history or [])
        return opened

    def describe(self) -> dict[str, Any]:
        """Return tasks with their gold, which tools write, which arguments are sets, and what players are told."""
        opened = self._open()
        kits = [("", opened.tools), *([("user:", opened.user_tools)] if opened.user_tools else [])]
        writes = [f"{by}{each}" for by, kit in kits for each in kit.tools if kit.tool_type(each).value == "write"]
        told = {"writes": writes, "sets": _DOMAINS[self.domain][1], "fingerprint": self.fingerprint}
        if not opened.user_tools:  # a user with tools is played by nobody here
            told |= {"agent": _AGENT, "policy": opened.get_policy(), "guidelines": self.guidelines}
            told["tools"] = [each.openai_schema["function"] for each in opened.get_tools()]
            told["columns"] = {name: _columns(records) for name, records in self.bases["db"] if records}
        return told | {"tasks": [self._task(each) for each in self.tasks.values()]}

    def _task(self, task: Any) -> dict[str, Any]:
        asked = task.evaluation_criteria
        return {
            "id": task.id,
            "text": str(task.user_scenario),
            "say": asked.communicate_info or [],
            "unjudged": len(asked.nl_assertions or []),
            "calls": [
                ["user:" * (each.requestor == "user") + each.name, each.arguments] for each in asked.actions or []
            ],
            "judge": "verify" if asked.env_assertions else "state",
            "basis": _basis(task),
        }

    def replay(self, task: str, calls: list[Any]) -> dict[str, Any]:
        """Return answers, what changed and its digest, and the rules that calls break, on a fresh world."""
        opened, answers, broken = self._open(self.tasks[task]), [], []
        start = _state(opened)
        for at, (name, arguments) in enumerate(calls):
            broken += [[at, *each] for each in broken_rules(self.rules, name, arguments, opened.tools.db)]
            answers.append(attempt(partial(_call, opened, name), arguments, opened.to_json_str))
        state = _state(opened)
        rows = {name: each for name, each in state.items() if isinstance(each, dict) and each}
        passes = self._passes(opened, self.tasks[task], calls)
        told = {"answers": answers, "digest": "" if state == start else digest(state)}
        return {**told, "rows": rows, "broken": broken, "passes": passes}

    def _passes(self, opened: Any, task: Any, calls: list[Any]) -> bool | None:
        """Return whether the assertions of a task hold, and the calls that its basis asks for were made."""
        if not (claims := task.evaluation_criteria.env_assertions):
            return None
        asked = self._task(task)["calls"] if "ACTION" in _basis(task) else []
        return all(each in calls for each in asked) and all(
            opened.run_env_assertion(each, raise_assertion_error=False) for each in claims
        )

    def judge(self, task: str, steps: list[Any]) -> dict[str, Any]:
        """Return what each part of the set's own judge gives to a conversation, and which parts need a model.

        A step is a text of the user or the assistant, or a call: [by, text] or ["call", name, arguments].
        """
        model, wanted = importlib.import_module("tau2.data_model.message"), self.tasks[task]
        opened, messages = self._open(wanted), []
        for at, (by, *step) in enumerate(steps):
            if by == "call":
                call = model.ToolCall(id=f"call-{at}", name=step[0], arguments=step[1])
                answer = opened.get_response(call)
                messages += [model.AssistantMessage(role="assistant", content=None, tool_calls=[call]), answer]
            else:
                kind = model.UserMessage if by == "user" else model.AssistantMessage
                messages.append(kind(role=by, content=step[0]))
        basis, unsaid = _basis(wanted), []
        parts: dict[str, float] = {}
        for name, kind in _EVALUATORS.items():
            judge = getattr(importlib.import_module(f"tau2.evaluator.evaluator_{name}"), f"{kind}Evaluator")
            given = {"environment_constructor": lambda **_: self._open()} if name == "env" else {}
            found = judge.calculate_reward(task=wanted, full_trajectory=messages, **given)
            parts |= {each.value: reward for each, reward in (found.reward_breakdown or {}).items()}
            unsaid += [each.info for each in getattr(found, "communicate_checks", None) or [] if not each.met]
        if not wanted.evaluation_criteria.nl_assertions:
            parts["NL_ASSERTION"] = 1.0  # as the set's own judge has it
        judged = {name: parts[name] for name in basis if name in parts}
        return {"parts": judged, "unjudged": [each for each in basis if each not in parts], "unsaid": unsaid}

    def unknown(self, values: list[str]) -> list[str]:
        """Return those values that no record holds."""
        return [each for each in values if each.lower() not in self.known]

    def close(self) -> bool:
        """Return whether the parsed database is still what it was."""
        return bool(digest(self.bases) == self.fingerprint)


def _v1_world(folder: Path) -> dict[str, Any]:
    world = {each: json.loads(inside(folder, f"{each}.json").read_text(encoding="utf-8")) for each in _V1_FILES}
    for key, user in world["users"].items():
        user.setdefault("user_id", key)
    return world


def _overlaid(base: Any) -> Any:
    """Return a database whose mappings are overlays of another's; what is not a mapping is copied."""
    parts = {name: OverlaidRecords(each) if isinstance(each, dict) else copy.deepcopy(each) for name, each in base}
    return type(base).model_construct(**parts)


def _state(opened: Any) -> dict[str, Any]:
    """Return of each part of the databases the records that changed, by key, or its whole text."""
    kits = [opened.tools, *([opened.user_tools] if opened.user_tools else [])]
    return {
        name: each.changed() if isinstance(each, OverlaidRecords) else as_text(each)
        for kit in kits
        for name, each in kit.db
    }


def _call(opened: Any, name: str, /, **arguments: Any) -> Any:
    by, _, tool = name.rpartition(":")
    answer = opened.make_tool_call(tool, requestor=by or "assistant", **arguments)
    opened.sync_tools()
    return answer


def _basis(task: Any) -> list[str]:
    return [each.value for each in task.evaluation_criteria.reward_basis]


def _columns(records: Any) -> list[str]:
    return list(dict.fromkeys(name for each in records.values() for name, _ in each))


def open_set(options: dict[str, Any]) -> Tau2Set:
    """Open a domain of a checkout."""
    return Tau2Set(options)
