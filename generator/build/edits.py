"""Edits that a person made by hand: kept beside the answers with their reasons, applied at every rebuild."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from generator.build.design import Part, Sentence
from runtime.errors import UsageError

FILE = "edits.jsonl"


class Edit(Part):
    """In one file, a text that occurs once is replaced."""

    file: str
    old: str
    new: str
    reason: Sentence


def read_edits(folder: Path) -> tuple[Edit, ...]:
    """The edits of a domain folder; errors: UsageError with the line that is wrong."""
    path = folder / FILE
    if not path.is_file():
        return ()
    edits = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            edits.append(Edit.model_validate_json(line))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            raise UsageError(f"{str(path)!r}, line {number}: {fault['msg']}.") from error
    return tuple(edits)


def apply_edits(folder: Path, edits: Sequence[Edit]) -> None:
    """Apply the edits of the files that are there; errors: UsageError for a text that does not occur once."""
    for edit in edits:
        path = folder / edit.file
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        found = text.count(edit.old)
        if found != 1:
            raise UsageError(f"{FILE}: {edit.old!r} occurs {found} times in {edit.file}, not once.")
        path.write_text(text.replace(edit.old, edit.new), encoding="utf-8", newline="\n")
