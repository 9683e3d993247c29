"""Fill a town library: members, a catalogue, loans past and present, and queues for what is out."""

from runtime import WorldBuilder, weekday

GIVEN = (
    "Aaliyah",
    "Brian",
    "Carla",
    "Denise",
    "Elena",
    "Frank",
    "Grace",
    "Hugo",
    "Irene",
    "Jason",
    "Kevin",
    "Laura",
    "Miguel",
    "Nora",
    "Oscar",
    "Priya",
    "Rosa",
    "Samir",
)
FAMILY = (
    "Adams",
    "Becker",
    "Costa",
    "Diaz",
    "Evans",
    "Fischer",
    "Gupta",
    "Haddad",
    "Ito",
    "Jensen",
    "Keller",
    "Lopez",
    "Moreno",
    "Novak",
    "Okafor",
    "Park",
)
TOPICS = {
    "fiction": ("Lighthouses", "Strangers", "Winters", "Promises", "Mirrors"),
    "gardening": ("Roses", "Orchards", "Ferns", "Compost", "Greenhouses"),
    "history": ("Harbors", "Empires", "Railways", "Revolutions", "Maps"),
    "science": ("Galaxies", "Enzymes", "Fossils", "Currents", "Prime Numbers"),
}
PATTERNS = ("The Book of *", "A Short History of *", "* after Dark", "Notes on *", "* for Beginners", "The Last *")
NOTES = (None, "I can only pick up on Saturdays", "Please call before you put it on the shelf")
AREAS = (614, 740, 330, 216, 937)

# How long, and how much, the house lends and lets people queue: what rules.py keeps to, and what the past must show.
MOST_OUT = 5
MOST_IN_A_FORTNIGHT = 3
MOST_WAITING = 3
MOST_OWED = 1000
DAYS_BEFORE_AGAIN = 60
CENTS_PER_DAY = 25
NOTES_KEPT = 3  # days back for which the desk keeps its notes of who was identified

