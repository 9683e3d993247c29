"""Fill a town library: members, a catalogue, loans past and present, and queues for what is out."""

from runtime import WorldBuilder, add_days, weekday

GIVEN = (
    "Amina",
    "Bruno",
    "Carla",
    "David",
    "Elif",
    "Farid",
    "Grace",
    "Hugo",
    "Ines",
    "Jonas",
    "Kamala",
    "Lars",
    "Mei",
    "Noor",
    "Oskar",
    "Priya",
    "Rosa",
    "Samir",
)
FAMILY = (
    "Abara",
    "Becker",
    "Costa",
    "Duarte",
    "Evans",
    "Fischer",
    "Gupta",
    "Haddad",
    "Ito",
    "Jansen",
    "Keller",
    "Lopez",
    "Moreau",
    "Novak",
    "Okafor",
    "Park",
)
TOPICS = {
    "fiction": ("Lighthouses", "Strangers", "Winters", "Promises", "Mirrors"),
    "gardening": ("Roses", "Orchards", "Ferns", "Compost", "Greenhouses"),
    "history": ("Harbours", "Empires", "Railways", "Revolutions", "Maps"),
    "science": ("Galaxies", "Enzymes", "Fossils", "Currents", "Prime Numbers"),
}
PATTERNS = ("The Book of *", "A Short History of *", "* after Dark", "On *", "* for Beginners", "The Last *")
NOTES = (None, "Can only come on Saturdays", "Please call before setting it aside")

REMARKS = (None, None, "Was not happy about it", "Comes back next week")

INVARIANTS = {
    "Of a book are no more copies out than the library owns.": """
        SELECT book_id FROM book
        WHERE copies < (SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND status = 'out')
    """,
    "Nobody has more than five books out.": """
        SELECT member_id FROM loan WHERE status = 'out' GROUP BY member_id HAVING count(*) > 5
    """,
    "Nobody waits for a book that they have.": """
        SELECT hold.member_id, hold.book_id FROM hold
        JOIN loan ON loan.member_id = hold.member_id AND loan.book_id = hold.book_id
        WHERE hold.status = 'waiting' AND loan.status = 'out'
    """,
    "Nobody waits twice for a book.": """
        SELECT member_id, book_id FROM hold WHERE status = 'waiting' GROUP BY member_id, book_id HAVING count(*) > 1
    """,
    "Nobody waits for a book of which a copy is in.": """
        SELECT hold.book_id FROM hold JOIN book ON book.book_id = hold.book_id
        WHERE hold.status = 'waiting'
            AND copies > (SELECT count(*) FROM loan WHERE loan.book_id = hold.book_id AND loan.status = 'out')
    """,
    "A loan is due two weeks after it began, or after each renewal.": """
        SELECT loan_id FROM loan WHERE due_on <> date(borrowed_on, 14 * (1 + renewals) || ' days')
    """,
    "A loan that is over ended on some day after it began.": """
        SELECT loan_id FROM loan WHERE (status = 'returned') <> (returned_at IS NOT NULL) OR returned_at < borrowed_on
    """,
}


def populate(world: WorldBuilder) -> None:
    """A tenth of the rows are members, a quarter books, half loans, the rest holds."""
    members = []
    for number in range(world.share(0.1, least=4)):
        members.append(_add_member(world, number, members))
    books = [_add_book(world) for _ in range(world.share(0.25, least=4))]
    copies_in = {book["book_id"]: book["copies"] for book in books}
    books_out = {member["member_id"]: 0 for member in members}
    has = set()
    for number in range(world.share(0.5, least=4)):
        loan = _add_loan(world, world.random.choice(members), world.random.choice(books), copies_in, books_out, number)
        if loan["status"] == "out":
            has.add((loan["member_id"], loan["book_id"]))
    lent_out = [book for book in books if copies_in[book["book_id"]] == 0] or _lend_everything_of(
        world, books[0], members, has
    )
    waiting = set()
    for _ in range(world.share(0.15, least=1)):
        member, book = world.random.choice(members), world.random.choice(lent_out)
        if (member["member_id"], book["book_id"]) not in waiting:
            waiting.add((member["member_id"], book["book_id"]))
            _add_hold(world, member, book, len(waiting), (member["member_id"], book["book_id"]) in has)
    _add_notes(world, members, books)


