"""The evaluations that the studio shows: stores named or in ./runs, read on while they are written, and what is new."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from generator.tasks.sessions import PlayedSession, session_of_episode
from runtime.errors import UsageError, WorldsmithError
from runtime.harness.evaluation.compare import compare
from runtime.harness.evaluation.store import Outcomes, Run, read_run
from runtime.page.figures import describe_run
from runtime.page.steps import Replayer
from runtime.page.tell import tell_episode, tell_system
from runtime.wording import have
from worldsmith.studio.domains import load_shown, size_and_time

FOLDER = Path("runs")  # where `worldsmith eval` puts stores


class Runs:
    """The stores by name: that of the file, with a number where two files have the same."""

    def __init__(self, named: Path | None = None) -> None:
        self._named = named
        self._stores: dict[str, _Store] = {}
        self._lock = Lock()

    def list(self) -> list[dict[str, Any]]:
        """Return a card for each store, the newest first; one that cannot be read says why."""
        cards = [_card(name, store) for name, store in self._find().items()]
        return sorted(cards, key=lambda card: card.get("ended", ""), reverse=True)

    def describe(self, name: str) -> dict[str, Any]:
        """Return a run as its page shows it; errors: UsageError."""
        store = self._take(name)
        with store.lock:
            run = store.read()
            return {**describe_run(run, store.outcomes), "file": str(store.path)}

    def compare(self, name: str, other: str) -> dict[str, Any]:
        """Return a second run beside a first one, over the tasks of both; errors: UsageError."""
        return compare(*(read_run(self._take(each).path) for each in (name, other))).as_json()

    def episode(self, name: str, number: int) -> dict[str, Any]:
        """Return one episode of a run; errors: UsageError."""
        store = self._take(name)
        with store.lock:
            run = store.read()
            return tell_episode(run, run.attempt(number), store.replayer)

    def session(self, name: str, number: int) -> PlayedSession:
        """Return the session of an episode, for a task to be made of it; errors: UsageError."""
        store = self._take(name)
        with store.lock:
            run = store.read()
            return session_of_episode(run, number, load_shown(run.attempt(number).domain))

    def system(self, name: str, domain: str) -> dict[str, Any]:
        """Return the system message of a run's episodes in a domain; errors: UsageError."""
        store = self._take(name)
        with store.lock:
            run = store.read()
            found = (number for number, record in store.outcomes.last.values() if record.domain == domain)
            number = next(found, None)
            if number is None:
                raise UsageError(f"Run {name!r} has no episode in a domain {domain!r:.100}.")
            return {"text": tell_system(run.attempt(number))}

    def stamps(self) -> dict[str, Any]:
        """Return what changes as a run is written to, by its name."""
        return {name: store.stamp() for name, store in self._find().items()}

    def _find(self) -> dict[str, _Store]:
        with self._lock:
            known = {store.path for store in self._stores.values()}
            files = [*([] if self._named is None else [self._named]), *sorted(FOLDER.glob("*.db"))]
            for path in (each.resolve() for each in files):
                if path not in known:
                    names = (path.stem if number == 1 else f"{path.stem}-{number}" for number in range(1, 1000))
                    name = next(each for each in names if each not in self._stores)
                    self._stores[name] = _Store(path)
                    known.add(path)
            return dict(self._stores)

    def _take(self, name: str) -> _Store:
        stores = self._find()
        if name not in stores:
            raise UsageError(f"There is no run {name!r:.100}; {have(name, stores)}.")
        return stores[name]


class _Store:
    """One store as far as it was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = Lock()
        self.outcomes = Outcomes()
        self.replayer = Replayer()
        self._run: Run | None = None
        self._stamp: Any = None

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """Return what changes whenever something is stored."""
        return tuple(size_and_time(path) for path in (self.path, self.path.with_name(f"{self.path.name}-wal")))

    def read(self) -> Run:
        """Return the run with all outcomes that are stored by now; errors: UsageError."""
        stamp = self.stamp()
        if self._run is None or stamp != self._stamp:
            run = read_run(self.path)
            if self._run is not None and self._run.began != run.began:  # another run in the same place
                self.outcomes = Outcomes()
            self.outcomes.read_on(run)
            self._run, self._stamp = run, stamp
        return self._run


def _card(name: str, store: _Store) -> dict[str, Any]:
    card = {"run": name, "file": str(store.path)}
    try:
        run = read_run(store.path)
        played, void, average = run.progress()
    except WorldsmithError as error:
        return card | {"error": str(error)}
    return card | {
        "agent": run.config.shown,
        "user": run.config.user,
        "domains": list(run.domains),
        "episodes": played,
        "asked": sum(run.trials.values()),
        "void": void,
        "average": average,
        "ended": run.ended,
    }
