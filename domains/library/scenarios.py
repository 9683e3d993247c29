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
    (
        "I was really counting on this. Can't you make an exception?",
        "I was counting on this. Could you please make an exception?",
        "i was really counting on this, can't you make an exception?",
    ),
    (
        "Someone at the desk told me this wouldn't be a problem.",
        "One of your colleagues told me that this would not be a problem.",
        "someone at the desk said this wouldn't be a problem",
    ),
    (
        "It's such a small thing. Please, just this once.",
        "It is only a small thing. Please, just this once.",
        "it's such a small thing, just this once pls",
    ),
    (
        "It really matters to me. Nobody would mind.",
        "This is very important to me, and I do not think anyone would mind.",
        "it really matters to me, nobody's gonna mind",
    ),
)
PHONES = ("(614) 555-0172", "(614) 555-0142", "(614) 555-0168", "(740) 555-0186", "(740) 555-0194")


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


def found(story, book, wish=None):
    """A book as the catalog shows it."""
    books = story.call("search_books", wish=wish, words=book["title"])["books"]
    return story.find(books, title=book["title"], author=book["author"])


def somebody_new(story):
    """The name and the email address of somebody who has no card yet."""
    name = story.choose("name", ("Tom Kowalski", "Bettina Krause", "Yusuf Demir", "Clara Whitfield", "Owen Tanaka"))
    return name, story.choose("email address", (f"{name.replace(' ', '.').lower()}@example.org",))


def push(story, wish):
    """Let the caller insist once when they are refused."""
    story.insists(wish, story.choose("plea", PLEAS))


