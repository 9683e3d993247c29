"""Edits of a tool's queries: terms dropped, comparisons and numbers changed, columns swapped, orders reversed."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generator.gates.mutants.columns import columns_of
from generator.gates.mutants.edit import DROPPED, Edit, Kind
from generator.gates.mutants.lookalike import lookalike
from generator.gates.mutants.query import Query, Word
from runtime.domain.schema import Schema
from runtime.sandbox.connect import open_memory

_COMPARED = {"=": "!=", "==": "!=", "!=": "=", "<>": "=", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_UPWARD = (">", "<=")  # with a greater number, not the same as another comparison
_COMPUTED = {"+": "-", "-": "+", "*": "+", "/": "*"}
_CALLED = {"min": "max", "max": "min"}
_CONDITIONS = ("where", "having", "on", "select")


@dataclass(frozen=True)
class _Cut:
    """A part of a query's text that is replaced."""

    start: int
    end: int
    text: str
    kind: Kind
    before: str
    after: str


class QueryEdits:
    """Makes the edits of queries; SQLite says which of them still are queries."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._connection = open_memory()
        schema.create(self._connection)
        self._known: dict[str, list[_Cut]] = {}

    def close(self) -> None:
        """Close the database that the queries were tried on."""
        self._connection.close()

    def edits(self, node: ast.AST) -> Iterator[Edit]:
        """All edits of a text that is a query."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return
        if not re.match(r"\s*(SELECT|WITH)\b", node.value, re.IGNORECASE):
            return
        for cut in self._cuts(node.value):
            text = node.value[: cut.start] + cut.text + node.value[cut.end :]
            line = node.lineno + node.value[: cut.start].count("\n")
            yield Edit(node, ast.Constant(text), cut.kind, cut.before, cut.after, line)

    def _cuts(self, text: str) -> list[_Cut]:
        if text not in self._known:
            found: list[_Cut] = []
            if self._is_query(text):
                query = Query(text, self.schema)
                found = [
                    cut for make in _MAKERS for position in range(len(query.words)) for cut in make(query, position)
                ]
            self._known[text] = [
                cut for cut in sorted(found, key=lambda cut: cut.start) if self._is_query(_applied(text, cut))
            ]
        return self._known[text]

    def _is_query(self, text: str) -> bool:
        values = len([word for word in Query(text, self.schema).words if word.text == "?"])
        try:
            self._connection.execute(f"EXPLAIN {text}", [None] * values).close()
        except sqlite3.Error:
            return False
        return True


def _applied(text: str, cut: _Cut) -> str:
    return text[: cut.start] + cut.text + text[cut.end :]


def _dropped_term(query: Query, position: int) -> Iterator[_Cut]:
    """A term of WHERE, HAVING or of a JOIN ... ON after its first is as good as not there."""
    word = query.words[position]
    if word.text not in ("where", "having", "on") or word.kind != "name":
        return
    clause = query.clause(position)
    either = query.parts(clause, "or")
    terms = either if len(either) > 1 else query.parts(clause, "and")
    for term in terms[1:] if word.text == "on" else terms:
        marks = [each for each in term if query.words[each].kind == "mark"]
        words = ["0 AND" if len(either) > 1 else "1 OR", *(" OR ".join(query.words[each].text for each in marks),)]
        text = f"({' '.join(words)})" if marks else "0" if len(either) > 1 else "1"
        yield _Cut(*query.span(term), text, "dropped condition of a query", query.said(term), DROPPED)


def _changed_comparison(query: Query, position: int) -> Iterator[_Cut]:
    """`<` becomes `<=` and the like; IS, IN, BETWEEN and EXISTS become their opposites."""
    word = query.words[position]
    if word.clause not in _CONDITIONS:
        return
    following = query.words[position + 1].text if position + 1 < len(query.words) else ""
    before = query.words[position - 1].text if position else ""
    if word.kind == "sign" and word.text in _COMPARED:
        around = query.around(position)
        joins = word.clause == "on" and all(query.words[each].kind in ("name", "sign") for each in around)
        if not joins:
            yield _cut(query, word, _COMPARED[word.text], "changed comparison of a query", around)
    elif (
        word.kind == "name"
        and word.text == "not"
        and (before == "is" or following in ("in", "exists", "between", "like"))
    ):
        last = min(position + 2, len(query.words))
        yield _cut(query, word, "", "changed comparison of a query", range(max(0, position - 1), last))
    elif word.kind == "name" and word.text == "is" and following == "null":
        yield _cut(query, word, "IS NOT", "changed comparison of a query", query.around(position))
    elif word.kind == "name" and word.text in ("in", "exists", "between") and before != "not":
        shown = range(max(0, position - 1), position + 1)
        yield _cut(query, word, f"NOT {word.text.upper()}", "changed comparison of a query", shown)
    elif word.kind == "name" and word.text == "or":
        yield _cut(query, word, "AND", "changed comparison of a query", query.around(position))


