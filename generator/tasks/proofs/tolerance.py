"""Tolerance: other ids and a dictated text in other letters are rewarded, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.tasks.candidate import Trial
from generator.tasks.proofs.edits import honest_ways
from generator.tasks.proofs.plan import PlannedStep, that_matter
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.sensitivity import dictated_cells, replaced_cell

_FAR = 1_000  # by how much new ids are moved


def try_tolerance(replayer: TaskReplayer) -> Iterator[Trial]:
    """What is tried: other "ids", and each honest way to write a dictated "text"."""
    matter = that_matter(replayer.plan)
    yield _try_ids(replayer, matter)
    for cell in dictated_cells(replayer):
        for way, text in honest_ways(cell.text):
            differences = replayer.verdict(replaced_cell(replayer, cell, text)).differences
            why = f"{text!r} is not rewarded ({way}): {differences[0].sentence}" if differences else ""
            yield Trial("text", why)


def _try_ids(replayer: TaskReplayer, matter: Sequence[PlannedStep]) -> Trial:
    performance = replayer.play(matter, ids_from=replayer.world.counter + _FAR)
    for number, rejection in performance.rejected.items():
        return Trial("ids", f"With other ids, step {number} is rejected: {rejection.sentence}")
    differences = replayer.verdict(performance.changes).differences
    return Trial("ids", f"With other ids it is not rewarded: {differences[0].sentence}" if differences else "")
