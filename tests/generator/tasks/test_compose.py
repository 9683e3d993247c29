"""A candidate is one user with one to four goals about rows of their own, in a world that its line builds again."""

from __future__ import annotations

import pytest

from generator.tasks.compose import Composer
from generator.tasks.describe import without_greeting
from generator.tasks.plan import SIZES, MadeOf
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.telling import rows_picked
from runtime.domain.domain import Domain
from runtime.graph import Graph
from runtime.session.session import Session
from runtime.task.origin import leaves_of
from runtime.task.task import Task, expected_changes, replay, start_world
from runtime.task.task_file import task_line


def test_the_world_of_a_line_is_the_candidates_own(candidates: list[Candidate]) -> None:
    for candidate in candidates[::3]:
        task = Task.model_validate_json(task_line(candidate.task))
        world = start_world(task, candidate.domain)
        assert world.image == candidate.world.image
        assert world.origin == candidate.world.origin
        with Session(candidate.domain, world) as session:
            replay(session, task.chain)
            assert task.checks or session.changes == expected_changes(task, candidate.domain, world)


def test_every_candidate_replays_and_is_rewarded_and_most_are_proven(candidates: list[Candidate]) -> None:
    failed = []
    for candidate in candidates:
        proofs = prove_candidate(candidate).proofs
        assert proofs["replay"].holds, (candidate.task.id, proofs["replay"].reason)
        failed += [(candidate.task.id, proof.reason) for proof in proofs.values() if not proof.holds]
    assert len(failed) * 8 <= len(candidates), failed


def test_one_user_tells_all_goals_of_a_task(candidates: list[Candidate]) -> None:
    several = [candidate for candidate in candidates if len(candidate.scripts) > 1]
    assert several
    for candidate in several:
        callers = {script.caller for script in candidate.scripts}
        addresses = [fact.value for fact in candidate.task.user.facts if fact.proves == "email"]
        assert (len(callers), len(addresses)) in {(1, 1), (1, 0)}, candidate.task.id


def test_no_two_goals_are_about_the_same_row(candidates: list[Candidate]) -> None:
    for candidate in candidates:
        picks = [pick for script in candidate.scripts for pick in script.picks if pick[0] != "member"]
        assert len(set(picks)) == len(picks)
        changed = [(row.table, tuple(row.key)) for row in candidate.task.expected if row.table != "member"]
        assert len(set(changed)) == len(changed)


@pytest.mark.parametrize(
    ("words", "later"),
    [
        (
            "Good morning! For interviews of the type phone, what is my rating?",
            "For interviews of the type phone, what is my rating?",
        ),
        ("Hello, I sent it.", "I sent it."),
        ("hi there, please renew it", "Please renew it"),
        ("Hi-fi shops, please.", "Hi-fi shops, please."),
        ("Good morning meetings are bad; move it.", "Good morning meetings are bad; move it."),
        ("Hello!", "Hello!"),
    ],
)
def test_only_the_first_wish_greets(words: str, later: str) -> None:
    assert without_greeting(words) == later


def test_the_level_decides_the_world_and_no_row_is_added_to_it(candidates: list[Candidate]) -> None:
    for candidate in candidates:
        assert candidate.task.world.size == SIZES[candidate.task.difficulty["complexity"]]
        assert candidate.task.added == []


def test_near_duplicates_are_rows_of_the_world_that_look_ups_show(candidates: list[Candidate]) -> None:
    several = 0
    for candidate in candidates:
        rows = {(name, key) for name, key in rows_picked(candidate.domain, candidate.scripts) if name != "member"}
        with Session(candidate.domain, candidate.world) as session:
            results = [
                each
                for step, each in zip(candidate.task.chain, replay(session, candidate.task.chain), strict=True)
                if not candidate.domain.tools[step.tool].writes
            ]
            shown = {value for result in results for _, value in leaves_of(result)}
            others = {
                key
                for name in {name for name, _ in rows}
                for (key,) in session.read_start(f"SELECT {name}_id FROM {name}")
                if key in shown and (name, (key,)) not in rows
            }
        assert candidate.task.difficulty["near_duplicates"] == len(others), candidate.task.id
        several += len(others) > 1
    assert several > len(candidates) / 3


def test_a_composer_gives_what_a_fresh_one_gives(
    library: Domain, graph: Graph, composer: Composer, candidates: list[Candidate]
) -> None:
    for number in (5, 2):
        with Composer(library, graph) as other:
            alone = other.compose(MadeOf(number, 2))
        assert task_line(alone.task) == task_line(composer.compose(MadeOf(number, 2)).task)


def test_wishes_that_touch_each_other_are_preferred_and_the_others_are_counted(candidates: list[Candidate]) -> None:
    several = [candidate.task for candidate in candidates if len(candidate.scripts) > 1]
    touching = [task for task in several if task.difficulty["touching"]]
    assert len(touching) >= len(several) / 3  # a new phone number, or a first card, touches nothing
    assert all(task.difficulty["touching"] != 1 for task in several)
    assert all("touching" not in each.task.difficulty for each in candidates if len(each.scripts) == 1)
