"""Which lists of allowed texts have a name in a file of tools: those that stand in it more than once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pydantic.alias_generators import to_pascal

from generator.build.design import Quantity, Record, ToolDesign

Aliases = Mapping[tuple[str, ...], str]
NO_ALIASES: Aliases = MappingProxyType({})


def name_choices(records: Sequence[Record], tools: Iterable[ToolDesign]) -> Aliases:
    """A type's name for each list that two places or more allow, in the order in which they come."""
    uses: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for owner, quantity in _places(records, tools):
        if quantity.choices:
            uses.setdefault(tuple(quantity.choices), []).append((owner, quantity.name))
    names: dict[tuple[str, ...], str] = {}
    taken = {record.name for record in records}
    for choices, places in uses.items():
        if len(places) > 1:
            names[choices] = _free_name(places, taken)
            taken.add(names[choices])
    return names


def _places(records: Sequence[Record], tools: Iterable[ToolDesign]) -> Iterator[tuple[str, Quantity]]:
    for record in records:
        for field in record.fields:
            yield record.name, field
    for tool in tools:
        for parameter in tool.parameters:
            yield tool.name, parameter


def _free_name(places: Sequence[tuple[str, str]], taken: set[str]) -> str:
    """The name of the field that has the list, or if another list took it, that of its record and the field."""
    fields = dict.fromkeys(field for _, field in places)
    wished = [to_pascal(field) for field in fields]
    wished += [to_pascal(f"{owner}_{field}") for owner, field in places]
    free = [name for name in wished if name not in taken]
    return free[0] if free else f"{wished[0]}{len(taken)}"
