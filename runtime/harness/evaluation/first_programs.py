"""Whether an agent's program works at all: first episodes are kept once one of their programs reached its server."""

from __future__ import annotations

from runtime.errors import UsageError
from runtime.harness.evaluation.writer import Finished
from runtime.harness.record import read_record
from runtime.wording import counted

_MOST = 3  # programs that may end without having reached their server, before it is said that none ever will


class FirstPrograms:
    """Holds back the first episodes of a sitting until one of the programs has reached its MCP server."""

    def __init__(self, runs_program: bool) -> None:
        self._is_known_to_work = not runs_program
        self._held: list[Finished] = []

    def pass_on(self, finished: Finished) -> list[Finished]:
        """What may be kept now that this episode is over; errors: UsageError if no program ever reached anything."""
        if self._is_known_to_work:
            return [finished]
        if finished.row.ended == "void":
            return [finished]
        if finished.row.ended == "gave_up" and not read_record(finished.row.record).reached:
            self._held.append(finished)
            if len(self._held) >= _MOST:
                self.check()
            return []
        self._is_known_to_work = True
        passed, self._held = [*self._held, finished], []
        return passed

    def check(self) -> None:
        """Refuse to count episodes whose programs all ended without having reached their server; errors: UsageError."""
        if not self._held:
            return
        last = read_record(self._held[-1].row.record)
        programs = f"first {counted(len(self._held), 'program')}" if len(self._held) > 1 else "program"
        lines = [line.strip() for line in last.log if any(map(str.isalnum, line))][-3:-1]
        before = f" (before that: {' / '.join(lines)})" if lines else ""
        raise UsageError(
            f"The {programs} ended without ever connecting to the MCP server at {{url}}, so nothing was scored. "
            f"{last.why.rstrip('.')}{before}"[:1_000]
        )
