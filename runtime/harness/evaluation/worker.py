"""A worker process: takes episodes as lines on stdin, plays them, answers with a line each.

It ends when stdin closes, which happens with the parent's death at the latest: first every episode is cancelled, so
that programs and servers which belong to it end with it, and after a few seconds in any case.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NoReturn

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.harness.evaluation.answers import answer_job
from runtime.harness.evaluation.config import read_config
from runtime.harness.evaluation.exposure import close_memory
from runtime.harness.evaluation.notices import say_warnings
from runtime.harness.evaluation.player import EpisodePlayer
from runtime.harness.evaluation.setting import bind_play
from runtime.terminal import words_only

_LAST_SECONDS = 5.0  # for what must be ended in good order


def main() -> NoReturn:
    """Play what comes on stdin until it closes."""
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = _take_stdout()
    request = json.loads(sys.stdin.buffer.readline() or b"null")
    if request is not None:
        os.environ.update(request["secrets"])
        close_memory()
        with words_only(), say_warnings():
            asyncio.run(_Worker(request, answers).run())
    os._exit(0)  # threads that still build a world are of no use to anyone


class _Worker:
    def __init__(self, request: Mapping[str, Any], answers: IO[bytes]) -> None:
        self._request = request
        self._answers = answers
        self._playing: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Play until stdin closes."""
        closed = asyncio.Event()
        loop = asyncio.get_running_loop()
        try:
            domains = dict(map(_load, self._request["domains"]))
            player: EpisodePlayer | UsageError = EpisodePlayer(domains, bind_play(read_config(self._request["config"])))
        except UsageError as error:  # what was right in the parent is wrong here: every job is answered so
            player = error
        threading.Thread(target=self._listen, args=(loop, player, closed), daemon=True).start()
        await closed.wait()
        for each in self._playing:
            each.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)

    def _listen(
        self, loop: asyncio.AbstractEventLoop, player: EpisodePlayer | UsageError, closed: asyncio.Event
    ) -> None:
        """Hand over each line to the loop; a thread, so that the end is noticed while the loop is busy."""
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(self._start, player, line)
        watch = threading.Timer(_LAST_SECONDS, os._exit, (1,))
        watch.daemon = True
        watch.start()
        loop.call_soon_threadsafe(closed.set)

    def _start(self, player: EpisodePlayer | UsageError, line: bytes) -> None:
        playing = asyncio.create_task(self._answer(player, json.loads(line)))
        self._playing.add(playing)
        playing.add_done_callback(self._playing.discard)

    async def _answer(self, player: EpisodePlayer | UsageError, asked: Mapping[str, Any]) -> None:
        played = await answer_job(player, asked["task"], asked["trial"], asked["idle"])
        answer = {"number": asked["number"], **played}
        with contextlib.suppress(BrokenPipeError):  # the parent was killed and owes it again
            self._answers.write(json.dumps(answer).encode() + b"\n")
            self._answers.flush()


def _load(place: Mapping[str, str]) -> tuple[str, Domain]:
    domain = load_domain(Path(place["path"]))
    if domain.digest != place["digest"]:
        raise UsageError(f"Domain {domain.name!r} was changed while the evaluation began; run it again.")
    return domain.name, domain


def _take_stdout() -> IO[bytes]:
    """Keep what was stdout for answers alone; what is printed goes to stderr."""
    place = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(place, "wb")
