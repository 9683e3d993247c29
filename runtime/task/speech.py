"""How a person says a value: dates by weekday and month, times by the half of the day, money with its currency."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from runtime.domain.arguments import weekday
from runtime.task.origin import TracedTruth, plain

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}:\d{2})?")
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")
_STATE = re.compile(r"[a-z]+(?:_[a-z]+)+")  # a state or kind as the database writes it: under_review


def said(value: Any, today: str = "") -> str:
    """A value as a person says it; the year of a date only if it is another one than that of `today`."""
    words = getattr(value, "spoken", None)
    if words is not None:
        return str(words)
    if isinstance(value, bool | TracedTruth):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return _listed([said(item, today) for item in value])
    text = str(plain(value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if _TIME.fullmatch(text):
        return _time(datetime.strptime(text, "%H:%M"))
    if _STATE.fullmatch(text):
        return text.replace("_", " ")
    try:
        moment = datetime.fromisoformat(text if _DATE.fullmatch(text) else "")
    except ValueError:
        return text
    year = f", {moment.year}" if today and today[:4] != text[:4] else ""
    is_long_ago = bool(today) and abs(moment.year - int(today[:4])) > 1  # nobody says a birthday with its weekday
    day = f"{'' if is_long_ago else f'{weekday(text)}, '}{moment:%B} {moment.day}{year}"
    return day if len(text) == 10 else f"{day} at {_time(moment)}"


def said_money(amount: int, currency: str, minor: int) -> str:
    """An amount in minor units, `minor` to one: 4550 as $45.50, 4500 as $45; a code such as EUR follows."""
    if minor == 1:
        text = f"{abs(amount):,}"
    else:
        text = f"{abs(amount) // minor:,}.{abs(amount) % minor:0{len(str(minor)) - 1}d}"
    text = text.removesuffix(".00")
    text = f"{text} {currency}" if currency.isalpha() else f"{currency}{text}"
    return f"-{text}" if amount < 0 else text


def _time(moment: datetime) -> str:
    if (moment.hour, moment.minute, moment.second) == (12, 0, 0):
        return "noon"
    minutes = f":{moment:%M}" if moment.minute or moment.second else ""
    seconds = f":{moment:%S}" if moment.second else ""
    return f"{moment.hour % 12 or 12}{minutes}{seconds} {'AM' if moment.hour < 12 else 'PM'}"


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
