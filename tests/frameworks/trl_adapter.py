"""What the adapter of TRL must show: `python -m tests.frameworks.trl_adapter`, where TRL is installed.

On 32 tasks the environment's methods play the reference chain to reward 1, and an agent that only declines to 0; a
rollout that is void has no score; a trainer takes both ways; and rollouts run under trio.
"""

from __future__ import annotations

import json
import resource
import tempfile
from typing import Any

import torch
import trio
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer

from examples.train_grpo import make_tiny
from runtime.errors import EnvironmentFault, UsageError
from worldsmith import AgentName, ChatMessage, DomainTask, Rollout
from worldsmith.trl import WorldsmithSpec

TASKS = 32


def main() -> None:
    """Check everything, and say what was seen."""
    torch.set_num_threads(1)
    spec = WorldsmithSpec("job_seeking")
    environment = spec.environment_factory()
    tools = check_tools(spec, environment)
    played = [_play(spec, environment, task, "reference") for task in spec.tasks[:TASKS]]
    idle = [_play(spec, environment, task, "idle") for task in spec.tasks[:TASKS]]
    void = _play_void(spec, environment)
    print(f"{tools} tools as they are; reference {sum(played)} of {TASKS}, idle {sum(idle)}, void {void}")
    assert (sum(played), sum(idle), void) == (TASKS, 0, None)
    for way in ("rollout_func", "environment_factory"):
        print(way, train(way))
    print("under trio:", trio.run(under_trio, spec.tasks[0]))
    check_refusals()
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


def check_tools(spec: WorldsmithSpec, environment: Any) -> int:
    """Names, parameters, types, choices and descriptions of all tools are those of the domain."""
    offered = Rollout(spec.tasks[0]).tools
    for tool in offered:
        ours = tool["function"]["parameters"]
        theirs = get_json_schema(getattr(environment, tool["function"]["name"]))["function"]["parameters"]
        assert ours.get("properties", {}).keys() == theirs["properties"].keys(), tool
        assert set(ours.get("required", ())) == set(theirs.get("required", ())), tool
        for name, schema in ours.get("properties", {}).items():
            for word in ("type", "enum"):
                assert word not in schema or schema[word] == theirs["properties"][name][word], (tool, name)
    return len(offered)


def _play(spec: WorldsmithSpec, environment: Any, task: DomainTask, agent: AgentName) -> float:
    """Say again through the environment's methods what an agent says in a rollout."""
    environment.reset(task=f"{task.domain.name}/{task.id}")
    for message in _said_by(agent, task):
        calls = message.get("tool_calls") or ()
        for call in calls:
            getattr(environment, call["function"]["name"])(**json.loads(call["function"]["arguments"]))
        if not calls:
            environment.talk_to_user(message["content"])
    assert environment._rollout.done
    (scored,) = spec.reward([None], environments=[environment])
    assert scored is not None
    return scored


def _said_by(agent: AgentName, task: DomainTask) -> list[ChatMessage]:
    with Rollout(task, greeting=False).sync() as rollout:
        rollout.open()
        say, said = rollout.seat(agent), []
        while not rollout.done:
            said.append(say())
            rollout.take(said[-1])
        return said


def _play_void(spec: WorldsmithSpec, environment: Any) -> float | None:
    environment.reset(task=f"{spec.tasks[0].domain.name}/{spec.tasks[0].id}")
    environment._rollout._run._broken = EnvironmentFault("made on purpose")
    return spec.reward([None], environments=[environment])[0]


def train(way: str) -> dict[str, Any]:
    """Two steps with a tiny random model; what the trainer logged of the last one."""
    spec = WorldsmithSpec("library", turns=2)
    model, tokenizer = make_tiny(spec)
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            use_cpu=True,
            bf16=False,
            per_device_train_batch_size=2,
            num_generations=2,
            max_steps=2,
            max_completion_length=16,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        )
        played: dict[str, Any] = {way: getattr(spec, way)}
        rows, rewards = spec.train_dataset, spec.reward_funcs
        trainer = GRPOTrainer(model, rewards, config, rows, processing_class=tokenizer, **played)
        trainer.train()
        logged = [each for each in trainer.state.log_history if "reward" in each]
    assert len(logged) == 2
    return {name: logged[-1][name] for name in ("reward", "loss", "completions/mean_length")}


async def under_trio(task: DomainTask) -> int:
    """The reward of the reference under another event loop than asyncio's."""
    async with Rollout(task) as rollout:
        await rollout.open()
        say = rollout.seat("reference")
        while not rollout.done:
            await rollout.take(say())
        return rollout.verdict().reward


def check_refusals() -> None:
    """What cannot be is one sentence with the choices; two tasks by name are those two."""
    two = WorldsmithSpec("library", "job_seeking", ids=("late-and-next", "keep-a-book")).tasks
    assert {each.id for each in two} == {"keep-a-book", "late-and-next"}
    for wrong in ({"split": "test"}, {"level": 9}, {"form": "hard"}, {"ids": ["keep-no-book"]}):
        said = ""
        try:
            WorldsmithSpec("job_seeking", **wrong)
        except UsageError as error:
            said = str(error)
        assert "have: " in said, (wrong, said)


if __name__ == "__main__":
    main()
