"""Where the tokens of SQL begin and end: as SQLite has it, for any text and in a time that grows with its length."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SPACE = r" \t\n\v\f\r"
_ID = r"[\w$\x80-\U0010ffff]"
# Each alternative matches whatever follows its first character, so that none is tried in vain: what is not closed
# ends with the text.
_TOKEN = re.compile(
    rf"--[^\n]*|/\*.*?(?:\*/|\Z)|[{_SPACE}]+"
    r"|(?P<quoted>'(?:[^']+|'')*'?|\"(?:[^\"]+|\"\")*\"?|`(?:[^`]+|``)*`?|\[[^\]]*\]?)"
    rf"|(?P<parameter>\?\d*|[@:#$](?:{_ID}|::)+(?:\([^){_SPACE}]*\)?)?)"
    rf"|(?P<word>{_ID}+)|(?P<mark>\|\||[<>=!]=|<>|.)",
    re.DOTALL,
)


def tokens_of(sql: str) -> Iterator[str]:
    """The tokens as they are written; comments and spaces are none."""
    return (found[0] for found in _TOKEN.finditer(sql) if found.lastgroup is not None)


def is_quoted(token: str) -> bool:
    """Whether a token is a name or a text between quotation marks, and so never a keyword or a sign."""
    return token[0] in "'\"`["


def is_parameter(token: str) -> bool:
    """Whether a token stands for a value that is passed beside the SQL."""
    return token[0] in "?@:#$"


def is_word(token: str) -> bool:
    """Whether a token is a keyword, a number, or a name that needs no quotation marks."""
    return re.fullmatch(f"{_ID}+", token) is not None


def name_of(token: str) -> str:
    """A word or quoted name as SQLite compares it."""
    if not is_quoted(token):
        return token.lower()
    mark = "]" if token[0] == "[" else token[0]
    return token[1:].removesuffix(mark).replace(mark * 2, mark).lower()
