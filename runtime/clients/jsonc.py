"""Edit one member of a JSON text, with or without comments, and leave every other character as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_BLANKS = re.compile(r"[ \t]*")
_REST_OF_LINE = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_SCALAR = re.compile(r"[-+.\w]+")
_MOST_DEPTH = 100


class BadConfiguration(ValueError):
    """The text is not valid, or not of the shape that is asked for; the message says where and why."""


@dataclass(frozen=True)
class _Member:
    key: str
    start: int  # of the key
    value: _Node


@dataclass(frozen=True)
class _Node:
    """A value and where it stands; `inner` is the end of the last thing in an object before its closing brace."""

    value: Any
    start: int
    end: int
    members: tuple[_Member, ...] = ()
    inner: int = 0
    trailing_comma: bool = False


def read_json(text: str, *, comments: bool) -> Any:
    """The value of a text; `comments` allows comments, and commas after the last item; errors: BadConfiguration."""
    return _Reader(text, comments).read().value


def set_member(text: str, path: Sequence[str], value: Any, *, comments: bool) -> str:
    """The text with a value at the end of a path of keys, each added if it is not there; errors: BadConfiguration."""
    if not text.strip():
        text = "{}\n"
    node = _Reader(text, comments).read()
    for depth, key in enumerate(path):
        _check_object(node, path[:depth])
        member = _find(node, key, path[:depth])
        if member is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _insert(text, node, key, value)
        node = member.value
    if node.value == value:
        return text
    in_line = bool(node.value) and "\n" not in text[node.start : node.end]
    written = json.dumps(value, ensure_ascii=False) if in_line else _render(text, value, _indent_at(text, node.start))
    return text[: node.start] + written + text[node.end :]


def remove_member(text: str, path: Sequence[str], *, comments: bool) -> str:
    """The text without the member at the end of a path; the same text if there is none; errors: BadConfiguration."""
    if not text.strip():
        return text
    node = _Reader(text, comments).read()
    for depth, key in enumerate(path):
        _check_object(node, path[:depth])
        member = _find(node, key, path[:depth])
        if member is None:
            return text
        if depth == len(path) - 1:
            return _cut(text, node, node.members.index(member))
        node = member.value
    return text


class _Reader:
    def __init__(self, text: str, comments: bool) -> None:
        self._text = text
        self._comments = comments

    def read(self) -> _Node:
        node = self._value(self._skip(0), 0)
        if self._skip(node.end) < len(self._text):
            raise self._fault(self._skip(node.end), "there is more behind the end")
        return node

    def _value(self, at: int, depth: int) -> _Node:
        if depth > _MOST_DEPTH:
            raise self._fault(at, f"it is nested more than {_MOST_DEPTH} levels deep")
        start = self._text[at : at + 1]
        if start == "{":
            return self._object(at, depth)
        if start == "[":
            return self._array(at, depth)
        if start == '"':
            return self._string(at)
        found = _SCALAR.match(self._text, at)
        if found is None:
            raise self._fault(at, f"a value is missing before {start!r}" if start else "it ends too early")
        try:
            value = json.loads(found[0], parse_constant=_refuse_constant)
        except ValueError:
            raise self._fault(at, f"{found[0]!r} is not a value") from None
        return _Node(value, at, found.end())

    def _string(self, at: int) -> _Node:
        found = _STRING.match(self._text, at)
        if found is None:
            raise self._fault(at, "a text between double quotes is missing or not closed")
        try:
            return _Node(json.loads(found[0]), at, found.end())
        except ValueError:
            raise self._fault(at, f"{found[0]} has an unknown escape") from None

    def _object(self, start: int, depth: int) -> _Node:
        members: list[_Member] = []
        at, inner, comma = self._skip(start + 1), self._last(start + 1), False
        while self._text[at : at + 1] != "}":
            self._expect_item(at, "}", bool(members), comma)
            key = self._string(at)
            colon = self._skip(key.end)
            if self._text[colon : colon + 1] != ":":
                raise self._fault(colon, f"a colon is missing behind {key.value!r}")
            value = self._value(self._skip(colon + 1), depth + 1)
            members.append(_Member(key.value, at, value))
            at, inner, comma = self._behind(value.end)
        self._check_trailing(at, comma)
        content = {member.key: member.value.value for member in members}
        return _Node(content, start, at + 1, tuple(members), inner, comma)

    def _array(self, start: int, depth: int) -> _Node:
        items: list[Any] = []
        at, comma = self._skip(start + 1), False
        while self._text[at : at + 1] != "]":
            self._expect_item(at, "]", bool(items), comma)
            item = self._value(at, depth + 1)
            items.append(item.value)
            at, _, comma = self._behind(item.end)
        self._check_trailing(at, comma)
        return _Node(items, start, at + 1)

    def _behind(self, end: int) -> tuple[int, int, bool]:
        """Where the next item or the closing bracket stands, the end of what is before it, and whether a comma is."""
        at = self._skip(end)
        if self._text[at : at + 1] != ",":
            return at, self._last(end), False
        return self._skip(at + 1), self._last(at + 1), True

    def _expect_item(self, at: int, closing: str, has_items: bool, comma: bool) -> None:
        if at >= len(self._text):
            raise self._fault(at, f"it ends before its {closing!r}")
        if has_items and not comma:
            raise self._fault(at, "a comma is missing")

    def _check_trailing(self, at: int, comma: bool) -> None:
        if comma and not self._comments:
            raise self._fault(at, "there is a comma behind the last item")

    def _skip(self, at: int) -> int:
        """The next place that is neither space nor comment."""
        while True:
            at = _end(_SPACE, self._text, at)
            found = _COMMENT.match(self._text, at)
            if found is None:
                return at
            if not self._comments:
                raise self._fault(at, "comments are not allowed in this file")
            at = found.end()

    def _last(self, at: int) -> int:
        """The end of the comments that follow; `at` itself if none do."""
        while True:
            found = _COMMENT.match(self._text, _end(_SPACE, self._text, at))
            if found is None:
                return at
            at = found.end()

    def _fault(self, at: int, wrong: str) -> BadConfiguration:
        return BadConfiguration(f"line {self._text.count(chr(10), 0, at) + 1}: {wrong}")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _check_object(node: _Node, path: Sequence[str]) -> None:
    if not isinstance(node.value, dict):
        where = repr(".".join(path)) if path else "the whole"
        raise BadConfiguration(f"{where} is not an object in braces")


def _find(node: _Node, key: str, path: Sequence[str]) -> _Member | None:
    found = [member for member in node.members if member.key == key]
    if len(found) > 1:
        raise BadConfiguration(f"{'.'.join([*path, key])!r} appears twice")
    return found[0] if found else None


def _insert(text: str, node: _Node, key: str, value: Any) -> str:
    newline = _newline_of(text)
    name = json.dumps(key, ensure_ascii=False)
    close = node.end - 1
    if node.members and "\n" not in text[node.start : node.end]:
        last = node.members[-1].value.end
        added = f"{name}: {json.dumps(value, ensure_ascii=False)}"
        return text[:last] + ", " + added + text[last:]
    outer = _indent_at(text, node.start)
    indent = _indent_at(text, node.members[-1].start) if node.members else outer + _unit_of(text)
    if node.members and len(indent) <= len(outer):
        indent = outer + _unit_of(text)
    inner = max(node.inner, node.start + 1)
    head = text[:inner]
    if node.members and not node.trailing_comma:
        last = node.members[-1].value.end
        head = text[:last] + "," + text[last:inner]
    tail = text[inner:]
    if "\n" not in text[inner:close]:
        tail = newline + outer + text[close:]
    return f"{head}{newline}{indent}{name}: {_render(text, value, indent)}{tail}"


def _cut(text: str, node: _Node, number: int) -> str:
    member = node.members[number]
    start, end = member.start, member.value.end
    comma = _comma_behind(text, end)
    if comma is not None:
        text = text[:comma] + text[comma + 1 :]
    elif number:
        before = _comma_behind(text, node.members[number - 1].value.end)
        assert before is not None
        text = text[:before] + text[before + 1 :]
        start, end = start - 1, end - 1
    line = text.rfind("\n", 0, start) + 1
    rest = _REST_OF_LINE.match(text, end)
    if not text[line:start].strip() and rest is not None:
        text = text[:line] + text[rest.end() :]  # it stood on lines of its own
    elif comma is not None:
        text = text[:start] + text[_end(_BLANKS, text, end) :]
    else:
        text = text[:start].rstrip(" \t") + text[end:]
    opened = node.start + 1
    closed = opened + len(text[opened:]) - len(text[opened:].lstrip())
    return text[:opened] + text[closed:] if text[closed : closed + 1] == "}" else text


def _comma_behind(text: str, at: int) -> int | None:
    while True:
        at = _end(_SPACE, text, at)
        found = _COMMENT.match(text, at)
        if found is None:
            return at if text[at : at + 1] == "," else None
        at = found.end()


def _render(text: str, value: Any, indent: str) -> str:
    written = json.dumps(value, ensure_ascii=False, indent=_unit_of(text))
    return written.replace("\n", _newline_of(text) + indent)


def _indent_at(text: str, at: int) -> str:
    """The spaces that begin the line of a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit_of(text: str) -> str:
    """One step of indentation, as the text has it."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
