"""What the scripted user says: the task's words and phrases that are true whatever the assistant did."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from runtime.harness.users import scripted
from runtime.harness.users.scripted import ScriptedUser
from runtime.task.user import Belief, Wish
from tests.runtime.harness.users.hand_made import (
    BOOK,
    COUNT,
    DECLINES,
    IDENTIFIES,
    LEND,
    MINE,
    MOVE,
    RENEW,
    WRITES,
    make_task,
    read_nothing_of,
    talk,
)

PHRASES = tomllib.loads((Path(scripted.__file__).parent / "phrases.toml").read_text(encoding="utf-8"))


def user_of(
    *wishes: Wish, speech: str = "plain", answers: list[tuple[str, str | int, int]] | None = None
) -> ScriptedUser:
    task = make_task(*wishes, speech=speech, answers=answers or [])
    return ScriptedUser(task, 0, read_nothing_of(task))


def test_who_the_user_is_comes_in_one_sentence() -> None:
    _, reply = talk(user_of(MINE), "Could you verify your identity?")
    assert reply.text.endswith("Bo Kern, my email is bo@kern.example and my phone number is (614) 555-0142.")
    assert reply.tells == ("name", "email", "phone")


def test_a_question_is_answered_by_what_is_wanted_and_a_belief_that_may_be_wrong_is_neither_repeated_nor_excused() -> (
    None
):
    wish = MOVE.model_copy(update={"beliefs": [Belief(name="old day", said="Friday", truth="2024-03-14")]})
    _, reply = talk(user_of(wish), "It is on Thursday. Shall I move it?")
    assert (
        reply.text.removeprefix("Just ")
        .removeprefix("Only ")
        .startswith("moving my meeting with Ada Stern to Monday, March 18")
    )
    assert "record" not in reply.text


def test_a_request_without_a_short_form_is_said_again_in_the_same_register() -> None:
    wish = MOVE.model_copy(update={"short": ""})
    _, reply = talk(user_of(wish), "Shall I?")
    assert reply.text.endswith(wish.words[0])


def test_what_was_kept_back_is_told_by_its_name() -> None:
    _, reply = talk(user_of(LEND), "Which one?")
    assert reply.text == "The title is On Mirrors."


@pytest.mark.parametrize("speech", ["plain", "formal", "casual"])
def test_a_detail_said_wrong_is_corrected_in_words_that_say_so(speech: str) -> None:
    _, _, reply = talk(user_of(RENEW, speech=speech), "Who are you?", "I can't find On Lenses.")
    assert re.fullmatch(r"(Oh|Sorry|My|I|oh|sorry|my)\b.*On Mirrors, not On Lenses\.", reply.text), reply.text


@pytest.mark.parametrize("speech", ["plain", "formal", "casual"])
def test_the_register_stays_the_same(speech: str) -> None:
    user = user_of(MINE, COUNT, speech=speech, answers=[("meetings left", 3, 1)])
    replies = talk(user, "Who is calling?", ("Shall I?", IDENTIFIES), ("Done.", WRITES), "You have some.", "3", "Bye.")
    own = [phrase for kind in PHRASES.values() for phrase in (kind.get(speech) or []) if isinstance(kind, dict)]
    starts = {phrase.split("{")[0].strip()[:12] for phrase in own} - {""}
    spoken = [reply.text for reply in replies[1:] if not reply.wishes]
    assert all(any(text.startswith(start) for start in starts) for text in spoken), spoken


def test_answers_are_asked_for_by_their_form_and_taken_down() -> None:
    user = user_of(COUNT, answers=[("meetings left", 3, 0)])
    _, asked, done = talk(user, "Let me look.", "3")
    assert asked.asks == ("meetings left",)
    assert "meetings left, as a number" in asked.text
    assert done.taken == (("meetings left", "3"),)


def test_a_fork_goes_on_by_itself() -> None:
    user = user_of(MOVE, BOOK)
    talk(user)
    twin = user.fork()
    (one,) = talk_on(user, ("Done.", WRITES))
    (other,) = talk_on(twin, "Shall I?")
    assert one != other
    assert twin.machine.progress.group == 0


def talk_on(user: ScriptedUser, *said: object) -> list[str]:
    replies = []
    for each in said:
        text, calls = (each, ()) if isinstance(each, str) else each  # type: ignore[misc]
        replies.append(user.respond(text, calls).text)
    return replies


def test_no_phrase_could_be_consent() -> None:
    consent = ("yes", "yep", "yeah", "ok", "okay", "sure", "alright", "all right", "go for it", "fine", "agreed")
    phrases = [each for kind in PHRASES.values() for said in kind.values() if isinstance(said, list) for each in said]
    assert [each for each in phrases if each.casefold().startswith(consent)] == []


def test_the_last_account_lists_the_requests_in_short() -> None:
    task = make_task(MOVE, BOOK, answers=[("requests not done", "2", 1)])
    account = [each.model_copy(update={"kind": "account"}) for each in task.answers]
    user = ScriptedUser(task.model_copy(update={"answers": account}), 0, read_nothing_of(task))
    user.answers.reader.answers = {each.name: each for each in account}
    *_, asked, done = talk(user, ("Done.", WRITES), ("No.", DECLINES), "Only number 2.", "2")
    assert asked.text.endswith(f"or none. 1) {MOVE.short}; 2) {BOOK.short}")
    assert done.taken == (("requests not done", "2"),)


def test_phrases_claim_nothing_and_ask_nothing() -> None:
    for kind, registers in PHRASES.items():
        if kind in (
            "form",
            "form_day_first",
            "answer",
            "answers",
            "answer_again",
            "answers_again",
            "account",
            "account_again",
        ):
            continue
        assert set(registers) == {"plain", "formal", "casual"}
        for phrase in (each for wordings in registers.values() for each in wordings):
            assert "?" not in phrase
            assert not any(word in phrase.casefold().split() for word in ("done", "fixed", "refused"))
