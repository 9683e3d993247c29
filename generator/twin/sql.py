"""Split a SQL dump into statements with their places, and count by words alone what each of them makes."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

Dialect = Literal["postgres", "mysql", "sqlite", "tsql"]
DIALECTS: dict[Dialect, str] = {"postgres": "PostgreSQL", "mysql": "MySQL", "sqlite": "SQLite", "tsql": "SQL Server"}


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

    @property
    def said(self) -> str:
        """The statement, cut to what a line holds."""
        text = " ".join(self.sql.split())
        return text if len(text) <= 60 else f"{text[:57]}..."


_WORD = r'(?:\w+|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])'
NAME = rf"(?:{_WORD}\s*\.\s*)*{_WORD}"
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_NEWER = r"/\*M?!\d{5,6}(?!\d|\\-)"  # code for newer servers of MySQL
_LEADING = re.compile(r"(?:[\s\ufeff;]|--[^\n]*|\#[^\n]*|/\*.*?\*/)*", re.DOTALL)
_MARKS: tuple[tuple[Dialect, str], ...] = (
    ("tsql", r"^GO\s*$|^\s*(?:INSERT|INSERT INTO|CREATE TABLE) \W?dbo\W?\.|^[^-\n]*\bIDENTITY\s*\(\s*\d"),
    ("mysql", r"(?-i:\bENGINE\s*=|\bAUTO_INCREMENT\b|^CREATE TABLE (IF NOT EXISTS )?`|/\*!\d{5})"),
    (
        "postgres",
        r"pg_catalog|::\s*[a-z]|\b(big)?serial\b|character varying|plpgsql|AS IDENTITY|with(out)? time zone"
        r"|^COPY .* FROM stdin|^\\c(?:onnect)? |\bjsonb\b|\buuid_generate|gen_random_uuid|\btimestamptz\b"
        r"|^\s*CREATE TYPE \S+ AS ENUM",
    ),
)


def guess_dialect(text: str) -> Dialect:
    """Return the dialect whose marks the text bears; SQLite's if it bears none."""
    found = (dialect for dialect, marks in _MARKS if re.search(marks, text, re.IGNORECASE | re.MULTILINE))
    return next(found, "sqlite")


def split_statements(text: str, dialect: Dialect) -> Iterator[Statement]:
    """Yield the statements of a dump; the body of a routine or trigger is part of the statement that makes it."""
    if dialect == "mysql":  # code for newer servers, put in place of its comment without moving anything
        text = re.sub(rf"({_NEWER})(.*?)\*/", lambda e: f"{' ' * len(e[1])}{e[2]}  ", text, flags=re.DOTALL)
    token, lines = _TOKENS[dialect], [found.start() for found in re.finditer("\n", text)]
    start = at = 0

    def made(begin: int, stop: int) -> Statement | None:
        leading = _LEADING.match(text, begin, stop)
        first = leading.end() if leading else begin
        sql = text[first:stop].rstrip()
        return Statement(sql, first, bisect(lines, first) + 1) if sql else None

    while found := token.search(text, at):
        kind = found.lastgroup
        at = found.end() + (kind == "new")
        if kind not in ("end", "go", "new", "line", "routines"):
            continue
        statement = made(start, found.start())
        if kind in ("line", "routines"):
            if statement:
                continue
            begin = at if kind == "line" else found.start("body")
            for part in found["body"].split(found["mark"]) if kind == "routines" else ():
                if routine := made(begin, begin + len(part)):
                    yield routine
                begin += len(part) + len(found["mark"])
            start = at
        elif statement is None or kind == "go" or not _is_open(statement.sql, dialect):
            start = found.end()
            if statement and _FROM_STDIN.match(statement.sql):
                last = re.compile(r"^\\\.\s*$", re.MULTILINE).search(text, at)
                data = text[at : last.start() if last else len(text)].lstrip("\r\n")
                statement = Statement(statement.sql, statement.at, statement.line, data)
                start = at = last.end() if last else len(text)
            if statement:
                yield statement
    if last_one := made(start, len(text)):
        yield last_one


