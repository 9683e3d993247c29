"""Edits that a person made by hand: kept beside the answers with their reasons, applied at every rebuild."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from generator.build.design import DesignPart, Sentence
from runtime.errors import UsageError
from runtime.sandbox.files import MIB, hold_path, is_there, parse_json, read_lines, read_text, replacing

FILE = "edits.jsonl"
_FILES = ("domain.json", "schema.sql", "world.py", "cases.jsonl", "scenarios.py")  # beside tools/: what a draft writes
_MOST_BYTES = 16 * MIB


class HandEdit(DesignPart):
    """In one file of a draft, a text that occurs once is replaced."""

    file: str = Field(pattern=rf"^(?:{'|'.join(map(re.escape, _FILES))}|tools/[a-z][a-z0-9_]{{0,59}}\.py)$")
    old: str
    new: str
    reason: Sentence


def read_edits(folder: Path) -> tuple[HandEdit, ...]:
    """The edits of a domain folder; errors: UsageError with the line that is wrong."""
    path = folder / FILE
    if not is_there(path):
        return ()
    edits = []
    for number, line in read_lines(path, _MOST_BYTES):
        try:
            edits.append(HandEdit.model_validate(parse_json(line)))
        except ValidationError as error:
            said = _said_of(error.errors(include_url=False)[0])
            raise UsageError(f"{str(path)!r}, line {number}: {said}.") from error
        except ValueError as error:
            raise UsageError(f"{str(path)!r}, line {number}: {error}.") from error
    return tuple(edits)


def apply_edits(folder: Path, edits: Sequence[HandEdit]) -> None:
    """Apply the edits of the files that are there; errors: UsageError for a text that does not occur once."""
    for edit in edits:
        path = hold_path(folder, edit.file)
        if not is_there(path, within=folder):
            continue
        text = read_text(path, _MOST_BYTES, within=folder)
        found = text.count(edit.old)
        if found != 1:
            raise UsageError(f"{FILE}: {edit.old!r} occurs {found} times in {edit.file}, not once.")
        with replacing(path) as file:
            file.write(text.replace(edit.old, edit.new).encode())


def _said_of(fault: ErrorDetails) -> str:
    """What is wrong with a line, with the value that is wrong where it is a file's name."""
    if fault["loc"] == ("file",) and fault["type"] == "string_pattern_mismatch":
        return (
            f"{fault['input']!r:.200} is not a file that an edit may change; have: {', '.join(_FILES)}, tools/NAME.py"
        )
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}".removeprefix(": ")
