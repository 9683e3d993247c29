"""What the name of a parameter or an action says about a table: filters, paging, the state an action leads to."""

from __future__ import annotations

from generator.twin.shapes import Shape
from generator.twin.source import Role, SourceTable
from generator.twin.words import folded, tokens, word_set

ENDLESS = "its schemas contain themselves without end"
PAGING = word_set(
    "page cursor after before startingafter endingbefore pagetoken sort order sortby orderby direction sortdirection "
    "sortorder fields expand include marker"
)
FLAGS = word_set("dryrun force confirm verbose notify preview")  # how a call is made, not what a row holds
EVERYTHING = {"all", "any"}  # values of a filter that filter nothing
NATURAL = ("slug", "code", "key", "number", "login", "username", "uuid", "sku", "isbn", "name")
CLOCK = word_set("created updated modified timestamp at inserted")
_ROLES: dict[Role, frozenset[str]] = {
    "limit": word_set("limit perpage pagesize size count maxresults top first"),
    "offset": word_set("offset skip start startindex"),
    "search": word_set("q query search keyword keywords text term"),
}
_ENDS: dict[Role, frozenset[str]] = {
    "least": word_set("after since from min minimum gte gt start"),
    "most": word_set("before until to max maximum lte lt end"),
}
_STATES = {  # states that are not the past form of the verb that leads to them
    **{"pay": "paid", "send": "sent", "ship": "shipped", "reopen": "open opened", "open": "open"},
    **{"start": "running inprogress active started", "begin": "inprogress active", "stop": "stopped"},
    **{"pause": "paused", "resume": "active running", "submit": "submitted pending", "activate": "active"},
    **{"deactivate": "inactive", "checkout": "checkedout out", "checkin": "checkedin in", "withdraw": "withdrawn"},
    **{"take": "taken", "hold": "onhold held", "retire": "retired"},
    **{"complete": "completed done", "finish": "finished done completed"},
}


class OpenOperation(Exception):
    """Why an operation cannot be built by rule; said to the person in the list of open operations."""


def reason(error: Exception) -> str:
    """Return why an operation stays open."""
    return ENDLESS if isinstance(error, RecursionError) else str(error).rstrip(".")


def role_of(name: str, shape: Shape) -> tuple[Role | None, str | None]:
    """Return what a filter of a list does by its name, and the column that it is about; (None, None) if unknown."""
    column = shape.column_for(name)
    if column is not None and column.kind != "json":
        return "equals", column.name
    for role, names in _ROLES.items():
        if folded(name) in names:
            return role, None
    words = tokens(name)
    for role, marks in _ENDS.items():
        for mark in (words[-1], words[0]):
            rest = "_".join(each for each in words if each != mark)
            for each in (rest, f"{rest}_at", f"{rest}_on", f"{rest}_date") if rest and mark in marks else ():
                column = shape.column_for(each)  # of a number or a time that "created" or "price" means
                if column is not None and column.kind in ("integer", "real", "date", "timestamp"):
                    return role, column.name
    return None, None


def state_of(verb: str, table: SourceTable) -> tuple[str, str | bool]:
    """The column and value to which an action leads: cancel to status 'cancelled'; errors: OpenOperation."""
    wanted = _past_forms(verb)
    stem = "_".join(tokens(verb))
    stems = [stem.removeprefix(prefix) for prefix in ("un", "de", "dis", "in") if stem.startswith(prefix)]
    opposites = {form for each in stems for word in (each, f"en{each}") for form in _past_forms(word)}
    found: list[tuple[str, str | bool]] = []
    for column in table.columns.values():
        found += [(column.name, choice) for choice in column.choices if folded(choice) in wanted]
        if column.kind == "boolean":
            bare = folded(column.name.removeprefix("is_").removeprefix("is"))
            found += [(column.name, value) for value, forms in ((True, wanted), (False, opposites)) if bare in forms]
    if len(found) != 1:
        many = "several columns have" if found else "no column has"
        raise OpenOperation(f"it is an action whose state the document does not name ({many} a value for {verb!r})")
    return found[0]


def _past_forms(verb: str) -> set[str]:
    """A verb and its past forms, folded, in American and British spelling: cancel, canceled, cancelled."""
    first, *more = tokens(verb)
    forms = {first, f"{first}ed", f"{first}d", f"{first}{first[-1:]}ed", f"{first}n", f"{first[:-1]}ied"}
    return {"".join([form, *more]) for form in forms} | word_set(_STATES.get(folded(verb), ""))
