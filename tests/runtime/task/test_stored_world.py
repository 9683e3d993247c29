"""A world is built once, then read from the user's cache; never one of other code, and never a damaged one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.session.world import World
from runtime.task import stored_world as cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache._folder.cache_clear()
    yield tmp_path / "worldsmith" / "worlds"
    cache._folder.cache_clear()


class Counted:
    """A domain that counts how often its world program runs."""

    def __init__(self, domain: Domain) -> None:
        self.runs = 0
        self.program = domain.populate
        self.domain = replace(domain, populate=self.populate)

    def populate(self, world: Any) -> None:
        self.runs += 1
        self.program(world)

    def world(self, seed: int = 1, domain: Domain | None = None) -> World:
        return cache.stored_world(domain or self.domain, 40, seed, "dealt")


def test_a_world_is_built_once_and_the_same_ever_after(folder: Path, library: Domain) -> None:
    counted = Counted(library)
    built, read = counted.world(), counted.world()
    assert counted.runs == 1
    assert (read.image, read.digest, read.counter, read.origin) == (
        built.image,
        replace(built, known_digest=None).digest,
        built.counter,
        built.origin,
    )


def test_neither_another_seed_nor_other_code_nor_a_damaged_file_is_answered_from_the_cache(
    folder: Path, library: Domain
) -> None:
    counted = Counted(library)
    counted.world()
    counted.world(seed=2)
    counted.world(domain=replace(counted.domain, world_digest="of other files"))
    assert counted.runs == 3
    for file in folder.glob("*.world"):
        file.write_bytes(file.read_bytes()[:-1] + b"?")
    counted.world()
    counted.world()
    assert counted.runs == 4


def test_the_cache_is_bounded(folder: Path, library: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_FILES", 2)
    for seed in range(4):
        Counted(library).world(seed)
    assert len([*folder.iterdir()]) == 2


def test_a_folder_that_others_may_write_to_is_not_used(folder: Path, library: Domain) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    counted = Counted(library)
    counted.world()
    counted.world()
    assert (counted.runs, [*folder.iterdir()]) == (2, [])
