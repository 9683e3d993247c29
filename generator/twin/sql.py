"""Split a SQL dump into statements and rows: quotes, comments, routine bodies, COPY blocks, lines of clients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Dialect = Literal["postgres", "mysql", "sqlite", "tsql"]


class Computed(str):
    """A value of an INSERT that the database would have computed, as SQL: `now()`."""


@dataclass(frozen=True)
class Statement:
    """One statement without its semicolon; `data` is the block that follows a COPY ... FROM stdin."""

    sql: str
    data: str = ""

    @property
    def head(self) -> str:
        """Return the first words in capitals, by which the kind of statement is known: "CREATE UNIQUE INDEX"."""
        return " ".join(re.findall(r"\w+", _COMMENT.sub(" ", self.sql[:400]))[:4]).upper()


@dataclass(frozen=True)
class InsertedRows:
    """Rows of an INSERT or COPY; `columns` is None if all are meant, in their order."""

    table: str
    columns: list[str] | None
    rows: list[list[Any]]


_WORD = r'(?:\w+|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])'
NAME = rf"(?:{_WORD}\s*\.\s*)*{_WORD}"
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LEADING = re.compile(r"(?:[\s\ufeff;]|--[^\n]*|\#[^\n]*|/\*.*?\*/)*", re.DOTALL)
_MARKS: tuple[tuple[Dialect, re.Pattern[str]], ...] = (
    ("tsql", re.compile(r"^GO\s*$|\[dbo\]\.", re.MULTILINE | re.IGNORECASE)),
    ("mysql", re.compile(r"\bENGINE\s*=|\bAUTO_INCREMENT\b|^CREATE TABLE (IF NOT EXISTS )?`|/\*!\d{5}", re.MULTILINE)),
    (
        "postgres",
        re.compile(
            r"pg_catalog|::\s*[a-z]|\b(big)?serial\b|character varying|plpgsql|AS IDENTITY|with(out)? time zone"
            r"|^COPY .* FROM stdin|^\\c(?:onnect)? |\bjsonb\b|\buuid_generate|gen_random_uuid|\btimestamptz\b",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)


def guess_dialect(text: str) -> Dialect:
    """Return the dialect whose marks the text bears; SQLite's if it bears none."""
    return next((dialect for dialect, marks in _MARKS if marks.search(text)), "sqlite")


def split_statements(text: str, dialect: Dialect) -> Iterator[Statement]:
    """Yield the statements of a dump; the body of a routine or trigger is part of the statement that makes it."""
    if dialect == "mysql":
        text = re.sub(r"/\*!\d{5}\s?(.*?)\*/", r"\1", text, flags=re.DOTALL)  # code for newer servers
    if dialect == "tsql":
        text = re.sub(r"^GO\s*$", ";", text, flags=re.MULTILINE | re.IGNORECASE)
    token, end = _TOKENS[dialect], len(text)
    start = at = 0
    while found := token.search(text, at):
        at = found.end()
        kind = found.lastgroup
        if kind == "line":  # \connect, DELIMITER
            if _code(text[start : found.start()]):
                continue
            word = found["line"].split()
            if word[0].upper() == "DELIMITER" and word[-1] != ";":
                back = re.compile(r"^DELIMITER\s+;\s*$", re.MULTILINE | re.IGNORECASE).search(text, at)
                body, at = text[at : back.start() if back else end], back.end() if back else end
                yield from (Statement(sql) for part in body.split(word[-1]) if (sql := _code(part)))
            start = at
        elif kind == "end":
            sql = _code(text[start : found.start()])
            if _BODY.match(sql) and not re.search(r";\s*END\s*$", sql, re.IGNORECASE):
                continue
            start = at
            if _FROM_STDIN.match(sql):
                stop = re.compile(r"^\\\.\s*$", re.MULTILINE).search(text, at)
                data, at = text[at : stop.start() if stop else end], stop.end() if stop else end
                start = at
                yield Statement(sql, data.lstrip("\r\n"))
            elif sql:
                yield Statement(sql)
    if rest := _code(text[start:]):
        yield Statement(rest)


def _code(sql: str) -> str:
    """Return a statement without the comments in front of it."""
    leading = _LEADING.match(sql)
    return sql[leading.end() if leading else 0 :].rstrip()


_ESCAPED, _QUOTED = r"'(?:[^'\\]|\\.|'')*'", r"'(?:[^']|'')*'"


def _token(dialect: Dialect) -> re.Pattern[str]:
    """Return what hides a semicolon, what ends a statement, and lines that are meant for a client."""
    client = r"^(?:DELIMITER\b|\\[a-zA-Z!?])" if dialect == "postgres" else r"^DELIMITER\b"
    parts = [r"--[^\n]*", r"/\*.*?\*/", r'"(?:[^"]|"")*"', r"`[^`]*`", rf"(?P<line>{client}[^\n]*)", "(?P<end>;)"]
    own = {
        "postgres": [rf"\b[eE]{_ESCAPED}", _QUOTED, r"(?P<tag>\$\w*\$).*?(?P=tag)"],
        "mysql": [_ESCAPED, r"\#[^\n]*"],
    }
    return re.compile("|".join([*parts, *own.get(dialect, [_QUOTED, r"\[[^\]\n]*\]"])]), re.DOTALL | re.MULTILINE)


