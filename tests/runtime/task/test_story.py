"""A scenario runs on any world that has what it is about, and every value keeps its origin."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.domain.schema import RowRef
from runtime.errors import EnvironmentFault
from runtime.sandbox.module import load_module
from runtime.session.session import Session
from runtime.task.origin import TODAY, ChoiceRef, ClockRef, Origin, ResultRef, leaves_of, origin_of, plain, said, traced
from runtime.task.picks import NoSuchRow
from runtime.task.story import Story, script_of, tell_story
from runtime.task.task import TaskText, replay
from runtime.task.wishes import is_dictated
from tests.conftest import LIBRARY
from tests.making import world_of

SCENARIOS = load_module(LIBRARY / "scenarios.py", "library_scenarios")
PROGRAMS = {name: value for name, value in vars(SCENARIOS).items() if getattr(value, "is_scenario", False)}
PLAIN = ("bring_a_book_back", "keep_a_book_longer", "queue_for_a_lent_book")  # without a rule that is asked about


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("seed", range(1, 3))
def test_a_scenario_runs_on_several_worlds_and_its_chain_replays(library: Domain, name: str, seed: int) -> None:
    world = world_of(library, seed, 300)
    with Session(library, world) as told, Session(library, world) as replayed:
        script = tell_story(PROGRAMS[name], told, seed)
        replay(replayed, script.chain)
        assert replayed.digest() == told.digest() != f"{world.digest:032x}"
    assert script.words
    assert all(call.step.tool in library.tools for call in script.calls)


def test_every_argument_is_traced_to_a_told_fact_or_an_earlier_result(library: Domain) -> None:
    with Session(library, world_of(library, 1, 300)) as session:
        script = tell_story(PROGRAMS["queue_for_a_lent_book"], session, 1)
    for call in script.calls:
        for path, (origin,) in call.origins.items():
            assert origin is not None, path
            is_duty = (call.step.tool, path) == ("note_identification", ("how",))
            assert (origin.kind == "duty") is is_duty, path
            assert is_duty or origin.kind == "result" or origin in script.told, path


def test_a_value_that_was_not_told_is_not_licensed_by_an_equal_one(session: Session) -> None:
    story = Story(session, 1)
    row = story.pick("member")
    other = story.row("member", row["member_id"])["name"]
    story.tell("My address is {email}.", email=row["email"])
    assert origin_of(row["email"]) in script_of(story).told
    assert origin_of(other) not in script_of(story).told


def test_words_and_values_must_fit(session: Session) -> None:
    story = Story(session, 1)
    with pytest.raises(EnvironmentFault, match="'title'"):
        story.tell("I want {title}.")
    with pytest.raises(EnvironmentFault, match="'extra'"):
        story.tell("I want it.", extra=1)


def test_a_rejected_call_is_a_fault_of_the_scenario(session: Session) -> None:
    story = Story(session, 1)
    with pytest.raises(EnvironmentFault, match="NOT_FOUND"):
        story.call("find_member", email="nobody@example.org")


def _told(story: Story, **values: object) -> None:
    story.tell(" ".join(f"{{{name}}}" for name in values), **values)


@pytest.fixture
def story(session: Session) -> Story:
    """A story on the library's world, whose clock stands at Monday, March 16, 2026."""
    return Story(session, 1)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param("2026-03-18", "Wednesday, March 18", id="day"),
        pytest.param("2025-12-30", "Tuesday, December 30, 2025", id="day_of_another_year"),
        pytest.param("2026-03-18 14:00:00", "Wednesday, March 18 at 2 PM", id="full_hour"),
        pytest.param("2026-03-18 09:30:00", "Wednesday, March 18 at 9:30 AM", id="half_hour"),
        pytest.param("2026-03-18 00:00:00", "Wednesday, March 18 at 12 AM", id="midnight"),
        pytest.param("14:15", "2:15 PM", id="time_of_day"),
        pytest.param("under_review", "under review", id="state"),
        pytest.param("a_b@example.org", "a_b@example.org", id="address"),
        pytest.param("2026-02-31", "2026-02-31", id="no_day"),
        pytest.param(True, "yes", id="truth"),
        pytest.param(3.0, "3", id="whole_real"),
        pytest.param(2.5, "2.5", id="real"),
        pytest.param(["Saw", "Drill", "Rake"], "Saw, Drill and Rake", id="list"),
    ],
)
def test_values_are_said_as_a_person_says_them(value: object, words: str) -> None:
    assert said(value, today="2026-03-16") == words


