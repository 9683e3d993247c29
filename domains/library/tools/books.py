"""Books: finding titles in the catalogue."""

from typing import Annotated

from runtime import Database, Field, TypedDict, tool


class Book(TypedDict):
    book_id: Annotated[str, "Catalogue number"]
    title: Annotated[str, "Title on the cover"]
    author: Annotated[str, "Full name of the author"]
    topic: Annotated[str, "Shelf it stands on"]
    available: Annotated[int, "Copies that can be borrowed now"]


class Books(TypedDict):
    books: Annotated[list[Book], "Matches, by title"]


@tool(reads=["book", "loan"])
def search_books(
    db: Database,
    words: Annotated[str, "Part of the title, the author or the topic", Field(min_length=2, max_length=80)],
    only_available: Annotated[bool, "Leave out titles of which every copy is lent"] = False,
) -> Books:
    """Find books in the catalogue, and how many copies of each can be borrowed now.

    At most 25 titles are returned; use more specific words if the one you want is missing.
    """
    books = db.select(
        """
        SELECT book_id, title, author, topic,
               copies - (SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND status = 'out') AS available
        FROM book
        WHERE instr(lower(title || ' / ' || author || ' / ' || topic), lower(?)) > 0
        ORDER BY title, book_id
        """,
        words,
    )
    return {"books": [book for book in books if book["available"] > 0 or not only_available][:25]}
