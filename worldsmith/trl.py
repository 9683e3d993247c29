"""Worldsmith for TRL: the rows, the environment and the rewards of a domain, and rollouts with real user turns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from runtime.installed import require

require("trl", "1.16", extra="trl")

from datasets import Dataset
from trl.chat_template_utils import add_response_schema

from runtime.errors import EnvironmentFault, UsageError
from runtime.verification.verdict import REWARD_KINDS, RewardKind
from worldsmith.catalog import named, tasks
from worldsmith.rollout import Rollout
from worldsmith.sync_rollout import SyncRollout
from worldsmith.trl_conversation import Conversation
from worldsmith.trl_environment import make_environment

_OPTIONS = {"user", "policy", "seed", "greeting", "strict", "turns", "calls"}  # of a Rollout


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
        if reward not in REWARD_KINDS:
            raise UsageError(f"There is no reward {reward!r}; give one of: {', '.join(REWARD_KINDS)}.")
        if wrong := [domain for domain in domains if not isinstance(domain, str)]:
            raise UsageError(f"A domain passed to WorldsmithSpec is {wrong[0]!r}; pass names or paths one by one.")
        if unknown := sorted(options.keys() - _OPTIONS):
            raise UsageError(f"WorldsmithSpec has no option {unknown[0]!r}; have: {', '.join(sorted(_OPTIONS))}.")
        self.tasks = [task for domain in domains for task in tasks(domain, split=split, level=level, form=form)]
        if not self.tasks:
            raise UsageError("No domain was passed to WorldsmithSpec; name one, such as 'job_seeking'.")
        self.tasks = named(self.tasks, ids)
        self._options = {"greeting": False, **options}
        Rollout(self.tasks[0], **self._options)  # says what is wrong with an option now, not in the training
        self._named = {f"{task.domain.name}/{task.id}": task for task in self.tasks}
        self._kind = reward
        self.reward_funcs = [self.reward]

    @property
    def train_dataset(self) -> Dataset:
        """A row for each task; its name stands in the system message, too, as a `rollout_func` is given no more."""
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
        return partial(make_environment, Rollout(self.tasks[0]).tools, self._open)

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

    def _reward_of(self, rollout: SyncRollout) -> float | None:
        try:
            return float(rollout.verdict().reward_by(self._kind))
        except EnvironmentFault:
            return None