def _is_open(sql: str, dialect: Dialect) -> bool:
    """Tell whether a statement goes on behind a semicolon, or at a line that may begin another."""
    if dialect == "tsql":
        return bool(re.match(r"(?:CREATE|ALTER)\s+(?:OR\s+\w+\s+)?(?:PROC|FUNC|TRIGGER|VIEW)", sql, re.IGNORECASE))
    return bool(_BODY.match(sql)) and not re.search(r";\s*END\s*$", sql, re.IGNORECASE)


ESCAPED, QUOTED = r"'(?:[^'\\]|\\.|'')*'", r"'(?:[^']|'')*'"
_NAMED, _TAGGED = r'"(?:[^"]|"")*"', r"(?P<tag>\$(?:[a-zA-Z_]\w*)?\$).*?(?P=tag)"
_TEXTS: dict[Dialect, str] = {"postgres": rf"\b[eE]{ESCAPED}|{QUOTED}|{_TAGGED}", "mysql": ESCAPED}
_NAMES: dict[Dialect, str] = {"postgres": _NAMED, "mysql": r'"(?:[^"\\]|\\.|"")*"|`[^`]*`'}


def hidden_parts(dialect: Dialect) -> list[str]:
    """Return patterns of what hides marks: comments, texts, names in quotes."""
    comments = r"(?P<comment>--[^\n]*|/\*.*?\*/" + (r"|\#[^\n]*)" if dialect == "mysql" else ")")
    names = _NAMES.get(dialect, rf"{_NAMED}|`[^`]*`|\[[^\]\n]*\]")
    return [comments, f"(?P<text>{_TEXTS.get(dialect, QUOTED)})", f"(?P<name>{names})"]


_ENDS: dict[Dialect, list[str]] = {
    "postgres": [r"(?P<line>^\\[a-zA-Z!?][^\n]*)"],
    "mysql": [
        r"(?P<line>^DELIMITER\s+;[^\n]*)",
        r"(?P<routines>^DELIMITER\s+(?P<mark>\S+)(?P<body>.*?)(?:^DELIMITER\s+;[ \t]*$|\Z))",
    ],
    "sqlite": [],
    "tsql": [  # the last: lines that begin a statement without a semicolon before it
        r"(?P<go>^GO\s*?$)",
        r"(?P<new>^[ \t]*(?=(?:INSERT|EXEC|PRINT|DECLARE|UPDATE|DELETE\s+FROM|SET\s+(?:IDENTITY_INSERT|\w+\s+O[NF]+)"
        r"|(?:CREATE|ALTER|DROP)\s+(?:OR\s+ALTER\s+)?(?:TABLE|VIEW|PROC\w*|FUNCTION|TRIGGER|(?:\w+\s+)*INDEX))\b))",
    ],
}
_TOKENS: dict[Dialect, re.Pattern[str]] = {
    dialect: re.compile("|".join([*hidden_parts(dialect), *ends, "(?P<end>;)"]), re.DOTALL | re.MULTILINE | re.I)
    for dialect, ends in _ENDS.items()
}
_BODY = re.compile(r"CREATE\s+(?:TEMP\w*\s+)?TRIGGER\b.*\bBEGIN\b", re.I | re.S)
_FROM_STDIN = re.compile(r"COPY\s.*\bFROM\s+stdin", re.IGNORECASE | re.DOTALL)


def unquote(name: str) -> str:
    """Return the last part of a name, without its schema and quotes."""
    last = split_name(name)[-1]
    return str(last if last[0] not in '"`[' else last[1:-1].replace('""', '"'))


def split_name(name: str) -> list[str]:
    """Return the parts of a name as they are written, quotes included."""
    return re.findall(_WORD, name)


# The second count, by words alone, which holds what is parsed and loaded to account


