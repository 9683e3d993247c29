"""What people come to the front desk for."""

from runtime.story import Story, scenario

ONLY_ONE_OF_THAT_TITLE = """
    NOT EXISTS (
        SELECT 1 FROM loan AS other
        JOIN book AS theirs ON theirs.book_id = other.book_id JOIN book AS ours ON ours.book_id = loan.book_id
        WHERE other.member_id = loan.member_id AND other.status = 'out' AND other.loan_id <> loan.loan_id
            AND theirs.title = ours.title
    )
"""

OUT = "(SELECT count(*) FROM loan AS own WHERE own.member_id = {0}.member_id AND own.status = 'out')"
OVERDUE = """
    (SELECT count(*) FROM loan AS own WHERE own.member_id = {0}.member_id AND own.status = 'out' AND own.due_on < ?)
"""
TAKEN_LATELY = "(SELECT count(*) FROM loan AS own WHERE own.member_id = {0}.member_id AND own.borrowed_on >= ?)"
WAITS = "(SELECT count(*) FROM hold AS own WHERE own.member_id = {0}.member_id AND own.status = 'waiting')"
OTHERS_WAIT = """
    EXISTS (
        SELECT 1 FROM hold AS theirs
        WHERE theirs.book_id = loan.book_id AND theirs.status = 'waiting' AND theirs.member_id <> loan.member_id
    )
"""
AT_MOST_ONE_WAITS = """
    (SELECT count(*) FROM hold AS own WHERE own.book_id = loan.book_id AND own.status = 'waiting') <= 1
"""
ACTIVE = "member_id IN (SELECT member_id FROM member WHERE status = 'active')"
COPIES_OUT = "(SELECT count(*) FROM loan AS own WHERE own.book_id = book.book_id AND own.status = 'out')"
NEW_TO_ME = """
    book_id NOT IN (SELECT book_id FROM loan WHERE member_id = ?)
    AND book_id NOT IN (SELECT book_id FROM hold WHERE member_id = ? AND status = 'waiting')
"""
ONLY_HOLD_FOR_THAT_TITLE = """
    NOT EXISTS (
        SELECT 1 FROM hold AS other
        JOIN book AS theirs ON theirs.book_id = other.book_id JOIN book AS ours ON ours.book_id = hold.book_id
        WHERE other.member_id = hold.member_id AND other.status = 'waiting' AND other.hold_id <> hold.hold_id
            AND theirs.title = ours.title
    )
"""
BEST_OF_MINE = """
    NOT EXISTS (
        SELECT 1 FROM loan AS own WHERE own.member_id = loan.member_id AND own.status = 'out'
            AND own.loan_id <> loan.loan_id AND own.{} AND {}
    )
"""
PLEAS = (
    "I'm away from tomorrow on and can't come by later. Surely you can make an exception?",
    "Your colleague let me do that last month.",
    "Nobody would mind, and I'd be really grateful.",
    "I have been a member for years. Please, just this once.",
)


def renewable():
    """A loan of an active member that the renewing tool takes, of a book that they have once; from today on."""
    return f"status = 'out' AND renewals < 2 AND due_on >= ? AND {ONLY_ONE_OF_THAT_TITLE} AND {ACTIVE}"


def free_to_borrow():
    """A member whom neither the tool nor a rule keeps from borrowing; with the day from which on loans are counted."""
    return f"""
        member.status = 'active' AND owed_cents <= 1000 AND {OUT.format("member")} < 5
        AND {TAKEN_LATELY.format("member")} < 3
    """


def my_loans(story):
    """The caller's key, and the books that they have out."""
    me = story.identify()
    return me, story.call("list_loans", member_id=me)["loans"]


def a_book(story, where, *values):
    """A book whose title and author no other one has."""
    return story.pick("book", where, *values, unique_by=["title", "author"])


def found(story, book):
    """A book as the catalogue shows it."""
    books = story.call("search_books", words=book["title"])["books"]
    return story.find(books, title=book["title"], author=book["author"])


def somebody_new(story):
    """The name and the e-mail address of somebody who has no card yet."""
    name = story.choose("name", ("Tomas Lindqvist", "Bettina Krause", "Yusuf Demir", "Clara Whitfield", "Owen Tanaka"))
    return name, story.choose("e-mail address", (f"{name.replace(' ', '.').lower()}@example.org",))


