"""Values that have several spellings: which of them are the same code, phone number or email address.

Read here and not by a library: phonenumbers finds a number in the middle of a sentence and refuses one without a
country code unless it is told the country; email-validator refuses `.example` and keeps the case before the @.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Spelled = Literal["code", "phone", "email"]

_BETWEEN = re.compile(r"[\s_‐-―-]+")
_LEADING = re.compile(r"^[.#]+|[.,;]+$")
_CODE = re.compile(r"(?=.*[^\W_])[^\s]{1,60}")
_PHONE = re.compile(
    r"(?P<plus>\+|00(?=[1-9]))?(?P<digits>[\d\s().‐-―/-]{3,40}?)(?:(?:x|ext\.?|#)\s*(?P<extension>\d{1,7}))?"
)
_TRUNK = re.compile(r"\(0\)")  # of a national number, left out behind a country code
_EMAIL = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")


def canonical(value: str, spelled: Spelled) -> str | None:
    """The one form of all spellings of a value; None if it is no such value."""
    plain = unicodedata.normalize("NFKC", value).strip().casefold()
    if spelled == "email":
        return plain if _EMAIL.fullmatch(plain) else None
    if spelled == "code":
        plain = _LEADING.sub("", _BETWEEN.sub("", plain))
        return plain if _CODE.fullmatch(plain) else None
    return _read_phone(plain)


def _read_phone(plain: str) -> str | None:
    found = _PHONE.fullmatch(plain)
    if found is None:
        return None
    written = _TRUNK.sub("", found["digits"]) if found["plus"] else found["digits"]
    digits = "".join(letter for letter in written if letter.isdecimal())
    if not 3 <= len(digits) <= 15:
        return None
    extension = f";{found['extension']}" if found["extension"] else ""
    return f"{'+' if found['plus'] else ''}{digits}{extension}"


def same_spelling(one: object, other: object, spelled: Spelled) -> bool:
    """Whether two values are spellings of the same; what is no such value is the same only as itself."""
    if not isinstance(one, str) or not isinstance(other, str):
        return one == other
    form = canonical(one, spelled)
    return one == other or (form is not None and form == canonical(other, spelled))
