"""A domain as an environment of TRL: each tool is a method whose signature and docstring say what its schema does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Literal

from runtime.errors import UsageError
from worldsmith.sync_rollout import SyncRollout

OVER = "The conversation is over; there is nothing more to do."
_KINDS = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list}


class Environment:
    """One episode after another; whatever has no underscore before it is a tool, but for `reset`."""

    _open: Callable[[str, int], SyncRollout]
    _rollout: SyncRollout | None = None

    def __init__(self) -> None:
        self._seeds = count()

    def reset(self, task: str, **_: Any) -> None:
        """Start a task; its first words are in the prompt."""
        if self._rollout is not None:
            self._rollout.close()
        self._rollout = self._open(task, next(self._seeds))

    def talk_to_user(self, message: str) -> str:
        """Say something to the user and wait for what the user answers.

        Args:
            message: What you say to the user.
        """
        assert self._rollout is not None
        return OVER if self._rollout.done else self._rollout.say(message) or OVER


def make_environment(tools: list[dict[str, Any]], open_task: Callable[[str, int], SyncRollout]) -> Environment:
    """An environment with some tools, whose episodes are opened by the task's name and a seed. Errors: UsageError."""
    functions = {tool["function"]["name"]: tool["function"] for tool in tools}
    for name in functions.keys() & vars(Environment).keys():
        raise UsageError(f"The domain's tool {name!r} has a name that TRL's environments need; pass rollout_func.")
    methods = {name: _method(function) for name, function in functions.items()}
    kind = type("WorldsmithEnvironment", (Environment,), {"_open": staticmethod(open_task), **methods})
    made: Environment = kind()
    return made


def _method(function: Mapping[str, Any]) -> Callable[..., str]:
    name, schema = function["name"], function["parameters"]
    properties, required = schema.get("properties", {}), set(schema.get("required", ()))

    def call(self: Environment, **arguments: Any) -> str:
        assert self._rollout is not None
        return OVER if self._rollout.done else self._rollout.call(name, arguments)

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for key in sorted(properties, key=lambda each: each not in required):
        default = inspect.Parameter.empty if key in required else properties[key].get("default")
        hint = _hint(properties[key])
        parameters.append(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint))
    said = [f"    {each.name}: {_line(properties[each.name], each.name)}" for each in parameters[1:]]
    call.__name__ = name
    call.__doc__ = "\n".join([" ".join(function["description"].split()), "", *(["Args:", *said] if said else [])])
    call.__annotations__ = {each.name: each.annotation for each in parameters[1:]} | {"return": str}
    vars(call)["__signature__"] = inspect.Signature(parameters, return_annotation=str)
    return call


def _line(schema: Mapping[str, Any], name: str) -> str:
    return " ".join(str(schema.get("description", name)).split())


def _hint(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        kinds = [_hint(each) for each in schema["anyOf"] if each.get("type") != "null"]
        return kinds[0] | None if len(kinds) < len(schema["anyOf"]) else kinds[0]
    if schema.get("type") == "array":
        return list[_hint(schema.get("items") or {"type": "string"})]  # type: ignore[misc]
    return _KINDS[schema.get("type", "string")]