INVARIANTS = {
    "Of a book are no more copies out than the library owns.": """
        SELECT book_id FROM book
        WHERE copies < (SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND status = 'out')
    """,
    "Nobody has, or ever had, more than five books out at the same time.": """
        SELECT member_id FROM loan
        WHERE 5 < (
            SELECT count(*) FROM loan AS other
            WHERE other.member_id = loan.member_id AND other.borrowed_on <= loan.borrowed_on
                AND (other.returned_at IS NULL OR date(other.returned_at) > loan.borrowed_on)
        )
    """,
    "Nobody borrowed more than three books within any 14 days.": """
        SELECT member_id FROM loan
        WHERE 3 < (
            SELECT count(*) FROM loan AS other
            WHERE other.member_id = loan.member_id
                AND other.borrowed_on BETWEEN loan.borrowed_on AND date(loan.borrowed_on, '13 days')
        )
    """,
    "Nobody borrowed a book that they had, or had brought back less than 60 days before.": """
        SELECT loan.member_id FROM loan
        JOIN loan AS earlier ON earlier.member_id = loan.member_id AND earlier.book_id = loan.book_id
        WHERE earlier.loan_id <> loan.loan_id AND earlier.borrowed_on <= loan.borrowed_on
            AND (earlier.returned_at IS NULL OR date(earlier.returned_at, '60 days') > loan.borrowed_on)
    """,
    "Whoever owes more than 1000 cents borrowed nothing since they last brought a book back late.": """
        SELECT loan.member_id FROM loan JOIN member ON member.member_id = loan.member_id
        WHERE owed_cents > 1000 AND NOT EXISTS (
            SELECT 1 FROM loan AS late
            WHERE late.member_id = loan.member_id AND date(late.returned_at) > late.due_on
                AND date(late.returned_at) >= loan.borrowed_on
        )
    """,
    "A loan was renewed in the days before it was due, and not while others waited for the book.": """
        SELECT loan.book_id, loan.member_id FROM loan
        WHERE renewals > 0 AND status = 'out' AND (
            date(due_on, '-19 days') > (SELECT max(noted_on) FROM identification)
            OR EXISTS (
                SELECT 1 FROM hold
                WHERE hold.book_id = loan.book_id AND hold.status = 'waiting' AND hold.member_id <> loan.member_id
                    AND date(placed_at) < date(due_on, '-19 days')
            )
        )
    """,
    "Nobody waits for more than three books.": """
        SELECT member_id FROM hold WHERE status = 'waiting' GROUP BY member_id HAVING count(*) > 3
    """,
    "No suspended member waits for a book.": """
        SELECT hold.member_id FROM hold JOIN member ON member.member_id = hold.member_id
        WHERE hold.status = 'waiting' AND member.status = 'suspended'
    """,
    "Nobody waits for a book that they have.": """
        SELECT hold.member_id, hold.book_id FROM hold
        JOIN loan ON loan.member_id = hold.member_id AND loan.book_id = hold.book_id
        WHERE hold.status = 'waiting' AND loan.status = 'out'
    """,
    "Nobody waits twice for a book.": """
        SELECT member_id, book_id FROM hold WHERE status = 'waiting' GROUP BY member_id, book_id HAVING count(*) > 1
    """,
    "Nobody waits for a book of which a copy is in, or was in when they queued.": """
        SELECT hold.book_id FROM hold JOIN book ON book.book_id = hold.book_id
        WHERE hold.status = 'waiting' AND copies > (
            SELECT count(*) FROM loan
            WHERE loan.book_id = hold.book_id AND loan.status = 'out' AND borrowed_on <= date(placed_at)
        )
    """,
    "Whoever borrowed a book or queued for one since the desk's oldest note was identified that day.": """
        SELECT member_id FROM loan
        WHERE borrowed_on >= (SELECT min(noted_on) FROM identification) AND NOT EXISTS (
            SELECT 1 FROM identification AS noted
            WHERE noted.member_id = loan.member_id AND noted_on = borrowed_on
        )
        UNION ALL
        SELECT member_id FROM hold
        WHERE date(placed_at) >= (SELECT min(noted_on) FROM identification) AND NOT EXISTS (
            SELECT 1 FROM identification AS noted
            WHERE noted.member_id = hold.member_id AND noted_on = date(placed_at)
        )
    """,
    "What was declined was not done on that day after all.": """
        SELECT declined_request.member_id FROM declined_request
        JOIN loan ON loan.member_id = declined_request.member_id AND loan.book_id = subject_id
        WHERE borrowed_on = declined_on
        UNION ALL
        SELECT declined_request.member_id FROM declined_request
        JOIN hold ON hold.member_id = declined_request.member_id AND hold.book_id = subject_id
        WHERE date(placed_at) = declined_on
    """,
    "A loan is due two weeks after it began, or after each renewal.": """
        SELECT loan_id FROM loan WHERE due_on <> date(borrowed_on, 14 * (1 + renewals) || ' days')
    """,
    "A loan that is over ended on some day after it began.": """
        SELECT loan_id FROM loan WHERE (status = 'returned') <> (returned_at IS NOT NULL) OR returned_at < borrowed_on
    """,
}


def populate(world: WorldBuilder) -> None:
    """A tenth of the rows are members, a quarter books, half loans, the rest holds and notes."""
    members = []
    for number in range(world.share(0.1, least=4)):
        members.append(_add_member(world, number, members))
    books = [_add_book(world) for _ in range(world.share(0.25, least=4))]
    lent = {"to": {each["member_id"]: [] for each in members}, "of": {each["book_id"]: [] for each in books}}
    for number in range(world.share(0.5, least=4)):
        _add_loan(world, world.random.choice(members), world.random.choice(books), lent, number)
    lent_out = [book for book in books if _copies_in(book, lent) == 0] or [_lend_all(world, books, members, lent)]
    queued = _add_holds(world, members, lent_out, lent)
    _note_who_came(world, members, lent, queued)
    _note_what_was_declined(world, members, books, lent, queued)


