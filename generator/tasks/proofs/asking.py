"""Asking: what the user keeps back can nobody look up, and it decides the end, so that a guess is not rewarded."""

from __future__ import annotations

from collections.abc import Iterator

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.rows import RowRef
from runtime.task.origin import origin_of, plain
from runtime.task.paths import JsonPath, leaves_of

FEWEST_ALTERNATIVES = 3
MOST_ALTERNATIVES = 6


def try_asking(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each value that was chosen and kept back, one trial per "guess", and whether there are enough to "choose".

    A value that a scenario of the form withheld keeps back although it is "readable" does not pass.
    """
    for script in candidate.scripts:
        if script.form == "withheld":
            for origin in filter(None, map(origin_of, script.kept_back)):
                if isinstance(origin.source, RowRef) and not _proves_who_calls(candidate, origin.source):
                    yield Trial("readable", f"What is kept back can be looked up in {origin}.")
    facts = [fact for wish in replayer.task.user.wishes for fact in wish.facts if fact.withheld and not fact.proves]
    for fact in facts:
        others = _options(candidate, fact.value)
        if others is None:
            continue
        few = f"{fact.name!r} is kept back, and is one of only {len(others) + 1} values; at least 4 are needed."
        yield Trial("choose", few if len(others) < FEWEST_ALTERNATIVES else "")
        places = [
            (step.number, leaf)
            for step in replayer.plan
            for leaf, value in leaves_of(step.arguments)
            if value == fact.value
        ]
        for other in others[:MOST_ALTERNATIVES]:
            yield _try_guess(replayer, fact.name, places, other)


def _proves_who_calls(candidate: Candidate, cell: RowRef) -> bool:
    """Whether a value is one by which people say, or prove, who they are: an office asks for it all the same."""
    people = candidate.domain.people
    return people is not None and (cell.table, cell.column) in {
        (people.table, column) for column in (people.name, *people.found_by, *people.proven_by)
    }


def _options(candidate: Candidate, value: object) -> list[object] | None:
    """What else a value that is kept back could have been; None if no scenario chose it."""
    for script in candidate.scripts:
        for kept in script.kept_back:
            origin = origin_of(kept)
            if plain(kept) == value and origin is not None and origin in script.options:
                return list(script.options[origin])
    return None


def _try_guess(replayer: TaskReplayer, name: str, places: list[tuple[int, JsonPath]], other: object) -> Trial:
    performance = replayer.play(replayer.plan, instead=dict.fromkeys(places, other))
    for number, rejection in performance.rejected.items():
        return Trial("guess", f"With {other!r} for {name!r}, step {number} is rejected: {rejection.sentence}")
    rewarded = replayer.is_rewarded(performance.changes)
    return Trial("guess", f"{other!r} instead of the {name!r} that is kept back is rewarded." if rewarded else "")
