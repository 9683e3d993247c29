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


@scenario
def keep_a_book_longer(story: Story) -> None:
    """The member renews one of their loans and wants to know the new due date."""
    loan = story.pick(
        "loan",
        f"""
        status = 'out' AND renewals < 2 AND due_on >= ?
        AND book_id NOT IN (SELECT book_id FROM hold WHERE status = 'waiting')
        AND {ONLY_ONE_OF_THAT_TITLE}
        """,
        story.today,
    )
    book = story.row("book", loan["book_id"])
    member = story.row("member", loan["member_id"])
    story.tell(
        "I'm not done with {title} yet. Could I keep it for two more weeks? My address is {email}.",
        title=book["title"],
        email=member["email"],
    )
    found = story.call("find_member", email=member["email"])
    loans = story.call("list_loans", member_id=found["member_id"])["loans"]
    mine = story.find(loans, title=book["title"])
    renewed = story.call("renew_loan", loan_id=mine["loan_id"])
    story.answer("new due date", renewed["due_on"], source="loan.due_on")


@scenario
def queue_for_a_lent_book(story: Story) -> None:
    """The member wants a book that is out, and says when they can come."""
    hold = story.pick("hold", "status = 'waiting'")
    book = story.row("book", hold["book_id"])
    member = story.pick("member", "member_id NOT IN (SELECT member_id FROM hold WHERE book_id = ?)", hold["book_id"])
    words = story.choose("words", ("Can only come on Saturdays", "Please call before setting it aside"))
    note = story.dictate("note", words)
    story.tell(
        "I'm {email}. Please put me in the queue for {title} by {author}, with this note for the desk, word for word: {note}.",
        email=member["email"],
        title=book["title"],
        author=book["author"],
        note=note,
    )
    found = story.call("find_member", email=member["email"])
    books = story.call("search_books", words=book["title"])["books"]
    wanted = story.find(books, title=book["title"], author=book["author"])
    story.call("place_hold", member_id=found["member_id"], book_id=wanted["book_id"], note=note)


@scenario
def bring_a_book_back(story: Story) -> None:
    """The member returns a book and asks what the delay costs."""
    loan = story.pick("loan", f"status = 'out' AND due_on < ? AND {ONLY_ONE_OF_THAT_TITLE}", story.today)
    member = story.row("member", loan["member_id"])
    book = story.row("book", loan["book_id"])
    story.tell(
        "Here is {title} back, I know it is late. What do I owe you for the delay? I'm {email}.",
        title=book["title"],
        email=member["email"],
    )
    found = story.call("find_member", email=member["email"])
    loans = story.call("list_loans", member_id=found["member_id"])["loans"]
    mine = story.find(loans, title=book["title"])
    fee = story.call("return_book", loan_id=mine["loan_id"])
    story.answer("late fee in cents", fee["fee_cents"])
    story.outside("And could you recommend me a good film?")


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


@scenario
def take_a_book_home(story: Story) -> None:
    """The member borrows a book that is in."""
    me = story.pick("member", free_to_borrow(), story.day(-13), mine=True)
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    story.wish("I'd like to take {title} by {author} home today.", title=book["title"], author=book["author"])
    key = story.identify()
    story.call("borrow_book", member_id=key, book_id=found(story, book)["book_id"])


@scenario
def leave_a_queue(story: Story) -> None:
    """The member no longer waits for a book."""
    hold = story.pick("hold", f"status = 'waiting' AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True)
    book = story.row("book", hold["book_id"])
    story.wish("A friend gave me {title}, so I needn't wait for it any longer.", title=book["title"])
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    story.call("cancel_hold", hold_id=story.find(holds, title=book["title"])["hold_id"])


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
    for other in [each for each in loans if each["loan_id"] != mine["loan_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call("return_book", loan_id=other["loan_id"])
    story.call("return_book", loan_id=mine["loan_id"])


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


@scenario(form="ambiguous")
def return_one_of_many(story: Story) -> None:
    """The member brings back one of their many books, and says which when asked."""
    loan = story.pick("loan", f"status = 'out' AND {OUT.format('loan')} >= 4 AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish("I've brought back a book of yours; can you check it in?")
    story.keep_back("title", book["title"])
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    for other in [each for each in loans if each["loan_id"] != mine["loan_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call("return_book", loan_id=other["loan_id"])
    story.call("return_book", loan_id=mine["loan_id"])


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
    key = story.identify()
    wanted = found(story, book)
    if story.permits("place_hold", member_id=key, book_id=wanted["book_id"]):
        story.call("place_hold", member_id=key, book_id=wanted["book_id"])
    else:
        story.decline(queue)


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
    key = story.identify()
    wanted = found(story, book)
    if story.permits("borrow_book", member_id=key, book_id=wanted["book_id"]):
        story.call("borrow_book", member_id=key, book_id=wanted["book_id"])
    else:
        story.decline(borrow)


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


@scenario(form="best_of")
def hand_in_what_is_due_last(story: Story) -> None:
    """The member hands in, of all their books, the one that is due last."""
    story.pick(
        "loan",
        f"""
        status = 'out' AND {OUT.format("loan")} >= 3 AND NOT EXISTS (
            SELECT 1 FROM loan AS own WHERE own.member_id = loan.member_id AND own.status = 'out'
                AND own.loan_id <> loan.loan_id AND own.due_on >= loan.due_on
        )
        """,
        mine=True,
    )
    story.wish("Of all the books that I have at home, please check in the one that is due last.")
    _, loans = my_loans(story)
    with story.wrong("takes the first that fits"):
        story.call("return_book", loan_id=loans[0]["loan_id"])
    story.call("return_book", loan_id=story.highest(loans, "due_on")["loan_id"])


@scenario(form="all_but")
def hand_in_all_but_one(story: Story) -> None:
    """The member hands in everything that they have out, but for one book."""
    loan = story.pick("loan", f"status = 'out' AND {OUT.format('loan')} >= 3 AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish("I'm bringing back everything that I have out, except {title}, which I keep.", title=book["title"])
    _, loans = my_loans(story)
    kept = story.find(loans, title=book["title"])
    with story.wrong("forgets the exception"):
        for each in loans:
            story.call("return_book", loan_id=each["loan_id"])
    for each in loans:
        if each["loan_id"] != kept["loan_id"]:
            story.call("return_book", loan_id=each["loan_id"])


@scenario(form="computed")
def ask_for_the_whole_debt(story: Story) -> None:
    """The member wants to know what they would owe in all if they brought every late book back now."""
    story.pick(
        "member",
        f"owed_cents BETWEEN 1 AND 1200 AND {OVERDUE.format('member')} BETWEEN 1 AND 3",
        story.today,
        mine=True,
    )
    story.wish(
        "If I brought back all my overdue books today, how much would I owe you altogether, in cents, with what is on "
        "my account already?"
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


@scenario(form="outside")
def hand_in_and_ask_for_a_ride(story: Story) -> None:
    """The member hands in a book, and asks for something that the desk cannot do."""
    loan = story.pick("loan", f"status = 'out' AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish("Please check in {title} for me.", title=book["title"])
    _, loans = my_loans(story)
    story.call("return_book", loan_id=story.find(loans, title=book["title"])["loan_id"])
    story.outside("And could you call me a taxi home?")
