"""Claims about `examples.verl`, with verl's base class, token builder and parser; run by `.ci/frameworks recipes`."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest
from omegaconf import OmegaConf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast
from verl.experimental.agent_loop.agent_loop import DictConfigWrap
from verl.workers.rollout.replica import TokenOutput

from examples.verl import EpisodeLoop, rows
from runtime.errors import UsageError
from worldsmith.recipes import rollout_of

ROWS = [*rows("library"), *rows("job_seeking", split="held_out")][:6]
CHATML = """\
{%- for m in messages %}
{{- '<|im_start|>' + m.role + '\n' + (m.content or '') }}
{%- if loop.first and tools %}{% for t in tools %}{{- '\n' + (t | tojson) }}{% endfor %}{% endif %}
{%- for c in m.tool_calls or [] %}{{- '<tool_call>' + (c.function | tojson) + '</tool_call>' }}{% endfor %}
{{- '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{% endif %}"""


@pytest.fixture(scope="module")
def tokenizer():
    named = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"]
    words = Tokenizer(models.BPE())
    words.pre_tokenizer, words.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(special_tokens=named, initial_alphabet=alphabet, show_progress=False, vocab_size=600)
    words.train_from_iterator([json.dumps(row) for row in ROWS], trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = CHATML
    return made


class Replies:
    """In the place of verl's server of a model: token ids that somebody else wrote."""

    def __init__(self, tokenizer, texts):
        self.asked, self._written = [], [tokenizer.encode(text, add_special_tokens=False) for text in texts]

    async def generate(self, *, request_id, prompt_ids, sampling_params):
        ids = self._written[len(self.asked)]
        self.asked.append(list(prompt_ids))
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids))


def told(row, agent):
    """What an agent says in a whole episode, as a Hermes model writes it."""
    with rollout_of(row).sync() as rollout:
        rollout.open()
        say, texts = rollout.seat(agent), []
        while not rollout.done:
            message = say()
            calls = [call["function"] for call in message.get("tool_calls") or []]
            named = [{"name": call["name"], "arguments": json.loads(call["arguments"])} for call in calls]
            texts.append((message["content"] or "") + "".join(f"<tool_call>{json.dumps(c)}</tool_call>" for c in named))
            rollout.take(message)
    return [text + "<|im_end|>" for text in texts]


def play(tokenizer, row, texts, **settings):
    """One episode of the loop; what came of it, and the server."""
    multi_turn = {"max_assistant_turns": 40, "format": "hermes"}
    rollout = {"prompt_length": 200_000, "response_length": 200_000, "multi_turn": multi_turn, **settings}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})
    replies = Replies(tokenizer, texts)

    async def run():
        loop = EpisodeLoop(
            DictConfigWrap(config), replies, tokenizer, None, SimpleNamespace, DictConfigWrap(config.data)
        )
        return await loop.run({}, **row)

    return asyncio.run(run()), replies


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["worldsmith"]["task"])
@pytest.mark.parametrize(("agent", "reward"), [("reference", 1.0), ("idle", 0.0)])
def test_an_episode_is_rewarded_and_only_what_the_model_wrote_is_trained_on(tokenizer, row, agent, reward):
    texts = told(row, agent)
    output, replies = play(tokenizer, row, texts)
    assert output.reward_score == reward
    assert len(replies.asked) == len(texts)
    assert len(output.response_ids) == len(output.response_mask) == len(output.response_logprobs)
    written = [id for id, mask in zip(output.response_ids, output.response_mask, strict=True) if mask]
    assert tokenizer.decode(written) == "".join(texts)
    assert output.prompt_ids == replies.asked[0]
    assert all(
        later[: len(earlier)] == earlier for earlier, later in zip(replies.asked, replies.asked[1:], strict=False)
    )


def test_an_episode_that_outgrows_the_response_is_judged_as_it_stands(tokenizer):
    output, _ = play(tokenizer, ROWS[0], told(ROWS[0], "reference"), response_length=40)
    assert (output.reward_score, output.extra_fields["ended"]) == (0.0, "out_of_tokens")
    assert len(output.response_ids) == len(output.response_mask) <= 40


def test_a_prompt_that_verl_would_cut_is_one_sentence(tokenizer):
    with pytest.raises(UsageError, match="rollout.prompt_length is 500; the prompt with 1. tools is not shorter"):
        play(tokenizer, ROWS[0], [], prompt_length=500)
