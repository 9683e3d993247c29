"""A detail said wrong at first is fair: who takes it for true sees that it is wrong, and who guesses loses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial

import pytest

from generator.tasks.proofs.all import prove_candidate
from generator.tasks.proofs.replayer import Candidate
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.task.mistakes import TRUSTS
from runtime.task.picks import NoSuchRow
from runtime.task.story import Story, scenario
from runtime.task.task_file import parse_task, task_line
from tests.conftest import LIBRARY
from tests.generator.tasks.candidates import candidate_of, refused, with_task
from tests.talking.talkers import TALKS, Talk, converse
from worldsmith import DomainTask, Rollout

MINE = "status = 'out' AND due_on >= ? AND due_on <= ? AND renewals < 2"
OUT = "(SELECT count(*) FROM loan AS own WHERE own.member_id = loan.member_id AND own.status = 'out')"
NEVER_HAD = "title NOT IN (SELECT title FROM loan JOIN book USING (book_id) WHERE member_id = ?)"
COPIES_OUT = "(SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND status = 'out')"
ONE_OF_THAT_TITLE = ["member_id", "book_id.title", "status"]


def bring_back(story: Story, out: str = "{} >= 3", other: str = NEVER_HAD, unheard: bool = False) -> None:
    """Return one of several books by the title of another one; `unheard` goes on with the truth from the start."""
    loan = story.pick("loan", f"status = 'out' AND {out.format(OUT)}", mine=True, unique_by=ONE_OF_THAT_TITLE)
    truth = story.row("book", loan["book_id"])["title"]
    wrong = story.pick("book", other, *([loan["member_id"]] * other.count("?")))["title"]
    back = story.wish("I'm returning {title}.", title=wrong)
    title = story.misremembers("title", wrong, truth)
    story.in_short(back, "checking in {title}", title=title)
    loans = story.call("list_loans", member_id=story.identify())["loans"]
    found = story.find(loans, title=truth if unheard else title)
    story.call("return_book", loan_id=found["loan_id"])


ANOTHER_OF_MINE = """
    book_id IN (SELECT book_id FROM loan WHERE status = 'out' AND member_id = ?)
    AND title <> (SELECT max(title) FROM loan JOIN book USING (book_id) WHERE member_id = ? AND status = 'out')
"""


def notice_too_late(story: Story) -> None:
    """Give a new number before the book is looked for."""
    loan = story.pick("loan", f"status = 'out' AND {OUT} >= 3", mine=True, unique_by=ONE_OF_THAT_TITLE)
    wrong = story.pick("book", NEVER_HAD, loan["member_id"])["title"]
    phone = story.choose("number", ("555-7301", "555-7310"))
    back = story.wish("Here is {title}. My new number is {phone}.", title=wrong, phone=phone)
    title = story.misremembers("title", wrong, story.row("book", loan["book_id"])["title"])
    story.in_short(back, "checking in {title} and noting {phone}", title=title, phone=phone)
    me = story.identify()
    story.call("change_phone", member_id=me, phone=phone)
    loans = story.call("list_loans", member_id=me)["loans"]
    story.call("return_book", loan_id=story.find(loans, title=title)["loan_id"])


def first_candidate(domain: Domain, program: Callable[[Story], None]) -> Candidate:
    """The candidate of a scenario on the first world that has rows for it."""
    for seed in range(1, 40):
        try:
            return candidate_of(domain, scenario(form="mistaken")(program), seed)
        except NoSuchRow:
            continue
    raise AssertionError("no world has a row")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        pytest.param(bring_back, "", id="sound"),
        pytest.param(partial(bring_back, unheard=True), "No look-up and no rule shows", id="unheard"),
        pytest.param(
            partial(bring_back, other=ANOTHER_OF_MINE), "No look-up and no rule shows", id="another_of_theirs"
        ),
        pytest.param(partial(bring_back, out="{} = 1"), "1 of 2 mistakes are known", id="only_one"),
        pytest.param(notice_too_late, "something is changed before it shows", id="too_late"),
    ],
)
def test_what_is_said_wrong_is_noticed_and_cannot_be_guessed(
    library: Domain, program: Callable[[Story], None], why: str
) -> None:
    proof, reason = refused(first_candidate(library, program))
    assert (proof, why in reason) == ("mistakes" if why else "", True), reason


WHOSE = '''


class Lent(TypedDict):
    loan_id: Annotated[str, "Loan number"]
    title: Annotated[str, "Title of the book"]


class AllLent(TypedDict):
    lent: Annotated[list[Lent], "Loans that are out"]


@tool(reads=["loan", "book"])
def find_lent(db: Database, title: Annotated[str, "Title of the book"]) -> AllLent:
    """Find the loans of a title that are out."""
    query = "SELECT loan_id, title FROM loan JOIN book USING (book_id) WHERE title = ? AND status = 'out'"
    return {"lent": db.select(query, title)}
'''


@pytest.fixture(scope="module")
def lent_library(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """The library with a tool that finds anybody's loan."""
    folder = shutil.copytree(LIBRARY, tmp_path_factory.mktemp("lent") / "library")
    with (folder / "tools" / "loans.py").open("a", encoding="utf-8") as file:
        file.write(WHOSE)
    return load_domain(folder)


