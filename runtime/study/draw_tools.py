"""Figure 4: all tools in a plane, near each other where their words are alike, in a colour for each domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runtime.study.projection import Points
from runtime.study.svg import draw_mark, draw_page, draw_words
from runtime.wording import counted

NAME = "tools of domains by their words"
_SIDE = 620
_LEFT, _TOP = 24, 84
_LEGEND = _LEFT + _SIDE + 36
_ROWS = 27  # of the legend in one column


def draw_tools(tools: Sequence[tuple[str, str]], points: Points) -> str:
    """The picture of tools, each by domain and name, at their points."""
    names = list(dict.fromkeys(domain for domain, _ in tools))
    columns = -(-len(names) // _ROWS)
    longest = max(map(len, names))
    column = max(150, 36 + 8 * longest)
    about = f"{counted(len(tools), 'tool')} of {counted(len(names), 'domain')}: t-SNE of their names and descriptions"
    return draw_page(
        NAME,
        "Tools",
        about,
        max(_LEGEND + columns * column, 700),
        _TOP + _SIDE + 24,
        [*_frame(), *_marks(tools, points, names), *_legend(tools, names, column)],
    )


def _frame() -> Iterator[str]:
    yield f'<rect class="line" x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>'


def _marks(tools: Sequence[tuple[str, str]], points: Points, names: Sequence[str]) -> Iterator[str]:
    half = _SIDE / 2 - 14
    for (domain, tool), (x, y) in zip(tools, points, strict=True):
        across, down = _LEFT + _SIDE / 2 + half * x, _TOP + _SIDE / 2 - half * y
        yield draw_mark(names.index(domain), across, down, f"{tool} ({domain})")


def _legend(tools: Sequence[tuple[str, str]], names: Sequence[str], column: int) -> Iterator[str]:
    for number, name in enumerate(names):
        x, y = _LEGEND + number // _ROWS * column, _TOP + 12 + number % _ROWS * 22
        yield draw_mark(number, x, y)
        yield draw_words(f"{name} ({sum(domain == name for domain, _ in tools)})", x + 14, y + 5)
