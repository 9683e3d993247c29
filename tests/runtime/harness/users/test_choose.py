"""Which user a spec names, and what is said of one that names none."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.errors import UsageError
from runtime.harness.users.choose import choose_user


def test_the_scripted_user_is_named_by_one_word() -> None:
    kind = choose_user("scripted")
    assert (kind.name, kind.converses) == ("scripted", True)


def test_a_relay_folder_speaks_for_the_user(tmp_path: Path) -> None:
    kind = choose_user(f"relay:{tmp_path}")
    assert (kind.name, kind.converses) == (f"relay:{tmp_path}", True)


def test_a_model_that_reads_is_named_behind_the_reader(tmp_path: Path) -> None:
    kind = choose_user(f"reader:relay:{tmp_path}")
    assert (kind.name, kind.converses) == (f"reader:relay:{tmp_path}", True)


def test_a_model_is_named_as_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key that is never sent")
    assert choose_user("anthropic:claude-x").name == "anthropic:claude-x"


@pytest.mark.parametrize("spec", ["", "script", "scripted:1", "none:1", "recorded", "human"])
def test_another_spec_is_refused_with_the_choices(spec: str) -> None:
    with pytest.raises(UsageError, match="No user .*; have: .*(scripted|none)"):
        choose_user(spec)


@pytest.mark.parametrize("spec", ["anthropic", "anthropic:", "relay:", "reader:", "reader:scripted", "reader:relay:"])
def test_a_model_without_its_name_is_not_complete(spec: str) -> None:
    with pytest.raises(UsageError, match="not complete"):
        choose_user(spec)
