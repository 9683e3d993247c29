"""What a person finds in a relay folder: the README, each request as Markdown, and complaints about an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from runtime.model.model import Request

README_TITLE = "# Questions that wait for answers"
README = f"""{README_TITLE}

A worldsmith build asks here and waits. A person, another program or several of them may answer, in any order.
The files of one question share the beginning of their names, `STAGE.KEY.ATTEMPT`:

| file | who writes it | what it is |
| --- | --- | --- |
| `….request.md` | the build | the question; it waits until its answer is there |
| `….claim` | you | says that you are at it |
| `….answer.json` | you | your answer: one JSON object that fits the schema in the request |
| `….complaint.md` | the build | what is wrong with your answer; a new one is wanted while this file exists |
| `….rejected-N.json` | the build | an answer that was refused, moved aside |
| `stale/` | the build | questions that are no longer asked in these words, with their answers |

To answer:

1. Take a request that has neither an answer nor a claim, and claim it by creating its `.claim` file in a way that fails
   if it exists: `set -C; echo me > STAGE.KEY.ATTEMPT.claim` in a shell, `open(path, "x")` in Python. Alone, skip this.
2. Read the request. It says everything that is needed.
3. Write the answer under another name, for example `STAGE.KEY.ATTEMPT.answer.tmp`, and rename it to
   `STAGE.KEY.ATTEMPT.answer.json`. If your claim is gone by then, the question was changed: leave the answer and start
   again. A file that is written in place works too: while it is empty, or is not complete JSON and still grows, the
   build waits.
4. If a complaint appears, read it and write a new answer in the same way. The claim stays yours.

The build only looks at answers, so a claim whose owner is gone may simply be deleted. A build that was stopped reads
the answers that are here when it runs again.
"""


def write_request(request: Request, answer_file: str) -> str:
    """The request as Markdown; the same request gives the same text."""
    parts = [
        f"# {request.stage} / {request.key} / attempt {request.attempt}",
        f"A question for the role `{request.role}`. Answer the prompt below with **one JSON object** that fits the "
        f"schema at the end.\nWrite it to `{answer_file}` in this folder: under another name first, then rename it. "
        "README.md says more.",
        f"## Prompt\n\n<prompt>\n{_joined(request.prefix, request.prompt)}\n</prompt>",
    ]
    for number, turn in enumerate(request.earlier, start=request.attempt - len(request.earlier)):
        parts.append(f"## Earlier answer: attempt {number}\n\n{_fenced(dict(turn.answer))}")
        parts.append(f"What is wrong with it:\n\n{_listed(turn.complaints)}")
    if request.earlier:
        parts.append(request.repair)
    parts.append(f"## The JSON Schema that the answer must fit\n\n{_fenced(dict(request.schema))}")
    return "\n\n".join(parts) + "\n"


def write_complaint(lines: Iterable[str], *, rejected_file: str, answer_file: str) -> str:
    """What is wrong with an answer and what to do, as Markdown."""
    return (
        f"# The answer was not accepted\n\nIt is kept as `{rejected_file}`. `$` is the whole answer.\n\n"
        f"{_listed(lines)}\n\nWrite a new answer to `{answer_file}`.\n"
    )


def _joined(prefix: str, prompt: str) -> str:
    return "\n\n".join(part for part in (prefix, prompt) if part)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _fenced(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    longest = max(map(len, re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}json\n{text}\n{fence}"
