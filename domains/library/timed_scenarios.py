"""What people come to the front desk for that takes time: somebody has to wait for a book, or be quick."""

from runtime.story import Story, scenario

COPIES_OUT = "(SELECT count(*) FROM loan AS own WHERE own.book_id = book.book_id AND own.status = 'out')"
NEW_TO_ME = """
    book_id NOT IN (SELECT book_id FROM loan WHERE member_id = ?)
    AND book_id NOT IN (SELECT book_id FROM hold WHERE member_id = ? AND status = 'waiting')
"""
CAN_BORROW = """
    member.status = 'active' AND owed_cents <= 1000
    AND (SELECT count(*) FROM loan AS own WHERE own.member_id = member.member_id AND own.status = 'out') < 4
    AND (SELECT count(*) FROM loan AS own WHERE own.member_id = member.member_id AND own.borrowed_on >= ?) < 2
"""
HAS_NOTHING_OF_IT = """
    member_id NOT IN (SELECT member_id FROM hold WHERE book_id = ?)
    AND member_id NOT IN (SELECT member_id FROM loan WHERE book_id = ?)
"""
HAS_WAITING = "(SELECT count(*) FROM hold AS own WHERE own.member_id = member.member_id AND own.status = 'waiting') < 3"
IS_IN = """
    SELECT 1 FROM book WHERE book_id = :book AND copies > (
        SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND status = 'out'
    ) AND NOT EXISTS (
        SELECT 1 FROM loan WHERE loan.book_id = book.book_id AND member_id = :me AND status = 'out'
    )
"""
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "half past twelve": "12:30"}


def me_who_can_borrow(story):
    """A member whom neither the tool nor a rule keeps from borrowing two books."""
    return story.pick("member", f"{CAN_BORROW} AND {HAS_WAITING}", story.day(-13), mine=True)


def lent_book(story, me, *others):
    """A book of which every copy is lent, to others than the caller."""
    keys = [other["book_id"] for other in others]
    apart = "".join(" AND book_id <> ?" for _ in keys)
    return story.pick(
        "book",
        f"copies = {COPIES_OUT} AND {NEW_TO_ME}{apart}",
        me["member_id"],
        me["member_id"],
        *keys,
        unique_by=["title", "author"],
    )


def book_in(story, me, *others):
    """A book of which one last copy is in."""
    keys = [other["book_id"] for other in others]
    apart = "".join(" AND book_id <> ?" for _ in keys)
    return story.pick(
        "book",
        f"copies = {COPIES_OUT} + 1 AND {NEW_TO_ME}{apart}",
        me["member_id"],
        me["member_id"],
        *keys,
        unique_by=["title", "author"],
    )


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def comes_back(story, name, book, times, maybe=False, quietly=False):
    """Let somebody bring a copy of a book back, and the desk be told unless it happens quietly."""
    loan = story.other_row("loan", "status = 'out' AND book_id = ?", book["book_id"])
    return story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        call="return_book",
        loan_id=loan["loan_id"],
        notice="" if quietly else f"Returns desk: a copy of {book['title']} by {book['author']} was just handed in.",
        maybe=maybe,
    )


def goes_away(story, name, me, book, minutes):
    """Let somebody else who may borrow it take the copy that is in, once it has been in for so long."""
    taker = story.other_row(
        "member",
        f"{CAN_BORROW} AND {HAS_NOTHING_OF_IT} AND member_id <> ?",
        story.day(-13),
        book["book_id"],
        book["book_id"],
        me["member_id"],
    )
    story.event(
        name,
        when=IS_IN,
        values={"book": book["book_id"], "me": me["member_id"]},
        minutes=minutes,
        call="borrow_book",
        member_id=taker["member_id"],
        book_id=book["book_id"],
    )


def found(story, book, wish=None):
    """A book as the catalog shows it."""
    books = story.call("search_books", wish=wish, words=book["title"])["books"]
    return story.find(books, title=book["title"], author=book["author"])