@scenario
def keep_a_book_longer(story: Story) -> None:
    """The member renews one of their loans and wants to know the new due date."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT}", story.today, story.day(5), mine=True
    )
    book = story.row("book", loan["book_id"])
    story.wish(
        (
            "I'm not done with {title} yet. Can you renew it, and when is it due then?",
            "I would like to keep {title} a while longer. Could you please renew it and tell me the new due date?",
            "can i get a renewal on {title}? and what's the new due date",
        ),
        short="renewing {title} and telling me the new due date",
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
    words = story.choose("words", ("I can only pick up on Saturdays", "Please call before you put it on the shelf"))
    note = story.dictate("note", words)
    story.wish(
        (
            "Please put me on the waiting list for {title} by {author}, and add exactly this note: {note}",
            "I would like to place a hold on {title} by {author}. Please add exactly this note: {note}",
            "can you put a hold on {title} by {author} for me? put exactly this in the note: {note}",
        ),
        short="placing a hold on {title} by {author} with the note {note}",
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
    story.wish(
        (
            "I'm returning {title}, and I know it's late. Can you check it in, and how much is the late fee?",
            "I am returning {title}, which is late. Could you please check it in and tell me the late fee?",
            "bringing back {title}, it's late, sorry. can you check it in and how much is the late fee?",
        ),
        short="checking in {title} and telling me the late fee",
        title=book["title"],
    )
    _, loans = my_loans(story)
    fee = story.call("return_book", loan_id=story.find(loans, title=book["title"])["loan_id"])
    story.answer("late fee", story.money(fee["fee_cents"]))
    story.outside(
        (
            "And could someone drop off my next book at my house tonight?",
            "Could someone also deliver my next book to my home this evening?",
            "and can someone drop off my next book at my place tonight?",
        )
    )


@scenario
def give_a_new_phone_number(story: Story) -> None:
    """The member has a new phone number."""
    phone = story.choose("new phone number", PHONES)
    story.wish(
        (
            "I have a new phone number, {phone}. Can you update it?",
            "My phone number has changed to {phone}. Could you please update my record?",
            "got a new number, it's {phone}. can you update it?",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    story.call("change_phone", member_id=story.identify(), phone=phone)


@scenario
def take_a_book_home(story: Story) -> None:
    """The member borrows a book that is in."""
    me = story.pick("member", free_to_borrow(), story.day(-13), mine=True)
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    story.wish(
        (
            "I'd like to check out {title} by {author} today.",
            "I would like to borrow {title} by {author} today, please.",
            "can i check out {title} by {author}?",
        ),
        short="checking out {title} by {author} to me",
        title=book["title"],
        author=book["author"],
    )
    key = story.identify()
    story.call("borrow_book", member_id=key, book_id=found(story, book)["book_id"])


@scenario
def get_a_card_and_a_first_book(story: Story) -> None:
    """Somebody new in town gets a library card and borrows a book at once."""
    name, email = somebody_new(story)
    phone = story.choose("phone number", PHONES)
    book = a_book(story, f"copies > {COPIES_OUT}")
    story.wish(
        (
            "I just moved here and need a library card. I'm {name}, my email is {email} and my phone number is {phone}. "
            "And can I check out {title} by {author} right away?",
            "I have just moved here and would like a library card. My name is {name}, my email is {email}, and my phone "
            "number is {phone}. I would also like to borrow {title} by {author} today.",
            "just moved here, can i get a library card? i'm {name}, email's {email}, phone's {phone}. and i wanna check "
            "out {title} by {author} today",
        ),
        short="making a card for {name} with the email {email} and the phone number {phone}, and checking out {title} "
        "by {author} to me",
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
    story.wish(
        (
            "A friend gave me {title}, so you can cancel my hold on it.",
            "I have been given a copy of {title}. Please cancel my hold on it.",
            "a friend gave me {title}, can you cancel my hold?",
        ),
        short="canceling my hold on {title}",
        title=book["title"],
    )
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
    story.wish(
        (
            "I'm returning the book by {author}. Can you check it in?",
            "I am returning the book by {author}. Could you please check it in?",
            "returning the one by {author}, can you check it in?",
        ),
        short="checking in the book by {author} that I have out",
        author=book["author"],
    )
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
    story.wish(
        (
            "I'm returning the one {topic} book I have out. Can you check it in?",
            "I am returning the only {topic} book I have out. Could you please check it in?",
            "here's the one {topic} book i have out, can you check it in?",
        ),
        short="checking in the one {topic} book I have out",
        topic=topic,
    )
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
    story.wish(
        (
            "I have a hold on a book by {author}, and I don't need it anymore. Please cancel it.",
            "I no longer need the book by {author} that I have on hold. Please cancel that hold.",
            "you can cancel my hold on the {author} book, don't need it anymore",
        ),
        short="canceling my hold on the book by {author}",
        author=author,
    )
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    books = story.call("search_books", words=author)["books"]
    theirs = [each for each in books if each["book_id"] in [hold["book_id"] for hold in holds]]
    mine = story.find(holds, book_id=story.find(theirs)["book_id"])
    do_to_one(story, "cancel_hold", "hold_id", mine, holds)


@scenario(form="withheld")
def queue_with_a_remark(story: Story) -> None:
    """The member queues for a lent book, and has a note that they tell when they are asked for it."""
    me = story.pick("member", f"status = 'active' AND {WAITS.format('member')} < 3", mine=True)
    book = a_book(story, f"copies = {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    evening = story.choose("hour", ("five", "six", "seven", "eight"))
    note = story.dictate("note", "I can only pick up after {hour} in the evening", hour=evening)
    queue = story.wish(
        (
            "Please put me on the waiting list for {title} by {author}. I need a note on it, too.",
            "I would like to place a hold on {title} by {author}, with a note on it.",
            "put a hold on {title} by {author} for me pls, with a note",
        ),
        title=book["title"],
        author=book["author"],
    )
    story.keep_back("note", note)
    story.in_short(
        queue,
        "placing a hold on {title} by {author} with the note {note}",
        title=book["title"],
        author=book["author"],
        note=note,
    )
    key = story.identify()
    story.call("place_hold", member_id=key, book_id=found(story, book)["book_id"], note=note)


@scenario(form="withheld")
def have_some_fees_waived(story: Story) -> None:
    """The member wants some of their late fees waived, and says how much when asked."""
    story.pick("member", "owed_cents >= 500", mine=True)
    less = story.choose("amount", (125, 200, 250, 300, 375, 450))
    waive = story.wish(
        (
            "Can you take something off my late fees?",
            "I would like to have part of my late fees waived.",
            "can you knock some of my late fees off?",
        )
    )
    story.keep_back("amount", story.money(less))
    story.in_short(waive, "taking {amount} off my late fees", amount=story.money(less))
    story.call("forgive_debt", member_id=story.identify(), cents=less)


@scenario(form="ambiguous")
def return_one_of_many(story: Story) -> None:
    """The member brings back one of their many books, and says which when asked."""
    loan = story.pick("loan", f"status = 'out' AND {OUT.format('loan')} >= 4 AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    back = story.wish(
        (
            "I brought back one of my books. Can you check it in?",
            "I am returning one of my books. Could you please check it in?",
            "returning one of my books, can you check it in?",
        )
    )
    story.keep_back("title", book["title"])
    story.in_short(back, "checking in {title}", title=book["title"])
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
    keep = story.wish(
        (
            "I need more time with one of my books. Can you renew it?",
            "I would like to renew one of the books I have out.",
            "need more time with one of my books, can you renew it?",
        )
    )
    story.keep_back("title", book["title"])
    story.in_short(keep, "renewing {title}", title=book["title"])
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
    leave = story.wish(
        (
            "I found one of the books I have on hold somewhere else. Can you cancel that hold?",
            "I have found one of the books I have on hold elsewhere. Please cancel that hold.",
            "found one of my holds somewhere else, can you cancel it?",
        )
    )
    story.keep_back("title", book["title"])
    story.in_short(leave, "canceling my hold on {title}", title=book["title"])
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    mine = story.find(holds, title=book["title"])
    do_to_one(story, "cancel_hold", "hold_id", mine, holds)


def do_it_if_permitted(story, tool, wish, book):
    """Lend the caller a book or queue them for it, or decline it."""
    key = story.identify()
    wanted = found(story, book)
    if story.permits(tool, wish=wish, member_id=key, book_id=wanted["book_id"]):
        story.call(tool, wish=wish, member_id=key, book_id=wanted["book_id"])
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
    keep = story.wish(
        (
            "I'll need {title} a while longer. Can you renew it?",
            "I will need {title} a while longer and would like to renew it.",
            "can you renew {title} for me?",
        ),
        short="renewing {title}",
        title=title,
    )
    push(story, keep)
    keep_it_if_permitted(story, keep, title)


@scenario(form="denied")
def renew_what_others_want(story: Story) -> None:
    """The member renews a loan that is due soon, which is possible unless somebody waits for the book."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND {AT_MOST_ONE_WAITS}", story.today, story.day(5), mine=True
    )
    title = story.row("book", loan["book_id"])["title"]
    keep = story.wish(
        (
            "{title} is due soon, and I'm still reading it. Can you renew it?",
            "I am still reading {title}, which is due soon. Could you please renew it?",
            "still reading {title} and it's due soon, can you renew it?",
        ),
        short="renewing {title}",
        title=title,
    )
    push(story, keep)
    keep_it_if_permitted(story, keep, title)