def _changed_number(query: Query, position: int) -> Iterator[_Cut]:
    """A whole number is one more or one less, but not where a changed comparison comes to the same."""
    word = query.words[position]
    if word.kind != "number" or not word.text.isdigit() or word.clause not in _CONDITIONS:
        return
    before = query.words[position - 1]
    if before.text in ("select", "distinct"):
        return
    compared = before.text if before.text in _COMPARED else ""
    steps = (1, -1) if not compared else (1,) if compared in (*_UPWARD, "=", "==", "!=", "<>") else (-1,)
    around = query.around(position - 1 if before.kind == "sign" and before.text != "(" else position)
    for step in steps:
        yield _cut(query, word, str(int(word.text) + step), "changed number of a query", around)


def _changed_operation(query: Query, position: int) -> Iterator[_Cut]:
    """`+` becomes `-`, `min` becomes `max`, LEFT JOIN becomes JOIN, DISTINCT is left out."""
    word = query.words[position]
    before = query.words[position - 1] if position else None
    following = query.words[position + 1].text if position + 1 < len(query.words) else ""
    if word.kind == "sign" and word.text in _COMPUTED and before is not None and before.is_value:
        if following not in (")", ",", "from"):
            yield _cut(query, word, _COMPUTED[word.text], "changed operation of a query", query.around(position))
    elif word.kind == "name" and word.text in _CALLED and following == "(":
        yield _cut(query, word, _CALLED[word.text], "changed operation of a query", range(position, position + 1))
    elif word.kind == "name" and word.text in ("left", "distinct") and following != "(":
        yield _cut(query, word, "", "changed operation of a query", range(position, position + 2))


def _swapped_column(query: Query, position: int) -> Iterator[_Cut]:
    """A column of the same table and type takes the place of another."""
    word = query.words[position]
    following = query.words[position + 1].text if position + 1 < len(query.words) else ""
    before = query.words[position - 1].text if position else ""
    if word.kind != "name" or word.is_keyword or following in ("(", ".") or before == "as":
        return
    if word.clause not in ("select", "where", "having", "order"):
        return
    qualifier = query.words[position - 2].text if before == "." else ""
    owner = word.scope.column(qualifier, word.text, query.schema)
    if owner is None:
        return
    given, table = owner
    if word.clause == "order" and before == "," and word.text in query.schema.tables[table].primary_key:
        return  # which row of equals comes first
    other = lookalike(columns_of(query.schema, table), word.text)
    if other is None:
        return
    text = f"{given}.{other}" if query.several_tables and not qualifier else other
    begin = position - 2 if qualifier else position
    is_item = query.words[begin - 1].text in ("select", "distinct", ",") and following in (",", "from", ")", "")
    if word.clause == "select" and word.scope.is_query and is_item:
        text += f" AS {word.text}"
    yield _cut(query, word, text, "swapped column of a query", range(begin, position + 1))


def _changed_order(query: Query, position: int) -> Iterator[_Cut]:
    """The first term of ORDER BY is left out; the direction of each is reversed."""
    word = query.words[position]
    if word.text != "order" or word.kind != "name":
        return
    clause = query.clause(position)[1:]
    terms = query.parts(clause, ",")
    if len(terms) > 1:
        start, end = query.words[terms[0][0]].start, query.words[terms[1][0]].start
        yield _Cut(start, end, "", "changed order", f"ORDER BY {query.said(terms[0])}", DROPPED)
    elif terms and not _is_key(query, terms[0]):
        start, end = word.start, query.words[terms[0][-1]].end
        yield _Cut(start, end, "", "changed order", query.said(range(position, terms[0][-1] + 1)), DROPPED)
    for term in terms:
        last = query.words[term[-1]]
        said = query.said(term)
        if last.text in ("desc", "asc"):
            after = "" if last.text == "desc" else "DESC"
            yield _Cut(last.start, last.end, after, "changed order", said, f"{said[: -len(last.text)]}{after}".strip())
        elif last.text not in ("first", "last"):
            yield _Cut(last.end, last.end, " DESC", "changed order", said, f"{said} DESC")


def _is_key(query: Query, term: range) -> bool:
    """Whether a term is a table's key, in whose order rows come anyway."""
    name = query.words[term[-1]]
    owner = name.scope.column("", name.text, query.schema)
    return owner is not None and query.schema.tables[owner[1]].primary_key == (name.text,)


def _cut(query: Query, word: Word, text: str, kind: Kind, shown: range) -> _Cut:
    start, end = query.span(shown)
    before = query.text[start:end]
    after = before[: word.start - start] + text + before[word.end - start :]
    return _Cut(word.start, word.end, text, kind, " ".join(before.split()), " ".join(after.split()) or DROPPED)


_MAKERS: tuple[Callable[[Query, int], Iterator[_Cut]], ...] = (
    _dropped_term,
    _changed_comparison,
    _changed_number,
    _changed_operation,
    _swapped_column,
    _changed_order,
)
