"""What makes a wish hard is fair: each defect that is planted in a form is caught by the proof meant for it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from generator.tasks.proofs.all import prove_candidate
from generator.tasks.proofs.changed_worlds import try_counterfactuals
from generator.tasks.proofs.mistakes import MistakeFinder
from generator.tasks.proofs.replayer import Candidate, TaskReplayer
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault
from runtime.task.mistakes import COMPLIES, REFUSES, mistake_of
from runtime.task.picks import NoSuchRow
from runtime.task.story import Story, scenario
from tests.conftest import LIBRARY
from tests.generator.tasks.candidates import PROGRAMS, candidate_of, refused

ONE_OF_THAT_TITLE = PROGRAMS["keep_a_book_longer"].__globals__["ONLY_ONE_OF_THAT_TITLE"]
LATER = f"status = 'out' AND renewals < 2 AND due_on > ? AND {ONE_OF_THAT_TITLE}"
SEVERAL_OUT = "(SELECT count(*) FROM loan AS own WHERE own.member_id = loan.member_id AND own.status = 'out')"
WAITED_FOR = "book_id IN (SELECT book_id FROM hold WHERE status = 'waiting' AND hold.member_id <> loan.member_id)"


def first_candidate(library: Domain, program: str | Callable[[Story], None], denied: bool | None = None) -> Candidate:
    """The candidate of a scenario on the first world where it is denied, or permitted, or asks nothing of a rule."""
    for seed in range(1, 40):
        try:
            candidate = candidate_of(library, program, seed)
        except NoSuchRow:
            continue
        asked = candidate.scripts[0].permissions
        if (any(each.rules for each in asked) if asked else None) is denied:
            return candidate
    raise AssertionError(f"no world has a row for {program!r}")


def ask_to_keep(story: Story, where: str = "1") -> tuple[int, str]:
    loan = story.pick("loan", f"{LATER} AND {where}", story.day(6), mine=True)
    title = story.row("book", loan["book_id"])["title"]
    keep = story.wish("I'd like to keep {title}.", title=title)
    loans = story.call("list_loans", member_id=story.identify())["loans"]
    return keep, story.find(loans, title=title)["loan_id"]


@scenario(form="direct")
def renew_too_early(story: Story) -> None:
    _, loan = ask_to_keep(story)
    story.call("renew_loan", loan_id=loan)


@scenario(form="denied")
def renew_against_two_rules(story: Story) -> None:
    keep, loan = ask_to_keep(story, WAITED_FOR)
    if not story.permits("renew_loan", loan_id=loan):
        story.decline(keep)


def hand_in(story: Story, *titles: str) -> None:
    loans = story.call("list_loans", wish=story.wish("That is all."), member_id=story.identify())["loans"]
    for number, title in enumerate(titles):
        story.call("return_book", wish=number, loan_id=story.find(loans, title=title)["loan_id"])


@scenario(form="coupled")
def hand_in_two(story: Story) -> None:
    loans = story.pick_several("loan", 2, f"status = 'out' AND {ONE_OF_THAT_TITLE}", mine=True)
    titles = [story.row("book", loan["book_id"])["title"] for loan in loans]
    with story.together():
        for title in titles:
            story.wish("Here is {title}.", title=title)
    hand_in(story, *reversed(titles))


@scenario
def swap_without_saying_so(story: Story) -> None:
    PROGRAMS["swap_places_in_queues"](story)


@scenario(form="withheld")
def choose_of_two(story: Story) -> None:
    story.wish("I have a new phone number.")
    phone = story.choose("number", ("555-7301", "555-7310"))
    story.keep_back("new number", phone)
    story.call("change_phone", member_id=story.identify(), phone=phone)


@scenario(form="withheld")
def keep_back_what_does_not_matter(story: Story) -> None:
    story.wish("My new phone number is {phone}.", phone=story.choose("number", ("555-7301", "555-7310")))
    phone = story._script.wishes[0].facts[0].value
    story.keep_back("colour", story.choose("colour", ("red", "green", "blue", "white")))
    story.call("change_phone", member_id=story.identify(), phone=story.choose("number", [phone]))


@scenario(form="withheld")
def keep_back_what_can_be_looked_up(story: Story) -> None:
    loan = story.pick("loan", f"status = 'out' AND {ONE_OF_THAT_TITLE}", mine=True)
    title = story.row("book", loan["book_id"])["title"]
    story.wish("I've brought a book back.")
    story.keep_back("title", title)
    loans = story.call("list_loans", member_id=story.identify())["loans"]
    story.call("return_book", loan_id=story.find(loans, title=title)["loan_id"])


@scenario(form="mistaken")
def go_wrong_rightly(story: Story) -> None:
    phone = story.choose("number", ("555-7301", "555-7310"))
    story.wish("My new phone number is {phone}.", phone=phone)
    me = story.identify()
    with story.wrong("trusts the user"):
        story.call("change_phone", member_id=me, phone=phone)
    story.call("change_phone", member_id=me, phone=phone)


@scenario(form="mistaken")
def go_right_only(story: Story) -> None:
    phone = story.choose("number", ("555-7301", "555-7310"))
    story.wish("My new phone number is {phone}.", phone=phone)
    story.call("change_phone", member_id=story.identify(), phone=phone)


@scenario(form="conditional")
def hand_in_whatever_the_day(story: Story) -> None:
    several = "member_id IN (SELECT member_id FROM loan WHERE status = 'out' GROUP BY member_id HAVING count(*) > 1)"
    loan = story.pick("loan", f"status = 'out' AND {several} AND {ONE_OF_THAT_TITLE}", mine=True)
    title = story.row("book", loan["book_id"])["title"]
    story.wish("If {title} is late, take it back; if it is not, take it back, too.", title=title)
    loans = story.call("list_loans", member_id=story.identify())["loans"]
    with story.wrong("takes the first that fits"):
        story.call("return_book", loan_id=next(each for each in loans if each["title"] != title)["loan_id"])
    story.call("return_book", loan_id=story.find(loans, title=title)["loan_id"])


@pytest.mark.parametrize(
    ("program", "proof", "reason"),
    [
        pytest.param(renew_too_early, "obedience", "is not permitted: Rule ", id="forbidden"),
        pytest.param(hand_in_two, "order", "The coupled wishes can be fulfilled as they are told", id="told_order"),
        pytest.param(swap_without_saying_so, "order", "cannot be fulfilled in the order", id="hidden_coupling"),
        pytest.param(choose_of_two, "asking", "one of only 2 values; at least 4 are needed", id="few_alternatives"),
        pytest.param(keep_back_what_does_not_matter, "asking", "'red' instead of|is rewarded", id="needless_question"),
        pytest.param(
            keep_back_what_can_be_looked_up, "asking", r"can be looked up in book\.title of BOOK-\d+", id="readable"
        ),
        pytest.param(go_wrong_rightly, "mistakes", "An agent that trusts the user is rewarded", id="right_mistake"),
        pytest.param(hand_in_whatever_the_day, "luck", "right whatever the rows hold", id="lucky_chain"),
        pytest.param(go_right_only, "mistakes", "the form mistaken only 1 of 2 mistakes are known", id="no_mistake"),
    ],
)
def test_a_planted_defect_is_caught(library: Domain, program: Callable[[Story], None], proof: str, reason: str) -> None:
    caught, why = refused(first_candidate(library, program))
    assert caught == proof
    assert re.search(reason, why)


WAYS_ROUND = {
    "loans.py": '''

@tool(writes=["loan"], rejects=["NOT_FOUND"])
def prolong_loan(db: Database, loan_id: Annotated[str, "Loan to extend"]) -> DueDate:
    """Extend a loan by a week."""
    loan = db.require("loan", loan_id)
    renewed = db.update("loan", loan_id, due_on=add_days(loan["due_on"], 7))
    return {"loan_id": loan_id, "due_on": renewed["due_on"]}
''',
    "loans.py, in a batch": '''

@tool(writes=["loan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def renew_loans(db: Database, loan_ids: Annotated[list[str], "Loans to extend"]) -> DueDate:
    """Extend several loans by two weeks each."""
    return [renew_loan(db, loan_id) for loan_id in loan_ids][-1]
''',
}


@pytest.fixture(scope="module")
def lax_library(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """The library with tools that lead round its rules."""
    folder = shutil.copytree(LIBRARY, tmp_path_factory.mktemp("lax") / "library")
    for name, tool in WAYS_ROUND.items():
        with (folder / "tools" / name.partition(",")[0]).open("a", encoding="utf-8") as file:
            file.write(tool)
    rules = folder / "rules.py"
    alone = '"RENEWAL_WINDOW",\n    on={"renew_loan": "loan_id"'
    rules.write_text(rules.read_text().replace(alone, f'{alone}, "renew_loans": "loan_ids"'))
    return load_domain(folder)


def test_a_legal_way_round_a_rule_is_caught(library: Domain, lax_library: Domain) -> None:
    program = "renew_well_before_it_is_due"
    caught, why = refused(first_candidate(lax_library, program, denied=True))
    assert caught == "detours"
    assert re.search(r"permits prolong_loan\(loan_id='LOAN-\d+'\),", why)
    assert refused(first_candidate(library, program, denied=True)) == ("", "")


@scenario(form="denied")
def renew_in_a_batch(story: Story) -> None:
    keep, loan = ask_to_keep(story, f"due_on > '2026-03-01' AND NOT {WAITED_FOR}")
    if story.permits("renew_loans", loan_ids=[loan]):
        story.call("renew_loans", loan_ids=[loan])
    else:
        story.decline(keep)


def test_of_a_batch_an_item_is_declined(lax_library: Domain) -> None:
    candidate = first_candidate(lax_library, renew_in_a_batch, denied=True)
    with TaskReplayer(lax_library, candidate.task, candidate.world) as replayer:
        ends = MistakeFinder(replayer, candidate).ends
        noted = [step for way, _ in ends for step in way.mistake.turn if step.tool == "decline_request"]
        assert all(isinstance(step.arguments["subject_id"], str | dict) for step in noted)
        assert all("list" not in end.rejected for _, end in ends)


@scenario(form="all_but")
def hand_in_the_others(story: Story, words: str = "I'm bringing back all that I have out, except {title}.") -> None:
    loan = story.pick("loan", f"status = 'out' AND {SEVERAL_OUT} >= 3 AND {ONE_OF_THAT_TITLE}", mine=True)
    title = story.row("book", loan["book_id"])["title"]
    story.wish(words, **({"title": title} if "title" in words else {}))
    loans = story.call("list_loans", member_id=story.identify())["loans"]
    with story.wrong("forgets the exception"):
        for each in loans:
            story.call("return_book", loan_id=each["loan_id"])
    for each in loans:
        if each["title"] != title:
            story.call("return_book", loan_id=each["loan_id"])


def test_all_but_what_is_told_are_identified_however_they_are_called(library: Domain) -> None:
    assert refused(first_candidate(library, hand_in_the_others)) == ("", "")
    vague = scenario(form="all_but")(partial(hand_in_the_others, words="I'm bringing back all but one of my books."))
    assert refused(first_candidate(library, vague))[0] == "identifiability"


def test_a_call_that_two_rules_deny_is_told_of_in_no_world(library: Domain) -> None:
    with pytest.raises(AssertionError, match="no world has a row"):
        first_candidate(library, renew_against_two_rules, denied=True)


def test_of_a_rule_that_no_row_decides_no_counterfactual_is_asked_for(library: Domain) -> None:
    candidate = first_candidate(library, "wait_for_one_more_book", denied=True)
    rules = tuple(replace(rule, no_counterfactual="A count is no cell.") for rule in library.rules.rules)
    stated = replace(library, rules=replace(library.rules, rules=rules))
    for domain, tried in ((library, ["one", "counterfactual", "complies", "refuses"]), (stated, ["one"])):
        with TaskReplayer(domain, candidate.task, candidate.world) as replayer:
            assert [trial.what for trial in try_counterfactuals(replayer, replace(candidate, domain=domain))] == tried


@pytest.mark.parametrize("denied", [True, False])
def test_both_decisions_are_proven_and_an_agent_that_decides_otherwise_is_seen(library: Domain, denied: bool) -> None:
    candidate = first_candidate(library, "wait_for_one_more_book", denied)
    proven = prove_candidate(candidate)
    assert proven.holds
    task = candidate.task.model_copy(update={"mistakes": list(proven.mistakes)})
    assert {COMPLIES: denied, REFUSES: not denied}.items() == {
        name: any(each.name == name for each in task.mistakes) for name in (COMPLIES, REFUSES)
    }.items()
    with TaskReplayer(library, task, candidate.world) as replayer:
        assert mistake_of(task, replayer.final.changes, {}, library.schema, replayer.policies) is None


def test_a_wish_that_is_not_denied_cannot_be_declined(library: Domain) -> None:
    @scenario(form="denied")
    def decline_anything(story: Story) -> None:
        story.decline(story.wish("I want to speak to somebody."))

    with pytest.raises(EnvironmentFault, match="but no rule denied a call"):
        candidate_of(library, decline_anything, 1)