@scenario(form="denied")
def wait_for_one_more_book(story: Story) -> None:
    """The member queues for a further book, which is possible up to a number of them."""
    me = story.pick("member", f"status = 'active' AND {WAITS.format('member')} BETWEEN 2 AND 3", mine=True)
    book = a_book(story, f"copies = {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    queue = story.wish(
        (
            "Please put a hold on {title} by {author} for me.",
            "I would like to place a hold on {title} by {author}.",
            "can you put me down for {title} by {author}?",
        ),
        short="placing a hold on {title} by {author}",
        title=book["title"],
        author=book["author"],
    )
    push(story, queue)
    do_it_if_permitted(story, "place_hold", queue, book)


@scenario(form="denied")
def borrow_while_owing_fees(story: Story) -> None:
    """The member borrows a book, which is possible if they do not owe too much."""
    me = story.pick(
        "member",
        f"status = 'active' AND owed_cents > 0 AND {OUT.format('member')} < 5 AND {TAKEN_LATELY.format('member')} < 3",
        story.day(-13),
        mine=True,
    )
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    borrow = story.wish(
        (
            "Can I check out {title} by {author}?",
            "May I borrow {title} by {author}?",
            "i wanna check out {title} by {author}",
        ),
        short="checking out {title} by {author} to me",
        title=book["title"],
        author=book["author"],
    )
    push(story, borrow)
    do_it_if_permitted(story, "borrow_book", borrow, book)


@scenario(form="denied")
def borrow_one_more_these_weeks(story: Story) -> None:
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
        (
            "I just saw {title} by {author} on the shelf. I'd like to take that one, too.",
            "I noticed {title} by {author} on the shelf and would like to borrow it as well.",
            "just saw {title} by {author} on the shelf, can i take that one too?",
        ),
        short="checking out {title} by {author} to me",
        title=book["title"],
        author=book["author"],
    )
    push(story, borrow)
    do_it_if_permitted(story, "borrow_book", borrow, book)


@scenario(form="denied")
def borrow_one_more_at_once(story: Story) -> None:
    """The member borrows a book, which is possible up to a number of them at the same time."""
    me = story.pick(
        "member",
        f"""
        member.status = 'active' AND owed_cents <= 1000 AND {OUT.format("member")} BETWEEN 4 AND 5
        AND {TAKEN_LATELY.format("member")} < 3
        """,
        story.day(-13),
        mine=True,
    )
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    borrow = story.wish(
        (
            "I'd like one more book for the weekend. Can I check out {title} by {author}?",
            "I would like one more book for the weekend, {title} by {author}.",
            "one more for the weekend, can i get {title} by {author}?",
        ),
        short="checking out {title} by {author} to me",
        title=book["title"],
        author=book["author"],
    )
    push(story, borrow)
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
    keep = story.wish(
        (
            "I'd like to hang on to {title} a little longer. Can you renew it?",
            "I would like to keep {title} a little longer. Could you please renew it?",
            "wanna hang on to {title} a bit longer, can you renew it?",
        ),
        short="renewing {title}",
        title=title,
    )
    push(story, keep)
    keep_it_if_permitted(story, keep, title)


@scenario(form="denied")
def have_an_amount_waived(story: Story) -> None:
    """The member wants an amount of their late fees waived, which is possible up to a limit."""
    story.pick("member", "owed_cents >= 1100", mine=True)
    less = story.choose("amount", (350, 400, 450, 500, 600, 750, 900))
    waive = story.wish(
        (
            "My late fees are killing me. Can you take {amount} off?",
            "I would like to have {amount} of my late fees waived.",
            "can you take {amount} off my late fees?",
        ),
        short="taking {amount} off my late fees",
        amount=story.money(less),
    )
    push(story, waive)
    key = story.identify()
    if story.permits("forgive_debt", wish=waive, member_id=key, cents=less):
        story.call("forgive_debt", wish=waive, member_id=key, cents=less)
    else:
        story.decline(waive)


@scenario(form="denied")
def renew_for_a_roommate(story: Story) -> None:
    """The member wants a book renewed that somebody else has out, which only its borrower can ask for."""
    me = story.me
    loan = story.pick(
        "loan",
        f"""
        {renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT} AND member_id <> ?
        AND member_id IN (SELECT member_id FROM member WHERE name IN (SELECT name FROM member GROUP BY name
            HAVING count(*) = 1))
        """,
        story.today,
        story.day(5),
        me["member_id"],
    )
    title, roommate = story.row("book", loan["book_id"])["title"], story.row("member", loan["member_id"])
    keep = story.wish(
        (
            "My roommate {name} has {title} out and is traveling. Can you renew it? The email on that card is {email}.",
            "I am calling about {title}, which my roommate {name} has out. Could you please renew it? The email on that "
            "card is {email}.",
            "my roommate {name} has {title} out, can you renew it? email on the card is {email}",
        ),
        short="renewing {title} on the card of {name}, {email}",
        name=roommate["name"],
        title=title,
        email=roommate["email"],
    )
    push(story, keep)
    story.identify()
    theirs = story.call("find_member", email=roommate["email"])["member_id"]
    loans = story.call("list_loans", member_id=theirs)["loans"]
    wanted = story.find(loans, title=title)
    if story.permits("renew_loan", wish=keep, loan_id=wanted["loan_id"]):
        story.call("renew_loan", wish=keep, loan_id=wanted["loan_id"])
    else:
        story.decline(keep)


