"""Ask through files: each request becomes a file in a folder, and whoever watches it writes the answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from runtime.errors import UsageError
from runtime.model.ask import Misfit, read_answer
from runtime.model.model import Answer, Request, estimate_usage
from runtime.sandbox.files import MIB, read_bytes, replacing
from runtime.wording import have

_MOST_BYTES = 16 * MIB  # of a request or a rejected answer
_README = """# Questions that wait for answers

A worldsmith build asks here and waits. People and programs may answer, in any order.
The files of one question have names that begin with `STAGE.KEY.ATTEMPT`:

| file | who writes it | what it is |
| --- | --- | --- |
| `….request.md` | the build | the question |
| `….claim` | you | says that you are working on it |
| `….answer.json` | you | your answer: one JSON object that fits the schema in the request |
| `….complaint.md` | the build | what is wrong with your answer; write a new one while this file exists |
| `….rejected-N.json` | the build | an answer that was rejected, moved aside |
| `stale/` | the build | questions that are no longer asked in these words, with their answers |

1. Take a request that has neither an answer nor a claim, and claim it by creating its `.claim` file in a way that fails
   if it exists: `set -C; echo me > STAGE.KEY.ATTEMPT.claim` in a shell, `open(path, "x")` in Python. Alone, skip this.
2. Read the request. It says everything that is needed.
3. Write the answer under another name, for example `STAGE.KEY.ATTEMPT.answer.tmp`, and rename it to
   `STAGE.KEY.ATTEMPT.answer.json`. If your claim is gone by then, the question has changed: leave it and start again.
4. If a complaint appears, read it and write a new answer in the same way. The claim stays yours.

A claim whose owner is gone may be deleted. A build that was stopped reads the answers that are here when it runs again.
"""


def open_questions(folder: Path) -> dict[str, str]:
    """Return the questions that wait in a relay folder by name, the oldest first, with what a last answer lacked."""
    found = []
    for path in folder.glob("*.request.md"):
        name = path.name.removesuffix(".request.md")
        text = _read(path)
        if text is not None and not os.path.lexists(folder / f"{name}.answer.json"):
            text = text.replace(_how_to_answer(f"{name}.answer.json"), "")
            found.append((path.stat().st_mtime_ns, name, (_read(folder / f"{name}.complaint.md") or "") + text))
    return {name: text for _, name, text in sorted(found)}


def write_answer(folder: Path, name: str, content: Mapping[str, Any] | str) -> None:
    """Answer an open question of a relay folder, by its name, in one step; errors: UsageError if it is not open."""
    if name not in (names := open_questions(folder)):
        raise UsageError(f"No question {name!r} is open; {have(name, names)}.")
    _write(folder / f"{name}.answer.json", content if isinstance(content, str) else json.dumps(content))


class RelayModel:
    """`relay:DIR`; the folder's README says how to answer. Answers left there by an earlier run are read."""

    def __init__(self, folder: Path, *, poll: float = 0.2) -> None:
        """Make the folder with its README; errors: UsageError if it cannot be written."""
        self.name = f"relay:{folder}"
        self._folder = folder
        self._poll = poll
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(folder / "README.md"):
                _write(folder / "README.md", _README)
        except OSError as error:
            raise UsageError(f"The relay folder {str(folder)!r} cannot be written: {error.strerror}.") from error

    async def answer(self, request: Request) -> Answer:
        """Ask in the folder and wait for as long as it takes; errors: UsageError if the folder cannot be written."""
        question = _Question(self._folder, request)
        try:
            question.ask()
            while (content := question.look()) is None:
                await asyncio.sleep(self._poll)
        except OSError as error:
            raise UsageError(f"The relay folder {str(self._folder)!r} cannot be used: {error}.") from error
        texts = [_read(path) or "" for path in question.rejected()]
        usage = estimate_usage(request, *texts, json.dumps(content, ensure_ascii=False))
        return Answer(content, f"relay:{self._folder.name}", usage)  # a recording does not say where the folder was


