"""Show how a build goes: what is asked, what missed its gate, tokens, cost and repairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from runtime.commands.progress import Progress
from runtime.model.book import AnswerBook
from runtime.model.model import Answer, Request
from runtime.wording import counted


class BuildWatcher:
    """A watcher that writes its figures into a progress line; `prefix` tells builds that share one apart."""

    def __init__(self, book: AnswerBook, progress: Progress, prefix: str, relays: Sequence[Path] = ()) -> None:
        self._book, self._prefix = book, prefix
        for folder in relays:
            progress.said(
                f"Questions are written to {str(folder)!r}, and this waits until each is answered there; "
                f"{str(folder / 'README.md')!r} says how."
            )
        self._waits = bool(relays)
        self._progress = progress
        self._in_flight: Counter[str] = Counter()
        self._repairs = 0

    def asked(self, request: Request) -> None:
        """A request is under way."""
        self._in_flight[request.stage] += 1
        self._tell()

    def answered(self, request: Request, answer: Answer | None) -> None:
        """It is over; None if no answer came."""
        self._in_flight[request.stage] -= 1
        self._in_flight += Counter()
        self._tell()

    def repaired(self, stage: str, key: str, complaints: Sequence[str]) -> None:
        """An answer missed its gate."""
        self._repairs += 1
        more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
        self.said(f"{stage} {key}: {_short(complaints[0])}{more}")
        self._tell()

    def said(self, sentence: str) -> None:
        """Print a sentence for a person to keep."""
        self._progress.said(f"{self._prefix}{sentence}")

    @property
    def sums(self) -> str:
        """Tokens, cost and repairs so far."""
        usage = self._book.usage()
        cost = "cost unknown" if usage.cost is None else f"${usage.cost:.2f}"
        return f"{usage.prompt + usage.completion:,} tokens, {cost}, {counted(self._repairs, 'repair')}"

    def _tell(self) -> None:
        asked = ", ".join(f"{stage} ({count})" for stage, count in self._in_flight.items())
        doing = f"{'waiting for answers' if self._waits else 'asking'}: {asked}" if asked else "proving"
        self._progress.tell(f"{self._prefix}{doing}; {self.sums}")


def relay_folders(specs: Sequence[str]) -> list[Path]:
    """The folders of the relays among `--model` specs."""
    bare = [spec.partition("=")[2] or spec for spec in specs]
    return [Path(spec.removeprefix("relay:")) for spec in dict.fromkeys(bare) if spec.startswith("relay:")]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}..."