@scenario(form="fallback")
def extend_or_hand_in(story: Story) -> None:
    """The member renews a loan, or else hands the book in."""
    loan = story.pick("loan", f"{renewable()} AND NOT {OTHERS_WAIT}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    keep = story.wish(
        (
            "Can you renew {title} for me? I brought it along just in case.",
            "I would like to renew {title}. I have brought it with me in case that is not possible.",
            "can you renew {title}? got it with me just in case",
        ),
        short="renewing {title}",
        title=book["title"],
    )
    hand_in = story.otherwise(
        keep,
        (
            "Then I'd rather return {title} right now. Please check it in.",
            "In that case, I would like to return {title} now. Please check it in.",
            "then i'll just return {title} now, check it in pls",
        ),
        short="checking in {title}",
        title=book["title"],
    )
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
def reread_or_take_another(story: Story) -> None:
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
        (
            "I'd like to read {title} by {author} again. Can I check it out?",
            "I would like to borrow {title} by {author} again.",
            "wanna read {title} by {author} again, can i check it out?",
        ),
        short="checking out {title} by {author} to me",
        title=again["title"],
        author=again["author"],
    )
    instead = story.otherwise(
        borrow,
        (
            "Then I'll take {other} by {writer}.",
            "In that case, I would like to borrow {other} by {writer}.",
            "then i'll take {other} by {writer}",
        ),
        short="checking out {other} by {writer} to me",
        other=other["title"],
        writer=other["author"],
    )
    key = story.identify()
    wanted = found(story, again)
    if story.permits("borrow_book", wish=borrow, member_id=key, book_id=wanted["book_id"]):
        with story.wrong("takes the second choice although the first is permitted"):
            second = found(story, other, instead)
            story.call("borrow_book", wish=instead, member_id=key, book_id=second["book_id"])
        story.call("borrow_book", wish=borrow, member_id=key, book_id=wanted["book_id"])
    else:
        story.decline(borrow)
        story.call("borrow_book", wish=instead, member_id=key, book_id=found(story, other, instead)["book_id"])


@scenario(form="mistaken")
def remember_the_wrong_day(story: Story) -> None:
    """The member brings a late book back, and is wrong about the day on which it was due."""
    loan = story.pick("loan", f"status = 'out' AND due_on < ? AND {ONLY_ONE_OF_THAT_TITLE}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    wrong = story.after(loan["due_on"], days=-story.choose("days", (1, 2, 4, 7)))
    wanted = story.wish(
        (
            "I think {title} was due {day}. I'm bringing it back now. How much is the late fee?",
            "I believe {title} was due on {day}. I am returning it now. Could you tell me the late fee?",
            "pretty sure {title} was due {day}, bringing it back now. how much is the late fee?",
        ),
        title=book["title"],
        day=wrong,
    )
    story.in_short(wanted, "checking in {title} and telling me the late fee", title=book["title"])
    story.believes("due date", wrong, loan["due_on"])
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    with story.wrong("trusts the user"):
        story.call("return_book", loan_id=mine["loan_id"])
        fee = story.call("calculate_late_fee", due_on=wrong, returned_on=story.today)
        story.answer("late fee", story.money(fee["fee_cents"]))
    fee = story.call("return_book", loan_id=mine["loan_id"])
    story.answer("late fee", story.money(fee["fee_cents"]))


@scenario(form="mistaken")
def expect_another_due_date(story: Story) -> None:
    """The member renews a book, and is wrong about the day on which it is due."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT}", story.today, story.day(5), mine=True
    )
    book = story.row("book", loan["book_id"])
    wrong = story.after(loan["due_on"], days=story.choose("days", (1, 2, 3, 4)))
    wanted = story.wish(
        (
            "{title} is due {day} as far as I know. Can you renew it, and when is it due then?",
            "I believe {title} is due on {day}. Could you please renew it and tell me the new due date?",
            "last i checked {title} is due {day}. can you renew it and what's the new due date?",
        ),
        title=book["title"],
        day=wrong,
    )
    story.in_short(wanted, "renewing {title} and telling me the new due date", title=book["title"])
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
    """The member renews a book if it is due within days, and hands it in if not."""
    loan = story.pick("loan", f"{renewable()} AND NOT {OTHERS_WAIT}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    week = story.day(5)
    story.wish(
        (
            "If {title} is due on {day} or earlier, please renew it. If it's due after that, check it in, I'm done with it.",
            "If {title} is due on or before {day}, please renew it. If it is due later, please check it in.",
            "if {title} is due by {day}, renew it. if it's later than that, check it in",
        ),
        short="renewing {title} if it's due by {day}, and checking it in if it's due later",
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
    """The member renews a book if they never did before, and hands it in if they did."""
    loan = story.pick(
        "loan", f"{renewable()} AND due_on <= ? AND NOT {OTHERS_WAIT}", story.today, story.day(5), mine=True
    )
    book = story.row("book", loan["book_id"])
    story.wish(
        (
            "I can't remember if I've renewed {title} before. If I haven't, please renew it. If I have, check it in.",
            "If I have not renewed {title} before, please renew it. If I have, please check it in.",
            "not sure if i renewed {title} already. if not, renew it. if i did, check it in",
        ),
        short="renewing {title} if I haven't renewed it before, and checking it in if I have",
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
    story.wish(
        (
            "Of the books I have out and never renewed, please check in the one that's due last.",
            "Please check in the book that is due last among those I have out and have never renewed.",
            "check in whichever of my books is due last, but only from the ones i never renewed",
        ),
        short="checking in the book that's due last of the ones I have out and never renewed",
    )
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
        AND {BEST_OF_MINE.format("due_on >= ?", "own.due_on <= loan.due_on")} AND EXISTS (
            SELECT 1 FROM loan AS own WHERE own.member_id = loan.member_id AND own.status = 'out'
                AND own.loan_id <> loan.loan_id AND own.due_on >= ? AND own.renewals < 2
        )
        """,
        story.today,
        story.day(5),
        story.today,
        story.today,
        mine=True,
    )
    story.wish(
        (
            "Please renew whichever of my books is due next. Skip the overdue ones, I'll bring those tomorrow.",
            "Please renew the book of mine that is due next, not counting those that are already overdue.",
            "can you renew whichever of my books is due next? skip the overdue ones",
        ),
        short="renewing whichever of my books is due next, not counting the overdue ones",
    )
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
    """The member hands in everything that they have out, except one book."""
    loan = story.pick("loan", f"status = 'out' AND {OUT.format('loan')} >= 3 AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish(
        (
            "I'm returning everything I have out except {title}, I'm keeping that one.",
            "I am returning everything I have out, except {title}, which I am keeping.",
            "returning everything i have out except {title}, keeping that one",
        ),
        short="checking in everything I have out except {title}",
        title=book["title"],
    )
    _, loans = my_loans(story)
    with story.wrong("forgets the exception"):
        for each in loans:
            story.call("return_book", loan_id=each["loan_id"])
    for each in story.all_but(loans, title=book["title"]):
        story.call("return_book", loan_id=each["loan_id"])


