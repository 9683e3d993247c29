"""How tables and columns are said aloud: what a person calls a column, and which columns nobody would mention."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from generator.twin.settled import SettledTable
from generator.twin.source import Reference, SourceColumn


def word_set(text: str) -> frozenset[str]:
    """The words of a text that are separated by blanks."""
    return frozenset(text.split())


_SPELLED_OUT = {
    **{"addr": "address", "amt": "amount", "desc": "description", "dob": "date of birth", "fname": "first name"},
    **{"lname": "last name", "no": "number", "num": "number", "nr": "number", "org": "organization", "qty": "quantity"},
    **{"dept": "department", "mobile": "mobile number", "phone": "phone number", "tel": "phone number"},
    **{"rep": "representative", "zip": "ZIP code", "zipcode": "ZIP code", "postcode": "ZIP code"},
    **{name: name.upper() for name in ("iban", "id", "isbn", "pin", "sku", "ssn", "upc", "vat", "vin")},
}
_TECHNICAL = word_set(
    "avatar blob bytes checksum coordinates cookie created data deleted digest encoding file filename guid hash height "
    "href html icon image img inserted ip json lat latitude lng locale lon longitude meta metadata milliseconds mime "
    "modified ms ordinal passwd password path payload photo picture position pwd raw revision row salt secret seq "
    "sequence session signature slug sort timezone token tz updated uri url uuid version width xml"
)
_MONEY = word_set("amount balance budget charge cost deposit fee freight price rent salary subtotal total wage")
_PEOPLE = word_set(
    "agent applicant assistant author buyer candidate client clerk contact customer doctor donor driver employee guest "
    "instructor manager mechanic member nurse owner passenger patient person player rider seller staff student "
    "subscriber teacher technician tenant trainer user volunteer worker"
)
_DAYS = {
    **dict.fromkeys(("start", "starts", "started", "begin", "begins", "from"), "start date"),
    **dict.fromkeys(("end", "ends", "ended", "until", "to"), "end date"),
    **{"born": "date of birth", "expires": "expiration date", "expiry": "expiration date", "opens": "opening date"},
    **{"closes": "closing date", "arrives": "arrival date", "departs": "departure date", "due": "due date"},
}
_NOTES = word_set("body comment comments message note notes remark remarks text")
_IRREGULAR = word_set("begun born bought built made paid read seen sent shipped sold taken written")
_SENTENCE = 300  # characters of a description


def tokens(name: str) -> list[str]:
    """The words of a name, lower case: "unit_price" and "UnitPrice" have two."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_")


def snake(words: str) -> str:
    """Words as a name in code."""
    return re.sub(r"\W+", "_", words).strip("_").lower()


def column_words(table: SettledTable, name: str, tables: Mapping[str, SettledTable]) -> str:
    """What a person calls a column: "phone number", "date opened"; a foreign key is called by what it leads to."""
    parts = tokens(name)
    reference = reference_of(table, name)
    if reference is not None:
        parts = parts[:-1] if len(parts) > 1 and parts[-1] in ("id", "no", "code", "key", "fk") else parts
        return " ".join(parts) if parts not in ([], ["id"]) else tables[reference.table].noun
    column = table.columns[name]
    if column.kind == "boolean" and parts[0] in ("is", "has") and len(parts) > 1:
        parts = parts[1:]
    if parts[-1] in ("cents", "usd") and len(parts) > 1:
        parts = parts[:-1]
    if column.kind in ("date", "timestamp") and parts[-1] in ("on", "at", "date", "time", "day") and len(parts) > 1:
        done = " ".join(parts[:-1])
        if done in _DAYS:
            return _DAYS[done]
        return f"date {done}" if parts[-2].endswith("ed") or parts[-2] in _IRREGULAR else f"{done} date"
    if column.kind in ("date", "timestamp") and parts[0] in _DAYS and len(parts) == 1:
        return _DAYS[parts[0]]
    return " ".join(_SPELLED_OUT.get(part, part) for part in parts).replace("number number", "number")


def description_of(table: SettledTable, name: str, tables: Mapping[str, SettledTable]) -> str:
    """What a tool says of a column: its comment, or what a person calls it."""
    column = table.columns[name]
    if column.comment.strip():
        return " ".join(column.comment.split())[:_SENTENCE]
    reference = reference_of(table, name)
    words = column_words(table, name, tables)
    if reference is not None:
        return capital(words if words == tables[reference.table].noun else f"{words} ({tables[reference.table].noun})")
    if (name,) == table.key:
        return f"Key of the {table.noun}"
    return capital(words)


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence has them: "name, price, and status"."""
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def capital(words: str) -> str:
    """Words that begin a sentence."""
    return words[:1].upper() + words[1:]


def reference_of(table: SettledTable, name: str) -> Reference | None:
    """The foreign key of this column alone."""
    return next((each for each in table.references if each.columns == (name,)), None)


def referring(table: SettledTable) -> set[str]:
    """The columns that are part of a foreign key."""
    return {name for each in table.references for name in each.columns}


def free_texts(table: SettledTable) -> list[str]:
    """The columns with words of any kind that a search looks through, the label first."""
    texts = [
        name
        for name, column in table.columns.items()
        if column.kind == "text" and not column.choices and name not in referring(table) and not is_technical(column)
    ]
    return sorted(texts, key=lambda name: name != table.label)


def is_technical(column: SourceColumn) -> bool:
    """Whether nobody would speak of a column."""
    if column.secret or column.hidden:
        return True
    return column.kind == "json" or column.made == "clock" or not _TECHNICAL.isdisjoint(tokens(column.name))


def has_blanks(table: SettledTable, name: str) -> bool:
    """Whether rows hold an empty text in a column, so that its tools must take one."""
    return any(row[name] == "" for row in table.rows)


def is_note(column: SourceColumn) -> bool:
    """Whether a column holds whole sentences that people dictate."""
    return column.kind == "text" and not column.choices and not _NOTES.isdisjoint(tokens(column.name))


def money_minor(column: SourceColumn) -> int | None:
    """How many of its units make a dollar; None if a column is not an amount of money."""
    parts = set(tokens(column.name))
    if column.kind == "integer":
        return 100 if "cents" in parts else None
    return 1 if column.kind == "real" and parts & _MONEY else None


def is_person(table: SettledTable) -> bool:
    """Whether the rows of a table are people."""
    return not _PEOPLE.isdisjoint(table.noun.lower().split())
