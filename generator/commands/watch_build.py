"""Show how a build goes: its stage, what is asked, tokens, cost, repairs, and the time left."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from generator.author.stage import Stage, figures_by_stage, share_before
from runtime.commands.progress import Progress
from runtime.model.book import AnswerBook
from runtime.model.choose import Models
from runtime.model.model import Answer, Request
from runtime.sandbox.files import is_there, parse_json, read_text, replacing
from runtime.wording import counted, said_seconds

_LEAST_SHARE = 0.1  # of a build that is over when the time left is said: what comes before takes too little time


class BuildWatcher:
    """A watcher that writes its figures into a progress line."""

    def __init__(
        self,
        book: AnswerBook,
        progress: Progress,
        relays: Sequence[Path] = (),
        questions: int = 0,
        *,
        is_whole: bool = True,
        models: Models | None = None,
        status: Path | None = None,
    ) -> None:
        """`questions` are about how many are asked in all; only of a whole build it is known how long it takes.

        Every step is written to the file `status`; `models` say there who is asked."""
        self._book = book
        self._place = ""
        for folder in relays:
            progress.said(
                f"Questions, about {questions} of them, are written to {str(folder)!r}, and this waits until each is "
                "answered there; "
                f"{str(folder / 'README.md')!r} says how."
            )
        self._waits = bool(relays)
        self._is_whole = is_whole
        self._progress = progress
        self._in_flight: Counter[str] = Counter()
        self._models, self._status = models, status
        self._whom: dict[str, str] = {}
        self._stage = self._names = ""
        self._started, self._share_done = time.monotonic() - _seconds_before(status), 0.0

    def began(self, stages: Sequence[Stage], number: int, count: int) -> None:
        """Some stages begin, side by side."""
        numbers = f"{number + 1}" if len(stages) == 1 else f"{number + 1}-{number + len(stages)}"
        self._stage = f"{numbers} of {count}, {' and '.join(each.doing for each in stages)}"
        self._names = f"{numbers} of {count}: {', '.join(each.name for each in stages)}"
        self._share_done = share_before(stages[0]) if self._is_whole else 0.0
        self._tell()

    def asked(self, request: Request) -> None:
        """A request is under way."""
        self._in_flight[request.stage] += 1
        self._place = request.place
        if self._models is not None:
            kind, _, name = self._models.of(request.role).name.partition(":")
            self._whom[request.stage] = f"{kind}:{Path(name).name}"
        self._tell()

    def answered(self, request: Request, answer: Answer | None) -> None:
        """It is over; None if no answer came."""
        self._in_flight[request.stage] -= 1
        self._in_flight += Counter()
        self._tell()

    def repaired(self, stage: str, key: str, complaints: Sequence[str]) -> None:
        """An answer missed its gate."""
        more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
        self.said(f"{stage} {key}: {_short(complaints[0])}{more}")
        self._tell()

    def said(self, sentence: str) -> None:
        """Print a sentence for a person to keep."""
        self._progress.said(sentence)

    @property
    def sums(self) -> str:
        """Tokens, cost and repairs so far."""
        usage = self._book.usage()
        cost = "cost unknown" if usage.cost is None else f"${usage.cost:.2f}"
        repairs = sum(each.repairs for each in figures_by_stage(self._book))
        return f"{usage.prompt + usage.completion:,} tokens, {cost}, {counted(repairs, 'repair')}"

    def _tell(self) -> None:
        asked = ", ".join(f"{stage} ({count})" for stage, count in self._in_flight.items())
        doing = f"{self._place}, {'waiting for answers' if self._waits else 'asking'}: {asked}" if asked else "proving"
        left = self._left()
        about = "" if left is None else f", about {said_seconds(left)} left"
        self._progress.tell(f"{self._stage}; {doing}; {self.sums}{about}")
        if self._status is None:
            return
        usage, whom = self._book.usage(), [f"{stage}: {self._whom.get(stage)}" for stage in self._in_flight]
        status = {
            "stage": self._names,
            "place": self._place,
            "waits_for": ", ".join(whom) or "proofs",
            "tokens": usage.prompt + usage.completion,
            "cost": usage.cost,
            "seconds": round(time.monotonic() - self._started),
            "left": None if left is None else round(left),
        }
        with replacing(self._status) as file:
            file.write(json.dumps(status).encode())

    def _left(self) -> float | None:
        """The seconds left, by the share of the stages that are over; None while that says too little."""
        if self._share_done < _LEAST_SHARE:
            return None
        return (time.monotonic() - self._started) / self._share_done * (1 - self._share_done)


def _seconds_before(status: Path | None) -> float:
    """Return how long earlier runs of a build took, by the status that they left."""
    if status is None or not is_there(status):
        return 0.0
    return float(parse_json(read_text(status)).get("seconds", 0))


def relay_folders(specs: Sequence[str]) -> list[Path]:
    """The folders of the relays among `--model` specs."""
    bare = [spec.partition("=")[2] or spec for spec in specs]
    return [Path(spec.removeprefix("relay:")) for spec in dict.fromkeys(bare) if spec.startswith("relay:")]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}..."