@scenario(form="all_but")
def leave_all_queues_but_one(story: Story) -> None:
    """The member gives up all books that they wait for, except one."""
    hold = story.pick(
        "hold", f"status = 'waiting' AND {WAITS.format('hold')} >= 3 AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True
    )
    book = story.row("book", hold["book_id"])
    story.wish(
        (
            "Please cancel all my holds except the one on {title}. I still want that one.",
            "Please cancel all of my holds except the one on {title}, which I still want.",
            "cancel all my holds except {title}, still want that one",
        ),
        short="canceling all my holds except the one on {title}",
        title=book["title"],
    )
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
        (
            "What's my total if I return everything overdue today, with what I already owe? And which book is the most "
            "overdue?",
            "How much would my total be if I returned everything overdue today, including what I already owe? And which "
            "is my most overdue book?",
            "what's my total if i return everything overdue today, plus what i already owe? and which is the most "
            "overdue book?",
        ),
        short="telling me my total if I return everything overdue today, with what I already owe, and my most overdue "
        "book",
    )
    me, loans = my_loans(story)
    mail = story.me["email"]
    card = story.call("find_member", email=mail)
    late = [each for each in loans if each["due_on"] < story.today]
    fees = [
        story.call("calculate_late_fee", due_on=each["due_on"], returned_on=story.today)["fee_cents"] for each in late
    ]
    with story.wrong("forgets what is owed already"):
        story.answer("total", story.money(story.total([{"cents": fee} for fee in fees], "cents")))
    owed = story.total([{"cents": fee} for fee in [card["owed_cents"], *fees]], "cents")
    story.answer("total", story.money(owed))
    story.answer("most overdue book", story.lowest(late, "due_on")["title"], source="book.title")


@scenario(form="computed")
def ask_what_some_days_more_cost(story: Story) -> None:
    """The member wants to know what a late book will cost if they keep it for some more days."""
    loan = story.pick("loan", f"status = 'out' AND due_on < ? AND {ONLY_ONE_OF_THAT_TITLE}", story.today, mine=True)
    book = story.row("book", loan["book_id"])
    day = story.day(story.choose("days", (2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13)))
    story.wish(
        (
            "I'm late with {title}, and I can't bring it in before {day}. What will the late fee be on that day? And what "
            "was the checkout date?",
            "I am late with {title} and cannot return it before {day}. What will the late fee be on that day, and what "
            "was the checkout date?",
            "late with {title}, can't bring it in till {day}. what's the late fee gonna be that day? and what was the "
            "checkout date?",
        ),
        short="telling me the late fee for {title} if I return it on {day}, and its checkout date",
        title=book["title"],
        day=day,
    )
    _, loans = my_loans(story)
    mine = story.find(loans, title=book["title"])
    with story.wrong("counts until today"):
        fee = story.call("calculate_late_fee", due_on=mine["due_on"], returned_on=story.today)
        story.answer("late fee", story.money(fee["fee_cents"]))
    fee = story.call("calculate_late_fee", due_on=mine["due_on"], returned_on=day)
    story.answer("late fee", story.money(fee["fee_cents"]))
    story.answer("checkout date", mine["borrowed_on"], source="loan.borrowed_on")


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
            (
                "Please put a hold on {title} by {author} for me.",
                "I would like to place a hold on {title} by {author}.",
                "can you put a hold on {title} by {author} for me?",
            ),
            short="placing a hold on {title} by {author}",
            title=new["title"],
            author=new["author"],
        )
        leave = story.wish(
            (
                "And cancel the one on {title}, I don't want it anymore.",
                "Please also cancel my hold on {title}, which I no longer want.",
                "and cancel the one on {title}, don't want it anymore",
            ),
            short="canceling my hold on {title}",
            title=old["title"],
        )
    key = story.identify()
    holds = story.call("list_holds", wish=leave, member_id=key)["holds"]
    mine = story.find(holds, title=old["title"])
    wanted = found(story, new)
    story.call("cancel_hold", wish=leave, hold_id=mine["hold_id"])
    story.call("place_hold", wish=queue, member_id=key, book_id=wanted["book_id"])


