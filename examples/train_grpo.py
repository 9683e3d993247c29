"""Train a model with GRPO on Worldsmith's tasks, as appendix C of ScaleEnv does it, with TRL.

Every step draws tasks from all of them (`--draw domains`: from all domains alike), plays a group of episodes of each
with the simulated user, and follows the gradient of equation 1 with the advantages of equation 2. `--size gpu` has the
paper's batch, steps and learning rate; no GPU was at hand to run it.
`--size cpu` makes a random model of a few thousand weights on the spot: it shows that rollouts, masks, advantages and
gradients are connected, and nothing about learning to use tools. Run: pip install 'worldsmith[trl]' matplotlib
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import add_response_schema, parse_response

from runtime.harness.export import advantages  # equation 2
from worldsmith import DomainTask, EnvironmentFault, Rollout, UsageError, evaluate
from worldsmith.trl import WorldsmithSpec

HELD_OUT = 4  # tasks that are played before and after
GROUP = 8  # episodes of a task; the paper does not state its own
SIZES: dict[str, dict[str, Any]] = {
    # The paper: 48 steps, learning rate 1e-6, 1,024 rollouts a step for 8B (2,048 for 32B). It states neither the clip
    # range nor the weight of the divergence of equation 1: these are the customary ones.
    "gpu": {
        "model": "Qwen/Qwen3-8B",
        "turns": 30,
        "reward_weights": [1.0, 0.0],
        "options": {
            "max_steps": 48,
            "learning_rate": 1e-6,
            "per_device_train_batch_size": 8,
            "gradient_accumulation_steps": 128,  # times the batch and the number of devices: rollouts of a step
            "num_generations": GROUP,
            "max_completion_length": 16_384,
            "epsilon": 0.2,
            "beta": 0.001,
            "bf16": True,
            "use_vllm": True,
        },
    },
    "cpu": {
        "model": None,
        "turns": 2,
        "reward_weights": [1.0, 1.0],
        "options": {
            "max_steps": 60,
            "learning_rate": 3e-2,
            "per_device_train_batch_size": 6,
            "num_generations": 6,
            "max_completion_length": 40,
            "epsilon": 0.2,
            "beta": 0.0,
            "bf16": False,
            "use_cpu": True,
            "gradient_checkpointing": False,
        },
    },
}


def main() -> None:
    """Train, and write the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", default=["job_seeking"], help="domains to draw tasks from")
    parser.add_argument("--size", choices=SIZES, default="cpu")
    parser.add_argument("--level", type=int, help="only tasks of this level")
    parser.add_argument("--task", action="append", default=[], metavar="ID", help="only this task; repeat it for a few")
    parser.add_argument("--split", choices=["train", "held_out"], default="train")
    parser.add_argument("--user", default="scripted", help="who talks to the model, as of `worldsmith eval --user`")
    parser.add_argument("--draw", choices=["tasks", "domains"], default="tasks", help="what is as likely as any other")
    parser.add_argument("--steps", type=int, help="instead of the size's own")
    parser.add_argument("--model", help="a local folder of a model, instead of the size's own")
    parser.add_argument("--held-out", metavar="DOMAIN", help="play its tasks before and after, 4 at most")
    parser.add_argument("--out", type=Path, default=Path("grpo"), help="the curve: OUT.csv and OUT.png")
    arguments = parser.parse_args()
    size = SIZES[arguments.size]
    chosen = {"split": arguments.split, "level": arguments.level, "ids": arguments.task}
    try:
        spec = WorldsmithSpec(*arguments.domains, **chosen, user=arguments.user, turns=size["turns"])
    except UsageError as error:
        parser.error(str(error))
    idle = evaluate(spec.tasks[:16], "idle").scores.avg_at_k[0].value
    is_local = arguments.model or not size["model"]
    model, tokenizer = load_model(arguments.model, spec) if is_local else (size["model"], None)
    held_out = WorldsmithSpec(arguments.held_out).tasks[:HELD_OUT] if arguments.held_out and is_local else []
    before = play(model, tokenizer, held_out, size["turns"])
    options = size["options"] | ({"max_steps": arguments.steps} if arguments.steps else {})
    config = GRPOConfig(
        output_dir=f"{arguments.out}-run",
        loss_type="grpo",  # equation 1: the mean over the tokens of an episode, then over episodes
        scale_rewards="none",  # the advantages of equation 2 are made below
        reward_weights=size["reward_weights"],
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        shuffle_dataset=False,
        **options,
    )
    trainer = GRPOTrainer(
        model=model,
        args=config,
        processing_class=tokenizer,
        train_dataset=draw_rows(
            spec, arguments.draw, config.per_device_train_batch_size * config.gradient_accumulation_steps
        ),
        rollout_func=spec.rollout_func,
        reward_funcs=[reward_advantage, finished_advantage],
    )
    trainer.train()
    write_curve(trainer.state.log_history, idle, arguments.out)
    if held_out:
        after = play(trainer.model, tokenizer, held_out, size["turns"])
        print(json.dumps({"held_out": arguments.held_out, "tasks": len(held_out), "before": before, "after": after}))


