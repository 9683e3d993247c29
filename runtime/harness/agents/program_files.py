"""Which files a program's command names: a digest of them, to notice a change, and what the program is called."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from runtime.errors import UsageError


def program_name(command: str) -> str:
    """The file name of a program, or of what an interpreter runs, without folders."""
    first, *files = _named(command) or [command]
    return Path(files[0] if files else first).name or command


def digest_files(command: str) -> str:
    """A digest of the files that a command names by a path; empty if it names none. Errors: UsageError."""
    digest = hashlib.sha256()
    files = [word for word in _named(command) if Path(word).is_file()]
    for word in files:
        try:
            with Path(word).open("rb") as file:
                digest.update(f"{word}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
        except OSError as error:
            raise UsageError(f"{word!r}, which the agent's command names, cannot be read: {error.strerror}.") from error
    return digest.hexdigest()[:12] if files else ""


def _named(command: str) -> list[str]:
    """The first word, and the others that are files."""
    try:
        first, *words = shlex.split(command)
    except ValueError:
        return []
    return [first, *(word for word in words if Path(word).is_file())]