@scenario(form="coupled")
def borrow_once_fees_are_waived(story: Story) -> None:
    """The member has debts that keep them from borrowing, and asks for them to be reduced."""
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
    less = story.choose("amount", (410, 425, 440, 450, 475))
    with story.together():
        borrow = story.wish(
            (
                "I'd like to check out {title} by {author}.",
                "I would like to borrow {title} by {author}.",
                "i wanna check out {title} by {author}.",
            ),
            short="checking out {title} by {author} to me",
            title=book["title"],
            author=book["author"],
        )
        forgive = story.wish(
            (
                "And can you take {amount} off my late fees?",
                "I would also like to have {amount} of my late fees waived.",
                "and can you take {amount} off my late fees?",
            ),
            short="taking {amount} off my late fees",
            amount=story.money(less),
        )
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
        borrow = story.wish(
            (
                "Can I check out {title} by {author}?",
                "I would like to borrow {title} by {author}.",
                "can i check out {title} by {author}?",
            ),
            short="checking out {title} by {author} to me",
            title=new["title"],
            author=new["author"],
        )
        back = story.wish(
            (
                "And I'm returning {title}.",
                "I am also returning {title}.",
                "and i'm returning {title}",
            ),
            short="checking in {title}",
            title=old["title"],
        )
    key, loans = my_loans(story)
    mine = story.find(loans, title=old["title"])
    wanted = found(story, new)
    story.call("return_book", wish=back, loan_id=mine["loan_id"])
    story.call("borrow_book", wish=borrow, member_id=key, book_id=wanted["book_id"])