_BETWEEN = r"--[^\n]*|\#[^\n]*|/\*.*?\*/|^\\[^\n]*|^GO\s*?$|^DELIMITER\b[^\n]*"
_NO_COLUMN = {"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "LIKE"}
_KEYS = {"KEY", "INDEX", "FULLTEXT", "SPATIAL"}
_HOW = {"OR", "REPLACE", "UNLOGGED", "GLOBAL", "LOCAL"}
_WORDS = {
    dialect: re.compile(rf"{'|'.join(hidden_parts(dialect))}|\w+|[^\s\w]", re.DOTALL | re.IGNORECASE)
    for dialect in DIALECTS
}


def count_words(statement: Statement, dialect: Dialect) -> Counter[str]:
    """Count what a statement makes: rows, a table, columns, keys, references, checks, uniques and defaults."""
    if statement.data:
        return Counter(row=sum(line not in ("", "\r") for line in statement.data.split("\n")))
    words, deep, depth = ["", ""], [0, 0], 0
    for found in _WORDS[dialect].finditer(statement.sql):
        word = {None: found[0].upper(), "text": "''", "name": "x", "comment": ""}[found.lastgroup]
        depth -= word == ")"
        if word:
            words.append(word)
            deep.append(depth)
        depth += word == "("
    verb, what = words[2], next((word for word in words[3:] if word not in _HOW), "")
    if verb in ("INSERT", "REPLACE"):
        return Counter(row=_count_tuples(words, deep))
    if what != "TABLE" or verb not in ("CREATE", "ALTER"):
        return Counter(unique=int((verb, what) == ("CREATE", "UNIQUE")))
    begin, end, levels, names = 3, len(words), (0, 1), _NO_COLUMN | (_KEYS if dialect == "mysql" else set())
    if verb == "CREATE":
        begin = words.index("(") + 1 if "(" in words else end
        end = next((at for at in range(begin, end) if words[at] == ")" and deep[at] == 0), end)
        starts, levels = [begin, *(at + 1 for at in range(begin, end) if words[at] == "," and deep[at] == 1)], (1, 1)
    else:
        adds = [at + 1 for at in range(begin, end) if words[at] == "ADD" and deep[at] == 0]
        starts = [at + (words[at : at + 1] == ["COLUMN"]) for at in adds if words[at : at + 1] != ["GENERATED"]]
    counts = Counter(table=int(verb == "CREATE"))
    counts["column"] = sum(
        at < end and words[at] not in names and words[at : at + 2] != ["PERIOD", "FOR"] for at in starts
    )
    for at in (at for at in range(begin, end) if deep[at] in levels):
        before, word, after = words[at - 2 : at], words[at], words[at + 1] if at + 1 < len(words) else ""
        counts["key"] += (word, after) == ("PRIMARY", "KEY")
        counts["reference"] += word == "REFERENCES"
        counts["check"] += (word, after) == ("CHECK", "(")
        counts["unique"] += word == "UNIQUE"
        is_action = before[1] == "BY" or before in (["DELETE", "SET"], ["UPDATE", "SET"])
        counts["default"] += word == "DEFAULT" and not is_action and after not in ("NULL", "CHARSET", "CHARACTER")
    return counts


def _count_tuples(words: Sequence[str], deep: Sequence[int]) -> int:
    """Count the tuples behind VALUES, or the one row of INSERT ... SET."""
    top = [word for word, depth in zip(words, deep, strict=True) if depth == 0]
    begin = next((at for at, word in enumerate(top) if word in ("VALUES", "VALUE")), None)
    if begin is None:
        return int("SET" in words[:8])
    tuples = takewhile(lambda word: word in ("(", ")", ",", "ROW"), top[begin + 1 :])
    return sum(word == "(" for word in tuples)


def unread_part(text: str, statements: Sequence[Statement], dialect: Dialect) -> str:
    """Return the first words of a dump that are part of none of its statements, and of no comment or client line."""
    at, between = 0, f"{_NEWER}|{_BETWEEN}" if dialect == "mysql" else _BETWEEN
    skipped = re.compile(between, re.DOTALL | re.MULTILINE | re.IGNORECASE)
    for each in (*statements, Statement("", len(text))):
        if found := re.search(r"\w.*", skipped.sub("", text[at : each.at])):
            return found[0][:60]
        at = (text.index(each.data, each.at) if each.data else each.at) + len(each.data or each.sql)
    return ""
