"""Fine-tune a model on the reference agent's conversations with TRL, and play held-out domains before and after.

`--model PATH` is a local folder of a model with a chat template for tools; without one, a random model of a few
thousand weights is made: it shows that the parts are connected, and nothing else. Run: pip install 'worldsmith[trl]'
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

from examples.train_grpo import load_model, play
from worldsmith import DomainTask, Rollout
from worldsmith.trl import WorldsmithSpec


def main() -> None:
    """Play, train, play again, and print both shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", default=["library"], help="domains to learn from")
    parser.add_argument("--held-out", action="append", default=[], help="a domain to play before and after")
    parser.add_argument("--model", help="a local folder of a model (default: a random one)")
    parser.add_argument("-n", "--count", type=int, default=16, help="tasks of each part (default 16)")
    parser.add_argument("--turns", type=int, default=4, help="of a model in an episode (default 4)")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--learning-rate", type=float, default=1e-5)
    parser.add_argument("--out", type=Path, default=Path("sft"), help="folder of the trained model")
    arguments = parser.parse_args()
    spec = WorldsmithSpec(*arguments.domains, split="train")
    model, tokenizer = load_model(arguments.model, spec)
    held_out = WorldsmithSpec(*(arguments.held_out or ["community_garden"])).tasks[: arguments.count]
    before = play(model, tokenizer, held_out, arguments.turns)
    rows = [row for row in map(conversation_of, spec.tasks[: arguments.count]) if row]
    options = {"max_steps": arguments.steps, "per_device_train_batch_size": 1, "logging_steps": 1}
    options |= {"learning_rate": arguments.learning_rate, "max_length": 8_192}
    config = SFTConfig(output_dir=str(arguments.out), assistant_only_loss=True, report_to=[], **options, **CPU)
    trainer = SFTTrainer(model, config, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
    trainer.train()
    trainer.save_model()
    losses = [each["loss"] for each in trainer.state.log_history if "loss" in each]
    after = play(trainer.model, tokenizer, held_out, arguments.turns)
    found = {"rows": len(rows), "loss": [losses[0], losses[-1]], "before": before, "after": after}
    print(json.dumps({**found, "held_out_tasks": len(held_out)}))


CPU = {"use_cpu": True, "bf16": False, "gradient_checkpointing": False, "save_strategy": "no"}


def conversation_of(task: DomainTask) -> dict[str, Any] | None:
    """Return the reference agent's conversation about a task as a row; None unless it is rewarded."""
    with Rollout(task, greeting=False).sync() as rollout:
        messages = list(rollout.open())
        say = rollout.seat("reference")
        while not rollout.done:
            reply = say()
            messages += [reply, *rollout.take(reply)]
        if not rollout.verdict().reward:
            return None
        return {"messages": [_for_template(each) for each in messages], "tools": json.dumps(rollout.tools)}


def _for_template(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with the arguments of its calls as JSON text, which every row of a data set can hold."""
    kept = {name: message.get(name) or "" for name in ("role", "content")}
    return kept | ({"tool_calls": message["tool_calls"]} if message.get("tool_calls") else {})


if __name__ == "__main__":
    main()