@scenario(form="later")
def take_the_copy_that_comes_back(story: Story) -> None:
    """The member waits for a copy of a book that somebody is to bring back, and takes it before others do."""
    me = me_who_can_borrow(story)
    book = lent_book(story, me)
    by = deadline(story)
    comes_back(story, "handed-in", book, ("10:20", "10:50", "11:05"))
    goes_away(story, "taken-by-another", me, book, 210)
    story.tell(
        (
            "All copies of {title} by {author} are out, but one should come back by {by} today. Could you keep an eye "
            "on it and check it out to me once it's in?",
            "I understand that every copy of {title} by {author} is lent, and that one is expected back by {by} today. "
            "Please check it out to me as soon as it has been returned.",
            "{title} by {author} is all out, but a copy's supposed to come back by {by} today. can you wait for it and "
            "check it out to me",
        ),
        short="waiting until {by} for a copy of {title} by {author} and checking it out to me",
        title=book["title"],
        author=book["author"],
        by=by,
    )
    key = story.identify()
    number = found(story, book)["book_id"]
    story.wait(until=by)
    story.call("borrow_book", member_id=key, book_id=number)


@scenario(form="if_it_happens")
def one_book_or_the_other(story: Story) -> None:
    """The member takes one book if it comes back in time, and another one if it does not."""
    me = me_who_can_borrow(story)
    book = lent_book(story, me)
    other = lent_book(story, me, book)
    by = deadline(story)
    is_back = comes_back(story, "first-handed-in", book, ("10:15", "10:40"), maybe=True)
    comes_back(story, "second-handed-in", other, ("11:10", "11:25"), quietly=True)
    if is_back:
        goes_away(story, "first-taken", me, book, 210)
    goes_away(story, "second-taken", me, other, 180)
    story.tell(
        (
            "I'd like {title} by {author}, which is all lent out. If a copy comes back by {by} today, check it out to "
            "me. If none has by then, check out {other} by {other_author} instead; that one is due back this morning.",
            "I would like to borrow {title} by {author}, of which every copy is lent. Should one be returned by {by} "
            "today, please check it out to me. If not, please check out {other} by {other_author} instead, which is "
            "expected back this morning.",
            "want {title} by {author} but it's all out. if one comes back by {by} today check it out to me, if not "
            "then give me {other} by {other_author}, that's due back this morning",
        ),
        short="{title} by {author} if a copy is back by {by} today, or else {other} by {other_author}",
        title=book["title"],
        author=book["author"],
        by=by,
        other=other["title"],
        other_author=other["author"],
    )
    key = story.identify()
    first, second = found(story, book)["book_id"], found(story, other)["book_id"]
    story.wait(until=by)
    story.call("borrow_book", member_id=key, book_id=first if is_back else second)


@scenario(form="before_it_closes")
def the_last_copy_first(story: Story) -> None:
    """The member asks for a book that comes back later, and for the last copy of one that will not be there long."""
    me = me_who_can_borrow(story)
    book = lent_book(story, me)
    last = book_in(story, me, book)
    by = deadline(story)
    comes_back(story, "handed-in", book, ("10:40", "11:05", "11:20"))
    goes_away(story, "last-copy-taken", me, last, 55)
    goes_away(story, "taken-by-another", me, book, 210)
    with story.together():
        later = story.wish(
            (
                "A copy of {title} by {author} should come back by {by} today. Please wait for it and check it out to me.",
                "A copy of {title} by {author} is expected back by {by} today. Please wait for it and check it out to me.",
                "a copy of {title} by {author} should be back by {by} today, pls wait for it and check it out to me",
            ),
            short="waiting until {by} for {title} by {author} and checking it out to me",
            title=book["title"],
            author=book["author"],
            by=by,
        )
        now = story.wish(
            (
                "And I'd like {last} by {last_author} too. I think there's one copy left.",
                "I would also like to borrow {last} by {last_author}, of which I believe one copy is left.",
                "also {last} by {last_author}, think there's one copy left",
            ),
            short="checking out {last} by {last_author}",
            last=last["title"],
            last_author=last["author"],
        )
    key = story.identify()
    story.call("borrow_book", wish=now, member_id=key, book_id=found(story, last, now)["book_id"])
    number = found(story, book, later)["book_id"]
    story.wait(until=by, wish=later)
    story.call("borrow_book", wish=later, member_id=key, book_id=number)
