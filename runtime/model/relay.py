"""Asking whoever answers files: each request becomes a file in a folder, and its answer is waited for."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.errors import UsageError
from runtime.model.fit import Misfit, read_answer
from runtime.model.model import Answer, Request
from runtime.model.relay_files import RelayFiles, read_anyhow, write_whole
from runtime.model.relay_text import README, README_TITLE, write_complaint, write_request
from runtime.model.usage import estimate_usage
from runtime.sandbox.files import read_bytes


class RelayModel:
    """`relay:DIR`. The folder's README says how to answer; answers left there by an earlier run are read.

    A file that is not complete JSON is refused when it has not changed for `settled` seconds, an empty one never.
    """

    def __init__(self, folder: Path, *, poll: float = 0.2, settled: float = 5.0) -> None:
        """Make the folder; errors: UsageError if it cannot be written or holds another README."""
        self.name = f"relay:{folder}"
        self._folder = folder
        self._poll = poll
        self._settled = settled
        readme = folder / "README.md"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            written = read_anyhow(readme)
            if os.path.lexists(readme) if written is None else written and not written.startswith(README_TITLE):
                raise UsageError(
                    f"{str(folder)!r} holds a README.md of something else; relay:DIR wants an empty folder."
                )
            if written != README:
                write_whole(readme, README)
        except OSError as error:
            raise UsageError(f"The relay folder {str(folder)!r} cannot be written: {error.strerror}.") from error

    async def answer(self, request: Request) -> Answer:
        """Ask in the folder and wait for as long as it takes; errors: UsageError if the folder cannot be written."""
        files = RelayFiles(self._folder, request)
        try:
            files.ask(write_request(request, files.answer.name))
            watch = _Watch(files, request.schema, self._settled)
            watch.complain_again()
            while (answered := watch.look()) is None:
                await asyncio.sleep(self._poll)
        except OSError as error:
            raise UsageError(f"The relay folder {str(self._folder)!r} cannot be used: {error}.") from error
        texts = [read_anyhow(path) or "" for path in files.rejected()]
        recorded_as = f"relay:{self._folder.name}"  # where the folder lies is nobody's business
        return Answer(answered.content, recorded_as, estimate_usage(request, *texts, _compact(answered.content)))


def _compact(content: Mapping[str, Any]) -> str:
    """An answer without the white space of its file, which no model would be paid for."""
    return json.dumps(dict(content), ensure_ascii=False)


@dataclass(frozen=True)
class _Answered:
    content: Mapping[str, Any]
    text: str


class _Watch:
    """One question's answer file: what it says once it fits, and complaints until then."""

    def __init__(self, files: RelayFiles, schema: Mapping[str, Any], settled: float) -> None:
        self._files = files
        self._schema = schema
        self._settled = settled
        self._broken: tuple[int, ...] = ()  # the state of the file when it was last found to be no JSON
        self._since = 0.0

    def look(self) -> _Answered | None:
        """The answer, if there is one that fits now; one that never will is moved aside with a complaint."""
        try:
            status = self._files.answer.stat()
        except FileNotFoundError:
            return None
        state = (status.st_mtime_ns, status.st_size, status.st_ino)
        waited = time.monotonic() - self._since
        if not status.st_size or (state == self._broken and waited < self._settled):
            return None
        try:
            answered = self._read(self._files.answer)
        except FileNotFoundError:
            return None
        except Misfit as misfit:
            if misfit.broken and state != self._broken:
                self._broken, self._since = state, time.monotonic()
                return None
            self._refuse()
            return None
        self._files.complaint.unlink(missing_ok=True)
        return answered

    def complain_again(self) -> None:
        """Complain about the last refused answer, where a killed run had no time to."""
        rejected = self._files.rejected()
        if rejected and not self._files.complaint.exists() and not self._files.answer.exists():
            self._complain(rejected[-1])

    def _refuse(self) -> None:
        rejected = self._files.reject()
        if rejected is not None:
            self._complain(rejected)

    def _complain(self, rejected: Path) -> None:
        answer = self._files.answer
        try:
            self._read(rejected)
        except Misfit as misfit:
            text = write_complaint(misfit.lines, rejected_file=rejected.name, answer_file=answer.name)
            write_whole(self._files.complaint, text)
            return
        # A good answer took the bad one's place just before it was moved.
        if not answer.exists():
            rejected.rename(answer)

    def _read(self, path: Path) -> _Answered:
        try:
            text = read_bytes(path).decode()
        except UsageError as error:
            if not os.path.lexists(path):
                raise FileNotFoundError(path) from None
            raise Misfit([str(error).removesuffix(".")]) from error
        except UnicodeDecodeError as error:
            raise Misfit([f"it is not UTF-8: {error.reason} at byte {error.start}"], broken=True) from error
        return _Answered(read_answer(text, self._schema), text)