class _Question:
    """The files of one question, `STAGE.KEY.ATTEMPT.*`."""

    def __init__(self, folder: Path, request: Request) -> None:
        self._folder = folder
        self._request = request
        self._stem = f"{_safe(request.stage)}.{_safe(request.key)}.{request.attempt}"
        self._asked = folder / f"{self._stem}.request.md"
        self._answer = folder / f"{self._stem}.answer.json"
        self._complaint = folder / f"{self._stem}.complaint.md"

    def ask(self) -> None:
        """Write the request; one in other words is set aside first, with everything that belongs to it."""
        text = write_request(self._request, self._answer.name)
        if (_read(self._asked) or "").partition("\n")[2] == text.partition("\n")[2]:  # its number may be another one
            return
        kinds = (self._folder / f"{self._stem}.claim", self._answer, self._complaint, self._asked)
        for path in (*self.rejected(), *kinds):  # the request last, so that a killed run finds what is left
            if path.exists():
                (self._folder / "stale").mkdir(exist_ok=True)
                path.replace(self._folder / "stale" / path.name)
        _write(self._asked, text)

    def rejected(self) -> list[Path]:
        found = self._folder.glob(f"{self._stem}.rejected-*.json")
        return sorted(found, key=lambda path: (len(path.name), path.name))

    def look(self) -> dict[str, Any] | None:
        """Return the answer if there is one that fits; one that never will is moved aside with a complaint."""
        try:
            text = read_bytes(self._answer).decode()
            content = read_answer(text, self._request.schema)
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            lines: tuple[str, ...] = (f"it is not UTF-8: {error.reason} at byte {error.start}",)
        except UsageError as error:
            lines = (str(error).removesuffix("."),)
        except Misfit as misfit:
            lines = misfit.lines
        else:
            self._complaint.unlink(missing_ok=True)
            return content
        if os.path.lexists(self._answer):
            rejected = self._folder / f"{self._stem}.rejected-{len(self.rejected()) + 1}.json"
            self._answer.rename(rejected)
            _write(self._complaint, _write_complaint(lines, rejected.name, self._answer.name))
        return None


def write_request(request: Request, answer_file: str) -> str:
    """Return the request as Markdown; the same request gives the same text."""
    prompt = "\n\n".join(part for part in (request.prefix, request.prompt) if part)
    place = f" ({request.place})" if request.place else ""
    parts = [
        f"# {request.stage} / {request.key} / attempt {request.attempt}{place}",
        f"A question for the role `{request.role}`. Answer the prompt below with **one JSON object** that fits the "
        f"schema at the end.{_how_to_answer(answer_file)}",
        f"## Prompt\n\n<prompt>\n{prompt}\n</prompt>",
    ]
    for number, turn in enumerate(request.earlier, start=request.attempt - len(request.earlier)):
        parts.append(f"## Earlier answer: attempt {number}\n\n{_fenced(dict(turn.answer))}")
        parts.append(f"What is wrong with it:\n\n{_listed(turn.complaints)}")
    if request.earlier:
        parts.append(request.repair)
    parts.append(f"## The JSON Schema that the answer must fit\n\n{_fenced(dict(request.schema))}")
    return "\n\n".join(parts) + "\n"


def _how_to_answer(file: str) -> str:
    return f"\nWrite it to `{file}` in this folder: under another name first, then rename it. README.md says more."


def _write_complaint(lines: Iterable[str], rejected: str, answer: str) -> str:
    return (
        f"# The answer was not accepted\n\nIt is now in `{rejected}`. `$` is the whole answer.\n\n"
        f"{_listed(lines)}\n\nWrite a new answer to `{answer}`.\n"
    )


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _fenced(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```"


def _read(path: Path) -> str | None:
    """The text of a file of the folder, line ends as they are; None if it is missing or unreadable."""
    try:
        return read_bytes(path, _MOST_BYTES).decode("utf-8", "replace")
    except UsageError:
        return None


def _write(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode("utf-8", "surrogatepass"))


def _safe(name: str) -> str:
    """A part of a file name; one that has to change gets a digest, so that no two names meet in any file system."""
    if re.fullmatch(r"[a-z0-9_-]{1,80}", name):
        return name
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower())[:60].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{plain}~{digest}"
