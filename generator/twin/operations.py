"""Which tools a twin offers: the operations of its source that can be served, or find, get, create, update, delete."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from generator.twin.source import Operation, OperationParameter, SettledTable, SourceColumn, SourceSchema, Verb
from generator.twin.words import column_words, free_texts, reference_of, snake, tokens, word_set
from runtime.errors import UsageError
from runtime.sandbox.allowed import BUILTINS

_STAMPS = word_set("added changed created inserted joined logged made modified recorded registered updated update")
_RANGES = 2  # columns of a table by whose least and greatest value its list is narrowed down
_TAKEN = frozenset(BUILTINS | {"db", "Annotated", "Database", "Date", "Field", "Literal", "Rejection", "Timestamp"})
_NEED_KEY: tuple[Verb, ...] = ("get", "update", "set", "delete")


def offer_operations(settled: SourceSchema) -> list[Operation]:
    """Return the operations of the twin; what cannot be served goes to `settled.opened`.

    Tables of a database get the usual ones; an API or a server has no tools but its own. Errors: UsageError if none of
    its operations can be served.
    """
    if not settled.operations and not settled.opened:
        return [operation for table in settled.tables.values() for operation in _usual(table, settled)]
    offered: list[Operation] = []
    for operation in settled.operations:
        why = _why_not(operation, settled.tables[operation.table])
        if why:
            settled.opened[operation.said or operation.name] = why
        else:
            offered.append(_complete(operation, settled))
    if not offered:
        raise UsageError(refusal(settled.title, len(settled.opened), settled.opened))
    return offered


def refusal(said: str, count: int, opened: Mapping[str, str]) -> str:
    """Return the sentence that refuses a source: too few of its operations can be tools."""
    kinds = Counter(why.partition(" (")[0] for why in opened.values()).most_common()
    reasons = "; ".join(f"{many} because {why}" if many > 1 else why for why, many in kinds[:6])
    more = f"; and {len(kinds) - 6} more reasons" if len(kinds) > 6 else ""
    which = "none" if len(opened) == count else f"only {count - len(opened)}"
    return f"{said}: {which} of the {count} operations can be a tool: {reasons}{more}."


def safe_name(name: str) -> str:
    """Return a name that Python and the sandbox take."""
    name = snake(name) if not name.isidentifier() else name.lstrip("_") or "value"
    name = name if not name[:1].isdigit() and name else f"n{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def fitting_name(name: str, taken: set[str], longest: int) -> tuple[str, str]:
    """Return a name that Python takes, is not too long and not taken, and why it is another; "" if it is the same."""
    plain = safe_name(name)
    why = "" if plain == name else "Python does not take the name"
    why = f"the name has more than {longest} characters" if len(plain) > longest else why
    fitting, number = plain[:longest].rstrip("_") if len(plain) > longest else plain, 2
    while fitting in taken:
        fitting, why = f"{plain[: longest - 3].rstrip('_')}_{number}", why or "another has the same name"
        number += 1
    return fitting, why


def _complete(operation: Operation, settled: SourceSchema) -> Operation:
    """Return an operation that asks for all that a new row must have."""
    if operation.verb != "create":
        return operation
    columns, parameters = settled.tables[operation.table].columns, []
    for each in operation.parameters:
        column = columns.get(each.column or "")
        if column is not None and _is_needed(column) and not each.required and each.role == "value":
            said, why = f"{operation.said or operation.name}: {each.name}", "Parameters that no new row can do without"
            settled.account.change("parameter", said, why)
            each = replace(each, required=True)
        parameters.append(each)
    return replace(operation, parameters=tuple(parameters))


def _why_not(operation: Operation, table: SettledTable) -> str:
    """Return why an operation cannot be served, as the rest of a sentence; empty if it can."""
    given = {each.column for each in operation.parameters if each.role in ("key", "value")} | {*operation.constants}
    keys = [each.column for each in operation.parameters if each.role == "key"]
    if len(keys) > len({*keys}):
        return "two parts of its path are the same column"
    if operation.verb in _NEED_KEY and not any(each.role == "key" for each in operation.parameters):
        return f"it does not say which {table.noun}"
    if operation.verb == "create":
        for name, column in table.columns.items():
            is_made = column.made == "clock" or (table.counted and name in table.key)
            if column.required and column.default is None and name not in given and not is_made:
                return f"it gives no {name}, which every {table.noun} has"
    if operation.verb == "update" and not any(each.role == "value" for each in operation.parameters):
        return "it changes nothing that the twin holds"
    return ""


def _is_needed(column: SourceColumn) -> bool:
    return column.required and column.default is None and column.made == ""


def is_settable(column: SourceColumn) -> bool:
    """Return whether callers give a column: one filled by the clock only if it does not mark when a row was made."""
    is_free = column.may_be_given and _STAMPS.isdisjoint(tokens(column.name))
    return column.made != "clock" or is_free


def _usual(table: SettledTable, settled: SourceSchema) -> Iterator[Operation]:
    one, many = _names(table, settled)
    columns = table.columns
    key = tuple(
        OperationParameter(_apart(f"{one}_id", {*columns}) if name == "id" else name, "key", name, required=True)
        for name in table.key
    )
    settable = [name for name, column in columns.items() if name not in table.key and is_settable(column)]
    yield Operation(f"find_{many}", "find", table.name, tuple(_filters(table, settled)))
    yield Operation(f"get_{one}", "get", table.name, key)
    given = settable if table.counted else [*table.key, *settable]
    values = [OperationParameter(name, "value", name, required=_is_needed(columns[name])) for name in given]
    yield Operation(f"create_{one}", "create", table.name, tuple(values))
    if settable:
        changed = [OperationParameter(name, "value", name) for name in settable]
        if any(not columns[name].required for name in settable):
            changed.append(OperationParameter(_apart("clear", {*columns}), "clear"))
        yield Operation(f"update_{one}", "update", table.name, (*key, *changed))
    yield Operation(f"delete_{one}", "delete", table.name, key)


def _filters(table: SettledTable, settled: SourceSchema) -> Iterator[OperationParameter]:
    taken = {*table.columns}
    if texts := free_texts(table):
        names = [column_words(table, name, settled.tables) for name in texts]
        said = ", ".join(names[:-1]) + " or the " * (len(names) > 1) + names[-1]
        yield OperationParameter(_apart("words", taken), "search", description=f"Part of the {said}")
    ranges = 0
    for name, column in table.columns.items():
        if reference_of(table, name) is not None or column.choices or column.kind == "boolean":
            yield OperationParameter(name, "equals", name)
        elif column.kind in ("date", "timestamp") and ranges < _RANGES:
            ranges += 1
            words = column_words(table, name, settled.tables)
            start, end = _apart(f"{name}_from", taken), _apart(f"{name}_to", taken)
            yield OperationParameter(start, "least", name, description=f"Earliest {words}")
            yield OperationParameter(end, "most", name, description=f"Latest {words}")
    yield OperationParameter(_apart("limit", taken), "limit")
    yield OperationParameter(_apart("offset", taken), "offset")


def _names(table: SettledTable, settled: SourceSchema) -> tuple[str, str]:
    """Return the words for one row and several in names of tools; the table's own name where two would be alike."""
    alike = [each for each in settled.tables.values() if each.noun == table.noun or each.nouns == table.nouns]
    return (table.name, table.name) if len(alike) > 1 else (snake(table.noun), snake(table.nouns))


def _apart(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, with underscores behind it if need be."""
    while name in taken:
        name += "_"
    return name