@pytest.mark.parametrize(
    ("amount", "options", "words"),
    [
        pytest.param(4500, {}, "$45", id="cents"),
        pytest.param(123456, {"currency": "EUR"}, "1,234.56 EUR", id="code"),
        pytest.param(85000, {"minor": 1}, "$85,000", id="whole_dollars"),
        pytest.param(-5, {}, "-$0.05", id="negative"),
    ],
)
def test_money_is_told_with_its_currency_and_stays_an_integer(
    story: Story, amount: int, options: dict[str, Any], words: str
) -> None:
    price = story.money(story.choose("price", [amount]), **options)
    story.tell("I have {price}.", price=price)
    assert script_of(story).words == [f"I have {words}."]
    assert script_of(story).facts[0].value == amount
    assert origin_of(price) == Origin(ChoiceRef("price"))


def test_a_day_is_known_once_it_is_told_or_its_offset_is(story: Story) -> None:
    days = story.choose("days", [4])
    _told(story, days=days)
    story.call("search_books", words=story.day(days))
    story.call("search_books", words=story.day(5))
    known, unknown = script_of(story).calls
    assert all(script_of(story).licenses(origin, known.wish) for origin in known.origins["words",])
    assert unknown.origins == {("words",): (TODAY, None)}
    day = story.day(5)
    _told(story, day=day)
    story.call("search_books", words=day)
    assert script_of(story).calls[-1].origins == {("words",): (Origin(ClockRef("today", 5)),)}


def test_a_moment_is_told_as_one_and_keeps_the_origin_of_its_day(story: Story) -> None:
    moment = story.moment(story.day(2), "14:00")
    assert (moment, said(moment)) == ("2026-03-18 14:00:00", "Wednesday, March 18 at 2 PM")
    origin = Origin(ClockRef("today", 2), ("at 14:00",))
    assert (origin_of(moment), str(origin)) == (origin, "today+2 at 14:00")
    assert story.moment(2, "14:00") == moment
    _told(story, moment=moment)
    story.call("search_books", words=moment)
    assert script_of(story).calls[0].origins == {("words",): (origin,)}


def test_a_looked_up_date_that_is_moved_on_stands_for_the_date_and_the_told_amount(story: Story) -> None:
    loan = story.pick("loan", "status = 'out'")
    days = story.choose("days", [7])
    email = story.row("member", loan["member_id"])["email"]
    _told(story, email=email, days=days)
    found = story.call("find_member", email=email)
    loans = story.call("list_loans", member_id=found["member_id"])["loans"]
    first = story.find([loans[0]], title=loans[0]["title"])
    later = story.after(first["due_on"], days=days)
    story.call("search_books", words=later)
    step = script_of(story).calls[-1]
    assert step.step.arguments == {"words": str(later)}
    assert step.origins == {("words",): (Origin(ResultRef(1, ("loans", 0, "due_on"))), Origin(ChoiceRef("days")))}
    assert story.after("2026-03-18 14:00:00", hours=-2, minutes=30) == "2026-03-18 12:30:00"
    assert story.date_of("2026-03-18 14:00:00") == "2026-03-18"
    with pytest.raises(EnvironmentFault, match="is a day"):
        story.after("2026-03-18", hours=1)


def test_a_list_keeps_the_origin_and_the_reference_of_each_element() -> None:
    first = traced("L1", Origin(ResultRef(0, ("loans", 0, "loan_id"))))
    second = traced("L2", Origin(RowRef("loan", ("L2",), "loan_id")))
    nested = {"ids": [first, second], "how": {"count": 3}}
    assert dict(leaves_of(nested)) == {("ids", 0): "L1", ("ids", 1): "L2", ("how", "count"): 3}
    assert [origin_of(leaf) for _, leaf in leaves_of(nested)] == [origin_of(first), origin_of(second), None]
    assert type(plain(nested)["ids"][0]) is str


def test_an_entry_is_found_by_told_values_and_the_lookup_is_noted(story: Story) -> None:
    book = story.pick("book", "title NOT IN (SELECT title FROM book GROUP BY title HAVING count(*) > 1)")
    _told(story, title=book["title"])
    books = story.call("search_books", words=book["title"])["books"]
    found = story.find(books, title=book["title"])
    assert found["book_id"] == book["book_id"]
    assert origin_of(found["book_id"]) == Origin(ResultRef(0, ("books", books.index(found), "book_id")))
    story.find(books, book_id=book["book_id"])
    told, hidden = script_of(story).lookups
    assert script_of(story).licenses(told.origins["title",][0], told.wish)
    assert not script_of(story).licenses(hidden.origins["book_id",][0], hidden.wish)
    with pytest.raises(EnvironmentFault, match=r"title 'no such' finds 0 of \d+ entries"):
        story.find(books, title="no such")
    with pytest.raises(EnvironmentFault, match="takes the list of entries"):
        story.find({"books": books}, title="x")


