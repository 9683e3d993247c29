"""A llama.cpp server whose tiny model plays reference chains of the library: its weights are made here, not trained.

python -m tests.frameworks.llama_cpp URL_FILE [CONTEXT]: serves until it is ended, and writes its URL into the file.
It knows the three tasks that `worldsmith eval library -n 3` plays.

The model has no layers that do anything, so its next token depends on its last one alone. Every turn of a chain is one
token of its vocabulary, written as models of the Qwen family write text and calls; its chat template ends a prompt with
a token that names task and turn, after which the turn's own token comes, and then the end. So what the server parses,
streams and counts is its own doing, from a model that says what an able one would. Asked for anything else, it writes
whatever the server holds it to, and ends texts and lists at once.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import xllamacpp

from runtime.domain.domain import Domain
from runtime.domain.load import find_domain
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.choose import choose_user
from runtime.harness.conversation import Message
from runtime.harness.evaluation.plan import TaskChoice, choose_tasks
from runtime.harness.play import Setting, play
from runtime.task.task import Task, start_world

WIDTH = 256
SLOTS = 4  # conversations at once
TEMPLATE = """\
{%- if tools %}{{- '<|im_start|>system\\nYou may call these:\\n<tools>' }}
{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}
{{- '\\n</tools>\\nCall one so:\\n<tool_call>\\n{"name": <name>, "arguments": <arguments>}' }}
{{- '\\n</tool_call><|im_end|>\\n' }}
{%- endif %}
{%- set seen = namespace(turns=0, task='none') %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}
{%- set seen.turns = seen.turns + 1 %}
{{- '<|im_start|>assistant\\n' }}{%- if message.content %}{{- message.content }}{%- endif %}
{%- if message.tool_calls %}{%- for call in message.tool_calls %}
{{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{%- if call.function.arguments is string %}{{- call.function.arguments }}
{%- else %}{{- call.function.arguments | tojson }}{%- endif %}{{- '}\\n</tool_call>' }}
{%- endfor %}{%- endif %}{{- '<|im_end|>\\n' }}
{%- else %}
TASKS{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- if seen.task != 'none' %}{{- '<|' + seen.task + '-' + (seen.turns | string) + '|>' }}{%- endif %}
{%- endif %}"""


def record_messages(domain: Domain, task: Task) -> list[Message]:
    """What is said in an episode of the task that the reference agent plays."""
    setting = Setting(ReferenceAgent(), choose_user("scripted"))
    record = asyncio.run(play(task, domain, start_world(task, domain), 0, setting))
    assert record.reward == 1
    return list(record.messages)


def write_model(path: Path, domain: Domain, tasks: Sequence[Task]) -> None:
    """Write the model as a file of the GGUF format."""
    follows: dict[str, str] = {}
    template, greeted = "", 1
    for number, task in enumerate(tasks):
        said_there = record_messages(domain, task)
        turns = [message for message in said_there if message.role == "assistant"]
        for turn, message in enumerate(turns[greeted:], start=greeted):
            follows[f"<|t{number}-{turn}|>"] = _written(domain, message)
        words = json.dumps(next(message.text for message in said_there if message.role == "user"))
        template += f"{{%- if message.content == {words} %}}{{%- set seen.task = 't{number}' %}}{{%- endif %}}\n"
    said = list(dict.fromkeys(follows.values()))
    tokens = ["<unk>", "<s>", "<|im_end|>", *(f"<0x{byte:02X}>" for byte in range(256)), *follows, *said]
    kinds = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 2, *[gguf.TokenType.BYTE] * 256]
    kinds += [*[gguf.TokenType.CONTROL] * len(follows), *[gguf.TokenType.USER_DEFINED] * len(said)]
    random = np.random.default_rng(0)
    is_read = random.standard_normal((len(tokens), WIDTH)).astype(np.float32)
    is_read[:, 0] = 0  # the same of all tokens, below
    is_written = np.zeros((len(tokens), WIDTH), dtype=np.float32)
    for name, text in follows.items():
        is_written[tokens.index(text)] += is_read[tokens.index(name)]
    for text in said:
        is_written[2] += is_read[tokens.index(text)]
    is_written[3 + ord("]")] += is_read[3 + ord("[")]  # where it is held to JSON, its texts and lists are empty
    is_written[3 + ord('"'), 0] = 2
    is_read[:, 0] = 8
    file = gguf.GGUFWriter(path, "llama")
    file.add_context_length(1 << 17)
    file.add_embedding_length(WIDTH)
    file.add_block_count(1)
    file.add_feed_forward_length(32)
    file.add_head_count(4)
    file.add_head_count_kv(4)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_rope_dimension_count(WIDTH // 4)
    file.add_tokenizer_model("llama")
    file.add_token_list(tokens)
    file.add_token_scores([0.0] * len(tokens))
    file.add_token_types(kinds)
    file.add_bos_token_id(1)
    file.add_eos_token_id(2)
    file.add_add_bos_token(False)
    file.add_add_space_prefix(False)
    file.add_chat_template(TEMPLATE.replace("TASKS", template))
    file.add_tensor("token_embd.weight", is_read)
    file.add_tensor("output.weight", is_written)
    shapes = {"attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH)}
    shapes |= {"attn_output": (WIDTH, WIDTH), "ffn_gate": (32, WIDTH), "ffn_up": (32, WIDTH), "ffn_down": (WIDTH, 32)}
    for name, shape in shapes.items():
        file.add_tensor(f"blk.0.{name}.weight", np.zeros(shape, dtype=np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        file.add_tensor(f"{name}.weight", np.ones(WIDTH, dtype=np.float32))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def _written(domain: Domain, message: Message) -> str:
    """A turn as the model writes it; a server that holds calls to their schemas wants its order of arguments."""
    parts = [message.text] if message.text else []
    for call in message.calls:
        order = [name for name in domain.tools[call.name].arguments.schema["properties"] if name in call.arguments]
        made: dict[str, Any] = {"name": call.name, "arguments": {name: call.arguments[name] for name in order}}
        parts.append(f"<tool_call>\n{json.dumps(made)}\n</tool_call>")
    return "\n".join(parts)


def main(url_file: str, context: str = "16384") -> None:
    """Serve until somebody ends it."""
    domain = find_domain("library")
    path = Path(url_file).with_suffix(".gguf")
    write_model(path, domain, [chosen.task for chosen in choose_tasks([domain], TaskChoice(count=3))])
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_parallel = SLOTS
    params.n_ctx = int(context) * SLOTS
    params.port = 0
    params.cpuparams.n_threads = 1  # two would wait for each other where cores are shared
    server = xllamacpp.Server(params)
    Path(url_file).write_text(f"{server.listening_address}\n")
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
