"""A program that adds answers to a book until it is killed, and says after each one that it is written.

`python -m tests.runtime.model.appending FILE`
"""

from __future__ import annotations

import sys
from pathlib import Path

from runtime.model.book import AnswerBook
from runtime.model.model import Answer, Usage
from tests.runtime.model.asking import a_request

HEADER = {"keyword": "hotel"}


def content_of(number: int) -> dict[str, str]:
    """What the answer of a number says: some are long, so that a kill meets one half written."""
    return {"text": f"{number} é" * (1 + number % 7 * 2_000)}


def main() -> None:
    """Add answers from the first that is missing, for ever."""
    book = AnswerBook.open(Path(sys.argv[1]), HEADER)
    number = len(book)
    while True:
        number += 1
        book.add(a_request(key=f"k{number}"), Answer(content_of(number), "stub", Usage(1, 1)))
        print(number, flush=True)


if __name__ == "__main__":
    main()
