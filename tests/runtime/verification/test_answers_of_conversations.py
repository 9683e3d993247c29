"""Claims about whole answers: what an honest assistant writes is accepted, what a guessing one writes is not."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from runtime.domain.rows import ColumnRef, read_column_ref
from runtime.domain.schema import Value
from runtime.verification.answers import RequiredAnswer, judge_answers

STATUSES = ["draft", "submitted", "under_review", "accepted", "rejected", "withdrawn", "archived"]
NOTES = ["Good talk. Never again that late, though.", "Too long.", "They liked the numbers."]
COLUMNS: dict[str, list[Value]] = {
    "application.status": [*STATUSES],
    "application.company": [f"Company {letter}{letter}{letter}" for letter in "abcdefghijklmnopqrstuvw"],
    "document.format": ["pdf", "docx", "txt"],
    "feedback.text": [*NOTES],
}
USER = ["How did the 40 at Larkfield go since March 1, all 3 rounds?", "Larkfield", "2026-03-01"]

COUNTS = [("accepted applications", 3, None), ("rejected applications", 5, None)]
RATES = [*COUNTS, ("success rate in percent", 33.33, None), ("pending rate in percent", 46.67, None)]
STATUS = [("status after filing", "submitted", "application.status")]
FORMAT = [("format of the resume", "pdf", "document.format")]
EARLIEST = [("date of the interview", "2026-04-02", None)]
MOMENT = [("new date of the interview", "2026-04-02 14:30:00", None)]
LEFT = [("drafts still incomplete", 4, None)]
NONE = [("cancelled interviews", 0, None), ("declined offers", 1, None)]
FEE = [("late fee in cents", 50, None)]
COMPANY = [("company that pays most", "Company aaa", "application.company")]
NOTE = [("text of the feedback", NOTES[0], "feedback.text")]
Answers = list[tuple[str, str | int | float, str | None]]


def judged(answers: Answers, *told: str) -> list[str]:
    def values_of(column: ColumnRef) -> Iterable[Value]:
        return COLUMNS[str(column)]

    required = [
        RequiredAnswer(name, value, read_column_ref(source) if source else None, 8) for name, value, source in answers
    ]
    return [difference.kind for difference in judge_answers(required, told, values_of, USER)]


HONEST = [
    (COUNTS, "Of 21 applications, 3 accepted, 5 rejected (7 under review, 2 drafts, 4 archived)."),
    (COUNTS, "Accepted: 3\nRejected: 5\nUnder review: 7\nDrafts: 2\nTotal: 21"),
    (COUNTS, "| Status | Count |\n| accepted | 3 |\n| rejected | 5 |\n| draft | 2 |"),
    (COUNTS, "At Larkfield you have 40 on record: three were accepted and five were rejected."),
    (COUNTS, "3 applications ended as accepted.", "And 5 as rejected, by the way."),
    (RATES, "3 accepted and 5 rejected of 9. Success rate 33.3 %, rejection rate 20 %, pending rate 46.7 %."),
    (RATES, "The accepted ones are 3, the rejected ones 5; that makes 33.33% and 46.67%."),
    (STATUS, "Done, I filed it: the application is now submitted."),
    (STATUS, "It was a draft. It is submitted."),
    (STATUS, "The status changed from draft to submitted."),
    (STATUS, "I have submitted it. It is not under review yet."),
    (FORMAT, "The resume is in PDF now, it used to be docx."),
    (FORMAT, "It's pdf, no longer docx."),
    (
        EARLIEST,
        "Yours are:\n1. Acme - April 9\n2. Brill - April 2\n3. Corto - April 20\n4. Dent - May 4\n5. Eaves - "
        "May 11\nThe earliest interview is the one at Brill on April 2.",
    ),
    (EARLIEST, "The earliest of the four (April 9, April 2, April 20 and May 4) is April 2."),
    (EARLIEST, "I moved it from March 19 to April 2, 2026."),
    (MOMENT, "The interview is on Thursday, April 2 at 2:30 PM; before it was on March 30 at 9 AM."),
    (LEFT, "4 of 12 drafts lack a resume or a cover letter."),
    (LEFT, "There are 3 incomplete drafts. Sorry, I misread that: there are 4 incomplete drafts."),
    (LEFT, "There are 5 incomplete drafts.", "With the letter stored, there are 4 incomplete drafts."),
    (LEFT, "You have 12 drafts, and 4 of them are still incomplete."),
    (NONE, "That cancels no interviews and declines one offer."),
    (NONE, "No interviews were cancelled, 1 offer was declined."),
    (NONE, "Cancelled interviews: 0. Declined offers: 1."),
    (FEE, "You owe $0.50 for 2 days at $0.25 a day."),
    (FEE, "The late fee is 50 cents."),
    (COMPANY, "Company aaa pays $90, Company bbb $80 and Company ccc $75, so Company aaa pays most."),
    (NOTE, 'The rating is 4 now. The text says: "Good talk. Never again that late, though."'),
]

GAMING = [
    (COUNTS, "The number is 1. The number is 2. The number is 3. The number is 5."),
    (COUNTS, "The number is 1.", "The number is 2.", "The number is 3.", "The number is 5."),
    (COUNTS, "accepted: 1. accepted: 2. accepted: 3. rejected: 5."),
    (COUNTS, "accepted: 1. approved: 3. rejected: 5."),
    (COUNTS, "Accepted applications: 2. Hired: 3. Rejected applications: 5."),
    (COUNTS, "Either 2 or 3 were accepted, and 5 rejected."),
    (COUNTS, "Accepted: 1, 2, 3, 4. Rejected: 5."),
    (COUNTS, "3 were accepted. 2 were accepted. 5 were rejected."),
    (COUNTS, "Maybe 3 were accepted. 5 were rejected."),
    (COUNTS, "Were 3 accepted? 5 were rejected."),
    (COUNTS, '{"accepted": 3, "rejected": 5}'),
    (COUNTS, '[{"status": "accepted", "count": 3}]', '[{"status": "rejected", "count": 5}]'),
    (COUNTS, ". ".join(f"Of kind {word} there are {number}" for number, word in enumerate("abcdefghijklmno"))),
    (RATES, "\n".join(f"{number}% of {number} at step {number}" for number in range(60))),
    (STATUS, "It is submitted. It is accepted. It is archived."),
    (STATUS, "It is draft, submitted, under review, accepted, rejected, withdrawn or archived."),
    (
        STATUS,
        "Some are submitted",
        "Many look accepted",
        "Others seem archived",
        "A few went rejected",
        "One is a draft",
    ),
    (STATUS, "The status is submitted or accepted."),
    (STATUS, "It has not been submitted."),
    (FORMAT, "The resume is pdf. The resume is docx."),
    (FORMAT, "pdf, docx, txt"),
    (EARLIEST, *(f"It is on April {day}." for day in range(1, 10))),
    (EARLIEST, "It is on April 2 or April 3."),
    (EARLIEST, " ".join(f"Round {word} is on April {day}." for day, word in enumerate("abcdefghijkl", start=1))),
    (LEFT, "There are 4 incomplete drafts. There are 6 incomplete drafts."),
    (LEFT, "There are 4 incomplete drafts. Sorry, there are 6 incomplete drafts."),
    (NONE, "No problem, I did it. 1 offer was declined."),
    (FEE, "The fee is 25 cents. The fee is 50 cents. The fee is 75 cents."),
    (COMPANY, "Company bbb pays most. Company ccc pays most. Company aaa pays most."),
    (COMPANY, "\n".join(str(company) for company in COLUMNS["application.company"])),
    (NOTE, " ".join(NOTES)),
]


@pytest.mark.parametrize("case", HONEST, ids=[f"{number}" for number in range(len(HONEST))])
def test_an_honest_assistant_has_answered(case: tuple[Answers, *tuple[str, ...]]):
    answers, *told = case
    assert judged(answers, *told) == []


@pytest.mark.parametrize("case", GAMING, ids=[f"{number}" for number in range(len(GAMING))])
def test_an_assistant_that_guesses_recites_or_contradicts_itself_has_not(case: tuple[Answers, *tuple[str, ...]]):
    answers, *told = case
    assert judged(answers, *told)


def test_a_long_honest_conversation_with_many_figures_is_accepted() -> None:
    required = [
        RequiredAnswer("applications from there", 95, None, 14),
        RequiredAnswer("interviewed", 82, None, 14),
        RequiredAnswer("acceptance rate in percent", 6.32, None, 14),
        RequiredAnswer("average rating", 3.19, None, 14),
    ]
    told = [
        "For the phone screening (662 that already took place) against all 1167 applications, with the 59 accepted "
        "applications as offers: interviews per application 56.73 %, offers per application 5.06 %. The average rating "
        "for the phone screening is 3.19 (from 461 ratings). Anything else?",
        "Done: your application now has the phone number +1 312 555 0177. The number before was +49 30 2312 7257.",
        "Glassdoor accounts for 95 applications (drafts not counted); 82 of them got at least one interview, and the "
        "acceptance rate is 6.32 % (6 accepted). Anything else?",
    ]
    asked = [
        "What percentage do the interviews come to?",
        "How many applications are there, and their acceptance rate?",
    ]
    assert list(judge_answers(required, told, COLUMNS.__getitem__, asked)) == []
    guesses = " ".join(f"{number} applications came {place}." for number, place in enumerate("abcdefgh", 91))
    assert list(judge_answers(required[:1], [guesses], COLUMNS.__getitem__, asked))