def test_no_permission_is_asked_for_what_a_tool_does_not_take(story: Story) -> None:
    story.wish("Can I keep my book?")
    with pytest.raises(EnvironmentFault, match="asks whether renew_loan is permitted: .*loan_id"):
        story.permits("renew_loan")


def test_the_utmost_entry_is_one_or_none(story: Story) -> None:
    entries = [{"due": "2026-01-02"}, {"due": "2026-01-03"}, {"due": None}]
    assert story.highest(entries, "due") is entries[1]
    assert story.lowest(entries, "due") is entries[0]
    with pytest.raises(NoSuchRow, match="Not one of 4 entries alone has the max of 'due'"):
        story.highest([*entries, {"due": "2026-01-03"}], "due")
    assert story.others(entries, entries[1]) == [entries[0], entries[2]]


def test_counts_and_totals_are_answers_that_come_from_a_result(story: Story) -> None:
    books = story.call("search_books", words="the")["books"]
    story.answer("titles", story.count(books))
    story.answer("copies", story.total(books, "available"))
    story.answer("a guess", 3)
    assert [answer.value for answer in script_of(story).answers[:2]] == [
        len(books),
        sum(book["available"] for book in books),
    ]
    assert script_of(story).answered == [Origin(ResultRef(0)), Origin(ResultRef(0)), None]
    assert story.count([book["title"] for book in books]) == len(books)
    with pytest.raises(EnvironmentFault, match="is None"):
        story.answer("nothing", None)


def test_facts_belong_to_the_wish_in_which_they_are_told(session: Session) -> None:
    story = Story(session, 1, first_step=3, first_wish=2)
    first, second = story.choose("first", ["Emma"]), story.choose("second", ["the sea"])
    _told(story, first=first)
    story.call("search_books", words=second)
    _told(story, second=second)
    story.call("search_books", words=second)
    assert [[fact.name for fact in wish.facts] for wish in script_of(story).wishes] == [["first"], ["second"]]
    early, late = script_of(story).calls
    assert [call.wish for call in script_of(story).calls] == [2, 3]
    assert not script_of(story).licenses(early.origins["words",][0], early.wish)
    assert script_of(story).licenses(late.origins["words",][0], late.wish)
    books = story.call("search_books", words="the")["books"]
    fifth = Origin(ResultRef(5, ("books", 0, "book_id")))  # after three steps of an earlier scenario, two of this one
    assert origin_of(books[0]["book_id"]) == fifth


def test_a_dictated_text_is_told_in_quotes(story: Story) -> None:
    book = story.pick("book")
    note = story.dictate("note", "Ask for {title} on {day}", title=book["title"], day=story.day(2))
    assert note == f"Ask for {book['title']} on Wednesday, March 18"
    told = TaskText(said="dictated", facts=[book["title"], "Wednesday, March 18"])
    assert script_of(story).texts == {note: told}
    story.tell("Note down: {note}", note=note)
    story.tell('Once more: "{note}".', note=note)
    first, second = script_of(story).words
    assert first == f'Note down: "{note}"'
    assert second == f'Once more: "{note}".'
    assert all(is_dictated(note, words) for words in (first, second))
    assert {fact.said for fact in script_of(story).facts} == {note}


def test_a_composed_text_is_known_once_all_that_it_is_made_of_is_told(story: Story) -> None:
    day, reason = story.day(2), story.choose("reason", ["a move"])
    note = story.compose("note", "Away until {day}, for {reason}", day=day, reason=reason)
    assert script_of(story).texts == {note: TaskText(said="composed", facts=["Wednesday, March 18", "a move"])}
    _told(story, day=day)
    story.call("search_books", words=note)
    _told(story, reason=reason)
    story.call("search_books", words=note)
    early, late = (call.origins["words",] for call in script_of(story).calls)
    assert not all(script_of(story).licenses(origin, 0) for origin in early)
    assert all(script_of(story).licenses(origin, 1) for origin in late)


def test_a_question_about_what_would_be_is_asked_only_where_it_could_be(story: Story) -> None:
    lent = story.pick("loan", "status = 'out' AND renewals = 0")
    back = story.pick("loan", "status = 'returned'")
    session = story._session
    before = session.digest()
    with pytest.raises(NoSuchRow, match="would be refused here"):
        story.possible("renew_loan", loan_id=back["loan_id"])
    if not session.forbidding("renew_loan", {"loan_id": plain(lent["loan_id"])}):
        story.possible("renew_loan", loan_id=lent["loan_id"])
    assert session.digest() == before


