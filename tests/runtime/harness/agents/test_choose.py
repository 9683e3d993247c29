from __future__ import annotations

import pytest

from runtime.errors import UsageError
from runtime.harness.agents.choose import choose_agent


@pytest.mark.parametrize("spec", ["reference", "idle", "random", "parrot", "comply_all", "newest_row"])
def test_an_agent_is_found_by_its_name(spec: str) -> None:
    assert choose_agent(spec).name == spec


ALL = (
    "reference, idle, random, parrot, anthropic:MODEL, openai:MODEL, command:PROGRAM, "
    "comply_all, refuse_all, trust_all, ..."
)


@pytest.mark.parametrize(
    ("spec", "have"),
    [
        ("", ALL),
        ("genius", ALL),
        ("referense", "reference"),
        ("Reference", "reference"),
        ("anthropic", "anthropic:MODEL"),
        ("antropic:claude", "anthropic:MODEL"),
        ("command: ", "command:PROGRAM"),
        ("idle:1", "idle"),
    ],
)
def test_any_other_name_is_refused_with_the_nearest_or_all_choices(spec: str, have: str) -> None:
    with pytest.raises(UsageError) as raised:
        choose_agent(spec)
    assert str(raised.value) == f"no agent {spec!r}; have: {have}"
