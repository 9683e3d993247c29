"""Prove a domain's worlds: built at several sizes, the same every time, filled, sound, without ids in texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from generator.gates.constraints.attack import attack_world
from generator.gates.worlds.text_ids import find_ids_in_texts
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault
from runtime.session.world import World, build_world

SEED = 1
SIZES = (1, 100, 1000)
_SAMPLED_SIZE = 100  # of the world whose rows the constraints are attacked from


def prove_worlds(folder: str) -> dict[str, Any]:
    """Build a domain's worlds and attack its schema from their rows; errors: BrokenDomain.

    `worlds` describes each by size: it must be the same in another process, where sets have another order. `faults`
    are all of them, `weak` those of the constraints.
    """
    domain = load_domain(Path(folder))
    worlds: dict[str, Any] = {}
    faults: list[str] = []
    weak: list[str] = []
    constraints = {"attacked": 0, "refused": 0}
    for size in SIZES:
        try:
            world, again = _build(domain, SEED, size), _build(domain, SEED, size)
            other = _build(domain, SEED + 1, size)
        except EnvironmentFault as fault:
            faults.append(f"world of size {size}: {fault}")
            continue
        described = worlds[str(size)] = _describe(world)
        if _describe(again) != described:
            faults.append(f"world of size {size}: two builds from the same seed differ")
        if size > 1 and other.digest == world.digest:
            faults.append(f"world of size {size}: seeds {SEED} and {SEED + 1} give the same world")
        faults += [f"world of size {size}: {fault}" for fault in _faults_in(world, described["tables"])]
        if size == _SAMPLED_SIZE:
            report = attack_world(world)
            constraints = {"attacked": report.attacked, "refused": report.refused}
            weak += report.faults
            faults += find_ids_in_texts(world)
    return {"worlds": worlds, "constraints": constraints, "weak": weak, "faults": [*weak, *faults]}


def _build(domain: Domain, seed: int, size: int) -> World:
    return build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size)


def _describe(world: World) -> dict[str, Any]:
    with closing(world.open()) as connection:
        tables = {
            name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])
            for name in world.schema.tables
        }
    return {
        "rows": sum(tables.values()),
        "tables": tables,
        "bytes": len(world.image),
        "digest": f"{world.digest:032x}",
        "image": hashlib.sha256(world.image).hexdigest(),
    }


def _faults_in(world: World, tables: dict[str, int]) -> Iterator[str]:
    empty = [name for name, count in tables.items() if not count]
    if empty and world.origin["size"] > 1:
        yield f"no row in {', '.join(empty)}; every table must be filled"
    with closing(world.open()) as connection:
        for name, _, parent, *_ in connection.execute("PRAGMA foreign_key_check").fetchmany(3):
            yield f"a row of {name} refers to a missing row of {parent}"
        for (said,) in connection.execute("PRAGMA integrity_check(3)"):
            if said != "ok":
                yield f"SQLite says {said!r}"
