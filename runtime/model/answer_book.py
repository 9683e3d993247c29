"""The answers of a build on disk: one file, only ever appended to, so that a killed build pays for nothing twice."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.errors import UsageError
from runtime.model.model import Answer, Request, Usage
from runtime.model.usage import total_usage
from runtime.sandbox.files import MIB, NO_LINK, is_there, parse_json, read_bytes, replacing

FORMAT = 1
_MOST_BYTES = 256 * MIB


@dataclass(frozen=True)
class AnswerEntry:
    """One recorded answer and the question it belongs to."""

    stage: str
    key: str
    attempt: int
    role: str
    answer: Answer


class AnswerBook:
    """A header line that says what the answers are for, then one line per answer: stage, key, attempt and the rest.

    A line that was added survives SIGKILL. What a killed process left of a line is dropped when the book is opened.
    """

    def __init__(self, path: Path, header: dict[str, Any], entries: list[AnswerEntry], file: int | None) -> None:
        """Take the parts; use `open` to add answers, `read` to look at them."""
        self.path = path
        self.header = header
        self._entries = entries
        self._file = file
        self._found = {(entry.stage, entry.key, entry.attempt): entry for entry in entries}

    @classmethod
    def open(cls, path: Path, header: Mapping[str, Any]) -> AnswerBook:
        """Go on with a book or start one; errors: UsageError if it is another's, damaged, in use, or unwritable.

        Every value of `header` must stand in an existing book; `format` is added.
        """
        header = {"format": FORMAT, **header}
        file = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not is_there(path) or not path.stat().st_size:
                _create(path, header)
            file = os.open(path, os.O_RDWR | os.O_APPEND | NO_LINK)
            _lock(path, file)
            found, entries, end = _parse(path)
            _compare(path, found, header)
            os.ftruncate(file, end)
        except BaseException as error:
            if file is not None:
                os.close(file)
            if isinstance(error, OSError):
                raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
            raise
        return cls(path, found, entries, file)

    @classmethod
    def read(cls, path: Path, header: Mapping[str, Any] | None = None) -> AnswerBook:
        """Read a book and leave it as it is; errors: UsageError as above."""
        found, entries, _ = _parse(path)
        _compare(path, found, {"format": FORMAT, **(header or {})})
        return cls(path, found, entries, None)

    def find(self, stage: str, key: str, attempt: int) -> Answer | None:
        """The answer to a question, the last one if there are several."""
        entry = self._found.get((stage, key, attempt))
        return None if entry is None else entry.answer

    def add(self, request: Request, answer: Answer) -> None:
        """Write an answer down before anything is done with it; errors: UsageError if the disk does not take it."""
        if self._file is None:
            raise UsageError(f"{str(self.path)!r} was opened for reading only.")
        entry = AnswerEntry(request.stage, request.key, request.attempt, request.role, answer)
        line = _encode(
            {
                "stage": entry.stage,
                "key": entry.key,
                "attempt": entry.attempt,
                "role": entry.role,
                "model": answer.model,
                "usage": asdict(answer.usage),
                "answer": dict(answer.content),
            }
        )
        end = os.fstat(self._file).st_size
        try:
            if os.write(self._file, line) != len(line):
                raise OSError(None, "the disk is full")
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, end)
            raise UsageError(f"{str(self.path)!r} cannot be written: {error.strerror}.") from error
        self._entries.append(entry)
        self._found[entry.stage, entry.key, entry.attempt] = entry

    def __iter__(self) -> Iterator[AnswerEntry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def usage_by_stage(self) -> dict[str, Usage]:
        """What each stage took, in the order in which they began."""
        stages = dict.fromkeys(entry.stage for entry in self._entries)
        return {
            stage: total_usage(entry.answer.usage for entry in self._entries if entry.stage == stage)
            for stage in stages
        }

    def usage(self) -> Usage:
        """What all answers took."""
        return total_usage(entry.answer.usage for entry in self._entries)

    def close(self) -> None:
        """Let go of the file; what was added is on disk already."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> AnswerBook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")

    stage: str
    key: str
    attempt: int
    role: str
    model: str
    usage: Usage
    answer: dict[str, Any]

    def entry(self) -> AnswerEntry:
        return AnswerEntry(self.stage, self.key, self.attempt, self.role, Answer(self.answer, self.model, self.usage))


def _create(path: Path, header: Mapping[str, Any]) -> None:
    """Lay down the header so that the file appears with it or not at all."""
    with replacing(path) as file:
        file.write(_encode(header))


def _lock(path: Path, file: int) -> None:
    """Keep other processes from writing, until this one closes the file or ends."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"{str(path)!r} is in use by another build.") from error


def _parse(path: Path) -> tuple[dict[str, Any], list[AnswerEntry], int]:
    """The header, the entries, and where the last whole line ends."""
    content = read_bytes(path, _MOST_BYTES)
    end = content.rfind(b"\n") + 1
    first, *lines = content[:end].split(b"\n")[:-1] or [b""]
    try:
        header = parse_json(first)
        if not isinstance(header, dict) or "format" not in header:
            raise ValueError("it has no format")
    except ValueError as error:
        raise UsageError(f"{str(path)!r} holds no answers: its first line is not a header.") from error
    if header["format"] != FORMAT:  # whose lines may look otherwise
        return header, [], end
    entries = []
    for number, line in enumerate(lines, start=2):
        try:
            entries.append(_Line.model_validate(parse_json(line)).entry())
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(map(str, fault["loc"])) or "it"
            raise UsageError(f"{str(path)!r} is damaged at line {number}: {where}: {fault['msg']}.") from error
        except ValueError as error:
            raise UsageError(f"{str(path)!r} is damaged at line {number}: it is not JSON: {error}.") from error
    return header, entries, end


def _compare(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for name, value in json.loads(_encode(wanted)).items():
        if found.get(name) != value:
            raise UsageError(f"{str(path)!r} is of {name} {found.get(name)!r}, not {value!r}.")


def _encode(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