_TOKENS: dict[Dialect, re.Pattern[str]] = {
    dialect: _token(dialect) for dialect in ("postgres", "mysql", "sqlite", "tsql")
}
_BODY = re.compile(r"CREATE\s+(?:TEMP\w*\s+)?TRIGGER\b.*\bBEGIN\b", re.I | re.S)
_FROM_STDIN = re.compile(r"COPY\s.*\bFROM\s+stdin", re.IGNORECASE | re.DOTALL)

# Rows

_COPY = re.compile(rf"COPY\s+({NAME})\s*(?:\(([^)]*)\))?", re.IGNORECASE)
_INSERT = re.compile(
    rf"(?:INSERT|REPLACE)\s+(?:IGNORE\s+|OR\s+\w+\s+)?(?:INTO\s+)?({NAME})\s*(?:\(([^()]*)\)\s*)?"
    r"(?:OVERRIDING\s+\w+\s+VALUE\s+)?VALUES?\s*(?=\()",
    re.IGNORECASE,
)
_VALUE = re.compile(
    rf"""\s*(?:
        (?P<escaped>[eE]{_ESCAPED})
      | (?:[nN]|_\w+\s*)?(?P<text>{_QUOTED})
      | (?P<bytes>[xX]'[0-9a-fA-F]*'|0x[0-9a-fA-F]+)
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w(])
      | (?P<word>NULL|TRUE|FALSE|DEFAULT)\b
      | (?P<cast>::\s*[\w.]+(?:\s+(?:varying|precision|with(?:out)?\s+time\s+zone))?(?:\(\d+(?:,\s*\d+)?\))?(?:\[\])?)
      | (?P<mark>[(),])
      | (?P<call>[a-zA-Z_]\w*\s*(?:\([^()']*(?:'[^']*'[^()']*)*\))?)
    )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_MYSQL_VALUE = re.compile(_VALUE.pattern.replace(f"(?P<text>{_QUOTED})", f"(?P<escaped_too>{_ESCAPED})"), _VALUE.flags)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_WORDS: dict[str, Any] = {"NULL": None, "TRUE": 1, "FALSE": 0, "DEFAULT": Computed("DEFAULT")}


def unquote(name: str) -> str:
    """Return the last part of a name, without its schema and quotes."""
    last = re.findall(_WORD, name)[-1]
    return str(last if last[0] not in '"`[' else last[1:-1].replace('""', '"'))


def read_rows(statement: Statement, dialect: Dialect) -> InsertedRows | None:
    """Return the rows of a COPY block or of an INSERT with VALUES; None for another statement."""
    if copied := _COPY.match(statement.sql):
        columns = [unquote(part) for part in copied[2].split(",")] if copied[2] else None
        lines = (line.removesuffix("\r") for line in statement.data.split("\n"))
        return InsertedRows(
            unquote(copied[1]), columns, [[_copied(v) for v in line.split("\t")] for line in lines if line]
        )
    inserted = _INSERT.match(statement.sql)
    if inserted is None:
        return None
    columns = [unquote(part) for part in re.findall(_WORD, inserted[2])] if inserted[2] else None
    return InsertedRows(unquote(inserted[1]), columns, [*_tuples(statement.sql, inserted.end(), dialect)])


def _copied(value: str) -> str | None:
    if value == r"\N":
        return None
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), value) if "\\" in value else value


def _tuples(sql: str, at: int, dialect: Dialect) -> Iterator[list[Any]]:
    """Yield the tuples behind VALUES up to what follows them, such as ON CONFLICT; errors: ValueError."""
    row: list[Any] | None = None
    value = _MYSQL_VALUE if dialect == "mysql" else _VALUE
    while found := value.match(sql, at):
        at, mark = found.end(), found["mark"]
        if row is None:
            if mark not in ("(", ","):
                return
            row = [] if mark == "(" else None
        elif mark == ")":
            yield row
            row = None
        elif mark == "(":
            break
        elif mark is None and not found["cast"]:
            row.append(_value(found))
    if row is not None:
        raise ValueError(f"its values cannot be read from {sql[max(0, at - 1) : at + 30]!r} on")


def _value(found: re.Match[str]) -> Any:
    kind, text = found.lastgroup, found[0].strip()
    if kind == "text":
        return found["text"][1:-1].replace("''", "'")
    if kind in ("escaped", "escaped_too"):
        inner = text[text.index("'") + 1 : -1]
        return re.sub(r"''|\\(.)", lambda part: _ESCAPES.get(part[1], part[1]) if part[1] else "'", inner, flags=re.S)
    if kind == "bytes":
        digits = text[2:].rstrip("'")
        return bytes.fromhex(digits if len(digits) % 2 == 0 else f"0{digits}")
    if kind == "number":
        return float(text) if re.search("[.eE]", text) else int(text)
    if kind == "word":
        return _WORDS[text.upper()]
    cast = re.match(r"(?:CAST|DATE|TIMESTAMP|CONVERT|julianday)\s*\(\s*N?'([^']*)'", text, re.IGNORECASE)
    return cast[1] if cast else Computed(text)
