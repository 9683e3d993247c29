"""A played session becomes a task, or what is missing is said in a sentence with an offer that mends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator.main import main
from generator.tasks.played import TaskEdit, first_edit, prove_played
from generator.tasks.sessions import PlayedSession, nobodys_task
from runtime.domain.domain import Domain
from runtime.session.world import DEFAULT_SEED, DEFAULT_SIZE
from runtime.task.playable import PlayableTasks
from runtime.task.task import Step, WorldRecipe
from runtime.task.task_file import find_task
from tests.studio.conftest import copy_library

ELENA = {"email": "elena.costa4@example.org", "phone": "(937) 555-0101"}
KNOWN = [("find_member", {"email": ELENA["email"]}), ("note_identification", {"member_id": "MEMBER-0004", **ELENA})]
BOOK = ("return_book", {"loan_id": "LOAN-0015"})
LOANS = ("list_loans", {"member_id": "MEMBER-0004"})
GIVE_BACK = "I'd like to give back The Book of Orchards."

Made = tuple[str, dict[str, Any]]


def steps(*made: Made) -> list[Step]:
    return [Step(tool=tool, arguments=arguments) for tool, arguments in made]


def session(domain: Domain, *made: Made) -> PlayedSession:
    world = WorldRecipe(seed=DEFAULT_SEED, size=DEFAULT_SIZE)
    return PlayedSession("by hand", domain, nobodys_task(domain, world), tuple(steps(*made)))


@pytest.mark.parametrize(
    ("made", "words", "sentence", "offer"),
    [
        ([*KNOWN, LOANS, BOOK], [], "It has no user messages; type what the user says.", ""),
        ([], ["Hello."], "No call is left, so nothing shows what is to be done.", ""),
        (
            [*KNOWN, BOOK],
            [GIVE_BACK],
            "Call 2 (return_book) takes 'LOAN-0015' as loan id, which the user says nowhere",
            "Let the user tell the loan id, 'LOAN-0015', when asked",
        ),
        (
            [*KNOWN, ("change_phone", {"member_id": "MEMBER-0004", "phone": "(614) 555-0172"})],
            ["I have a new phone number."],
            "Call 2 (change_phone) takes '(614) 555-0172' as phone, which the user says nowhere",
            "Let the user tell the phone, '(614) 555-0172', when asked",
        ),
        (
            [*KNOWN, LOANS, BOOK],
            ["I'd like to give back a book."],
            "3 rows that call 2 (list_loans) returned fit what the user says (nothing of any of them)",
            "Let the user tell the title, 'The Book of Orchards', when asked",
        ),
        (
            [*KNOWN, ("change_phone", {"member_id": "MEMBER-0004", "phone": ELENA["phone"]}), LOANS, BOOK],
            [GIVE_BACK],
            "The goal is reached without call 2 (change_phone), too: it changes nothing.",
            "Drop call 2",
        ),
        ([*KNOWN, LOANS, BOOK, BOOK], [GIVE_BACK], "Call 4 (return_book) is refused:", "Drop call 4"),
        (
            [("renew_loan", {"loan_id": "LOAN-0118"})],
            ["Renew LOAN-0118."],
            "Call 0 (renew_loan) breaks IDENTIFIED_FIRST.",
            "Drop call 0",
        ),
    ],
)
def test_what_is_missing_is_said_and_mended(
    library: Domain, made: list[Made], words: list[str], sentence: str, offer: str
) -> None:
    proof = prove_played(session(library, *made), TaskEdit(words=words, calls=steps(*made)))
    assert sentence in proof.missing[0].sentence
    assert proof.missing[0].offer == offer
    if offer and "Renew" not in words[0]:
        mend = proof.missing[0].mend
        assert mend is not None
        again = prove_played(session(library, *made), mend)
        assert sentence not in [each.sentence for each in again.missing]


def test_looked_up_values_stay_bound_and_looking_around_is_left_out(library: Domain) -> None:
    played = session(library, KNOWN[0], ("list_holds", {"member_id": "MEMBER-0004"}), KNOWN[1], LOANS, BOOK)
    edit = first_edit(played).model_copy(update={"words": [GIVE_BACK]})
    proof = prove_played(played, edit, ["by-hand-none"])
    assert proof.missing == []
    assert proof.task is not None
    assert proof.task.id == "by-hand-none-2"
    assert [step.tool for step in proof.task.chain] == [KNOWN[0][0], KNOWN[1][0], LOANS[0], BOOK[0]]
    assert proof.task.chain[-1].arguments == {"loan_id": {"$step": 2, "path": "loans.2.loan_id"}}
    assert proof.proofs["sensitivity"].holds


def test_other_calls_than_the_words_ask_for_are_refused_as_are_failures_that_win(library: Domain) -> None:
    source = find_task(library, "keep-a-book")
    right = first_edit(PlayedSession("run", library, source, ()), from_reference=True)
    other = right.model_copy(update={"calls": right.calls[:-1]})
    proof = prove_played(PlayedSession("run", library, source, ()), other)
    assert "are not what the words of task 'keep-a-book' ask for" in proof.missing[0].sentence
    won = PlayedSession("run", library, source, (), tuple(right.calls), {"new due date": "2026-04-03"})
    assert prove_played(won, right).missing[0].sentence == "mistakes: An agent that does what lost in run is rewarded."


def test_a_play_that_serve_saved_becomes_a_task(
    library: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    copy_library(tmp_path)
    saved = PlayableTasks(library).save({"seed": DEFAULT_SEED, "size": DEFAULT_SIZE}, [*KNOWN, LOANS, BOOK])
    assert saved.startswith("plays/library-free-1.json: 4 calls. `worldsmith tasks library --from plays/")
    assert main(["tasks", "library", "--from", "plays/library-free-1.json", "--say", "I return a book."]) == 1
    assert "--mend accepts what is offered." in capsys.readouterr().out
    assert main(["tasks", "library", "--from", "plays/library-free-1.json", "--say", "I return a book.", "--mend"]) == 0
    assert "library-free-1-none is proven and written." in capsys.readouterr().out
    assert main(["check", "library", "--tasks", "domains/library/tasks.jsonl"]) == 0
