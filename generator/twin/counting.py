"""Count what a SQL dump makes a second time, character by character; this shares no code with what reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

_NOT_COLUMNS = {"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "LIKE"}
_KEYS = {"KEY", "INDEX", "FULLTEXT", "SPATIAL"}
_HOW = {"OR", "REPLACE", "UNLOGGED", "GLOBAL", "LOCAL"}


def count_plainly(text: str, dialect: str) -> dict[int, Counter[str]]:
    """Count rows, tables, columns, keys, references, checks, uniques and defaults, by where their statement begins."""
    counts: dict[int, Counter[str]] = {}
    words: list[tuple[int, str, int]] = []  # where, what, how deep
    depth = blocks = 0
    skip = [0]
    for at, token in _tokens(text, dialect, skip):
        if dialect == "tsql" and token == "INSERT" and words and words[0][1] == "INSERT" and text[at - 1] == "\n":
            counts[words[0][0]] = _count([each[1:] for each in words], dialect)
            words, depth = [], 0
        if token == "GO;" or (token == ";" and depth <= 0 and not blocks):
            if words:
                counts[words[0][0]] = _count([each[1:] for each in words], dialect)
            if words and words[0][1] == "COPY" and any(word == "STDIN" for _, word, _ in words):
                end = text.find("\n\\.", at)
                while end >= 0 and text[end + 3 : end + 4].strip():
                    end = text.find("\n\\.", end + 3)
                lines = text[at + 1 : end if end >= 0 else len(text)].split("\n")
                counts[words[0][0]]["row"] = sum(1 for line in lines[1:] if line not in ("", "\r"))
                skip[0] = end + 3 if end >= 0 else len(text)
            words, depth, blocks = [], 0, 0
            continue
        depth -= token == ")"
        words.append((at, token, depth))
        depth += token == "("
        if words[0][1] == "CREATE" and any(word == "TRIGGER" for _, word, _ in words[:4]):
            blocks += (token in ("BEGIN", "CASE")) - (token == "END" and blocks > 0)
    if words:
        counts[words[0][0]] = _count([each[1:] for each in words], dialect)
    return counts


def _tokens(text: str, dialect: str, skip: list[int]) -> Iterator[tuple[int, str]]:
    """Yield words in capitals, marks, "''" for texts and "x" for names in quotes; comments, and what is before `skip`,
    are passed over."""
    at, end, closing = 0, len(text), ";"
    while (at := max(at, skip[0])) < end:
        letter, two = text[at], text[at : at + 2]
        first = at
        if letter.isspace() or letter == "\ufeff":
            at += 1
        elif two == "--" or (letter == "#" and dialect == "mysql"):
            at = _after(text, "\n", at)
        elif two == "/*":
            code = 3 if text[at + 2 : at + 3] == "!" else 4 if text[at + 2 : at + 4] == "M!" else 0
            if dialect == "mysql" and code and text[at + code : at + code + 5].isdigit():
                at += code + 5
                at += text[at : at + 1].isdigit()
                at = _after(text, "*/", at) if text.startswith("\\-", at) else at
            else:
                at = _after(text, "*/", at + 2)
        elif two == "*/" and dialect == "mysql":
            at += 2
        elif letter == "\\" and dialect == "postgres" and text[at - 1 : at] in ("", "\n"):
            at = _after(text, "\n", at)
        elif letter == "$" and dialect == "postgres" and (mark := _dollar(text, at)):
            at = _after(text, mark, at + len(mark))
            yield first, "''"
        elif letter in "'\"`" or (letter == "[" and dialect in ("tsql", "sqlite")):
            is_raw = dialect == "mysql" and letter != "`" or dialect == "postgres" and text[at - 1 : at] in ("e", "E")
            at = _past_quote(text, at, "]" if letter == "[" else letter, is_raw)
            yield first, "''" if letter == "'" or (letter == '"' and dialect == "mysql") else "x"
        elif letter.isalnum() or letter in "_@":
            while at < end and (text[at].isalnum() or text[at] in "_@$"):
                at += 1
            word = text[first:at].upper()
            if word == "DELIMITER" and text[first - 1 : first] in ("", "\n"):
                closing = text[at : _after(text, "\n", at)].strip()
                at = _after(text, "\n", at)
                if closing != ";":  # bodies of routines
                    back = text.upper().find("\nDELIMITER ;", at)
                    at = back + 1 if back >= 0 else end
            elif word == "GO" and dialect == "tsql" and text[first - 1 : first] in ("", "\n"):
                yield first, "GO;"
            elif not (word in ("E", "N", "B", "X", "U") and text[at : at + 1] == "'"):
                yield first, word
        else:
            at += 1
            yield first, letter


def _after(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return found + len(mark) if found >= 0 else len(text)


def _dollar(text: str, at: int) -> str:
    end = text.find("$", at + 1)
    tag = text[at + 1 : end]
    return text[at : end + 1] if end > 0 and (tag == "" or tag.replace("_", "a").isalnum()) else ""


def _past_quote(text: str, at: int, mark: str, has_escapes: bool) -> int:
    at += 1
    while at < len(text):
        if has_escapes and text[at] == "\\":
            at += 2
        elif text[at] != mark:
            found, escape = text.find(mark, at), text.find("\\", at) if has_escapes else -1
            at = len(text) if found < 0 else min(found, escape) if escape >= 0 else found
        elif text[at + 1 : at + 2] == mark:
            at += 2
        else:
            return at + 1
    return at


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