@scenario
def keep_a_book_longer(story: Story) -> None:
    """The member renews one of their loans and wants to know the new due date."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT}", story.today, story.day(5), mine=True
    )
    book = story.row("book", loan["book_id"])
    story.wish(
        "I'm not done with {title} yet. Could I keep it for two more weeks? And what is the new due date then?",
        title=book["title"],
    )
    _, loans = my_loans(story)
    renewed = story.call("renew_loan", loan_id=story.find(loans, title=book["title"])["loan_id"])
    story.answer("new due date", renewed["due_on"], source="loan.due_on")


@scenario
def queue_for_a_lent_book(story: Story) -> None:
    """The member wants a book that is out, and says when they can come."""
    me = story.pick("member", f"status = 'active' AND {WAITS.format('member')} < 3", mine=True)
    book = a_book(story, f"copies = {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    words = story.choose("words", ("Can only come on Saturdays", "Please call before setting it aside"))
    note = story.dictate("note", words)
    story.wish(
        "Please put me in the queue for {title} by {author}, with this note for the desk, word for word: {note}.",
        title=book["title"],
        author=book["author"],
        note=note,
    )
    key = story.identify()
    story.call("place_hold", member_id=key, book_id=found(story, book)["book_id"], note=note)


@scenario
def bring_a_book_back(story: Story) -> None:
    """The member returns a book and asks what the delay costs."""
    loan = story.pick("loan", f"status = 'out' AND due_on < ? AND {ONLY_ONE_OF_THAT_TITLE}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    story.wish("Here is {title} back; I know that it is late. How much is the late fee, in cents?", title=book["title"])
    _, loans = my_loans(story)
    fee = story.call("return_book", loan_id=story.find(loans, title=book["title"])["loan_id"])
    story.answer("late fee in cents", fee["fee_cents"])
    story.outside("And could you recommend me a good film?")


@scenario
def give_a_new_phone_number(story: Story) -> None:
    """The member has a new phone number."""
    phone = story.choose("new phone number", ("555-7204", "555-7242", "555-7268", "555-7286", "555-7294"))
    story.wish("My phone number has changed; it is {phone} now. Please put that on my card.", phone=phone)
    story.call("change_phone", member_id=story.identify(), phone=phone)


@scenario
def take_a_book_home(story: Story) -> None:
    """The member borrows a book that is in."""
    me = story.pick("member", free_to_borrow(), story.day(-13), mine=True)
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    story.wish("I'd like to take {title} by {author} home today.", title=book["title"], author=book["author"])
    key = story.identify()
    story.call("borrow_book", member_id=key, book_id=found(story, book)["book_id"])


@scenario
def get_a_card_and_a_first_book(story: Story) -> None:
    """Somebody new in town gets a library card and borrows a book at once."""
    name, email = somebody_new(story)
    phone = story.choose("phone number", ("555-8014", "555-8037", "555-8052", "555-8091"))
    book = a_book(story, f"copies > {COPIES_OUT}")
    story.wish(
        "I've just moved here and would like a library card. I'm {name}; you can reach me at {email} or {phone}. And I'd "
        "like to borrow {title} by {author} right away.",
        name=name,
        email=email,
        phone=phone,
        title=book["title"],
        author=book["author"],
    )
    card = story.call("register_member", name=name, email=email, phone=phone)
    story.call("borrow_book", member_id=card["member_id"], book_id=found(story, book)["book_id"])


@scenario
def leave_a_queue(story: Story) -> None:
    """The member no longer waits for a book."""
    hold = story.pick("hold", f"status = 'waiting' AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True)
    book = story.row("book", hold["book_id"])
    story.wish("A friend gave me {title}, so I needn't wait for it any longer.", title=book["title"])
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    story.call("cancel_hold", hold_id=story.find(holds, title=book["title"])["hold_id"])


def do_to_one(story, tool, key, mine, among):
    """Do something to one row; in haste it is the first of them that fits."""
    for other in [each for each in among if each[key] != mine[key]][:1]:
        with story.wrong("takes the first that fits"):
            story.call(tool, **{key: other[key]})
    story.call(tool, **{key: mine[key]})


@scenario(form="looked_up")
def return_the_one_by_an_author(story: Story) -> None:
    """The member knows who wrote the book that they bring back, but not what it is called."""
    loan = story.pick(
        "loan",
        f"""
        status = 'out' AND {OUT.format("loan")} >= 2 AND 1 = (
            SELECT count(*) FROM loan AS own
            JOIN book AS theirs ON theirs.book_id = own.book_id JOIN book AS ours ON ours.book_id = loan.book_id
            WHERE own.member_id = loan.member_id AND own.status = 'out' AND theirs.author = ours.author
        )
        """,
        mine=True,
    )
    book = story.row("book", loan["book_id"])
    story.wish("I have put the book by {author} on your counter; please take it back.", author=book["author"])
    _, loans = my_loans(story)
    books = story.call("search_books", words=book["author"])["books"]
    theirs = [each for each in books if each["book_id"] in [loan["book_id"] for loan in loans]]
    mine = story.find(loans, book_id=story.find(theirs)["book_id"])
    do_to_one(story, "return_book", "loan_id", mine, loans)


@scenario(form="looked_up")
def return_the_one_on_a_topic(story: Story) -> None:
    """The member knows on which shelf the book belongs that they bring back, but not what it is called."""
    loan = story.pick(
        "loan",
        f"""
        status = 'out' AND {OUT.format("loan")} BETWEEN 2 AND 3 AND {ONLY_ONE_OF_THAT_TITLE} AND 1 = (
            SELECT count(*) FROM loan AS own
            JOIN book AS theirs ON theirs.book_id = own.book_id JOIN book AS ours ON ours.book_id = loan.book_id
            WHERE own.member_id = loan.member_id AND own.status = 'out' AND theirs.topic = ours.topic
        )
        """,
        mine=True,
    )
    topic = story.row("book", loan["book_id"])["topic"]
    story.wish("The only {topic} book that I have from you is here; could you check it in?", topic=topic)
    _, loans = my_loans(story)
    shelves = []
    for each in loans:
        books = story.call("search_books", words=each["title"])["books"]
        shelves.append(story.find(books, book_id=each["book_id"]))
    mine = story.find(loans, book_id=story.find(shelves, topic=topic)["book_id"])
    do_to_one(story, "return_book", "loan_id", mine, loans)


@scenario(form="looked_up")
def leave_the_queue_for_an_author(story: Story) -> None:
    """The member no longer waits for a book of which they remember the author alone."""
    hold = story.pick(
        "hold",
        f"""
        status = 'waiting' AND {WAITS.format("hold")} >= 2 AND 1 = (
            SELECT count(*) FROM hold AS own
            JOIN book AS theirs ON theirs.book_id = own.book_id JOIN book AS ours ON ours.book_id = hold.book_id
            WHERE own.member_id = hold.member_id AND own.status = 'waiting' AND theirs.author = ours.author
        )
        """,
        mine=True,
    )
    author = story.row("book", hold["book_id"])["author"]
    story.wish("I'm waiting for a book by {author}, and I don't need it any more. Please take me off.", author=author)
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    books = story.call("search_books", words=author)["books"]
    theirs = [each for each in books if each["book_id"] in [hold["book_id"] for hold in holds]]
    mine = story.find(holds, book_id=story.find(theirs)["book_id"])
    do_to_one(story, "cancel_hold", "hold_id", mine, holds)


@scenario(form="withheld")
def queue_with_a_remark(story: Story) -> None:
    """The member queues for a lent book, and has a remark that they tell when they are asked for it."""
    me = story.pick("member", f"status = 'active' AND {WAITS.format('member')} < 3", mine=True)
    book = a_book(story, f"copies = {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    evening = story.choose("hour", ("six", "seven", "eight", "nine"))
    note = story.dictate("note", "Can only come after {hour} in the evening", hour=evening)
    story.wish(
        "Put me in the queue for {title} by {author}, please, with a note for your colleagues at the desk.",
        title=book["title"],
        author=book["author"],
    )
    story.keep_back("note for the desk", note)
    key = story.identify()
    story.call("place_hold", member_id=key, book_id=found(story, book)["book_id"], note=note)


@scenario(form="withheld")
def have_some_fees_forgiven(story: Story) -> None:
    """The member was promised to be let off some of their fees, and says how much when asked."""
    story.pick("member", "owed_cents >= 500", mine=True)
    less = story.choose("amount", (120, 190, 240, 310, 360, 430))
    story.wish("One of your colleagues promised to let me off some of my late fees. Can you see to that?")
    story.keep_back("amount that was promised", story.money(less))
    story.call("forgive_debt", member_id=story.identify(), cents=less)


@scenario(form="ambiguous")
def return_one_of_many(story: Story) -> None:
    """The member brings back one of their many books, and says which when asked."""
    loan = story.pick("loan", f"status = 'out' AND {OUT.format('loan')} >= 4 AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish("I've brought back a book of yours; can you check it in?")
    story.keep_back("title", book["title"])
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    do_to_one(story, "return_book", "loan_id", mine, loans)


@scenario(form="ambiguous")
def extend_one_of_many(story: Story) -> None:
    """The member renews one of their many books, and says which when asked."""
    loan = story.pick(
        "loan",
        f"{renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT} AND {OUT.format('loan')} >= 4",
        story.today,
        story.day(5),
        mine=True,
    )
    book = story.row("book", loan["book_id"])
    story.wish("There's a book that I'd like to keep for another two weeks. Can you extend it?")
    story.keep_back("title", book["title"])
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    others = [each for each in loans if each["loan_id"] != mine["loan_id"] and each["due_on"] >= story.today]
    do_to_one(story, "renew_loan", "loan_id", mine, [each for each in others if each["renewals"] < 2])


@scenario(form="ambiguous")
def leave_one_of_many_queues(story: Story) -> None:
    """The member gives up one of the many books that they wait for, and says which when asked."""
    hold = story.pick(
        "hold", f"status = 'waiting' AND {WAITS.format('hold')} >= 3 AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True
    )
    book = story.row("book", hold["book_id"])
    story.wish("I have found one of the books that I'm waiting for elsewhere. Could you take me out of the queue?")
    story.keep_back("title", book["title"])
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    mine = story.find(holds, title=book["title"])
    do_to_one(story, "cancel_hold", "hold_id", mine, holds)


def do_it_if_permitted(story, tool, wish, book):
    """Lend the caller a book or queue them for it, or decline it."""
    key = story.identify()
    wanted = found(story, book)
    if story.permits(tool, member_id=key, book_id=wanted["book_id"]):
        story.call(tool, member_id=key, book_id=wanted["book_id"])
    else:
        story.decline(wish)


def keep_it_if_permitted(story, keep, title):
    """Renew the caller's loan of a title, or decline it."""
    _, loans = my_loans(story)
    mine = story.find(loans, title=title)
    if story.permits("renew_loan", wish=keep, loan_id=mine["loan_id"]):
        story.call("renew_loan", wish=keep, loan_id=mine["loan_id"])
    else:
        story.decline(keep)