def _add_member(world, number, members):
    """Every fourth is a namesake of somebody, and tells only by what else is known of them."""
    given, family = world.random.choice(GIVEN), world.random.choice(FAMILY)
    if number % 4 == 3:
        given, family = members[number // 4 * 2]["name"].split()
    return world.insert(
        "member",
        name=f"{given} {family}",
        email=f"{given}.{family}{number + 1}@example.org".lower(),
        phone=f"555-{world.random.randrange(10_000):04d}" if world.random.random() < 0.7 else None,
        status="suspended" if world.random.random() < 0.1 else "active",
        owed_cents=world.random.choice([0, 0, 0, 25, 150, 1200]),
    )


def _add_book(world):
    topic = world.random.choice(tuple(TOPICS))
    title = world.random.choice(PATTERNS).replace("*", world.random.choice(TOPICS[topic]))
    author = f"{world.random.choice(GIVEN)} {world.random.choice(FAMILY)}"
    return world.insert("book", title=title, author=author, topic=topic, copies=world.random.choice([1, 1, 2, 3]))


def _add_loan(world, member, book, copies_in, books_out, number):
    book_id, member_id = book["book_id"], member["member_id"]
    out = copies_in[book_id] > 0 and books_out[member_id] < 5 and world.random.random() < 0.6
    borrowed_on = world.day(-world.random.randrange(20) if out else -world.random.randrange(30, 400))
    copies_in[book_id] -= out
    books_out[member_id] += out
    return world.insert(
        "loan",
        book_id=book_id,
        member_id=member_id,
        borrowed_on=borrowed_on,
        due_on=add_days(borrowed_on, 28 if out and number % 4 == 0 else 14),
        renewals=1 if out and number % 4 == 0 else 0,
        status="out" if out else "returned",
        returned_at=None if out else add_days(borrowed_on, world.random.randrange(1, 14)) + " 16:00:00",
    )


def _add_notes(world, members, books):
    """What the desk noted on the last days; a member is noted at most once a day, a refusal once for each rule."""
    for number in range(world.share(0.05, least=2)):
        member = members[number % len(members)]
        world.insert(
            "identification",
            member_id=member["member_id"],
            noted_on=world.day(-1 - number // len(members)),
            how=world.random.choice(("two_details", "two_details", "card_shown")),
        )
    for number in range(world.share(0.02, least=1)):
        world.insert(
            "declined_request",
            member_id=members[number % len(members)]["member_id"],
            subject_id=world.random.choice(books)["book_id"],
            rule_code=world.random.choice(("BORROWING_PACE", "DEBT_LIMIT", "HOLD_LIMIT", "SAME_BOOK_AGAIN")),
            declined_on=world.day(-1 - number // len(members)),
            remark=world.random.choice(REMARKS),
        )


def _lend_everything_of(world, book, members, has):
    """A queue needs a book of which every copy is lent."""
    for number in range(book["copies"]):
        member = members[number % len(members)]
        has.add((member["member_id"], book["book_id"]))
        world.insert(
            "loan",
            book_id=book["book_id"],
            member_id=member["member_id"],
            borrowed_on=world.day(-3),
            due_on=world.day(11),
        )
    return [book]


def _add_hold(world, member, book, place, has_it):
    """Whoever has a book no longer waits for it."""
    placed_at = _opening_time(world, place)
    is_waiting = world.random.random() < 0.8
    world.insert(
        "hold",
        book_id=book["book_id"],
        member_id=member["member_id"],
        placed_at=placed_at,
        status="waiting" if is_waiting and not has_it else "cancelled",
        note=world.random.choice(NOTES),
    )


def _opening_time(world, place):
    """A moment of the last days at which the desk was open: nine to five, but not on Sundays."""
    days = world.random.randrange(1, 9)
    if weekday(world.day(-days)) == "Sunday":
        days += 1
    minutes = (place * 37 + days * 101) % 480
    return world.moment(-days, f"{9 + minutes // 60:02d}:{minutes % 60:02d}")
