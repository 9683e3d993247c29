"""Worldsmith for TRL: the rows, the environment and the rewards of a domain, and rollouts with real user turns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, Literal

from runtime.environment import require

require("trl", "1.16", extra="trl")

from datasets import Dataset
from trl.chat_template_utils import add_response_schema, parse_response

from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.plan import named
from runtime.verification.verdict import RewardKind
from worldsmith.catalog import tasks
from worldsmith.evaluate import check_reward
from worldsmith.rollout import Rollout, SyncRollout

OVER = "The conversation is over; there is nothing more to do."
_KINDS = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list}
_CALLING = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}],
}


class WorldsmithSpec:
    """What a `GRPOTrainer` takes: `train_dataset`, `reward_funcs`, and `environment_factory` or `rollout_func`."""

    def __init__(
        self,
        *domains: str,
        split: Any = None,
        level: Any = None,
        form: Any = None,
        ids: Collection[str] = (),
        reward: RewardKind = "final_state_and_rules",
        **options: Any,
    ) -> None:
        """The tasks of some domains that `worldsmith.tasks` chooses, played with the `options` of a `Rollout`.

        `ids` are those of tasks in any of the domains. `reward` says whether an episode that broke a rule can be
        rewarded. Errors: UsageError.
        """
        check_reward(reward)
        if wrong := [domain for domain in domains if not isinstance(domain, str)]:
            raise UsageError(f"A domain passed to WorldsmithSpec is {wrong[0]!r}; pass names or paths one by one.")
        self.tasks = [task for domain in domains for task in tasks(domain, split=split, level=level, form=form)]
        if not self.tasks:
            raise UsageError("No domain was passed to WorldsmithSpec; name one, such as 'job_seeking'.")
        self.tasks = named(self.tasks, (ids,) if isinstance(ids, str) else ids)
        self._options = {"greeting": False, **options}
        Rollout(self.tasks[0], **self._options)  # says what is wrong with an option now, not in the training
        self._named = {f"{task.domain.name}/{task.id}": task for task in self.tasks}
        self._kind = reward
        self.reward_funcs = [self.reward]

    @property
    def train_dataset(self) -> Dataset:
        """A row for each task; its name is in the system message, too, since a `rollout_func` is given nothing else."""
        rows = []
        for name, task in self._named.items():
            system, user = Rollout(task, **self._options).prompt
            rows.append({"prompt": [system | {"name": name}, user], "task": name})
        return Dataset.from_list(rows)

    @property
    def environment_factory(self) -> Callable[[], Any]:
        """Makes environments in which every tool of the one domain, and to talk to the user, is a method."""
        if len({task.domain.name for task in self.tasks}) > 1:
            raise UsageError("An environment has the tools of one domain; pass rollout_func for several.")
        return partial(make_environment, Rollout(self.tasks[0], **self._options).tools, self._open)

    def rollout_func(self, prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
        """Play an episode for each prompt; only what the model wrote is trained on (`env_mask`).

        An episode of which our side failed has no reward. One that outgrows `max_completion_length` is over.
        """
        tokenizer = trainer.processing_class
        if not (getattr(tokenizer, "response_template", None) or getattr(tokenizer, "response_schema", None)):
            add_response_schema(tokenizer)  # else no call could be read
        episodes = [
            Conversation(self._open(prompt[0]["name"], number), trainer) for number, prompt in enumerate(prompts)
        ]
        while live := [each for each in episodes if each.goes_on]:
            written, logprobs = trainer._generate_single_turn([each.ids for each in live], None, {}, 1)
            for number, each in enumerate(live):
                each.take(list(written[number]), logprobs and list(logprobs[number]))
        for each in episodes:
            each.rollout.close()
        return {
            "prompt_ids": [each.ids[: each.start] for each in episodes],
            "completion_ids": [each.ids[each.start :] for each in episodes],
            "env_mask": [each.mask for each in episodes],
            "logprobs": [each.logprobs for each in episodes] if all(each.logprobs for each in episodes) else None,
            "reward": [self._reward_of(each.rollout) for each in episodes],
            "components": [self._components_of(each.rollout) for each in episodes],
            "finished": [each.finished for each in episodes],
        }

    def _open(self, name: str, seed: int) -> SyncRollout:
        rollout = Rollout(self._named[name], **{"seed": seed, **self._options}).sync()
        rollout.open()
        return rollout

    def reward(
        self, completions: Sequence[Any], environments: Any = None, reward: Any = None, **_: Any
    ) -> list[float | None]:
        """1 or 0 for each episode; None where our side failed, which TRL leaves out of the group."""
        return list(reward) if environments is None else [self._reward_of(each._rollout) for each in environments]

    def components(self, environments: Any = None, components: Any = None, **_: Any) -> list[dict[str, int]]:
        """1 or 0 for each part of each episode's goal, for your own reward functions; empty where our side failed."""
        return components if environments is None else [self._components_of(each._rollout) for each in environments]

    def _components_of(self, rollout: SyncRollout) -> dict[str, int]:
        try:
            return dict(rollout.verdict().components)
        except EnvironmentFault:
            return {}

    def _reward_of(self, rollout: SyncRollout) -> float | None:
        try:
            return float(rollout.verdict().reward_by(self._kind))
        except EnvironmentFault:
            return None


class Conversation:
    """One conversation as token ids, with a mask of what the model wrote."""

    def __init__(self, rollout: SyncRollout, trainer: Any) -> None:
        self.rollout, self._trainer, self._tokenizer = rollout, trainer, trainer.processing_class
        self.ids = self._render(rollout.messages, tools=rollout.tools)
        self.start, self.goes_on = len(self.ids), True
        self.finished = True  # every reply came to its end
        self.mask: list[int] = []
        self.logprobs: list[float] = []

    def take(self, written: list[int], logprobs: list[float] | None) -> None:
        """Take a reply of the model, and what answers it."""
        message = parse_response(self._tokenizer, written, prefix=self.ids, tools=self.rollout.tools)
        self._add(written, 1, logprobs)
        self.goes_on = self.finished = written[-1:] == [self._tokenizer.eos_token_id]
        try:
            answers = self.rollout.take(message) if self.goes_on else []
        except EnvironmentFault:
            answers = []
        following = self._following(answers) if answers and not self.rollout.done else []
        self.goes_on &= not self.rollout.done and len(self.mask) + len(following) < self._trainer.max_completion_length
        if self.goes_on:
            self._add(following, 0, [0.0] * len(following) if logprobs else None)

    def _add(self, ids: list[int], mask: int, logprobs: list[float] | None) -> None:
        self.ids, self.mask = self.ids + ids, self.mask + [mask] * len(ids)
        self.logprobs += logprobs or []

    def _following(self, answers: list[dict[str, Any]]) -> list[int]:
        """What a template puts behind the end of a reply."""
        before: list[dict[str, Any]] = [{"role": "user", "content": "?"}, _CALLING]
        end, whole = self._render(before, False), self._render([*before, *answers])
        at = len(end) - end[::-1].index(self._tokenizer.eos_token_id)
        return whole[at:]

    def _render(self, messages: list[dict[str, Any]], generate: bool = True, tools: Any = None) -> list[int]:
        ids = self._tokenizer.apply_chat_template(
            messages, tools=tools, add_generation_prompt=generate, tokenize=True, return_dict=False
        )
        return list(ids)


class Environment:
    """One episode after another; every method without a leading underscore is a tool, except `reset`."""

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