@scenario(form="denied")
def renew_well_before_it_is_due(story: Story) -> None:
    """The member renews a loan, which is only possible shortly before it is due."""
    loan = story.pick("loan", f"{renewable()} AND NOT {OTHERS_WAIT}", story.today, mine=True)
    title = story.row("book", loan["book_id"])["title"]
    keep = story.wish("I need {title} for two more weeks, please extend it.", title=title)
    story.insists(keep, story.choose("plea", PLEAS))
    keep_it_if_permitted(story, keep, title)


@scenario(form="denied")
def renew_what_others_want(story: Story) -> None:
    """The member renews a loan that is due soon, which is possible unless somebody waits for the book."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND {AT_MOST_ONE_WAITS}", story.today, story.day(5), mine=True
    )
    title = story.row("book", loan["book_id"])["title"]
    keep = story.wish("Could you extend {title} once more for me?", title=title)
    story.insists(keep, story.choose("plea", PLEAS))
    keep_it_if_permitted(story, keep, title)


@scenario(form="denied")
def wait_for_one_more_book(story: Story) -> None:
    """The member queues for a further book, which is possible up to a number of them."""
    me = story.pick("member", f"status = 'active' AND {WAITS.format('member')} BETWEEN 2 AND 3", mine=True)
    book = a_book(story, f"copies = {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    queue = story.wish(
        "Please add me to those who wait for {title} by {author}.", title=book["title"], author=book["author"]
    )
    story.insists(queue, story.choose("plea", PLEAS))
    do_it_if_permitted(story, "place_hold", queue, book)


@scenario(form="denied")
def borrow_with_debts(story: Story) -> None:
    """The member borrows a book, which is possible if they do not owe too much."""
    me = story.pick(
        "member",
        f"status = 'active' AND owed_cents > 0 AND {OUT.format('member')} < 5 AND {TAKEN_LATELY.format('member')} < 3",
        story.day(-13),
        mine=True,
    )
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    borrow = story.wish("May I have {title} by {author}?", title=book["title"], author=book["author"])
    story.insists(borrow, story.choose("plea", PLEAS))
    do_it_if_permitted(story, "borrow_book", borrow, book)


@scenario(form="denied")
def borrow_one_more_this_fortnight(story: Story) -> None:
    """The member borrows a book, which is possible up to a number of them within two weeks."""
    me = story.pick(
        "member",
        f"""
        member.status = 'active' AND owed_cents <= 1000 AND {OUT.format("member")} < 5
        AND {TAKEN_LATELY.format("member")} BETWEEN 2 AND 3
        """,
        story.day(-13),
        mine=True,
    )
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    borrow = story.wish(
        "I've just seen {title} by {author} on the shelf. I'll take that one, too.",
        title=book["title"],
        author=book["author"],
    )
    story.insists(borrow, story.choose("plea", PLEAS))
    do_it_if_permitted(story, "borrow_book", borrow, book)


@scenario(form="denied")
def renew_whatever_the_card_says(story: Story) -> None:
    """The member renews a loan that is due soon, which is possible unless their card is suspended."""
    loan = story.pick(
        "loan",
        f"""
        status = 'out' AND renewals < 2 AND due_on BETWEEN ? AND ? AND {ONLY_ONE_OF_THAT_TITLE} AND NOT {OTHERS_WAIT}
        """,
        story.today,
        story.day(5),
        mine=True,
    )
    title = story.row("book", loan["book_id"])["title"]
    keep = story.wish("I'd like to hang on to {title} a little longer. Can you renew it?", title=title)
    story.insists(keep, story.choose("plea", PLEAS))
    keep_it_if_permitted(story, keep, title)


@scenario(form="fallback")
def extend_or_hand_in(story: Story) -> None:
    """The member renews a loan, or else hands the book in."""
    loan = story.pick("loan", f"{renewable()} AND NOT {OTHERS_WAIT}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    keep = story.wish("Please give me two more weeks for {title}.", title=book["title"])
    hand_in = story.otherwise(keep, "Then I'd rather leave {title} with you right now.", title=book["title"])
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    if story.permits("renew_loan", wish=keep, loan_id=mine["loan_id"]):
        with story.wrong("takes the second choice although the first is permitted"):
            story.call("return_book", wish=hand_in, loan_id=mine["loan_id"])
        story.call("renew_loan", wish=keep, loan_id=mine["loan_id"])
    else:
        story.decline(keep)
        story.call("return_book", wish=hand_in, loan_id=mine["loan_id"])


@scenario(form="fallback")
def borrow_again_or_another(story: Story) -> None:
    """The member borrows a book that they had before, or else another one."""
    loan = story.pick(
        "loan",
        f"""
        status = 'returned' AND {OUT.format("loan")} < 5 AND {TAKEN_LATELY.format("loan")} < 3
        AND member_id IN (SELECT member_id FROM member WHERE status = 'active' AND owed_cents <= 1000)
        AND book_id IN (SELECT book_id FROM book WHERE copies > {COPIES_OUT})
        AND NOT EXISTS (
            SELECT 1 FROM loan AS own
            WHERE own.member_id = loan.member_id AND own.book_id = loan.book_id AND own.loan_id <> loan.loan_id
        )
        AND 1 = (
            SELECT count(*) FROM book AS same JOIN book AS ours ON ours.book_id = loan.book_id
            WHERE same.title = ours.title AND same.author = ours.author
        )
        """,
        story.day(-13),
        mine=True,
    )
    again, me = story.row("book", loan["book_id"]), loan["member_id"]
    other = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME} AND title <> ?", me, me, again["title"])
    borrow = story.wish(
        "I'd like to read {title} by {author} again. If that isn't possible, {other} by {writer} will do.",
        title=again["title"],
        author=again["author"],
        other=other["title"],
        writer=other["author"],
    )
    instead = story.otherwise(borrow, "All right, then the other one, please.")
    key = story.identify()
    wanted = found(story, again)
    if story.permits("borrow_book", wish=borrow, member_id=key, book_id=wanted["book_id"]):
        with story.wrong("takes the second choice although the first is permitted"):
            second = found(story, other)
            story.call("borrow_book", wish=instead, member_id=key, book_id=second["book_id"])
        story.call("borrow_book", wish=borrow, member_id=key, book_id=wanted["book_id"])
    else:
        story.decline(borrow)
        story.call("borrow_book", wish=instead, member_id=key, book_id=found(story, other)["book_id"])


@scenario(form="mistaken")
def remember_the_wrong_day(story: Story) -> None:
    """The member brings a late book back, and is wrong about the day on which it was due."""
    loan = story.pick("loan", f"status = 'out' AND due_on < ? AND {ONLY_ONE_OF_THAT_TITLE}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    wrong = story.after(loan["due_on"], days=-story.choose("days", (1, 2, 4, 7)))
    story.wish(
        "Here's {title}, which was due on {day}, I know. How much is the late fee, in cents?",
        title=book["title"],
        day=wrong,
    )
    story.believes("due date", wrong, loan["due_on"])
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    with story.wrong("trusts the user"):
        story.call("return_book", loan_id=mine["loan_id"])
        fee = story.call("calculate_late_fee", due_on=wrong, returned_on=story.today)
        story.answer("late fee in cents", fee["fee_cents"])
    fee = story.call("return_book", loan_id=mine["loan_id"])
    story.answer("late fee in cents", fee["fee_cents"])


@scenario(form="mistaken")
def expect_another_due_date(story: Story) -> None:
    """The member renews a book, and is wrong about the day on which it is due."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT}", story.today, story.day(5), mine=True
    )
    book = story.row("book", loan["book_id"])
    wrong = story.after(loan["due_on"], days=story.choose("days", (1, 2, 3, 4)))
    story.wish(
        "{title} is due on {day}, so I'd like you to extend it. Until when may I keep it then?",
        title=book["title"],
        day=wrong,
    )
    story.believes("due date", wrong, loan["due_on"])
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    with story.wrong("trusts the user"):
        story.call("renew_loan", loan_id=mine["loan_id"])
        story.answer("new due date", story.after(wrong, days=14))
    renewed = story.call("renew_loan", loan_id=mine["loan_id"])
    story.answer("new due date", renewed["due_on"], source="loan.due_on")


