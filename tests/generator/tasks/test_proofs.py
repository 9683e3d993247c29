"""Every proof holds for a sound task, and each planted defect is refused by the proof that is for it."""

from __future__ import annotations

import pytest

from generator.tasks.compose import Composer
from generator.tasks.plan import TaskPlan
from generator.tasks.proofs.all import prove_candidate, prove_line
from generator.tasks.proofs.replayer import ProofName, TaskReplayer
from runtime.domain.domain import Domain
from runtime.task.task import EndCheck, TaskEnd
from tests.generator.tasks.candidates import candidate_of, refused, with_task
from tests.generator.tasks.test_planted_defects import own_words

ALL: set[ProofName] = {
    "replay",
    "inert",
    "necessity",
    "sensitivity",
    "tolerance",
    "sufficiency",
    "identifiability",
    "obedience",
    "order",
    "documented",
    "explorability",
}


@pytest.mark.parametrize("name", ["bring_a_book_back", "keep_a_book_longer", "queue_for_a_lent_book"])
def test_a_sound_task_passes_every_trial_of_every_proof(library: Domain, name: str) -> None:
    proofs = prove_candidate(candidate_of(library, name, 1)).proofs
    assert proofs.keys() == ALL
    assert all(proof.holds and proof.passed == proof.tried > 0 for proof in proofs.values())


def test_an_extra_write_is_tried_in_every_table_that_tools_write(library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    trials = prove_line(library, candidate.task, candidate.world).trials["sensitivity"]
    assert [trial.what for trial in trials].count("extra") == 4  # declined_request, hold, loan, member
    assert [trial.what for trial in trials].count("gone") == 6


def test_a_composed_text_counts_for_nothing(library: Domain) -> None:
    candidate = candidate_of(library, own_words, 1)
    with TaskReplayer(library, candidate.task, candidate.world) as replayer:
        (name, change), *_ = replayer.final.changes.rows.items()
        position = library.schema.tables["hold"].positions["note"]
        assert change.before is None
        assert change.after is not None
        changes = replayer.final.changes.copy()
        del changes.rows[name]
        changes.record(*name, None, (*change.after[:position], "Whatever", *change.after[position + 1 :]))
        assert replayer.dictated == set()
        assert replayer.judged.is_rewarded(changes)


PLAN = TaskPlan(1, 1, 1, "train", 1, has_forms=True)


def test_a_further_end_is_another_one_and_is_proven_like_the_first(composer: Composer) -> None:
    candidate = composer.compose_alone("leave_one_of_two_numbers", PLAN)
    task = candidate.task
    (end,) = task.ends
    assert refused(candidate) == ("", "")
    same = TaskEnd(chain=task.chain, expected=task.expected)
    assert refused(with_task(candidate, ends=[same])) == ("ends", "Ends 0 and 1 are the same.")
    unreached = end.model_copy(update={"chain": end.chain[:-1]})
    assert refused(with_task(candidate, ends=[unreached]))[1].startswith("The chain is not rewarded: ")


def test_a_check_fails_somewhere_and_what_it_does_not_ask_for_stays(composer: Composer) -> None:
    candidate = composer.compose_alone("get_at_least_some_fees_waived", PLAN)
    waived, identified = candidate.task.checks
    assert refused(candidate) == ("", "")
    empty = EndCheck(claim="somebody has a card", sql="SELECT 1 FROM member")
    proof, why = refused(with_task(candidate, checks=[waived, identified, empty]))
    assert (proof, why.partition(" holds at the start")[0]) == ("checks", "The check 'somebody has a card'")
    assert refused(with_task(candidate, checks=[identified]))[0] == "necessity"
    assert refused(with_task(candidate, may_change=[]))[0] == "replay"