def _add_member(world, number, members):
    """Every fourth is a namesake of somebody, and tells only by what else is known of them."""
    given, family = world.random.choice(GIVEN), world.random.choice(FAMILY)
    if number % 4 == 3:
        given, family = members[number // 4 * 2]["name"].split()
    return world.insert(
        "member",
        name=f"{given} {family}",
        email=f"{given}.{family}{number + 1}@example.org".lower(),
        phone=_phone(world) if world.random.random() < 0.7 else None,
        status="suspended" if world.random.random() < 0.1 else "active",
        owed_cents=world.random.choice([0, 0, 0, 25, 150, 1200]),
    )


def _phone(world):
    """Of the exchange and the numbers that are kept for fiction."""
    area, line = world.random.choice(AREAS), world.random.randrange(100)
    return f"({area}) 555-01{line:02d}"


def _add_book(world):
    topic = world.random.choice(tuple(TOPICS))
    title = world.random.choice(PATTERNS).replace("*", world.random.choice(TOPICS[topic]))
    author = f"{world.random.choice(GIVEN)} {world.random.choice(FAMILY)}"
    return world.insert("book", title=title, author=author, topic=topic, copies=world.random.choice([1, 1, 2, 3]))


def _add_loan(world, member, book, lent, number):
    """One that is out where the house would have lent the book lately; else one of the past."""
    before = lent["to"][member["member_id"]]
    if member["owed_cents"] > MOST_OWED and not before:
        return _lend(world, member, book, lent, *_late_one(world, member, book, lent, number))
    can_be_out = _copies_in(book, lent) > 0 and sum(back is None for _, _, back in before) < MOST_OUT
    if not can_be_out or world.random.random() >= 0.6:
        past = _past_one(world, member, book, lent, world.random.randrange(30, 400), world.random.randrange(1, 14))
        return _lend(world, member, book, lent, *past)
    days = world.random.randrange(20)
    renewals = 1 if number % 4 == 0 and member["status"] == "active" else 0
    for began in range(-days - 18 * renewals, -days - 18 * renewals - 14, -1):
        if _may_lend(world, member, book, lent, began, None):
            return _lend(world, member, book, lent, began, None, renewals)
    return _lend(world, member, book, lent, *_past_one(world, member, book, lent, 30 + 18 * days, 1 + days % 13))


def _past_one(world, member, book, lent, days, kept):
    """The days on which a loan began and ended, so many days ago, or the last ones before on which that could be."""
    for began in range(-days, -days - 1000, -1):
        back = began + kept + (weekday(world.day(began + kept)) == "Sunday")
        if _may_lend(world, member, book, lent, began, back):
            return began, back
    raise ValueError(f"There is no day on which {book['book_id']!r} could be lent to {member['member_id']!r}.")


def _late_one(world, member, book, lent, number):
    """One that was brought back so late, these days, that the fee is all that the member owes; it is their first."""
    kept = 14 + member["owed_cents"] // CENTS_PER_DAY
    return _past_one(world, member, book, lent, kept + 2 + number % 5, kept)


def _may_lend(world, member, book, lent, began, back):
    """Whether the house could have lent a book to a member from one day on until another one, or until now."""
    if began >= 0 or weekday(world.day(began)) == "Sunday":
        return False
    loan = (book["book_id"], began, back)
    mine, same = [*lent["to"][member["member_id"]], loan], [*lent["of"][book["book_id"]], loan]
    fortnight = max(sum(0 <= later[1] - each[1] < 14 for later in mine) for each in mine)
    again = [each for each in mine[:-1] if each[0] == book["book_id"]]
    return (
        fortnight <= MOST_IN_A_FORTNIGHT
        and _most_at_once(mine) <= MOST_OUT
        and _most_at_once(same) <= book["copies"]
        and (member["owed_cents"] <= MOST_OWED or began < mine[0][2])
        and all(_long_before(each, loan) or _long_before(loan, each) for each in again)
    )


def _long_before(loan, other):
    """Whether a loan ended so long before the other one began that the same book could go to the same member."""
    return loan[2] is not None and other[1] - loan[2] >= DAYS_BEFORE_AGAIN


def _most_at_once(loans):
    return max(sum(began <= day and (back is None or back > day) for _, began, back in loans) for _, day, _ in loans)


def _copies_in(book, lent):
    return book["copies"] - sum(back is None for _, _, back in lent["of"][book["book_id"]])


def _lend(world, member, book, lent, began, back, renewals=0):
    """Days are counted from today."""
    loan = (book["book_id"], began, back)
    lent["to"][member["member_id"]].append(loan)
    lent["of"][book["book_id"]].append(loan)
    world.insert(
        "loan",
        book_id=book["book_id"],
        member_id=member["member_id"],
        borrowed_on=world.day(began),
        due_on=world.day(began + 14 * (1 + renewals)),
        renewals=renewals,
        status="out" if back is None else "returned",
        returned_at=None if back is None else world.moment(back, "16:00"),
    )


def _lend_all(world, books, members, lent):
    """A queue needs a book of which every copy is lent: the one of which the fewest are in."""
    book = min(books, key=lambda each: _copies_in(each, lent))
    for member in members:
        if _copies_in(book, lent) and member["owed_cents"] <= MOST_OWED:
            for began in [day for day in range(-3, -20, -1) if _may_lend(world, member, book, lent, day, None)][:1]:
                _lend(world, member, book, lent, began, None)
    return book


def _add_holds(world, members, lent_out, lent):
    """Half of the active members queue, many of them for as many books as one may; whom queued for what, and when."""
    active = [each for each in members if each["status"] == "active"] or members
    eager = world.random.sample(active, (len(active) + 1) // 2)
    queued = {each["member_id"]: [] for each in members}
    for number in range(world.share(0.15, least=1)):
        member, book = world.random.choice(eager), world.random.choice(lent_out)
        mine = queued[member["member_id"]]
        if book["book_id"] not in [each[0] for each in mine]:
            day = _day_of_queueing(world, book, lent)
            is_out_to_me = (book["book_id"], None) in [(key, back) for key, _, back in lent["to"][member["member_id"]]]
            may_wait = member["status"] == "active" and not is_out_to_me and _copies_in(book, lent) == 0
            is_full = sum(each[2] for each in mine) == MOST_WAITING
            is_waiting = may_wait and not is_full and world.random.random() < 0.9
            day = _open_before(world, min(each[1] for each in mine)) if is_full else day
            mine.append((book["book_id"], day, is_waiting))
            _add_hold(world, member, book, number, day, is_waiting)
    return queued


def _open_before(world, day):
    """The last day before another on which the desk was open."""
    return day - 1 - (weekday(world.day(day - 1)) == "Sunday")


def _day_of_queueing(world, book, lent):
    """One of the last days on which the desk was open, and not before the last copy was lent."""
    lately = [began for _, began, back in lent["of"][book["book_id"]] if back is None]
    day = -world.random.randrange(1, 1 + min(8, -max(lately, default=-8)))
    return day - (weekday(world.day(day)) == "Sunday")


def _add_hold(world, member, book, number, day, is_waiting):
    """The desk is open from nine to five."""
    minutes = (number * 37 - day * 101) % 480
    world.insert(
        "hold",
        book_id=book["book_id"],
        member_id=member["member_id"],
        placed_at=world.moment(day, f"{9 + minutes // 60:02d}:{minutes % 60:02d}"),
        status="waiting" if is_waiting else "cancelled",
        note=world.random.choice(NOTES),
    )


def _note_who_came(world, members, lent, queued):
    """Who was identified on the last days: whoever borrowed or queued, and some who came for something else."""
    open_days = [day for day in range(-NOTES_KEPT, 0) if weekday(world.day(day)) != "Sunday"]
    for number, member in enumerate(members):
        key = member["member_id"]
        came = {day for _, day, _ in [*lent["to"][key], *queued[key]]}
        if number < world.share(0.02, least=2):
            came.add(open_days[number % len(open_days)])
        for day in [day for day in open_days if day in came]:
            world.insert("identification", member_id=key, noted_on=world.day(day))


def _note_what_was_declined(world, members, books, lent, queued):
    """What a rule did not allow on the last day on which the desk was open; in a small world a debt, paid since."""
    day = [day for day in range(-1, -4, -1) if weekday(world.day(day)) != "Sunday"][0]
    reasons = [(member, rule) for member in members for rule in _rules_against(member, lent, queued, day)]
    is_in = {each["book_id"]: _copies_in(each, lent) > 0 for each in books}
    reasons = world.random.sample(reasons, min(len(reasons), world.share(0.02))) or [(members[0], "DEBT_LIMIT")]
    for member, rule in reasons:
        known = [each[0] for each in [*lent["to"][member["member_id"]], *queued[member["member_id"]]]]
        others = [key for key in is_in if key not in known]
        asked = [key for key in others if is_in[key] == (rule != "HOLD_LIMIT")] or others or [*is_in]
        world.insert(
            "declined_request",
            member_id=member["member_id"],
            subject_id=world.random.choice(asked),
            rule_code=rule,
            declined_on=world.day(day),
        )


def _rules_against(member, lent, queued, day):
    """The rules that would not have let a member borrow or queue on a day, as far as the rows of today tell."""
    loans, holds = lent["to"][member["member_id"]], queued[member["member_id"]]
    against = {
        "HOLD_LIMIT": sum(is_waiting for _, _, is_waiting in holds) == MOST_WAITING,
        "DEBT_LIMIT": member["owed_cents"] > MOST_OWED and len(loans) > 0,
        "BORROWING_PACE": sum(day - 14 < began <= day for _, began, _ in loans) == MOST_IN_A_FORTNIGHT,
    }
    return [rule for rule, stands in against.items() if stands]
