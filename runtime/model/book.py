"""Recorded answers: an append-only file, so that a killed build pays for nothing twice, and its model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import ModelFailed, UsageError
from runtime.model.ask import find_misfits
from runtime.model.model import Answer, Model, Request, Usage, total_usage
from runtime.sandbox.files import MIB, is_there, parse_json, read_bytes, replacing
from runtime.session.state_folder import take_lock

FORMAT = 1
_MOST_BYTES = 256 * MIB


class AnswerEntry(BaseModel):
    """One recorded answer and the question it belongs to, as a line of the file has it."""

    model_config = ConfigDict(extra="forbid")

    stage: str
    key: str
    attempt: int
    role: str
    model: str
    usage: Usage
    content: dict[str, Any] = Field(alias="answer")

    @property
    def answer(self) -> Answer:
        return Answer(self.content, self.model, self.usage)


class AnswerBook:
    """A header line that says what the answers are for, then one line per answer.

    A line that was added survives SIGKILL; a partial last line is dropped when the book is opened.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        """Read a book whose header has these values; use `open` to add answers. Errors: UsageError."""
        self.path = path
        self.header, self._entries, self._end = _parse(path, {"format": FORMAT, **header})
        self._file: IO[bytes] | None = None
        self._found = {(entry.stage, entry.key, entry.attempt): entry.answer for entry in self._entries}

    @classmethod
    def open(cls, path: Path, header: Mapping[str, Any]) -> AnswerBook:
        """Continue a book whose header has these values, or start one; errors: UsageError if it cannot be used."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not is_there(path) or not path.stat().st_size:
                with replacing(path) as new:
                    new.write(_encode({"format": FORMAT, **header}))
            file = path.open("ab")
            try:
                if not take_lock(file):  # two writers would mix their lines
                    raise UsageError(f"{str(path)!r} is being written by another process; wait for it, or stop it.")
                book = cls(path, header)
                file.truncate(book._end)
            except BaseException:
                file.close()
                raise
            book._file = file
        except OSError as error:
            raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
        return book

    @classmethod
    def read(cls, path: Path, header: Mapping[str, Any] | None = None) -> AnswerBook:
        """Read a book and leave it as it is; errors: UsageError."""
        return cls(path, header or {})

    def find(self, stage: str, key: str, attempt: int) -> Answer | None:
        return self._found.get((stage, key, attempt))

    def add(self, request: Request, answer: Answer) -> None:
        """Write an answer to disk before anything is done with it; errors: UsageError."""
        if self._file is None:
            raise UsageError(f"{str(self.path)!r} was opened for reading only.")
        entry = AnswerEntry(
            stage=request.stage,
            key=request.key,
            attempt=request.attempt,
            role=request.role,
            model=answer.model,
            usage=answer.usage,
            answer=dict(answer.content),
        )
        try:
            self._file.write(entry.model_dump_json(by_alias=True).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:  # a torn line is dropped when the book is opened again
            raise UsageError(f"{str(self.path)!r} cannot be written: {error.strerror}.") from error
        self._entries.append(entry)
        self._found[request.stage, request.key, request.attempt] = answer

    def __iter__(self) -> Iterator[AnswerEntry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def usage_by_stage(self) -> dict[str, Usage]:
        """Return the usage of each stage, in the order in which they began."""
        stages = dict.fromkeys(entry.stage for entry in self._entries)
        return {
            stage: total_usage(entry.answer.usage for entry in self._entries if entry.stage == stage)
            for stage in stages
        }

    def usage(self) -> Usage:
        return total_usage(entry.answer.usage for entry in self._entries)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> AnswerBook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RecordedModel:
    """A book of answers in front of a model, or alone: `recorded`.

    The prompt is not compared, so a better prompt does not make a recording worthless. An answer that does not fit
    the schema of today counts as missing.
    """

    def __init__(self, book: AnswerBook, live: Model | None = None) -> None:
        self._book = book
        self._live = live

    @property
    def name(self) -> str:
        """The live model's, or `recorded`."""
        return "recorded" if self._live is None else self._live.name

    async def answer(self, request: Request) -> Answer:
        found = self._book.find(request.stage, request.key, request.attempt)
        misfits = [] if found is None else find_misfits(found.content, request.schema)
        if found is not None and not misfits:
            return found
        if self._live is None:
            has = f"an answer that does not fit ({misfits[0]})" if misfits else "no answer"
            raise ModelFailed(
                f"{self._book.path.name} has {has} for {request.stage}/{request.key} attempt {request.attempt}; "
                "--model anthropic:MODEL or relay:DIR would ask for it."
            )
        answer = await self._live.answer(request)
        self._book.add(request, answer)
        return answer


def _parse(path: Path, wanted: Mapping[str, Any]) -> tuple[dict[str, Any], list[AnswerEntry], int]:
    """The header, which has the wanted values, the entries, and where the last whole line ends."""
    content = read_bytes(path, _MOST_BYTES)
    end = content.rfind(b"\n") + 1
    first, *lines = content[:end].split(b"\n")[:-1] or [b""]
    try:
        header = parse_json(first)
    except ValueError:
        header = None
    if not isinstance(header, dict) or "format" not in header:
        raise UsageError(f"{str(path)!r} holds no answers: its first line is not a header.")
    for name, value in json.loads(_encode(wanted)).items():
        if header.get(name) != value:
            raise UsageError(f"{str(path)!r} is of {name} {header.get(name)!r}, not {value!r}.")
    entries = []
    for number, line in enumerate(lines, start=2):
        try:
            entries.append(AnswerEntry.model_validate(parse_json(line)))
        except ValueError as error:
            said = str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else f"it is not JSON: {error}"
            raise UsageError(f"{str(path)!r} is damaged at line {number}: {said}.") from error
    return header, entries, end


def _encode(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
