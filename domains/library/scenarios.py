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
