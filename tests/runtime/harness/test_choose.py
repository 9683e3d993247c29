"""Which agent and which user a name means, and what is said of one that names none."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.errors import UsageError
from runtime.harness.choose import choose_agent, choose_user


@pytest.mark.parametrize("spec", ["reference", "idle", "random", "parrot", "comply_all"])
def test_an_agent_is_found_by_its_name(spec: str) -> None:
    assert choose_agent(spec).name == spec


@pytest.mark.parametrize(
    ("spec", "have"),
    [
        ("genius", "reference, idle, random, parrot, claimer, "),
        ("antropic:claude", "anthropic:MODEL"),
        ("command: ", "command:PROGRAM"),
    ],
)
def test_any_other_agent_is_refused_with_the_nearest_or_first_choices(spec: str, have: str) -> None:
    with pytest.raises(UsageError) as raised:
        choose_agent(spec)
    assert str(raised.value).startswith(f"no agent {spec!r}; have: {have}")


def test_a_user_is_scripted_or_a_model_that_speaks_or_reads(tmp_path: Path) -> None:
    for spec in ("scripted", f"relay:{tmp_path}", f"reader:relay:{tmp_path}"):
        kind = choose_user(spec)
        assert (kind.name, kind.converses) == (spec, True)


@pytest.mark.parametrize("spec", ["", "scripted:1", "relay:", "reader:scripted"])
def test_another_user_is_refused_with_the_choices(spec: str) -> None:
    with pytest.raises(UsageError, match="No user .*; have: "):
        choose_user(spec)
