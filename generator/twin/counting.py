"""Count what a SQL dump makes a second time, word by word; this shares no code with what reads it."""

from __future__ import annotations

import re
from collections import Counter

_NOT_COLUMNS = {"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "LIKE"}
_KEYS = {"KEY", "INDEX", "FULLTEXT", "SPATIAL"}
_HOW = {"OR", "REPLACE", "UNLOGGED", "GLOBAL", "LOCAL"}
_ROUTINES = {"PROC", "PROCEDURE", "FUNCTION", "TRIGGER", "VIEW"}
_ESCAPED, _PLAIN = r"'(?:[^'\\]|\\.|'')*(?:'|\Z)", r"'(?:[^']|'')*(?:'|\Z)"
_SKIPPED, _NAMES = r"--[^\n]*|/\*.*?(?:\*/|\Z)", r'"(?:[^"]|"")*"|`[^`]*`'
_SORTS = {  # what is passed over, what is a text, and what is a name in quotes
    "postgres": (
        rf"^\\[^\n]*|{_SKIPPED}",
        rf"(?<!\w)E{_ESCAPED}|{_PLAIN}|(?P<mark>\$(?:[a-z_]\w*)?\$).*?(?:(?P=mark)|\Z)",
        r'"(?:[^"]|"")*"',
    ),
    "mysql": (
        r"/\*M?!\d{5,6}(?!\d|\\-)|\*/|\#[^\n]*|^DELIMITER\s+;|^DELIMITER\b.*?(?:^DELIMITER\s+;|\Z)|" + _SKIPPED,
        _ESCAPED,
        r'"(?:[^"\\]|\\.|"")*"|`[^`]*`',
    ),
    "sqlite": (_SKIPPED, _PLAIN, rf"{_NAMES}|\[[^\]]*\]"),
    "tsql": (_SKIPPED, _PLAIN, rf"{_NAMES}|\[[^\]]*\]"),
}
_LINES = (  # of SQL Server, which ends a statement without a semicolon
    r"^(?P<go>GO)\s*?$|^[ \t]*(?P<begin>INSERT|EXEC|PRINT|DECLARE|UPDATE|DELETE(?=\s+FROM)"
    r"|SET(?=\s+(?:IDENTITY_INSERT|\w+\s+O[NF]+)\b)|(?:CREATE|ALTER|DROP)(?=\s+(?:OR\s+ALTER\s+)?"
    r"(?:TABLE|VIEW|PROC|FUNCTION|TRIGGER|(?:\w+\s+)*INDEX)))\b"
)
_TOKENS = {
    dialect: re.compile(
        (rf"{_LINES}|" if dialect == "tsql" else "(?P<go>(?!))|(?P<begin>(?!))|")
        + rf"(?P<skipped>{skipped})|(?P<text>{texts})|(?P<name>{names})|(?P<word>\w+)|[^\s\w]",
        re.IGNORECASE | re.DOTALL | re.MULTILINE,
    )
    for dialect, (skipped, texts, names) in _SORTS.items()
}


def count_plainly(text: str, dialect: str) -> dict[int, Counter[str]]:
    """Count rows, tables, columns, keys, references, checks, uniques and defaults, by where their statement begins."""
    counts: dict[int, Counter[str]] = {}
    words: list[tuple[str, int]] = []  # what, how deep
    first = at = depth = blocks = 0
    while found := _TOKENS[dialect].search(text, at):
        at = found.end()
        if found["skipped"]:
            continue
        token = "''" if found["text"] else "x" if found["name"] else (found["begin"] or found[0]).upper()
        made = {word for word, _ in words[1:4]} if words and words[0][0] in ("CREATE", "ALTER") else set()
        if dialect == "tsql":
            ends = found["go"] or (found["begin"] or token == ";") and not made & _ROUTINES
        else:
            ends = token == ";" and depth <= 0 and not blocks
        if ends:
            if words:
                counts[first] = _count(words, dialect)
            if words and words[0][0] == "COPY" and ("STDIN", 0) in words:
                end = re.compile(r"^\\\.\s*$|\Z", re.MULTILINE).search(text, at)
                lines = text[at : end.start() if end else len(text)].split("\n")
                counts[first]["row"] = sum(1 for line in lines[1:] if line not in ("", "\r"))
                at = end.end() if end else len(text)
            words, depth, blocks = [], 0, 0
        if not ends or found["begin"]:
            first = first if words else found.start("begin") if found["begin"] else found.start()
            depth -= token == ")"
            words.append((token, depth))
            depth += token == "("
            if "TRIGGER" in made:
                blocks += (token in ("BEGIN", "CASE")) - (token == "END" and blocks > 0)
    if words:
        counts[first] = _count(words, dialect)
    return counts


def _count(words: list[tuple[str, int]], dialect: str) -> Counter[str]:
    """Count what one statement makes."""
    plain = [word for word, _ in words]
    found: Counter[str] = Counter()
    if plain[0] in ("INSERT", "REPLACE"):
        begin = next((at for at, (word, deep) in enumerate(words) if word in ("VALUES", "VALUE") and deep == 0), None)
        for at in range(begin + 1, len(words)) if begin is not None else ():
            word, deep = words[at]
            if deep == 0 and word not in ("(", ")", ",", "ROW"):
                break
            found["row"] += word == "(" and deep == 0
        found["row"] += begin is None and "SET" in plain[:6]
        return found
    what = next((word for word in plain[1:] if word not in _HOW), "")
    if plain[0] == "CREATE" and what == "UNIQUE":
        found["unique"] += 1
    if (plain[0], what) not in (("CREATE", "TABLE"), ("ALTER", "TABLE")):
        return found
    found["table"] += plain[0] == "CREATE"
    is_first = False
    for at, (word, deep) in enumerate(words):
        after, before = plain[at + 1 : at + 3], plain[max(0, at - 2) : at]
        inside = deep == 1 or plain[0] == "ALTER" and deep == 0
        if plain[0] == "CREATE" and deep == 1 and is_first and word != ")":
            is_period = word == "PERIOD" and after[:1] == ["FOR"]
            found["column"] += word not in _NOT_COLUMNS and not is_period and not (dialect == "mysql" and word in _KEYS)
        if plain[0] == "CREATE":
            opens = word == "(" and deep == 0 and not found["closed"]
            found["closed"] += word == ")" and deep == 0
            is_first = opens or (word == "," and deep == 1 and not found["closed"])
            inside = inside and not found["closed"]
        elif word == "ADD" and deep == 0 and after[:1] != ["GENERATED"]:
            name = after[1:] if after[:1] == ["COLUMN"] else after[:1]
            found["column"] += bool(name) and name[0] not in _NOT_COLUMNS | (_KEYS if dialect == "mysql" else set())
        if not inside:
            continue
        found["key"] += word == "PRIMARY" and after[:1] == ["KEY"]
        found["reference"] += word == "REFERENCES"
        found["check"] += word == "CHECK" and after[:1] == ["("]
        found["unique"] += word == "UNIQUE"
        is_option = before[-1:] == ["BY"] or before == ["DELETE", "SET"] or before == ["UPDATE", "SET"]
        found["default"] += (
            word == "DEFAULT" and not is_option and after[:1] not in (["NULL"], ["CHARSET"], ["CHARACTER"])
        )
    del found["closed"]
    return +found