@scenario(form="conditional")
def extend_if_due_soon(story: Story) -> None:
    """The member renews a book if it is due within days, and hands it in otherwise."""
    loan = story.pick("loan", f"{renewable()} AND NOT {OTHERS_WAIT}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    week = story.day(5)
    story.wish(
        "If {title} is due on {day} or before, extend it, please; if it is due later than that, I'm done with it and "
        "you can check it in.",
        title=book["title"],
        day=week,
    )
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    right, other = ("renew_loan", "return_book") if mine["due_on"] <= week else ("return_book", "renew_loan")
    with story.wrong("takes the other branch"):
        story.call(other, loan_id=mine["loan_id"])
    story.call(right, loan_id=mine["loan_id"])


@scenario(form="conditional")
def extend_if_never_extended(story: Story) -> None:
    """The member renews a book if they never did before, and hands it in otherwise."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT}", story.today, story.day(5), mine=True
    )
    book = story.row("book", loan["book_id"])
    story.wish(
        "I can't remember whether I've renewed {title} before. If I haven't, please renew it now; if I have, then take "
        "it back.",
        title=book["title"],
    )
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    right, other = ("return_book", "renew_loan") if mine["renewals"] else ("renew_loan", "return_book")
    with story.wrong("takes the other branch"):
        story.call(other, loan_id=mine["loan_id"])
    story.call(right, loan_id=mine["loan_id"])


@scenario(form="best_of")
def hand_in_what_is_due_last(story: Story) -> None:
    """The member hands in, of their books that they never renewed, the one that is due last."""
    story.pick(
        "loan",
        f"""
        status = 'out' AND renewals = 0 AND {OUT.format("loan")} >= 3 AND EXISTS (
            SELECT 1 FROM loan AS own WHERE own.member_id = loan.member_id AND own.status = 'out'
                AND own.renewals > 0 AND own.due_on > loan.due_on
        ) AND {BEST_OF_MINE.format("renewals = 0", "own.due_on >= loan.due_on")}
        """,
        mine=True,
    )
    story.wish("Of the books that I have out and never renewed, please check in the one that is due last.")
    _, loans = my_loans(story)
    with story.wrong("forgets a condition"):
        story.call("return_book", loan_id=story.highest(loans, "due_on")["loan_id"])
    new = [each for each in loans if each["renewals"] == 0]
    last = story.highest(new, "due_on")
    do_to_one(story, "return_book", "loan_id", last, new)


@scenario(form="best_of")
def extend_what_is_due_next(story: Story) -> None:
    """The member renews, of their books that are not late yet, the one that is due next."""
    story.pick(
        "loan",
        f"""
        {renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT} AND {OUT.format("loan")} >= 3
        AND {BEST_OF_MINE.format("due_on >= ?", "own.due_on <= loan.due_on")}
        """,
        story.today,
        story.day(5),
        story.today,
        mine=True,
    )
    story.wish("Please renew whichever of my books is due next; those that are late already I'll bring tomorrow.")
    _, loans = my_loans(story)
    in_time = [each for each in loans if each["due_on"] >= story.today]
    due_next = story.lowest(in_time, "due_on")
    others = [each for each in in_time if each["loan_id"] != due_next["loan_id"] and each["renewals"] < 2]
    for other, name in zip(others, ("takes the first that fits", "takes another one"), strict=False):
        with story.wrong(name):
            story.call("renew_loan", loan_id=other["loan_id"])
    story.call("renew_loan", loan_id=due_next["loan_id"])


@scenario(form="all_but")
def hand_in_all_but_one(story: Story) -> None:
    """The member hands in everything that they have out, but for one book."""
    loan = story.pick("loan", f"status = 'out' AND {OUT.format('loan')} >= 3 AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish("I'm bringing back everything that I have out, except {title}, which I keep.", title=book["title"])
    _, loans = my_loans(story)
    with story.wrong("forgets the exception"):
        for each in loans:
            story.call("return_book", loan_id=each["loan_id"])
    for each in story.all_but(loans, title=book["title"]):
        story.call("return_book", loan_id=each["loan_id"])


@scenario(form="all_but")
def leave_all_queues_but_one(story: Story) -> None:
    """The member gives up all books that they wait for, but for one."""
    hold = story.pick(
        "hold", f"status = 'waiting' AND {WAITS.format('hold')} >= 3 AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True
    )
    book = story.row("book", hold["book_id"])
    story.wish("Please take me out of all queues but the one for {title}; that I still want.", title=book["title"])
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    with story.wrong("forgets the exception"):
        for each in holds:
            story.call("cancel_hold", hold_id=each["hold_id"])
    for each in story.all_but(holds, title=book["title"]):
        story.call("cancel_hold", hold_id=each["hold_id"])


@scenario(form="computed")
def ask_for_the_whole_debt(story: Story) -> None:
    """The member wants to know what they would owe in all if they brought every late book back now."""
    story.pick(
        "member",
        f"""
        owed_cents BETWEEN 1 AND 1200 AND {OVERDUE.format("member")} BETWEEN 1 AND 3 AND 1 = (
            SELECT count(*) FROM loan AS own WHERE own.member_id = member.member_id AND own.status = 'out'
                AND own.due_on = (
                    SELECT min(due_on) FROM loan AS late WHERE late.member_id = own.member_id AND late.status = 'out'
                )
        )
        """,
        story.today,
        mine=True,
    )
    story.wish(
        "If I brought back all my overdue books today, how much would I owe you altogether, in cents, with what is on "
        "my account already? And which of them has been due the longest?"
    )
    me, loans = my_loans(story)
    mail = story.me["email"]
    card = story.call("find_member", email=mail)
    late = [each for each in loans if each["due_on"] < story.today]
    fees = [
        story.call("calculate_late_fee", due_on=each["due_on"], returned_on=story.today)["fee_cents"] for each in late
    ]
    with story.wrong("forgets what is owed already"):
        story.answer("total in cents", story.total([{"cents": fee} for fee in fees], "cents"))
    story.answer("total in cents", story.total([{"cents": fee} for fee in [card["owed_cents"], *fees]], "cents"))
    story.answer("title of the book due the longest", story.lowest(late, "due_on")["title"], source="book.title")


@scenario(form="computed")
def ask_what_some_days_more_cost(story: Story) -> None:
    """The member wants to know what a late book will cost if they keep it for some more days."""
    loan = story.pick("loan", f"status = 'out' AND due_on < ? AND {ONLY_ONE_OF_THAT_TITLE}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    day = story.day(story.choose("days", (2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13)))
    story.wish(
        "I'm late with {title}, and I can't bring it before {day}. What will the late fee be that day, in cents? And on "
        "which day did I borrow it?",
        title=book["title"],
        day=day,
    )
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    with story.wrong("reckons until today"):
        fee = story.call("calculate_late_fee", due_on=mine["due_on"], returned_on=story.today)
        story.answer("late fee in cents", fee["fee_cents"])
    fee = story.call("calculate_late_fee", due_on=mine["due_on"], returned_on=day)
    story.answer("late fee in cents", fee["fee_cents"])
    story.answer("day on which it was borrowed", mine["borrowed_on"], source="loan.borrowed_on")


@scenario(form="coupled")
def swap_places_in_queues(story: Story) -> None:
    """The member wants another place in a queue than one that they have, though they may not have one more."""
    hold = story.pick(
        "hold",
        f"status = 'waiting' AND {WAITS.format('hold')} = 3 AND {ONLY_HOLD_FOR_THAT_TITLE} AND {ACTIVE}",
        mine=True,
    )
    old, me = story.row("book", hold["book_id"]), hold["member_id"]
    new = a_book(story, f"copies = {COPIES_OUT} AND {NEW_TO_ME} AND title <> ?", me, me, old["title"])
    with story.together():
        queue = story.wish(
            "I'd like to be put in the queue for {title} by {author}.", title=new["title"], author=new["author"]
        )
        leave = story.wish("And I no longer want to wait for {title}.", title=old["title"])
    key = story.identify()
    holds = story.call("list_holds", wish=leave, member_id=key)["holds"]
    mine = story.find(holds, title=old["title"])
    wanted = found(story, new)
    story.call("cancel_hold", wish=leave, hold_id=mine["hold_id"])
    story.call("place_hold", wish=queue, member_id=key, book_id=wanted["book_id"])


@scenario(form="coupled")
def borrow_once_fees_are_forgiven(story: Story) -> None:
    """The member has debts that stand in the way of borrowing, and asks for them to be reduced."""
    me = story.pick(
        "member",
        f"""
        status = 'active' AND owed_cents BETWEEN 1001 AND 1400 AND {OUT.format("member")} < 5
        AND {TAKEN_LATELY.format("member")} < 3
        """,
        story.day(-13),
        mine=True,
    )
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    less = story.choose("amount", (410, 420, 430, 440, 450))
    with story.together():
        borrow = story.wish(
            "{title} by {author} is what I'd like to take home.", title=book["title"], author=book["author"]
        )
        forgive = story.wish("Your colleague promised to let me off {amount} of my fees.", amount=story.money(less))
    key = story.identify()
    wanted = found(story, book)
    story.call("forgive_debt", wish=forgive, member_id=key, cents=less)
    story.call("borrow_book", wish=borrow, member_id=key, book_id=wanted["book_id"])


@scenario(form="coupled")
def bring_one_back_to_take_another(story: Story) -> None:
    """The member has as many books as they may have, wants another one and brings one back."""
    loan = story.pick(
        "loan",
        f"""
        status = 'out' AND {OUT.format("loan")} = 5 AND {TAKEN_LATELY.format("loan")} < 3 AND {ONLY_ONE_OF_THAT_TITLE}
        AND member_id IN (SELECT member_id FROM member WHERE status = 'active' AND owed_cents <= 700)
        """,
        story.day(-13),
        mine=True,
    )
    old, me = story.row("book", loan["book_id"]), loan["member_id"]
    new = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME} AND title <> ?", me, me, old["title"])
    with story.together():
        borrow = story.wish("Could I take {title} by {author} with me?", title=new["title"], author=new["author"])
        back = story.wish("And here is {title} back.", title=old["title"])
    key, loans = my_loans(story)
    mine = story.find(loans, title=old["title"])
    wanted = found(story, new)
    story.call("return_book", wish=back, loan_id=mine["loan_id"])
    story.call("borrow_book", wish=borrow, member_id=key, book_id=wanted["book_id"])


@scenario(form="changed_mind")
def correct_a_phone_number(story: Story) -> None:
    """The member gives a new phone number, and then corrects it."""
    digits = ("555-7301", "555-7310", "555-7319", "555-7391")
    first = story.choose("first number", digits[:2])
    second = story.choose("second number", digits[2:])
    number = story.wish("I have a new phone number: {phone}.", phone=first)
    correct = story.changes_mind(number, "Oh, wait, I misread that: the number is {phone}.", phone=second)
    key = story.identify()
    story.call("change_phone", wish=number, member_id=key, phone=first)
    story.call("change_phone", wish=correct, member_id=key, phone=second)


@scenario(form="changed_mind")
def find_a_second_slip(story: Story) -> None:
    """The member says what they were promised to be let off, and then finds that it was more."""
    story.pick("member", "owed_cents >= 500", mine=True)
    first = story.choose("first amount", (110, 130, 150, 170))
    second = story.choose("second amount", (190, 220, 260, 290))
    less = story.wish("A colleague of yours wrote me a slip: {amount} off my late fees.", amount=story.money(first))
    more = story.changes_mind(
        less, "Oh, that isn't all: here is a second slip, for {amount} more.", amount=story.money(second)
    )
    key = story.identify()
    story.call("forgive_debt", wish=less, member_id=key, cents=first)
    story.call("forgive_debt", wish=more, member_id=key, cents=second)


@scenario(form="changed_mind")
def correct_the_number_on_a_first_card(story: Story) -> None:
    """Somebody new in town gets a library card, and notices that they gave the number of their old place."""
    name, email = somebody_new(story)
    first = story.choose("number of the old place", ("555-8114", "555-8137", "555-8152", "555-8191"))
    second = story.choose("number of the new place", ("555-9203", "555-9226", "555-9248", "555-9275"))
    card = story.wish(
        "Could I get a library card? My name is {name}, my address is {email}, and my phone is {phone}.",
        name=name,
        email=email,
        phone=first,
    )
    correct = story.changes_mind(card, "Ah, that was the phone where I used to live: it is {phone} now.", phone=second)
    with story.wrong("leaves the number out"):
        story.call("register_member", wish=card, name=name, email=email)
    made = story.call("register_member", wish=card, name=name, email=email, phone=first)
    story.call("change_phone", wish=correct, member_id=made["member_id"], phone=second)


@scenario(form="outside")
def hand_in_and_ask_for_a_ride(story: Story) -> None:
    """The member hands in a book, and asks for something that the desk cannot do."""
    loan = story.pick("loan", f"status = 'out' AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish("Please check in {title} for me.", title=book["title"])
    _, loans = my_loans(story)
    story.call("return_book", loan_id=story.find(loans, title=book["title"])["loan_id"])
    story.outside("And could you call me a taxi home?")


@scenario(form="outside")
def leave_a_queue_and_ask_for_a_room(story: Story) -> None:
    """The member no longer waits for a book, and asks for something that the desk cannot do."""
    hold = story.pick("hold", f"status = 'waiting' AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True)
    book = story.row("book", hold["book_id"])
    story.wish("I've bought {title} myself, so please take me out of its queue.", title=book["title"])
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    story.call("cancel_hold", hold_id=story.find(holds, title=book["title"])["hold_id"])
    story.outside("Could I also have a study room for tomorrow morning?")
