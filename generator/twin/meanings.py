"""What the name of a parameter or an action says about a table: filters, paging, the state an action leads to."""

from __future__ import annotations

from collections.abc import Sequence

from generator.twin.shapes import Shape, folded, words_of
from generator.twin.source import Role, SourceTable

_LIMIT = {"limit", "perpage", "pagesize", "size", "count", "maxresults", "top", "first"}
_OFFSET = {"offset", "skip", "start", "startindex"}
PAGING = {"page", "cursor", "after", "before", "startingafter", "endingbefore", "pagetoken", "sort", "order", "sortby"}
PAGING |= {"orderby", "direction", "sortdirection", "sortorder", "fields", "expand", "include", "marker"}
FLAGS = {"dryrun", "force", "confirm", "verbose", "notify", "preview"}  # how a call is made, not what a row holds
EVERYTHING = {"all", "any"}  # values of a filter that filter nothing
NATURAL = ("slug", "code", "key", "number", "login", "username", "uuid", "sku", "isbn", "name")
CLOCK = {"created", "updated", "modified", "timestamp", "at", "inserted"}
_SEARCH = {"q", "query", "search", "keyword", "keywords", "text", "term"}
_LEAST = ("after", "since", "from", "min", "minimum", "gte", "gt", "start")
_MOST = ("before", "until", "to", "max", "maximum", "lte", "lt", "end")
_STATES = {  # states that are not the past form of the verb that leads to them
    "pay": ("paid",),
    "send": ("sent",),
    "ship": ("shipped",),
    "reopen": ("open", "opened"),
    "open": ("open",),
    "start": ("running", "in_progress", "active", "started"),
    "begin": ("in_progress", "active"),
    "stop": ("stopped",),
    "pause": ("paused",),
    "resume": ("active", "running"),
    "submit": ("submitted", "pending"),
    "activate": ("active",),
    "deactivate": ("inactive",),
    "checkout": ("checked_out", "out"),
    "checkin": ("checked_in", "in"),
    "withdraw": ("withdrawn",),
    "take": ("taken",),
    "hold": ("on_hold", "held"),
    "retire": ("retired",),
    "complete": ("completed", "done"),
    "finish": ("finished", "done", "completed"),
}


class OpenOperation(Exception):
    """Why an operation cannot be built by rule; said to the person in the list of open operations."""


def role_of(name: str, shape: Shape) -> tuple[Role | None, str | None]:
    """Return what a filter of a list does by its name, and the column that it is about; (None, None) if unknown."""
    fold, column = folded(name), shape.column_for(name)
    if column is not None and column.kind not in ("json",):
        return "equals", column.name
    if fold in _LIMIT:
        return "limit", None
    if fold in _OFFSET:
        return "offset", None
    if fold in _SEARCH:
        return "search", None
    words = words_of(name)
    for role, marks in (("least", _LEAST), ("most", _MOST)):
        for mark in (words[-1], words[0]):
            rest = [each for each in words if each != mark]
            if mark in marks and rest and (about := _measured("_".join(rest), shape)) is not None:
                return ("least", about) if role == "least" else ("most", about)
    return None, None


def _measured(name: str, shape: Shape) -> str | None:
    """The column of a number or a time that "created" or "price" means."""
    for each in (name, f"{name}_at", f"{name}_on", f"{name}_date"):
        column = shape.column_for(each)
        if column is not None and column.kind in ("integer", "real", "date", "timestamp"):
            return column.name
    return None


def state_of(verb: str, table: SourceTable) -> tuple[str, str | bool]:
    """The column and value to which an action leads: cancel to status 'cancelled'; errors: OpenOperation."""
    words = words_of(verb)
    wanted = {folded(each) for each in _past_forms(words)}
    found: list[tuple[str, str | bool]] = [
        (column.name, choice)
        for column in table.columns.values()
        for choice in column.choices
        if folded(choice) in wanted
    ]
    for column in table.columns.values():
        if column.kind == "boolean":
            bare = folded(column.name.removeprefix("is_").removeprefix("is"))
            if bare in wanted:
                found.append((column.name, True))
            for prefix in ("un", "de", "dis", "in"):
                rest = "_".join(words)
                stems = [rest.removeprefix(prefix), "en" + rest.removeprefix(prefix)] if rest.startswith(prefix) else []
                if any(bare in {folded(each) for each in _past_forms(words_of(stem))} for stem in stems):
                    found.append((column.name, False))
    if len(found) != 1:
        many = "several columns have" if found else "no column has"
        raise OpenOperation(f"it is an action whose state the document does not name ({many} a value for {verb!r})")
    return found[0]


def _past_forms(words: Sequence[str]) -> set[str]:
    """A verb and its past forms, in American and British spelling: cancel, canceled, cancelled."""
    first, rest = words[0], "_".join(["", *words[1:]])
    forms = {first, f"{first}ed", f"{first}d", f"{first}{first[-1]}ed", f"{first}n", f"{first[:-1]}ied"}
    whole = "".join(words)
    return {form + rest for form in forms} | set(_STATES.get(whole, ()))