def act_on_somebody_elses(story: Story, tool: str) -> None:
    """Renew or return a loan that is found by a title which somebody else has out."""
    mine = f"{MINE} AND NOT EXISTS (SELECT 1 FROM hold WHERE hold.book_id = loan.book_id)"
    loan = story.pick("loan", f"{mine} AND {OUT} >= 2 AND {ONLY_COPY}", story.today, story.day(5), mine=True)
    truth = story.row("book", loan["book_id"])["title"]
    theirs = f"{MINE} AND member_id <> ? AND {ONLY_COPY}"
    other = story.pick("loan", theirs, story.today, story.day(5), loan["member_id"])
    wrong = story.row("book", other["book_id"])["title"]
    wanted = story.wish("It's about {title}.", title=wrong)
    title = story.misremembers("title", wrong, truth)
    story.in_short(wanted, "taking care of {title}", title=title)
    me = story.identify()
    loans = story.call("list_loans", member_id=me)["loans"]
    for each in story.others(loans, story.find(loans, title=truth)):
        with story.wrong("takes another of theirs"):
            story.call("return_book", loan_id=each["loan_id"])
    found = story.find(story.call("find_lent", title=title)["lent"])
    story.call(tool, loan_id=found["loan_id"])


ONLY_COPY = """
    1 = (SELECT count(*) FROM loan AS any_ JOIN book AS its ON its.book_id = any_.book_id WHERE any_.status = 'out'
         AND its.title = (SELECT title FROM book WHERE book.book_id = loan.book_id))
"""


def test_acting_on_somebody_elses_record_is_a_known_mistake_where_a_rule_forbids_it(lent_library: Domain) -> None:
    candidate = first_candidate(lent_library, partial(act_on_somebody_elses, tool="renew_loan"))
    assert refused(candidate) == ("", "")
    assert TRUSTS in [each.name for each in prove_candidate(candidate).mistakes]
    permitted = first_candidate(lent_library, partial(act_on_somebody_elses, tool="return_book"))
    assert "No look-up and no rule shows" in refused(permitted)[1]


@pytest.fixture(scope="module")
def returning(library: Domain) -> DomainTask:
    """The task of who brings a book back by the wrong title, as its line is read."""
    candidate = first_candidate(library, bring_back)
    candidate = with_task(candidate, mistakes=list(prove_candidate(candidate).mistakes))
    task = parse_task(task_line(candidate.task))
    assert task == candidate.task
    return DomainTask(library, task)


@pytest.mark.parametrize("talk", TALKS)
def test_who_does_the_work_is_rewarded_however_they_talk(returning: DomainTask, talk: Talk) -> None:
    played = converse(returning, talk)
    assert played.reward, played.why


@pytest.mark.parametrize(("does", "reward"), [("asks", 1), ("guesses", 0), ("gives up", 0)])
def test_who_looks_and_asks_is_rewarded_and_who_guesses_or_gives_up_is_not(
    returning: DomainTask, does: str, reward: int
) -> None:
    own = {fact.proves or "title": fact for fact in returning.task.user.facts}
    right, wrong = own["title"].said, own["title"].corrects
    with Rollout(returning).sync() as rollout:
        assert wrong in rollout.open()[-1]["content"]
        assert right not in rollout.say("Who is calling?")
        me = json.loads(rollout.call("find_member", {"email": own["email"].said}))["member_id"]
        proofs = {"email": own["email"].said, "phone": own["phone"].said}
        rollout.call("note_identification", {"member_id": me, **proofs})
        loans = {each["title"]: each for each in json.loads(rollout.call("list_loans", {"member_id": me}))["loans"]}
        assert wrong not in loans
        title = next(each for each in loans if each != right)
        if does == "asks":
            said = rollout.say(f"I can't find {wrong} among your books.")
            (title,) = [each for each in loans if each in said]
        if does != "gives up":
            rollout.call("return_book", {"loan_id": loans[title]["loan_id"]})
        while not rollout.done:
            rollout.say("I'm sorry, that is all I can do.")
        assert rollout.verdict().reward == reward