def test_a_text_that_the_words_put_in_quotes_is_dictated_and_any_other_is_free(library: Domain) -> None:
    def wait(words: str) -> Any:
        def queue(story: Story) -> None:
            hold = story.pick("hold", "status = 'waiting'")
            book = story.row("book", hold["book_id"])
            member = story.pick("member", "member_id NOT IN (SELECT member_id FROM hold) AND status = 'active'")
            note = story.choose("note", ("Only Saturdays",))
            story.tell(
                f"I'm {{email}}. Queue me for {{title}}. {words}", email=member["email"], title=book["title"], note=note
            )
            found = story.call("find_member", email=member["email"])
            books = story.call("search_books", words=book["title"])["books"]
            [wanted] = [entry for entry in books if entry["book_id"] == book["book_id"]]
            story.call("place_hold", member_id=found["member_id"], book_id=wanted["book_id"], note=note)

        with Session(library, world_of(library, 1, 300)) as session:
            return tell_story(queue, session, 1).texts

    assert wait('Put "{note}" on it.') == {"Only Saturdays": TaskText(said="dictated")}
    assert wait("{note} work for me.") == {}


def test_a_null_cannot_be_told_and_an_optional_one_is_left_out(story: Story) -> None:
    with pytest.raises(EnvironmentFault, match="'note', which is null"):
        _told(story, note=None)
    story.call("search_books", words=story.choose("words", ["the"]), only_available=story.choose("in", [True]))
    assert script_of(story).calls[0].step.arguments == {"words": "the", "only_available": True}
    hold = {"member_id": "M1", "book_id": "B1", "note": None}
    with pytest.raises(EnvironmentFault, match="rejected"):
        story.call("place_hold", **hold)


def test_a_unique_row_shares_its_values_with_no_other(library: Domain) -> None:
    world = world_of(library, 1, 300)
    with world.open() as connection:
        titles = [title for (title,) in connection.execute("SELECT title FROM book")]
    assert len(set(titles)) < len(titles)
    for seed in range(20):
        with Session(library, world) as session:
            story = Story(session, seed)
            title = story.pick("book", "book_id <> ?", "B0", unique_by=["title"])["title"]
            assert titles.count(str(title)) == 1
            with pytest.raises(EnvironmentFault, match="has no column 'name'"):
                story.pick("book", unique_by=["name"])


def test_a_row_may_be_unique_by_what_it_refers_to(library: Domain) -> None:
    world = world_of(library, 1, 300)
    with world.open() as connection:
        loans = connection.execute("SELECT member_id, title, status FROM loan JOIN book USING (book_id)").fetchall()
    assert len(set(loans)) < len(loans)
    for seed in range(20):
        with Session(library, world) as session:
            story = Story(session, seed)
            loan = story.pick("loan", unique_by=["member_id", "book_id.title", "status"])
            title = story.row("book", loan["book_id"])["title"]
            assert loans.count((str(loan["member_id"]), str(title), str(loan["status"]))) == 1
            with pytest.raises(EnvironmentFault, match="refers to no table"):
                story.pick("loan", unique_by=["status.title"])


def test_the_latest_row_comes_after_all_that_share_what_is_named(library: Domain) -> None:
    world = world_of(library, 1, 300)  # in which one loan alone is due last
    with world.open() as connection:
        loans = connection.execute("SELECT loan_id, member_id, due_on, status FROM loan").fetchall()
    picked = set()
    for seed in range(20):
        with Session(library, world) as session:
            story = Story(session, seed)
            loan = story.pick("loan", "status = ?", "out", latest_of="due_on", among=["member_id"])
            others = [due for key, member, due, _ in loans if member == loan["member_id"] and key != loan["loan_id"]]
            assert all(due < loan["due_on"] for due in others)  # be they out or returned
            last = story.pick_several("loan", 1, latest_of="due_on")
            assert last[0]["due_on"] == max(due for _, _, due, _ in loans)
            picked.add(str(loan["loan_id"]))
            again = Story(session, seed).pick("loan", "status = ?", "out", latest_of="due_on", among=["member_id"])
            assert again == loan
    assert len(picked) > 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"latest_of": "due"}, "Table loan has no column 'due'."),
        ({"among": ["member_id"]}, "has among=\\['member_id'\\] but no latest_of; give both."),
        ({"latest_of": "due_on", "among": "member_id"}, "has a text as unique_by or among; give a list"),
        ({"unique_by": "loan_id"}, "has a text as unique_by or among; give a list"),
    ],
)
def test_a_pick_of_what_cannot_be_is_a_fault_in_one_sentence(story: Story, options: Any, sentence: str) -> None:
    with pytest.raises(EnvironmentFault, match=sentence):
        story.pick("loan", **options)
