"""Which columns of a table a terminal has room for, and how its lines stand."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from runtime.wording import printable

_GAP = 2
_NARROWEST = 12  # characters of a first column that is cut


@dataclass(frozen=True)
class TableColumn:
    """A column with the values of all rows; for want of room those of the highest `rank` are left out, of 0 none."""

    title: str
    values: Sequence[str]
    rank: int = 0
    is_text: bool = False


def lay_out(columns: Iterable[TableColumn], width: int) -> Iterator[str]:
    """The lines of a table, its titles first; a last line says which columns were left out, if any were."""
    columns = list(columns)
    kept = columns
    while sum(map(_width, kept)) + _GAP * (len(kept) - 1) > width and any(each.rank for each in kept):
        highest = max(each.rank for each in kept)
        kept = [each for each in kept if each.rank < highest]
    left_out = [each.title for each in columns if each not in kept]
    over = sum(map(_width, kept)) + _GAP * (len(kept) - 1) - width
    room = max(_NARROWEST, _width(kept[0]) - max(0, over))
    for row in zip(*([each.title, *each.values] for each in kept), strict=True):
        first = printable(row[0])
        cells = [(first if len(first) <= room else f"{first[: room - 3]}...").ljust(min(room, _width(kept[0])))]
        for column, cell in zip(kept[1:], row[1:], strict=True):
            shown = printable(cell)
            cells.append(shown.ljust(_width(column)) if column.is_text else shown.rjust(_width(column)))
        yield (" " * _GAP).join(cells).rstrip()
    if left_out:
        yield from textwrap.wrap(f"(no room for: {', '.join(left_out)})", max(width, 20), subsequent_indent="  ")


def _width(column: TableColumn) -> int:
    return max(len(printable(each)) for each in [column.title, *column.values])
