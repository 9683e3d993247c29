"""Candidates from the library's scenarios: one of them, or several for the same user, on a world of a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from generator.tasks.proofs.all import prove_candidate
from generator.tasks.proofs.knowledge import tightened
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.telling import ScenarioPart
from runtime.domain.domain import Domain
from runtime.sandbox.module import load_module
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.script import Script
from runtime.task.story import Story, script_of, tell_story
from runtime.task.task import Task, expected_rows
from runtime.task.user import User
from tests.conftest import LIBRARY
from tests.making import world_of

SCENARIOS = load_module(LIBRARY / "scenarios.py", "library_scenarios")
PROGRAMS = {name: value for name, value in vars(SCENARIOS).items() if getattr(value, "is_scenario", False)}


def candidate_of(domain: Domain, program: str | Callable[[Story], None], seed: int, **options: Any) -> Candidate:
    """A candidate of one scenario; a name is one of the library's."""
    world = options.pop("world", None) or world_of(domain, seed, 300)
    run = PROGRAMS[program] if isinstance(program, str) else program
    with Session(domain, world) as session:
        script = tell_story(run, session, seed, **options)
        parts = [ScenarioPart("made", run, seed, options.get("pins", {}))]
        return compose(domain, world, session, [script], parts)


def compose(
    domain: Domain, world: World, session: Session, scripts: list[Script], parts: Sequence[ScenarioPart]
) -> Candidate:
    """A candidate of scripts that were told, one after another, on a session."""
    seed = parts[0].seed
    content: Mapping[str, Any] = {
        "format": 2,
        "id": f"made-{seed}",
        "domain": domain.name,
        "title": "Made for a test",
        "world": {"seed": seed, "size": world.origin["size"], "digest": f"{world.digest:032x}"},
        "caller": _caller_of(domain, scripts),
        "user": {
            "profile": "A member of the library.",
            "wishes": [wish.model_dump() for script in scripts for wish in script.wishes],
        },
        "chain": [step.model_dump() for script in scripts for step in script.chain],
        "expected": [row.model_dump() for row in expected_rows(session.changes, domain)],
        "texts": {text: each.model_dump() for script in scripts for text, each in script.texts.items()},
        "answers": [answer.model_dump() for script in scripts for answer in script.answers],
        "explorable": list(domain.tools),
    }
    candidate = Candidate(domain, Task.model_validate(content), world, tuple(scripts), tuple(parts))
    return with_task(candidate, policies=tightened(candidate))


def _caller_of(domain: Domain, scripts: list[Script]) -> dict[str, Any] | None:
    key = next((script.caller for script in scripts if script.caller is not None), None)
    return None if key is None or domain.people is None else {"table": domain.people.table, "key": list(key)}


def changed_wish(user: User, **parts: Any) -> User:
    """A user of one wish with parts of that wish changed."""
    (wish,) = user.wishes
    return user.model_copy(update={"wishes": [wish.model_copy(update=parts)]})


def with_task(candidate: Candidate, **changes: Any) -> Candidate:
    """The candidate with its task changed."""
    return replace(candidate, task=candidate.task.model_copy(update=changes))


def tell_both(domain: Domain, programs: Sequence[Callable[[Story], None]]) -> Candidate:
    """A candidate of several scenarios for one user; the steps are numbered through all of them."""
    world = world_of(domain, 1, 300)
    scripts: list[Script] = []
    with Session(domain, world) as session:
        for program in programs:
            steps, wishes = (sum(map(len, part)) for part in ([s.calls for s in scripts], [s.wishes for s in scripts]))
            story = Story(session, 1, first_step=steps, first_wish=wishes)
            program(story)
            scripts.append(script_of(story))
        return compose(domain, world, session, scripts, [ScenarioPart("made", each, 1) for each in programs])


def refused(candidate: Candidate) -> tuple[str, str]:
    """The proof that refuses a candidate, and why; two empty texts if none does."""
    proofs = prove_candidate(candidate).proofs
    last = list(proofs.values())[-1]
    assert all(proof.holds for proof in list(proofs.values())[:-1])
    return ("", "") if last.holds else (last.name, last.reason)