def draw_rows(spec: WorldsmithSpec, alike: str, least: int, seed: int = 1) -> Any:
    """The rows of tasks in a random order in which each task, or each domain, comes as often as any other.

    Few tasks come several times, `least` rows at least, since TRL leaves out a step that it cannot fill.
    """
    draw = random.Random(seed)
    by_domain: dict[str, list[int]] = {}
    for number, task in enumerate(spec.tasks):
        by_domain.setdefault(task.domain.name if alike == "domains" else "", []).append(number)
    most = max(least, *map(len, by_domain.values()))
    rounds = [draw.sample(numbers * (most // len(numbers) + 1), most) for numbers in by_domain.values()]
    return spec.train_dataset.select([number for turn in zip(*rounds, strict=True) for number in turn])


def reward_advantage(prompts: Sequence[Any], reward: Sequence[float | None], log_metric: Any, **_: Any) -> list[Any]:
    """Equation 2 of the verdicts, group by group; an episode of which our side failed is in no group."""
    scored = [each for each in reward if each is not None]
    log_metric("verdict", sum(scored) / len(scored) if scored else 0.0)
    return _by_group(prompts, reward)


def finished_advantage(prompts: Sequence[Any], finished: Sequence[bool], log_metric: Any, **_: Any) -> list[Any]:
    """The same of whether the model ends its messages: what even a random model does now and then."""
    log_metric("finished", sum(finished) / len(finished))
    return _by_group(prompts, [float(each) for each in finished])


def _by_group(prompts: Sequence[Any], rewards: Sequence[float | None]) -> list[float | None]:
    found: list[float | None] = [None] * len(rewards)
    names = [prompt[0]["name"] for prompt in prompts]
    for name in dict.fromkeys(names):
        members = [at for at, each in enumerate(names) if each == name and rewards[at] is not None]
        for at, advantage in zip(members, advantages([rewards[each] or 0.0 for each in members]), strict=True):
            found[at] = advantage
    return found


def load_model(path: str | None, spec: WorldsmithSpec) -> tuple[Any, Any]:
    """Load a model and its tokenizer from a local folder; without one, make random ones."""
    if path is None:
        return make_tiny(spec)
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
    if not (getattr(tokenizer, "response_template", None) or getattr(tokenizer, "response_schema", None)):
        add_response_schema(tokenizer)
    return AutoModelForCausalLM.from_pretrained(path, local_files_only=True), tokenizer


def play(model: Any, tokenizer: Any, tasks: Sequence[DomainTask], turns: int) -> float:
    """Return the share of tasks for which the model is rewarded; what it writes is cut at 64 tokens a turn."""
    rewards = []
    for task in tasks:
        with Rollout(task, greeting=False, turns=turns).sync() as rollout:
            messages = list(rollout.open())
            while not rollout.done:
                ids = tokenizer.apply_chat_template(
                    messages, tools=rollout.tools, add_generation_prompt=True, return_tensors="pt", return_dict=True
                )
                written = model.generate(**ids, max_new_tokens=64, do_sample=False)[0, ids["input_ids"].shape[1] :]
                prefix = ids["input_ids"][0].tolist()
                reply = parse_response(tokenizer, written.tolist(), prefix=prefix, tools=rollout.tools)
                messages += [reply, *rollout.take(reply)]
            try:
                rewards.append(rollout.verdict().reward)
            except EnvironmentFault:
                continue  # void: not the model's failure
    return sum(rewards) / len(rewards) if rewards else 0.0


def make_tiny(spec: WorldsmithSpec) -> tuple[Any, Any]:
    """A random Qwen3 of a few thousand weights, and a tokenizer of the words of these tasks."""
    import trl
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    named = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>"]
    words = Tokenizer(models.BPE())
    words.pre_tokenizer, words.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    texts = [json.dumps(row["prompt"]) for row in spec.train_dataset] + [json.dumps(Rollout(spec.tasks[0]).tools)]
    words.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=768,
            special_tokens=named,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, eos_token="<|im_end|>", pad_token="<|endoftext|>", padding_side="left"
    )
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3_instruct_2507.jinja"
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "head_dim": 8}
    config = Qwen3Config(
        vocab_size=len(tokenizer), num_attention_heads=1, num_key_value_heads=1, max_position_embeddings=65_536, **shape
    )
    return Qwen3ForCausalLM(config), add_response_schema(tokenizer)


def write_curve(logged: Sequence[dict[str, Any]], idle: float | None, out: Path) -> None:
    """The share of verdicts that are 1, step by step, beside the idle agent's, as CSV and, with matplotlib, picture."""
    steps = [
        (each["step"], each["verdict"], each["finished"], idle, each["loss"]) for each in logged if "verdict" in each
    ]
    with out.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("step", "reward", "finished", "idle", "loss"), *steps])
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        print(f"{out.with_suffix('.csv')} is written; with matplotlib there would be a picture, too")
        return
    figure, axes = pyplot.subplots(figsize=(7, 3.5))
    for column, name in ((1, "reward (verdict)"), (2, "messages that the model ends"), (3, "idle agent's reward")):
        axes.plot([each[0] for each in steps], [each[column] for each in steps], label=name)
    axes.set(xlabel="step", ylabel="share of episodes", ylim=(-0.05, 1.05))
    axes.legend()
    figure.savefig(out.with_suffix(".png"), dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    main()
