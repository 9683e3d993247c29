"""The branches of a session that a person forked: the same world gone on with in several ways, one of them now."""

from __future__ import annotations

from runtime.errors import UsageError
from runtime.session.session import Session, Snapshot

MAIN = "main"
MOST = 100


class Branches:
    """Named states of one session; `current` is the branch it is on, and the others stay as they were left."""

    def __init__(self) -> None:
        self.current = MAIN
        self._left: dict[str, Snapshot] = {}

    @property
    def names(self) -> list[str]:
        """Every branch, in the order in which they were left, the current one last."""
        return [*self._left, self.current]

    def fork(self, session: Session, name: str) -> None:
        """Go on under another name from the present state; errors: UsageError."""
        if not name.strip() or len(name) > 60:
            raise UsageError(f"The branch is called {name[:60]!r}; its name must have 1 to 60 characters.")
        if name in self.names:
            raise UsageError(f"There is a branch {name!r} already; have: {', '.join(self.names)}.")
        if len(self.names) >= MOST:
            raise UsageError(f"There are {MOST} branches, which is as many as are kept.")
        self._left[self.current] = _snapshot(session)
        self.current = name

    def switch(self, session: Session, name: str) -> None:
        """Leave the present branch as it is and go on with another; errors: UsageError."""
        if name not in self.names:
            raise UsageError(f"There is no branch {name!r}; have: {', '.join(self.names)}.")
        if name != self.current:
            left = _snapshot(session)
            session.restore(self._left[name])
            del self._left[name]
            self._left[self.current] = left
            self.current = name


def _snapshot(session: Session) -> Snapshot:
    session.open()  # takes in what another program wrote to a stored state
    return session.snapshot()
