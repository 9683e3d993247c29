"""How a table looks in a terminal: columns two spaces apart, figures to the right, a first column that folds."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Iterator, Sequence

from runtime.wording import printable


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Return the lines of a table for this terminal; columns with figures are set to the right.

    Only the first column folds in a narrow terminal, between words: figures and names are never cut.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[printable(_shown(cell)).replace("\n", "\\n") for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    widths = []
    for number, title in enumerate(titles):
        column = [row[number] for row in cells]
        is_text = number == 0 or not any(cell[:1].isdigit() or cell[:1] == "~" for cell in column)
        widths.append(max(map(cell_len, [title, *column])))
        table.add_column(Text(title), justify="left" if is_text else "right", no_wrap=number > 0, overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))  # never markup: names are other people's
    fixed = sum(widths[1:]) + 2 * len(widths)
    longest = max(cell_len(word) for first in [titles[0], *(row[0] for row in cells)] for word in first.split() or [""])
    width = max(shutil.get_terminal_size().columns, fixed + longest)
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None, legacy_windows=False).print(table)
    for line in stream.getvalue().splitlines():
        yield line.rstrip()


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
