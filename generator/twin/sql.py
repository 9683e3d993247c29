"""Split a SQL dump into statements with their places: quotes, comments, routine bodies, COPY blocks, client lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Dialect = Literal["postgres", "mysql", "sqlite", "tsql"]


@dataclass(frozen=True)
class Statement:
    """One statement without its semicolon; `data` is the block that follows a COPY ... FROM stdin."""

    sql: str
    at: int = 0
    """Where it begins in the text, in characters."""
    line: int = 0
    data: str = ""

    @property
    def words(self) -> list[str]:
        """The first words in capitals, by which the kind of statement is known: CREATE, UNIQUE, INDEX."""
        return re.findall(r"\w+", _COMMENT.sub(" ", self.sql[:400]).upper())[:4] or [self.sql[:1]]

    def said(self, part: str = "") -> str:
        """Return the statement, or a part of it, cut to what a line holds."""
        text = " ".join((part or self.sql).split())
        return text if len(text) <= 60 else f"{text[:57]}..."


_WORD = r'(?:\w+|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])'
NAME = rf"(?:{_WORD}\s*\.\s*)*{_WORD}"
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LEADING = re.compile(r"(?:[\s\ufeff;]|--[^\n]*|\#[^\n]*|/\*.*?\*/)*", re.DOTALL)
_MARKS: tuple[tuple[Dialect, re.Pattern[str]], ...] = (
    ("tsql", re.compile(r"^GO\s*$|\[dbo\]\.|^\s*\w+\s+\w*INT\s+IDENTITY\s*\(\s*\d", re.MULTILINE | re.IGNORECASE)),
    ("mysql", re.compile(r"\bENGINE\s*=|\bAUTO_INCREMENT\b|^CREATE TABLE (IF NOT EXISTS )?`|/\*!\d{5}", re.MULTILINE)),
    (
        "postgres",
        re.compile(
            r"pg_catalog|::\s*[a-z]|\b(big)?serial\b|character varying|plpgsql|AS IDENTITY|with(out)? time zone"
            r"|^COPY .* FROM stdin|^\\c(?:onnect)? |\bjsonb\b|\buuid_generate|gen_random_uuid|\btimestamptz\b"
            r"|^\s*CREATE TYPE \S+ AS ENUM",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)


def guess_dialect(text: str) -> Dialect:
    """Return the dialect whose marks the text bears; SQLite's if it bears none."""
    return next((dialect for dialect, marks in _MARKS if marks.search(text)), "sqlite")


def split_statements(text: str, dialect: Dialect) -> Iterator[Statement]:
    """Yield the statements of a dump; the body of a routine or trigger is part of the statement that makes it."""
    if dialect == "mysql":  # code for newer servers, put in place of its comment without moving anything
        text = re.sub(
            r"(/\*M?!\d{5,6})(?!\d|\\-)(.*?)\*/", lambda e: f"{' ' * len(e[1])}{e[2]}  ", text, flags=re.DOTALL
        )
    if dialect == "tsql":
        text = re.sub(r"^GO(?=\s*$)", ";;", text, flags=re.MULTILINE | re.IGNORECASE)
    token, end = _TOKENS[dialect], len(text)
    start = at = counted = 0
    line = 1

    def made(begin: int, stop: int, data: str = "") -> Iterator[Statement]:
        nonlocal counted, line
        leading = _LEADING.match(text, begin, stop)
        first = leading.end() if leading else begin
        if sql := text[first:stop].rstrip():
            line, counted = line + text.count("\n", counted, first), first
            yield Statement(sql, first, line, data)

    while found := token.search(text, at):
        at = found.end()
        kind = found.lastgroup
        if kind == "line":  # \connect, DELIMITER
            if [*made(start, found.start())]:
                continue
            word = found["line"].split()
            if word[0].upper() == "DELIMITER" and word[-1] != ";":
                back = re.compile(r"^DELIMITER\s+;\s*$", re.MULTILINE | re.IGNORECASE).search(text, at)
                stop = back.start() if back else end
                while at < stop:
                    next_at = text.find(word[-1], at, stop)
                    yield from made(at, next_at if next_at >= 0 else stop)
                    at = next_at + len(word[-1]) if next_at >= 0 else stop
                at = back.end() if back else end
            start = at
        elif kind == "end":
            leading = _LEADING.match(text, start)
            sql = text[leading.end() if leading else start : found.start()].rstrip()
            if not found[0]:  # a line of SQL Server that begins with INSERT
                at += 1
                if not sql.upper().startswith("INSERT"):
                    continue
                yield from made(start, found.start())
                start = found.start()
                continue
            is_batch = dialect == "tsql" and text.startswith(";;", found.start())
            if _BODY.match(sql) and not is_batch and not re.search(r";\s*END\s*$", sql, re.IGNORECASE):
                continue
            data, begin, stop = "", start, found.start()
            if _FROM_STDIN.match(sql):
                last = re.compile(r"^\\\.\s*$", re.MULTILINE).search(text, at)
                data, at = text[at : last.start() if last else end].lstrip("\r\n"), last.end() if last else end
            start = at
            yield from made(begin, stop, data)
    yield from made(start, end)


ESCAPED, QUOTED = r"'(?:[^'\\]|\\.|'')*'", r"'(?:[^']|'')*'"


def hidden_parts(dialect: Dialect) -> list[str]:
    """Return patterns of what hides marks: comments, names in quotes, texts."""
    own = {
        "postgres": [r'"(?:[^"]|"")*"', rf"\b[eE]{ESCAPED}", QUOTED, r"(?P<tag>\$\w*\$).*?(?P=tag)"],
        "mysql": [r'"(?:[^"\\]|\\.|"")*"', ESCAPED, r"\#[^\n]*"],
    }
    parts = own.get(dialect, [r'"(?:[^"]|"")*"', QUOTED, r"\[[^\]\n]*\]"])
    return [r"--[^\n]*", r"/\*.*?\*/", r"`[^`]*`", *parts]


def _token(dialect: Dialect) -> re.Pattern[str]:
    """Return what hides a semicolon, what ends a statement, and lines that are meant for a client."""
    client = r"^(?:DELIMITER\b|\\[a-zA-Z!?])" if dialect == "postgres" else r"^DELIMITER\b"
    end = r";|^(?=(?i:INSERT)\b)" if dialect == "tsql" else ";"
    parts = [*hidden_parts(dialect), rf"(?P<line>{client}[^\n]*)", rf"(?P<end>{end})"]
    return re.compile("|".join(parts), re.DOTALL | re.MULTILINE)


_TOKENS: dict[Dialect, re.Pattern[str]] = {
    dialect: _token(dialect) for dialect in ("postgres", "mysql", "sqlite", "tsql")
}
_BODY = re.compile(r"CREATE\s+(?:TEMP\w*\s+)?TRIGGER\b.*\bBEGIN\b", re.I | re.S)
_FROM_STDIN = re.compile(r"COPY\s.*\bFROM\s+stdin", re.IGNORECASE | re.DOTALL)


def unquote(name: str) -> str:
    """Return the last part of a name, without its schema and quotes."""
    last = re.findall(_WORD, name)[-1]
    return str(last if last[0] not in '"`[' else last[1:-1].replace('""', '"'))


def split_name(name: str) -> list[str]:
    """Return the parts of a name as they are written, quotes included."""
    return re.findall(_WORD, name)