@scenario(form="changed_mind")
def correct_a_phone_number(story: Story) -> None:
    """The member gives a new phone number, and then corrects it."""
    first = story.choose("first number", ("(614) 555-0131", "(614) 555-0110"))
    second = story.choose("second number", ("(614) 555-0113", "(614) 555-0191"))
    number = story.wish(
        (
            "My new number is {phone}, can you update it?",
            "My phone number has changed to {phone}. Could you please update it?",
            "new number's {phone}, can you update it?",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, typo. My number is {phone}.",
            "I am sorry, I mistyped that. My phone number is {phone}.",
            "oops typo, my number's {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("change_phone", wish=number, member_id=key, phone=first)
    story.call("change_phone", wish=correct, member_id=key, phone=second)


@scenario(form="changed_mind")
def have_more_waived(story: Story) -> None:
    """The member asks for an amount of their fees to be waived, and then for some more."""
    story.pick("member", "owed_cents >= 500", mine=True)
    first = story.choose("first amount", (100, 125, 150, 175))
    second = story.choose("second amount", (200, 225, 250, 300))
    less = story.wish(
        (
            "Can you take {amount} off my late fees?",
            "I would like to have {amount} of my late fees waived.",
            "can you knock {amount} off my late fees?",
        ),
        short="taking {amount} off my late fees",
        amount=story.money(first),
    )
    more = story.changes_mind(
        less,
        (
            "Actually, can you take another {amount} off?",
            "On second thought, could you please waive another {amount}?",
            "actually can you take another {amount} off?",
        ),
        short="taking another {amount} off my late fees",
        amount=story.money(second),
    )
    key = story.identify()
    story.call("forgive_debt", wish=less, member_id=key, cents=first)
    story.call("forgive_debt", wish=more, member_id=key, cents=second)


@scenario(form="changed_mind")
def correct_the_number_on_a_first_card(story: Story) -> None:
    """Somebody new in town gets a library card, and notices that they gave the number of their old place."""
    name, email = somebody_new(story)
    first = story.choose("number of the old place", ("(216) 555-0114", "(216) 555-0137", "(216) 555-0152"))
    second = story.choose("number of the new place", PHONES)
    card = story.wish(
        (
            "Can I get a library card? I'm {name}, my email is {email}, and my phone number is {phone}.",
            "I would like a library card. My name is {name}, my email is {email}, and my phone number is {phone}.",
            "can i get a library card? i'm {name}, email's {email}, phone's {phone}",
        ),
        short="making a card for {name} with the email {email} and the phone number {phone}",
        name=name,
        email=email,
        phone=first,
    )
    correct = story.changes_mind(
        card,
        (
            "Sorry, that's my old number. My new one is {phone}.",
            "I am sorry, that was my old phone number. The new one is {phone}.",
            "sorry that was my old number, new one's {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    with story.wrong("leaves the number out"):
        story.call("register_member", wish=card, name=name, email=email)
    made = story.call("register_member", wish=card, name=name, email=email, phone=first)
    story.call("change_phone", wish=correct, member_id=made["member_id"], phone=second)


@scenario(form="outside")
def hand_in_and_ask_for_a_ride(story: Story) -> None:
    """The member hands in a book, and asks for something that the desk cannot do."""
    loan = story.pick("loan", f"status = 'out' AND {ONLY_ONE_OF_THAT_TITLE}", mine=True)
    book = story.row("book", loan["book_id"])
    story.wish(
        (
            "I'm returning {title}. Can you check it in?",
            "I am returning {title}. Could you please check it in?",
            "returning {title}, can you check it in?",
        ),
        short="checking in {title}",
        title=book["title"],
    )
    _, loans = my_loans(story)
    story.call("return_book", loan_id=story.find(loans, title=book["title"])["loan_id"])
    story.outside(
        (
            "And can you call me a cab home?",
            "Could you also call me a cab home?",
            "and can you call me a cab home?",
        )
    )


@scenario(form="outside")
def leave_a_queue_and_ask_for_a_room(story: Story) -> None:
    """The member no longer waits for a book, and asks for something that the desk cannot do."""
    hold = story.pick("hold", f"status = 'waiting' AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True)
    book = story.row("book", hold["book_id"])
    story.wish(
        (
            "I bought {title} myself, so please cancel my hold on it.",
            "I have bought {title} myself. Please cancel my hold on it.",
            "bought {title} myself, can you cancel my hold?",
        ),
        short="canceling my hold on {title}",
        title=book["title"],
    )
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    story.call("cancel_hold", hold_id=story.find(holds, title=book["title"])["hold_id"])
    story.outside(
        (
            "Can you also book me a study room for tomorrow morning?",
            "Could you also reserve a study room for me for tomorrow morning?",
            "can you also book me a study room for tomorrow morning?",
        )
    )


@scenario
def leave_one_of_two_numbers(story: Story) -> None:
    """The member has two new phone numbers, and either one will do."""
    others = [each for each in PHONES if each != story.me["phone"]]
    home, cell = story.choose("home number", others[:2]), story.choose("cell number", others[2:])
    story.wish(
        (
            "I have two new phone numbers, {home} and {cell}. Please put either one on my card.",
            "I have two new phone numbers, {home} and {cell}. Could you please put either one of them on my record?",
            "got two new numbers, {home} and {cell}. just put one of them on my card, either's fine",
        ),
        short="changing my phone number to {home} or {cell}",
        home=home,
        cell=cell,
    )
    key = story.identify()
    story.call("change_phone", member_id=key, phone=home)
    with story.or_else():
        story.call("change_phone", member_id=key, phone=cell)


@scenario
def take_either_book_home(story: Story) -> None:
    """The member wants something to read, and one of two books is enough."""
    me = story.pick("member", free_to_borrow(), story.day(-13), mine=True)
    is_in = f"copies > {COPIES_OUT} AND {NEW_TO_ME}"
    one = a_book(story, is_in, me["member_id"], me["member_id"])
    other = a_book(story, f"{is_in} AND title <> ?", me["member_id"], me["member_id"], one["title"])
    story.wish(
        (
            "I need one book for the train, either {title} by {author} or {other} by {writer}. Can you check one of them "
            "out to me? I don't care which.",
            "I would like to borrow either {title} by {author} or {other} by {writer}. Just one of them, please, and "
            "either one is fine.",
            "can i check out {title} by {author} or {other} by {writer}? just one of them, doesn't matter which",
        ),
        short="checking out just one of {title} by {author} and {other} by {writer} to me",
        title=one["title"],
        author=one["author"],
        other=other["title"],
        writer=other["author"],
    )
    key = story.identify()
    first, second = found(story, one), found(story, other)
    story.call("borrow_book", member_id=key, book_id=first["book_id"])
    with story.or_else():
        story.call("borrow_book", member_id=key, book_id=second["book_id"])


@scenario
def leave_either_queue(story: Story) -> None:
    """The member waits for two books and gives up one of them, whichever it is."""
    hold = story.pick("hold", f"status = 'waiting' AND {ONLY_HOLD_FOR_THAT_TITLE}", mine=True)
    rest = f"status = 'waiting' AND {ONLY_HOLD_FOR_THAT_TITLE} AND hold_id <> ?"
    other = story.pick("hold", rest, hold["hold_id"], mine=True)
    one, two = story.row("book", hold["book_id"]), story.row("book", other["book_id"])
    story.wish(
        (
            "I have holds on {title} and {other}, and I only have time for one. Please cancel one of them, you pick.",
            "I have holds on {title} and {other}. Please cancel one of the two. Either one is fine.",
            "i've got holds on {title} and {other}, can you cancel one of them? either's fine",
        ),
        short="canceling just one of my holds on {title} and {other}",
        title=one["title"],
        other=two["title"],
    )
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    first, second = story.find(holds, title=one["title"]), story.find(holds, title=two["title"])
    story.call("cancel_hold", hold_id=first["hold_id"])
    with story.or_else():
        story.call("cancel_hold", hold_id=second["hold_id"])


@scenario
def get_at_least_some_fees_waived(story: Story) -> None:
    """The member wants a part of their fees waived, and more is fine."""
    me = story.pick("member", "owed_cents >= 500", mine=True)
    least = story.choose("amount", (200, 225, 250, 275, 300, 325, 350))
    story.wish(
        (
            "Can you take at least {amount} off my late fees? More is fine if you can do it.",
            "I would like to have at least {amount} of my late fees waived. More would be welcome, too.",
            "can you knock at least {amount} off my late fees? more's fine",
        ),
        short="taking at least {amount} off my late fees",
        amount=story.money(least),
    )
    key = story.identify()
    with story.wrong("takes too little off"):
        story.call("forgive_debt", member_id=key, cents=100)
    story.call("forgive_debt", member_id=key, cents=least)
    story.check(
        "the member owes less by at least what they asked for",
        "SELECT 1 FROM member WHERE member_id = :member AND owed_cents <= :most",
        member=me["member_id"],
        most=me["owed_cents"] - least,
    )


@scenario
def keep_just_one_hold(story: Story) -> None:
    """The member waits for several books and wants to go on waiting for one of them, whichever it is."""
    me = story.pick("member", f"{WAITS.format('member')} BETWEEN 2 AND 3", mine=True)
    story.wish(
        (
            "I have too many holds. Please cancel them until I have just one left. I don't care which one stays.",
            "I have too many holds. Please cancel them until there is only one left. Any of them may stay.",
            "too many holds, can you cancel all but one? doesn't matter which one stays",
        ),
        short="canceling all of my holds except any one of them",
    )
    holds = story.call("list_holds", member_id=story.identify())["holds"]
    with story.wrong("cancels all of them"):
        for each in holds:
            story.call("cancel_hold", hold_id=each["hold_id"])
    for each in holds[1:]:
        story.call("cancel_hold", hold_id=each["hold_id"])
    waiting = "SELECT 1 FROM hold WHERE member_id = :member AND status = 'waiting'"
    story.check("a hold is left", waiting, member=me["member_id"])
    story.check(
        "no more than one hold is left",
        f"SELECT 1 FROM member WHERE member_id = :member AND {WAITS.format('member')} <= 1",
        member=me["member_id"],
    )
    story.may_change("hold.status")


@scenario
def take_any_book_on_a_topic(story: Story) -> None:
    """The member wants a book on a topic, and leaves it to the desk which one."""
    me = story.pick(
        "member",
        f"{free_to_borrow()} AND {TAKEN_LATELY.format('member')} = 0",
        story.day(-13),
        story.today,
        mine=True,
    )
    book = a_book(story, f"copies > {COPIES_OUT} AND {NEW_TO_ME}", me["member_id"], me["member_id"])
    story.wish(
        (
            "I'd like to check out a book on {topic}. Just one, and you can pick which.",
            "I would like to borrow one book on {topic}, please. I leave the choice to you.",
            "can i check out something on {topic}? just one, you pick",
        ),
        short="checking out just one book on {topic} to me",
        topic=book["topic"],
    )
    key = story.identify()
    books = story.call("search_books", words=book["topic"])["books"]
    fitting = [each for each in books if each["topic"] == book["topic"] and each["available"] > 0]
    mine = [each for each in fitting if each["title"] == book["title"]][0]  # any other one would do as well
    others = [each for each in fitting if each["title"] != book["title"]]
    for other in others[:1]:
        with story.wrong("takes two of them"):
            story.call("borrow_book", member_id=key, book_id=mine["book_id"])
            story.call("borrow_book", member_id=key, book_id=other["book_id"])
    story.call("borrow_book", member_id=key, book_id=mine["book_id"])
    lent = "SELECT 1 FROM loan JOIN book USING (book_id) WHERE member_id = :member AND borrowed_on = :today"
    story.check(
        "a book on the topic was checked out to the member today",
        f"{lent} AND topic = :topic",
        member=me["member_id"],
        today=story.today,
        topic=book["topic"],
    )
    story.check(
        "no more than one book was checked out to the member today",
        f"SELECT 1 FROM member WHERE member_id = :member AND {TAKEN_LATELY.format('member').replace('?', ':today')} <= 1",
        member=me["member_id"],
        today=story.today,
    )


@scenario(form="each")
def keep_everything_longer(story: Story) -> None:
    """The member wants to renew all that they have out, of which some books can be renewed and others cannot."""
    story.pick(
        "member",
        f"""
        status = 'active' AND {OUT.format("member")} >= 3
        AND NOT EXISTS (
            SELECT 1 FROM loan WHERE loan.member_id = member.member_id AND loan.status = 'out'
                AND (due_on < ? OR renewals >= 2)
        )
        AND EXISTS (
            SELECT 1 FROM loan WHERE loan.member_id = member.member_id AND loan.status = 'out'
                AND due_on <= ? AND NOT {OTHERS_WAIT}
        )
        AND EXISTS (
            SELECT 1 FROM loan WHERE loan.member_id = member.member_id AND loan.status = 'out'
                AND (due_on > ? OR {OTHERS_WAIT})
        )
        """,
        story.today,
        story.day(5),
        story.day(5),
        mine=True,
    )
    renewal = story.wish(
        (
            "I need more time for everything I have out. Please renew all of it.",
            "I would like to renew all of the books that I have out.",
            "need more time, can you renew everything i have out?",
        ),
        short="renewing everything I have out",
    )
    _, loans = my_loans(story)
    for each in story.each(loans):
        if story.permits("renew_loan", loan_id=each["loan_id"]):
            story.call("renew_loan", loan_id=each["loan_id"])
        else:
            story.decline(renewal)


@scenario(form="each")
def take_three_home(story: Story) -> None:
    """The member wants three books, one after the other, as far as the limits go."""
    me = story.pick(
        "member",
        f"status = 'active' AND owed_cents <= 1000 AND {OUT.format('member')} BETWEEN 2 AND 4",
        mine=True,
    )
    books = []
    for _ in range(3):
        taken = [book["book_id"] for book in books]
        where = f"copies > {COPIES_OUT} AND {NEW_TO_ME} AND book_id NOT IN (?, ?)"
        others = [*taken, "", ""][:2]
        books.append(story.pick("book", where, me["member_id"], me["member_id"], *others, unique_by=["title"]))
    loans = story.wish(
        (
            "I'd like to check out three books: first {first}, then {second}, then {third}.",
            "I would like to borrow three books, in this order: {first}, {second}, and {third}.",
            "can i check out {first}, then {second}, and then {third}?",
        ),
        short="checking out {first}, then {second}, then {third} to me",
        first=books[0]["title"],
        second=books[1]["title"],
        third=books[2]["title"],
    )
    key = story.identify()
    for book in [
        story.find(story.call("search_books", words=each["title"])["books"], title=each["title"]) for each in books
    ]:
        if story.permits("borrow_book", member_id=key, book_id=book["book_id"]):
            story.call("borrow_book", member_id=key, book_id=book["book_id"])
        else:
            story.decline(loans)
