"""Fix the rows that a scenario is about so that the user of the others can tell it, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from generator.tasks.studied_world import StudiedWorld
from generator.tasks.telling import (
    CannotCompose,
    OtherBranch,
    ScenarioPart,
    Telling,
    ToldScenario,
    are_told_by_one,
    near_duplicates,
    rows_of_user,
    tell,
    user_of,
)
from runtime.domain.changes import RowName

_TRIES = 3  # of a scenario on one world
_TRIES_FOR_RULE = 24  # more, until a rule denies what is wished, or permits it
_ROWS_TRIED = 8  # of the user's, for one pick of a further scenario


def fit_in(
    studied: StudiedWorld, part: ScenarioPart, told: Sequence[ToldScenario], near: int
) -> tuple[ScenarioPart, Telling]:
    """Fix the rows of a scenario so that the user of the others can tell it; errors: CannotCompose.

    Where it asks about a rule, its rows are drawn anew until the rule denies it or not, as it is planned. Of a few
    draws, the first whose look-ups show `near` near-duplicates is taken, or else the one that shows most.
    """
    found: list[tuple[ScenarioPart, ToldScenario]] = []
    reason = CannotCompose("no row for the scenario")
    others = 0
    for attempt in range(_TRIES + _TRIES_FOR_RULE):
        tried = replace(part, seed=part.seed + attempt)
        try:
            own = tell(studied.session, [tried]).parts[0]
        except CannotCompose as unfit:
            reason = unfit
            if unfit.is_settled or (attempt + 1 >= _TRIES and not isinstance(unfit, OtherBranch)):
                break
            continue
        others += 1
        fit = next(_fits(studied, tried, own, told), None)
        if fit is None:
            reason = CannotCompose("scenarios of different users")
        else:
            found.append(fit)
        if others == _TRIES or (fit and _shown_near(studied, fit) >= near) or (told and own.script.caller is None):
            break
    if not found:
        raise reason
    return with_rows_fixed(studied, *max(found, key=partial(_shown_near, studied)))


def _fits(
    studied: StudiedWorld, part: ScenarioPart, own: ToldScenario, told: Sequence[ToldScenario]
) -> Iterator[tuple[ScenarioPart, ToldScenario]]:
    """Yield the scenario as the user of the others can tell it: as it is, or with a pick fixed on a row of theirs."""
    if are_told_by_one([*told, own], studied):
        yield part, own
    for pinned in _about_user(studied, part, own, told):
        try:
            own = tell(studied.session, [pinned]).parts[0]
        except CannotCompose:
            continue
        if are_told_by_one([*told, own], studied):
            yield pinned, own


def _shown_near(studied: StudiedWorld, fit: tuple[ScenarioPart, ToldScenario]) -> int:
    return len(near_duplicates([fit[1]], studied.domain))


def _about_user(
    studied: StudiedWorld, part: ScenarioPart, own: ToldScenario, told: Sequence[ToldScenario]
) -> list[ScenarioPart]:
    """Return the scenario with one of its picks fixed on a row of the user who tells the others."""
    user: frozenset[RowName] = frozenset(row for each in told for row in user_of(each.script, studied.domain))
    if not user:
        return []
    return [
        replace(part, pins={number: key})
        for number, (table, _) in enumerate(own.script.picks)
        for key in rows_of_user(user, table, studied)[:_ROWS_TRIED]
    ]


def with_rows_fixed(studied: StudiedWorld, part: ScenarioPart, own: ToldScenario) -> tuple[ScenarioPart, Telling]:
    """Tell a scenario again with all of its picks fixed, since its other draws depend on them."""
    fixed = with_pins(part, own)
    return fixed, tell(studied.session, [fixed])


def with_pins(part: ScenarioPart, own: ToldScenario) -> ScenarioPart:
    """Return a scenario about the rows and with the caller of a telling of it."""
    pins = {number: key for number, (_, key) in enumerate(own.script.picks)}
    return replace(part, pins=pins, caller=own.script.caller, denied=None)
