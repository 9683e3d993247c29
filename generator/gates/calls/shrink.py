"""Reduce a failure to the fewest and simplest calls that still show it on a fresh session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from generator.gates.calls.play import CallPlayer, Failure, RandomCall
from runtime.domain.domain import Domain
from runtime.session.world import World

FOUND_LATER = ("broken_state", "id_in_text")  # by a look at the state, when further calls were made
_MOST_TRIALS = 150
_MOST_CALLS_TRIED = 8_000


def shrink(
    domain: Domain, world: World, principal: str | None, history: Sequence[RandomCall], failure: Failure
) -> list[RandomCall] | None:
    """The shortest calls that were found, the failing one last; None if not even all of them show it again."""
    trials = _Trials(domain, world, principal, failure)
    if failure.kind in FOUND_LATER:
        history = _up_to_the_cause(trials, history)
    if not history:
        return None
    *before, last = history
    if trials.show([last]):
        before = []
    elif trials.show(history):
        before = _fewer(trials, before, last)
    else:
        return None
    return [*before, _simpler(trials, before, last)]


def _up_to_the_cause(trials: _Trials, history: Sequence[RandomCall]) -> Sequence[RandomCall]:
    """The calls up to the one after which the state is wrong, by halving."""
    fine, wrong = 0, len(history)
    while wrong - fine > 1:
        middle = (fine + wrong) // 2
        if trials.show(history[:middle]):
            wrong = middle
        else:
            fine = middle
    return history[:wrong]


class _Trials:
    """Plays calls on fresh sessions, as often as there is patience for."""

    def __init__(self, domain: Domain, world: World, principal: str | None, failure: Failure) -> None:
        self._domain, self._world, self._principal, self._failure = domain, world, principal, failure
        self._left, self._calls_left = _MOST_TRIALS, _MOST_CALLS_TRIED

    def show(self, calls: Sequence[RandomCall]) -> bool:
        """Whether these calls end in the failure."""
        if self._left <= 0 or self._calls_left < len(calls):
            return False
        self._left -= 1
        self._calls_left -= len(calls)
        player = CallPlayer(self._domain, self._world, self._principal)
        try:
            played = [player.play(call) for call in calls]
            found = [*(played[-1].failures if played else ()), *player.check_state()]
            return any(_alike(failure, self._failure) for failure in found)
        finally:
            player.close()


def signature(failure: Failure) -> tuple[str, str, str]:
    """What two failures have in common that are the same mistake: their sentences, values aside."""
    words = [word for word in failure.sentence.split() if word.isalpha()]
    tool = "" if failure.kind in FOUND_LATER else failure.tool
    return failure.kind, tool, " ".join(words[:12])


def _alike(one: Failure, other: Failure) -> bool:
    return signature(one) == signature(other)


def _fewer(trials: _Trials, before: list[RandomCall], last: RandomCall) -> list[RandomCall]:
    """Leave out calls, many at a time at first, as long as the failure stays."""
    size = max(1, len(before) // 2)
    while True:
        start = 0
        while start < len(before):
            shorter = before[:start] + before[start + size :]
            if trials.show([*shorter, last]):
                before = shorter
            else:
                start += size
        if size == 1:
            return before
        size = max(1, size // 2)


def _simpler(trials: _Trials, before: list[RandomCall], last: RandomCall) -> RandomCall:
    """Leave out arguments and shorten values as long as the failure stays."""
    improved = True
    while improved:
        improved = False
        for arguments in _simplified(last.arguments):
            simpler = RandomCall(last.tool, arguments)
            if trials.show([*before, simpler]):
                last, improved = simpler, True
                break
    return last


def _simplified(arguments: Any) -> Iterator[Any]:
    if not isinstance(arguments, dict):
        return
    for name, value in arguments.items():
        yield {other: kept for other, kept in arguments.items() if other != name}
        if isinstance(value, str | list) and len(value) > 1:
            yield {**arguments, name: value[: len(value) // 2]}
            if len(value) <= 20:
                yield {**arguments, name: value[:-1]}
        if isinstance(value, dict | list) and value:
            inner = value[0] if isinstance(value, list) else next(iter(value.values()))
            yield {**arguments, name: inner}
