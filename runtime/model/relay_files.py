"""The files of one question in a relay folder: their names, and how they come, go and are moved aside."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from pathlib import Path

from runtime.errors import UsageError
from runtime.model.model import Request
from runtime.sandbox.files import MIB, read_bytes

_MOST_BYTES = 16 * MIB  # of a request or a refused answer
KINDS = ("claim", "answer.json", "complaint.md")


class RelayFiles:
    """`STAGE.KEY.ATTEMPT.*`: whatever a key holds, its names are plain and no two keys share them."""

    def __init__(self, folder: Path, request: Request) -> None:
        self.folder = folder
        self.stem = f"{_safe(request.stage)}.{_safe(request.key)}.{request.attempt}"
        self.request = folder / f"{self.stem}.request.md"
        self.answer = folder / f"{self.stem}.answer.json"
        self.complaint = folder / f"{self.stem}.complaint.md"

    def ask(self, text: str) -> None:
        """Put the request there; one that reads differently leaves first, and with it every answer it had."""
        if read_anyhow(self.request) == text:
            return
        self._set_aside()
        write_whole(self.request, text)

    def rejected(self) -> list[Path]:
        """The refused answers, the oldest first."""
        found = self.folder.glob(f"{self.stem}.rejected-*.json")
        return sorted(found, key=lambda path: (len(path.name), path.name))

    def reject(self) -> Path | None:
        """Move the answer aside, and say where to; None if it has gone."""
        target = self.folder / f"{self.stem}.rejected-{len(self.rejected()) + 1}.json"
        try:
            self.answer.rename(target)
        except FileNotFoundError:
            return None
        return target

    def _set_aside(self) -> None:
        """Move everything of this question to `stale/`, the request last, so that a killed run finds what is left."""
        left = [*self.rejected(), *(self.folder / f"{self.stem}.{kind}" for kind in KINDS), self.request]
        left = [path for path in left if path.exists()]
        if not left:
            return
        stale = self.folder / "stale"
        stale.mkdir(exist_ok=True)
        number = 1
        while any(stale.glob(f"{self.stem}.stale-{number}.*")):
            number += 1
        for path in left:
            with contextlib.suppress(FileNotFoundError):
                path.rename(stale / path.name.replace(self.stem, f"{self.stem}.stale-{number}", 1))


def write_whole(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    with temporary.open("x", encoding="utf-8", newline="\n") as file:  # which follows no link
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def read_anyhow(path: Path) -> str | None:
    """The text of a file of the folder, line ends as they are; None if it is not there or not to be read."""
    try:
        return read_bytes(path, _MOST_BYTES).decode("utf-8", "replace")
    except UsageError:
        return None


def _safe(name: str) -> str:
    """A part of a file name; what had to change gets a digest, so that two never meet, even where case is ignored."""
    if re.fullmatch(r"[a-z0-9_-]{1,80}", name):
        return name
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower())[:60].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{plain}~{digest}"
