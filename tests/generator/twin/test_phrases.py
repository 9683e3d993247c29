"""The -ing form of what a tool does, as a request says it in short."""

from __future__ import annotations

import pytest

from generator.twin.words import doing


@pytest.mark.parametrize(
    "said",
    [
        *("submit submitting", "refer referring", "panic panicking", "tie tying", "cancel canceling", "ship shipping"),
        *("close closing", "open opening", "edit editing", "reopen reopening", "permit permitting", "pay paying"),
        *("fix fixing", "quit quitting", "book booking", "render rendering", "agree agreeing", "transfer transferring"),
    ],
)
def test_a_verb_is_said_in_its_ing_form(said: str) -> None:
    verb, wanted = said.split()
    assert doing(verb) == wanted
