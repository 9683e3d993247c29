"""What the CHECKs and partial indexes of a table cost for each row, and which searches they may hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runtime.sandbox.sql_tokens import name_of, tokens_of

_LONGEST = 64  # characters of a text that is looked for
_LOOKING = frozenset({"instr", "ltrim", "replace", "rtrim", "trim"})  # for their second argument, in their first
_MATCHING = frozenset({"glob", "like"})
_COMPARING = frozenset({"=", "==", "<", ">", "<=", ">=", "<>", "!=", "||", "between", "in", "is"})
_SEARCH = 16  # what a search counts for; any other operation on a text counts for one


def weight_of(statements: Sequence[str]) -> int:
    """How many operations on texts the statements that make a table and its indexes hold, searches for more."""
    weight = 0
    for sql in statements:
        for token, following in _pairs(tokens_of(sql)):
            name = _name(token)
            if name in _MATCHING or (name in _LOOKING and following == "("):
                weight += _SEARCH
            elif name in _COMPARING or (following == "(" and name.isidentifier()):
                weight += 1
    return weight


def faults_of_searches(sql: str) -> Iterator[str]:
    """Searches for anything but a short constant text, whose time grows with the product of two texts."""
    tokens = [*tokens_of(sql)]
    for place, (token, following) in enumerate(_pairs(tokens)):
        name = _name(token)
        if name in _MATCHING and (token.lower() == name or following == "("):
            pattern, after = [*tokens[place + 1 : place + 3], "", ""][:2]
            if not _is_short_text(pattern) or after == "||":
                yield f"{name.upper()} compares with {pattern!r:.80}; write a text of at most {_LONGEST} characters."
        elif name in _LOOKING and following == "(":
            arguments = _arguments(tokens, place + 2)
            if name == "replace" and len(arguments) == 3 and len("".join(arguments[2])) > len("".join(arguments[1])):
                yield "replace() makes a text longer; write one that is not longer than what it stands for."
            for argument in arguments[1:]:
                if len(argument) != 1 or not _is_short_text(argument[0]):
                    what = " ".join(argument)
                    yield f"{name}() looks for {what!r:.80}; write a text of at most {_LONGEST} characters."


def _pairs(tokens: Iterator[str] | list[str]) -> Iterator[tuple[str, str]]:
    """Each token with the one that follows it."""
    before = None
    for token in tokens:
        if before is not None:
            yield before, token
        before = token
    if before is not None:
        yield before, ""


def _name(token: str) -> str:
    """A word or quoted name as SQLite compares it; none for a text."""
    return "" if token.startswith("'") else name_of(token)


def _is_short_text(token: str) -> bool:
    return token.startswith("'") and len(token) <= _LONGEST + 2


def _arguments(tokens: list[str], start: int) -> list[list[str]]:
    """The arguments of a call, behind its parenthesis."""
    found: list[list[str]] = [[]]
    depth = 0
    for token in tokens[start:]:
        depth += (token == "(") - (token == ")")
        if depth < 0:
            break
        if token == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return found
