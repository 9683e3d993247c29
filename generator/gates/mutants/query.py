"""The text of a query as words: in which clause each stands, and which column it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from runtime.domain.schema import Schema

_WORD = re.compile(
    r"(?P<space>\s+|--[^\n]*|/\*.*?\*/)|(?P<text>'(?:[^']|'')*')|(?P<name>\"[^\"]*\"|[A-Za-z_]\w*)"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<mark>\?\d*|[:@$]\w+)|(?P<sign><>|!=|<=|>=|==|\|\||.)",
    re.DOTALL,
)
_CLAUSES = frozenset(
    {"select", "from", "on", "using", "where", "group", "having", "order", "limit", "offset", "union", "except"}
    | {"intersect", "window", "with", "join", "left", "inner", "cross", "natural", "right", "full"}
)
_KEYWORDS = _CLAUSES | frozenset(
    {"all", "and", "as", "asc", "between", "by", "case", "collate", "desc", "distinct", "else", "end", "escape"}
    | {"exists", "filter", "first", "glob", "in", "is", "isnull", "last", "like", "not", "notnull", "null", "nulls"}
    | {"or", "outer", "over", "partition", "recursive", "row", "rows", "then", "values", "when", "true", "false"}
)


@dataclass(frozen=True)
class Word:
    """A word of a query: its text in lower case unless quoted, where it stands, and how deep in parentheses."""

    kind: str
    text: str
    start: int
    end: int
    depth: int
    clause: str
    scope: Scope

    @property
    def is_keyword(self) -> bool:
        """Whether it is a word of the language."""
        return self.kind == "name" and self.text in _KEYWORDS

    @property
    def is_value(self) -> bool:
        """Whether an operand can end with it."""
        return self.text == ")" or (self.kind != "sign" and not self.is_keyword)


@dataclass(eq=False)
class Scope:
    """What names mean within one pair of parentheses: tables by the name they are given."""

    outer: Scope | None
    tables: dict[str, str] = field(default_factory=dict)
    is_query: bool = False

    def column(self, qualifier: str, name: str, schema: Schema) -> tuple[str, str] | None:
        """The name given to the table, and the table, whose column this is."""
        scope: Scope | None = self
        while scope is not None:
            for given, table in scope.tables.items():
                if table in schema.tables and name in schema.tables[table].positions and qualifier in ("", given):
                    return given, table
            scope = scope.outer
        return None


class Query:
    """A query's words in order."""

    def __init__(self, text: str, schema: Schema) -> None:
        self.text = text
        self.schema = schema
        self.words = list(self._read())
        self._find_tables()

    def _read(self) -> Iterator[Word]:
        scopes, clauses = [Scope(None)], [""]
        for match in _WORD.finditer(self.text):
            kind, text = str(match.lastgroup), match.group()
            if kind == "space":
                continue
            text = text.strip('"') if text.startswith('"') else text.lower() if kind == "name" else text
            if text == ")" and kind == "sign" and len(scopes) > 1:
                scopes.pop()
                clauses.pop()
            if kind == "name" and text in _CLAUSES:
                clauses[-1] = text
                scopes[-1].is_query |= text == "select"
            yield Word(kind, text, match.start(), match.end(), len(scopes) - 1, clauses[-1], scopes[-1])
            if text == "(" and kind == "sign":
                scopes.append(Scope(scopes[-1]))
                clauses.append(clauses[-1])

    def _find_tables(self) -> None:
        for position, word in enumerate(self.words):
            if word.clause not in ("from", "join") or word.kind != "name" or word.is_keyword:
                continue
            before = self.words[position - 1]
            if before.text in ("from", "join", ","):
                following = [each.text for each in self.words[position + 1 : position + 3]]
                alias = word.text
                if following[:1] == ["as"] and len(following) > 1:
                    alias = following[1]
                elif position + 1 < len(self.words):
                    after = self.words[position + 1]
                    alias = after.text if after.kind == "name" and not after.is_keyword else alias
                word.scope.tables[alias] = word.text

    def clause(self, start: int) -> range:
        """The positions of the words of a clause, given that of the keyword it begins with."""
        first = self.words[start]
        for position in range(start + 1, len(self.words)):
            word = self.words[position]
            if word.depth < first.depth or (word.depth == first.depth and word.clause != first.clause):
                return range(start + 1, position)
        return range(start + 1, len(self.words))

    def parts(self, positions: range, *separators: str) -> list[range]:
        """A clause split at a keyword or comma of its own depth."""
        if not positions:
            return []
        depth = self.words[positions[0]].depth
        found, begin, betweens, cases = [], positions[0], 0, 0
        for position in positions:
            word = self.words[position]
            if word.depth != depth or word.kind not in ("name", "sign"):
                continue
            cases += (word.text == "case") - (word.text == "end")
            betweens += word.text == "between"
            if word.text == "and" and betweens:
                betweens -= 1
            elif word.text in separators and not cases:
                found.append(range(begin, position))
                begin = position + 1
        return [*found, range(begin, positions[-1] + 1)]

    def span(self, positions: range) -> tuple[int, int]:
        """Where these words begin and end in the text."""
        return self.words[positions[0]].start, self.words[positions[-1]].end

    def said(self, positions: range) -> str:
        """These words as they are written."""
        start, end = self.span(positions)
        return " ".join(self.text[start:end].split())

    def around(self, position: int) -> range:
        """A word with its neighbours, for showing it."""
        begin, end = max(0, position - 1), min(len(self.words), position + 2)
        if self.words[begin].text == ")":
            begin = max(
                i for i in range(begin) if self.words[i].depth == self.words[begin].depth and self.words[i].text == "("
            )
            begin -= self.words[begin - 1].kind == "name" and not self.words[begin - 1].is_keyword
        elif self.words[end - 1].text == "(":
            deep = self.words[end - 1].depth
            end = next(i for i in range(end, len(self.words)) if self.words[i].depth == deep) + 1
        if begin > 1 and self.words[begin - 1].text == ".":
            begin -= 2
        if end < len(self.words) and self.words[end].text == ".":
            end += 2
        return range(begin, end)

    @cached_property
    def several_tables(self) -> bool:
        """Whether a column needs the name of its table."""
        return len({id(word.scope): 0 for word in self.words if word.scope.tables}) > 1 or any(
            len(word.scope.tables) > 1 for word in self.words
        )
