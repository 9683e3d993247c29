"""What the adapter of TRL must show: `python -m tests.frameworks.trl_adapter`, where TRL is installed.

On 32 tasks the reference is rewarded and an agent that only declines is not; a rollout that is void has no score; a
trainer takes the rows, rollouts and rewards; and rollouts run under trio.
"""

from __future__ import annotations

import resource
import tempfile
from typing import Any

import torch
import trio
from trl import GRPOConfig, GRPOTrainer

from examples.train_grpo import make_tiny
from runtime.errors import EnvironmentFault, UsageError
from worldsmith import AgentName, DomainTask, Rollout
from worldsmith.trl import WorldsmithSpec

TASKS = 32
AGENTS: tuple[AgentName, ...] = ("reference", "idle")


def main() -> None:
    """Check everything, and say what was seen."""
    torch.set_num_threads(1)
    spec = WorldsmithSpec("job_seeking")
    played = {agent: [play(spec, task, agent) for task in spec.tasks[:TASKS]] for agent in AGENTS}
    void = play_void(spec)
    print(f"of {TASKS}: {played}, void {void}")
    assert (played, void) == ({"reference": [1.0] * TASKS, "idle": [0.0] * TASKS}, None)
    print(train())
    print("under trio:", trio.run(under_trio, spec.tasks[0]))
    check_refusals()
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


def play(spec: WorldsmithSpec, task: DomainTask, agent: AgentName) -> float | None:
    """The reward of an agent without a model."""
    with Rollout(task, greeting=False).sync() as rollout:
        rollout.open()
        say = rollout.seat(agent)
        while not rollout.done:
            rollout.take(say())
        return spec._reward_of(rollout)


def play_void(spec: WorldsmithSpec) -> float | None:
    """The reward of an episode that our side broke."""
    with Rollout(spec.tasks[0]).sync() as rollout:
        rollout.open()
        rollout._broken = EnvironmentFault("made on purpose")
        return spec._reward_of(rollout)


def train() -> dict[str, Any]:
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
        rows, rewards, play_all = spec.train_dataset, spec.reward_funcs, spec.rollout_func
        trainer = GRPOTrainer(model, rewards, config, rows, processing_class=tokenizer, rollout_func=play_all)
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
