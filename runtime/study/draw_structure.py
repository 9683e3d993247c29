"""Figure 5: domains by their number of tools and tables; the larger and darker, the denser the graph of the tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from xml.sax.saxutils import escape

from runtime.study.facts import DomainFacts
from runtime.study.svg import draw_page, draw_words, shade_class, ticks_up_to
from runtime.wording import counted

NAME = "tools, tables and density of domains"
_LEFT, _TOP, _WIDE, _HIGH = 84, 92, 760, 480
_SMALLEST, _LARGEST = 5.0, 21.0  # radius of a bubble

Box = tuple[float, float, float, float]  # left, top, right, bottom


def draw_structure(facts: Sequence[DomainFacts]) -> str:
    """The picture of domains."""
    across, down = (ticks_up_to(max(getattr(each, what) for each in facts)) for what in ("tools", "tables"))
    # Beyond the largest there is room for its bubble.
    right, top = across[-1] * 1.06, down[-1] * 1.08
    places = [(_LEFT + _WIDE * each.tools / right, _TOP + _HIGH - _HIGH * each.tables / top, each) for each in facts]
    without = sum(each.density is None for each in facts)
    about = f"{counted(len(facts), 'domain')}; size and colour: density of the tool dependency graph"
    about += f"; {without} without a graph, as empty circles" if without else ""
    return draw_page(
        NAME,
        "Structure of domains",
        about,
        _LEFT + _WIDE + 60,
        _TOP + _HIGH + 84,
        [*_axes(across, down, right, top), *_bubbles(places), *_labels(places), *_scale(facts)],
    )


def _axes(across: Sequence[int], down: Sequence[int], right: float, top: float) -> Iterator[str]:
    bottom = _TOP + _HIGH
    for tick in across:
        x = _LEFT + _WIDE * tick / right
        yield f'<path class="line" d="M{x:.1f} {_TOP}V{bottom}"/>'
        yield draw_words(f"{tick:,}", x, bottom + 20, "middle", "small")
    for tick in down:
        y = bottom - _HIGH * tick / top
        yield f'<path class="line" d="M{_LEFT} {y:.1f}H{_LEFT + _WIDE}"/>'
        yield draw_words(f"{tick:,}", _LEFT - 10, y + 4, "end", "small")
    yield draw_words("tools", _LEFT + _WIDE / 2, bottom + 46, "middle")
    turned = f"translate(28 {_TOP + _HIGH / 2:.1f}) rotate(-90)"
    yield f'<text class="words" text-anchor="middle" transform="{turned}">tables</text>'


def _bubbles(places: Sequence[tuple[float, float, DomainFacts]]) -> Iterator[str]:
    most = max((each.density or 0 for *_, each in places), default=0) or 1
    for x, y, each in sorted(places, key=lambda place: -(place[2].density or 0)):  # the small ones above
        edges = "no graph" if each.density is None else f"{each.edges:,} edges, density {each.density:.3f}"
        words = f"{each.name}: {counted(each.tools, 'tool')}, {counted(each.tables, 'table')}, {edges}"
        kind = "none" if each.density is None else f"bubble {shade_class(each.density / most)}"
        yield (
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{_radius(each, most):.1f}">'
            f"<title>{escape(words)}</title></circle>"
        )


def _labels(places: Sequence[tuple[float, float, DomainFacts]]) -> Iterator[str]:
    """The names, each beside its bubble where it covers no name and no other bubble, if there is such a place."""
    most = max((each.density or 0 for *_, each in places), default=0) or 1
    bubbles: list[Box] = []
    for x, y, each in places:
        radius = _radius(each, most)
        bubbles.append((x - radius, y - radius, x + radius, y + radius))
    taken: list[Box] = []
    for number, (x, y, each) in enumerate(places):
        gap, wide = _radius(each, most) + 5, 7.4 * len(each.name)
        candidates = [
            (x + gap, y + 4, "start", x + gap),
            (x - gap, y + 4, "end", x - gap - wide),
            (x, y - gap, "middle", x - wide / 2),
            (x, y + gap + 9, "middle", x - wide / 2),
            *((x - gap, y + 4 + shift, "end", x - gap - wide) for shift in (10, -10)),
            *((x + gap, y + 4 + shift, "start", x + gap) for shift in (14, -14, 28, -28, 42, -42)),
        ]
        others = [*taken, *(box for at, box in enumerate(bubbles) if at != number)]

        def covers(place: tuple[float, float, str, float], wide: float = wide, others: list[Box] = others) -> int:
            box = place[3], place[1] - 11, place[3] + wide, place[1] + 3
            outside = box[0] < _LEFT or box[2] > _LEFT + _WIDE + 56 or box[1] < _TOP or box[3] > _TOP + _HIGH
            return sum(_meet(box, other) for other in others) + 2 * outside

        place = min(candidates, key=covers)
        taken.append((place[3], place[1] - 11, place[3] + wide, place[1] + 3))
        yield draw_words(each.name, place[0], place[1], place[2], "small")


def _scale(facts: Sequence[DomainFacts]) -> Iterator[str]:
    known = [each.density for each in facts if each.density is not None]
    if not known:
        return
    x, y = _LEFT + _WIDE - 150, 26
    yield '<linearGradient id="density"><stop class="low" offset="0"/><stop class="high" offset="1"/></linearGradient>'
    yield f'<rect x="{x}" y="{y}" width="140" height="10" fill="url(#density)"/>'
    yield draw_words("density 0", x - 8, y + 10, "end", "small")
    yield draw_words(f"{max(known):.3f}", x + 148, y + 10, "start", "small")


def _radius(each: DomainFacts, most: float) -> float:
    return _SMALLEST + (_LARGEST - _SMALLEST) * sqrt((each.density or 0) / most)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
